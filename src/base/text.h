/* Text helpers: suggestions of similar names, human-readable quantities, lists, text for terminals and
 * shells. */
#ifndef GT_BASE_TEXT_H
#define GT_BASE_TEXT_H
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct gt_arena;

/* The candidate that WORD probably meant: a typo or a longer form of it; NULL if none is similar enough, two
 * are equally similar, or WORD is a number. A suggestion shares more than half of the letters. */
const char *gt_nearest(const char *word, const char *const *candidates, size_t count);
/* Edit distance of two words (nearest.c); 0: they differ at most in case, '_', '-' and spaces; 64 if one is
 * empty or too long to be a name. */
size_t gt_word_distance(const char *a, const char *b);
/* Writes "535.8 k", "1.2 G" to the buffer and returns it. */
const char *gt_human_count(double value, char buffer[32]);
const char *gt_human_bytes(double bytes, char buffer[32]); /* "1.5 MiB" */
/* Terminal columns that a text takes when gt_put_text writes it. */
int gt_text_width(const char *text);
/* Number of spaces that pad the text to a column of this width. */
int gt_padding(int width, const char *text);
/* The longest prefix of whole characters that takes at most `columns` terminal columns. In the arena. */
const char *gt_text_prefix(struct gt_arena *arena, const char *text, int columns);
/* The text, or if it is wider a prefix and "…", in at most `columns` terminal columns. In the arena. */
const char *gt_text_cut(struct gt_arena *arena, const char *text, int columns);
/* Prints a text and a newline, wrapped between words at the terminal's width (but from 40 to 100 columns),
 * or at 80 columns if the stream is not a terminal; continuation lines start with `indent` spaces. */
void gt_print_wrapped(FILE *stream, const char *text, int indent);
/* The word for a shell's command line, quoted if necessary. In the arena. */
const char *gt_shell_word(struct gt_arena *arena, const char *word);
/* "--NAME VALUE" for a shell's command line; "--NAME=VALUE" if VALUE looks like an option. */
const char *gt_shell_option(struct gt_arena *arena, const char *name, const char *value);
/* Writes text from a file or another untrusted source: characters that would control the terminal or reorder
 * the line (control characters except newline and tab, bidirectional controls, bytes that are not UTF-8) are
 * written as \x1b or \u202e. */
void gt_put_text(FILE *stream, const char *text);
/* Escapes a name from a file for a message on one line: like gt_put_text, but also newlines, tabs and
 * invisible characters. In the arena. */
const char *gt_escape_name(struct gt_arena *arena, const char *name);
/* Length of the character at `text` if it can be shown without escaping. If it cannot, 0: then *length bytes
 * must be escaped, and *code is the character, or the byte if it is not UTF-8. */
size_t gt_displayable_length(const char *text, size_t *length, uint32_t *code);
/* A list in a message, "a, b and 3 more". Its texts are in the arena. */
typedef struct gt_list {
  struct gt_arena *arena;
  int most;         /* items that are shown */
  const char *text; /* these items; "" if there are none */
  const char *separator;
  int count; /* of all items that were added */
} gt_list;

/* most: INT_MAX to show all. */
static inline gt_list gt_list_open(struct gt_arena *arena, int most) {
  return (gt_list){arena, most, "", ", ", 0};
}
/* Counts an item and, if it is one of the first `most`, appends it. */
void gt_list_add(gt_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text, followed by " and 3 more", or by `rest`, if items were left out. */
const char *gt_list_more(const gt_list *list);
const char *gt_list_text(const gt_list *list, const char *rest);
/* "a, b, c": all items. */
const char *gt_list_of(struct gt_arena *arena, const char *const *items, int count);
/* 64-bit FNV-1a; to chain, pass the previous hash; start with GT_HASH_START. */
uint64_t gt_hash(uint64_t hash, const void *data, size_t size);
#define GT_HASH_START 0xcbf29ce484222325ull
#endif
