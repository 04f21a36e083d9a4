#include "train/eval/sheet.h"
#include "base/count.h"
#include "base/memory.h"
#include "draw/sheet.h"
#include "op/core.h"
#include "train/net/augmented.h"
#include "train/config/sampler.h"
#include "train/net/session.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CELLS = 64 };

typedef struct sheet {
  gt_config *config;
  gt_arena arena;
  const gt_tensor *targets;
  gt_sheet drawing; /* two images per cell if targets are images */
  gt_batch_attribute order;
  const int32_t *members; /* for a balanced order (train/config/sampler.h); NULL: another order */
  int64_t batch;          /* samples of a batch */
  int64_t values, each;   /* of a sample's input; of its target */
  bool mixed;             /* samples are mixed from two, and have two labels */
  float *inputs, *shares; /* shares: the weight of the first label of mixed samples */
  union {
    int32_t *label;
    float *number;
  } first, second; /* targets; second: the second label of mixed samples */
} sheet;

/* --- the samples of training --- */

static gt_sheet_image image_of(int rank, const int64_t *dim) {
  return (gt_sheet_image){dim[0], dim[1], rank == 3 ? dim[2] : 1, 0, 1};
}

static bool read_layout(sheet *s, gt_error *error) {
  const gt_dataset *data = &s->config->dataset;
  const gt_input *input = &data->input[0];
  const gt_train_config *train = &s->config->train;
  int64_t network_dim[GT_DATA_MAX_RANK];
  if (data->targets > 1)
    return gt_fail(error, GT_ERR_USAGE, "--samples needs data with a single target, and this data has %d",
                   data->targets);
  if (data->inputs > 1 || input->element == GT_ELEMENT_I32 || input->window ||
      (input->rank != 2 && input->rank != 3))
    return gt_fail(
        error, GT_ERR_USAGE,
        "--samples draws images, but these samples are not images: set their shape with data.shape, such as "
        "[8, 8]");
  s->targets = gt_train_target(data, 0);
  gt_input_network_shape(input, network_dim);
  s->drawing.input = image_of(input->rank, network_dim);
  s->values = s->drawing.input.height * s->drawing.input.width * s->drawing.input.channels;
  s->drawing.cells = gt_min_i64(data->split[GT_PART_TRAIN].samples, MAX_CELLS);
  s->batch = gt_batching_of(data->split[GT_PART_TRAIN].samples, train->batch_size, train->accumulate).batch;
  if (s->targets->rank == 3 || s->targets->rank == 4)
    s->drawing.target = image_of(s->targets->rank - 1, s->targets->dim + 1);
  if (s->drawing.target.height && input->crop[0])
    s->drawing.target.height = network_dim[0], s->drawing.target.width = network_dim[1];
  s->each = s->drawing.target.height
                ? s->drawing.target.height * s->drawing.target.width * s->drawing.target.channels
            : s->targets->data ? gt_tensor_features(s->targets)
                               : 0;
  return true;
}

static void assign_output(gt_graph *graph, const char *name, gt_id node) {
  if (node == GT_NONE) return;
  const gt_node *n = gt_node_at(graph, node);
  gt_assign(graph, gt_graph_variable(graph, name, n->shape, n->dtype, false), 0, node);
}

/* Builds the graph of a training batch, without the model. */
static gt_graph *build(sheet *s) {
  gt_config *config = s->config;
  gt_graph *graph = gt_graph_create(&s->arena);
  const gt_split *train = &config->dataset.split[GT_PART_TRAIN];
  const uint32_t state = gt_graph_variable(graph, "sheet.state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const gt_id clock =
      gt_clock(graph, state, gt_graph_variable(graph, "sheet.table", gt_shape_2(1, 1), GT_F32, false));
  const gt_batching batching =
      gt_batching_of(train->samples, config->train.batch_size, config->train.accumulate);
  gt_batch_attribute batch = {.batch = batching.batch,
                              .samples = train->samples,
                              .steps = (uint32_t)(batching.steps * batching.parts)};
  if (gt_sampler_balances(config)) s->members = gt_sampler_members(config, &s->arena, &batch.classes);
  const gt_samples samples = {&config->dataset, train, GT_PART_TRAIN, 0};
  gt_forward_target target = {.targets = GT_NONE};
  gt_model_inputs inputs;
  gt_augmented augmented;
  if (!config->augment)
    inputs = gt_samples_batch(&samples, &s->arena, graph, clock, batch);
  else if (!gt_augmented_inputs(&augmented, config, &samples, &s->arena, graph, clock, batch, &inputs))
    return NULL;
  if (s->targets->data)
    target.targets = gt_samples_read(&samples, GT_SAMPLE_TARGET, 0, &s->arena, graph, clock, batch);
  s->order = batch;
  if (config->augment)
    gt_augmented_target(&augmented, graph, &target);
  else if (s->drawing.target.height)
    target.targets = gt_crop_batch(&config->dataset.input[0], graph, target.targets);
  s->mixed = target.mixture && target.mixture->targets != target.targets; /* equal if the batch size is 1 */
  assign_output(graph, "sheet.inputs", inputs.items[0].node);
  assign_output(graph, "sheet.own", target.targets);
  if (s->mixed) assign_output(graph, "sheet.other", target.mixture->targets);
  if (s->mixed) assign_output(graph, "sheet.shares", target.mixture->share);
  return graph;
}

static bool allocate(sheet *s, gt_error *error) {
  const uint64_t rows = (uint64_t)(gt_ceil_div(s->drawing.cells, s->batch) * s->batch);
  void **const array[] = {(void **)&s->inputs, (void **)&s->first.label, (void **)&s->second.label,
                          (void **)&s->shares};
  const uint64_t size[] = {(uint64_t)s->values, (uint64_t)gt_max_i64(s->each, 1), 1, 1};
  for (int k = 0; k < 4; k++)
    if (!gt_try_alloc(array[k], rows, size[k] * sizeof(float), "the samples", error)) return false;
  return true;
}

static bool fetch(sheet *s, gt_session *session, gt_executable *executable, gt_error *error) {
  uint64_t ticket;
  for (int64_t first = 0; first < s->drawing.cells; first += s->batch) {
    const struct {
      const char *name;
      float *to;
      int64_t each;
      bool wanted;
    } parts[] = {{"sheet.inputs", s->inputs, s->values, true},
                 {"sheet.own", s->first.number, s->each, s->each > 0},
                 {"sheet.other", s->second.number, 1, s->mixed},
                 {"sheet.shares", s->shares, 1, s->mixed}};
    if (!session->backend->api->run(session->backend, executable, 1, &ticket, error)) return false;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
      if (parts[k].wanted &&
          !gt_buffers_download(&session->buffers, parts[k].name, 0, parts[k].to + first * parts[k].each,
                               (uint64_t)(s->batch * parts[k].each) * sizeof(float), error))
        return false;
  }
  return true;
}

static bool compute(sheet *s, gt_session *session, gt_error *error) {
  const uint64_t seed = (uint64_t)s->config->seed;
  const uint32_t words[GT_STATE_WORDS] = {0, (uint32_t)seed, (uint32_t)(seed >> 32), 0};
  const gt_dataset *data = &s->config->dataset;
  const gt_samples samples = {data, &data->split[GT_PART_TRAIN], GT_PART_TRAIN, 0};
  const gt_plan_options options = {.target = session->backend->target};
  gt_graph *graph = build(s);
  if (!graph) return gt_fail(error, GT_ERR_CONFIG, "the samples cannot be augmented");
  const gt_plan *plan = gt_plan_create(&s->arena, graph, &options, error);
  gt_executable *executable = plan ? gt_buffers_compile(&session->buffers, plan, error) : NULL;
  const bool ok = executable && allocate(s, error) && gt_samples_upload(&samples, &session->buffers, error) &&
                  gt_members_upload(s->members, &s->order, &session->buffers, error) &&
                  gt_buffers_upload(&session->buffers, "sheet.state", 0, words, sizeof words, error) &&
                  fetch(s, session, executable, error);
  if (executable) session->backend->api->executable_destroy(session->backend, executable);
  return ok;
}

/* Undoes the normalization, and finds the values of black and white. */
static void undo_scaling(sheet *s) {
  const gt_input *input = &s->config->dataset.input[0];
  const gt_scaling *scaling = &input->scaling;
  const int64_t period = scaling->count;
  s->drawing.input.white = input->white > 0 ? input->white : 1;
  for (int64_t i = 0; i < s->drawing.cells * s->values; i++) {
    float *v = &s->inputs[i];
    if (period) {
      const float *at = scaling->values + i % s->values % period;
      *v = (*v - at[2 * period]) / at[period] + at[0];
    }
    if (input->element == GT_ELEMENT_U8) continue;
    s->drawing.input.black = fmin(s->drawing.input.black, (double)*v);
    s->drawing.input.white = fmax(s->drawing.input.white, (double)*v);
  }
}

/* --- labels --- */

static const char *class_of(sheet *s, int32_t label) {
  const gt_dataset *data = &s->config->dataset;
  if (data->target[0].class_names && label >= 0 && label < data->target[0].classes)
    return data->target[0].class_names[label];
  return gt_arena_printf(&s->arena, "%d", (int)label);
}

static const char *numbers_of(sheet *s, int64_t index) {
  const char *text = "";
  for (int64_t k = 0; k < gt_min_i64(s->each, 4); k++)
    text = gt_arena_printf(&s->arena, "%s%s%.3g", text, k ? " " : "",
                           (double)s->first.number[index * s->each + k]);
  return text;
}

/* The text in a line below an image: a class; one of two classes with its share; or numbers. */
static const char *label_of(sheet *s, int64_t index, uint32_t line) {
  const bool classes = s->config->dataset.target[0].classification;
  if (!s->each || s->drawing.target.height) return "";
  if (!classes) return line ? "" : numbers_of(s, index);
  const char *first = class_of(s, s->first.label[index]);
  if (!s->mixed) return first;
  const char *second = class_of(s, s->second.label[index]);
  const long percent = lround(100 * (double)s->shares[index]);
  if (percent == 100 || percent == 0 || !strcmp(first, second)) return line ? "" : percent ? first : second;
  return gt_arena_printf(&s->arena, "%ld%% %s", line ? 100 - percent : percent, line ? second : first);
}

static void draw_cell(sheet *s, int64_t index) {
  const char *const line[] = {label_of(s, index, 0), label_of(s, index, 1)};
  gt_sheet_draw(&s->drawing, index, s->inputs + index * s->values, s->first.number + index * s->each, line);
}

bool gt_sheet_write(gt_config *config, const char *path, int64_t *shown, gt_error *error) {
  sheet s = {.config = config};
  gt_session session = {0};
  gt_arena_init(&s.arena);
  bool ok = read_layout(&s, error) && gt_session_open(&session, config, GT_PART_NONE, "cpu", error) &&
            compute(&s, &session, error);
  if (ok) {
    s.drawing.lines = s.mixed ? 2 : 1;
    gt_sheet_open(&s.drawing);
    undo_scaling(&s);
    for (int64_t i = 0; i < s.drawing.cells; i++) draw_cell(&s, i);
    ok = gt_png_write(path, &s.drawing.picture, error);
    *shown = s.drawing.cells;
  }
  gt_session_close(&session);
  free(s.inputs);
  free(s.first.label);
  free(s.second.label);
  free(s.shares);
  gt_picture_finish(&s.drawing.picture);
  gt_arena_finish(&s.arena);
  return ok;
}
