/* Schemas: values, defaults and shorthand, the errors for bad values and their positions, the resolved
 * config, and the JSON Schema. */
#include "spec/schema.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct inner {
  double ratio;
  int64_t seed;
} inner;

typedef struct config {
  int64_t units, batch;
  double rate;
  bool bias;
  const char *name, *kind, *path;
  gt_ints sizes;
  gt_floats betas;
  gt_strings from;
  gt_int_or_strings group;
  const gt_spec *raw;
  inner in;
} config;

typedef struct common {
  const char *label;
} common;

static const char *const kinds[] = {"zeros", "normal", "uniform", NULL};

static const gt_field inner_fields[] = {
    GT_ROW(inner, ratio, GT_FIELD_FLOAT, .fallback = "0.1", .min = 0, .max = 1, .flags = GT_FIELD_OPEN_MAX),
    GT_ROW(inner, seed, GT_FIELD_INT, .fallback = "42"),
    {.name = NULL},
};
static const gt_schema inner_schema = {.name = "inner", .help = "a split", .fields = inner_fields};

static const gt_field fields[] = {
    GT_ROW(config, units, GT_FIELD_INT, .min = 1, .max = 1e9, .flags = GT_FIELD_REQUIRED, .help = "outputs"),
    /* max < min: no upper limit */
    GT_ROW(config, batch, GT_FIELD_INT, .fallback = "1_000", .min = 1, .max = 0),
    GT_ROW(config, rate, GT_FIELD_FLOAT, .fallback = "1e-3", .flags = GT_FIELD_OPEN_MIN),
    GT_ROW(config, bias, GT_FIELD_BOOL, .fallback = "true"),
    GT_ROW(config, name, GT_FIELD_STRING),
    GT_ROW(config, kind, GT_FIELD_CHOICE, .fallback = "normal", .choices = kinds),
    GT_ROW(config, path, GT_FIELD_PATH),
    GT_ROW(config, sizes, GT_FIELD_INTS, .min = 1, .max = 100),
    GT_ROW(config, betas, GT_FIELD_FLOATS, .fallback = "[0.9, 0.999]"),
    GT_ROW(config, from, GT_FIELD_STRINGS),
    GT_ROW(config, group, GT_FIELD_INT_OR_STRINGS, .min = 2, .max = 9),
    GT_ROW(config, raw, GT_FIELD_NODE, .definition = "plain"),
    GT_ROW(config, in, GT_FIELD_MAP, .sub = &inner_schema),
    {.name = NULL},
};
static const gt_schema schema = {.name = "linear", .help = "a layer", .fields = fields, .shorthand = "units"};
static const gt_field common_fields[] = {
    GT_ROW(common, label, GT_FIELD_STRING),
    {.name = NULL},
};
static const gt_schema common_schema = {.name = "layer", .fields = common_fields};

static gt_arena arena;
static gt_diagnostics found;
static config c;
static common k;

/* Reads the value of the first key, 'v' on line 1, to `c` and `k`. Resets the arena and `found`. */
static bool read(const char *text) {
  gt_arena_finish(&arena);
  gt_arena_init(&arena);
  gt_diagnostics_init(&found, &arena);
  memset(&c, 0, sizeof c);
  memset(&k, 0, sizeof k);
  const gt_spec *root = gt_spec_parse(&arena, "c.yaml", text, strlen(text), &found);
  assert_non_null(root);
  return gt_schema_read(&schema, &c, &common_schema, &k, root->child[0], root->child[0]->key_at,
                        "in layer 'linear'", &arena, &found);
}

static void test_values(void **state) {
  (void)state;
  assert_true(
      read("v: {units: 0x10, batch: 1e3, rate: 5, bias: False, name: \"10\", kind: zeros, sizes: [3, 1_0],\n"
           "    betas: .5, from: [a, b], raw: {x: 1}, in: {seed: -7}, label: me, path: /dev/null}\n"));
  assert_int_equal(c.units, 16);
  assert_int_equal(c.batch, 1000);
  assert_true(c.rate == 5 && !c.bias);
  assert_string_equal(c.name, "10");
  assert_ptr_equal(c.kind, kinds[0]);
  assert_int_equal(c.sizes.count, 2);
  assert_int_equal(c.sizes.items[1], 10);
  assert_int_equal(c.betas.count, 1);
  assert_true(c.betas.items[0] == 0.5);
  assert_string_equal(c.from.items[1], "b");
  assert_int_equal(c.from.at[1].line, 2);
  assert_int_equal(c.raw->count, 1);
  assert_true(c.in.ratio == 0.1);
  assert_int_equal(c.in.seed, -7);
  assert_string_equal(k.label, "me");
}

static void test_integer_or_list(void **state) {
  (void)state;
  assert_true(read("v: {units: 1, group: 3}"));
  assert_int_equal(c.group.integer, 3);
  assert_false(c.group.listed);
  assert_true(read("v: {units: 1, group: [1, b, '3']}"));
  assert_true(c.group.listed && !c.group.integer);
  assert_int_equal(c.group.strings.count, 3);
  assert_string_equal(c.group.strings.items[0], "1");
  assert_int_equal(c.group.strings.at[1].column, 26);
  assert_true(read("v: {units: 1, group: []}"));
  assert_true(c.group.listed && !c.group.strings.count);
  assert_false(read("v: {units: 1, group: [a, {}]}"));
  assert_false(c.group.listed);
}

static void test_defaults_and_shorthand(void **state) {
  (void)state;
  assert_true(read("v: 32"));
  assert_int_equal(c.units, 32);
  assert_int_equal(c.batch, 1000);
  assert_true(c.rate == 1e-3 && c.bias);
  assert_ptr_equal(c.kind, kinds[1]);
  assert_int_equal(c.betas.count, 2);
  assert_int_equal(c.in.seed, 42);
  assert_null(c.name);
  assert_null(k.label);
}

typedef struct bad {
  const char *text;
  int line, column;
  const char *part, *expected; /* parts of the message and of the expected value */
  const char *suggestion;      /* NULL: none */
} bad;

static const bad mistakes[] = {
    {"v: {unitz: 10}", 1, 5, "unknown key 'unitz' in layer 'linear'", "units, batch, rate", "units"},
    {"v: {units: abc}", 1, 12, "expected an integer, found 'abc'", "an integer, at least 1", NULL},
    {"v: {units: 1.5}", 1, 12, "expected an integer, found '1.5'", "an integer", NULL},
    {"v: {units: \"10\"}", 1, 12, "found the text '10'", "an integer", "10"},
    {"v: {units: 0}", 1, 12, "too small: 0", "at least 1 and at most 1000000000", NULL},
    {"v: {units: 1, group: 1}", 1, 22, "too small: 1",
     "an integer, at least 2 and at most 9, or a list of words", NULL},
    {"v: {units: 1, group: '3'}", 1, 22, "found the text '3'", "or a list of words", "3"},
    {"v: {units: 1, group: {a: 1}}", 1, 22, "found a map", "or a list of words", NULL},
    {"v: {units: 1, group: [a, [b]]}", 1, 26, "found a list", "or a list of words", NULL},
    {"v: {units: 99999999999999999999}", 1, 12, "expected an integer", "an integer", NULL},
    {"v:\n  units: [1]", 2, 10, "found a list", "an integer", NULL},
    {"v: {units: }", 1, 12, "found nothing", "an integer", NULL},
    {"v: abc", 1, 4, "'units' in layer 'linear': expected an integer", "an integer", NULL},
    {"v: units:10", 1, 4, "expected an integer", "an integer", "units: 10"},
    {"v: {units:10}", 1, 5, "unknown key 'units:10'", "a space", "units: 10"},
    {"v: {}", 1, 1, "key 'units' is missing in layer 'linear'", "units: an integer", NULL},
    {"v:", 1, 1, "key 'units' is missing", "outputs", NULL},
    {"v: {units: 1, batch: -3}", 1, 22, "too small: -3", "at least 1", NULL},
    {"v: {units: 1, rate: 0}", 1, 21, "too small: 0", "more than 0", NULL},
    {"v: {units: 1, rate: .inf}", 1, 21, "expected a finite number", "a number", NULL},
    {"v: {units: 1, rate: nan}", 1, 21, "expected a finite number", "a number", NULL},
    {"v: {units: 1, rate: 1e999}", 1, 21, "expected a finite number", "a number", NULL},
    {"v: {units: 1, rate: fast}", 1, 21, "found 'fast'", "a number", NULL},
    {"v: {units: 1, bias: yes}", 1, 21, "expected true or false, found 'yes'", "true or false", "true"},
    {"v: {units: 1, bias: Off}", 1, 21, "expected true or false", "true or false", "false"},
    {"v: {units: 1, bias: ture}", 1, 21, "expected true or false", "true or false", "true"},
    {"v: {units: 1, kind: unifrom}", 1, 21, "'kind' in layer 'linear' cannot be 'unifrom'", "zeros, normal",
     "uniform"},
    {"v: {units: 1, kind: [zeros]}", 1, 21, "expected text, found a list", "one of", NULL},
    {"v: {units: 1, sizes: [1, x, 3]}", 1, 26, "expected an integer, found 'x'", "list of integers", NULL},
    {"v: {units: 1, sizes: [1, 101]}", 1, 26, "too large: 101", "each at least 1 and at most 100", NULL},
    {"v: {units: 1, sizes: {a: 1}}", 1, 22, "found a map", "list of integers", NULL},
    {"v: {units: 1, in: {ratio: 1}}", 1, 27, "'ratio' in 'in' of layer 'linear' is too large", "less than 1",
     NULL},
    {"v: {units: 1, in: {ration: 1}}", 1, 20, "unknown key 'ration'", "ratio, seed", "ratio"},
    {"v: {units: 1, in: 3}", 1, 19, "expected a map, found '3'", "ratio, seed", NULL},
    {"v: {units: 1, lable: x}", 1, 15, "unknown key 'lable'", "label", "label"},
    {"v: {units: 1, path: /dev/nul}", 1, 21, "'/dev/nul' does not exist", "an existing file", "/dev/null"},
    {"v: {units: 1, path: /dve/null}", 1, 21, "does not exist", "an existing file", "/dev/null"},
    {"v: {units: 60 000}", 1, 12, "found '60 000'", "an integer", "60000"},
};

static void test_mistakes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    const bad *m = &mistakes[i];
    if (read(m->text)) fail_msg("accepted: %s", m->text);
    if (found.errors != 1) fail_msg("%s: %d errors", m->text, found.errors);
    const gt_diagnostic *d = &found.items[0];
    if (d->at.line != m->line || d->at.column != m->column || !strstr(d->message, m->part))
      fail_msg("%s: %d:%d: %s", m->text, d->at.line, d->at.column, d->message);
    if (!d->expected || !strstr(d->expected, m->expected)) fail_msg("%s: expected %s", m->text, d->expected);
    if (m->suggestion ? !d->suggestion || strcmp(d->suggestion, m->suggestion) : d->suggestion != NULL)
      fail_msg("%s: suggestion %s", m->text, d->suggestion);
  }
}

static void test_all_errors_are_reported(void **state) {
  (void)state;
  assert_false(
      read("v:\n  unitz: 1\n  batch: x\n  rate: -1\n  bias: no\n  kind: a\n  in: {seed: q, z: 1}\n"));
  assert_int_equal(found.errors, 7);
}

/* After an error, the remaining keys are still checked; a field whose value was rejected gets its default. */
static void test_rejected_values_are_not_used(void **state) {
  (void)state;
  assert_false(
      read("v: {units: 0, batch: -4, rate: -1, kind: a, path: /dve/null,\n"
           "    sizes: [1, 101], betas: [x], from: [a, [b]], in: {ratio: 2, seed: [1]}, name: [a]}\n"));
  assert_int_equal(found.errors, 11);
  assert_int_equal(c.units, 0);
  assert_int_equal(c.batch, 1000);
  assert_true(c.rate == 1e-3 && c.in.ratio == 0.1 && c.in.seed == 42);
  assert_ptr_equal(c.kind, kinds[1]);
  assert_null(c.path);
  assert_null(c.name);
  assert_int_equal(c.sizes.count, 0);
  assert_int_equal(c.from.count, 0);
  assert_int_equal(c.betas.count, 2);
  assert_true(c.betas.items[1] == 0.999);
}

static void test_choose(void **state) {
  (void)state;
  static const char *const names[] = {"adam", "adamw", "sgd"};
  assert_false(read("v: {type: sdg, x: 1}"));
  const char *text =
      "a: adamw\nb: {type: sgd, lr: 1}\nc: {adam: }\nd: {type: sdg}\ne: {lr: 1, x: 2}\nf: sgd 0.1\n";
  gt_diagnostics_init(&found, &arena);
  const gt_spec *root = gt_spec_parse(&arena, "c.yaml", text, strlen(text), &found);
  static const int chosen[] = {1, 2, 0, -1, -1, -1};
  for (int i = 0; i < 6; i++)
    assert_int_equal(
        gt_schema_choose(root->child[i], NULL, root->child[i]->at, "optimizer", names, 3, &found), chosen[i]);
  assert_int_equal(found.errors, 3);
  assert_string_equal(found.items[0].message, "unknown optimizer 'sdg'");
  assert_string_equal(found.items[0].suggestion, "sgd");
  assert_int_equal(found.items[0].at.line, 4);
  assert_int_equal(found.items[0].at.column, 11);
  assert_int_equal(found.items[1].at.line, 5);
  assert_string_equal(found.items[2].suggestion, "sgd: 0.1");
}

static void test_position_within(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int offset; /* byte of the value's text */
    int column;
  } rows[] = {
      {"v: abc def", 4, 8},    {"v: \"abc def\"", 4, 9},
      {"v: 'it''s x'", 5, 11}, {"v: \"a\\tb\\u00e9c\"", 4, 15},
      {"v: äé x", 5, 7},       {"v: |\n  abc", 2, 4},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    read("v: 1");
    const gt_spec *root = gt_spec_parse(&arena, "c.yaml", rows[i].text, strlen(rows[i].text), &found);
    const gt_position at = gt_position_within(root->child[0], rows[i].offset, 1);
    if (at.column != rows[i].column || at.line != 1) fail_msg("%s: %d", rows[i].text, at.column);
  }
}

/* The resolved config parses back to the same values, also if the input used the shorthand. */
static void test_resolve(void **state) {
  (void)state;
  static const char *const texts[] = {"v: 32", "v: {kind: zeros, units: 3, label: \"7\", in: {ratio: 0.5}}"};
  for (int i = 0; i < 2; i++) {
    assert_true(read(texts[i]));
    const gt_spec *root = gt_spec_parse(&arena, "c.yaml", texts[i], strlen(texts[i]), &found);
    gt_spec *map = gt_spec_new(&arena, GT_SPEC_MAP);
    gt_spec_add(&arena, map, "v", gt_schema_resolve(&schema, &common_schema, root->child[0], &arena));
    char *text = strdup(gt_spec_write(&arena, map));
    if (i == 1)
      assert_string_equal(text,
                          "v:\n  label: \"7\"\n  units: 3\n  batch: 1_000\n  rate: 1.0e-3\n  bias: true\n"
                          "  kind: zeros\n  betas: [0.9, 0.999]\n  in:\n    ratio: 0.5\n    seed: 42\n");
    const config before = c;
    assert_true(read(text));
    assert_int_equal(c.units, before.units);
    assert_true(c.in.ratio == before.in.ratio && c.rate == before.rate);
    assert_ptr_equal(c.kind, before.kind);
    free(text);
  }
}

static void test_json(void **state) {
  (void)state;
  read("v: 1");
  json_t *json = gt_schema_json(&schema, &common_schema);
  char *text = json_dumps(json, JSON_INDENT(2));
  json_t *again = json_loads(text, 0, NULL);
  assert_non_null(again);
  json_t *object = json_array_get(json_object_get(again, "anyOf"), 0);
  json_t *units = json_object_get(json_object_get(object, "properties"), "units");
  assert_string_equal(json_string_value(json_object_get(units, "type")), "integer");
  assert_int_equal(json_integer_value(json_object_get(units, "minimum")), 1);
  assert_true(json_is_false(json_object_get(object, "additionalProperties")));
  assert_string_equal(json_string_value(json_array_get(json_object_get(object, "required"), 0)), "units");
  json_t *betas = json_object_get(json_object_get(object, "properties"), "betas");
  assert_int_equal(json_array_size(json_object_get(betas, "default")), 2);
  assert_non_null(json_object_get(json_object_get(object, "properties"), "label"));
  json_decref(json);
  json_decref(again);
  free(text);
}

/* Floats are written in a form that both YAML 1.1 and 1.2 parse as a float (1e-8 is a string in 1.1), also
 * inside a node without a schema; texts are unchanged. */
static void test_resolve_floats(void **state) {
  (void)state;
  static const char *const rows[][2] = {{"1e-8", "1.0e-8"},   {"-1E5", "-1.0e+5"}, {"2.e7", "2.0e+7"},
                                        {"4.5e+6", "4.5e+6"}, {"+3e2", "+3.0e+2"}, {"0.25", "0.25"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *given =
        gt_arena_printf(&arena, "{units: 3, label: 1e5, rate: %s, betas: [%s, 1], raw: {a: %s, b: \"%s\"}}",
                        rows[i][0], rows[i][0], rows[i][0], rows[i][0]);
    const gt_spec *root = gt_spec_parse(&arena, "c.yaml", given, strlen(given), &found);
    const char *text = gt_spec_write(&arena, gt_schema_resolve(&schema, &common_schema, root, &arena));
    assert_non_null(strstr(text, gt_arena_printf(&arena, "rate: %s\n", rows[i][1])));
    assert_non_null(strstr(text, gt_arena_printf(&arena, "betas: [%s, 1]\n", rows[i][1])));
    assert_non_null(strstr(text, "label: 1e5\n"));
    assert_non_null(strstr(text, gt_arena_printf(&arena, "a: %s\n", rows[i][1])));
    assert_non_null(strstr(text, gt_arena_printf(&arena, "b: \"%s\"\n", rows[i][0])));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_integer_or_list),
      cmocka_unit_test(test_defaults_and_shorthand),
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_all_errors_are_reported),
      cmocka_unit_test(test_choose),
      cmocka_unit_test(test_resolve),
      cmocka_unit_test(test_resolve_floats),
      cmocka_unit_test(test_position_within),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_rejected_values_are_not_used),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gt_arena_finish(&arena);
  return failed;
}
