/* Finds errors of model, loss and augmentation before anything is planned. */
#include "base/count.h"
#include "layer/review.h"
#include "model/forward.h"
#include "model/read.h"
#include "op/core.h"
#include "tokens/tokens.h"
#include "train/config/classes.h"
#include "train/config/config.h"
#include "train/config/review.h"
#include <string.h>

static int64_t batch_of(const gt_config *config) {
  return gt_min_i64(config->train.batch_size, config->dataset.split[GT_PART_TRAIN].samples);
}

/* The shape of a batch of an input or a target; images are cropped. */
static gt_shape batch_shape(const gt_config *config, const gt_tensor *tensor) {
  const gt_input *input = &config->dataset.input[0];
  gt_shape shape = {.rank = tensor->rank, .dim = {batch_of(config)}};
  for (int d = 1; d < tensor->rank; d++) shape.dim[d] = tensor->dim[d];
  if (input->crop[0] && shape.rank > 2) memcpy(shape.dim + 1, input->crop, sizeof input->crop);
  return shape;
}

void gt_config_check_watched(gt_config *config, bool hard, gt_diagnostics *diagnostics) {
  gt_early_stopping *stopping = &config->train.early_stopping;
  const char *name = stopping->metric;
  if (!name) return;
  const gt_spec *node = gt_spec_find(gt_spec_find(config->root, "train"), "early_stopping");
  const gt_spec *metric = gt_spec_find(node, "metric");
  const gt_position at = metric ? metric->at : config->root->at;
  const char *why = gt_config_add_result(config, name, &stopping->watched);
  const gt_metric_kind *kind = stopping->watched.kind;
  if (!why) stopping->metric = gt_result_print(&config->dataset, stopping->watched, diagnostics->arena);
  if (why && (config->dataset.targets > 1 || !gt_metric_find(name)))
    gt_error_at(diagnostics, at, "metric '%s' is not available: it %s", name, why);
  else if (why)
    gt_error_at(diagnostics, at, "metric '%s' is not available with loss '%s': it %s", name,
                config->loss[0]->type->name, why)
        ->suggestion = "loss";
  else if (kind->form && !hard)
    gt_error_at(diagnostics, at, "metric '%s' is not available: no layer of this model has a hard form", name)
        ->suggestion = kind->correct ? "accuracy" : "loss";
}

static gt_id placeholder(gt_graph *graph, const char *name, gt_shape shape, gt_dtype dtype, bool bits) {
  const uint32_t variable = gt_graph_variable(graph, name, shape, dtype, false);
  if (bits) gt_graph_mark_bits(graph, variable);
  return gt_variable_read(graph, variable);
}

/* With an outline the values are unknown, so bits are assumed. */
static bool holds_bits(const gt_tensor *tensor, const gt_input *input) {
  return (tensor->bits || !tensor->data) && !input->scaling.count;
}

static gt_model_input input_placeholder(const gt_config *config, gt_arena *arena, gt_graph *graph,
                                        int index) {
  const gt_input *input = &config->dataset.input[index];
  const gt_tensor *tensor = gt_train_input(&config->dataset, index);
  const gt_dtype dtype = input->element == GT_ELEMENT_I32 ? GT_I32 : GT_F32;
  const char *name = gt_arena_printf(arena, "input %s", input->name);
  gt_shape shape = batch_shape(config, tensor);
  if (input->table) gt_input_network_shape(input, shape.dim + 1);
  const gt_tensor *length = gt_split_tensor(&config->dataset.split[GT_PART_TRAIN], GT_SAMPLE_LENGTH, index);
  gt_id *lengths = length->rank ? GT_NEW(arena, gt_id) : NULL;
  if (lengths)
    *lengths = placeholder(graph, gt_arena_printf(arena, "lengths of %s", input->name),
                           gt_shape_1(shape.dim[0]), GT_I32, false);
  return (gt_model_input){.name = input->name,
                          .node = placeholder(graph, name, shape, dtype, holds_bits(tensor, input)),
                          .limit = tensor->limit,
                          .lengths = lengths,
                          .vocabulary = input->vocabulary ? input->vocabulary->size : 0};
}

static gt_model_inputs input_placeholders(const gt_config *config, gt_arena *arena, gt_graph *graph) {
  const gt_dataset *data = &config->dataset;
  gt_model_input *items = GT_NEW_N(arena, gt_model_input, data->inputs);
  for (int k = 0; k < data->inputs; k++) items[k] = input_placeholder(config, arena, graph, k);
  return (gt_model_inputs){data->inputs, items};
}

static gt_forward init_forward(gt_config *config, gt_arena *arena, gt_graph *graph) {
  const gt_dataset *data = &config->dataset;
  gt_forward forward = {.root = config->root,
                        .optim = config->optim,
                        .inputs = input_placeholders(config, arena, graph),
                        .clock = GT_NONE,
                        .weight = GT_NONE,
                        .targets = data->targets,
                        .mode = {.seed = (uint64_t)config->seed}};
  for (int k = 0; k < data->targets; k++)
    forward.target[k] = (gt_forward_target){
        .name = data->target[k].name,
        .targets = GT_NONE,
        .classes = data->target[k].classes,
        .values = gt_train_target(data, k)->rank ? gt_tensor_features(gt_train_target(data, k)) : 0};
  return forward;
}

/* Reviews the hard form of the model, because only in this form are the outputs of gates and thresholds 0
 * or 1. */
void gt_config_review_model(gt_config *config, int phase, gt_arena *arena, gt_diagnostics *diagnostics) {
  gt_graph *graph = gt_graph_create(arena);
  gt_forward forward = init_forward(config, arena, graph);
  forward.clock = gt_model_idle_clock(graph);
  forward.mode.hard = true;
  forward.mode.review = gt_config_review(config, phase, arena);
  gt_forward_build(&forward, arena, graph, diagnostics);
}

gt_model *gt_config_build_model(gt_config *config, gt_arena *arena, gt_diagnostics *diagnostics) {
  gt_graph *graph = gt_graph_create(arena);
  gt_forward forward = init_forward(config, arena, graph);
  return gt_forward_build(&forward, arena, graph, diagnostics) ? forward.model : NULL;
}

/* Reports normalized inputs for a loss that uses derivatives: it would differentiate with respect to the
 * normalized inputs. */
static void check_unnormalized(gt_config *config) {
  const gt_spec *data = gt_spec_find(config->root, "data"), *scaling = gt_spec_find(data, "normalize");
  if (!config->loss[0] || !config->loss[0]->type->residual || !config->dataset.input[0].scaling.count) return;
  gt_error_at(&config->diagnostics, scaling ? scaling->at : data->at,
              "loss '%s' differentiates by the inputs, and normalizing them changes the derivatives",
              config->loss[0]->type->name)
      ->expected = "no normalization; layers can scale the inputs";
}

/* Describes the outputs that a series or a text needs, for messages; NULL: other data. */
static const char *expected_outputs(const gt_dataset *data, int target, gt_arena *arena) {
  const gt_data_target *data_target = &data->target[target];
  const gt_tensor *tensor = gt_train_target(data, target);
  const long long values = tensor->rank ? (long long)gt_tensor_features(tensor) : 0,
                  steps = (long long)data_target->horizon;
  if (gt_tensor_is_text(tensor))
    return gt_arena_printf(
        arena,
        "[batch, %lld, %d], a score for each token at each position: set `return: sequence` in recurrent "
        "layers. If each line of the file is a label, a tab and a text, set `data: {text: {labels: true}}`",
        values, data_target->classes);
  if (steps > 1 && data_target->classification)
    return gt_arena_printf(
        arena,
        "[batch, %lld, %d], scores of %d classes at %lld steps: a last linear: %lld, then reshape: "
        "[%lld, %d]",
        values, data_target->classes, data_target->classes, values, values * data_target->classes, values,
        data_target->classes);
  if (!steps || data_target->classification) return NULL;
  return gt_arena_printf(arena, "%lld step%s (data.series.horizon) of %lld target%s", steps,
                         steps == 1 ? "" : "s", values / steps, values == steps ? "" : "s");
}

/* Builds model and loss once, to find their errors. */
static void try_to_build(gt_config *config, bool untrusted, gt_arena *arena) {
  check_unnormalized(config);
  gt_graph *graph = gt_graph_create(arena);
  const gt_dataset *data = &config->dataset;
  gt_forward forward = init_forward(config, arena, graph);
  forward.weight = placeholder(graph, "weight", gt_shape_1(batch_of(config)), GT_F32, false);
  gt_value_range range = {0};
  if (!untrusted && config->loss[0] && config->loss[0]->type->residual) {
    range = gt_tensor_range(gt_train_input(data, 0), arena);
    forward.reviewed = &range;
  }
  for (int k = 0; k < data->targets; k++) {
    gt_forward_target *target = &forward.target[k];
    const gt_dtype dtype = data->target[k].classification ? GT_I32 : GT_F32;
    target->loss = config->loss[0] ? config->loss[k] : NULL;
    target->targets = placeholder(graph, gt_arena_printf(arena, "targets %d", k),
                                  batch_shape(config, gt_train_target(data, k)), dtype, false);
    target->ignores = data->target[k].ignores;
    target->advice =
        untrusted || (target->loss && target->loss->type->residual) ? NULL : gt_class_advice(data, k, arena);
    target->expected = expected_outputs(data, k, arena);
  }
  if (!gt_forward_build(&forward, arena, graph, &config->diagnostics) || !config->loss[0]) return;
  gt_config_check_watched(config, forward.model->has_hard, &config->diagnostics);
}

/* --- augmentation --- */

/* Targets that are images are transformed like the inputs, so they need the same height and width. */
static bool check_target(const gt_config *config, int index, gt_diagnostics *diagnostics) {
  const gt_dataset *data = &config->dataset;
  const gt_input *input = &data->input[0];
  const gt_tensor *target = gt_train_target(data, index);
  if (data->target[index].classification && target->rank > 1)
    return gt_refuse(
        diagnostics, config->augment->at, "no augmentation",
        "samples with an array of labels cannot be augmented: the labels would not move with the image");
  if (data->target[index].classification || target->rank < 3 ||
      (target->rank < 5 && target->dim[1] == input->dim[0] && target->dim[2] == input->dim[1]))
    return true;
  return gt_refuse(diagnostics, config->augment->at,
                   "targets of the same size, which are transformed like the inputs",
                   "the targets do not have the inputs' height and width");
}

/* Samples with weights cannot be mixed, because a mixture would have two weights. */
static bool check_mixing(const gt_config *config, const gt_augment_plan *plan, gt_diagnostics *diagnostics) {
  if (plan->look.mixes && config->dataset.targets > 1)
    return gt_refuse(diagnostics, config->augment->at, "augmentations other than mixup and cutmix",
                     "samples can be mixed only if they have a single target");
  if (!plan->look.mixes || !gt_split_weights(&config->dataset.split[GT_PART_TRAIN])->rank) return true;
  return gt_refuse(diagnostics, config->augment->at,
                   "augmentations other than mixup and cutmix, or data without weights",
                   "samples with weights (data.weight) cannot be mixed");
}

bool gt_config_augment(const gt_config *config, gt_augment_plan *out, gt_diagnostics *diagnostics) {
  const gt_dataset *data = &config->dataset;
  const gt_input *input = &data->input[0];
  const gt_augment_list *list = config->augment;
  if (data->inputs > 1 || input->element == GT_ELEMENT_I32 || input->table || input->window)
    return gt_refuse(diagnostics, list->at, NULL,
                     "only images can be augmented, and only if they are the model's single input");
  if (config->optim->type->line_search)
    return gt_refuse(diagnostics, list->at, NULL,
                     "optimizer '%s' evaluates the same samples repeatedly, so they cannot be augmented",
                     config->optim->type->name);
  int64_t network_dim[GT_DATA_MAX_RANK]; /* sample shape that the network reads */
  gt_input_network_shape(input, network_dim);
  const gt_augment_sample sample = {input->rank, input->dim, network_dim,
                                    input->white > 0 ? input->white : 1};
  bool ok = gt_augment_make_plan(list, &sample, out, diagnostics);
  for (int k = 0; ok && k < data->targets; k++) ok = check_target(config, k, diagnostics);
  return ok && check_mixing(config, out, diagnostics);
}

/* Warns if float values exceed white, at which colour augmentations clip. */
static void check_white(const gt_config *config, const gt_augment_plan *plan, gt_diagnostics *diagnostics) {
  const gt_tensor *tensor = gt_train_input(&config->dataset, 0);
  if ((!plan->look.lights && !plan->look.tones) || tensor->element != GT_ELEMENT_F32 || !tensor->data) return;
  const int64_t count = tensor->dim[0] * gt_tensor_features(tensor);
  const float *value = tensor->data;
  float largest = 0;
  for (int64_t i = 0; i < count; i++) largest = value[i] > largest ? value[i] : largest;
  if (largest <= plan->look.white) return;
  gt_finding_at(diagnostics, GT_FINDING_clipped_light, config->augment->at,
                "samples have values up to %g; colour augmentations clip at white, which is %g",
                (double)largest, (double)plan->look.white)
      ->help =
      gt_arena_printf(diagnostics->arena, "data: {normalize: {scale: %g}} makes the largest value white",
                      1 / (double)largest);
}

static void check_channels(const gt_config *config, gt_diagnostics *diagnostics) {
  const gt_input *input = &config->dataset.input[0];
  const gt_shape s = {.rank = input->rank, .dim = {input->dim[0], input->dim[1], input->dim[2]}};
  if (!gt_is_channels_first(s)) return;
  gt_finding_at(diagnostics, GT_FINDING_channels_first, config->augment->at,
                "samples of shape [%lld, %lld, %lld] are augmented as images of %lld rows, %lld columns and "
                "%lld channels",
                (long long)s.dim[0], (long long)s.dim[1], (long long)s.dim[2], (long long)s.dim[0],
                (long long)s.dim[1], (long long)s.dim[2])
      ->help = "augmentation needs [height, width, channels]: transpose the arrays in their files";
}

void gt_config_check_augment(const gt_config *config, gt_diagnostics *diagnostics) {
  gt_augment_plan plan;
  if (!config->augment || !gt_config_augment(config, &plan, diagnostics)) return;
  check_white(config, &plan, diagnostics);
  check_channels(config, diagnostics);
}

bool gt_config_check_flip(const gt_config *config, gt_diagnostics *diagnostics) {
  const gt_dataset *data = &config->dataset;
  const gt_input *input = &data->input[0];
  if (!config->flips || (data->inputs == 1 && input->element != GT_ELEMENT_I32 && !input->window &&
                         (input->rank == 2 || input->rank == 3)))
    return true;
  return gt_refuse(diagnostics, gt_spec_find(gt_spec_find(config->root, "eval"), "flip")->at,
                   "samples of shape [height, width] or [height, width, channels], for example by data: "
                   "{shape: [8, 8]}",
                   "only images can be mirrored, and only if they are the model's single input");
}

/* Inputs with names only, for data that could not be opened. */
static gt_model_inputs named_inputs(const gt_config *config, gt_arena *arena) {
  const char *names[GT_DATA_MAX_INPUTS];
  const int count = gt_data_input_names(gt_spec_find(config->root, "data"), names);
  gt_model_input *items = GT_NEW_N(arena, gt_model_input, count);
  for (int k = 0; k < count; k++) items[k] = (gt_model_input){.name = names[k], .node = GT_NONE};
  return (gt_model_inputs){count, items};
}

void gt_config_check_model(gt_config *config, bool untrusted, gt_arena *arena) {
  gt_parsed_model parsed;
  if (config->has_dataset) {
    try_to_build(config, untrusted, arena);
  } else {
    /* Without shapes, only the keys are checked. */
    gt_model_parse(&parsed, arena, config->root, named_inputs(config, arena), &config->diagnostics);
  }
}
