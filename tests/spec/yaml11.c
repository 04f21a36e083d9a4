/* YAML 1.1, which PyYAML, Ruby and many editors implement, and 1.2, which gtrain implements, read some plain
 * words differently: in 1.1, 5e-3 is text, 010 is 8, and `no` is false. The bundled configs and those in the
 * documents must contain none of these words, so that other programs and checks by the JSON Schema read the
 * same values as gtrain. Sources: https://yaml.org/type/{int,float,bool,null,timestamp}.html, and PyYAML's
 * resolver, in which a number with an exponent needs a point and a sign. */
#include "base/file.h"
#include "spec/schema.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind {
  TEXT,
  INTEGER,
  OTHER_INTEGER,
  FLOAT,
  OTHER_FLOAT,
  BOOL,
  OTHER_BOOL,
  TIMESTAMP,
  KINDS
} kind;

/* OTHER_…: notations of 1.1 that some readers of 1.2 read as another type or another number. */
static const char *const patterns[KINDS] = {
    [INTEGER] = "^[-+]?(0|[1-9][0-9_]*)$",
    [OTHER_INTEGER] = "^[-+]?(0b[01_]+|0[0-7_]+|0x[0-9a-fA-F_]+|[1-9][0-9_]*(:[0-5]?[0-9])+)$",
    [FLOAT] = "^[-+]?([0-9][0-9_]*[.][0-9_]*|[.][0-9_]+)([eE][-+][0-9]+)?$",
    [OTHER_FLOAT] = "^([-+]?[0-9][0-9_]*(:[0-5]?[0-9])+[.][0-9_]*|[-+]?[.](inf|Inf|INF)|[.](nan|NaN|NAN))$",
    [BOOL] = "^(true|false)$",
    [OTHER_BOOL] = "^(yes|Yes|YES|no|No|NO|True|TRUE|False|FALSE|on|On|ON|off|Off|OFF)$",
    [TIMESTAMP] = "^[0-9][0-9][0-9][0-9]-[0-9][0-9]?-[0-9][0-9]?([Tt \t]|$)",
};
static regex_t compiled[KINDS];

static kind kind_of(const char *text) {
  for (kind k = INTEGER; k < KINDS; k++)
    if (!regexec(&compiled[k], text, 0, NULL, 0)) return k;
  return TEXT;
}

/* True if readers of both versions read the plain word as the same value. */
static bool is_portable(const gt_spec *node) {
  double number;
  bool flag;
  const kind k = kind_of(node->scalar);
  if (gt_spec_is_null(node)) return true;
  if (gt_spec_float(node, &number)) return k == INTEGER || k == FLOAT;
  return gt_spec_bool(node, &flag) ? k == BOOL : k == TEXT;
}

static int check_words(const gt_spec *node) {
  int words = 0;
  if (node->kind == GT_SPEC_SCALAR && !node->quoted) {
    words++;
    if (!is_portable(node))
      fail_msg("%s:%d:%d: YAML 1.1 reads '%s' differently; write 5.0e-3 for 5e-3, quotes around text",
               node->at.file, node->at.line, node->at.column, node->scalar);
  }
  for (int i = 0; i < node->count; i++) words += check_words(node->child[i]);
  return words;
}

static int check_text(const char *name, const char *text, size_t size) {
  gt_arena arena;
  gt_diagnostics found;
  gt_arena_init(&arena);
  gt_diagnostics_init(&found, &arena);
  const gt_spec *root = gt_spec_parse(&arena, name, text, size, &found);
  if (!root || found.errors) fail_msg("%s: %s", name, found.count ? found.items[0].message : "not YAML");
  const int words = check_words(root);
  gt_arena_finish(&arena);
  return words;
}

static void read(const char *path, gt_bytes *bytes) {
  gt_error error = {0};
  if (!gt_read_file(path, 1 << 20, bytes, &error)) fail_msg("%s", error.message);
}

static void test_is_portable(void **state) {
  (void)state;
  static const char *const different[] = {"5e-3", "1e5", "1.0e5", "1.e3", "010",  "0x10",      "1:30",
                                          "no",   "off", "True",  ".inf", "1E+3", "2026-11-26"},
                           *const same[] = {"5.0e-3", "1.5e+5", "-.5", "3.", "10",  "-7", "true",
                                            "~",      "relu",   "x0",  "y",  "1.0", "0"};
  for (size_t i = 0; i < sizeof different / sizeof *different; i++)
    if (is_portable(&(gt_spec){.scalar = different[i]})) fail_msg("'%s' passes", different[i]);
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    if (!is_portable(&(gt_spec){.scalar = same[i]})) fail_msg("'%s' does not pass", same[i]);
}

static void test_bundled_configs(void **state) {
  (void)state;
  glob_t found;
  gt_bytes bytes;
  assert_int_equal(glob("configs/*.yaml", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    read(found.gl_pathv[i], &bytes);
    assert_true(check_text(found.gl_pathv[i], (const char *)bytes.data, bytes.size) > 0);
    gt_bytes_finish(&bytes);
  }
  globfree(&found);
}

/* Checks the text between ```yaml and ```, and in the whole document that no `key: number` has an exponent
 * without a point before it or without a sign. Returns the number of blocks. */
static int check_document(const char *path) {
  static const char begin[] = "\n```yaml\n", end[] = "\n```\n";
  regex_t wrong;
  regmatch_t match;
  gt_bytes bytes;
  int blocks = 0;
  read(path, &bytes);
  const char *text = (const char *)bytes.data;
  assert_int_equal(
      regcomp(&wrong, "[a-z0-9_]: *[-+]?([0-9]+[eE]|[0-9]*[.][0-9]*[eE][0-9])[^]},]*", REG_EXTENDED), 0);
  if (!regexec(&wrong, text, 1, &match, 0))
    fail_msg("%s: '%.*s' is text to YAML 1.1", path, (int)(match.rm_eo - match.rm_so), text + match.rm_so);
  regfree(&wrong);
  for (const char *block = text; (block = strstr(block, begin)); blocks++) {
    block += sizeof begin - 1;
    const char *close = strstr(block, end);
    assert_non_null(close);
    check_text(path, block, (size_t)(close - block));
  }
  gt_bytes_finish(&bytes);
  return blocks;
}

static void test_documents(void **state) {
  (void)state;
  glob_t pages;
  int blocks = check_document("README.md");
  assert_int_equal(glob("docs/*.md", 0, NULL, &pages), 0);
  for (size_t i = 0; i < pages.gl_pathc; i++) blocks += check_document(pages.gl_pathv[i]);
  globfree(&pages);
  assert_true(blocks > 12);
}

static int set_up(void **state) {
  (void)state;
  for (kind k = INTEGER; k < KINDS; k++)
    if (regcomp(&compiled[k], patterns[k], REG_EXTENDED | REG_NOSUB)) return -1;
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  for (kind k = INTEGER; k < KINDS; k++) regfree(&compiled[k]);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_is_portable),
                                     cmocka_unit_test(test_bundled_configs),
                                     cmocka_unit_test(test_documents)};
  return cmocka_run_group_tests_name("spec: words that YAML 1.1 reads differently", tests, set_up, tear_down);
}
