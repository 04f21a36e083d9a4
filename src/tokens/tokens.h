/* Tokenizers. A tokenizer divides text into tokens; a vocabulary numbers them: token[i] has id i. Kinds, one
 * file each (GT_DEFINE(tokenizer, NAME)):
 *
 * - byte: the 256 bytes, for any file. Restores the text exactly.
 *
 * - char: the code points of the data file, sorted. Restores the text exactly.
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

typedef struct gt_text_view { /* text of a file or a part of one, not NUL-terminated */
  const uint8_t *data;
  size_t size;
  const char *name;     /* for messages: the file name or "the prompt" */
  const uint8_t *start; /* start of the file, if `data` is only a part of it; else NULL */
} gt_text_view;

typedef struct gt_token {
  const uint8_t *text;
  uint32_t length; /* bytes, at least 1 */
} gt_token;

/* Settings for learning a vocabulary. */
typedef struct gt_vocabulary_options {
  int64_t size; /* word: only the most frequent tokens, at most this many ids; 0: no limit */
  bool lower;   /* word: convert letters to lower case */
} gt_vocabulary_options;

/* Output of encode: ids, as bytes if gt_vocabulary_is_narrow, else as int32_t. */
typedef struct gt_ids {
  void *data;
  int64_t count;
} gt_ids;

typedef struct gt_tokenizer_type {
  const char *name, *help;
  bool any_bytes;  /* accepts any bytes; else the text must be UTF-8 without NUL, after gt_text_clean */
  bool is_exact;   /* decoding restores the text, and an id is one character (so bits per character exist) */
  bool is_trained; /* the vocabulary is learned from the training text only, not from the whole file */
  /* Learns a vocabulary from text: sets `token`, `size` and what `restore` sets. */
  bool (*learn)(struct gt_vocabulary *vocabulary, gt_vocabulary_options options, const gt_text_view *text,
                gt_arena *arena, gt_error *error);
  /* Sets `lookup` and `unknown` from the tokens of a saved vocabulary; false if they are not valid for this
   * kind. */
  bool (*restore)(struct gt_vocabulary *vocabulary, gt_arena *arena);
  /* Appends ids to out->data, which has room for one id per byte of the text. Text that is not in the
   * vocabulary becomes `unknown`; if that is -1, it is an error with line and column. */
  bool (*encode)(const struct gt_vocabulary *vocabulary, const gt_text_view *text, gt_ids *out,
                 gt_error *error);
  /* True if decoding writes a space between token `before` and token `id`. NULL: never. */
  bool (*needs_space)(const struct gt_vocabulary *vocabulary, int32_t before, int32_t id);
} gt_tokenizer_type;

typedef struct gt_vocabulary {
  const gt_tokenizer_type *type;
  int32_t size;          /* ids lie in [0, size) */
  const gt_token *token; /* [size] */
  int32_t unknown;       /* id of text that is not in the vocabulary; -1: such text is an error */
  bool lower;            /* letters are converted to lower case */
  const void *lookup;    /* index from text to id, private to the kind */
} gt_vocabulary;

int gt_tokenizer_count(void);
const gt_tokenizer_type *gt_tokenizer_at(int index);
const gt_tokenizer_type *gt_tokenizer_find(const char *name); /* NULL if there is none */

/* Prepares text in place for a kind that needs UTF-8: drops a byte order mark at the start, turns CR LF into
 * LF. False with GT_ERR_DATA, as "FILE:LINE:BYTE: …", if it is not UTF-8 or contains NUL. text->data must be
 * writable. */
bool gt_text_clean(const gt_tokenizer_type *type, gt_text_view *text, gt_error *error);
/* Line of a byte of the text in its file, and column in bytes, both from 1. LF, CR LF and CR end a line; NUL
 * bytes, which gt_text_clean leaves after a text, do not count. byte: offset from text->data. */
void gt_text_place(const gt_text_view *text, size_t byte, int64_t *line, int64_t *column);

/* Learns a vocabulary from clean text. NULL on failure. */
const gt_vocabulary *gt_vocabulary_learn(const gt_tokenizer_type *type, gt_vocabulary_options options,
                                         const gt_text_view *text, gt_arena *arena, gt_error *error);
/* Appends the ids of clean text, each below vocabulary->size; out->data has room for one id per byte. */
bool gt_vocabulary_encode(const gt_vocabulary *vocabulary, const gt_text_view *text, gt_ids *out,
                          gt_error *error);
/* True if every id fits in a byte. */
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

/* Writes the text of token `id`, after a space if token `before` (-1: none) requires one, to `out`, which has
 * room for the token's length plus 1. Returns how many bytes were written. */
size_t gt_vocabulary_decode(const gt_vocabulary *vocabulary, int32_t before, int32_t id, uint8_t *out);

/* {"kind": …, "lower": …, "tokens": […]}, with control characters, backslashes and bytes that are not UTF-8
 * written as \xHH. The caller owns it. */
struct json_t *gt_vocabulary_json(const gt_vocabulary *vocabulary);
/* Reads a vocabulary written by gt_vocabulary_json. NULL if `json` is not a valid one. */
const gt_vocabulary *gt_vocabulary_from_json(const struct json_t *json, gt_arena *arena);
/* Extends the hash by the vocabulary. */
uint64_t gt_vocabulary_fingerprint(const gt_vocabulary *vocabulary, uint64_t hash);
#endif
