#include "spec/schema_value.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

static json_t *type_schema(const char *type) { return json_pack("{s:s}", "type", type); }

/* A whole number is written as an integer, so that an editor shows 1 and not 1.0. */
static json_t *number_json(double value) {
  return value == floor(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *number_schema(const gt_field *field, const char *type) {
  json_t *object = type_schema(type);
  double min, max;
  gt_field_bounds(field, &min, &max);
  if (isfinite(min))
    json_object_set_new(object, field->flags & GT_FIELD_OPEN_MIN ? "exclusiveMinimum" : "minimum",
                        number_json(min));
  if (isfinite(max))
    json_object_set_new(object, field->flags & GT_FIELD_OPEN_MAX ? "exclusiveMaximum" : "maximum",
                        number_json(max));
  return object;
}

/* A single item or a list of items; both refer to the same JSON value. */
static json_t *list_schema(json_t *item) {
  return json_pack("{s:[O,{s:s,s:o}]}", "anyOf", item, "type", "array", "items", item);
}

/* A field of text also accepts numbers and booleans without quotes: their text is taken. */
static json_t *text_schema(void) { return json_pack("{s:[s,s,s]}", "type", "string", "number", "boolean"); }

static json_t *choice_schema(const gt_field *field) {
  json_t *list = json_array();
  for (int i = 0; field->choices[i]; i++) json_array_append_new(list, json_string(field->choices[i]));
  if (!(field->flags & GT_FIELD_QUALIFIED)) return json_pack("{s:o}", "enum", list);
  gt_arena arena;
  gt_arena_init(&arena);
  const char *names = "";
  for (int i = 0; field->choices[i]; i++)
    names = gt_arena_printf(&arena, "%s%s%s", names, i ? "|" : "", field->choices[i]);
  json_t *qualified = json_pack("{s:s, s:s}", "type", "string", "pattern",
                                gt_arena_printf(&arena, "^(%s)\\..|^[^.]+\\.(%s)(\\..|$)", names, names));
  gt_arena_finish(&arena);
  return json_pack("{s:[{s:o}, o]}", "anyOf", "enum", list, qualified);
}

static json_t *value_schema(const gt_field *field) {
  switch (field->type) {
  case GT_FIELD_INT: return number_schema(field, "integer");
  case GT_FIELD_FLOAT: return number_schema(field, "number");
  case GT_FIELD_BOOL: return type_schema("boolean");
  case GT_FIELD_STRING: return text_schema();
  case GT_FIELD_PATH: return type_schema("string");
  case GT_FIELD_CHOICE: return choice_schema(field);
  case GT_FIELD_INTS: return list_schema(number_schema(field, "integer"));
  case GT_FIELD_FLOATS: return list_schema(number_schema(field, "number"));
  case GT_FIELD_STRINGS: return list_schema(field->choices ? choice_schema(field) : text_schema());
  case GT_FIELD_INT_OR_STRINGS:
    return json_pack("{s:[o,{s:s,s:o}]}", "anyOf", number_schema(field, "integer"), "type", "array", "items",
                     text_schema());
  case GT_FIELD_MAP: return gt_schema_json(field->sub, NULL);
  case GT_FIELD_NODE: break;
  }
  if (!field->sub) return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", field->definition));
  return json_pack("{s:[s,s],s:o}", "type", "array", "null", "items", gt_schema_json(field->sub, NULL));
}

static json_t *to_json(const gt_field *field, const gt_spec *node) {
  int64_t integer;
  double real;
  bool truth;
  if (node->kind == GT_SPEC_SEQUENCE) {
    json_t *list = json_array();
    for (int i = 0; i < node->count; i++) json_array_append_new(list, to_json(field, node->child[i]));
    return list;
  }
  if (node->kind == GT_SPEC_MAP) {
    json_t *object = json_object();
    for (int i = 0; i < node->count; i++)
      json_object_set_new(object, node->child[i]->key, to_json(field, node->child[i]));
    return object;
  }
  const bool any = field->type == GT_FIELD_NODE || field->type == GT_FIELD_MAP;
  if (any || (field->type != GT_FIELD_STRING && field->type != GT_FIELD_STRINGS &&
              field->type != GT_FIELD_CHOICE && field->type != GT_FIELD_PATH)) {
    if (gt_spec_bool(node, &truth)) return json_boolean(truth);
    if (gt_spec_int(node, &integer)) return json_integer(integer);
    if (gt_spec_float(node, &real)) return json_real(real);
  }
  return json_string(node->scalar);
}

static void add_fields(json_t *properties, json_t *required, const gt_schema *schema) {
  gt_arena arena;
  gt_arena_init(&arena);
  for (const gt_field *f = schema ? schema->fields : NULL; f && f->name; f++) {
    json_t *value = value_schema(f);
    if (f->flags & GT_FIELD_BY_NAME)
      value = json_pack("{s:[O,{s:s,s:o}]}", "anyOf", value, "type", "object", "additionalProperties", value);
    if (f->help) json_object_set_new(value, "description", json_string(f->help));
    const gt_spec *fallback = gt_schema_fallback(&arena, f, (gt_position){0});
    if (fallback) json_object_set_new(value, "default", to_json(f, fallback));
    json_object_set_new(properties, f->name, value);
    if (f->flags & GT_FIELD_REQUIRED && !f->unless) json_array_append_new(required, json_string(f->name));
  }
  gt_arena_finish(&arena);
}

json_t *gt_schema_json(const gt_schema *schema, const gt_schema *extra) {
  json_t *properties = json_object(), *required = json_array();
  add_fields(properties, required, schema);
  add_fields(properties, required, extra);
  json_t *object =
      json_pack("{s:s,s:o,s:b}", "type", "object", "properties", properties, "additionalProperties", 0);
  if (json_array_size(required)) json_object_set(object, "required", required);
  json_decref(required);
  for (const gt_field *f = schema->fields; f && f->name; f++)
    if (f->unless)
      json_object_set_new(object, "anyOf",
                          json_pack("[{s:[s]},{s:[s]}]", "required", f->name, "required", f->unless));
  for (const gt_field *f = schema->fields; schema->shorthand && f && f->name; f++)
    if (!strcmp(f->name, schema->shorthand))
      object = json_pack("{s:[o,o]}", "anyOf", object, value_schema(f));
  if (schema->help) json_object_set_new(object, "description", json_string(schema->help));
  return object;
}
