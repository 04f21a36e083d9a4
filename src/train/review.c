#include "train/review.h"
#include "base/count.h"
#include "data/data.h"
#include <string.h>

/* --- samples -------------------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 64, MOST_ROWS = 8192 /* looked at, evenly spread */ };

typedef struct facts {
  gt_sample_facts as;
  const gt_input *input;
  const gt_tensor *samples;
  gt_arena *arena;
} facts;

static double seen_value(const facts *f, int64_t row, int64_t feature) {
  const gt_scaling *scaling = &f->input->scaling;
  const int64_t i = row * gt_tensor_features(f->samples) + feature, n = scaling->count;
  const double v = f->samples->element == GT_ELEMENT_U8 ? ((const uint8_t *)f->samples->data)[i]
                                                        : (double)((const float *)f->samples->data)[i];
  if (!n) return v;
  const float *row_of = scaling->values + feature % n;
  return (v - (double)row_of[0]) * (double)row_of[n] + (double)row_of[2 * n];
}

static double share_outside(const facts *f, int64_t first, int64_t step, double low, double high) {
  const int64_t rows = f->samples->dim[0], features = gt_tensor_features(f->samples);
  int64_t outside = 0, seen = 0;
  for (int64_t r = 0; r < rows; r += gt_ceil_div(rows, MOST_ROWS))
    for (int64_t i = first; i < features; i += step, seen++) {
      const double v = seen_value(f, r, i);
      outside += v < low || v > high;
    }
  return seen ? (double)outside / (double)seen : 0;
}

static double outside(const gt_sample_facts *as, double low, double high, const char **column) {
  const facts *f = (const facts *)(const void *)as;
  const int64_t features = gt_tensor_features(f->samples);
  *column = NULL;
  if (!f->samples->data || f->samples->element == GT_ELEMENT_I32) return 0;
  if (f->samples->rank != 2 || features > MOST_COLUMNS) return share_outside(f, 0, 1, low, high);
  double most = -1;
  for (int64_t i = 0; i < features; i++) {
    const double share = share_outside(f, i, features, low, high);
    if (share <= most) continue;
    most = share;
    *column = f->input->columns ? f->input->columns[i] : gt_arena_printf(f->arena, "%lld", (long long)i + 1);
  }
  return most;
}

static const gt_sample_facts *facts_of(const gt_config *config, int index, gt_arena *arena) {
  const gt_input *input = &config->dataset.input[index];
  facts *f = GT_NEW(arena, facts);
  *f = (facts){
      {.sample.rank = input->rank, .outside = outside}, input, &config->dataset.train.input[index], arena};
  gt_input_seen(input, f->as.sample.dim);
  return &f->as;
}

void gt_config_note_ranges(gt_config *config, gt_arena *arena) {
  gt_dataset *data = &config->dataset;
  for (int k = 0; k < data->inputs; k++) {
    data->input[k].range = gt_tensor_range(&data->train.input[k], arena);
    for (int p = 0; p < config->phases; p++) config->phase[p].dataset.input[k].range = data->input[k].range;
  }
}

void gt_review_ranges(const gt_data_signature *taught, const gt_tensor *samples, gt_position at,
                      gt_arena *arena, gt_diagnostics *diagnostics) {
  for (int k = 0; k < taught->inputs; k++) {
    const char *doubt = gt_range_doubt(&taught->input[k], &samples[k], arena);
    if (doubt)
      gt_finding_at(diagnostics, GT_FINDING_outside_training, at,
                    "the model has seen nothing like these samples: %s", doubt)
          ->help = "samples in the units of the training data; the model's results for others mean little";
  }
}

gt_review *gt_config_review(const gt_config *config, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  const int64_t samples = data->train.samples;
  const gt_batching batching = gt_batching_of(samples, config->train.batch_size, config->train.accumulate);
  const gt_sample_facts **input = GT_NEW_N(arena, const gt_sample_facts *, data->inputs);
  for (int k = 0; k < data->inputs; k++) input[k] = facts_of(config, k, arena);
  gt_review *review = GT_NEW(arena, gt_review);
  *review = (gt_review){.rows = batching.batch,
                        .last_rows = samples % batching.batch ? samples % batching.batch : batching.batch,
                        .input = input};
  return review;
}
