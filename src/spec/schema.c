#include "spec/schema.h"
#include "base/text.h"
#include "spec/hint.h"
#include "spec/schema_value.h"
#include <assert.h>
#include <string.h>

enum { MAX_FIELDS = 128, MAX_UNKNOWN = 8 };

typedef struct names { /* keys of a map */
  const char *item[MAX_FIELDS];
  size_t count;
  const char *map;                            /* name of the map's schema, or NULL */
  const char *const *needless, *why_needless; /* of the schema; NULL: none */
} names;

static void add_names(names *list, const gt_schema *schema) {
  if (!schema || !schema->fields) return;
  for (const gt_field *f = schema->fields; f->name; f++) {
    assert(list->count < MAX_FIELDS);
    list->item[list->count++] = f->name;
  }
  if (schema->needless) list->needless = schema->needless, list->why_needless = schema->why_needless;
}

static names names_of(const gt_schema *schema, const gt_schema *extra) {
  names list = {.map = schema->name};
  add_names(&list, schema);
  add_names(&list, extra);
  return list;
}

static bool has_name(const names *list, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (!strcmp(list->item[i], name)) return true;
  return false;
}

static const char *join(gt_arena *arena, const char *start, const char *const *items, size_t count) {
  return gt_arena_printf(arena, "%s%s", start, gt_list_of(arena, items, (int)count));
}

/* The correct form, "units: 10", of `units:10` or `units = 10` if the key is listed; else NULL. */
static const char *missing_space(gt_arena *arena, const names *list, const char *text) {
  const char *separator = strpbrk(text, ":=");
  if (!separator || separator == text || !separator[1] || strchr(separator + 1, '=')) return NULL;
  size_t length = (size_t)(separator - text);
  while (length && text[length - 1] == ' ') length--;
  const char *key = gt_arena_strndup(arena, text, length);
  return has_name(list, key)
             ? gt_arena_printf(arena, "%s: %s", key, separator + 1 + strspn(separator + 1, " "))
             : NULL;
}

const char *gt_schema_missing_space(const gt_schema_reader *reader, const char *text) {
  const names list = names_of(reader->schema, reader->extra);
  return missing_space(reader->arena, &list, text);
}

static bool is_needless(const names *list, const char *key) {
  for (const char *const *known = list->needless; known && *known; known++)
    if (!strcmp(*known, key)) return true;
  return false;
}

/* An unknown key that stands for a missing one, such as `features` if `units` is missing. */
typedef struct synonym {
  const gt_spec *child; /* NULL: there is none */
  const char *meant;
} synonym;

/* What an unknown key probably means. *corrected: "key: value" if only the space is missing; else NULL. */
static gt_hint hint_of(const gt_diagnostics *diagnostics, const names *list, const gt_spec *child,
                       const char **corrected) {
  gt_arena *arena = diagnostics->arena;
  gt_look_alike odd;
  const bool is_odd = gt_look_alike_find(child->key, 0, &odd); /* `lr：0.1` with a full-width colon */
  const char *key = is_odd ? gt_look_alike_plain(arena, child->key) : child->key;
  *corrected = gt_spec_is_null(child) ? missing_space(arena, list, key) : NULL;
  if (*corrected)
    return (gt_hint){.suggestion = gt_arena_strndup(arena, key, strcspn(key, ": =")),
                     .help = is_odd ? gt_look_alike_describe(arena, &odd) : NULL};
  return gt_hint_key(diagnostics, list->map, child->key, child, list->item, list->count);
}

/* Reports unknown keys and adds the suggested names to *suggested. True if there are none. */
static bool check_keys(const gt_spec *map, const names *list, synonym synonym_of_missing, const char *where,
                       gt_diagnostics *diagnostics, names *suggested) {
  gt_arena *arena = diagnostics->arena;
  bool ok = true;
  for (int i = 0; i < map->count; i++) {
    const gt_spec *child = map->child[i];
    const char *corrected = NULL;
    if (has_name(list, child->key)) continue;
    ok = false;
    const bool is_synonym = child == synonym_of_missing.child;
    gt_diagnostic *item =
        gt_error_at(diagnostics, child->key_at,
                    is_synonym ? "unknown key '%s'%s, and '%s' is missing" : "unknown key '%s'%s", child->key,
                    gt_schema_where(arena, where), synonym_of_missing.meant);
    if (gt_diagnostics_full(diagnostics)) continue;
    gt_hint hint = {.suggestion = synonym_of_missing.meant};
    if (!is_synonym) hint = hint_of(diagnostics, list, child, &corrected);
    if (!hint.suggestion && is_needless(list, child->key)) {
      item->help = list->why_needless;
      continue;
    }
    if (hint.suggestion && suggested->count < MAX_FIELDS)
      suggested->item[suggested->count++] = hint.suggestion;
    item->suggestion = corrected ? corrected : hint.suggestion;
    item->help = hint.help;
    if (hint.from_table) continue;
    item->expected =
        list->count ? join(arena, list->count > 1 ? "one of: " : "", list->item, list->count) : "no keys";
    if (corrected)
      item->expected = strchr(child->key, '=') ? "'key: value'" : "a space between ':' and the value";
  }
  return ok;
}

static void set_position(gt_spec *node, gt_position at) {
  node->at = node->key_at = at;
  for (int i = 0; i < node->count; i++) set_position(node->child[i], at);
}

gt_spec *gt_schema_fallback(gt_arena *arena, const gt_field *field, gt_position at) {
  if (!field->fallback) return NULL;
  gt_spec *node;
  if (strpbrk(field->fallback, "[]{}\"'#")) {
    gt_diagnostics diagnostics;
    gt_diagnostics_init(&diagnostics, arena);
    node = gt_spec_parse(arena, "default", field->fallback, strlen(field->fallback), &diagnostics);
    assert(node && !diagnostics.errors);
  } else {
    node = gt_spec_text(arena, field->fallback);
  }
  set_position(node, at);
  return node;
}

static const gt_field *shorthand_of(const gt_schema *schema) {
  for (const gt_field *f = schema->fields; schema->shorthand && f && f->name; f++)
    if (!strcmp(f->name, schema->shorthand)) return f;
  return NULL;
}

/* Reads the fields of one schema from the map (NULL: empty). excused: keys whose absence was already
 * reported. */
static bool read_fields(const gt_schema_reader *r, const gt_schema *schema, char *out, const gt_spec *map,
                        gt_position map_at, const names *excused);

/* The `where` of a field that is a map: "in 'train.early_stopping'" inside "in 'train'", "in 'in' of layer
 * 'kan'" inside a layer. */
static const char *inner_where(const gt_schema_reader *r, const gt_field *field) {
  static const char data[] = "in data of ", in[] = "in ";
  const char *outer = r->where ? r->where : "";
  if (!strncmp(outer, data, sizeof data - 1)) outer = "in 'data'";
  if (!*outer) return gt_arena_printf(r->arena, "in '%s'", field->name);
  const size_t path = outer[3] == '\'' ? strcspn(outer + 4, "'") : 0;
  if (path && !outer[4 + path + 1])
    return gt_arena_printf(r->arena, "in '%.*s.%s'", (int)path, outer + 4, field->name);
  return gt_arena_printf(r->arena, "in '%s' of %s", field->name,
                         strncmp(outer, in, sizeof in - 1) ? outer : outer + sizeof in - 1);
}

/* A rejected value is never used: the field gets its default. */
static bool read_field(const gt_schema_reader *r, const gt_field *field, char *out, const gt_spec *value) {
  if (field->type != GT_FIELD_MAP) {
    if (gt_schema_read_value(r, field, out + field->offset, value)) return true;
    const gt_spec *fallback = gt_schema_fallback(r->arena, field, value->at);
    if (fallback) gt_schema_read_value(r, field, out + field->offset, fallback);
    return false;
  }
  return gt_schema_read(field->sub, out + field->offset, NULL, NULL, value, value->at, inner_where(r, field),
                        r->arena, r->diagnostics);
}

/* Sets the defaults of an absent map's fields. Required keys are not reported: the map is optional. */
static bool fill_absent_map(const gt_schema_reader *r, const gt_field *field, char *out, gt_position at) {
  bool ok = true;
  for (const gt_field *f = field->sub->fields; f && f->name; f++) {
    if (f->type == GT_FIELD_MAP) {
      ok &= fill_absent_map(r, f, out + field->offset, at);
      continue;
    }
    const gt_spec *value = gt_schema_fallback(r->arena, f, at);
    if (value) ok &= gt_schema_read_value(r, f, out + field->offset + f->offset, value);
  }
  return ok;
}

/* True if the map must have the key. */
static bool is_required(const gt_field *field, const gt_spec *map) {
  return field->flags & GT_FIELD_REQUIRED && !(field->unless && gt_spec_find(map, field->unless));
}

/* Handles a key that the map does not have: reports it if it is required, else sets its default. */
static bool read_absent(const gt_schema_reader *r, const gt_field *field, char *out, const gt_spec *map,
                        gt_position map_at, const names *excused) {
  if (is_required(field, map)) {
    if (has_name(excused, field->name)) return false; /* reported as misspelled */
    gt_error_at(r->diagnostics, map_at, "key '%s' is missing%s", field->name,
                gt_schema_where(r->arena, r->where))
        ->expected = gt_arena_printf(r->arena, "%s: %s%s%s", field->name, gt_field_describe(r->arena, field),
                                     field->help ? "; " : "", field->help ? field->help : "");
    return false;
  }
  const gt_spec *value = gt_schema_fallback(r->arena, field, map_at);
  if (value) return read_field(r, field, out, value);
  return field->type == GT_FIELD_MAP ? fill_absent_map(r, field, out, map_at) : true;
}

static bool read_fields(const gt_schema_reader *r, const gt_schema *schema, char *out, const gt_spec *map,
                        gt_position map_at, const names *excused) {
  bool ok = true;
  for (const gt_field *f = schema ? schema->fields : NULL; f && f->name; f++) {
    const gt_spec *value = gt_spec_find(map, f->name);
    ok &= value ? read_field(r, f, out, value) : read_absent(r, f, out, map, map_at, excused);
  }
  return ok;
}

/* True for text that starts with '|' or '>' on the line of its key. */
static bool is_block(const gt_spec *value) {
  const char *line = value->quoted ? value->at.line_text : NULL;
  return line && value->at.column <= (int)strlen(line) && strchr("|>", line[value->at.column - 1]);
}

static bool has_numbers(const gt_spec *list) {
  double number;
  return list->count && gt_spec_float(list->child[0], &number);
}

/* Reads a scalar or a list where a map is expected. */
static bool read_shorthand(const gt_schema_reader *r, void *out, void *extra_out, const gt_spec *value,
                           gt_position map_at) {
  const gt_field *field = shorthand_of(r->schema);
  if (field) {
    names excused = {.item = {field->name}, .count = 1};
    gt_schema_reader reader = *r;
    if (r->where && !strncmp(r->where, "in '", 4))
      reader.shown = r->where + 3; /* messages name the map, because the user did not write the key */
    bool ok = read_field(&reader, field, out, value);
    for (const gt_field *f = r->schema->fields; f->name; f++)
      if (f != field) ok &= read_absent(r, f, out, NULL, map_at, &excused);
    return read_fields(r, r->extra, extra_out, NULL, map_at, &excused) && ok;
  }
  const names list = names_of(r->schema, r->extra);
  gt_diagnostic *item = gt_error_at(
      r->diagnostics, value->at, "%s%sexpected a map%s, found %s", r->where ? r->where : "",
      r->where ? ": " : "", r->schema->fields && r->schema->fields->name ? "" : " or nothing",
      value->kind == GT_SPEC_SEQUENCE ? "a list" : gt_arena_printf(r->arena, "'%.80s'", value->scalar));
  item->expected = list.count ? join(r->arena, "a map of: ", list.item, list.count) : "nothing after the ':'";
  const gt_hint hint = gt_hint_value(r->schema->name, value, true);
  bool known;
  item->suggestion = hint.suggestion;
  item->help = hint.help;
  if (hint.from_table)
    item->expected = NULL;
  else if (is_block(value))
    item->help = "remove the '|': it turns the lines below into text";
  else if (value->kind == GT_SPEC_SEQUENCE && has_name(&list, "from") && !has_numbers(value))
    item->help =
        gt_arena_printf(r->arena,
                        "layers to read are named in 'from': %s: {from: [a, b]}, where a and b are names "
                        "(relu: {name: a}) or input",
                        r->schema->name);
  else if (gt_spec_bool(value, &known) && !r->schema->fields->name)
    item->help = gt_arena_printf(r->arena, "write '%s' without a value", r->schema->name);
  else if (value->kind == GT_SPEC_SCALAR)
    item->suggestion = missing_space(r->arena, &list, value->scalar);
  read_fields(r, r->schema, out, NULL, map_at, &list); /* defaults */
  read_fields(r, r->extra, extra_out, NULL, map_at, &list);
  return false;
}

/* True if the field accepts the value; false for maps and raw subtrees. */
static bool accepts(const gt_schema_reader *r, const gt_field *field, const gt_spec *value) {
  union {
    gt_named named;
    gt_int_or_strings list;
    double number;
  } ignored = {{0}};
  gt_diagnostics silent;
  const gt_schema_reader trial = {r->schema, r->extra, r->where, r->arena, &silent, NULL};
  if (field->type == GT_FIELD_MAP || field->type == GT_FIELD_NODE) return false;
  gt_diagnostics_init(&silent, r->arena);
  return gt_schema_read_value(&trial, field, &ignored, value);
}

/* If exactly one key is unknown and resembles no other, and exactly one required key is missing and accepts
 * its value, assumes that the unknown key means the missing one. */
static synonym find_synonym(const gt_schema_reader *r, const gt_spec *map, const names *list) {
  const gt_schema *const schemas[] = {r->schema, r->extra};
  const gt_field *missing = NULL;
  const gt_spec *unknown = NULL;
  const char *corrected;
  names meant = {.count = 0};
  for (int i = 0; i < map->count; i++) {
    if (has_name(list, map->child[i]->key) || is_needless(list, map->child[i]->key)) continue;
    const gt_hint hint = hint_of(r->diagnostics, list, map->child[i], &corrected);
    const bool is_unknown = !hint.suggestion && !hint.help;
    if ((is_unknown && unknown) || meant.count == MAX_UNKNOWN) return (synonym){0};
    if (is_unknown) unknown = map->child[i];
    if (hint.suggestion) meant.item[meant.count++] = hint.suggestion;
  }
  for (int k = 0; k < 2 && unknown; k++)
    for (const gt_field *f = schemas[k] ? schemas[k]->fields : NULL; f && f->name; f++) {
      if (!is_required(f, map) || gt_spec_find(map, f->name) || has_name(&meant, f->name)) continue;
      if (missing) return (synonym){0};
      missing = f;
    }
  return missing && accepts(r, missing, unknown) ? (synonym){unknown, missing->name} : (synonym){0};
}

bool gt_schema_read(const gt_schema *schema, void *out, const gt_schema *extra, void *extra_out,
                    const gt_spec *map, gt_position map_at, const char *where, gt_arena *arena,
                    gt_diagnostics *diagnostics) {
  const gt_schema_reader r = {schema, extra, where, arena, diagnostics, NULL};
  names excused = {.count = 0};
  bool ok = true;
  if (gt_spec_is_null(map)) {
    map = NULL;
  } else if (map->kind != GT_SPEC_MAP) {
    return read_shorthand(&r, out, extra_out, map, map_at);
  } else {
    const names list = names_of(schema, extra);
    ok = check_keys(map, &list, find_synonym(&r, map, &list), where, diagnostics, &excused);
  }
  ok &= read_fields(&r, schema, out, map, map_at, &excused);
  ok &= read_fields(&r, extra, extra_out, map, map_at, &excused);
  return ok;
}

/* A number with an exponent in the form that YAML 1.1 requires, with a decimal point and a sign of the
 * exponent: 1.0e-8. YAML 1.1 reads 1e-8 as text. Other text is returned unchanged. */
static const char *with_point_and_sign(gt_arena *arena, const char *text) {
  const char *c = text + (*text == '-' || *text == '+');
  const size_t whole = strspn(c, "0123456789"), point = c[whole] == '.';
  const size_t fraction = point ? strspn(c + whole + 1, "0123456789") : 0;
  const char *exponent = c + whole + point + fraction;
  if (!whole || (*exponent != 'e' && *exponent != 'E')) return text;
  const char *digits = exponent + 1 + (exponent[1] == '-' || exponent[1] == '+');
  return gt_arena_printf(arena, "%.*s%se%c%s", (int)(exponent - text), text,
                         fraction ? ""
                         : point  ? "0"
                                  : ".0",
                         exponent[1] == '-' ? '-' : '+', digits);
}

static void normalize_floats(gt_arena *arena, gt_spec *node) {
  if (node->kind == GT_SPEC_SCALAR && !node->quoted) node->scalar = with_point_and_sign(arena, node->scalar);
  for (int i = 0; i < node->count; i++) normalize_floats(arena, node->child[i]);
}

/* True if values of the field may be floats. In a raw node, such as a phase, every text that can be a number
 * is one. */
static bool may_have_floats(const gt_field *field) {
  return field->type == GT_FIELD_FLOAT || field->type == GT_FIELD_FLOATS || field->type == GT_FIELD_NODE;
}

static void resolve_fields(const gt_schema *schema, const gt_spec *map, gt_spec *result, gt_arena *arena) {
  const gt_field *shorthand = schema && map && map->kind != GT_SPEC_MAP ? shorthand_of(schema) : NULL;
  for (const gt_field *f = schema ? schema->fields : NULL; f && f->name; f++) {
    const gt_spec *value = f == shorthand ? map : gt_spec_find(map, f->name);
    gt_spec *resolved = NULL;
    if (f->type == GT_FIELD_MAP && (value || f->fallback)) {
      resolved =
          gt_schema_resolve(f->sub, NULL, value ? value : gt_schema_fallback(arena, f, result->at), arena);
    } else if (value) {
      resolved = gt_spec_copy(arena, value);
    } else {
      resolved = gt_schema_fallback(arena, f, result->at);
    }
    if (resolved && may_have_floats(f)) normalize_floats(arena, resolved);
    if (resolved) gt_spec_add(arena, result, f->name, resolved);
  }
}

gt_spec *gt_schema_resolve(const gt_schema *schema, const gt_schema *extra, const gt_spec *map,
                           gt_arena *arena) {
  gt_spec *result = gt_spec_new(arena, GT_SPEC_MAP);
  if (map) result->at = map->at;
  if (gt_spec_is_null(map)) map = NULL;
  /* Common keys, such as `type`, come first. */
  resolve_fields(extra, map && map->kind == GT_SPEC_MAP ? map : NULL, result, arena);
  resolve_fields(schema, map, result, arena);
  return result;
}

/* The name of a node: its text, its key `type`, or its only key. */
static const char *name_of(const gt_spec *node, gt_position *at) {
  if (gt_spec_is_null(node)) return NULL;
  const gt_spec *type = gt_spec_find(node, "type");
  if (type) node = type;
  if (node->kind == GT_SPEC_SCALAR) {
    *at = node->at;
    return node->scalar;
  }
  if (node->kind != GT_SPEC_MAP || node->count != 1) return NULL;
  *at = node->child[0]->key_at;
  return node->child[0]->key;
}

int gt_schema_choose(const gt_spec *node, const char *name, gt_position at, const char *what,
                     const char *const *choices, int count, gt_diagnostics *diagnostics) {
  gt_arena *arena = diagnostics->arena;
  if (!name) name = name_of(node, &at);
  for (int i = 0; name && i < count; i++)
    if (!strcmp(name, choices[i])) return i;
  gt_diagnostic *item = name && *name ? gt_error_at(diagnostics, at, "unknown %s '%s'", what, name)
                                      : gt_error_at(diagnostics, at, "the %s has no type", what);
  if (gt_diagnostics_full(diagnostics)) return -1;
  item->expected = join(arena, "one of: ", choices, (size_t)count);
  if (!name) return -1;
  const size_t word = strcspn(name, " ");
  for (int i = 0; name[word] && i < count; i++) /* "linear 10" */
    if (!strncmp(name, choices[i], word) && !choices[i][word]) {
      const char *rest = name + word + strspn(name + word, " ");
      if (strcspn(rest, "= ") < strlen(rest))
        item->help = gt_arena_printf(arena, "settings are a map: {type: %s, ...}", choices[i]);
      else
        item->suggestion = gt_arena_printf(arena, "%s: %s", choices[i], rest);
    }
  if (item->help) return -1;
  if (item->suggestion) return -1;
  const gt_hint hint = gt_hint_name(diagnostics, what, name, choices, (size_t)count);
  item->suggestion = hint.suggestion;
  item->help = hint.help;
  if (hint.from_table) item->expected = NULL;
  names list = {.count = 0};
  while (list.count < MAX_FIELDS && list.count < (size_t)count)
    list.item[list.count] = choices[list.count], list.count++;
  if (!item->suggestion) item->suggestion = missing_space(arena, &list, name);
  return -1;
}
