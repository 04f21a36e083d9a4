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

/* The layers of a block are those of a model: the schema refers to itself. */
static json_t *repeat_json(void) {
  json_t *settings = gt_schema_json(&gt_repeat_schema, NULL);
  json_t *layers = json_object_get(json_object_get(settings, "properties"), "layers");
  json_object_set_new(layers, "$ref", json_string("#/properties/model"));
  return item_json(gt_repeat_schema.name, gt_repeat_schema.help, settings);
}

/* What an item of a list may be: `NAME`, or `NAME: {…}`, for each thing of a kind; the names come first. */
static json_t *items_json(const thing *list, int count, const char *kind) {
  json_t *any = json_array(), *names = json_array();
  for (int i = 0; i < count; i++) {
    if (strcmp(list[i].kind, kind)) continue;
    json_array_append_new(names, json_string(list[i].name));
    json_array_append_new(
        any, item_json(list[i].name, list[i].help, gt_schema_json(list[i].schema, list[i].common)));
  }
  json_array_insert_new(any, 0, json_pack("{s:o}", "enum", names));
  return any;
}

static json_t *model_json(const thing *list, int count) {
  json_t *any = items_json(list, count, "layer");
  json_array_append_new(any, repeat_json());
  return json_pack("{s:s, s:s, s:i, s:{s:o}}", "description", "the layers, in order", "type", "array",
                   "minItems", 1, "items", "anyOf", any);
}

static json_t *augment_json(const thing *list, int count) {
  return json_pack("{s:s, s:s, s:{s:o}}", "description",
                   "how pictures are changed at random in training, in order", "type", "array", "items",
                   "anyOf", items_json(list, count, "augmentation"));
}

static int print_schema(const thing *list, int count) {
  json_t *root = gt_schema_json(&gt_config_schema, NULL), *properties = json_object_get(root, "properties");
  json_object_set_new(root, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
  json_object_set_new(root, "title", json_string("gtrain config"));
  json_object_set_new(properties, "data", data_json(list, count));
  json_object_set_new(properties, "augment", augment_json(list, count));
  json_object_set_new(properties, "model", model_json(list, count));
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
