/* Generation of text: tokens drawn from probabilities, and the stream that converts tokens to text. */
#include "train/eval/generate.h"
#include "train/eval/text_stream.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

enum { COUNT = 5, DRAWS = 4000 };
static const float p[COUNT] = {0.05f, 0.4f, 0.1f, 0.4f, 0.05f};

/* Draws DRAWS tokens with ids from `first` on, and expects each token's share of them, up to 4 standard
 * deviations. */
static void expect_shares(gt_draw_options options, int32_t first, const double *share) {
  int drawn[COUNT] = {0};
  for (uint32_t i = 0; i < DRAWS; i++) drawn[gt_draw_token(p, COUNT, first, &options, 2, i)]++;
  for (int i = 0; i < COUNT; i++) {
    const double error = 4 * sqrt(share[i] * (1 - share[i]) / DRAWS);
    if (fabs((double)drawn[i] / DRAWS - share[i]) > error)
      fail_msg("token %d: %d of %d draws, expected %g", i, drawn[i], DRAWS, share[i]);
  }
}
#define EXPECT_SHARES(first, options, ...) \
  expect_shares((gt_draw_options)options, first, (const double[COUNT]){__VA_ARGS__})
#define OPTIONS(...) \
  { .top_p = 1, .seed = 3, __VA_ARGS__ }

static void draws(void **state) {
  (void)state;
  EXPECT_SHARES(0, OPTIONS(.temperature = 1), 0.05, 0.4, 0.1, 0.4, 0.05);
  EXPECT_SHARES(0, OPTIONS(.temperature = 0), 0, 1, 0, 0, 0);
  EXPECT_SHARES(0, OPTIONS(.temperature = 1e-3), 0, 0.5, 0, 0.5, 0);
  EXPECT_SHARES(0, OPTIONS(.temperature = 0.5), 1. / 134, 64. / 134, 4. / 134, 64. / 134, 1. / 134);
  EXPECT_SHARES(0, OPTIONS(.temperature = 1e6), 0.2, 0.2, 0.2, 0.2, 0.2);
  EXPECT_SHARES(0, OPTIONS(.temperature = 1, .top_k = 1), 0, 1, 0, 0, 0);
  EXPECT_SHARES(0, OPTIONS(.temperature = 1, .top_k = 3), 0, 4. / 9, 1. / 9, 4. / 9, 0);
  EXPECT_SHARES(0, OPTIONS(.temperature = 1, .top_k = 100), 0.05, 0.4, 0.1, 0.4, 0.05);
  EXPECT_SHARES(2, OPTIONS(.temperature = 1), 0, 0, 0.1 / 0.55, 0.4 / 0.55, 0.05 / 0.55);
  EXPECT_SHARES(2, OPTIONS(.temperature = 0), 0, 0, 0, 1, 0);
  const gt_draw_options two_tokens = {.temperature = 1, .top_p = 0.79, .seed = 1};
  expect_shares(two_tokens, 0, (const double[COUNT]){0, 0.5, 0, 0.5, 0});
  const gt_draw_options one_token = {.temperature = 1, .top_p = 1e-9, .seed = 1};
  expect_shares(one_token, 0, (const double[COUNT]){0, 1, 0, 0, 0});
}

/* The same seed, text and place give the same token; another seed or another text gives others. */
static void seeds(void **state) {
  const gt_draw_options one = {.temperature = 1, .top_p = 1, .seed = 1},
                        two = {.temperature = 1, .top_p = 1, .seed = 2};
  int differ[2] = {0};
  (void)state;
  for (uint32_t i = 0; i < 100; i++) {
    const int32_t id = gt_draw_token(p, COUNT, 0, &one, 0, i);
    assert_int_equal(id, gt_draw_token(p, COUNT, 0, &one, 0, i));
    differ[0] += id != gt_draw_token(p, COUNT, 0, &two, 0, i);
    differ[1] += id != gt_draw_token(p, COUNT, 0, &one, 1, i);
  }
  assert_true(differ[0] > 30 && differ[1] > 30);
}

typedef struct output {
  char text[256];
  size_t length;
} output;

static bool append(void *context, const uint8_t *text, size_t length, gt_error *error) {
  output *out = context;
  (void)error;
  memcpy(out->text + out->length, text, length);
  out->text[out->length += length] = 0;
  return true;
}

/* Streams bytes as tokens; returns how many were consumed until the stop text was found or the text ended. */
static size_t stream_bytes(const char *text, const char *stop, const char *expected) {
  gt_arena arena;
  gt_error error = {0};
  output out = {.length = 0};
  gt_text_stream s;
  size_t n = 0;
  gt_arena_init(&arena);
  const gt_text_view empty = {NULL, 0, "", NULL};
  gt_text_stream_open(
      &s, gt_vocabulary_learn(gt_tokenizer_find("byte"), (gt_vocabulary_options){0}, &empty, &arena, &error),
      stop, append, &out);
  while (text[n] && !s.stopped) {
    assert_true(gt_text_stream_add(&s, -1, (uint8_t)text[n], &error));
    n++;
  }
  assert_true(gt_text_stream_end(&s, &error));
  assert_string_equal(out.text, expected);
  gt_text_stream_close(&s);
  gt_arena_finish(&arena);
  return n;
}

static void characters(void **state) {
  (void)state;
  stream_bytes("aé€😀b", NULL, "aé€😀b");
  stream_bytes("a\xE2\x82", NULL, "a\xEF\xBF\xBD"); /* cut off at the end */
  stream_bytes("\xE2\x82x\xFFy\x80", "", "\xEF\xBF\xBD\xEF\xBF\xBDx\xEF\xBF\xBDy\xEF\xBF\xBD");
  stream_bytes("", NULL, "");
}

/* The text ends before the stop text. If the stop text starts inside a character, that character is
 * incomplete. */
static void stops(void **state) {
  (void)state;
  assert_int_equal(stream_bytes("one two three", "two", "one "), 7);
  assert_int_equal(stream_bytes("ababac", "abac", "ab"), 6);
  assert_int_equal(stream_bytes("aab", "b", "aa"), 3);
  assert_int_equal(stream_bytes("one tw", "two", "one tw"), 6);
  assert_int_equal(stream_bytes("é", "\xA9", "\xEF\xBF\xBD"), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(draws), cmocka_unit_test(seeds),
                                     cmocka_unit_test(characters), cmocka_unit_test(stops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
