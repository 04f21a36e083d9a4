/* Measures single kernels (train/bench/bench.h). */
#include "base/count.h"
#include "base/philox.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "train/bench/bench.h"

/* The graph of one measurement, compiled. */
typedef struct trial {
  gt_backend *backend;
  gt_arena arena;
  gt_graph *graph;
  gt_buffers buffers;
  gt_executable *executable;
} trial;

static void begin(trial *t, gt_backend *backend) {
  *t = (trial){.backend = backend};
  gt_arena_init(&t->arena);
  t->graph = gt_graph_create(&t->arena);
  gt_buffers_init(&t->buffers, backend, &t->arena);
}

static void finish(trial *t) {
  if (t->executable) t->backend->api->executable_destroy(t->backend, t->executable);
  gt_buffers_finish(&t->buffers);
  gt_arena_finish(&t->arena);
}

static bool compile(trial *t, bool fused, gt_error *error) {
  const gt_plan_options options = {.target = t->backend->target, .no_fusion = !fused, .no_overlap = true};
  if (t->graph->error.status) {
    *error = t->graph->error;
    return false;
  }
  const gt_plan *plan = gt_plan_create(&t->arena, t->graph, &options, error);
  t->executable = plan ? gt_buffers_compile(&t->buffers, plan, error) : NULL;
  return t->executable;
}

/* Fills a variable with random values in [-1, 1), repeating one block. With zeros a device would use less
 * power, and run faster, than with real data. */
static bool fill(trial *t, const char *name, int64_t count, gt_error *error) {
  enum { BLOCK = 1 << 16 };
  static float block[BLOCK];
  bool ok = true;
  for (uint32_t i = 0; i < BLOCK; i++)
    block[i] = 0x1p-31f * (float)gt_random_bits(1, GT_PURPOSE_SAMPLE, 0, i) - 1;
  for (int64_t at = 0; ok && at < count; at += BLOCK)
    ok = gt_buffers_upload(&t->buffers, name, (uint64_t)at * sizeof *block, block,
                           (uint64_t)gt_min_i64(BLOCK, count - at) * sizeof *block, error);
  return ok;
}

static bool fill_inputs(trial *t, gt_error *error) {
  bool ok = true;
  for (uint32_t v = 0; v < t->graph->variables && ok; v++)
    ok = fill(t, t->graph->variable[v].name, gt_shape_count(t->graph->variable[v].shape), error);
  return ok;
}

static bool measure(trial *t, double seconds, gt_bench_time *time, gt_error *error) {
  const bool ok = compile(t, true, error) && fill_inputs(t, error) &&
                  gt_bench_within(t->backend, t->executable, seconds, time, error);
  finish(t);
  return ok;
}

static gt_id read_floats(gt_graph *graph, const char *name, gt_shape shape) {
  return gt_variable_read(graph, gt_graph_variable(graph, name, shape, GT_F32, false));
}

static void write_floats(gt_graph *graph, const char *name, gt_shape shape, gt_id x) {
  gt_assign(graph, gt_graph_variable(graph, name, shape, GT_F32, false), 0, x);
}

/* --- products --- */

static const gt_bench_precision precisions[] = {
    {"fp32", GT_PRECISION_AUTO}, {"scalar", GT_PRECISION_SCALAR}, {"half", GT_PRECISION_HALF}};

int gt_bench_precisions(const gt_target *target, const gt_bench_precision **list) {
  const bool has_matrix_units =
      !target->matrix.emulated && (target->matrix.half.m || target->matrix.bfloat.m);
  *list = precisions;
  return has_matrix_units ? sizeof precisions / sizeof *precisions : 1;
}

bool gt_bench_gemm(gt_backend *backend, const gt_bench_precision *precision, int64_t m, int64_t n, int64_t k,
                   double seconds, gt_bench_time *time, gt_error *error) {
  trial t;
  begin(&t, backend);
  const gt_id a = read_floats(t.graph, "a", gt_shape_2(m, k)),
              b = read_floats(t.graph, "b", gt_shape_2(k, n));
  gt_graph_set_precision(t.graph, precision->precision);
  write_floats(t.graph, "c", gt_shape_2(m, n), gt_matmul(t.graph, a, b, false, false));
  return measure(&t, seconds, time, error);
}

/* --- elementwise work --- */

bool gt_bench_elementwise(gt_backend *backend, gt_bench_map map, int64_t n, double seconds,
                          gt_bench_time *time, gt_error *error) {
  trial t;
  begin(&t, backend);
  gt_id x = read_floats(t.graph, "x", gt_shape_1(n));
  /* A node that copies x: assigning the variable x itself would save its old content first, a second copy. */
  if (map == GT_BENCH_COPY) x = gt_stop_gradient(t.graph, x);
  if (map == GT_BENCH_LINE)
    x = gt_add(t.graph, gt_mul(t.graph, x, gt_constant(t.graph, 2)), gt_constant(t.graph, 1));
  if (map == GT_BENCH_GELU) x = gt_gelu(t.graph, x);
  write_floats(t.graph, "y", gt_shape_1(n), x);
  return measure(&t, seconds, time, error);
}

/* --- kernels of one value --- */

static bool open_chain(trial *t, gt_backend *backend, int kernels, bool dependent, gt_error *error) {
  begin(t, backend);
  const gt_id x = read_floats(t->graph, "x", gt_shape_1(1)), one = gt_constant(t->graph, 1);
  const uint32_t y = gt_graph_variable(t->graph, "y", gt_shape_1(kernels), GT_F32, false);
  gt_id last = x;
  for (int i = 0; i < kernels; i++) {
    last = gt_add(t->graph, dependent ? last : x, dependent ? one : gt_constant(t->graph, i));
    if (!dependent) gt_assign(t->graph, y, i, last);
  }
  if (dependent) gt_assign(t->graph, y, 0, last);
  return compile(t, false, error);
}

bool gt_bench_chain(gt_backend *backend, int kernels, bool dependent, double seconds, gt_bench_time *time,
                    gt_error *error) {
  trial t;
  const bool ok = open_chain(&t, backend, kernels, dependent, error) &&
                  gt_bench_within(backend, t.executable, seconds, time, error);
  finish(&t);
  return ok;
}

bool gt_bench_submission(gt_backend *backend, gt_bench_time *time, gt_error *error) {
  trial t;
  gt_bench_time warm;
  const bool ok = open_chain(&t, backend, 1, false, error) &&
                  gt_bench_within(backend, t.executable, 0.02, &warm, error) &&
                  gt_bench_executable(backend, t.executable, 1, time, error);
  finish(&t);
  return ok;
}
