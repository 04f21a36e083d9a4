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
    {"format", "formats", "the data formats", "data: {format: NAME, KEY: VALUE, ...}"},
    {"augmentation", "augmentations", "random changes of training images",
     "augment: [NAME, {NAME: {KEY: VALUE, ...}}]"},
    {"layer", "layers", "the layers of a model", "model: [NAME, {NAME: {KEY: VALUE, ...}}]"},
    {"block", "blocks", "layers that contain layers", "model: [{NAME: {KEY: VALUE, ...}}]"},
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
    {"warning", "warnings", "warnings about a config or its data", "quiet: [NAME, ...]", "findings"},
    {NULL, NULL, NULL, NULL, NULL},
};

/* Tokenizers, metrics and warnings have a name and no keys. */
static const gt_field no_fields[] = {{.name = NULL}};
static const gt_schema no_keys = {.name = "name", .fields = no_fields};

typedef struct builder {
  gt_schema_entry *list;
  int count;
  gt_arena *arena;
} builder;

static void add(builder *b, gt_schema_entry item) {
  if (b->count < GT_SCHEMA_MAX_ENTRIES) b->list[b->count++] = item;
}

/* --- sections: the config's own rows, and the maps inside them --- */

/* The content of a subtree, by gt_field.definition: the kind of its entries and the keys that they share. */
static void find_content(gt_arena *arena, const char *definition, const char **kind,
                         const gt_schema **schema) {
  const struct {
    const char *definition, *kind;
    const gt_schema *schema;
  } contents[] = {
      {"data", "format", gt_data_common_schema()},
      {"split", NULL, &gt_data_split_schema},
      {"series", NULL, &gt_data_series_schema},
      {"augment", "augmentation", NULL},
      {"layers", "layer", &gt_layer_common_schema},
      {"loss", "loss", NULL},
      {"optimizer", "optimizer", &gt_optim_common_schema},
      {"schedule", "schedule", &gt_schedule_common_schema},
      {"init_from", NULL, &gt_init_from_schema},
      {"train", NULL, &gt_train_schema},
      {"phases", NULL, gt_phase_schema(arena)},
  };
  for (size_t i = 0; definition && i < sizeof contents / sizeof *contents; i++)
    if (!strcmp(contents[i].definition, definition)) *kind = contents[i].kind, *schema = contents[i].schema;
}

static bool is_listed(const builder *b, const char *name) {
  for (int i = 0; i < b->count; i++)
    if (!strcmp(b->list[i].name, name)) return true;
  return false;
}

static void add_sections(builder *b, const gt_schema *schema, const char *path) {
  for (const gt_field *f = schema->fields; f && f->name; f++) {
    const char *items = NULL;
    const gt_schema *inner = f->sub;
    if (f->type == GT_FIELD_NODE && !f->sub) find_content(b->arena, f->definition, &items, &inner);
    if (f->choices == gt_finding_names) items = "warning";
    if ((!inner && !items) || is_listed(b, f->name)) continue;
    const char *place = gt_arena_printf(b->arena, "%s%s%s", path, *path ? "." : "", f->name);
    add(b, (gt_schema_entry){"section", f->name, f->help, inner, NULL, place, items});
    if (inner) add_sections(b, inner, place);
    if (!strcmp(place, "data"))
      add(b, (gt_schema_entry){"section", "columns", gt_column_schema.help, &gt_column_schema, NULL,
                               "data.columns.NAME"});
  }
}

/* --- entries of the registries --- */

static void add_data(builder *b) {
  int formats;
  const gt_data_format *const *format = gt_data_formats(&formats);
  for (int i = 0; i < formats; i++) {
    const gt_schema *schema = gt_data_format_schema(format[i]);
    add(b, (gt_schema_entry){"format", gt_data_format_name(format[i]), schema->help, schema,
                             gt_data_common_schema()});
  }
  for (int i = 0; i < gt_augment_count(); i++) {
    const gt_augment_type *t = gt_augment_at(i);
    add(b, (gt_schema_entry){"augmentation", t->name, t->help, t->schema});
  }
  for (int i = 0; i < gt_tokenizer_count(); i++)
    add(b, (gt_schema_entry){"tokenizer", gt_tokenizer_at(i)->name, gt_tokenizer_at(i)->help, &no_keys});
}

static void add_model(builder *b) {
  for (int i = 0; i < gt_layer_count(); i++) {
    const gt_layer_type *t = gt_layer_at(i);
    add(b, (gt_schema_entry){"layer", t->name, t->help, t->schema, &gt_layer_common_schema,
                             .family = (int)t->family});
  }
  add(b, (gt_schema_entry){"block", gt_repeat_schema.name, gt_repeat_schema.help, &gt_repeat_schema});
  for (int i = 0; i < gt_init_count(); i++) {
    const gt_init_type *t = gt_init_at(i);
    add(b, (gt_schema_entry){"init", t->name, t->help, t->schema});
  }
}

/* Adds a warning. Its details are the help of its schema, which is printed below its line. */
static void add_finding(builder *b, int index) {
  gt_schema *schema = GT_NEW(b->arena, gt_schema);
  *schema = no_keys;
  schema->help = gt_finding_details[index + 1];
  add(b, (gt_schema_entry){"warning", gt_finding_names[index], gt_finding_texts[index], schema});
}

static void add_training(builder *b) {
  for (int i = 0; i < gt_loss_count(); i++) {
    const gt_loss_type *t = gt_loss_at(i);
    add(b, (gt_schema_entry){"loss", t->name, t->help, t->schema});
  }
  for (int i = 0; i < gt_optim_count(); i++) {
    const gt_optim_type *t = gt_optim_at(i);
    add(b, (gt_schema_entry){"optimizer", t->name, t->help, t->schema, &gt_optim_common_schema});
  }
  for (int i = 0; i < gt_schedule_count(); i++) {
    const gt_schedule_type *t = gt_schedule_at(i);
    add(b, (gt_schema_entry){"schedule", t->name, t->help, t->schema, &gt_schedule_common_schema});
  }
  for (int i = 0; gt_metric_at(i); i++)
    add(b, (gt_schema_entry){"metric", gt_metric_at(i)->name, gt_metric_help(gt_metric_at(i)), &no_keys});
  for (int i = 0; gt_finding_names[i]; i++) add_finding(b, i);
}

int gt_schema_entries(gt_schema_entry *list, gt_arena *arena) {
  builder b = {list, 0, arena};
  add(&b, (gt_schema_entry){"section", gt_config_schema.name, gt_config_schema.help, &gt_config_schema, NULL,
                            ""});
  add_sections(&b, &gt_config_schema, "");
  add_data(&b);
  add_model(&b);
  add_training(&b);
  return b.count;
}
