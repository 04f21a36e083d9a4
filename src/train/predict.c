#include "train/predict.h"
#include "base/count.h"
#include "base/memory.h"
#include "model/forward.h"
#include "op/core.h"
#include "train/net.h"
#include "train/session.h"
#include <stdlib.h>
#include <string.h>

enum { BATCH = 500 };

/* The config of a model file, as far as predictions need it: no data is opened. */
static bool read_config(gt_config *config, gt_arena *arena, const gt_model_file *file, gt_error *error) {
  *config = (gt_config){.path = file->path, .name = "model", .seed = 1};
  gt_diagnostics_init(&config->diagnostics, arena);
  config->root = gt_spec_parse(arena, file->path, file->config, strlen(file->config), &config->diagnostics);
  if (config->root) config->loss = gt_loss_read(arena, config->root, file->classes > 0, &config->diagnostics);
  if (config->root && config->loss) return true;
  return gt_fail(error, GT_ERR_DATA, "%s: its config cannot be read by this version of gtrain: %s",
                 file->path,
                 config->diagnostics.count ? config->diagnostics.items[0].message : "it is not YAML");
}

typedef struct net {
  gt_graph *graph;
  gt_model *model;
  gt_id output;
  int64_t batch, steps;
} net;

static bool build(net *n, gt_session *session, const gt_model_file *file, const gt_samples *inputs,
                  gt_prediction *out, gt_error *error) {
  gt_config *config = session->config;
  gt_graph *graph = n->graph = gt_graph_create(&session->arena);
  const int64_t samples = inputs->tensor->dim[0];
  n->batch = samples < BATCH ? samples : BATCH;
  n->steps = gt_ceil_div(samples, n->batch);
  const uint32_t state = gt_graph_variable(graph, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const uint32_t table = gt_graph_variable(graph, "table", gt_shape_2(1, 1), GT_F32, false);
  const gt_id clock = gt_clock(graph, state, table);
  const gt_batch_attribute batch = {n->batch, samples, true};
  /* What the model stands for is what it predicts with. */
  gt_forward forward = {.root = config->root,
                        .inputs = gt_samples_batch(inputs, &session->arena, graph, clock, batch),
                        .clock = clock,
                        .weight = gt_batch_weight(graph, clock, batch),
                        .padded = samples % n->batch != 0,
                        .loss = config->loss,
                        .targets = GT_NONE,
                        .precision = config->products,
                        .mode = {.hard = true, .seed = (uint64_t)config->seed}};
  if (!gt_forward_build(&forward, &session->arena, graph, &config->diagnostics))
    return gt_fail(error, GT_ERR_DATA, "%s: its model cannot be built: %s", file->path,
                   config->diagnostics.count ? config->diagnostics.items[0].message : "unknown");
  n->model = forward.model;
  if (!gt_store_match(n->model->store, &file->container, file->path, GT_MODEL_ROLES, error)) return false;
  n->output = forward.output;
  out->probabilities = config->loss->type->applies;
  if (graph->error.status) return *error = graph->error, false;
  gt_assign(graph, gt_graph_variable(graph, "outputs", gt_node_at(graph, n->output)->shape, GT_F32, false), 0,
            n->output);
  return true;
}

static bool upload(gt_session *session, const net *n, const gt_model_file *file, const gt_samples *inputs,
                   gt_error *error) {
  const uint32_t words[GT_STATE_WORDS] = {0};
  return gt_session_take_weights(session, n->model->store, file, error) &&
         gt_samples_upload(inputs, &session->buffers, error) &&
         gt_buffers_upload(&session->buffers, "state", 0, words, sizeof words, error);
}

static bool compute(gt_session *session, const net *n, int64_t samples, gt_prediction *out, gt_error *error) {
  const gt_shape shape = gt_node_at(n->graph, n->output)->shape;
  const int64_t values = gt_shape_count(shape) / n->batch;
  gt_executable *executable = session->executables[0];
  uint64_t ticket;
  out->outputs = (gt_tensor){.element = GT_ELEMENT_F32, .rank = shape.rank, .dim = {samples}};
  for (int d = 1; d < shape.rank; d++) out->outputs.dim[d] = shape.dim[d];
  if (!gt_try_alloc(&out->outputs.data, (uint64_t)samples, (uint64_t)values * sizeof(float),
                    "the predictions", error))
    return false;
  for (int64_t s = 0; s < n->steps; s++) {
    const int64_t first = s * n->batch, rows = samples - first < n->batch ? samples - first : n->batch;
    float *to = (float *)out->outputs.data + first * values;
    if (!session->backend->api->run(session->backend, executable, 1, &ticket, error)) return false;
    if (!gt_buffers_download(&session->buffers, "outputs", 0, to, (uint64_t)(rows * values) * sizeof *to,
                             error))
      return false;
  }
  return true;
}

bool gt_predict(gt_model_file *file, const gt_tensor *inputs, const char *device, gt_prediction *out,
                gt_error *error) {
  gt_config config;
  gt_session session = {0};
  net n = {0};
  gt_arena arena;
  const gt_samples samples = {file->signature.inputs, file->signature.input, inputs, "inputs"};
  *out = (gt_prediction){0};
  gt_arena_init(&arena);
  bool ok = read_config(&config, &arena, file, error) && gt_session_open(&session, &config, device, error) &&
            build(&n, &session, file, &samples, out, error);
  if (ok) {
    const gt_plan_options options = {.target = session.backend->target};
    gt_plan *plan = gt_plan_create(&session.arena, n.graph, &options, error);
    gt_executable *executable = plan ? gt_buffers_compile(&session.buffers, plan, error) : NULL;
    if (executable) session.executables[session.executable_count++] = executable;
    ok = executable && upload(&session, &n, file, &samples, error) &&
         compute(&session, &n, inputs->dim[0], out, error);
  }
  if (!ok) gt_tensor_finish(&out->outputs);
  gt_session_close(&session);
  gt_arena_finish(&arena);
  return ok;
}
