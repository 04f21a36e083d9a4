#include "train/bench.h"
#include "base/memory.h"
#include "base/philox.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "train/progress.h"
#include <stdlib.h>
#include <string.h>

static const double repetition_seconds = 0.33;

static bool replay(gt_backend *backend, gt_executable *executable, int64_t times, double *seconds,
                   gt_error *error) {
  const int64_t piece = 1 << 14;
  uint64_t ticket = 0;
  const double began = gt_seconds();
  for (int64_t left = times; left > 0; left -= piece)
    if (!backend->api->run(backend, executable, (uint32_t)(left < piece ? left : piece), &ticket, error))
      return false;
  const bool ok = backend->api->wait(backend, ticket, error);
  *seconds = gt_seconds() - began;
  return ok;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

bool gt_bench_executable(gt_backend *backend, gt_executable *executable, int64_t replays, gt_bench_time *time,
                         gt_error *error) {
  double seconds, micro[GT_BENCH_REPETITIONS];
  int64_t n = 1;
  /* Warm up with more and more replays, until one round tells how many are needed. */
  do {
    if (!replay(backend, executable, n, &seconds, error)) return false;
    if (seconds < 0.05) n *= 4;
  } while (seconds < 0.05 && n < 1 << 22);
  if (!replays) replays = (int64_t)(repetition_seconds / seconds * (double)n) + 1;
  for (int i = 0; i < GT_BENCH_REPETITIONS; i++) {
    if (!replay(backend, executable, replays, &seconds, error)) return false;
    micro[i] = 1e6 * seconds / (double)replays;
  }
  qsort(micro, GT_BENCH_REPETITIONS, sizeof *micro, ascending);
  *time =
      (gt_bench_time){micro[GT_BENCH_REPETITIONS / 2], micro[0], micro[GT_BENCH_REPETITIONS - 1], replays};
  return true;
}

/* The whole table of scalars once: a run uploads it ahead in the same way, so the steady step does not see
 * it. */
static bool upload_table(gt_session *session, const gt_net *net, gt_error *error) {
  const gt_schedule_state state = gt_schedule_start();
  const size_t width = (size_t)net->table_width;
  float *rows = gt_alloc(GT_TABLE_ROWS * width * sizeof *rows);
  for (uint64_t s = 0; s < GT_TABLE_ROWS; s++)
    gt_training_scalars(session->config->optim, &state, s, GT_TABLE_ROWS, (uint64_t)net->steps, s + 1,
                        rows + s * width);
  const bool ok = gt_buffers_upload(&session->buffers, "train.table", 0, rows,
                                    GT_TABLE_ROWS * width * sizeof *rows, error);
  free(rows);
  return ok;
}

gt_net *gt_bench_open(gt_session *session, gt_executable **executable, gt_error *error) {
  const gt_net_options options = {.target = session->backend->target};
  gt_net *net = gt_net_training(&session->arena, session->config, &options, error);
  if (!net) return NULL;
  *executable = gt_session_compile(session, net, error);
  if (!*executable || !gt_session_load_data(session, net, error)) return NULL;
  return gt_store_start(net->model->store, &session->buffers, (uint64_t)session->config->seed, error) &&
                 upload_table(session, net, error) && gt_session_set_clock(session, net, 0, error)
             ? net
             : NULL;
}

/* --- the reference step --- */

static bool make_split(gt_split *split, int64_t samples, int64_t features, gt_error *error) {
  split->input[0] = (gt_tensor){.element = GT_ELEMENT_U8, .rank = 2, .dim = {samples, features}};
  split->targets = (gt_tensor){.element = GT_ELEMENT_I32, .rank = 1, .dim = {samples}};
  if (!gt_try_alloc(&split->input[0].data, (uint64_t)samples, (uint64_t)features, "the samples", error) ||
      !gt_try_alloc(&split->targets.data, (uint64_t)samples, sizeof(int32_t), "the labels", error))
    return false;
  split->samples = samples;
  uint8_t *pixels = split->input[0].data;
  int32_t *labels = split->targets.data;
  for (int64_t i = 0; i < samples * features; i++)
    pixels[i] = (uint8_t)gt_random_bits(1, GT_PURPOSE_SAMPLE, 0, (uint32_t)i);
  for (int64_t i = 0; i < samples; i++)
    labels[i] = (int32_t)(gt_random_bits(1, GT_PURPOSE_SAMPLE, 1, (uint32_t)i) % 10);
  return true;
}

bool gt_bench_reference(gt_config *config, gt_arena *arena, int64_t batch, gt_error *error) {
  static const char text[] = "model: [{linear: 512}, relu, {linear: 256}, relu, {linear: 10}]\n"
                             "optimizer: {type: adam, lr: 1e-3}\n";
  *config = (gt_config){.path = "reference", .name = "reference", .seed = 1};
  gt_diagnostics_init(&config->diagnostics, arena);
  config->root = gt_spec_parse(arena, "reference", text, sizeof text - 1, &config->diagnostics);
  config->train =
      (gt_train_config){.epochs = 1, .batch_size = batch, .eval_batch_size = 500, .accumulate = 1};
  config->optim = gt_optim_read(arena, config->root, &config->diagnostics);
  config->loss = gt_loss_read(arena, config->root, true, &config->diagnostics);
  float *scaling = GT_NEW_N(arena, float, 3);
  scaling[1] = 1.0f / 255;
  config->dataset = (gt_dataset){.format = "made up",
                                 .inputs = 1,
                                 .input = {{.name = GT_INPUT_NAME, .scaling = {1, scaling}}},
                                 .classification = true,
                                 .classes = 10};
  config->has_dataset = true;
  if (!make_split(&config->dataset.train, 16384, 784, error)) return false;
  return config->root && config->optim && config->loss;
}

/* --- single kernels --- */

static gt_id read_floats(gt_graph *graph, const char *name, gt_shape shape) {
  return gt_variable_read(graph, gt_graph_variable(graph, name, shape, GT_F32, false));
}

/* Plans, compiles, measures and throws away a graph without a clock. */
static bool measure(gt_backend *backend, gt_arena *arena, gt_graph *graph, gt_bench_time *time,
                    gt_error *error) {
  const gt_plan_options options = {.target = backend->target};
  gt_buffers buffers;
  gt_buffers_init(&buffers, backend, arena);
  if (graph->error.status) {
    *error = graph->error;
    return false;
  }
  gt_plan *plan = gt_plan_create(arena, graph, &options, error);
  gt_executable *executable = plan ? gt_buffers_compile(&buffers, plan, error) : NULL;
  const bool ok = executable && gt_bench_executable(backend, executable, 0, time, error);
  if (executable) backend->api->executable_destroy(backend, executable);
  gt_buffers_finish(&buffers);
  return ok;
}

bool gt_bench_gemm(gt_backend *backend, int64_t m, int64_t n, int64_t k, gt_bench_time *time,
                   gt_error *error) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_graph *graph = gt_graph_create(&arena);
  const gt_id a = read_floats(graph, "a", gt_shape_2(m, k)), b = read_floats(graph, "b", gt_shape_2(k, n));
  gt_assign(graph, gt_graph_variable(graph, "c", gt_shape_2(m, n), GT_F32, false), 0,
            gt_matmul(graph, a, b, false, false));
  const bool ok = measure(backend, &arena, graph, time, error);
  gt_arena_finish(&arena);
  return ok;
}

bool gt_bench_elementwise(gt_backend *backend, int64_t n, gt_bench_time *time, gt_error *error) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_graph *graph = gt_graph_create(&arena);
  const gt_id x = read_floats(graph, "x", gt_shape_1(n));
  const gt_id y = gt_add(graph, gt_mul(graph, x, gt_constant(graph, 2)), gt_constant(graph, 1));
  gt_assign(graph, gt_graph_variable(graph, "y", gt_shape_1(n), GT_F32, false), 0, y);
  const bool ok = measure(backend, &arena, graph, time, error);
  gt_arena_finish(&arena);
  return ok;
}
