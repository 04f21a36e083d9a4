/* Measurements: the steady step of a config, and single kernels. Each warms up, then takes several
 * repetitions of a number of replays that lasts long enough to be measured; what is reported is per replay,
 * in microseconds. */
#ifndef GT_TRAIN_BENCH_H
#define GT_TRAIN_BENCH_H
#include "train/session.h"

enum { GT_BENCH_REPETITIONS = 7 };

typedef struct gt_bench_time {
  double median, min, max; /* microseconds per replay */
  int64_t replays;         /* in one repetition */
} gt_bench_time;

/* replays 0: as many as take a third of a second. */
bool gt_bench_executable(gt_backend *backend, gt_executable *executable, int64_t replays, gt_bench_time *time,
                         gt_error *error);
/* Opens the training step of a session's config, ready to be replayed. */
gt_net *gt_bench_open(gt_session *session, gt_executable **executable, gt_error *error);
/* A config without a file: the MLP 784-512-256-10 with ReLU and Adam on made-up bytes. Finish it like any
 * config. */
bool gt_bench_reference(gt_config *config, gt_arena *arena, int64_t batch, gt_error *error);
/* [m, k] x [k, n], and y = 2 x + 1 over n values: microseconds. */
bool gt_bench_gemm(gt_backend *backend, int64_t m, int64_t n, int64_t k, gt_bench_time *time,
                   gt_error *error);
bool gt_bench_elementwise(gt_backend *backend, int64_t n, gt_bench_time *time, gt_error *error);
#endif
