/* The resolved config: every default written out. */
#include "model/model.h"
#include "train/config/config.h"
#include "train/config/init_from.h"
#include "train/config/sampler.h"
#include <string.h>

/* Adds a section that selects a type: `optimizer: adam` and `optimizer: {type: adam, …}` become a map whose
 * first key is `word` ("type" or "format"). */
static void add_typed(gt_arena *arena, gt_spec *root, const gt_spec *from, const char *key, const char *word,
                      const char *type, const gt_schema *schema, const gt_schema *common) {
  gt_spec *typed = gt_spec_add(arena, root, key, gt_spec_new(arena, GT_SPEC_MAP));
  const gt_spec *node = gt_spec_find(from, key);
  const gt_spec *map = node && node->kind == GT_SPEC_MAP ? node : NULL;
  const gt_spec *resolved = gt_schema_resolve(schema, common, map, arena);
  gt_spec_add(arena, typed, word, gt_spec_text(arena, type));
  for (int i = 0; i < resolved->count; i++)
    if (strcmp(resolved->child[i]->key, word))
      gt_spec_add(arena, typed, resolved->child[i]->key, resolved->child[i]);
}

/* For several targets, a map from their names to losses. */
static void add_losses(gt_arena *arena, gt_spec *root, const gt_config *config) {
  const gt_dataset *data = &config->dataset;
  if (data->targets == 1) {
    const gt_loss_type *loss = config->loss[0]->type;
    add_typed(arena, root, config->root, "loss", "type", loss->name, loss->schema, NULL);
    return;
  }
  const gt_spec *from = gt_spec_find(config->root, "loss");
  gt_spec *losses = gt_spec_add(arena, root, "loss", gt_spec_new(arena, GT_SPEC_MAP));
  for (int k = 0; k < data->targets; k++) {
    const gt_loss_type *loss = config->loss[k]->type;
    add_typed(arena, losses, from, data->target[k].name, "type", loss->name, loss->schema,
              &gt_loss_target_schema);
  }
}

static void add_data(gt_arena *arena, gt_spec *root, const gt_config *config) {
  const char *name = config->dataset.format;
  int count, i = 0;
  const gt_data_format *const *formats = gt_data_formats(&count);
  while (i + 1 < count && strcmp(gt_data_format_name(formats[i]), name)) i++;
  add_typed(arena, root, config->root, "data", "format", name, gt_data_format_schema(formats[i]),
            gt_data_common_schema());
  /* A series has another default split than the schema. */
  gt_spec *data = gt_spec_find(root, "data");
  for (int k = 0; config->dataset.input[0].window && k < data->count; k++)
    if (!strcmp(data->child[k]->key, "split") &&
        gt_spec_is_null(gt_spec_find(gt_spec_find(config->root, "data"), "split")))
      data->child[k]->scalar = "last";
  /* The splits of a language model are always the beginning and the end of its text: no such key. */
  if (gt_tensor_is_text(gt_train_target(&config->dataset, 0))) gt_spec_remove(data, "split");
}

/* Repeated blocks are not expanded. */
static void add_layers(gt_arena *arena, gt_spec *to, const gt_spec *from) {
  for (int i = 0; i < from->count; i++) {
    const gt_spec *item = from->child[i], *settings = item->kind == GT_SPEC_MAP ? item->child[0] : NULL;
    const char *name = settings ? settings->key : item->scalar;
    const bool block = !strcmp(name, GT_REPEAT);
    const gt_schema *schema = block ? &gt_repeat_schema : gt_layer_find(name)->schema;
    gt_spec *resolved = gt_schema_resolve(schema, block ? NULL : &gt_layer_common_schema, settings, arena);
    if (block) {
      gt_spec *layers = gt_spec_find(resolved, "layers");
      layers->count = 0;
      add_layers(arena, layers, gt_spec_find(settings, "layers"));
    }
    if (resolved->count)
      gt_spec_add(arena, gt_spec_add(arena, to, NULL, gt_spec_new(arena, GT_SPEC_MAP)), name, resolved);
    else
      gt_spec_add(arena, to, NULL, gt_spec_text(arena, name));
  }
}

static void add_model(gt_arena *arena, gt_spec *root, const gt_config *config) {
  gt_spec *model = gt_spec_add(arena, root, "model", gt_spec_new(arena, GT_SPEC_SEQUENCE));
  add_layers(arena, model, gt_spec_find(config->root, "model"));
}

static gt_spec *number(gt_arena *arena, int64_t value) {
  return gt_spec_text(arena, gt_arena_printf(arena, "%lld", (long long)value));
}

/* The value of a key of `train`; NULL: the key is omitted. The length has two keys, so the schema has no
 * default for it; keys that older versions do not know are omitted if they have no effect; eval_every depends
 * on the length of an epoch; threads depends on the machine and is omitted. */
static gt_spec *train_value(gt_arena *arena, const gt_train_config *train, const gt_spec *resolved,
                            const char *key) {
  if (!strcmp(key, "epochs")) return train->epochs ? number(arena, train->epochs) : NULL;
  if (!strcmp(key, "steps")) return train->steps ? number(arena, train->steps) : NULL;
  if (!strcmp(key, "accumulate")) return train->accumulate > 1 ? number(arena, train->accumulate) : NULL;
  if (!strcmp(key, "sampler") && !gt_sampler_is_balanced(train)) return NULL;
  /* In a run with phases, each phase has its own eval_every. */
  const bool phases = !gt_spec_is_null(train->phases);
  if (!strcmp(key, "eval_every") && !phases) return number(arena, train->eval_every);
  return strcmp(key, "threads") ? gt_spec_find(resolved, key) : NULL;
}

/* Adds all keys in the order of the schema, so that a resolved config resolves to itself. */
static void add_train(gt_arena *arena, gt_spec *root, const gt_config *config) {
  const gt_spec *node = gt_spec_find(config->root, "train");
  const gt_spec *resolved = gt_schema_resolve(&gt_train_schema, NULL, node, arena);
  gt_spec *train = gt_spec_add(arena, root, "train", gt_spec_new(arena, GT_SPEC_MAP));
  for (const gt_field *f = gt_train_schema.fields; f->name; f++) {
    gt_spec *value = train_value(arena, &config->train, resolved, f->name);
    if (value) gt_spec_add(arena, train, f->name, value);
  }
}

/* Adds a section without a type, named as its schema. */
static void add_section(gt_arena *arena, gt_spec *root, const gt_config *config, const gt_schema *schema) {
  const gt_spec *node = gt_spec_find(config->root, schema->name);
  gt_spec_add(arena, root, schema->name, gt_schema_resolve(schema, NULL, node, arena));
}

static void add_list(gt_arena *arena, gt_spec *root, const gt_config *config, const char *key) {
  const gt_spec *node = gt_spec_find(config->root, key);
  if (!gt_spec_is_null(node)) gt_spec_add(arena, root, key, gt_spec_copy(arena, node));
}

const char *gt_config_resolve(const gt_config *config, gt_arena *arena) {
  const gt_spec *from = config->root;
  gt_spec *root = gt_spec_new(arena, GT_SPEC_MAP);
  gt_spec_add(arena, root, "seed", number(arena, config->seed));
  add_data(arena, root, config);
  if (config->augment) gt_spec_add(arena, root, "augment", gt_augment_resolve(config->augment, arena));
  add_model(arena, root, config);
  if (!gt_spec_is_null(gt_spec_find(from, "init_from")))
    add_section(arena, root, config, &gt_init_from_schema);
  const gt_optim_type *optim = config->optim->type;
  const gt_schedule_type *schedule = config->optim->schedule->type;
  add_losses(arena, root, config);
  add_typed(arena, root, from, "optimizer", "type", optim->name, optim->schema, &gt_optim_common_schema);
  add_typed(arena, root, from, "schedule", "type", schedule->name, schedule->schema,
            &gt_schedule_common_schema);
  if (config->products != GT_PRECISION_AUTO) add_section(arena, root, config, &gt_precision_schema);
  if (config->flips || config->threshold.used) add_section(arena, root, config, &gt_eval_schema);
  add_train(arena, root, config);
  add_list(arena, root, config, "metrics");
  add_list(arena, root, config, "quiet");
  return gt_spec_write(arena, root);
}
