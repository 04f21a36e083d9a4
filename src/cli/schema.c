/* The JSON Schema of a config, for editors, and the same as text for one thing (`gtrain schema linear`). */
#include "cli/schema.h"
#include "augment/augment.h"
#include "base/text.h"
#include "cli/common.h"
#include "data/data.h"
#include "layer/layer.h"
#include "loss/loss.h"
#include "model/model.h"
#include "optim/optim.h"
#include "train/config.h"
#include "train/init_from.h"
#include <string.h>

static const gt_option options[] = {{NULL, NULL, NULL, false}};

/* A warning has a name for `quiet:` and nothing to set. */
static const gt_field no_fields[] = {{.name = NULL}};
static const gt_schema no_keys = {.name = "warning", .fields = no_fields};

static void add(gt_schema_thing *list, int *count, gt_schema_thing item) {
  if (*count < GT_SCHEMA_MOST_THINGS) list[(*count)++] = item;
}

static void add_section(gt_schema_thing *list, int *count, const gt_schema *schema) {
  add(list, count, (gt_schema_thing){"section", schema->name, schema->help, schema, NULL});
}

int gt_schema_things(gt_schema_thing *list) {
  int count = 0, formats;
  add_section(list, &count, &gt_config_schema);
  add_section(list, &count, &gt_train_schema);
  add_section(list, &count, &gt_init_from_schema);
  add_section(list, &count, &gt_prune_schema);
  add_section(list, &count, &gt_snap_schema);
  const gt_data_format *const *format = gt_data_formats(&formats);
  for (int i = 0; i < formats; i++) {
    const gt_schema *schema = gt_data_format_schema(format[i]);
    add(list, &count,
        (gt_schema_thing){"data", gt_data_format_name(format[i]), schema->help, schema,
                          gt_data_common_schema()});
  }
  for (int i = 0; i < gt_augment_count(); i++) {
    const gt_augment_type *t = gt_augment_at(i);
    add(list, &count, (gt_schema_thing){"augmentation", t->name, t->help, t->schema, NULL});
  }
  for (int i = 0; i < gt_layer_count(); i++) {
    const gt_layer_type *t = gt_layer_at(i);
    add(list, &count, (gt_schema_thing){"layer", t->name, t->help, t->schema, &gt_layer_common_schema});
  }
  add(list, &count,
      (gt_schema_thing){"block", gt_repeat_schema.name, gt_repeat_schema.help, &gt_repeat_schema, NULL});
  for (int i = 0; i < gt_init_count(); i++) {
    const gt_init_type *t = gt_init_at(i);
    add(list, &count, (gt_schema_thing){"init", t->name, t->help, t->schema, NULL});
  }
  for (int i = 0; i < gt_loss_count(); i++) {
    const gt_loss_type *t = gt_loss_at(i);
    add(list, &count, (gt_schema_thing){"loss", t->name, t->help, t->schema, NULL});
  }
  for (int i = 0; i < gt_optim_count(); i++) {
    const gt_optim_type *t = gt_optim_at(i);
    add(list, &count, (gt_schema_thing){"optimizer", t->name, t->help, t->schema, &gt_optim_common_schema});
  }
  for (int i = 0; i < gt_schedule_count(); i++) {
    const gt_schedule_type *t = gt_schedule_at(i);
    add(list, &count, (gt_schema_thing){"schedule", t->name, t->help, t->schema, &gt_schedule_common_schema});
  }
  for (int i = 0; gt_finding_names[i]; i++)
    add(list, &count, (gt_schema_thing){"warning", gt_finding_names[i], gt_finding_texts[i], &no_keys, NULL});
  return count;
}

static int print_schema(void) {
  json_t *root = gt_schema_of_configs();
  json_dumpf(root, stdout, JSON_INDENT(2));
  printf("\n");
  json_decref(root);
  return GT_OK;
}

/* --- text --- */

static int print_thing(const gt_arguments *arguments, const gt_schema_thing *list, int count,
                       const char *name) {
  gt_arena arena;
  const char *names[GT_SCHEMA_MOST_THINGS];
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
  gt_schema_thing list[GT_SCHEMA_MOST_THINGS];
  const int count = gt_schema_things(list);
  return arguments->words ? print_thing(arguments, list, count, arguments->word[0]) : print_schema();
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
