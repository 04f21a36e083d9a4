/* Checks the consistency of a model file: its signature and config define a graph, whose parameters and
 * constants must be the tensors of the file. */
#include "model/model.h"
#include "train/config/review.h"
#include "train/eval/model_use.h"
#include <string.h>

bool gt_model_file_config(gt_config *config, gt_arena *arena, const gt_model_file *file, gt_error *error) {
  const gt_data_signature *signature = &file->signature;
  if (!gt_config_parse_model(config, arena, file->path, file->config, signature))
    return gt_fail(error, GT_ERR_DATA, "%s: its config cannot be read by this version of gtrain: %s",
                   file->path,
                   config->diagnostics.count ? config->diagnostics.items[0].message : "it is not YAML");
  config->dataset.inputs = signature->inputs;
  config->dataset.targets = signature->targets;
  memcpy(config->dataset.target, signature->target, sizeof signature->target);
  memcpy(config->dataset.input, signature->input, sizeof signature->input);
  return true;
}

/* Sets one training sample per input, without values. */
static void set_placeholder_samples(gt_config *config) {
  config->train.batch_size = config->dataset.split[GT_PART_TRAIN].samples = 1;
  for (int k = 0; k < config->dataset.inputs; k++) {
    const gt_input *input = &config->dataset.input[k];
    gt_tensor *tensor =
        gt_split_add(&config->dataset.split[GT_PART_TRAIN], GT_SAMPLE_INPUT, k,
                     (gt_tensor){.element = input->element, .rank = input->rank + 1, .dim = {1}});
    memcpy(tensor->dim + 1, input->dim, (size_t)input->rank * sizeof *input->dim);
  }
}

/* A target must have classes exactly if its loss needs class labels: one per value of the last axis, and
 * without a scaling. */
static bool check_classes(const gt_data_target *target, const gt_loss *loss, const gt_shape *output,
                          const gt_model_file *file, gt_error *error) {
  const int64_t last = output->dim[output->rank - 1];
  if (loss->type->labels != (target->classes > 0))
    return gt_fail(error, GT_ERR_DATA, "%s: its targets are %s, and its loss is '%s'", file->path,
                   target->classes ? "classes" : "numbers", loss->type->name);
  if (!target->classes || (target->classes == last && !target->scaling.count)) return true;
  return gt_fail(error, GT_ERR_DATA, "%s: it has %d classes, and its model has %lld outputs%s", file->path,
                 target->classes, (long long)last, target->scaling.count ? ", which are scaled" : "");
}

/* The scaling and the names of target columns must be as many as the model's outputs, or none. */
static bool check_targets(const gt_model *model, const gt_config *config, const gt_model_file *file,
                          gt_error *error) {
  for (int k = 0; k < file->signature.targets; k++) {
    const gt_data_target *target = &file->signature.target[k];
    const gt_model_layer *head =
        target->name ? gt_model_find_layer(model, target->name) : &model->layer[model->layers - 1];
    const int64_t outputs = gt_shape_count(head->output) / head->output.dim[0], count = target->scaling.count;
    if (!check_classes(target, config->loss[k], &head->output, file, error)) return false;
    if (!target->classes && target->column_count && target->column_count != outputs)
      return gt_fail(error, GT_ERR_DATA, "%s: it names %d targets, and its model has %lld outputs",
                     file->path, target->column_count, (long long)outputs);
    if (!count || count == outputs) continue;
    return gt_fail(error, GT_ERR_DATA, "%s: its scaling is for %lld targets, and its model has %lld outputs",
                   file->path, (long long)count, (long long)outputs);
  }
  return true;
}

const gt_model *gt_model_file_build(gt_config *config, gt_arena *arena, const gt_model_file *file,
                                    gt_error *error) {
  if (!gt_model_file_config(config, arena, file, error)) return NULL;
  set_placeholder_samples(config);
  const gt_model *model = gt_config_build_model(config, arena, &config->diagnostics);
  if (!model)
    gt_fail(error, GT_ERR_DATA, "%s: its model cannot be built: %s", file->path,
            config->diagnostics.count ? config->diagnostics.items[0].message : "unknown");
  return model && check_targets(model, config, file, error) ? model : NULL;
}

bool gt_model_file_check(gt_model_file *file, gt_error *error) {
  gt_config config;
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_model *model = gt_model_file_build(&config, &arena, file, error);
  const bool ok = model && gt_store_match(model->store, &file->container, file->path, GT_MODEL_ROLES, error);
  for (int k = 0; k < file->signature.targets; k++)
    file->bits[k] = ok && gt_metric_task_of(config.loss[k]) == GT_METRIC_BITS;
  gt_arena_finish(&arena);
  return ok;
}

gt_data_requirements gt_model_file_requirements(const gt_model_file *file) {
  return (gt_data_requirements){.untrusted = gt_model_file_untrusted(file), .signature = &file->signature};
}

void gt_model_file_check_data(const gt_model_file *file, gt_config *config, int part) {
  const gt_dataset *data = &config->dataset;
  const uint64_t recorded = file->data.split[part];
  if (!recorded || !data->from_files || data->overridden) return;
  if (gt_split_fingerprint(gt_dataset_split(data, part), data->inputs, data->targets) == recorded) return;
  gt_diagnostics *d = &config->diagnostics;
  gt_finding_at(d, GT_FINDING_other_samples, gt_config_place_of_split(config, part),
                "the %s data differs from the data that %s was trained with",
                part == GT_PART_TRAIN ? "training" : gt_part_keys[part], file->path)
      ->help = gt_arena_printf(d->arena, "--set data.%s=FILE names the files to use%s",
                               part == GT_PART_TEST ? "test" : "train", gt_dataset_note_on_times(data));
}
