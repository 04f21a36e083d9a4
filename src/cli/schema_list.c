/* Lists everything that has a schema, from the registries, for `gtrain schema`, docs/config.md and
 * completions. */
#include "augment/augment.h"
#include "base/arena.h"
#include "cli/schema.h"
#include "data/table/column_rule.h"
#include "data/data.h"
#include "layer/layer.h"
#include "loss/loss.h"
#include "model/model.h"
#include "optim/optim.h"
#include "tokens/tokens.h"
#include "train/config/init_from.h"
#include "train/config/result.h"
#include "train/config/phases.h"
#include <string.h>

const gt_schema_kind gt_schema_kinds[] = {
    {"section", "sections", "the parts of a config", NULL},
    {"format", "formats", "the data formats", "data: {format: NAME, KEY: VALUE, ...}", "data"},
    {"augmentation", "augmentations", "random changes of training images",
     "augment: [NAME, {NAME: {KEY: VALUE, ...}}]", "augment"},
    {"layer", "layers", "the layers of a model", "model: [NAME, {NAME: {KEY: VALUE, ...}}]", "model"},
    {"block", "blocks", "layers that contain layers", "model: [{NAME: {KEY: VALUE, ...}}]", "model"},
    {"init", "inits", "initial values of parameters", "init: NAME, or init: {type: NAME, KEY: VALUE, ...}"},
    {"loss", "losses", "what training minimizes",
     "loss: NAME, or loss: {type: NAME, KEY: VALUE, ...}; for several targets, loss: {TARGET: {type: NAME, weight: "
     "1, ...}, ...}"},
    {"optimizer", "optimizers", "algorithms that minimize the loss",
     "optimizer: NAME, or optimizer: {type: NAME, KEY: VALUE, ...}"},
    {"schedule", "schedules", "the learning rate over time",
     "schedule: NAME, or schedule: {type: NAME, KEY: VALUE, ...}"},
    {"tokenizer", "tokenizers", "how a text becomes tokens",
     "data: {text: {vocabulary: NAME, window: TOKENS}}"},
    {"metric", "metrics", "what evaluations measure", "train: {early_stopping: {metric: NAME}}"},
    {"warning", "warnings", "warnings about a config or its data", "quiet: [NAME, ...]", NULL, "findings"},
    {.name = NULL},
};

const gt_schema_kind *gt_schema_find_kind(const char *name) {
  const gt_schema_kind *kind = gt_schema_kinds;
  while (strcmp(kind->name, name)) kind++;
  return kind;
}

/* Tokenizers, metrics and warnings have a name and no keys. */
static const gt_field no_fields[] = {{.name = NULL}};
static const gt_schema no_keys = {.name = "name", .fields = no_fields};

static void add(gt_schemas *all, gt_schema_entry item) {
  if (!item.help && item.schema) item.help = item.schema->help;
  if (all->count < GT_SCHEMA_MAX_ENTRIES) all->entry[all->count++] = item;
}

/* --- sections: the config's own rows, and the maps inside them --- */

gt_schema_content gt_schema_find_content(gt_arena *arena, const char *definition) {
  if (!definition) return (gt_schema_content){.text = "a map"};
  const gt_schema_content contents[] = {
      {"plain", "a value or a list of values"},
      {"named", "a value or list, or a map from names to these"},
      {"init", "initial values (a name, or a map with `type`)"},
      {"split", "random, last or stratified, or a map with one of `method`, `column` and `group`", NULL,
       &gt_data_split_schema},
      {"series", "the rows of a window, or a map (`gtrain schema series`)", NULL, &gt_data_series_schema},
      {"columns", "a map from names of columns to a type or a map (`gtrain schema columns`)"},
      {"normalize_inputs", "a map from names of inputs to scalings"},
      {"each", "a map from names to lists of values"},
      {"data", "a map", "format", gt_data_common_schema()},
      {"augment", "a list of augmentations", "augmentation"},
      {"layers", "a list of layers", "layer", &gt_layer_common_schema},
      {"loss", "a loss (a name, or a map with `type`)", "loss"},
      {"optimizer", "an optimizer (a name, or a map with `type`)", "optimizer", &gt_optim_common_schema},
      {"schedule", "a schedule (a name, or a map with `type`)", "schedule", &gt_schedule_common_schema},
      {"init_from", "a file name or a map", NULL, &gt_init_from_schema},
      {"train", "a map", NULL, &gt_train_schema},
      {"phases", "a list of phases", NULL, gt_phase_schema(arena)},
  };
  for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
    if (!strcmp(contents[i].definition, definition)) return contents[i];
  return (gt_schema_content){.text = "a map"};
}

static bool is_listed(const gt_schemas *all, const char *name) {
  for (int i = 0; i < all->count; i++)
    if (!strcmp(all->entry[i].name, name)) return true;
  return false;
}

static void add_sections(gt_schemas *all, const gt_schema *schema, const char *path) {
  for (const gt_field *f = schema->fields; f && f->name; f++) {
    const bool is_node = f->type == GT_FIELD_NODE && !f->sub;
    const gt_schema_content content = gt_schema_find_content(all->arena, is_node ? f->definition : NULL);
    const gt_schema *inner = is_node ? content.schema : f->sub;
    const char *items = f->choices == gt_finding_names ? "warning" : content.kind;
    if ((!inner && !items) || is_listed(all, f->name)) continue;
    const char *place = gt_arena_printf(all->arena, "%s%s%s", path, *path ? "." : "", f->name);
    add(all, (gt_schema_entry){"section", f->name, f->help, inner, NULL, place, items});
    if (inner) add_sections(all, inner, place);
    if (!strcmp(place, "data"))
      add(all, (gt_schema_entry){"section", "columns", gt_column_schema.help, &gt_column_schema, NULL,
                                 "data.columns.NAME"});
  }
}

/* --- entries of the registries --- */

static void add_data(gt_schemas *all) {
  int formats;
  const gt_data_format *const *format = gt_data_formats(&formats);
  for (int i = 0; i < formats; i++) {
    const gt_schema *schema = gt_data_format_schema(format[i]);
    add(all, (gt_schema_entry){"format", gt_data_format_name(format[i]), schema->help, schema,
                               gt_data_common_schema()});
  }
  for (int i = 0; i < gt_augment_count(); i++) {
    const gt_augment_type *t = gt_augment_at(i);
    add(all, (gt_schema_entry){"augmentation", t->name, t->help, t->schema});
  }
  for (int i = 0; i < gt_tokenizer_count(); i++)
    add(all, (gt_schema_entry){"tokenizer", gt_tokenizer_at(i)->name, gt_tokenizer_at(i)->help, &no_keys});
}

static void add_model(gt_schemas *all) {
  for (int i = 0; i < gt_layer_count(); i++) {
    const gt_layer_type *t = gt_layer_at(i);
    add(all, (gt_schema_entry){"layer", t->name, t->help, t->schema, &gt_layer_common_schema,
                               .family = (int)t->family});
  }
  add(all, (gt_schema_entry){"block", gt_repeat_schema.name, gt_repeat_schema.help, &gt_repeat_schema});
  for (int i = 0; i < gt_init_count(); i++) {
    const gt_init_type *t = gt_init_at(i);
    add(all, (gt_schema_entry){"init", t->name, t->help, t->schema});
  }
}

/* Adds a warning. Its details are the help of its schema, which is printed below its line. */
static void add_finding(gt_schemas *all, int index) {
  gt_schema *schema = GT_NEW(all->arena, gt_schema);
  *schema = no_keys;
  schema->help = gt_finding_details[index + 1];
  add(all, (gt_schema_entry){"warning", gt_finding_names[index], gt_finding_texts[index], schema});
}

static void add_training(gt_schemas *all) {
  for (int i = 0; i < gt_loss_count(); i++) {
    const gt_loss_type *t = gt_loss_at(i);
    add(all, (gt_schema_entry){"loss", t->name, t->help, t->schema});
  }
  for (int i = 0; i < gt_optim_count(); i++) {
    const gt_optim_type *t = gt_optim_at(i);
    add(all, (gt_schema_entry){"optimizer", t->name, t->help, t->schema, &gt_optim_common_schema});
  }
  for (int i = 0; i < gt_schedule_count(); i++) {
    const gt_schedule_type *t = gt_schedule_at(i);
    add(all, (gt_schema_entry){"schedule", t->name, t->help, t->schema, &gt_schedule_common_schema});
  }
  for (int i = 0; gt_metric_at(i); i++)
    add(all, (gt_schema_entry){"metric", gt_metric_at(i)->name, gt_metric_help(gt_metric_at(i)), &no_keys});
  for (int i = 0; gt_finding_names[i]; i++) add_finding(all, i);
}

const gt_schemas *gt_schemas_of(gt_arena *arena) {
  gt_schemas *all = GT_NEW(arena, gt_schemas);
  all->arena = arena;
  add(all, (gt_schema_entry){"section", gt_config_schema.name, gt_config_schema.help, &gt_config_schema, NULL,
                             ""});
  add_sections(all, &gt_config_schema, "");
  add_data(all);
  add_model(all);
  add_training(all);
  return all;
}

const gt_schema_entry *gt_schemas_next(const gt_schemas *all, const char *kind, int family,
                                       const gt_schema_entry *last) {
  for (const gt_schema_entry *e = last ? last + 1 : all->entry; e < all->entry + all->count; e++)
    if (!strcmp(e->kind, kind) && (family < 0 || e->family == family)) return e;
  return NULL;
}
