#include "train/config/config.h"
#include "base/log.h"
#include "train/config/classes.h"
#include "train/config/config_keys.h"
#include "train/config/config_metrics.h"
#include "train/config/init_from.h"
#include "train/config/phases.h"
#include "train/config/places.h"
#include "train/config/review.h"
#include "train/config/sampler.h"
#include "train/config/target_scaling.h"
#include "train/config/threshold.h"
#include <string.h>

static bool is_override(const gt_spec *node) { return gt_position_is_override(node->at); }

/* If the config has both epochs and steps, the one that --set gives replaces the one in the file. */
static void choose_length(gt_train_config *train, const gt_spec *node, gt_diagnostics *diagnostics) {
  if (!train->epochs || !train->steps) return;
  const gt_spec *epochs = gt_spec_find(node, "epochs"), *steps = gt_spec_find(node, "steps");
  if (is_override(steps) && !is_override(epochs))
    train->epochs = 0;
  else if (is_override(epochs) && !is_override(steps))
    train->steps = 0;
  else
    gt_error_at(diagnostics, steps->at, "both epochs and steps are given")->expected = "one of them";
}

/* Test files that --set gives replace a test_fraction in the file. */
static void choose_test(gt_spec *data) {
  const gt_spec *test = gt_spec_find(data, "test"), *fraction = gt_spec_find(data, "test_fraction");
  if (!test || !fraction || !is_override(test) || is_override(fraction)) return;
  gt_spec_remove(data, fraction->key);
}

static void read_train(gt_config *config, const gt_spec *node, gt_arena *arena, gt_diagnostics *diagnostics) {
  gt_train_config *train = &config->train;
  const gt_position at = node ? node->at : config->root->at;
  if (!gt_schema_read(&gt_train_schema, train, NULL, NULL, node, at, "in 'train'", arena, diagnostics))
    return;
  choose_length(train, node, diagnostics);
  if (!train->epochs && !train->steps && gt_spec_is_null(train->phases)) train->epochs = 10;
  train->early_stopping.has_goal = gt_spec_find(gt_spec_find(node, "early_stopping"), "goal") != NULL;
  if (train->restart_every && !train->early_stopping.has_goal)
    gt_error_at(diagnostics, gt_spec_find(node, "restart_every")->at,
                "restart_every needs a goal at which to stop")
        ->expected = "early_stopping: {metric: ..., goal: ...}";
  if (train->restart_every && train->early_stopping.patience)
    gt_error_at(diagnostics, gt_spec_find(node, "restart_every")->at,
                "a new attempt starts worse than the best one, so patience would stop it")
        ->expected = "restart_every or early_stopping.patience, not both";
  const gt_spec *checkpoint = gt_spec_find(node, "checkpoint");
  if (!checkpoint || (checkpoint->kind == GT_SPEC_MAP && !gt_spec_find(checkpoint, "every")))
    train->checkpoint.every = -1;
  if (!gt_spec_find(node, "eval_every")) train->eval_every = train->steps ? -1 : 1; /* -1: once per epoch */
}

/* Evaluates once per epoch if the run is counted in steps and eval_every is not given. */
static void choose_evaluations(gt_config *config) {
  const gt_train_config *train = &config->train;
  if (train->eval_every < 0) config->train.eval_every = gt_phase_steps_per_epoch(config);
}

void gt_config_read_sections(gt_config *config, gt_arena *arena, gt_diagnostics *diagnostics) {
  config->train = (gt_train_config){0};
  read_train(config, gt_spec_find(config->root, "train"), arena, diagnostics);
  config->optim = gt_optim_read(arena, config->root, diagnostics);
  config->augment = gt_augment_read(arena, config->root, diagnostics);
  if (config->optim) gt_config_check_augment(config, diagnostics);
  if (config->optim) gt_config_check_sampler(config, diagnostics);
  gt_config_check_watched(config, true, diagnostics); /* the whole config was checked for a hard form */
  choose_evaluations(config);
}

/* Writes the paths of the files that were found into the config that a run saves, so that it can be read from
 * any folder. */
static void write_moved(gt_spec *node, const gt_data_resolved_path *moved) {
  for (const gt_data_resolved_path *m = moved; m; m = m->next)
    if (m->node == node) node->scalar = m->path;
  for (int i = 0; i < node->count; i++) write_moved(node->child[i], moved);
}

static bool uses_units(const char *name) {
  const gt_layer_type *type = name ? gt_layer_find(name) : NULL;
  return type && (type->family == GT_LAYER_GATES || type->family == GT_LAYER_KAN);
}

/* True if settings of a layer in the subtree have the units of the data: thresholds and bits of logic gates,
 * the range of a KAN's functions. */
static bool has_unit_layers(const gt_spec *node) {
  if (!node) return false;
  if (node->kind == GT_SPEC_SCALAR) return uses_units(node->scalar);
  for (int i = 0; i < node->count; i++)
    if ((node->kind == GT_SPEC_MAP && uses_units(node->child[i]->key)) || has_unit_layers(node->child[i]))
      return true;
  return false;
}

/* target: NULL if the data could not be opened; then only the names of targets are known. */
static void read_losses(gt_config *config, const gt_data_target *target, int targets, gt_arena *arena) {
  gt_data_target named[GT_DATA_MAX_TARGETS] = {0};
  const char *names[GT_DATA_MAX_TARGETS];
  if (!target) {
    targets = gt_data_target_names(gt_spec_find(config->root, "data"), names);
    for (int k = 0; k < targets; k++) named[k].name = names[k];
    target = named;
    if (targets == 1) return; /* a single target has no name: an error that is already reported */
  }
  if (targets > 1)
    gt_losses_read(arena, config->root, target, targets, config->loss, &config->diagnostics);
  else
    config->loss[0] = gt_loss_read(arena, config->root, target, &config->diagnostics);
}

/* Sets the demands of the losses on their targets. True if a loss differentiates by the inputs. */
static bool set_loss_demands(const gt_spec *root, gt_data_requirements *requested) {
  const char *names[GT_DATA_MAX_TARGETS] = {NULL};
  const int count = gt_data_target_names(gt_spec_find(root, "data"), names);
  bool residual = false;
  for (int k = 0; k < (count ? count : 1); k++) {
    const gt_loss_type *loss = gt_loss_named(root, names[k]);
    if (!loss) continue;
    requested->demand[k] = (gt_data_loss_needs){
        .range = loss->range, .labels = loss->labels, .bits = loss->range && loss->applies}; /* bce */
    residual |= loss->residual != NULL;
  }
  return residual;
}

static void check_eval_samples(gt_config *config) {
  if (!config->train.eval_samples ||
      gt_tensor_is_text(gt_split_target(&config->dataset.split[GT_PART_TRAIN], 0)))
    return;
  const gt_spec *node = gt_spec_find(gt_spec_find(config->root, "train"), "eval_samples");
  gt_error_at(&config->diagnostics, node ? node->at : config->root->at,
              "'eval_samples' selects windows of a text, and this data is not such a text")
      ->help = "remove it: evaluations read all samples";
}

/* Reads everything that needs the files of the dataset. */
static void read_data(gt_config *config, const gt_config_top *sections, const gt_data_requirements *wanted,
                      gt_arena *arena, gt_error *error) {
  gt_diagnostics *diagnostics = &config->diagnostics;
  gt_data_requirements requested = wanted ? *wanted : (gt_data_requirements){0};
  const bool has_units = has_unit_layers(gt_spec_find(config->root, "model"));
  requested.unscaled = set_loss_demands(config->root, &requested) || has_units;
  /* init_from compares the means of the data, and target scaling computes them. */
  requested.outline = config->outline && !sections->init_from && !gt_config_has_target_scaling(config->root);
  if (sections->data)
    config->has_dataset = gt_dataset_open(sections->data, (uint64_t)config->seed, &requested, arena,
                                          &config->dataset, diagnostics, error);
  if (config->has_dataset && config->dataset.resolved_paths)
    write_moved(gt_spec_find(config->root, "data"), config->dataset.resolved_paths);
  if (config->has_dataset)
    gt_dataset_write_found(&config->dataset, gt_spec_find(config->root, "data"), arena);
  if (config->has_dataset) gt_config_write_positive(config, arena);
  gt_config_balance_classes(config, arena);
  read_losses(config, config->has_dataset ? config->dataset.target : NULL, config->dataset.targets, arena);
  gt_config_read_metrics(config, &sections->metrics);
  if (config->has_dataset && config->loss[0]) gt_config_check_several_targets(config, diagnostics);
  gt_config_check_model(config, wanted != NULL, arena);
  if (config->has_dataset) gt_config_scale_targets(config, wanted, arena, error);
  if (config->has_dataset) gt_config_check_flip(config, diagnostics);
  if (config->has_dataset) check_eval_samples(config);
  if (config->has_dataset && config->loss[0]) gt_config_check_threshold(config, wanted);
  if (wanted) return; /* the model is already trained */
  if (config->has_dataset && !has_units) gt_config_review_scale(config, arena);
  if (config->has_dataset && config->loss[0] && config->optim) gt_config_check_sampler(config, diagnostics);
  if (config->has_dataset && config->optim) gt_config_check_augment(config, diagnostics);
  config->init_from = gt_init_from_read(arena, config->root, diagnostics);
  const gt_spec *restart = gt_spec_find(gt_spec_find(config->root, "train"), "restart_every");
  if (config->init_from && config->train.restart_every)
    gt_error_at(diagnostics, restart->at, "every attempt would start from the same model")->expected =
        "restart_every or init_from, not both";
}

void gt_config_silence(const gt_spec *root, gt_diagnostics *diagnostics) {
  const gt_spec *quiet = gt_spec_find(root, "quiet");
  if (gt_spec_is_null(quiet)) return;
  if (quiet->kind == GT_SPEC_SCALAR) gt_diagnostics_silence(diagnostics, quiet->scalar);
  for (int i = 0; i < quiet->count; i++)
    if (quiet->child[i]->kind == GT_SPEC_SCALAR) gt_diagnostics_silence(diagnostics, quiet->child[i]->scalar);
}

static bool read_top(gt_config *config, gt_config_top *sections, gt_arena *arena) {
  const gt_spec *root = config->root;
  *sections = (gt_config_top){0};
  gt_schema_read(&gt_config_schema, sections, NULL, NULL, root, root->at, NULL, arena, &config->diagnostics);
  if (root->kind != GT_SPEC_MAP) return false;
  config->seed = sections->seed;
  config->metrics = GT_NEW_N(arena, gt_metric_list, GT_DATA_MAX_TARGETS);
  config->products = gt_precision_named(sections->precision.products);
  config->flips = sections->eval.flip;
  gt_config_read_threshold(config, &sections->eval.threshold);
  gt_config_silence(root, &config->diagnostics);
  return true;
}

/* Adds findings: settings that are allowed, but probably mistakes. */
static void review(gt_config *config, gt_arena *arena) {
  for (int p = 0; p < config->phases; p++)
    gt_config_review_model(&config->phase[p], p + 1, arena, &config->diagnostics);
  if (!config->phases) gt_config_review_model(config, 0, arena, &config->diagnostics);
  const gt_model *model =
      config->init_from ? gt_config_build_model(config, arena, &config->diagnostics) : NULL;
  if (model) gt_init_from_review(config->init_from, &config->dataset, model, &config->diagnostics);
  gt_config_review_classes(config, arena);
  gt_config_review_test(config, arena);
  gt_config_review_lengths(config, arena);
  gt_config_review_watchers(config, arena);
}

static bool read_all(gt_config *config, gt_arena *arena, const gt_data_requirements *wanted,
                     const char *const *overrides, int count, gt_error *error) {
  gt_diagnostics *diagnostics = &config->diagnostics;
  gt_config_top sections;
  if (!config->root) return false;
  gt_init_from_expand(arena, config->root);
  for (int i = 0; i < count; i++) {
    gt_config_override(arena, config->root, overrides[i], diagnostics);
    gt_init_from_expand(arena, config->root); /* an override may set its short form */
  }
  choose_test(gt_spec_find(config->root, "data"));
  if (!read_top(config, &sections, arena)) return false;
  read_train(config, sections.train, arena, diagnostics);
  config->optim = gt_optim_read(arena, config->root, diagnostics);
  config->augment = gt_augment_read(arena, config->root, diagnostics);
  read_data(config, &sections, wanted, arena, error);
  if (diagnostics->errors || error->status || !config->has_dataset || !config->loss[0] || !config->optim)
    return false;
  choose_evaluations(config);
  config->resolved = gt_config_resolve(config, arena);
  if (!gt_phases_read(config, arena)) return false;
  if (!wanted) review(config, arena);
  return true;
}

static const char *stem(gt_arena *arena, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return gt_arena_strndup(arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static void init_config(gt_config *config, gt_arena *arena, const char *path) {
  const bool standard_input = !strcmp(path, "-");
  *config = (gt_config){.path = path, .name = standard_input ? "stdin" : stem(arena, path)};
  gt_diagnostics_init(&config->diagnostics, arena);
  gt_config_set_places(&config->diagnostics);
}

bool gt_config_read(gt_config *config, gt_arena *arena, const char *path, bool outline,
                    const char *const *overrides, int count, gt_error *error) {
  init_config(config, arena, path);
  config->outline = outline;
  config->root = gt_spec_read(arena, path, &config->diagnostics, error);
  return read_all(config, arena, NULL, overrides, count, error);
}

bool gt_config_parse(gt_config *config, gt_arena *arena, const char *name, const char *text,
                     const gt_data_requirements *wanted, const char *const *overrides, int count,
                     gt_error *error) {
  init_config(config, arena, name);
  config->root = gt_spec_parse(arena, name, text, strlen(text), &config->diagnostics);
  return read_all(config, arena, wanted, overrides, count, error);
}

bool gt_config_parse_model(gt_config *config, gt_arena *arena, const char *name, const char *text,
                           const gt_data_signature *signature) {
  gt_config_top sections;
  init_config(config, arena, name);
  config->root = gt_spec_parse(arena, name, text, strlen(text), &config->diagnostics);
  if (!config->root || !read_top(config, &sections, arena)) return false;
  read_losses(config, signature->target, signature->targets, arena);
  return config->loss[0] && !config->diagnostics.errors;
}

void gt_config_finish(gt_config *config) {
  if (config->has_dataset) gt_dataset_close(&config->dataset);
  config->has_dataset = false;
  gt_init_from_finish(config->init_from);
  config->init_from = NULL;
}

int gt_config_report(gt_config *config, const gt_error *error) {
  gt_diagnostics_print(&config->diagnostics, stderr);
  if (error->status) gt_log_error("%s", error->message);
  if (config->diagnostics.errors) return (int)gt_diagnostics_status(&config->diagnostics);
  return error->status ? (int)error->status : GT_ERR_INTERNAL;
}
