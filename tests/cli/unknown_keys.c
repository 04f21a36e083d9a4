/* In every map that a config may have, an unknown key is an error at its position, and no map of the JSON
 * Schema accepts one. The configs are generated from the schema. */
#include "base/arena.h"
#include "cli/schema.h"
#include "train/config/config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static gt_arena arena;
static const gt_schemas *entries;
static int tried;

/* No map has the key zqx. */
#define UNKNOWN     "zqx: 1"
#define TWO_SAMPLES "inputs: [[0, 1, 0, 1, 1, 0, 1, 0], [1, 0, 1, 1, 0, 1, 0, 1]], targets: [0, 1]"

/* --- the config reader --- */

/* Data of different shapes and types: for every kind of layer, one of them passes the shape check, so that
 * its settings are read. */
static const char *const data[] = {
    "data: {" TWO_SAMPLES "}\n",
    "data: {" TWO_SAMPLES ", shape: [2, 4]}\n",
    "data: {" TWO_SAMPLES ", shape: [2, 2, 2]}\n",
    "data: {" TWO_SAMPLES ", shape: [1, 2, 2, 2]}\n",
    "data: {" TWO_SAMPLES ", integers: [input]}\n",
    "data: {inputs: [[0.5], [1]], targets: [[0.5], [1.5]]}\n",
};
enum { DATA = sizeof data / sizeof *data };

/* A config with `content` in the map of this entry. */
static const char *config_of(const gt_schema_entry *t, const char *content, int variant) {
#define PRINT(...) gt_arena_printf(&arena, __VA_ARGS__)
  static const char linear[] = "model: [{linear: 1}]\n", kan[] = "model: [{kan: 2}]\n";
  static const char phases[] = "train: {phases: [{epochs: 1}, {epochs: 1, ";
  const char *samples = data[variant];
  if (!strcmp(t->name, "config")) return PRINT("%s%s%s\n", samples, linear, content);
  if (!strcmp(t->name, "phase")) return PRINT("%s%s%s%s}]}\n", samples, kan, phases, content);
  if (!strcmp(t->name, "prune") || !strcmp(t->name, "symbolic"))
    return PRINT("%s%s%s%s: {%s}}]}\n", samples, kan, phases, t->name, content);
  if (!strcmp(t->kind, "section")) return PRINT("%s%s%s: {%s}\n", samples, linear, t->name, content);
  if (!strcmp(t->kind, "format")) return PRINT("%sdata: {format: %s, %s}\n", linear, t->name, content);
  if (!strcmp(t->kind, "augmentation"))
    return PRINT("%s%saugment: [{%s: {%s}}]\n", samples, linear, t->name, content);
  if (!strcmp(t->kind, "layer") || !strcmp(t->kind, "block"))
    return PRINT("%smodel: [{%s: {%s}}]\n", samples, t->name, content);
  if (!strcmp(t->kind, "init"))
    return PRINT("%smodel: [{linear: {units: 2, init: {type: %s, %s}}}]\n", samples, t->name, content);
  return PRINT("%s%s%s: {type: %s, %s}\n", samples, linear, t->kind, t->name, content);
}

/* True if there is an error at this byte of the text. */
static bool is_error_at(const char *text, const char *place) {
  gt_config config;
  gt_error error = {0};
  gt_position at = {.line = 1, .column = 1};
  for (const char *c = text; c < place; c++) at.column = *c == '\n' ? (at.line++, 1) : at.column + 1;
  assert_false(gt_config_parse(&config, &arena, "c.yaml", text, NULL, NULL, 0, &error));
  bool found = false;
  for (int i = 0; i < config.diagnostics.count && !found; i++) {
    const gt_diagnostic *d = &config.diagnostics.items[i];
    found =
        !d->finding && !strcmp(d->at.file, "c.yaml") && d->at.line == at.line && d->at.column == at.column;
  }
  gt_config_finish(&config);
  return found;
}

/* `content` has one unknown key, zqx: with data of at least one variant, there is an error at it, or at the
 * start of its path (optimizer.zqx). or_at_map: the value may not be a map at all, so the error may also be
 * at the map. */
static void check_rejected(const gt_schema_entry *t, const char *content, bool or_at_map) {
  tried++;
  for (int variant = 0; variant < DATA; variant++) {
    const char *text = config_of(t, content, variant), *key = strstr(text, "zqx"), *map = strrchr(text, '{');
    while (key[-1] == '.' || (key[-1] >= 'a' && key[-1] <= 'z') || (key[-1] >= '0' && key[-1] <= '9')) key--;
    if (is_error_at(text, key) || (or_at_map && is_error_at(text, map))) return;
  }
  fail_msg("no error at the unknown key: %s", config_of(t, content, 0));
}

static const char *required_of(const gt_schema *schema, const gt_field *except);

/* A valid value for a key that accepts only certain texts; required_of writes such a key even if it is
 * optional. NULL: any value of the key's type is valid. */
static const char *known_value(const gt_schema *schema, const gt_field *field) {
  /* schema, key, value */
  static const char *const known[][3] = {
      {"table", "inputs", "[[0, 1]]"}, {"table", "targets", "[0]"},   {"repeat", "layers", "[relu]"},
      {"function", "formula", "x0"},   {"condition", "at", "{x: 0}"}, {"embedding", "num_embeddings", "2"},
      {"pde", "residual", "u"},        {"condition", "residual", "u"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(schema->name, known[i][0]) && !strcmp(field->name, known[i][1])) return known[i][2];
  return NULL;
}

/* A valid value for the key. */
static const char *value_of(const gt_schema *schema, const gt_field *field) {
  const char *known = known_value(schema, field);
  if (known) return known;
  switch (field->type) {
  case GT_FIELD_CHOICE: return field->choices[0];
  case GT_FIELD_PATH: return "/dev/null";
  case GT_FIELD_MAP: return PRINT("{%s}", required_of(field->sub, NULL));
  case GT_FIELD_NODE: fail_msg("no value known of '%s' in '%s'", field->name, schema->name); return NULL;
  default: return "1";
  }
}

/* The required keys of a map and those with a known value, without `except`; ends with a comma. */
static const char *required_of(const gt_schema *schema, const gt_field *except) {
  const char *text = "";
  if (schema == &gt_config_schema) return text; /* all configs here have them */
  for (const gt_field *f = schema->fields; f && f->name; f++)
    if (f != except && ((f->flags & GT_FIELD_REQUIRED) || known_value(schema, f)))
      text = PRINT("%s%s: %s, ", text, f->name, value_of(schema, f));
  return text;
}

static void walk(const gt_schema_entry *t, const gt_schema *schema, const char *before, const char *after);

/* Checks the maps inside a value of type GT_FIELD_NODE. */
static void walk_node(const gt_schema_entry *t, const gt_field *f, const char *before, const char *after) {
  /* gt_schemas_of has entries for the maps in these; `each` has no fixed keys. */
  static const char *const checked_elsewhere[] = {"data",  "augment",   "layers", "init_from",
                                                  "loss",  "optimizer", "each",   "schedule",
                                                  "train", "phases",    NULL};
  if (f->sub) {
    walk(t, f->sub, PRINT("%s[{", before), PRINT("}]%s", after));
    return;
  }
  if (!f->definition) fail_msg("the schema does not say what '%s' of '%s' holds", f->name, t->name);
  for (int i = 0; checked_elsewhere[i]; i++)
    if (!strcmp(f->definition, checked_elsewhere[i])) return;
  if (!strcmp(f->definition, "plain"))
    check_rejected(t, PRINT("%s{" UNKNOWN "}%s", before, after), true);
  else if (!strcmp(f->definition, "named"))
    check_rejected(t, PRINT("%s{zqx: {" UNKNOWN "}}%s", before, after), true);
  else if (!strcmp(f->definition, "init"))
    check_rejected(t, PRINT("%s{type: zeros, " UNKNOWN "}%s", before, after), false);
  else if (!strcmp(f->definition, "normalize_inputs"))
    check_rejected(t, PRINT("%s{input: {" UNKNOWN "}}%s", before, after), false);
  else if (!strcmp(f->definition, "split"))
    check_rejected(t, PRINT("%s{method: last, " UNKNOWN "}%s", before, after), false);
  else if (!strcmp(f->definition, "series"))
    check_rejected(t, PRINT("%s{window: 4, " UNKNOWN "}%s", before, after), false);
  else if (!strcmp(f->definition, "columns"))
    check_rejected(t, PRINT("%s{a: {" UNKNOWN "}}%s", before, after), false);
  else
    fail_msg("'%s' of '%s' holds '%s', which is not tried here", f->name, t->name, f->definition);
}

/* Checks the map with this schema that is written between `before` and `after`, and the maps inside it. */
static void walk(const gt_schema_entry *t, const gt_schema *schema, const char *before, const char *after) {
  for (const gt_field *f = schema->fields; f && f->name; f++) {
    const char *start = PRINT("%s%s%s: ", before, required_of(schema, f), f->name);
    if (f->type == GT_FIELD_MAP) walk(t, f->sub, PRINT("%s{", start), PRINT("}%s", after));
    if (f->type == GT_FIELD_NODE) walk_node(t, f, start, after);
  }
  check_rejected(t, PRINT("%s%s" UNKNOWN "%s", before, required_of(schema, NULL), after), false);
}

static void unknown_keys(void **state) {
  (void)state;
  for (int i = 0; i < entries->count; i++) {
    const gt_schema_entry *t = &entries->entry[i];
    if (!strcmp(t->kind, "warning") || !strcmp(t->kind, "metric") || !strcmp(t->kind, "tokenizer"))
      continue; /* names without a map */
    /* A section with items is checked as the entries of that kind, a section inside another one with the
     * outer one, a phase by unknown_keys_of_phases; the maps of a phase, prune and symbolic, are checked
     * here. */
    const bool is_map_of_phase = !strcmp(t->name, "prune") || !strcmp(t->name, "symbolic");
    if (t->items || (t->path && strchr(t->path, '.') && !is_map_of_phase)) continue;
    const bool needs_file = !strcmp(t->kind, "format") && strcmp(t->name, "table") != 0;
    walk(t, t->schema, "", "");
    if (t->common && !needs_file) walk(t, t->common, required_of(t->schema, NULL), "");
  }
  assert_true(tried > 150);
}

/* A phase has paths into the sections as keys, such as optimizer.lr. */
static void unknown_keys_of_phases(void **state) {
  (void)state;
  static const char *const paths[] = {
      "",         "optimizer.", "schedule.", "train.",     "train.checkpoint.", "optimiser.", "model.0.kan.",
      "model.0.", "data.",      "eval.",     "precision.", "model.0.kan.init.", "zqx."};
  const gt_schema_entry phase = {.kind = "section", .name = "phase"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    check_rejected(&phase, PRINT("%s" UNKNOWN, paths[i]), false);
}

/* --- the JSON Schema --- */

/* The node at a JSON pointer such as "#/$defs/layer"; NULL if there is none. */
static const json_t *resolved(const json_t *root, const char *reference) {
  char *rest = gt_arena_strdup(&arena, reference), *part;
  assert_string_equal(strsep(&rest, "/"), "#");
  while (root && (part = strsep(&rest, "/")))
    root = json_is_array(root) ? json_array_get(root, strtoul(part, NULL, 10)) : json_object_get(root, part);
  return root;
}

static void check_closed(const json_t *root, const json_t *schema, const char *path);

static void check_all_closed(const json_t *root, const json_t *schemas, const char *path) {
  const char *key;
  const json_t *value;
  size_t index;
  json_object_foreach((json_t *)(uintptr_t)schemas, key, value) {
    check_closed(root, value, PRINT("%s/%s", path, key));
  }
  json_array_foreach(schemas, index, value) { check_closed(root, value, PRINT("%s/%zu", path, index)); }
}

/* True if `type`, a name or an array of names, includes this one. */
static bool may_be(const json_t *type, const char *name) {
  const json_t *value;
  size_t index;
  json_array_foreach(type, index, value) {
    if (!strcmp(json_string_value(value), name)) return true;
  }
  return json_is_string(type) && !strcmp(json_string_value(type), name);
}

/* A map that the schema accepts has only the listed keys, or keys of a declared pattern. */
static void check_closed(const json_t *root, const json_t *schema, const char *path) {
  const json_t *reference = json_object_get(schema, "$ref"), *type = json_object_get(schema, "type"),
               *any = json_object_get(schema, "anyOf"), *all = json_object_get(schema, "allOf"),
               *others = json_object_get(schema, "additionalProperties");
  if (reference && !resolved(root, json_string_value(reference)))
    fail_msg("%s: nothing at %s", path, json_string_value(reference));
  if (json_is_false(schema)) return; /* accepts nothing */
  if (reference || json_object_get(schema, "enum") || json_object_get(schema, "const")) return;
  if (!type && !any && !all) fail_msg("%s accepts any value", path);
  if (any && !may_be(type, "object"))
    check_all_closed(root, any, path); /* of an object, anyOf only says which keys are required */
  if (all) check_closed(root, json_array_get(all, 0), path);
  if (may_be(type, "object")) {
    if (!others || json_is_true(others)) fail_msg("%s accepts any key", path);
    check_all_closed(root, json_object_get(schema, "properties"), path);
    check_all_closed(root, json_object_get(schema, "patternProperties"), path);
    if (json_is_object(others)) check_closed(root, others, path);
  }
  if (may_be(type, "array")) check_closed(root, json_object_get(schema, "items"), path);
}

static void json_schema_is_closed(void **state) {
  (void)state;
  json_t *root = gt_schema_of_configs(), *definitions = json_object_get(root, "$defs");
  check_closed(root, root, "");
  json_object_del(definitions, "no_each_value"); /* it only extends other definitions */
  json_object_set_new(definitions, "each_item", json_string("checked where it is used"));
  const char *key;
  json_t *definition;
  json_object_foreach(definitions, key, definition) {
    if (!json_is_string(definition)) check_closed(root, definition, key);
  }
  json_decref(root);
}

int main(void) {
  gt_arena_init(&arena);
  entries = gt_schemas_of(&arena);
  const struct CMUnitTest tests[] = {cmocka_unit_test(unknown_keys), cmocka_unit_test(unknown_keys_of_phases),
                                     cmocka_unit_test(json_schema_is_closed)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gt_arena_finish(&arena);
  return failed;
}
