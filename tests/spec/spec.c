/* Parsing: limits, unsupported syntax and syntax errors, each at its exact position. */
#include "spec/spec.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gt_arena arena;
static gt_diagnostics found;

static gt_spec *parse(const char *text, size_t size) {
  gt_arena_finish(&arena);
  gt_arena_init(&arena);
  gt_diagnostics_init(&found, &arena);
  return gt_spec_parse(&arena, "c.yaml", text, size, &found);
}

static void test_tree(void **state) {
  (void)state;
  const char *text = "# comment\na: 1\nb:\n  - x\n  - \"10\"\n  - {k: 'it''s', l: }\nc: |\n  line\n";
  gt_spec *root = parse(text, strlen(text));
  assert_non_null(root);
  assert_int_equal(root->kind, GT_SPEC_MAP);
  assert_int_equal(root->count, 3);
  gt_spec *b = gt_spec_find(root, "b");
  assert_int_equal(b->kind, GT_SPEC_SEQUENCE);
  assert_int_equal(b->key_at.line, 3);
  assert_int_equal(b->count, 3);
  assert_false(b->child[0]->quoted);
  assert_true(b->child[1]->quoted);
  assert_string_equal(b->child[1]->scalar, "10");
  assert_int_equal(b->child[1]->at.line, 5);
  assert_int_equal(b->child[1]->at.column, 5);
  assert_int_equal(b->child[1]->at.width, 4);
  assert_string_equal(b->child[1]->at.line_text, "  - \"10\"");
  assert_string_equal(gt_spec_find(b->child[2], "k")->scalar, "it's");
  assert_true(gt_spec_is_null(gt_spec_find(b->child[2], "l")));
  assert_string_equal(gt_spec_find(root, "c")->scalar, "line\n");
  assert_true(gt_spec_find(root, "c")->quoted);
  assert_null(gt_spec_find(root, "d"));
}

static void test_empty(void **state) {
  (void)state;
  static const char *const texts[] = {"", "\n", "# nothing\n", "---\n", "\xEF\xBB\xBF"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    gt_spec *root = parse(texts[i], strlen(texts[i]));
    assert_non_null(root);
    assert_true(root->kind == GT_SPEC_MAP || gt_spec_is_null(root));
    assert_int_equal(found.errors, 0);
  }
}

/* Columns count characters, but not the byte order mark. U+2028 does not end a line, as in editors. */
static void test_characters(void **state) {
  (void)state;
  const char *text = "\xEF\xBB\xBF"
                     "ä: [é, €, x]\r\nb: \"\xE2\x80\xA8\"\r\nc: [q]\r\n";
  gt_spec *root = parse(text, strlen(text));
  assert_non_null(root);
  gt_spec *list = root->child[0];
  assert_int_equal(list->key_at.column, 1);
  assert_int_equal(list->child[1]->at.column, 8);
  assert_int_equal(list->child[2]->at.column, 11);
  assert_string_equal(list->at.line_text, "ä: [é, €, x]");
  assert_int_equal(gt_spec_find(root, "c")->child[0]->at.line, 3);
  assert_int_equal(gt_spec_find(root, "c")->child[0]->at.column, 5);
}

typedef struct bad {
  const char *text;
  int line, column;
  const char *part;     /* of the message */
  const char *expected; /* part of the diagnostic's `expected` or of its suggestion */
} bad;

static void test_errors(void **state) {
  (void)state;
  static const bad rows[] = {
      {"a: 1\nunits:10\nb: 2\n", 2, 6, "no space after the ':' of key 'units'", "units: 10"},
      {"a:\n\tb: 1\n", 2, 1, "tab", "spaces"},
      {"a:\n  b: 1\n  \tc: 2\n", 3, 3, "tab", "spaces"},
      {"a: [1, 2\nb: 3\n", 1, 4, "'[' is not closed", "']'"},
      {"a: {x: 1\nb: 3\n", 1, 4, "'{' is not closed", "'}'"},
      {"a: \"abc\nb: 3\n", 1, 4, "quote is never closed", "quote"},
      {"a: 'abc\n", 1, 4, "quote is never closed", "quote"},
      {"a: b: c\n", 1, 5, "second ':'", "quotes"},
      {"a: 1\n  b: 2\n", 2, 3, "'b' is indented", "same column"},
      {"a:\n   b: 1\n  c: 2\n", 3, 3, "indentation", "same column"},
      {"a:\n  - x\n  y: 1\n", 3, 3, "list above", "'- '"},
      {"l:\n  -linear: 10\n  - relu\n", 2, 3, "no space after the '-'", "- linear: 10"},
      {"l:\n  -linear: 10\n  -relu\n  -linear: 5\n", 2, 3, "no space after the '-'", "- linear: 10"},
      {"a: 1\nb\nc: 2\n", 2, 1, "':' is missing after 'b'", "key: value"},
      {"a: @x\n", 1, 4, "cannot start with '@'", "quotes"},
      {"a: \"x\" y\n", 1, 8, "after the end of the value", "quotes"},
      {"a: [1]]\n", 1, 7, "this ']' has no opening bracket", "bracket"},
      {"a: &q 1\n", 1, 4, "anchors", "written out"},
      {"a: *q\n", 1, 4, "aliases", "written out"},
      {"a: !!int 3\n", 1, 4, "tags", "plain"},
      {"a: 1\n---\nb: 2\n", 2, 1, "second document", "a single document"},
      {"b: 1\na: 1\nb: 2\n", 3, 1, "'b' is given twice", "1:1"},
      {"x: {b: 1, b: 2}\n", 1, 11, "'b' is given twice", "1:5"},
      {"? [x]\n: 1\n", 1, 3, "cannot be a key", "word"},
      {"a: \"\\q\"\n", 1, 5, "unknown escape", "single quotes"},
      {"a: é\xff\n", 1, 5, "0xff is not valid UTF-8", "UTF-8"},
      {"a: \xed\xa0\x80\n", 1, 4, "not valid UTF-8", "UTF-8"},
      {"a: \xc0\xaf\n", 1, 4, "not valid UTF-8", "UTF-8"},
      {"a: 1\nb: x\001\n", 2, 5, "control character 0x01", "text"},
      {"a: \"\\0\"\n", 1, 4, "NUL", "text"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    parse(rows[i].text, strlen(rows[i].text));
    if (!found.errors) fail_msg("accepted: %s", rows[i].text);
    const gt_diagnostic *d = &found.items[0];
    if (d->at.line != rows[i].line || d->at.column != rows[i].column || !strstr(d->message, rows[i].part))
      fail_msg("%s: %d:%d: %s", rows[i].text, d->at.line, d->at.column, d->message);
    if (!(d->expected && strstr(d->expected, rows[i].expected)) &&
        !(d->suggestion && strstr(d->suggestion, rows[i].expected)))
      fail_msg("%s: expected %s; %s", rows[i].text, d->expected, d->suggestion);
  }
}

static void test_binary(void **state) {
  (void)state;
  assert_null(parse("a: 1\nb\0c", 8));
  assert_int_equal(found.items[0].at.line, 2);
  assert_int_equal(found.items[0].at.column, 2);
  assert_non_null(strstr(found.items[0].message, "NUL"));
  assert_null(parse("\xFF\xFE"
                    "a\0:\0",
                    6));
  assert_non_null(strstr(found.items[0].message, "UTF-16"));
}

static void test_limits(void **state) {
  (void)state;
  enum { SIZE = (1 << 20) + 1 };
  char *text = malloc(SIZE + 1);
  memset(text, ' ', SIZE);
  assert_null(parse(text, SIZE));
  assert_non_null(strstr(found.items[0].message, "too large"));
  memset(text, '[', SIZE - 1); /* nested deeply in brackets: the 65th is an error */
  assert_null(parse(text, SIZE - 1));
  assert_non_null(strstr(found.items[0].message, "nested too deeply"));
  assert_int_equal(found.items[0].at.column, 65);
  for (int i = 0; i < SIZE - 1; i++) text[i] = i % 2 ? ' ' : '-'; /* by "- - - …" */
  assert_null(parse(text, SIZE - 1));
  assert_int_equal(found.items[0].at.column, 129);
  for (int i = 0; i < SIZE - 1; i++) text[i] = i % 2 ? 'x' : ',';
  text[0] = '[';
  assert_null(parse(text, SIZE - 1));
  assert_non_null(strstr(found.items[0].message, "too many values"));
  /* A depth of exactly 64 is valid. */
  memset(text, '[', 64);
  memset(text + 64, ']', 64);
  assert_non_null(parse(text, 128));
  free(text);
}

/* Many keys, half of them duplicates: all errors are counted and 100 kept, without taking quadratic time. */
static void test_many_keys(void **state) {
  (void)state;
  char *text = malloc(1 << 20), *end = text;
  for (int i = 0; i < 49000; i++) end += sprintf(end, "k%d: \n", i % 24500);
  assert_non_null(parse(text, (size_t)(end - text)));
  assert_int_equal(found.errors, 24500);
  assert_int_equal(found.count, 100);
  free(text);
}

/* Every prefix of a text, and every change of one byte to every third value, is either parsed or an error. */
static void test_damaged(void **state) {
  (void)state;
  char text[] =
      "a: {b: [1, 2.5, \"x\n\"], 'c': |\n  }\nd:\n  - e: >\n      f\n    g: ~ # h\n  - ? i\n    : j\n...\n";
  const size_t size = sizeof text - 1;
  for (size_t n = 0; n <= size; n++) assert_true(parse(text, n) || found.errors);
  for (size_t i = 0; i < size; i++)
    for (int c = 0; c < 256; c += 3) {
      const char old = text[i];
      text[i] = (char)c;
      assert_true(parse(text, size) || found.errors);
      text[i] = old;
    }
}

static void test_file(void **state) {
  (void)state;
  gt_error error = {0};
  parse("", 0);
  assert_null(gt_spec_read(&arena, "/no/such/file.yaml", &found, &error));
  assert_int_equal(error.status, GT_ERR_IO);
  error = (gt_error){0};
  assert_null(gt_spec_read(&arena, "/dev/zero", &found, &error));
  assert_int_equal(error.status, GT_ERR_CONFIG);
}

/* The '^' is below the key although characters have a width of 0, 1 or 2 columns of the terminal. */
static void test_print(void **state) {
  (void)state;
  const char *text = "x: 1\nwörld: {ü: 漢字✅\u05b0, q: 1, q: 2}\n";
  parse(text, strlen(text));
  gt_error_at(&found, (gt_position){.file = "c.yaml"}, "of the whole file")->suggestion = "this";
  char *out;
  size_t size;
  FILE *stream = open_memstream(&out, &size);
  gt_diagnostics_print(&found, stream);
  fclose(stream);
  assert_string_equal(out, "c.yaml: error: of the whole file\n"
                           "    did you mean 'this'?\n"
                           "c.yaml:2:24: error: key 'q' is given twice\n"
                           "      2 | wörld: {ü: 漢字✅\u05b0, q: 1, q: 2}\n"
                           "        |                          ^\n"
                           "    expected each key once; the first 'q' is at 2:18\n");
  free(out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tree),   cmocka_unit_test(test_empty),     cmocka_unit_test(test_characters),
      cmocka_unit_test(test_errors), cmocka_unit_test(test_binary),    cmocka_unit_test(test_limits),
      cmocka_unit_test(test_file),   cmocka_unit_test(test_many_keys), cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_print),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gt_arena_finish(&arena);
  return failed;
}
