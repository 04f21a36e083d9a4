/* Texts, Unicode, arenas, memory, errors and GTRAIN_DEBUG. */
#include "base/text.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/unicode.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void test_nearest(void **state) {
  (void)state;
  static const char *const names[] = {"units",
                                      "bias",
                                      "weight_decay",
                                      "batch_size",
                                      "relu",
                                      "cross_entropy",
                                      "lr",
                                      "leaky_relu",
                                      "erf",
                                      "bce",
                                      "cpu",
                                      "conv2d",
                                      "11",
                                      "min_lr",
                                      "kaiming_normal",
                                      "kaiming_uniform"};
  static const struct {
    const char *word, *best;
  } rows[] = {
      {"unitz", "units"},
      {"unist", "units"},
      {"Units", "units"},
      {"bais", "bias"},
      {"weight-decay", "weight_decay"},
      {"crossentropy", "cross_entropy"},
      {"batch", "batch_size"},
      /* Too different from every name; an edit of the first letter counts twice. */
      {"inits", NULL},
      {"adaptive_batch_size", NULL},
      {"gru", NULL},
      {"ce", NULL},
      {"gpu", NULL},
      {"wd", NULL},
      {"learning_rate", NULL},
      /* Different digits, or only a number. */
      {"conv3d", NULL},
      {"12", NULL},
      {"0.1", NULL},
      {"relu6", NULL},
      {"max_lr", NULL},  /* the opposite of min_lr */
      {"kaiming", NULL}, /* two equally likely candidates */
      {"kaiming_norm", "kaiming_normal"},
      {"conv2", "conv2d"},
      {"xyzzy", NULL},
      {"q", NULL},
      {"", NULL},
      {"rellu", "relu"},
      {"relu ", "relu"},
      {"leakyrelu", "leaky_relu"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *got = gt_nearest(rows[i].word, names, sizeof names / sizeof *names);
    if (!rows[i].best) {
      assert_null(got);
    } else {
      assert_non_null(got);
      assert_string_equal(got, rows[i].best);
    }
  }
  char huge[1000];
  memset(huge, 'x', sizeof huge);
  huge[sizeof huge - 1] = 0;
  assert_null(gt_nearest(huge, names, 2));
}

static void test_shell_word(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  static const struct {
    const char *word, *quoted;
  } rows[] = {
      {"runs/xor-1", "runs/xor-1"}, {"", "''"},         {"a b", "'a b'"},
      {"it's", "'it'\\''s'"},       {"'", "''\\'''"},   {"-x", "-x"},
      {"$HOME", "'$HOME'"},         {"a\nb", "'a\nb'"}, {"~", "'~'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_string_equal(gt_shell_word(&arena, rows[i].word), rows[i].quoted);
  gt_arena_finish(&arena);
}

static void test_human_readable(void **state) {
  (void)state;
  char b[32];
  assert_string_equal(gt_human_count(535818, b), "535.8 k");
  assert_string_equal(gt_human_count(1.2e9, b), "1.2 G");
  assert_string_equal(gt_human_count(512, b), "512");
  assert_string_equal(gt_human_count(999999, b), "1.0 M");
  assert_string_equal(gt_human_count(0, b), "0");
  assert_string_equal(gt_human_bytes(1572864, b), "1.5 MiB");
  assert_string_equal(gt_human_bytes(100, b), "100 B");
}

/* Values of 64-bit FNV-1a from the test vectors of its authors. */
static void test_hash(void **state) {
  (void)state;
  assert_true(gt_hash(GT_HASH_START, "a", 1) == 0xaf63dc4c8601ec8cull);
  assert_true(gt_hash(gt_hash(GT_HASH_START, "foo", 3), "bar", 3) == 0x85944171f73967e8ull);
}

/* Allocations of many sizes are aligned, filled with zeros, and do not overlap. */
static void test_arena(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  unsigned char *block[200];
  for (int i = 0; i < 200; i++) {
    const size_t size = (size_t)(i * i * 7 % 60000);
    block[i] = gt_arena_alloc(&arena, size);
    assert_int_equal((uintptr_t)block[i] % 16, 0);
    for (size_t k = 0; k < size; k++) assert_int_equal(block[i][k], 0);
    memset(block[i], i, size);
  }
  for (int i = 0; i < 200; i++)
    if (i * i * 7 % 60000) assert_int_equal(block[i][i * i * 7 % 60000 - 1], i);
  assert_string_equal(gt_arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
  assert_string_equal(gt_arena_strndup(&arena, "hello", 2), "he");
  gt_arena_finish(&arena);
  gt_arena_finish(&arena); /* has no effect the second time */
}

static void test_memory(void **state) {
  (void)state;
  gt_error e = {0};
  void *p;
  assert_true(gt_try_alloc(&p, 10, 10, "test", &e));
  assert_int_equal((uintptr_t)p % 64, 0);
  free(p);
  assert_true(gt_try_alloc(&p, 0, 8, "test", &e));
  free(p);
  assert_false(gt_try_alloc(&p, UINT64_MAX, 16, "test", &e));
  assert_int_equal(e.status, GT_ERR_MEMORY);
  e = (gt_error){0};
  assert_false(gt_try_alloc(&p, 1ull << 50, 8, "test", &e));
  assert_int_equal(e.status, GT_ERR_MEMORY);
  assert_null(p);
  struct {
    int *items;
    size_t count, capacity;
  } vec = {0};
  for (int i = 0; i < 100; i++) *GT_PUSH(&vec) = i;
  assert_int_equal(vec.count, 100);
  assert_int_equal(vec.items[99], 99);
  free(vec.items);
}

/* The first error is kept. */
static void test_error(void **state) {
  (void)state;
  gt_error e = {0};
  errno = ENOENT;
  assert_false(gt_fail_errno(&e, GT_ERR_IO, "cannot open %s", "x"));
  assert_false(gt_fail(&e, GT_ERR_DATA, "later"));
  assert_int_equal(e.status, GT_ERR_IO);
  assert_string_equal(e.message, "cannot open x: No such file or directory");
  assert_false(gt_fail(NULL, GT_ERR_DATA, "not recorded"));
}

static void test_debug(void **state) {
  (void)state;
  setenv("GTRAIN_DEBUG", "validation,plan", 1);
  assert_true(gt_debug("validation") && gt_debug("plan"));
  assert_false(gt_debug("pla"));
  assert_false(gt_debug("graph"));
  unsetenv("GTRAIN_DEBUG");
  assert_false(gt_debug("plan"));
}

static void test_put_text(void **state) {
  (void)state;
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  gt_put_text(stream,
              "grün\t\x1b[2J\x7f\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xff\xc0\x80 \xf0\x9f\x98\x80\xe2\x82");
  fclose(stream);
  assert_string_equal(text,
                      "grün\t\\x1b[2J\\x7f\\x9b\\u202e\\u2066\\xff\\xc0\\x80 \xf0\x9f\x98\x80\\xe2\\x82");
  free(text);
}

static void test_escape_name(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  assert_string_equal(gt_escape_name(&arena, "grün\n\t\u200b\ufeff\x1b\U000e0001\xff\u0915\u093f e\u0301"),
                      "grün\\x0a\\x09\\u200b\\ufeff\\x1b\\ue0001\\xff\u0915\u093f e\u0301");
  gt_arena_finish(&arena);
}

static void test_width(void **state) {
  (void)state;
  assert_int_equal(gt_text_width("grün"), 4);
  assert_int_equal(gt_text_width("gru\u0308n 漢字 \U0001F600\u2705"), 14);
  assert_int_equal(gt_text_width("\x1b\u202e"), 10); /* as displayed: \x1b\u202e */
  assert_int_equal(gt_padding(6, "漢字"), 2);
  assert_int_equal(gt_padding(3, "漢字"), 0);
}

static void check_nfc(const char *text, const char *composed) {
  char *found = gt_nfc(text, strlen(text));
  if (composed)
    assert_string_equal(found, composed);
  else
    assert_null(found);
  free(found);
}

static void test_nfc(void **state) {
  (void)state;
  gt_arena arena;
  check_nfc("cafe\u0301", "caf\u00e9");
  check_nfc("caf\u00e9", NULL);
  check_nfc("cafe", NULL);
  check_nfc("", NULL);
  check_nfc("\u0438\u0306 \u1112\u1161\u11ab", "\u0439 \ud55c"); /* Cyrillic, Hangul */
  check_nfc("o\u0323\u0302", "\u1ed9");
  check_nfc("o\u0302\u0323", "\u1ed9");
  check_nfc("e\u0301\xff", NULL);
  assert_null(gt_nfc("e\u0301\0x", 5));
  gt_arena_init(&arena);
  const char *same = "tea";
  assert_ptr_equal(gt_nfc_in(&arena, same), same);
  assert_string_equal(gt_nfc_in(&arena, "e\u0301"), "\u00e9");
  gt_arena_finish(&arena);
}

static void test_list(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  gt_list list = gt_list_open(&arena, 2);
  assert_string_equal(gt_list_more(&list), "");
  gt_list_add(&list, "'%s'", "a, b");
  gt_list_add(&list, "%d", 2);
  assert_string_equal(gt_list_more(&list), "'a, b', 2");
  assert_string_equal(gt_list_text(&list, ", …"), "'a, b', 2");
  for (int i = 3; i < 6; i++) gt_list_add(&list, "%d", i);
  assert_int_equal(list.count, 5);
  assert_string_equal(gt_list_more(&list), "'a, b', 2 and 3 more");
  assert_string_equal(gt_list_text(&list, ", …"), "'a, b', 2, …");
  assert_string_equal(gt_list_of(&arena, (const char *const[]){"", "x"}, 2), ", x");
  gt_arena_finish(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nearest),        cmocka_unit_test(test_shell_word),
      cmocka_unit_test(test_human_readable), cmocka_unit_test(test_hash),
      cmocka_unit_test(test_arena),          cmocka_unit_test(test_memory),
      cmocka_unit_test(test_error),          cmocka_unit_test(test_debug),
      cmocka_unit_test(test_put_text),       cmocka_unit_test(test_escape_name),
      cmocka_unit_test(test_width),          cmocka_unit_test(test_nfc),
      cmocka_unit_test(test_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
