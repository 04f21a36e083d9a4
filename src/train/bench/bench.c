#include "train/bench/bench.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/philox.h"
#include "base/time.h"
#include <stdlib.h>
#include <string.h>

static const double repetition_seconds = 0.33;

typedef struct replayed {
  gt_backend *backend;
  const gt_net *net;
  gt_executable *executable;
} replayed;

bool gt_bench_seconds(gt_backend *backend, const gt_net *net, gt_executable *executable, int64_t steps,
                      double *seconds, gt_error *error) {
  const int64_t submission = 1 << 14; /* steps that are submitted at once */
  uint64_t ticket = 0;
  const double start = gt_seconds();
  for (int64_t left = steps; left > 0; left -= submission)
    if (!gt_net_run(net, backend, executable, (uint32_t)gt_min_i64(left, submission), &ticket, error))
      return false;
  const bool ok = backend->api->wait(backend, ticket, error);
  *seconds = gt_seconds() - start;
  return ok;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double gt_bench_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return values[count / 2];
}

/* Times repetitions of this many replays. */
static bool repeat(const replayed *subject, int repetitions, int64_t replays, gt_bench_time *time,
                   gt_error *error) {
  double seconds, micro[GT_BENCH_REPETITIONS];
  for (int i = 0; i < repetitions; i++) {
    if (!gt_bench_seconds(subject->backend, subject->net, subject->executable, replays, &seconds, error))
      return false;
    micro[i] = 1e6 * seconds / (double)replays;
  }
  const double median = gt_bench_median(micro, repetitions); /* sorts them */
  *time = (gt_bench_time){median, micro[0], micro[repetitions - 1], replays, repetitions};
  return true;
}

/* Warms up, with four times as many replays in each round, until a round takes min_seconds: long enough to
 * estimate the time of one replay. */
static bool warm_up(const replayed *subject, double min_seconds, double *seconds_per_replay,
                    gt_error *error) {
  double seconds;
  int64_t n = 1;
  do {
    if (!gt_bench_seconds(subject->backend, subject->net, subject->executable, n, &seconds, error))
      return false;
    *seconds_per_replay = seconds / (double)n;
    if (seconds < min_seconds) n *= 4;
  } while (seconds < min_seconds && n < 1 << 22);
  return true;
}

bool gt_bench_net(gt_backend *backend, const gt_net *net, gt_executable *executable, int64_t replays,
                  gt_bench_time *time, gt_error *error) {
  const replayed subject = {backend, net, executable};
  double seconds_per_replay;
  if (!warm_up(&subject, 0.05, &seconds_per_replay, error)) return false;
  if (!replays) replays = (int64_t)(repetition_seconds / seconds_per_replay) + 1;
  return repeat(&subject, GT_BENCH_REPETITIONS, replays, time, error);
}

bool gt_bench_executable(gt_backend *backend, gt_executable *executable, int64_t replays, gt_bench_time *time,
                         gt_error *error) {
  return gt_bench_net(backend, NULL, executable, replays, time, error);
}

bool gt_bench_within(gt_backend *backend, gt_executable *executable, double seconds, gt_bench_time *time,
                     gt_error *error) {
  const replayed subject = {backend, NULL, executable};
  double seconds_per_replay;
  if (!warm_up(&subject, seconds / 20, &seconds_per_replay, error)) return false;
  const double replays = seconds / seconds_per_replay;
  int repetitions = replays < GT_BENCH_LEAST_REPETITIONS ? GT_BENCH_LEAST_REPETITIONS : GT_BENCH_REPETITIONS;
  if (replays < repetitions) repetitions = (int)replays;
  if (repetitions < GT_BENCH_LEAST_REPETITIONS) repetitions = GT_BENCH_LEAST_REPETITIONS;
  return repeat(&subject, repetitions, (int64_t)(replays / repetitions) + 1, time, error);
}

/* Uploads the table of the schedule's values once, so that its upload is not measured: a run uploads it while
 * earlier steps run. */
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
  gt_net_options options = {.target = session->backend->target, .tuned = &session->tuned};
  if (!gt_session_place(session, &options, 0, error)) return NULL;
  options.windows = session->windows;
  gt_net *net = gt_net_training(&session->arena, session->config, &options, error);
  if (!net) return NULL;
  *executable = gt_session_compile(session, net, error);
  if (!*executable || !gt_session_load_data(session, net, error)) return NULL;
  return gt_store_init_device(net->model->store, &session->buffers, (uint64_t)session->config->seed, error) &&
                 (net->search || upload_table(session, net, error)) &&
                 gt_session_set_clock(session, net, 0, error) &&
                 (!net->feed || gt_feed_seek(net->feed, 0, INT64_MAX, error))
             ? net
             : NULL;
}

/* --- the reference step --- */

static bool make_split(gt_split *split, int64_t samples, int64_t features, gt_error *error) {
  gt_tensor *input =
                gt_split_add(split, GT_SAMPLE_INPUT, 0,
                             (gt_tensor){.element = GT_ELEMENT_U8, .rank = 2, .dim = {samples, features}}),
            *target = gt_split_add(split, GT_SAMPLE_TARGET, 0,
                                   (gt_tensor){.element = GT_ELEMENT_I32, .rank = 1, .dim = {samples}});
  if (!gt_try_alloc(&input->data, (uint64_t)samples, (uint64_t)features, "the samples", error) ||
      !gt_try_alloc(&target->data, (uint64_t)samples, sizeof(int32_t), "the labels", error))
    return false;
  split->samples = samples;
  uint8_t *pixels = input->data;
  int32_t *labels = target->data;
  for (int64_t i = 0; i < samples * features; i++)
    pixels[i] = (uint8_t)gt_random_bits(1, GT_PURPOSE_SAMPLE, 0, (uint32_t)i);
  for (int64_t i = 0; i < samples; i++)
    labels[i] = (int32_t)(gt_random_bits(1, GT_PURPOSE_SAMPLE, 1, (uint32_t)i) % 10);
  return true;
}

bool gt_bench_reference(gt_config *config, gt_arena *arena, int64_t batch, gt_error *error) {
  static const char text[] = "model: [{linear: 512}, relu, {linear: 256}, relu, {linear: 10}]\n"
                             "optimizer: {type: adam, lr: 1.0e-3}\n";
  *config = (gt_config){.path = "reference", .name = "reference", .seed = 1};
  gt_diagnostics_init(&config->diagnostics, arena);
  config->root = gt_spec_parse(arena, "reference", text, sizeof text - 1, &config->diagnostics);
  config->train =
      (gt_train_config){.epochs = 1, .batch_size = batch, .eval_batch_size = 500, .accumulate = 1};
  config->optim = gt_optim_read(arena, config->root, &config->diagnostics);
  const gt_data_target labels = {.classification = true};
  config->loss[0] = gt_loss_read(arena, config->root, &labels, &config->diagnostics);
  float *scaling = GT_NEW_N(arena, float, 3);
  scaling[1] = 1.0f / 255;
  config->dataset = (gt_dataset){.format = "made up",
                                 .inputs = 1,
                                 .input = {{.name = GT_INPUT_NAME, .scaling = {1, scaling}}},
                                 .targets = 1,
                                 .target = {{.classification = true, .classes = 10}}};
  config->has_dataset = true;
  if (!make_split(&config->dataset.split[GT_PART_TRAIN], 16384, 784, error)) return false;
  return config->root && config->optim && config->loss[0];
}
