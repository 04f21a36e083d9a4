/* Measurements: the steady training step of a config, single kernels, and the limits of a machine
 * (train/bench_table.h does all of it). Each warms up, then takes several repetitions of a number of replays,
 * enough to be timed. Results are microseconds per replay. */
#ifndef GT_TRAIN_BENCH_H
#define GT_TRAIN_BENCH_H
#include "train/session.h"

enum { GT_BENCH_REPETITIONS = 7, GT_BENCH_LEAST_REPETITIONS = 3 };

typedef struct gt_bench_time {
  double median, min, max; /* microseconds per replay */
  int64_t replays;         /* in one repetition */
  int repetitions;
} gt_bench_time;

/* replays 0: the number that takes about a third of a second. */
bool gt_bench_net(gt_backend *backend, const gt_net *net, gt_executable *executable, int64_t replays,
                  gt_bench_time *time, gt_error *error);
bool gt_bench_executable(gt_backend *backend, gt_executable *executable, int64_t replays, gt_bench_time *time,
                         gt_error *error);
/* The same, within about this many seconds: slow replays get fewer repetitions, but at least
 * GT_BENCH_LEAST_REPETITIONS of one replay each. */
bool gt_bench_within(gt_backend *backend, gt_executable *executable, double seconds, gt_bench_time *time,
                     gt_error *error);
/* The median; sorts the values. */
double gt_bench_median(double *values, int count);
/* Runs this many steps and waits for them: wall time from the call to their end. net NULL: the executable
 * reads no samples. */
bool gt_bench_seconds(gt_backend *backend, const gt_net *net, gt_executable *executable, int64_t steps,
                      double *seconds, gt_error *error);
/* Opens the training step of a session's config, ready to be replayed. */
gt_net *gt_bench_open(gt_session *session, gt_executable **executable, gt_error *error);
/* A config without a file: the MLP 784-512-256-10 with ReLU and Adam on made-up bytes. Finish it like any
 * config. */
bool gt_bench_reference(gt_config *config, gt_arena *arena, int64_t batch, gt_error *error);

/* A precision of products. */
typedef struct gt_bench_precision {
  const char *name;
  bool (*offered)(const gt_target *target);
  gt_id (*product)(gt_graph *graph, gt_id a, gt_id b); /* [m, k] x [k, n] */
} gt_bench_precision;
/* All precisions, the default first. Returns how many. */
int gt_bench_precisions(const gt_bench_precision **precisions);

/* Single kernels, each measured for about this many seconds: a product [m, k] x [k, n]; y = x, y = 2 x + 1
 * and y = gelu(x) on n values. */
typedef enum gt_bench_map { GT_BENCH_COPY, GT_BENCH_LINE, GT_BENCH_GELU } gt_bench_map;
bool gt_bench_gemm(gt_backend *backend, const gt_bench_precision *precision, int64_t m, int64_t n, int64_t k,
                   double seconds, gt_bench_time *time, gt_error *error);
bool gt_bench_elementwise(gt_backend *backend, gt_bench_map map, int64_t n, double seconds,
                          gt_bench_time *time, gt_error *error);
/* A replay of this many kernels on one value each: a chain in which each waits for the one before, or all
 * independent. */
bool gt_bench_chain(gt_backend *backend, int kernels, bool dependent, double seconds, gt_bench_time *time,
                    gt_error *error);
/* One such kernel, submitted and waited for. */
bool gt_bench_submission(gt_backend *backend, gt_bench_time *time, gt_error *error);
#endif
