/* Random values that match a schema, wild values, and YAML output. */
#include "campaign.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- random numbers: splitmix64 --- */

static uint64_t next(dice *d) {
  uint64_t x = d->state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

dice dice_of(uint64_t seed, uint64_t number) {
  dice d = {seed};
  d.state = next(&d) ^ number * 0xd1342543de82ef95u;
  next(&d);
  return d;
}

int64_t between(dice *d, int64_t min, int64_t max) {
  return max <= min ? min : min + (int64_t)(next(d) % ((uint64_t)(max - min) + 1));
}

bool chance(dice *d, int percent) { return between(d, 0, 99) < percent; }

const char *one_of(dice *d, const char *const *words) {
  int count = 0;
  while (words[count]) count++;
  return words[between(d, 0, count - 1)];
}

/* --- values --- */

json_t *wild_value(generator *m) {
  static const char *const words[] = {
      "",         "@",        "@~",   "x",        "true", "@.nan", "@.inf", "@-.inf", "@-0",
      "@0x10",    "@1e400",   "@1_0", "input",    "loss", "adam",  "@007",  "@+1",    "a: b",
      "five.csv", ".",        "..",   "/",        "@1.",  "@.5",   "@- ",   "@*a",    "@&a b",
      "@!!int 3", "\xc3\xa4", "\x7f", "\x1b[31m", "%s%n", NULL};
  static const int64_t numbers[] = {
      0,       -1,         1,          2,          INT32_MAX,           65536,     -8,
      1 << 24, 1000000000, 2147483648, 4294967296, 4611686018427387904, INT64_MAX, INT64_MIN};
  static const double reals[] = {0.5, -0.5, 1e-300, 1e300, -1e300, 1.0000001, 1e30, 5e-324, 1e18};
  const int64_t kind = between(&m->d, 0, 9);
  json_t *list;
  switch (kind) {
  case 0: return json_object();
  case 1: return json_pack("{s:i}", one_of(&m->d, words + 12), 1); /* a key: a word from "input" on */
  case 2:
  case 3:
    list = json_array();
    for (int64_t n = between(&m->d, 0, 3); n > 0; n--) json_array_append_new(list, wild_value(m));
    return list;
  case 4:
  case 5:
  case 6: m->huge = true; return json_integer(numbers[between(&m->d, 0, 13)]);
  case 7: m->huge = true; return json_real(reals[between(&m->d, 0, 8)]);
  default: return json_string(one_of(&m->d, words));
  }
}

/* The limit that the schema has under one of these keys, or else `fallback`. */
static double limit(const json_t *schema, const char *inclusive, const char *exclusive, double fallback) {
  const json_t *value = json_object_get(schema, inclusive);
  if (!value) value = json_object_get(schema, exclusive);
  return value ? json_number_value(value) : fallback;
}

/* Integers stay small, because lengths determine how long a command takes; wild values may be large. */
static json_t *random_integer(generator *m, const json_t *schema) {
  const double min = limit(schema, "minimum", "exclusiveMinimum", -3);
  const double max = limit(schema, "maximum", "exclusiveMaximum", 1e6);
  if (chance(&m->d, m->wild)) {
    const double ends[] = {min, max, min - 1, max + 1};
    m->huge = true;
    return json_integer((json_int_t)ends[between(&m->d, 0, 3)]);
  }
  const int64_t low = (int64_t)min, high = max < min + 6 ? (int64_t)max : low + 6;
  return json_integer(between(&m->d, low, high));
}

static json_t *random_real(generator *m, const json_t *schema) {
  const double min = limit(schema, "minimum", "exclusiveMinimum", -10);
  const double max = limit(schema, "maximum", "exclusiveMaximum", 10);
  if (chance(&m->d, m->wild)) {
    const double ends[] = {min, max, nextafter(min, -INFINITY), nextafter(max, INFINITY)};
    m->huge = true;
    return json_real(ends[between(&m->d, 0, 3)]);
  }
  const double high = max > 2 ? 2 : max, low = min < -2 ? -2 : min;
  return json_real(low + (high - low) * (double)between(&m->d, 1, 999) / 1000);
}

/* A text for this key: a formula, a file name, or a name. */
static json_t *random_text(generator *m, const char *key) {
  static const char *const names[] = {"a",   "b",  "input", "linear1", "label", "1",
                                      "out", "no", "yes",   "0",       NULL};
  static const char *const formulas[] = {"x",        "x0 + x1", "sin(3*x)",  "x^2 - 1",
                                         "exp(-x0)", "(",       "max(x, 0)", NULL};
  static const char *const files[] = {"five.csv", "five.npy", "five.idx", "datasets/ca/lizard.png",
                                      "none",     NULL};
  if (!strcmp(key, "formula") || !strcmp(key, "expression")) return json_string(one_of(&m->d, formulas));
  if (!strcmp(key, "train") || !strcmp(key, "test") || !strcmp(key, "image") || !strcmp(key, "targets"))
    return json_string(one_of(&m->d, files));
  if (!strcmp(key, "name")) return json_sprintf("own%lld", (long long)between(&m->d, 0, 99));
  if (!strcmp(key, "delimiter")) return json_string(chance(&m->d, 50) ? "," : ";");
  return json_string(one_of(&m->d, names));
}

static json_t *parameter_groups(generator *m) {
  static const char *const patterns[] = {"*", "linear1.*", "*.bias", "none", NULL};
  json_t *list = json_array();
  for (int64_t n = between(&m->d, 0, 2); n > 0; n--) {
    json_t *group = json_pack("{s:s}", "match", one_of(&m->d, patterns));
    if (chance(&m->d, 50)) json_object_set_new(group, "lr", json_real((double)between(&m->d, 0, 9) / 100));
    if (chance(&m->d, 30)) json_object_set_new(group, "frozen", json_boolean(chance(&m->d, 60)));
    json_array_append_new(list, group);
  }
  return list;
}

/* A value for a schema that does not say enough about it. */
static json_t *integer_or_list(generator *m, const char *key) {
  if (!strcmp(key, "parameters")) return parameter_groups(m);
  if (chance(&m->d, 30)) return json_integer(between(&m->d, 0, 4));
  json_t *list = json_array();
  for (int64_t n = between(&m->d, 1, 3); n > 0; n--)
    json_array_append_new(list, json_integer(between(&m->d, 0, 4)));
  return list;
}

static bool is_required(const json_t *schema, const char *key) {
  const json_t *required = json_object_get(schema, "required");
  for (size_t i = 0; i < json_array_size(required); i++)
    if (!strcmp(json_string_value(json_array_get(required, i)), key)) return true;
  return false;
}

static json_t *random_map(generator *m, const json_t *schema) {
  json_t *result = json_object(), *property;
  const char *key;
  json_object_foreach(json_object_get(schema, "properties"), key, property) {
    const bool wanted = is_required(schema, key) ? !chance(&m->d, m->wild / 2) : chance(&m->d, 25);
    /* The caller sets the source of a layer. */
    if (wanted && strcmp(key, "from")) json_object_set_new(result, key, value_of(m, property, key));
  }
  return result;
}

/* One of the branches of an anyOf; rarely "$NAME", which is valid only in some blocks. */
static const json_t *one_branch(generator *m, const json_t *list) {
  const json_t *branch = json_array_get(list, (size_t)between(&m->d, 0, (int64_t)json_array_size(list) - 1));
  const char *definition = json_string_value(json_object_get(branch, "$ref"));
  const bool named = definition && !strcmp(definition, "#/$defs/each_value");
  return named && !chance(&m->d, m->wild) ? json_array_get(list, 0) : branch;
}

json_t *value_of(generator *m, const json_t *schema, const char *key) {
  schema = resolved(m, schema);
  const json_t *type = json_object_get(schema, "type"), *list;
  if (chance(&m->d, m->wild)) return wild_value(m);
  if ((list = json_object_get(schema, "const"))) return json_deep_copy(list);
  if ((list = json_object_get(schema, "enum")))
    return json_deep_copy(
        json_array_get(list, (size_t)between(&m->d, 0, (int64_t)json_array_size(list) - 1)));
  if ((list = json_object_get(schema, "anyOf"))) return value_of(m, one_branch(m, list), key);
  if ((list = json_object_get(schema, "allOf"))) return value_of(m, json_array_get(list, 0), key);
  if (json_object_get(schema, "pattern")) return json_string("$a");
  if (json_is_array(type))
    return json_object_get(schema, "items") ? integer_or_list(m, key) : random_text(m, key);
  if (!type) return integer_or_list(m, key);
  const char *name = json_string_value(type);
  if (!strcmp(name, "integer")) return random_integer(m, schema);
  if (!strcmp(name, "number")) return random_real(m, schema);
  if (!strcmp(name, "boolean")) return json_boolean(chance(&m->d, 50));
  if (!strcmp(name, "object")) return random_map(m, schema);
  if (!strcmp(name, "string")) return random_text(m, key);
  json_t *array = json_array();
  for (int64_t n = between(&m->d, 1, 3); n > 0; n--)
    json_array_append_new(array, value_of(m, json_object_get(schema, "items"), key));
  return array;
}

/* --- parts of a schema --- */

const json_t *resolved(const generator *m, const json_t *schema) {
  const char *path = json_string_value(json_object_get(schema, "$ref"));
  return path ? json_object_get(json_object_get(m->schema, "$defs"), path + strlen("#/$defs/")) : schema;
}

const json_t *property_of(const json_t *schema, const char *key) {
  return json_object_get(json_object_get(schema, "properties"), key);
}

const json_t *branch_with(const json_t *schema, const char *key) {
  const json_t *branches = json_object_get(schema, "anyOf"), *branch;
  size_t index;
  json_array_foreach(branches, index, branch) if (property_of(branch, key)) return branch;
  return NULL;
}

void add_some(generator *m, json_t *map, const json_t *schema, int percent) {
  const char *key;
  json_t *property;
  json_object_foreach(json_object_get(schema, "properties"), key, property) {
    if (json_object_get(map, key) || !chance(&m->d, percent)) continue;
    json_object_set_new(map, key, value_of(m, property, key));
  }
}

/* --- YAML --- */

static void write_text(FILE *file, const char *text) {
  json_t *value = json_string(text);
  char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
  fputs(dumped ? dumped : "null", file);
  free(dumped);
  json_decref(value);
}

static void write_scalar(FILE *file, const json_t *value) {
  const char *text = json_string_value(value);
  if (text && *text == '@') {
    fputs(text + 1, file);
  } else if (json_is_real(value)) {
    fprintf(file, "%.17g", json_real_value(value));
  } else if (text) {
    write_text(file, text);
  } else if (json_is_integer(value)) {
    fprintf(file, "%lld", (long long)json_integer_value(value));
  } else {
    fputs(json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null", file);
  }
}

void write_yaml(FILE *file, const json_t *value) {
  const char *key;
  json_t *item;
  size_t index;
  bool first = true;
  if (json_is_object(value)) {
    fputc('{', file);
    json_object_foreach((json_t *)(uintptr_t)value, key, item) {
      if (!first) fputs(", ", file);
      write_text(file, key);
      fputs(": ", file);
      write_yaml(file, item);
      first = false;
    }
    fputc('}', file);
  } else if (json_is_array(value)) {
    fputc('[', file);
    json_array_foreach(value, index, item) {
      if (index) fputs(", ", file);
      write_yaml(file, item);
    }
    fputc(']', file);
  } else {
    write_scalar(file, value);
  }
}
