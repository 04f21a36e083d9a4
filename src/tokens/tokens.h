/* Tokens: text as integers. A tokenizer divides text into tokens; a vocabulary numbers them: the token of id
 * i is token[i]. Kinds, one file each (GT_DEFINE(tokenizer, NAME)):
 *
 * - byte: the 256 bytes, for any file. Restores the text exactly.
 *
 * - char: the code points of the training file, sorted. Restores the text exactly.
 *
 * - word: the most frequent words and punctuation marks of the training text; 0 is <pad>, 1 is <unk>. Drops
 *   white space and, with `lower`, case.
 *
 * Owner: the arena. A vocabulary never changes. */
#ifndef GT_TOKENS_TOKENS_H
#define GT_TOKENS_TOKENS_H
#include "base/arena.h"
#include "base/error.h"
#include "base/register.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_t;
struct gt_vocabulary;

enum { GT_VOCABULARY_MAX = 1 << 24 };

typedef struct gt_text_view { /* text as a file holds it, not NUL-terminated */
  const uint8_t *data;
  size_t size;
  const char *name;     /* the file, for messages; "the prompt" */
  const uint8_t *start; /* where the file begins, if this is a part of it; else NULL */
} gt_text_view;

typedef struct gt_token {
  const uint8_t *text;
  uint32_t length; /* bytes, at least 1 */
} gt_token;

/* The most frequent tokens are kept in a vocabulary of at most `size` ids. */
typedef struct gt_tokens_wanted {
  int64_t size; /* word; 0: no limit */
  bool lower;   /* word: letters become lower case */
} gt_tokens_wanted;

/* Where encode writes: bytes if every id fits one, else I32. */
typedef struct gt_ids {
  void *data;
  int64_t count;
} gt_ids;

typedef struct gt_tokenizer_type {
  const char *name, *help;
  bool any_bytes;  /* the text is bytes; else UTF-8 without NUL, and gt_text_clean is called before */
  bool is_exact;   /* decoding restores the text, one character per id: bits per character are defined */
  bool is_trained; /* the vocabulary depends on the training text alone, not on the whole file */
  /* Sets token, size and what the kind needs. NULL: as learned from a list of tokens. */
  bool (*learn)(struct gt_vocabulary *vocabulary, gt_tokens_wanted wanted, const gt_text_view *text,
                gt_arena *arena, gt_error *error);
  /* Builds the lookup from the tokens of a saved vocabulary; false if they are not such a vocabulary. */
  bool (*restore)(struct gt_vocabulary *vocabulary, gt_arena *arena);
  /* Appends ids to out->data, which has room for one id per byte of the text. Text that is not in the
   * vocabulary is an error with its place, if there is no `unknown`. */
  bool (*encode)(const struct gt_vocabulary *vocabulary, const gt_text_view *text, gt_ids *out,
                 gt_error *error);
  /* True if a space separates these tokens in a text. NULL: never. */
  bool (*spaced)(const struct gt_vocabulary *vocabulary, int32_t before, int32_t id);
} gt_tokenizer_type;

typedef struct gt_vocabulary {
  const gt_tokenizer_type *type;
  int32_t size;          /* ids lie in [0, size) */
  const gt_token *token; /* [size] */
  int32_t unknown;       /* id of text that is not in the vocabulary; -1: such text is an error */
  bool lower;
  const void *lookup; /* of the kind */
} gt_vocabulary;

int gt_tokenizer_count(void);
const gt_tokenizer_type *gt_tokenizer_at(int index);
const gt_tokenizer_type *gt_tokenizer_find(const char *name); /* NULL if there is none */

/* Prepares text in place for a kind that needs UTF-8: drops a byte order mark at the start, turns CR LF into
 * LF. False: GT_ERR_DATA as "FILE:LINE:BYTE: …" if it is not UTF-8 or holds a NUL. text->data is
 * writable memory of the caller. */
bool gt_text_clean(const gt_tokenizer_type *type, gt_text_view *text, gt_error *error);
/* The line of a byte of the text in its file, and its place in the line, both from 1. LF, CR LF and CR end a
 * line. */
void gt_text_place(const gt_text_view *text, size_t byte, int64_t *line, int64_t *column);

/* Learns a vocabulary from clean text. NULL on failure. */
const gt_vocabulary *gt_vocabulary_learn(const gt_tokenizer_type *type, gt_tokens_wanted wanted,
                                         const gt_text_view *text, gt_arena *arena, gt_error *error);
/* Appends the ids of clean text, each below vocabulary->size; out->data has room for one id per byte. */
bool gt_vocabulary_encode(const gt_vocabulary *vocabulary, const gt_text_view *text, gt_ids *out,
                          gt_error *error);
static inline bool gt_vocabulary_is_narrow(const gt_vocabulary *vocabulary) {
  return vocabulary->size <= 256;
}
/* Writes the id to out->data at out->count++. */
static inline void gt_ids_push(const gt_vocabulary *vocabulary, gt_ids *out, int32_t id) {
  if (gt_vocabulary_is_narrow(vocabulary))
    ((uint8_t *)out->data)[out->count++] = (uint8_t)id;
  else
    ((int32_t *)out->data)[out->count++] = id;
}

/* Appends the text of a token that follows another one (before: -1 for none) to a buffer with room for its
 * length and one byte more; returns how many bytes were written. */
size_t gt_vocabulary_decode(const gt_vocabulary *vocabulary, int32_t before, int32_t id, uint8_t *out);

/* {"kind": …, "lower": …, "tokens": […]}, tokens with control characters, backslashes and bytes that are not
 * UTF-8 as \xHH. The caller owns it. */
struct json_t *gt_vocabulary_json(const gt_vocabulary *vocabulary);
/* NULL if it is not such an object. */
const gt_vocabulary *gt_vocabulary_of_json(const struct json_t *json, gt_arena *arena);
uint64_t gt_vocabulary_fingerprint(const gt_vocabulary *vocabulary, uint64_t before);
#endif
