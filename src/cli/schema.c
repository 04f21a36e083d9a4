/* The JSON Schema of a config, for editors, and the same as text for one thing (`gtrain schema linear`). */
#include "augment/augment.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/common.h"
#include "data/data.h"
#include "layer/layer.h"
#include "loss/loss.h"
#include "model/model.h"
#include "optim/optim.h"
#include "train/config.h"
#include <string.h>

static const gt_option options[] = {{NULL, NULL, NULL, false}};

typedef struct thing {
  const char *kind, *name, *help;
  const gt_schema *schema, *common;
} thing;
enum { MOST_THINGS = 256 };

/* A warning has a name for `quiet:` and nothing to set. */
static const gt_field no_fields[] = {{.name = NULL}};
static const gt_schema no_keys = {.name = "warning", .fields = no_fields};

static void add(thing *list, int *count, thing item) {
  if (*count < MOST_THINGS) list[(*count)++] = item;
}

/* Everything that has a schema, by kind. */
static int all_things(thing *list) {
  int count = 0, formats;
  add(list, &count, (thing){"section", "config", gt_config_schema.help, &gt_config_schema, NULL});
  add(list, &count, (thing){"section", "train", gt_train_schema.help, &gt_train_schema, NULL});
  const gt_data_format *const *format = gt_data_formats(&formats);
  for (int i = 0; i < formats; i++) {
    const gt_schema *schema = gt_data_format_schema(format[i]);
    add(list, &count,
        (thing){"data", gt_data_format_name(format[i]), schema->help, schema, gt_data_common_schema()});
  }
  for (int i = 0; i < gt_augment_count(); i++) {
    const gt_augment_type *t = gt_augment_at(i);
    add(list, &count, (thing){"augmentation", t->name, t->help, t->schema, NULL});
  }
  for (int i = 0; i < gt_layer_count(); i++) {
    const gt_layer_type *t = gt_layer_at(i);
    add(list, &count, (thing){"layer", t->name, t->help, t->schema, &gt_layer_common_schema});
  }
  add(list, &count, (thing){"block", gt_repeat_schema.name, gt_repeat_schema.help, &gt_repeat_schema, NULL});
  for (int i = 0; i < gt_init_count(); i++) {
    const gt_init_type *t = gt_init_at(i);
    add(list, &count, (thing){"init", t->name, t->help, t->schema, NULL});
  }
  for (int i = 0; i < gt_loss_count(); i++) {
    const gt_loss_type *t = gt_loss_at(i);
    add(list, &count, (thing){"loss", t->name, t->help, t->schema, NULL});
  }
  for (int i = 0; i < gt_optim_count(); i++) {
    const gt_optim_type *t = gt_optim_at(i);
    add(list, &count, (thing){"optimizer", t->name, t->help, t->schema, &gt_optim_common_schema});
  }
  for (int i = 0; i < gt_schedule_count(); i++) {
    const gt_schedule_type *t = gt_schedule_at(i);
    add(list, &count, (thing){"schedule", t->name, t->help, t->schema, &gt_schedule_common_schema});
  }
  for (int i = 0; gt_finding_names[i]; i++)
    add(list, &count, (thing){"warning", gt_finding_names[i], gt_finding_texts[i], &no_keys, NULL});
  return count;
}

/* --- JSON --- */

/* `NAME`, or `{type: NAME, …}`, for each thing of a kind. */
static json_t *typed_json(const thing *list, int count, const char *kind, const char *help) {
  json_t *any = json_array(), *names = json_array();
  for (int i = 0; i < count; i++) {
    if (strcmp(list[i].kind, kind)) continue;
    json_t *object = gt_schema_json(list[i].schema, list[i].common);
    json_t *properties = json_object_get(object, "properties");
    if (properties) {
      json_object_set_new(
          properties, "type",
          json_pack("{s:s, s:s}", "const", list[i].name, "description", list[i].help ? list[i].help : ""));
      json_object_set_new(object, "required", json_pack("[s]", "type"));
    }
    json_array_append_new(names, json_string(list[i].name));
    json_array_append_new(any, object);
  }
  json_array_insert_new(any, 0, json_pack("{s:o}", "enum", names));
  return json_pack("{s:s, s:o}", "description", help, "anyOf", any);
}

static json_t *data_json(const thing *list, int count) {
  json_t *any = json_array();
  for (int i = 0; i < count; i++)
    if (!strcmp(list[i].kind, "data"))
      json_array_append_new(any, gt_schema_json(list[i].schema, list[i].common));
  return json_pack("{s:s, s:o}", "description", "the dataset", "anyOf", any);
}

/* An item of the model that is a map with one key. */
static json_t *item_json(const char *name, const char *help, json_t *settings) {
  json_t *properties = json_object();
  json_object_set_new(properties, name, settings);
  return json_pack("{s:s, s:s, s:o, s:[s], s:b}", "type", "object", "description", help ? help : "",
                   "properties", properties, "required", name, "additionalProperties", 0);
}

/* The names of all things of a kind: `- NAME`. */
static json_t *names_json(const thing *list, int count, const char *kind) {
  json_t *names = json_array();
  for (int i = 0; i < count; i++)
    if (!strcmp(list[i].kind, kind)) json_array_append_new(names, json_string(list[i].name));
  return json_pack("{s:o}", "enum", names);
}

/* `- NAME: {…}` for each thing of a kind; `settings_of` makes the schema of its settings. */
static json_t *items_json(const thing *list, int count, const char *kind,
                          json_t *(*settings_of)(const thing *item)) {
  json_t *any = json_array();
  for (int i = 0; i < count; i++)
    if (!strcmp(list[i].kind, kind))
      json_array_append_new(any, item_json(list[i].name, list[i].help, settings_of(&list[i])));
  return any;
}

static json_t *plain_settings(const thing *item) { return gt_schema_json(item->schema, item->common); }

static json_t *augment_json(const thing *list, int count) {
  json_t *any = items_json(list, count, "augmentation", plain_settings);
  json_array_insert_new(any, 0, names_json(list, count, "augmentation"));
  return json_pack("{s:s, s:s, s:{s:o}}", "description",
                   "how pictures are changed at random in training, in order", "type", "array", "items",
                   "anyOf", any);
}

/* --- JSON: layers, and blocks of them ---
 * Below a block with `each`, any value in a layer's settings may be `$NAME`, elsewhere none. So there is one
 * schema of a layer, which lets them be, and lists that stand outside add that there are none. Whether an
 * `each` has that name, and what its value comes to, is left to who reads the config. */

static json_t *ref(const char *definition) {
  return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", definition));
}

static json_t *or_name(json_t *schema);

/* The same with `$NAME` in place of any value in it. */
static void let_names_in(json_t *schema) {
  static const char *const inner[] = {"items", "additionalProperties"};
  json_t *properties = json_object_get(schema, "properties"), *value;
  const char *key;
  size_t index;
  json_object_foreach(properties, key, value) {
    json_object_set_new(properties, key, or_name(json_deep_copy(value)));
  }
  for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
    if (json_is_object(value = json_object_get(schema, inner[i])))
      json_object_set_new(schema, inner[i], or_name(json_deep_copy(value)));
  json_array_foreach(json_object_get(schema, "anyOf"), index, value) { let_names_in(value); }
}

/* Takes the schema, of which nothing else must hold a part; texts, and what may be anything, may be `$NAME`
 * already. */
static json_t *or_name(json_t *schema) {
  static const char *const told[] = {"description", "default"};
  json_t *any = json_object_get(schema, "anyOf"), *type = json_object_get(schema, "type"), *value;
  const char *name = json_string_value(type);
  const bool closed = any || json_object_get(schema, "enum") || (name && strcmp(name, "string") != 0);
  let_names_in(schema);
  if (!closed) return schema;
  if (any) {
    json_array_append_new(any, ref("each_value"));
    return schema;
  }
  json_t *either = json_object();
  for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
    if ((value = json_object_get(schema, told[i]))) json_object_set(either, told[i], value);
    json_object_del(schema, told[i]);
  }
  json_object_set_new(either, "anyOf", json_pack("[o, o]", schema, ref("each_value")));
  return either;
}

static json_t *layer_settings(const thing *item) {
  json_t *shared = plain_settings(item), *own = json_deep_copy(shared);
  json_decref(shared);
  return or_name(own);
}

/* A block with (`each`) or without values that differ from pass to pass; `layers` says what its layers are.
 */
static json_t *passes_json(bool each, const char *layers) {
  json_t *settings = gt_schema_json(&gt_repeat_schema, NULL);
  json_t *properties = json_object_get(settings, "properties"), *values = json_object_get(properties, "each");
  json_object_update_new(json_object_get(properties, "layers"), ref(layers));
  if (each)
    json_object_update_new(values,
                           json_pack("{s:s, s:i, s:{s:s, s:i, s:O}}", "type", "object", "minProperties", 1,
                                     "additionalProperties", "type", "array", "minItems", 1, "maxItems",
                                     json_object_get(json_object_get(properties, "times"), "maximum")));
  else
    json_object_set_new(values, "type", json_string("null"));
  json_array_append_new(json_object_get(settings, "required"), json_string(each ? "each" : "times"));
  return settings;
}

/* `layers`: of a block without `each` that stands in this list. */
static json_t *layers_json(json_t *layer, const char *layers) {
  json_t *settings =
      json_pack("{s:[o, o]}", "anyOf", passes_json(false, layers), passes_json(true, "varied_layers"));
  json_t *repeat = item_json(gt_repeat_schema.name, gt_repeat_schema.help, settings);
  return json_pack("{s:s, s:s, s:i, s:{s:[o, o, o]}}", "description", "the layers, in order", "type", "array",
                   "minItems", 1, "items", "anyOf", ref("layer_name"), layer, repeat);
}

static json_t *definitions_json(const thing *list, int count) {
  json_t *all = json_pack("{s:{s:s, s:s, s:s}}", "each_value", "type", "string", "pattern", "^\\$",
                          "description", "the value that a block's `each` has by this name for the pass");
  json_object_set_new(all, "no_each_value",
                      json_pack("{s:o, s:o, s:o}", "not", ref("each_value"), "items", ref("no_each_value"),
                                "additionalProperties", ref("no_each_value")));
  json_object_set_new(all, "layer_name", names_json(list, count, "layer"));
  json_object_set_new(all, "layer",
                      json_pack("{s:o}", "anyOf", items_json(list, count, "layer", layer_settings)));
  json_object_set_new(
      all, "layers",
      layers_json(json_pack("{s:[o, o]}", "allOf", ref("layer"), ref("no_each_value")), "layers"));
  json_object_set_new(all, "varied_layers", layers_json(ref("layer"), "varied_layers"));
  return all;
}

static int print_schema(const thing *list, int count) {
  json_t *root = gt_schema_json(&gt_config_schema, NULL), *properties = json_object_get(root, "properties");
  json_object_set_new(root, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
  json_object_set_new(root, "title", json_string("gtrain config"));
  json_object_set_new(properties, "data", data_json(list, count));
  json_object_set_new(properties, "augment", augment_json(list, count));
  json_object_set_new(root, "$defs", definitions_json(list, count));
  json_object_set_new(properties, "model", ref("layers"));
  json_object_set_new(properties, "loss", typed_json(list, count, "loss", "what is minimised"));
  json_object_set_new(properties, "optimizer", typed_json(list, count, "optimizer", "how it is minimised"));
  json_object_set_new(properties, "schedule",
                      typed_json(list, count, "schedule", "the learning rate over time"));
  json_object_set_new(properties, "train", gt_schema_json(&gt_train_schema, NULL));
  json_dumpf(root, stdout, JSON_INDENT(2));
  printf("\n");
  json_decref(root);
  return GT_OK;
}

/* --- text --- */

static int print_thing(const gt_arguments *arguments, const thing *list, int count, const char *name) {
  gt_arena arena;
  const char *names[MOST_THINGS];
  bool found = false;
  gt_arena_init(&arena);
  for (int i = 0; i < count; i++) {
    names[i] = list[i].name;
    if (strcmp(list[i].name, name)) continue;
    printf("%s%s %s: %s\n%s", found ? "\n" : "", list[i].kind, name, list[i].help ? list[i].help : "",
           gt_schema_help(&arena, list[i].schema));
    if (list[i].common) printf("%s", gt_schema_help(&arena, list[i].common));
    found = true;
  }
  gt_arena_finish(&arena);
  if (found) return GT_OK;
  const char *nearest = gt_nearest(name, names, (size_t)count);
  if (nearest) return gt_usage_error(arguments, "nothing is called '%s'; did you mean '%s'?", name, nearest);
  return gt_usage_error(arguments, "nothing is called '%s'", name);
}

static int run(const gt_arguments *arguments) {
  thing list[MOST_THINGS];
  const int count = all_things(list);
  return arguments->words ? print_thing(arguments, list, count, arguments->word[0])
                          : print_schema(list, count);
}

GT_REGISTER(command, schema)
extern const gt_command gt_command_schema;
const gt_command gt_command_schema = {
    .name = "schema",
    .summary = "print the JSON Schema of configs, or the keys of one thing",
    .usage = "[NAME]",
    .details =
        "Without NAME: the JSON Schema, for editors. NAME: a section, data format, augmentation, layer,\n"
        "block, loss, optimizer or schedule, e.g. `gtrain schema linear`.\n",
    .options = options,
    .max_words = 1,
    .run = run,
};
