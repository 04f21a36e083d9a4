#include "loss/loss.h"
#include "base/memory.h"
#include "base/text.h"
#include "op/core.h"
#include "op/cross_entropy.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "op/reduce.h"
#include "spec/typed.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GT_KIND loss
#include "base/registered.h"

const gt_loss_type *gt_loss_named(const gt_spec *root, const char *target) {
  const gt_spec *node = gt_spec_find(root, "loss");
  if (target) node = gt_spec_find(node, target);
  const gt_spec *type = gt_spec_find(node, "type");
  if (type) node = type;
  for (int i = 0; i < TYPES && node && node->kind == GT_SPEC_SCALAR; i++)
    if (!strcmp(types[i]->name, node->scalar)) return types[i];
  return NULL;
}

typedef struct target_settings { /* additional keys of a loss if there are several targets */
  const char *type;
  double weight;
} target_settings;

static const gt_field target_fields[] = {
    GT_ROW(target_settings, type, GT_FIELD_CHOICE, .choices = type_names,
           .help = "name of the loss (default: " GT_LOSS_FOR_CLASSES " for classes, else " GT_LOSS_FOR_NUMBERS
                   ")"),
    GT_ROW(target_settings, weight, GT_FIELD_FLOAT, .fallback = "1", .max = 1e30, .flags = GT_FIELD_OPEN_MIN,
           .help = "factor on the mean loss of this target in the sum that training minimizes"),
    {.name = NULL},
};
const gt_schema gt_loss_target_schema = {
    .name = "loss", .help = "loss of one of several targets", .fields = target_fields};

/* The loss if the config names none. Several boolean columns are several labels per sample. */
static const char *default_for(const gt_data_target *target) {
  bool booleans = target->words && target->column_count > 1;
  for (int c = 0; booleans && c < target->column_count; c++) booleans = target->words[2 * c] != NULL;
  return target->classification ? GT_LOSS_FOR_CLASSES : booleans ? GT_LOSS_FOR_BITS : GT_LOSS_FOR_NUMBERS;
}

/* default_type: the loss if the node is null. several: allows the keys of gt_loss_target_schema. */
static const gt_loss *read_loss(gt_arena *arena, const gt_spec *node, gt_position at,
                                const char *default_type, bool several, gt_diagnostics *diagnostics) {
  if (gt_spec_is_null(node)) {
    gt_spec *name = gt_spec_text(arena, default_type);
    name->at = at;
    node = name;
  }
  gt_typed_choice choices[TYPES + 1];
  for (int i = 0; i < TYPES; i++)
    choices[i] = (gt_typed_choice){types[i]->name, types[i]->schema, types[i]->config_size};
  void *config;
  target_settings settings = {.weight = 1};
  const int chosen =
      gt_typed_read(node, "loss", choices, TYPES, default_type, several ? &gt_loss_target_schema : NULL,
                    several ? &settings : NULL, &config, arena, diagnostics);
  if (chosen < 0) return NULL;
  gt_loss *loss = GT_NEW(arena, gt_loss);
  *loss = (gt_loss){
      .type = types[chosen], .config = config, .spec = node, .at = node->at, .weight = settings.weight};
  return loss;
}

const gt_loss *gt_loss_read(gt_arena *arena, const gt_spec *root, const gt_data_target *target,
                            gt_diagnostics *diagnostics) {
  return read_loss(arena, gt_spec_find(root, "loss"), root->at, default_for(target), false, diagnostics);
}

/* Checks that the keys of the map are names of targets. */
static bool check_targets(gt_arena *arena, const gt_spec *node, const gt_data_target *target, int targets,
                          gt_diagnostics *diagnostics) {
  gt_list examples = gt_list_open(arena, targets);
  const char *known[GT_DATA_MAX_TARGETS];
  bool ok = true;
  for (int k = 0; k < targets; k++) {
    known[k] = target[k].name;
    gt_list_add(&examples, "%s: %s", known[k], default_for(&target[k]));
  }
  if (gt_spec_is_null(node)) return true;
  if (node->kind != GT_SPEC_MAP || gt_spec_find(node, "type"))
    return gt_refuse(diagnostics, node->at,
                     gt_arena_printf(arena, "a loss for each target, such as loss: {%s}", examples.text),
                     "this is the loss of a single target, and the data has %d: %s", targets,
                     gt_list_of(arena, known, targets));
  for (int i = 0; i < node->count; i++) {
    int k = 0;
    while (k < targets && strcmp(known[k], node->child[i]->key)) k++;
    if (k < targets) continue;
    gt_diagnostic *d = gt_error_at(diagnostics, node->child[i]->key_at,
                                   "loss for '%.80s', which is not a target", node->child[i]->key);
    d->suggestion = gt_nearest(node->child[i]->key, known, (size_t)targets);
    d->expected = gt_arena_printf(arena, "one of: %s", gt_list_of(arena, known, targets));
    ok = false;
  }
  return ok;
}

bool gt_losses_read(gt_arena *arena, const gt_spec *root, const gt_data_target *target, int targets,
                    const gt_loss **out, gt_diagnostics *diagnostics) {
  const gt_spec *node = gt_spec_find(root, "loss");
  bool ok = check_targets(arena, node, target, targets, diagnostics);
  for (int k = 0; ok && k < targets; k++) {
    const gt_spec *entry = gt_spec_find(node, target[k].name);
    out[k] = read_loss(arena, entry, node ? node->at : root->at, default_for(&target[k]), true, diagnostics);
    if (!out[k]) ok = false;
    if (!ok || !out[k]->type->residual) continue;
    gt_error_at(diagnostics, out[k]->at, "loss '%s' needs a single target", out[k]->type->name)->expected =
        "a loss that compares outputs with targets";
    ok = false;
  }
  if (!ok) out[0] = NULL;
  return ok;
}

bool gt_loss_error(const gt_loss *loss, const char *key, gt_diagnostics *diagnostics, const char *format,
                   ...) {
  const gt_spec *value = gt_spec_find(loss->spec, key);
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return gt_refuse(diagnostics, value ? value->at : loss->at, NULL, "loss '%s' %s", loss->type->name, text);
}

/* True if the prediction has a row of values for each label: [B, axes…, classes] for [B, axes…]. */
static bool is_per_label(gt_shape prediction, gt_shape labels) {
  bool same = prediction.rank == labels.rank + 1;
  for (int d = 0; d < labels.rank && same; d++) same = prediction.dim[d] == labels.dim[d];
  return same;
}

static const char *layer_of(const gt_loss_input *input) { return input->named ? "layer" : "the last layer"; }

static bool check_labels(const gt_graph *graph, const gt_loss *loss, const gt_loss_input *input,
                         gt_diagnostics *diagnostics) {
  const gt_node *prediction = gt_node_at(graph, input->prediction),
                *targets = gt_node_at(graph, input->targets);
  const gt_shape shape = prediction->shape;
  char text[128];
  if (targets->dtype != GT_I32)
    return gt_refuse(diagnostics, loss->at,
                     "data: {task: classification}, or a loss for numbers: mse, mae, huber or bce",
                     "loss '%s' needs class labels, but the data's targets are numbers", loss->type->name);
  if (targets->shape.rank > 1 && !is_per_label(shape, targets->shape)) {
    char labels[128];
    return gt_refuse(diagnostics, input->at,
                     input->expected
                         ? input->expected
                         : "an output of the targets' shape with an axis for the classes at its end; "
                           "targets that are one-hot rows need task: regression and loss: bce",
                     "%s '%s' outputs %s; the targets are labels %s, and loss '%s' needs one value per "
                     "class for each of them",
                     layer_of(input), input->layer, gt_shape_text(shape, text),
                     gt_shape_text(targets->shape, labels), loss->type->name);
  }
  if (shape.rank != targets->shape.rank + 1)
    return gt_refuse(diagnostics, input->at,
                     shape.rank == 3
                         ? "before the last linear layer one value for all steps: return: last in a "
                           "recurrent layer, sequence_pool, or flatten"
                     : shape.rank > 2 ? "a flatten layer before it, then linear"
                                      : "a linear layer at the end",
                     "%s '%s' outputs %s; loss '%s' needs one value per class and sample", layer_of(input),
                     input->layer, gt_shape_text(shape, text), loss->type->name);
  const int64_t outputs = shape.dim[shape.rank - 1];
  const char *const item = shape.rank > 2 ? "label" : "sample";
  if (input->classes && outputs != input->classes) {
    const long long have = (long long)outputs, want = (long long)input->classes;
    gt_diagnostic *d = gt_error_at(
        diagnostics, input->at, "%s '%s' outputs %lld value%s per %s; the data has %lld class%s",
        layer_of(input), input->layer, have, have == 1 ? "" : "s", item, want, want == 1 ? "" : "es");
    d->expected =
        gt_arena_printf(diagnostics->arena, "%lld value%s, one per class", want, want == 1 ? "" : "s");
    d->help = input->advice;
    return false;
  }
  return !loss->type->check || loss->type->check(loss, outputs, diagnostics);
}

static bool check_values(const gt_graph *graph, const gt_loss *loss, const gt_loss_input *input,
                         gt_diagnostics *diagnostics) {
  const gt_node *prediction = gt_node_at(graph, input->prediction),
                *targets = gt_node_at(graph, input->targets);
  const int64_t batch = targets->shape.dim[0];
  const int64_t have = gt_shape_count(prediction->shape) / batch,
                want = gt_shape_count(targets->shape) / batch;
  if (targets->dtype != GT_F32) {
    gt_diagnostic *d = gt_error_at(
        diagnostics, loss->at, "loss '%s' needs numbers, but the data has class labels", loss->type->name);
    const char *regression = "data: {task: regression}, which reads targets that are numbers as numbers";
    d->expected = regression;
    d->suggestion = "cross_entropy";
    if (loss->type->range && input->classes) {
      d->expected = gt_arena_printf(diagnostics->arena,
                                    "loss: cross_entropy, and a last layer with %lld outputs, one per class",
                                    (long long)input->classes);
      d->help =
          "if the targets in the file are the numbers 0 and 1, data: {task: regression} reads them as such";
      d->suggestion = NULL;
    }
    return false;
  }
  if (have == want) return true;
  char text[128];
  gt_diagnostic *d =
      gt_error_at(diagnostics, input->at,
                  input->named ? "%s '%s' %s outputs %lld value%s per sample; the target has %lld value%s"
                               : "%s '%s' %s outputs %lld value%s per sample; the data has %lld target%s",
                  layer_of(input), input->layer, gt_shape_text(prediction->shape, text), (long long)have,
                  have == 1 ? "" : "s", (long long)want, want == 1 ? "" : "s");
  d->help = input->advice;
  const bool is_named = loss->spec->key; /* in the config, so that the task alone would not change it */
  if (is_named && input->advice && !strncmp(input->advice, "data: {", 7))
    d->help = gt_arena_printf(diagnostics->arena, "loss: cross_entropy and %s", input->advice);
  if (prediction->shape.rank == 3 && prediction->shape.dim[2] == want)
    d->help =
        "it has an output for each step: return: last in the recurrent layer before it, sequence_pool or flatten "
        "leaves one";
  d->expected = gt_arena_printf(diagnostics->arena, "%lld value%s per sample%s%s", (long long)want,
                                want == 1 ? "" : "s", input->expected ? ": " : "",
                                input->expected ? input->expected : "");
  return false;
}

/* Losses on logits apply softmax or sigmoid themselves. A layer that also applies it makes training worse,
 * but is allowed. */
static void warn_if_applied_twice(const gt_loss *loss, const gt_loss_input *input,
                                  gt_diagnostics *diagnostics) {
  const char *applies = loss->type->applies;
  if (!applies || !input->applied || strcmp(applies, input->applied)) return;
  gt_finding_at(diagnostics, GT_FINDING_applied_twice, input->at,
                "loss '%s' already applies %s; %s '%s' applies it a second time", loss->type->name, applies,
                layer_of(input), input->layer);
}

bool gt_loss_regresses_targets(const gt_loss *loss) {
  return loss->type->regresses_targets && loss->type->regresses_targets(loss->config);
}

bool gt_loss_always_regresses_targets(const void *config) { return (void)config, true; }

gt_id gt_loss_squared_error(gt_graph *graph, gt_id prediction, gt_id targets) {
  const gt_id difference = gt_sub(graph, prediction, targets);
  return gt_mean(graph, gt_mul(graph, difference, difference), 1u << 1, false);
}

/* share * a + (1 - share) * b */
static gt_id mix(gt_graph *graph, gt_id share, gt_id a, gt_id b) {
  const gt_id rest = gt_sub(graph, gt_constant(graph, 1), share);
  return gt_add(graph, gt_mul(graph, share, a), gt_mul(graph, rest, b));
}

typedef gt_id (*item_value_fn)(gt_graph *graph, const void *config, gt_id prediction, gt_id targets);

/* The value of each item; for samples mixed from two, the weighted mean of the values for both labels. */
static gt_id item_values(gt_graph *graph, item_value_fn value_of, const gt_loss *loss,
                         const gt_loss_input *input, gt_id prediction, gt_id targets) {
  const gt_loss_mixture *mixture = input->mixture;
  const gt_id value = value_of(graph, loss->config, prediction, targets);
  if (!mixture) return value;
  return mix(graph, mixture->share, value, value_of(graph, loss->config, prediction, mixture->targets));
}

/* The weights that the loss type gives to the items, such as class weights; GT_NONE: all are 1. */
static gt_id item_weights(gt_graph *graph, const gt_loss *loss, const gt_loss_input *input, gt_id targets) {
  const gt_loss_mixture *mixture = input->mixture;
  const gt_id weight = loss->type->weigh ? loss->type->weigh(graph, loss->config, targets) : GT_NONE;
  if (!mixture || weight == GT_NONE) return weight;
  return mix(graph, mixture->share, weight, loss->type->weigh(graph, loss->config, mixture->targets));
}

/* The loss of each item; GT_NONE after reporting an error, or if the graph has an error. */
static gt_id build_item_losses(gt_graph *graph, const gt_loss *loss, const gt_loss_input *input,
                               gt_id prediction, gt_id targets, gt_diagnostics *diagnostics) {
  if (!loss->type->residual) return item_values(graph, loss->type->build, loss, input, prediction, targets);
  gt_loss_input flat = *input;
  flat.prediction = prediction;
  flat.targets = targets;
  return loss->type->residual(graph, loss, &flat, diagnostics);
}

static gt_shape flat_shape(gt_shape shape) {
  const int64_t last = shape.dim[shape.rank - 1];
  return gt_shape_2(gt_shape_count(shape) / last, last);
}

/* The weight of each label: the weight of its sample, or 0 if the label is -1. */
static gt_id label_weights(gt_graph *graph, const gt_loss_input *input, int64_t classes) {
  const gt_shape shape = gt_node_at(graph, input->targets)->shape;
  gt_id weight = input->weight;
  if (shape.rank > 1) {
    gt_shape column = shape;
    for (int d = 1; d < shape.rank; d++) column.dim[d] = 1;
    weight = gt_expand(graph, gt_reshape(graph, weight, column), shape);
    weight = gt_reshape(graph, weight, gt_shape_1(gt_shape_count(shape)));
  }
  if (!input->ignores) return weight;
  double *ones = gt_alloc((size_t)classes * sizeof *ones);
  for (int64_t c = 0; c < classes; c++) ones[c] = 1;
  const gt_id labels = gt_reshape(graph, input->targets, gt_shape_1(gt_shape_count(shape)));
  /* gt_class_weight is 0 for the label -1. */
  weight = gt_mul(graph, weight, gt_class_weight(graph, labels, ones, classes));
  free(ones);
  return weight;
}

static gt_loss_items items_of(gt_graph *graph, const gt_loss_input *input, bool labels) {
  const gt_shape prediction = gt_node_at(graph, input->prediction)->shape,
                 targets = gt_node_at(graph, input->targets)->shape;
  gt_loss_items items = {input->prediction, input->targets, input->weight, GT_NONE};
  if (!labels) {
    const int64_t batch = targets.dim[0];
    const gt_shape shape = gt_shape_2(batch, gt_shape_count(targets) / batch);
    items.prediction = gt_reshape(graph, items.prediction, shape);
    items.targets = gt_reshape(graph, items.targets, shape);
    return items;
  }
  if (targets.rank > 1) {
    items.prediction = gt_reshape(graph, items.prediction, flat_shape(prediction));
    items.targets = gt_reshape(graph, items.targets, gt_shape_1(gt_shape_count(targets)));
  }
  items.weight = label_weights(graph, input, prediction.dim[prediction.rank - 1]);
  return items;
}

gt_id gt_loss_divisor_or_one(gt_graph *graph, gt_id divisor) {
  const gt_id is_positive = gt_less(graph, gt_constant(graph, 0), divisor);
  return gt_add(graph, divisor, gt_sub(graph, gt_constant(graph, 1), is_positive));
}

bool gt_loss_build(gt_graph *graph, const gt_loss *loss, const gt_loss_input *input, gt_loss_nodes *out,
                   gt_diagnostics *diagnostics) {
  const bool labels = loss->type->labels;
  if (!(labels ? check_labels : check_values)(graph, loss, input, diagnostics)) return false;
  warn_if_applied_twice(loss, input, diagnostics);
  const char *outer = gt_graph_set_scope(graph, "loss");
  gt_loss_items items = items_of(graph, input, labels);
  items.shifted = input->shift ? gt_add(graph, items.prediction, *input->shift) : items.prediction;
  out->items = items;
  const gt_id prediction = items.prediction, targets = items.targets;
  const int errors = diagnostics->errors;
  const gt_id each = build_item_losses(graph, loss, input, prediction, targets, diagnostics);
  gt_id *sum = out->sum;
  sum[GT_SUM_LOSS] = gt_sum(graph, gt_mul(graph, each, items.weight), 0, false);
  sum[GT_SUM_WEIGHT] = gt_sum(graph, items.weight, 0, false);
  const gt_id weight = item_weights(graph, loss, input, targets);
  sum[GT_SUM_DIVISOR] =
      weight == GT_NONE ? GT_NONE : gt_sum(graph, gt_mul(graph, weight, items.weight), 0, false);
  gt_id divisor = gt_loss_divisor(out);
  if (input->weighted || input->ignores) divisor = gt_loss_divisor_or_one(graph, divisor);
  out->mean = loss->type->sums_batch ? sum[GT_SUM_LOSS] : gt_div(graph, sum[GT_SUM_LOSS], divisor);
  sum[GT_SUM_CORRECT] = GT_NONE;
  if (loss->type->correct) {
    const gt_id correct = item_values(graph, loss->type->correct, loss, input, items.shifted, targets);
    sum[GT_SUM_CORRECT] = gt_sum(graph, gt_mul(graph, correct, items.weight), 0, false);
  }
  gt_graph_set_scope(graph, outer);
  if (out->mean != GT_NONE) return true;
  if (diagnostics->errors > errors) return false;
  return gt_refuse(diagnostics, loss->at, NULL, "loss '%s': %s", loss->type->name, graph->error.message);
}
