/* Vocabularies: token ids of text, text from ids, conversion from and to JSON, and cleaning of text,
 * including invalid UTF-8. */
#include "tokens/tokens.h"
#include "base/philox.h"
#include "base/unicode.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 4096 };

typedef struct fixture {
  gt_arena arena;
  gt_error error;
  const gt_vocabulary *vocabulary;
  int32_t ids32[MAX_BYTES];
  uint8_t ids8[MAX_BYTES];
  int64_t count;
} fixture;

static gt_text_view text_of(const char *text) {
  return (gt_text_view){(const uint8_t *)text, strlen(text), "t.txt", NULL};
}

static bool learn(fixture *f, const char *kind, gt_vocabulary_options options, const char *text) {
  const gt_text_view t = text_of(text);
  *f = (fixture){0};
  gt_arena_init(&f->arena);
  f->vocabulary = gt_vocabulary_learn(gt_tokenizer_find(kind), options, &t, &f->arena, &f->error);
  return f->vocabulary;
}

static int32_t id_at(const fixture *f, int64_t i) {
  return gt_vocabulary_is_narrow(f->vocabulary) ? f->ids8[i] : f->ids32[i];
}

static bool encode(fixture *f, const gt_text_view *text) {
  const bool ids8 = gt_vocabulary_is_narrow(f->vocabulary);
  gt_ids ids = {ids8 ? (void *)f->ids8 : (void *)f->ids32, 0};
  f->error = (gt_error){0};
  const bool ok = gt_vocabulary_encode(f->vocabulary, text, &ids, &f->error);
  f->count = ids.count;
  return ok;
}

static void expect_ids(fixture *f, const char *text, int count, const int32_t *ids) {
  const gt_text_view t = text_of(text);
  assert_true(encode(f, &t));
  assert_int_equal(f->count, count);
  for (int i = 0; i < count; i++) assert_int_equal(id_at(f, i), ids[i]);
}
#define EXPECT_IDS(f, text, ...)                                                    \
  expect_ids(f, text, sizeof(const int32_t[]){__VA_ARGS__} / sizeof(const int32_t), \
             (const int32_t[]){__VA_ARGS__})

static size_t decode(const fixture *f, uint8_t *out) {
  size_t n = 0;
  for (int64_t i = 0; i < f->count; i++)
    n += gt_vocabulary_decode(f->vocabulary, i ? id_at(f, i - 1) : -1, id_at(f, i), out + n);
  return n;
}

static void expect_decoded(const fixture *f, const char *text) {
  uint8_t out[2 * MAX_BYTES];
  const size_t n = decode(f, out);
  assert_int_equal(n, strlen(text));
  assert_memory_equal(out, text, n);
}

/* Replaces the vocabulary by its copy from JSON, which must have the same fingerprint. */
static void restore(fixture *f) {
  json_t *json = gt_vocabulary_json(f->vocabulary);
  char *text = json_dumps(json, 0);
  json_decref(json);
  json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(json);
  const gt_vocabulary *again = gt_vocabulary_from_json(json, &f->arena);
  assert_non_null(again);
  assert_int_equal(gt_vocabulary_fingerprint(again, 1), gt_vocabulary_fingerprint(f->vocabulary, 1));
  f->vocabulary = again;
  json_decref(json);
  free(text);
}

/* Kind "byte": the ids are the bytes. */
static void bytes(void **state) {
  fixture f;
  (void)state;
  assert_true(learn(&f, "byte", (gt_vocabulary_options){0}, ""));
  assert_int_equal(f.vocabulary->size, 256);
  restore(&f);
  const gt_text_view t = {(const uint8_t *)"\0\xff\r\n", 4, "t", NULL};
  assert_true(encode(&f, &t));
  assert_int_equal(f.count, 4);
  assert_int_equal(id_at(&f, 1), 255);
  gt_arena_finish(&f.arena);
}

/* Kind "char": ids in the order of code points; a character that is not in the vocabulary is an error. */
static void characters(void **state) {
  fixture f;
  (void)state;
  assert_true(learn(&f, "char", (gt_vocabulary_options){0},
                    "bä\\\n\x1b"
                    "€😀a"));
  assert_int_equal(f.vocabulary->size, 8);
  restore(&f);
  EXPECT_IDS(&f, "ab\n😀ä€\\", 3, 4, 0, 7, 5, 6, 2);
  expect_decoded(&f, "ab\n😀ä€\\");
  const gt_text_view unknown = text_of("ab\nax");
  assert_false(encode(&f, &unknown));
  assert_string_equal(f.error.message,
                      "t.txt:2:2: the character 'x' (U+0078) is not in the vocabulary of 8 characters");
  const gt_text_view bell = text_of("\a");
  assert_false(encode(&f, &bell));
  assert_non_null(strstr(f.error.message, "t.txt:1:1: the character U+0007 is not in"));
  gt_arena_finish(&f.arena);
  assert_false(learn(&f, "char", (gt_vocabulary_options){0}, ""));
  assert_string_equal(f.error.message, "t.txt holds no text");
  gt_arena_finish(&f.arena);
}

/* Text with more than 256 different characters: ids do not fit a byte. */
static void many_characters(void **state) {
  char text[MAX_BYTES] = "";
  size_t n = 0;
  fixture f;
  (void)state;
  for (uint32_t c = 0x400; c < 0x400 + 300; c++) n += gt_utf8_write(c, (uint8_t *)text + n);
  assert_true(learn(&f, "char", (gt_vocabulary_options){0}, text));
  assert_false(gt_vocabulary_is_narrow(f.vocabulary));
  const gt_text_view t = text_of(text);
  assert_true(encode(&f, &t));
  assert_int_equal(f.count, 300);
  assert_int_equal(id_at(&f, 299), 299);
  gt_arena_finish(&f.arena);
}

/* Kind "word": ids of words and punctuation marks, the most frequent first, from 2 on; 0 is <pad>, 1 is
 * <unk>, which stands for unknown words. */
static void words(void **state) {
  fixture f;
  (void)state;
  assert_true(learn(&f, "word", (gt_vocabulary_options){.lower = true},
                    "The cat, the Dog; the cat don't \xE2\x80\x9CÄtsch\xE2\x80\x9D 3rd.\tthe"));
  assert_int_equal(f.vocabulary->size, 2 + 11);
  assert_memory_equal(f.vocabulary->token[2].text, "the", 3);
  assert_memory_equal(f.vocabulary->token[3].text, "cat", 3);
  restore(&f);
  EXPECT_IDS(&f, "THE cat\n, dog äTSCH zebra", 2, 3, 4, 5, 9, 1);
  expect_decoded(&f, "the cat, dog ätsch <unk>");
  EXPECT_IDS(&f, "don't", 7);
  EXPECT_IDS(&f, "<pad> 'the", 1, 1, 1, 1, 2);
  gt_arena_finish(&f.arena);
  assert_true(learn(&f, "word", (gt_vocabulary_options){.size = 4}, "b a b c a b C"));
  assert_int_equal(f.vocabulary->size, 4);
  EXPECT_IDS(&f, "a b c B", 3, 2, 1, 1);
  gt_arena_finish(&f.arena);
  assert_false(learn(&f, "word", (gt_vocabulary_options){0}, " \n\t "));
  assert_string_equal(f.error.message, "t.txt holds no words");
  gt_arena_finish(&f.arena);
}

/* Copies a text of `size` bytes to `memory` and cleans it there. */
static bool clean(gt_text_view *text, uint8_t *memory, const char *kind, const char *data, size_t size,
                  gt_error *error) {
  memcpy(memory, data, size);
  *error = (gt_error){0};
  *text = (gt_text_view){memory, size, "t.txt", NULL};
  return gt_text_clean(gt_tokenizer_find(kind), text, error);
}
#define CLEAN(kind, data) clean(&text, memory, kind, data, sizeof(data) - 1, &error)

/* Cleaning removes a byte order mark, turns CR LF into LF, and rejects invalid UTF-8 and NUL bytes. Text of
 * kind "byte" stays as it is. */
static void cleaning(void **state) {
  uint8_t memory[64];
  gt_text_view text;
  gt_error error;
  (void)state;
  assert_true(CLEAN("char", "\xEF\xBB\xBFone\r\ntwo\rthree\r\n\r"));
  assert_int_equal(text.size, 15);
  assert_memory_equal(text.data, "one\ntwo\rthree\n\r", 15);
  assert_true(CLEAN("byte", "\xEF\xBB\xBF\r\n\0\xff"));
  assert_int_equal(text.size, 7);
  assert_false(CLEAN("char", "one\ntw\xC3"));
  assert_non_null(strstr(error.message, "t.txt:2:3: byte 0xc3 is not valid UTF-8"));
  assert_false(CLEAN("word", "\xED\xA0\x80")); /* a surrogate */
  assert_false(CLEAN("word", "\xC0\x80"));
  assert_false(CLEAN("word", "\xF5\x80\x80\x80"));
  assert_false(CLEAN("char", "a\n\nb\0c"));
  assert_non_null(strstr(error.message, "t.txt:3:2: a NUL byte in a text"));
  /* Cleaning a text in place does not change the line numbers of later texts in the same memory. */
  int64_t line, column;
  memcpy(memory, "a\r\nb\r\n,z", 8);
  text = (gt_text_view){memory, 6, "t.txt", memory};
  assert_true(gt_text_clean(gt_tokenizer_find("char"), &text, &error));
  gt_text_place(&(gt_text_view){memory + 7, 1, "t.txt", memory}, 0, &line, &column);
  assert_true(line == 3 && column == 2);
  /* A CR alone also ends a line, and CR LF ends only one. */
  const gt_text_view with_cr = text_of("a\rb\r\n\rxy");
  gt_text_place(&with_cr, 7, &line, &column);
  assert_true(line == 4 && column == 2);
}

/* JSON that is no valid vocabulary, or that gtrain would not write. */
static void foreign_json(void **state) {
  static const char *const bad[] = {
      "{}",
      "{\"kind\": \"char\"}",
      "{\"kind\": \"morse\", \"tokens\": []}",
      "{\"kind\": \"char\", \"tokens\": []}",
      "{\"kind\": \"char\", \"tokens\": [\"b\", \"a\"]}",
      "{\"kind\": \"char\", \"tokens\": [\"a\", \"a\"]}",
      "{\"kind\": \"char\", \"tokens\": [\"ab\"]}",
      "{\"kind\": \"char\", \"tokens\": [\"\"]}",
      "{\"kind\": \"char\", \"tokens\": [\"\\\\x00\"]}",
      "{\"kind\": \"char\", \"tokens\": [\"\\\\xff\"]}",
      "{\"kind\": \"char\", \"tokens\": [\"\\\\\"]}",
      "{\"kind\": \"char\", \"tokens\": [\"\\\\x4\"]}",
      "{\"kind\": \"char\", \"tokens\": [\"\\\\y41\"]}",
      "{\"kind\": \"char\", \"tokens\": [7]}",
      "{\"kind\": \"word\", \"tokens\": [\"<pad>\"]}",
      "{\"kind\": \"word\", \"tokens\": [\"<pad>\", \"<unk>\"]}",
      "{\"kind\": \"word\", \"tokens\": [\"a\", \"b\"]}",
      "{\"kind\": \"word\", \"tokens\": [\"<pad>\", \"<unk>\", \"a\", \"a\"]}",
  };
  gt_arena arena;
  (void)state;
  gt_arena_init(&arena);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    json_t *json = json_loads(bad[i], 0, NULL);
    assert_non_null(json);
    if (gt_vocabulary_from_json(json, &arena)) fail_msg("accepted: %s", bad[i]);
    json_decref(json);
  }
  gt_arena_finish(&arena);
}

/* Random bytes: each text is either rejected, or encoded and decoded without a change. */
static void random_bytes(void **state) {
  static const uint8_t frequent_bytes[] = {'a',  'b',  ' ',  '\n', '\r', 0xC3, 0xA4,
                                           0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80};
  int accepted = 0;
  (void)state;
  for (uint32_t round = 0; round < 3000; round++) {
    uint8_t memory[16], out[64];
    const size_t size = 1 + gt_random_bits(1, 1, round, 100) % 8;
    for (uint32_t i = 0; i < size; i++) {
      const uint32_t bits = gt_random_bits(1, 1, round, i);
      memory[i] = bits & 0xF00 ? frequent_bytes[bits % sizeof frequent_bytes] : (uint8_t)(bits >> 24);
    }
    gt_text_view text = {memory, size, "t", NULL};
    fixture f = {0};
    if (!gt_text_clean(gt_tokenizer_find("char"), &text, &f.error)) continue;
    gt_arena_init(&f.arena);
    f.vocabulary =
        gt_vocabulary_learn(gt_tokenizer_find("char"), (gt_vocabulary_options){0}, &text, &f.arena, &f.error);
    assert_int_equal(f.vocabulary != NULL, text.size > 0);
    if (f.vocabulary) {
      restore(&f);
      assert_true(encode(&f, &text));
      assert_int_equal(decode(&f, out), text.size);
      assert_memory_equal(out, text.data, text.size);
      accepted++;
    }
    gt_arena_finish(&f.arena);
  }
  assert_true(accepted > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes),        cmocka_unit_test(characters), cmocka_unit_test(many_characters),
      cmocka_unit_test(words),        cmocka_unit_test(cleaning),   cmocka_unit_test(foreign_json),
      cmocka_unit_test(random_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
