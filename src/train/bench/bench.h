/* Measurements of the training step of a config and of single kernels. Each measurement warms up, then times
 * several repetitions; a repetition is a number of replays that takes long enough to be timed. Results are
 * microseconds per replay. train/bench/bench_table.h measures a whole machine. */
#ifndef GT_TRAIN_BENCH_H
#define GT_TRAIN_BENCH_H
#include "train/net/session.h"

enum { GT_BENCH_REPETITIONS = 7, GT_BENCH_LEAST_REPETITIONS = 3 };

typedef struct gt_bench_time {
  double median, min, max; /* microseconds per replay */
  int64_t replays;         /* in one repetition */
  int repetitions;
} gt_bench_time;

/* Measures the step of a net, or an executable. replays: in one repetition; 0: as many as take about a third
 * of a second. */
bool gt_bench_net(gt_backend *backend, const gt_net *net, gt_executable *executable, int64_t replays,
                  gt_bench_time *time, gt_error *error);
bool gt_bench_executable(gt_backend *backend, gt_executable *executable, int64_t replays, gt_bench_time *time,
                         gt_error *error);
/* The same in about this many seconds: for slow replays there are fewer repetitions, but at least
 * GT_BENCH_LEAST_REPETITIONS, of one or more replays. */
bool gt_bench_within(gt_backend *backend, gt_executable *executable, double seconds, gt_bench_time *time,
                     gt_error *error);
/* The median; sorts the values. */
double gt_bench_median(double *values, int count);
/* Runs this many steps and waits for them. seconds: wall time from the call to the end of the last step. net
 * NULL: the executable reads no samples. */
bool gt_bench_seconds(gt_backend *backend, const gt_net *net, gt_executable *executable, int64_t steps,
                      double *seconds, gt_error *error);
/* Compiles the training step of a session's config, and prepares it for replays. NULL on errors. */
gt_net *gt_bench_open(gt_session *session, gt_executable **executable, gt_error *error);
/* A config without a file: the MLP 784-512-256-10 with ReLU and Adam on random bytes. The caller calls
 * gt_config_finish. */
bool gt_bench_reference(gt_config *config, gt_arena *arena, int64_t batch, gt_error *error);

/* A precision of GEMM. */
typedef struct gt_bench_precision {
  const char *name;
  gt_precision precision;
} gt_bench_precision;
/* The precisions that the device offers, the default first. Returns how many. */
int gt_bench_precisions(const gt_target *target, const gt_bench_precision **precisions);

/* Measure a single kernel for about this many seconds: a GEMM [m, k] x [k, n]; y = x, y = 2 x + 1 or y =
 * gelu(x) on n values. */
typedef enum gt_bench_map { GT_BENCH_COPY, GT_BENCH_LINE, GT_BENCH_GELU } gt_bench_map;
bool gt_bench_gemm(gt_backend *backend, const gt_bench_precision *precision, int64_t m, int64_t n, int64_t k,
                   double seconds, gt_bench_time *time, gt_error *error);
bool gt_bench_elementwise(gt_backend *backend, gt_bench_map map, int64_t n, double seconds,
                          gt_bench_time *time, gt_error *error);
/* Measures replays of this many kernels on one value each; dependent: each kernel reads the result of the
 * previous one. */
bool gt_bench_chain(gt_backend *backend, int kernels, bool dependent, double seconds, gt_bench_time *time,
                    gt_error *error);
/* Measures the time to submit one such kernel and to wait for it. */
bool gt_bench_submission(gt_backend *backend, gt_bench_time *time, gt_error *error);
#endif
