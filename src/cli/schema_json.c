/* The JSON Schema of configs. */
#include "base/arena.h"
#include "cli/schema.h"
#include "data/table/column_rule.h"
#include "data/data.h"
#include "loss/loss.h"
#include "model/model.h"
#include "optim/optim.h"
#include "train/config/config.h"
#include "train/config/init_from.h"
#include "train/config/phases.h"
#include <string.h>

static json_t *ref_json(const char *definition) {
  return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", definition));
}

/* True if a map without `type` may mean this type, the default of its kind. */
static bool is_standard(const char *kind, const char *name) {
  static const char *const standard[][2] = {{"loss", GT_LOSS_FOR_CLASSES},
                                            {"loss", GT_LOSS_FOR_NUMBERS},
                                            {"optimizer", GT_OPTIM_STANDARD},
                                            {"schedule", GT_SCHEDULE_STANDARD}};
  for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
    if (!strcmp(standard[i][0], kind) && !strcmp(standard[i][1], name)) return true;
  return false;
}

typedef json_t *entry_json(const gt_schema_entry *e);

/* The JSON of each entry of a kind, in a list. */
static json_t *list_json(const gt_schemas *all, const char *kind, entry_json *json_of) {
  json_t *list = json_array();
  for (const gt_schema_entry *e = NULL; (e = gt_schemas_next(all, kind, -1, e));)
    json_array_append_new(list, json_of(e));
  return list;
}

static json_t *name_json(const gt_schema_entry *e) { return json_string(e->name); }

static json_t *names_json(const gt_schemas *all, const char *kind) {
  return json_pack("{s:o}", "enum", list_json(all, kind, name_json));
}

static json_t *settings_json(const gt_schema_entry *e) { return gt_schema_json(e->schema, e->common); }

/* `{type: NAME, …}` */
static json_t *typed_map_json(const gt_schema_entry *e) {
  json_t *object = settings_json(e), *properties = json_object_get(object, "properties");
  if (!properties) return object;
  json_object_set_new(properties, "type",
                      json_pack("{s:s, s:s}", "const", e->name, "description", e->help ? e->help : ""));
  if (!is_standard(e->kind, e->name)) json_object_set_new(object, "required", json_pack("[s]", "type"));
  return object;
}

/* The loss of one of several targets, which may have a weight. */
static json_t *target_loss_json(const gt_schema_entry *e) {
  gt_schema_entry loss = *e;
  loss.common = &gt_loss_target_schema;
  return typed_map_json(&loss);
}

/* `NAME`, or what `json_of` describes, for each entry of a kind. */
static json_t *choices_json(const gt_schemas *all, const char *kind, entry_json *json_of) {
  json_t *alternatives = list_json(all, kind, json_of);
  json_array_insert_new(alternatives, 0, names_json(all, kind));
  return alternatives;
}

static json_t *typed_json(const gt_schemas *all, const char *kind, entry_json *json_of, const char *help) {
  return json_pack("{s:s, s:o}", "description", help, "anyOf", choices_json(all, kind, json_of));
}

/* The loss of a single target, or a map from the names of targets to losses. */
static json_t *loss_json(const gt_schemas *all) {
  json_t *single = typed_json(all, "loss", typed_map_json, "the loss to minimize");
  json_array_append_new(json_object_get(single, "anyOf"),
                        json_pack("{s:s, s:{s:b}, s:o}", "type", "object", "properties", "type", 0,
                                  "additionalProperties",
                                  typed_json(all, "loss", target_loss_json, "the loss of a target")));
  return single;
}

/* An item of a list that is a map with one key: `- NAME: {…}`. */
static json_t *item_json(const char *name, const char *help, json_t *settings) {
  json_t *properties = json_object();
  json_object_set_new(properties, name, settings);
  return json_pack("{s:s, s:s, s:o, s:[s], s:b}", "type", "object", "description", help ? help : "",
                   "properties", properties, "required", name, "additionalProperties", 0);
}

static json_t *settings_item_json(const gt_schema_entry *e) {
  return item_json(e->name, e->help, settings_json(e));
}

static json_t *augment_json(const gt_schemas *all) {
  return json_pack("{s:s, s:s, s:{s:o}}", "description", "random changes of images in training, in order",
                   "type", "array", "items", "anyOf", choices_json(all, "augmentation", settings_item_json));
}

/* --- layers, and blocks of them ---
 * Inside a block with `each`, any value in a layer's settings may be `$NAME`; outside it may not. So the
 * schema of a layer allows `$NAME`, and lists of layers outside such blocks forbid it. Whether an `each` has
 * that name, and whether its value is valid, is checked when the config is read. */

static json_t *allow_name(json_t *schema);

/* Allows `$NAME` in place of any value in the schema. */
static void allow_names_in(json_t *schema) {
  static const char *const inner[] = {"items", "additionalProperties"};
  json_t *properties = json_object_get(schema, "properties"), *value;
  const char *key;
  size_t index;
  json_object_foreach(properties, key, value) {
    json_object_set_new(properties, key, allow_name(json_deep_copy(value)));
  }
  for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
    if (json_is_object(value = json_object_get(schema, inner[i])))
      json_object_set_new(schema, inner[i], allow_name(json_deep_copy(value)));
  json_array_foreach(json_object_get(schema, "anyOf"), index, value) { allow_names_in(value); }
}

/* Returns the schema, extended by `$NAME`. Takes ownership of it; no part of it may be shared. Schemas of
 * texts and of any value accept `$NAME` already. */
static json_t *allow_name(json_t *schema) {
  static const char *const annotations[] = {"description", "default"};
  json_t *alternatives = json_object_get(schema, "anyOf"), *type = json_object_get(schema, "type"), *value;
  const char *name = json_string_value(type);
  const char *defined = json_string_value(json_object_get(schema, "$ref"));
  const bool closed = alternatives || json_object_get(schema, "enum") ||
                      (name && strcmp(name, "string") != 0) ||
                      (defined && strcmp(defined, "#/$defs/plain") != 0);
  allow_names_in(schema);
  if (!closed) return schema;
  if (alternatives) {
    json_array_append_new(alternatives, ref_json("each_value"));
    return schema;
  }
  json_t *wrapped = json_object();
  for (size_t i = 0; i < sizeof annotations / sizeof *annotations; i++) {
    if ((value = json_object_get(schema, annotations[i]))) json_object_set(wrapped, annotations[i], value);
    json_object_del(schema, annotations[i]);
  }
  json_object_set_new(wrapped, "anyOf", json_pack("[o, o]", schema, ref_json("each_value")));
  return wrapped;
}

/* The schema, of which parts may be shared, extended by `$NAME`. Takes ownership of it. */
static json_t *allow_name_in_copy(json_t *shared) {
  json_t *copy = json_deep_copy(shared);
  json_decref(shared);
  return allow_name(copy);
}

static json_t *layer_json(const gt_schema_entry *e) {
  return item_json(e->name, e->help, allow_name_in_copy(settings_json(e)));
}

/* The settings of `repeat`, with or without `each`; layers: name of the definition of its list of layers. */
static json_t *repeat_json(bool each, const char *layers) {
  json_t *settings = gt_schema_json(&gt_repeat_schema, NULL),
         *properties = json_object_get(settings, "properties");
  json_object_update_new(json_object_get(properties, "layers"), ref_json(layers));
  if (!each) json_object_set_new(properties, "each", json_pack("{s:s}", "type", "null"));
  json_array_append_new(json_object_get(settings, "required"), json_string(each ? "each" : "times"));
  return settings;
}

/* A list of layers; layers: name of the definition of lists in its blocks without `each`. */
static json_t *layers_json(json_t *layer, const char *layers) {
  json_t *settings =
      json_pack("{s:[o, o]}", "anyOf", repeat_json(false, layers), repeat_json(true, "varied_layers"));
  json_t *repeat = item_json(gt_repeat_schema.name, gt_repeat_schema.help, settings);
  return json_pack("{s:s, s:s, s:i, s:{s:[o, o, o]}}", "description", "the layers, in order", "type", "array",
                   "minItems", 1, "items", "anyOf", ref_json("layer_name"), layer, repeat);
}

/* --- phases ---
 * Most keys of a phase are paths into the sections that it may change, such as `model.0.linear.units`; each
 * is a pattern in `patternProperties`. */

typedef struct paths {
  gt_arena *arena;
  const gt_schemas *all;
  json_t *patterns;
} paths;

/* Takes ownership of `value`. */
static void add_path(const paths *p, const char *path, json_t *value) {
  json_object_set_new(p->patterns, gt_arena_printf(p->arena, "^%s$", path), value);
}

static void add_keys(const paths *p, const char *path, const gt_schema *schema);

static void add_keys_of(const paths *p, const char *path, const char *kind) {
  for (const gt_schema_entry *e = NULL; (e = gt_schemas_next(p->all, kind, -1, e));) {
    add_keys(p, path, e->schema);
    add_keys(p, path, e->common);
  }
}

/* Adds the paths of a value that is a map or a list, and those inside it. */
static void add_inner(const paths *p, const char *path, const gt_field *field) {
  if (field->type == GT_FIELD_MAP) {
    add_path(p, path, gt_schema_json(field->sub, NULL));
    add_keys(p, path, field->sub);
  } else if (field->sub) {
    add_path(p, path, json_pack("{s:s, s:o}", "type", "array", "items", gt_schema_json(field->sub, NULL)));
    add_keys(p, gt_arena_printf(p->arena, "%s\\.[0-9]+", path), field->sub);
  } else {
    add_path(p, path, ref_json(field->definition));
    if (strcmp(field->definition, "init")) return;
    add_path(p, gt_arena_printf(p->arena, "%s\\.type", path), ref_json("plain"));
    add_keys_of(p, path, "init");
  }
}

/* Adds the keys of a map at `path`, a regular expression. */
static void add_keys(const paths *p, const char *path, const gt_schema *schema) {
  const char *plain = "";
  for (const gt_field *f = schema ? schema->fields : NULL; f && f->name; f++)
    if (f->type == GT_FIELD_MAP || f->type == GT_FIELD_NODE)
      add_inner(p, gt_arena_printf(p->arena, "%s\\.%s", path, f->name), f);
    else
      plain = gt_arena_printf(p->arena, "%s%s%s", plain, *plain ? "|" : "", f->name);
  if (*plain) add_path(p, gt_arena_printf(p->arena, "%s\\.(%s)(\\.[0-9]+)*", path, plain), ref_json("plain"));
}

/* Adds the entries of a kind as items of a list. items: path of their definitions in `$defs`; first: the
 * index of the first one there. */
static void add_items(const paths *p, const char *path, const char *kind, const char *items, int first) {
  for (const gt_schema_entry *item = NULL; (item = gt_schemas_next(p->all, kind, -1, item));) {
    const char *place = gt_arena_printf(p->arena, "%s\\.%s", path, item->name);
    add_path(p, place,
             ref_json(gt_arena_printf(p->arena, "%s/%d/properties/%s", items, first++, item->name)));
    add_keys(p, place, item->schema);
    add_keys(p, place, item->common);
  }
}

static void add_layers(const paths *p) {
  const char *item = "model(\\.[0-9]+\\.repeat\\.layers)*\\.[0-9]+";
  const char *block = gt_arena_printf(p->arena, "%s\\.repeat", item);
  add_path(p, item, ref_json("layers/items"));
  add_items(p, item, "layer", "layer/anyOf", 0);
  add_path(p, block, ref_json("layers/items/anyOf/2/properties/repeat")); /* 2: its index in layers_json */
  add_keys(p, block, &gt_repeat_schema);
  add_path(p, gt_arena_printf(p->arena, "%s\\.each\\.[^.]+", block), ref_json("each/additionalProperties"));
  add_path(p, gt_arena_printf(p->arena, "%s\\.each\\.[^.]+\\.[0-9]+", block), ref_json("each_item"));
}

/* Excludes keys that a phase cannot change, because they apply to the whole run. */
static json_t *no_fixed_json(gt_arena *arena) {
  json_t *names = json_array();
  for (const gt_field *f = gt_train_schema.fields; f->name; f++) {
    const char *key = gt_arena_printf(arena, "train.%s", f->name);
    if (!gt_phase_may_change(key)) json_array_append_new(names, json_string(key));
  }
  return json_pack("{s:{s:o}}", "not", "enum", names);
}

static json_t *phases_json(const gt_schemas *all) {
  const paths p = {all->arena, all, json_object()};
  add_layers(&p);
  add_keys_of(&p, "optimizer", "optimizer");
  add_keys_of(&p, "schedule", "schedule");
  add_path(&p, "augment\\.[0-9]+", ref_json("augment/items"));
  add_items(&p, "augment\\.[0-9]+", "augmentation", "augment/items/anyOf", 1); /* 0: the names */
  add_keys(&p, "train", &gt_train_schema);
  json_t *phase = gt_schema_json(gt_phase_schema(all->arena), NULL),
         *properties = json_incref(json_object_get(phase, "properties"));
  json_decref(phase);
  json_t *item =
      json_pack("{s:s, s:o, s:o, s:o, s:b}", "type", "object", "properties", properties, "patternProperties",
                p.patterns, "propertyNames", no_fixed_json(all->arena), "additionalProperties", 0);
  return json_pack("{s:[s, s], s:o}", "type", "array", "null", "items", item);
}

/* --- the whole schema --- */

/* A value that is not a map: a single value, or lists of these. */
static json_t *plain_json(void) {
  return json_pack("{s:[s, s, s, s, s], s:o}", "type", "string", "number", "boolean", "null", "array",
                   "items", ref_json("plain"));
}

/* A plain value, or a map from any names to plain values. */
static json_t *named_json(void) {
  return json_pack("{s:[o, {s:s, s:o}]}", "anyOf", ref_json("plain"), "type", "object",
                   "additionalProperties", ref_json("plain"));
}

/* Scaling of single inputs: the schema of `normalize` without its key `inputs`. */
static json_t *normalize_inputs_json(void) {
  json_t *single = gt_schema_json(&gt_data_normalize_schema, NULL);
  json_object_del(json_object_get(json_array_get(json_object_get(single, "anyOf"), 0), "properties"),
                  "inputs");
  return json_pack("{s:[s, s], s:o}", "type", "object", "null", "additionalProperties", single);
}

/* Columns of a table, by their names in the file. */
static json_t *columns_json(void) {
  return json_pack("{s:[s, s], s:o}", "type", "object", "null", "additionalProperties",
                   gt_schema_json(&gt_column_schema, NULL));
}

/* A block's `each`: a map from names to lists of any values. These are checked when the config is read. */
static json_t *each_json(void) {
  const gt_field *times = gt_repeat_schema.fields;
  while (strcmp(times->name, "times")) times++;
  return json_pack("{s:s, s:i, s:{s:s, s:i, s:I, s:o}}", "type", "object", "minProperties", 1,
                   "additionalProperties", "type", "array", "minItems", 1, "maxItems", (json_int_t)times->max,
                   "items", ref_json("each_item"));
}

static void add_layer_definitions(json_t *definitions, const gt_schemas *all) {
  json_object_set_new(definitions, "each_value",
                      json_pack("{s:s, s:s, s:s}", "type", "string", "pattern", "^\\$", "description",
                                "the value of this name in the block's `each`, for the current repetition"));
  json_object_set_new(definitions, "each_item", json_object());
  json_object_set_new(definitions, "each", each_json());
  json_object_set_new(definitions, "no_each_value",
                      json_pack("{s:o, s:o, s:o}", "not", ref_json("each_value"), "items",
                                ref_json("no_each_value"), "additionalProperties",
                                ref_json("no_each_value")));
  json_object_set_new(definitions, "init",
                      allow_name_in_copy(typed_json(all, "init", typed_map_json, "initial values")));
  json_object_set_new(definitions, "layer_name", names_json(all, "layer"));
  json_object_set_new(definitions, "layer", json_pack("{s:o}", "anyOf", list_json(all, "layer", layer_json)));
  json_object_set_new(
      definitions, "layers",
      layers_json(json_pack("{s:[o, o]}", "allOf", ref_json("layer"), ref_json("no_each_value")), "layers"));
  json_object_set_new(definitions, "varied_layers", layers_json(ref_json("layer"), "varied_layers"));
}

json_t *gt_schema_of_configs(void) {
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_schemas *all = gt_schemas_of(&arena);
  json_t *root = gt_schema_json(&gt_config_schema, NULL), *definitions = json_object();
  json_object_set_new(root, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
  json_object_set_new(root, "title", json_string("gtrain config"));
  json_object_set_new(root, "$defs", definitions);
  json_object_set_new(definitions, "plain", plain_json());
  json_object_set_new(definitions, "named", named_json());
  json_object_set_new(definitions, "normalize_inputs", normalize_inputs_json());
  json_object_set_new(definitions, "columns", columns_json());
  json_object_set_new(definitions, "split", gt_schema_json(&gt_data_split_schema, NULL));
  json_object_set_new(definitions, "series", gt_schema_json(&gt_data_series_schema, NULL));
  json_object_set_new(definitions, "data",
                      json_pack("{s:s, s:o}", "description", "the dataset", "anyOf",
                                list_json(all, "format", settings_json)));
  json_object_set_new(definitions, "augment", augment_json(all));
  json_object_set_new(definitions, "init_from", gt_schema_json(&gt_init_from_schema, NULL));
  json_object_set_new(definitions, "loss", loss_json(all));
  json_object_set_new(definitions, "optimizer",
                      typed_json(all, "optimizer", typed_map_json, "the optimizer"));
  json_object_set_new(definitions, "schedule",
                      typed_json(all, "schedule", typed_map_json, "the learning rate over time"));
  json_object_set_new(definitions, "train", gt_schema_json(&gt_train_schema, NULL));
  json_object_set_new(definitions, "phases", phases_json(all));
  add_layer_definitions(definitions, all);
  gt_arena_finish(&arena);
  return root;
}
