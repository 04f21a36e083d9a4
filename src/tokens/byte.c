/* The byte tokenizer: each byte is a token, whose id is its value. */
#include "tokens/tokens.h"
#include <string.h>

enum { BYTES = 256 };

static bool restore(gt_vocabulary *vocabulary, gt_arena *arena) {
  uint8_t *byte = GT_NEW_N(arena, uint8_t, BYTES);
  gt_token *token = GT_NEW_N(arena, gt_token, BYTES);
  for (int i = 0; i < BYTES; i++) {
    byte[i] = (uint8_t)i;
    token[i] = (gt_token){byte + i, 1};
  }
  vocabulary->token = token;
  vocabulary->size = BYTES;
  return true;
}

static bool learn(gt_vocabulary *vocabulary, gt_vocabulary_options options, const gt_text_view *text,
                  gt_arena *arena, gt_error *error) {
  (void)options;
  (void)text;
  (void)error;
  return restore(vocabulary, arena);
}

static bool encode(const gt_vocabulary *vocabulary, const gt_text_view *text, gt_ids *out, gt_error *error) {
  (void)vocabulary;
  (void)error;
  memcpy((uint8_t *)out->data + out->count, text->data, text->size);
  out->count += (int64_t)text->size;
  return true;
}

GT_DEFINE(tokenizer, byte) = {.name = "byte",
                              .help = "the 256 bytes, for any file",
                              .any_bytes = true,
                              .is_exact = true,
                              .learn = learn,
                              .restore = restore,
                              .encode = encode};
