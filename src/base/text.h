/* Small text helpers: nearest-name suggestions and human-readable quantities. */
#ifndef GT_BASE_TEXT_H
#define GT_BASE_TEXT_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct gt_arena;

/* The candidate that WORD was probably meant to be, a slip of the keys apart or a longer form of it; NULL if
 * none is near enough, two are as near, or WORD is a number. A candidate shares more than half of the
 * letters. */
const char *gt_nearest(const char *word, const char *const *candidates, size_t count);
/* Edits between two words (nearest.c); 0: they differ at most in case, '_', '-' and spaces. */
size_t gt_word_distance(const char *a, const char *b);
/* "535.8 k", "1.2 G" into the caller's buffer; returns it. */
const char *gt_human_count(double value, char buffer[32]);
const char *gt_human_bytes(double bytes, char buffer[32]); /* "1.5 MiB" */
/* Columns of a terminal that a text takes, as gt_put_text writes it. */
int gt_text_width(const char *text);
/* Spaces after a text that fill a column of that width. */
int gt_padding(int width, const char *text);
/* Prints a text and a newline, broken between words at the terminal's width, or at 80 columns where the
 * stream is not a terminal; lines after the first begin with `indent` spaces. */
void gt_print_wrapped(FILE *stream, const char *text, int indent);
/* The word as a shell reads it back: in quotes where it needs them. In the arena. */
const char *gt_shell_word(struct gt_arena *arena, const char *word);
/* "--NAME VALUE" as a shell reads it; "--NAME=VALUE" where VALUE would be taken for an option. */
const char *gt_shell_option(struct gt_arena *arena, const char *name, const char *value);
/* Writes text that came from a file or a stranger: what would steer the terminal or turn the line around
 * (control characters but newline and tab, bidirectional controls, bytes that are not UTF-8) appears as \\x1b
 * or \\u202e. */
void gt_put_text(FILE *stream, const char *text);
/* A name from a file as a message quotes it, on one line: as gt_put_text, and newlines, tabs and characters
 * that cannot be seen are escaped, too. In the arena. */
const char *gt_quotable(struct gt_arena *arena, const char *name);
/* Bytes of the character at `text` if it can be shown as it is; 0 if not: then *length are to be escaped, and
 * *code is the character, or the byte where it is not UTF-8. */
size_t gt_shown(const char *text, size_t *length, uint32_t *code);
/* 64-bit FNV-1a; chain by passing the previous hash, start with GT_HASH_START. */
uint64_t gt_hash(uint64_t hash, const void *data, size_t size);
#define GT_HASH_START 0xcbf29ce484222325ull
#endif
