/* Trees written as YAML and parsed again, and overrides (--set). */
#include "spec/spec.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static gt_arena arena;
static gt_diagnostics found;

static gt_spec *parse(const char *text) {
  return gt_spec_parse(&arena, "c.yaml", text, strlen(text), &found);
}

static int set_up(void **state) {
  (void)state;
  gt_arena_init(&arena);
  gt_diagnostics_init(&found, &arena);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  gt_arena_finish(&arena);
  return 0;
}

/* Equal, except that words that were not quoted in `a` may be quoted in `b`. */
static void assert_equal(const gt_spec *a, const gt_spec *b) {
  assert_int_equal(a->kind, b->kind);
  if (a->kind == GT_SPEC_SCALAR) {
    assert_string_equal(a->scalar, b->scalar);
    if (a->quoted) assert_true(b->quoted);
    return;
  }
  assert_int_equal(a->count, b->count);
  for (int i = 0; i < a->count; i++) {
    if (a->kind == GT_SPEC_MAP) assert_string_equal(a->child[i]->key, b->child[i]->key);
    assert_equal(a->child[i], b->child[i]);
  }
}

static void round_trip(const gt_spec *tree) {
  char *text = gt_spec_write(&arena, tree);
  found.count = found.errors = 0;
  const gt_spec *again = parse(text);
  if (!again || found.errors) fail_msg("cannot be read back (%s):\n%s", found.items[0].message, text);
  assert_equal(tree, again);
}

static const char *const awkward[] = {
    "",
    " ",
    "a b",
    " lead",
    "trail ",
    "a: b",
    "a:",
    ":a",
    "#x",
    "a #b",
    "a#b",
    "- x",
    "-",
    "-5",
    "-.5",
    "--",
    "---",
    "...",
    "--- a",
    "?",
    "? x",
    "?x",
    "null",
    "~",
    "true",
    "10",
    "0x1F",
    "1e3",
    "[a]",
    "{a}",
    "a, b",
    "a]",
    "x'y",
    "\"q\"",
    "'q'",
    "a\nb",
    "\n",
    "a\n",
    "\ta",
    "a\tb",
    "a\\nb",
    "\\",
    "%x",
    "@x",
    "`x",
    "&x",
    "*x",
    "!x",
    "|",
    ">",
    "é",
    "漢字",
    "😀",
    "\xC2\x85x",
    "\xE2\x80\xA8",
    "\xEF\xBB\xBF",
    "a\xEF\xBB\xBF",
    "\x7f",
    "a\rb",
    "\x1b[31m",
    "\xC2\x9b",
    "=",
    "<<",
    "http://x.y/z?a=b&c",
    "a:b",
    "exp(sin(pi*x0) + x1^2)",
    "C:\\dir",
    "\xEF\xBF\xBD",
    "\xEF\xBF\xBF",
};
enum { AWKWARD = sizeof awkward / sizeof *awkward };

static void test_awkward_strings(void **state) {
  (void)state;
  gt_spec *map = gt_spec_new(&arena, GT_SPEC_MAP), *all = gt_spec_new(&arena, GT_SPEC_SEQUENCE);
  for (int i = 0; i < AWKWARD; i++) {
    for (int quoted = 0; quoted < 2; quoted++) {
      gt_spec *text = gt_spec_text(&arena, awkward[i]);
      text->quoted = quoted;
      if (*awkward[i] || quoted) round_trip(text); /* an empty document is read as an empty map */
      gt_spec *list = gt_spec_new(&arena, GT_SPEC_SEQUENCE), *inner = gt_spec_new(&arena, GT_SPEC_SEQUENCE);
      gt_spec_add(&arena, list, NULL, gt_spec_text(&arena, awkward[i]))->quoted = quoted;
      gt_spec_add(&arena, list, NULL, inner);
      gt_spec_add(&arena, inner, NULL, gt_spec_text(&arena, awkward[i]))->quoted = quoted;
      gt_spec_add(&arena, inner, NULL, gt_spec_text(&arena, "x"));
      round_trip(list);
    }
    gt_spec_add(&arena, map, awkward[i], gt_spec_text(&arena, awkward[AWKWARD - 1 - i]));
    gt_spec_add(&arena, all, NULL, gt_spec_text(&arena, awkward[i]));
  }
  round_trip(map);
  round_trip(all);
}

static unsigned random_state = 1;
static unsigned draw(unsigned n) {
  random_state = random_state * 1664525u + 1013904223u;
  return (random_state >> 8) % n;
}

static gt_spec *random_tree(int depth) {
  const unsigned kind = depth > 5 ? 0 : draw(4);
  if (kind < 2) {
    gt_spec *text = gt_spec_text(&arena, awkward[draw(AWKWARD)]);
    text->quoted = draw(2);
    return text;
  }
  /* Indices 7 apart give a map distinct keys. */
  gt_spec *node = gt_spec_new(&arena, kind == 2 ? GT_SPEC_MAP : GT_SPEC_SEQUENCE);
  const unsigned n = draw(5), start = draw(AWKWARD);
  for (unsigned i = 0; i < n; i++)
    gt_spec_add(&arena, node, kind == 2 ? awkward[(start + i * 7) % AWKWARD] : NULL, random_tree(depth + 1));
  return node;
}

static void test_random_trees(void **state) {
  (void)state;
  for (int i = 0; i < 3000; i++) {
    gt_spec *root = random_tree(0);
    if (!gt_spec_is_null(root)) round_trip(root);
    gt_arena_finish(&arena);
    set_up(NULL);
  }
}

/* Text in the style of gt_spec_write does not change. */
static void test_style(void **state) {
  (void)state;
  const char *text = "a: 1\nb:\n  - linear:\n      units: [1, 2]\n  - relu\nc: {}\nd: \"10\"\ne: -0.5\nf:\n";
  assert_string_equal(gt_spec_write(&arena, parse(text)), text);
}

static void test_overrides(void **state) {
  (void)state;
  gt_spec *root = parse("a: 1\nlayers:\n  - linear: {units: 10}\n  - relu\nempty:\n");
  static const char *const assignments[] = {"a=2",
                                            "layers.0.linear.units=20",
                                            "layers.1=tanh",
                                            "layers.0.linear.bias=false",
                                            "new.deep.map=[1, {x: \"y=z\"}]",
                                            "empty.x=é: ü",
                                            "none="};
  for (size_t i = 0; i < sizeof assignments / sizeof *assignments; i++)
    if (!gt_spec_override(&arena, root, assignments[i], NULL, &found)) fail_msg("%s", found.items[0].message);
  assert_string_equal(
      gt_spec_write(&arena, root),
      "a: 2\nlayers:\n  - linear:\n      units: 20\n      bias: false\n  - tanh\nempty:\n  x:\n"
      "    é: ü\nnew:\n  deep:\n    map:\n      - 1\n      - x: \"y=z\"\nnone:\n");
  const gt_spec *units =
      gt_spec_find(gt_spec_find(gt_spec_find(root, "layers")->child[0], "linear"), "units");
  assert_string_equal(units->at.file, "--set");
  assert_int_equal(units->at.column, 23);
  assert_string_equal(units->at.line_text, "layers.0.linear.units=20");
  assert_int_equal(units->key_at.column, 17);
  assert_int_equal(units->key_at.width, 5);
}

static void test_bad_overrides(void **state) {
  (void)state;
  static const struct {
    const char *assignment;
    int column;
    const char *part; /* of the message */
  } rows[] = {
      {"a", 1, "'=' is missing"},
      {"=1", 1, "key is missing"},
      {"b..c=1", 3, "key is missing"},
      {"l.x=1", 3, "names a key"},
      {"l.2=1", 3, "no item 2"},
      {"l.-1=1", 3, "names a key"},
      {"a.b=1", 3, "is a value"},
      {"a=[1", 3, "'[' is not closed"},
      {"a={b: 1, b: 2}", 10, "twice"},
      {"a=*x", 3, "aliases"},
      {"a=\xff", 3, "UTF-8"},
      {"a=@", 3, "cannot start"},
      {"l.99999999999999999999=1", 3, "no item"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tear_down(NULL);
    set_up(NULL);
    gt_spec *root = parse("a: 1\nl: [1, 2]\n");
    gt_spec_override(&arena, root, rows[i].assignment, NULL, &found);
    if (!found.errors) fail_msg("accepted: %s", rows[i].assignment);
    const gt_diagnostic *d = &found.items[0];
    assert_string_equal(d->at.file, "--set");
    if (d->at.line != 1 || d->at.column != rows[i].column || !strstr(d->message, rows[i].part))
      fail_msg("%s: %d:%d: %s", rows[i].assignment, d->at.line, d->at.column, d->message);
  }
}

/* Words and keys for messages and templates, which any YAML parser reads as the text. */
static void test_words(void **state) {
  (void)state;
  static const char *const rows[][3] = {
      /* text, as a word, as a key */
      {"Fare", "Fare", "Fare"},          {"a/b-c.csv", "a/b-c.csv", "'a/b-c.csv'"},
      {"it's", "\"it's\"", "'it''s'"},   {"no", "\"no\"", "no"},
      {"2nd", "\"2nd\"", "'2nd'"},       {"", "\"\"", "''"},
      {"größe", "\"größe\"", "'größe'"}, {"a\nb", "\"a\\nb\"", "'a\nb'"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_string_equal(gt_spec_word(&arena, rows[i][0]), rows[i][1]);
    assert_string_equal(gt_spec_key(&arena, rows[i][0]), rows[i][2]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_awkward_strings, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_random_trees, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_style, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_overrides, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_bad_overrides, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_words, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
