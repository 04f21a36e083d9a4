/* Look-alikes: characters that look like ASCII or are invisible, but are not ASCII: no-break spaces,
 * typographic quotes, dashes, full-width forms. They get into configs with text copied from web pages and
 * word processors. */
#ifndef GT_SPEC_LOOK_ALIKE_H
#define GT_SPEC_LOOK_ALIKE_H
#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gt_look_alike {
  uint32_t code;
  char plain[2];     /* the ASCII character that it looks like, or "" */
  const char *name;  /* "no-break space" */
  size_t byte, size; /* offset and length in the text */
  char text[5];      /* the character itself */
} gt_look_alike;

/* Finds the first look-alike at or after byte `start`; false: none. The text is UTF-8. */
bool gt_look_alike_find(const char *text, size_t start, gt_look_alike *found);
/* The text with all look-alikes replaced by ASCII. In the arena. */
char *gt_look_alike_plain(gt_arena *arena, const char *text);
/* "'−' is a minus sign (U+2212): write '-'". */
const char *gt_look_alike_describe(gt_arena *arena, const gt_look_alike *found);

/* True if unquoted text of a config contains a look-alike that can only be meant as YAML syntax: a space at
 * either end or after a ':', a quote at the start, a dash and a space at the start. */
bool gt_look_alike_as_syntax(const char *text, gt_look_alike *found);
/* Like gt_look_alike_as_syntax, for a source line that the YAML parser rejected: also finds brackets, commas
 * and colons anywhere in it. Skips comments and quoted text. */
bool gt_look_alike_in_line(const char *line, gt_look_alike *found);
#endif
