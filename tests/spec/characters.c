/* Characters that look like others, and texts that are almost numbers: each gives exactly one error, with its
 * position, and with the right spelling as a suggestion if there is one. */
#include "spec/hint.h"
#include "spec/schema.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

typedef struct config {
  int64_t steps;
  double lr;
  bool nesterov;
  const char *kind;
  gt_strings list;
  gt_floats betas;
} config;

static const char *const kinds[] = {"adam", "sgd", NULL};
static const gt_field fields[] = {
    GT_ROW(config, steps, GT_FIELD_INT, .fallback = "1"),
    GT_ROW(config, lr, GT_FIELD_FLOAT, .fallback = "1"),
    GT_ROW(config, nesterov, GT_FIELD_BOOL, .fallback = "false"),
    GT_ROW(config, kind, GT_FIELD_CHOICE, .fallback = "adam", .choices = kinds),
    GT_ROW(config, list, GT_FIELD_STRINGS),
    GT_ROW(config, betas, GT_FIELD_FLOATS),
    {.name = NULL},
};
static const gt_schema schema = {.name = "optimizer", .fields = fields};

#define NBSP "\xC2\xA0"

static const struct {
  const char *text;
  int line, column;
  const char *part;       /* of the message or help */
  const char *suggestion; /* NULL: none */
} rows[] = {
    /* decimal commas and separators of thousands */
    {"lr: 0,001", 1, 5, "decimal comma", "0.001"},
    {"{lr: 0,001}", 1, 6, "decimal comma", "0.001"},
    {"{lr: 0,001, steps: 3}", 1, 6, "decimal comma", "0.001"},
    {"{lr: -1,5e-3}", 1, 6, "decimal comma", "-1.5e-3"},
    {"steps: 2,5", 1, 8, "decimal comma", NULL},
    {"steps: 60,000", 1, 8, "thousands", "60000"},
    {"{steps: 1,000,000}", 1, 9, "thousands", "1000000"},
    {"lr: 1,000", 1, 5, "write 1000 or 1.000", NULL},
    {"lr: 0.1,", 1, 5, "remove the ','", "0.1"},
    {"steps: 10 000", 1, 8, "thousands", "10000"},
    {"steps: 10'000", 1, 8, "thousands", "10000"},
    {"steps: 10" NBSP "000", 1, 8, "no-break space (U+00A0)", "10000"},
    /* texts that are almost numbers or booleans */
    {"steps: None", 1, 8, "'None' is not a number", NULL},
    {"steps: null", 1, 8, "use its default", NULL},
    {"steps:", 1, 7, "use its default", NULL},
    {"lr: nan", 1, 5, "'nan' is not a number", NULL},
    {"lr: '5e-3'", 1, 5, "without quotes", "5e-3"},
    {"lr: 1/4", 1, 5, "arithmetic", "0.25"},
    {"lr: 10^-3", 1, 5, "arithmetic", "0.001"},
    {"steps: 2**10", 1, 8, "arithmetic", "1024"},
    {"steps: 60*2", 1, 8, "arithmetic", "120"},
    {"lr: 10%", 1, 5, "percentage", "0.1"},
    {"steps: 10k", 1, 8, "digits", "10000"},
    {"lr: 1.0f", 1, 5, "remove the 'f'", "1"},
    {"lr: 2*pi", 1, 5, "arithmetic", "6.283185307"},
    {"steps: 3-5", 1, 8, "expected an integer", NULL},
    {"steps: 2.5", 1, 8, "expected an integer", NULL},
    {"steps: 10%", 1, 8, "expected an integer", NULL},
    {"lr: small", 1, 5, "expected a finite number", NULL},
    {"nesterov: yes", 1, 11, "true or false", "true"},
    {"nesterov: Off", 1, 11, "true or false", "false"},
    {"nesterov: None", 1, 11, "true or false", "false"},
    /* lists, pairs and comments in other notations */
    {"betas: (0.9, 0.99)", 1, 8, "square brackets", "[0.9, 0.99]"},
    {"{betas: (0.9, 0.99), lr: 1}", 1, 9, "square brackets", "[0.9, 0.99]"},
    {"betas: 3x4", 1, 8, "square brackets", "[3, 4]"},
    {"betas: 0.9, 0.99", 1, 8, "square brackets", "[0.9, 0.99]"},
    {"{lr = 3}", 1, 2, "unknown key", "lr: 3"},
    {"lr: 1 // high", 1, 5, "expected a finite number", NULL},
    {"{lr: 1} // high", 1, 9, "'//' does not start a comment", NULL},
    /* characters in numbers */
    {"steps: \xEF\xBC\x91\xEF\xBC\x92", 1, 8, "full-width digit (U+FF11)", "12"},
    {"lr: \xE2\x88\x92"
     "0.5",
     1, 5, "minus sign (U+2212)", "-0.5"},
    {"lr: 1e\xE2\x80\x93"
     "3",
     1, 5, "en dash (U+2013)", "1e-3"},
    {"lr: \xD9\xA1", 1, 5, "Arabic-Indic digit", "1"},
    /* characters that look like those of YAML syntax or names, or are invisible */
    {"kind: \xE2\x80\x9C"
     "adam\xE2\x80\x9D",
     1, 7, "typographic quote (U+201C)", NULL},
    {"kind: \xE2\x80\x98"
     "sgd\xE2\x80\x99",
     1, 7, "typographic quote (U+2018)", NULL},
    {"\xE2\x80\x9Ckind\xE2\x80\x9D: sgd", 1, 1, "typographic quote (U+201C)", NULL},
    {"kind: sgd" NBSP, 1, 10, "no-break space (U+00A0)", NULL},
    {"kind:" NBSP "sgd", 1, 6, "no-break space (U+00A0)", NULL},
    {"steps: 1\nkind:" NBSP "sgd", 2, 6, "no-break space (U+00A0)", NULL},
    {"steps: 1\n" NBSP "kind: sgd", 2, 1, "no-break space (U+00A0)", NULL},
    {"steps: 1\n\xE3\x80\x80kind: sgd", 2, 1, "full-width space (U+3000)", NULL},
    {"lr" NBSP ": 1", 1, 3, "no-break space (U+00A0)", NULL},
    {"list:\n  \xE2\x80\x93 a", 2, 3, "en dash (U+2013)", NULL},
    {"list:\n  \xE2\x80\xA2 a\n  \xE2\x80\xA2 b", 2, 3, "bullet (U+2022)", NULL},
    {"{lr\xEF\xBC\x9A"
     "0.1}",
     1, 2, "full-width character (U+FF1A)", "lr: 0.1"},
    {"steps: 1\nlr\xEF\xBC\x9A 0.1\nkind: sgd", 2, 3, "full-width character (U+FF1A)", NULL},
    {"k\xD1\x96nd: sgd", 1, 1, "Cyrillic letter (U+0456)", "kind"},
    {"kind: \xD0\xB0"
     "dam",
     1, 7, "Cyrillic letter (U+0430)", "adam"},
    {"kind: adam\xE2\x80\x8B", 1, 11, "zero-width character (U+200B)", NULL},
    /* blocks of text, and tabs */
    {"kind: |", 1, 7, "starts a block of text", NULL},
    {"list: >\nlr: 1", 1, 7, "starts a block of text", NULL},
    {"{kind: |}", 1, 8, "cannot start with '|'", NULL},
    {"steps: 1\n\tlr: 1", 2, 1, "tab character", NULL},
};

static bool mentions(const gt_diagnostic *d, const char *part) {
  return strstr(d->message, part) || (d->help && strstr(d->help, part));
}

static void mistakes_are_explained(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gt_arena arena;
    gt_diagnostics found;
    config c = {0};
    gt_arena_init(&arena);
    gt_diagnostics_init(&found, &arena);
    const char *text = rows[i].text;
    const gt_spec *root = gt_spec_parse(&arena, "c.yaml", text, strlen(text), &found);
    if (root) gt_schema_read(&schema, &c, NULL, NULL, root, root->at, NULL, &arena, &found);
    if (found.errors != 1) fail_msg("%s: %d errors", text, found.errors);
    const gt_diagnostic *d = &found.items[0];
    const char *suggestion = d->suggestion ? d->suggestion : "-",
               *expected = rows[i].suggestion ? rows[i].suggestion : "-";
    if (d->at.line != rows[i].line || d->at.column != rows[i].column || !mentions(d, rows[i].part) ||
        strcmp(suggestion, expected))
      fail_msg("%s: %d:%d: %s (%s) %s", text, d->at.line, d->at.column, d->message, d->help ? d->help : "",
               suggestion);
    gt_arena_finish(&arena);
  }
}

/* The same characters are allowed in quotes, in comments and inside text; so are texts that only resemble the
 * mistakes. */
static void other_text_is_accepted(void **state) {
  (void)state;
  static const char *const texts[] = {
      "kind: adam # \xE2\x80\x9Cquoted\xE2\x80\x9D" NBSP,
      "list: ['\xE2\x80\x9Cx\xE2\x80\x9D', \"" NBSP "\", a" NBSP
      "b, a \xE2\x80\x93 b, \xD1\x86\xD0\xB5\xD0\xBD\xD0\xB0]",
      "list: [5\xE2\x80\xB3, \xE2\x80\x93, \xE2\x88\x92x]",
      "{lr: 0, steps: 1}",
      "lr:\t0.5",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    gt_arena arena;
    gt_diagnostics found;
    config c = {0};
    gt_arena_init(&arena);
    gt_diagnostics_init(&found, &arena);
    const gt_spec *root = gt_spec_parse(&arena, "c.yaml", texts[i], strlen(texts[i]), &found);
    assert_non_null(root);
    if (!gt_schema_read(&schema, &c, NULL, NULL, root, root->at, NULL, &arena, &found) || found.errors)
      fail_msg("%s: %s", texts[i], found.items[0].message);
    gt_arena_finish(&arena);
  }
}

/* gt_spec_write puts quotes around text that would be an error without them. */
static void written_with_quotes(void **state) {
  (void)state;
  static const char *const texts[] = {"\xE2\x80\x9Cx\xE2\x80\x9D",
                                      NBSP "x",
                                      "x\xE3\x80\x80",
                                      "\xE1\x9A\x80x",
                                      "\xE2\x80\x93 x",
                                      "a:" NBSP "b"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    gt_arena arena;
    gt_diagnostics found;
    gt_arena_init(&arena);
    gt_diagnostics_init(&found, &arena);
    gt_spec *map = gt_spec_new(&arena, GT_SPEC_MAP);
    gt_spec_add(&arena, map, "kind", gt_spec_text(&arena, texts[i]));
    gt_spec_add(&arena, map, texts[i], gt_spec_text(&arena, "1"));
    const char *text = gt_spec_write(&arena, map);
    const gt_spec *again = gt_spec_parse(&arena, "c.yaml", text, strlen(text), &found);
    if (!again || found.errors) fail_msg("%s", text);
    assert_string_equal(gt_spec_find(again, "kind")->scalar, texts[i]);
    assert_non_null(gt_spec_find(again, texts[i]));
    gt_arena_finish(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(mistakes_are_explained),
                                     cmocka_unit_test(other_text_is_accepted),
                                     cmocka_unit_test(written_with_quotes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
