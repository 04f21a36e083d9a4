/* Characters that look like one of ASCII, or like nothing, and are another: no-break spaces, typographic
 * quotes, dashes, full-width forms. Text copied from a web page or a word processor has them, and no eye sees
 * them. */
#ifndef GT_SPEC_LOOK_ALIKE_H
#define GT_SPEC_LOOK_ALIKE_H
#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gt_look_alike {
  uint32_t code;
  char plain[2];     /* what it looks like: a character of ASCII, or "" */
  const char *name;  /* "no-break space" */
  size_t byte, size; /* where it stands in the text */
  char text[5];      /* itself */
} gt_look_alike;

/* The first of the text, from byte `start` on; false: none. The text is UTF-8. */
bool gt_look_alike_find(const char *text, size_t start, gt_look_alike *found);
/* The text with all of them as ASCII. In the arena. */
char *gt_look_alike_plain(gt_arena *arena, const char *text);
/* "'−' is a minus sign (U+2212); write '-'". */
const char *gt_look_alike_describe(gt_arena *arena, const gt_look_alike *found);

/* True if a text without quotes in a config has one where it can only be meant as YAML: a blank at either end
 * or after a ':', a quote at the start, a dash and a blank at the start. */
bool gt_look_alike_as_syntax(const char *text, gt_look_alike *found);
/* The same of a source line that the YAML parser did not understand, which may have other signs too. Comments
 * and text in quotes do not count. */
bool gt_look_alike_in_line(const char *line, gt_look_alike *found);
#endif
