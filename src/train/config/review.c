#include "train/config/review.h"
#include "train/config/baseline.h"
#include "base/text.h"
#include "data/column.h"
#include "data/data.h"
#include "tokens/tokens.h"
#include <string.h>

/* --- samples -------------------------------------------------------------------------------------------- */

enum { MAX_COLUMNS = 64 }; /* with more columns, values are reviewed together */

typedef struct facts {
  gt_sample_facts base;
  const gt_input *input;
  const gt_tensor *samples, *test; /* test: test samples from a separate file; NULL: there is none */
  bool is_augmented;
  bool is_function; /* samples of a formula, whose inputs are called x0, x1, … */
  gt_arena *arena;
} facts;

static const char *column_name(const facts *f, int64_t i) {
  if (f->input->columns) return f->input->columns[i];
  return gt_arena_printf(f->arena, f->is_function ? "x%lld" : "%lld", (long long)i + !f->is_function);
}

/* True if value i is the same in all samples. */
static bool is_constant(const gt_tensor *stored, int64_t i) {
  const gt_tensor rows = gt_tensor_as_rows(stored), *samples = &rows;
  const size_t size = gt_element_size(samples->element);
  const char *value = samples->data;
  const int64_t features = gt_tensor_features(samples);
  int64_t row = 1;
  while (row < samples->dim[0] &&
         !memcmp(value + (size_t)i * size, value + (size_t)(row * features + i) * size, size))
    row++;
  return row == samples->dim[0];
}

static double outside(const gt_sample_facts *base, bool test, double low, double high, const char **column) {
  const facts *f = (const facts *)(const void *)base;
  const gt_tensor *stored = test ? f->test : f->samples;
  const gt_scaling *scaling = &f->input->scaling;
  *column = NULL;
  if (!stored) return 0;
  const gt_tensor rows = gt_tensor_as_rows(stored), *samples = &rows;
  if (!samples->data || !f->samples->data || samples->element == GT_ELEMENT_I32) return 0;
  const int64_t features = gt_tensor_features(samples);
  if (samples->rank != 2 || features > MAX_COLUMNS)
    return gt_share_outside(samples, scaling, 0, 1, low, high);
  double largest = 0;
  for (int64_t i = 0; i < features; i++) {
    const double share = gt_table_is_one_hot(f->input->table, i)
                             ? 0
                             : gt_share_outside(samples, scaling, i, features, low, high);
    if (share <= largest || is_constant(f->samples, i)) continue;
    largest = share;
    *column = column_name(f, i);
  }
  return largest;
}

static bool range(const gt_sample_facts *base, double *low, double *high) {
  const facts *f = (const facts *)(const void *)base;
  if (f->is_augmented) return false;
  const gt_value_range r = gt_scaled_range(f->input, f->samples, f->arena);
  for (int64_t c = 0; c < r.columns; c++) {
    *low = c && *low < (double)r.low[c] ? *low : (double)r.low[c];
    *high = c && *high > (double)r.high[c] ? *high : (double)r.high[c];
  }
  return r.columns > 0;
}

static void separate(const gt_sample_facts *base, const double *level, int count, bool *used) {
  const facts *f = (const facts *)(const void *)base;
  gt_mark_separated(f->input, f->samples, level, count, used);
}

/* True if the test samples come from their own files, not from the source of the training samples. */
static bool has_test_files(const gt_config *config) {
  const gt_spec *test = gt_spec_find(gt_spec_find(config->root, "data"), "test");
  return !gt_spec_is_null(test) && config->dataset.split[GT_PART_TEST].samples;
}

static const gt_sample_facts *make_facts(const gt_config *config, int index, gt_arena *arena) {
  const gt_input *input = &config->dataset.input[index];
  facts *f = GT_NEW(arena, facts);
  *f = (facts){{.sample.rank = input->rank, .outside = outside, .range = range, .separate = separate},
               input,
               gt_train_input(&config->dataset, index),
               has_test_files(config) ? gt_split_input(&config->dataset.split[GT_PART_TEST], index) : NULL,
               config->augment != NULL,
               !strcmp(config->dataset.format, "function"),
               arena};
  gt_input_network_shape(input, f->base.sample.dim);
  return &f->base;
}

void gt_config_record_training(gt_config *config, gt_arena *arena) {
  gt_dataset *data = &config->dataset;
  for (int k = 0; k < data->inputs; k++) {
    data->input[k].range = gt_tensor_range(gt_train_input(data, k), arena);
    for (int p = 0; p < config->phases; p++) config->phase[p].dataset.input[k].range = data->input[k].range;
  }
  for (int k = 0; k < data->targets; k++) {
    gt_measure_training(data, k, arena);
    for (int p = 0; p < config->phases; p++) {
      config->phase[p].dataset.target[k].training = data->target[k].training;
      config->phase[p].dataset.target[k].training_count = data->target[k].training_count;
    }
  }
}

void gt_review_ranges(const gt_data_signature *trained_on, const gt_split *samples, gt_position at,
                      gt_arena *arena, gt_diagnostics *diagnostics) {
  for (int k = 0; k < trained_on->inputs; k++) {
    gt_tensor rows = gt_tensor_as_rows(gt_split_input(samples, k));
    if (trained_on->input[k].window && rows.rank == 3) { /* windows that are stored one after another */
      rows.rank = 2;
      rows.dim[0] *= rows.dim[1];
      rows.dim[1] = rows.dim[2];
    }
    const char *help, *warning = gt_range_warning(&trained_on->input[k], &rows, arena, &help);
    if (warning) gt_finding_at(diagnostics, GT_FINDING_outside_training, at, "%s", warning)->help = help;
  }
}

void gt_config_review_test(gt_config *config, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  if (!has_test_files(config)) return;
  const gt_spec *test = gt_spec_find(gt_spec_find(config->root, "data"), "test");
  gt_data_signature trained_on = {.inputs = data->inputs};
  for (int k = 0; k < data->inputs; k++) {
    trained_on.input[k] = data->input[k];
    trained_on.input[k].range = gt_tensor_range(gt_train_input(data, k), arena);
  }
  gt_review_ranges(&trained_on, &data->split[GT_PART_TEST], test->at, arena, &config->diagnostics);
}

static const char *token_text(const gt_review *review, int64_t id, gt_arena *arena) {
  const gt_vocabulary *v = review->vocabulary;
  if (!v || id >= v->size || (!v->type->is_exact && !id)) return NULL; /* the first word is the padding */
  if (v->type->any_bytes) return gt_arena_printf(arena, "the byte %lld", (long long)id);
  const char *text = gt_arena_strndup(arena, (const char *)v->token[id].text, v->token[id].length);
  return gt_arena_printf(arena, "the %s '%s'", v->type->is_exact ? "character" : "word",
                         gt_escape_name(arena, text));
}

gt_review *gt_config_review(const gt_config *config, int phase, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  const int64_t samples = data->split[GT_PART_TRAIN].samples;
  const gt_batching batching = gt_batching_of(samples, config->train.batch_size, config->train.accumulate);
  const gt_sample_facts **input = GT_NEW_N(arena, const gt_sample_facts *, data->inputs);
  for (int k = 0; k < data->inputs; k++) input[k] = make_facts(config, k, arena);
  const int32_t *length = gt_split_tensor(&data->split[GT_PART_TRAIN], GT_SAMPLE_LENGTH, 0)->data;
  gt_review *review = GT_NEW(arena, gt_review);
  *review = (gt_review){.rows = batching.batch,
                        .last_rows = samples % batching.batch ? samples % batching.batch : batching.batch,
                        .rows_at = config->batch_at,
                        .token = token_text,
                        .vocabulary = data->input[0].vocabulary,
                        .input = input,
                        .length = length,
                        .samples = data->inputs == 1 && length ? samples : 0,
                        .next_tokens = gt_tensor_is_text(gt_train_target(data, 0)),
                        .phase = phase};
  return review;
}

gt_position gt_config_place_of_split(const gt_config *config, int part) {
  const gt_spec *data = gt_spec_find(config->root, "data"), *node = gt_spec_find(data, gt_part_keys[part]);
  if (gt_spec_is_null(node) && part == GT_PART_TEST) node = gt_spec_find(data, "test_fraction");
  if (gt_spec_is_null(node)) node = gt_spec_find(data, "split");
  return gt_spec_is_null(node) ? data->at : node->at;
}
