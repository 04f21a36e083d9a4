/* Unicode properties of UTF-8 text, by libutf8proc: code points, normalization, case and width on a
 * terminal. */
#ifndef GT_BASE_UNICODE_H
#define GT_BASE_UNICODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gt_arena;

/* Normalization form C (Unicode Standard Annex 15): for example, composes e + U+0301, which macOS writes in
 * file names, to é. On the heap, NUL-terminated; NULL if the text is already in this form, contains a NUL or
 * is not UTF-8. */
char *gt_nfc(const char *text, size_t length);
/* The same for NUL-terminated text, in the arena; returns `text` itself instead of NULL. */
const char *gt_nfc_in(struct gt_arena *arena, const char *text);
/* Length in bytes, 1 to 4, of the character at `text`, whose code point it writes to *code; 0 if the bytes
 * are not valid UTF-8 (overlong forms and surrogates are not). length: number of bytes at `text`, at
 * least 1. */
size_t gt_utf8_read(const uint8_t *text, size_t length, uint32_t *code);
/* Writes a code point as UTF-8; returns its length in bytes. */
size_t gt_utf8_write(uint32_t code, uint8_t out[4]);
uint32_t gt_lower_case(uint32_t code); /* simple case mapping: one code point */
/* Terminal columns: 0 for combining marks, 2 for wide East Asian characters and emoji, otherwise 1. */
int gt_character_width(uint32_t code);
/* True for letters, combining marks and digits of any language. */
bool gt_is_word_character(uint32_t code);
/* True for control characters, formatting characters such as a zero-width space, and line separators. */
bool gt_is_invisible(uint32_t code);
#endif
