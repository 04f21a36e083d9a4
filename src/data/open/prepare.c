/* Prepares the samples that a format has read: checks shapes and classes, splits off validation and test
 * samples, and computes the scaling. */
#include "base/memory.h"
#include "data/series/series.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- shapes --- */

static bool reshape(gt_data_reader *reader, gt_tensor *tensor, gt_ints shape) {
  const int64_t features = gt_tensor_features(tensor);
  int64_t product = 1;
  bool fits = shape.count < GT_DATA_MAX_RANK;
  for (int i = 0; i < shape.count && fits; i++)
    fits = !__builtin_mul_overflow(product, shape.items[i], &product);
  if (!fits || product != features)
    return gt_data_refuse(reader, "shape", "the samples do not fit this shape",
                          gt_arena_printf(reader->arena,
                                          "at most %d dimensions whose product is %" PRId64 ", the number of "
                                          "values in a sample",
                                          GT_DATA_MAX_RANK - 1, features));
  tensor->rank = shape.count + 1;
  memcpy(tensor->dim + 1, shape.items, (size_t)shape.count * sizeof *shape.items);
  return true;
}

static bool check_size(gt_data_reader *reader, const gt_split *split, const char *name) {
  /* Batches and permutations index samples with 32 bits. */
  if (split->samples <= INT32_MAX) return true;
  return gt_fail(reader->error, GT_ERR_DATA, "%s holds %" PRId64 " samples; at most %d are supported",
                 name ? name : "the dataset", split->samples, INT32_MAX);
}

static bool same_sample(const gt_tensor *a, const gt_tensor *b) {
  return a->element == b->element && a->rank == b->rank &&
         !memcmp(a->dim + 1, b->dim + 1, (size_t)(a->rank - 1) * sizeof *a->dim);
}

static bool check_tensor(gt_data_reader *reader, const char *what, const gt_tensor *train,
                         const gt_tensor *test) {
  if (same_sample(train, test)) return true;
  if (reader->trust.untrusted)
    return gt_fail(reader->error, GT_ERR_DATA,
                   "the %s of a test sample are %" PRId64
                   " %s, which is not the shape or type that the model was trained on",
                   what, gt_tensor_features(test), test->element == GT_ELEMENT_U8 ? "bytes" : "numbers");
  return gt_fail(reader->error, GT_ERR_DATA,
                 "the %s of a test sample are %" PRId64 " %s, of a training sample %" PRId64
                 " %s; expected the same shape and type",
                 what, gt_tensor_features(test), test->element == GT_ELEMENT_U8 ? "bytes" : "numbers",
                 gt_tensor_features(train), train->element == GT_ELEMENT_U8 ? "bytes" : "numbers");
}

static bool check_test(gt_data_reader *reader) {
  const gt_split *train = &reader->dataset->split[GT_PART_TRAIN],
                 *test = &reader->dataset->split[GT_PART_TEST];
  for (int i = 0; i < test->items; i++) {
    const gt_split_item *item = &test->item[i];
    if (gt_sample_role_types[item->role].is_compared &&
        !check_tensor(reader, item->role == GT_SAMPLE_INPUT ? "inputs" : "targets",
                      gt_split_tensor(train, item->role, item->of), &item->tensor))
      return false;
  }
  return true;
}

/* Converts samples for a trained model to the shape and type that it reads. */
static bool fit_model(gt_data_reader *reader, gt_split *split, const char *name) {
  const gt_data_signature *model = reader->wanted->signature;
  if (!model || !split->samples) return true;
  for (int k = 0; k < reader->dataset->inputs; k++)
    if (!gt_data_fit_shape(name ? name : "the data", &model->input[k],
                           gt_split_edit(split, GT_SAMPLE_INPUT, k), reader->error))
      return false;
  return true;
}

/* --- classes --- */

static bool check_labels(gt_data_reader *reader, const gt_split *split, int index, const char *name) {
  const gt_data_target *target = &reader->dataset->target[index];
  const int32_t *labels = gt_split_target(split, index)->data;
  if (gt_tensor_is_text(gt_split_target(split, index))) return true;
  const int64_t per_sample = split->samples ? gt_tensor_features(gt_split_target(split, index)) : 1;
  if (target->name) name = gt_arena_printf(reader->arena, "target '%s'", target->name);
  for (int64_t i = 0; i < split->samples * per_sample; i++)
    if (labels[i] < (target->ignores ? -1 : 0) || labels[i] >= target->classes)
      return gt_fail(reader->error, GT_ERR_DATA,
                     "%s: sample %" PRId64 " has the label %d; with %d classes, labels go from 0 to %d",
                     name ? name : "targets", i / per_sample, labels[i], target->classes,
                     target->classes - 1);
  return true;
}

static int by_text(const void *a, const void *b) {
  const char *const *x = *(const char *const *const *)a, *const *y = *(const char *const *const *)b;
  const int order = strcmp(*x, *y);
  return order ? order : (x > y) - (x < y);
}

/* Fails if two classes have the same name. */
static bool check_names(gt_data_reader *reader) {
  const gt_strings names = reader->common->class_names;
  const char *const **sorted = GT_NEW_N(reader->arena, const char *const *, names.count + 1);
  for (int i = 0; i < names.count; i++) sorted[i] = &names.items[i];
  qsort(sorted, (size_t)names.count, sizeof *sorted, by_text);
  for (int i = 1; i < names.count; i++) {
    if (strcmp(*sorted[i], *sorted[i - 1])) continue;
    return gt_refuse(reader->diagnostics, names.at[sorted[i] - names.items], NULL,
                     "there is more than one class named '%s'", *sorted[i]);
  }
  return true;
}

bool gt_data_check_class_keys(gt_data_reader *reader) {
  const gt_data_common *common = reader->common;
  const int named = common->class_names.count;
  const int64_t count = common->classes.listed ? 0 : common->classes.integer;
  if (!named || !count || named == count) return true;
  return gt_data_refuse(reader, "classes", "'classes' and 'class_names' disagree on the number of classes",
                        gt_arena_printf(reader->arena, "classes: %d, or only one of the two keys", named));
}

/* The number of classes by the config or the trained model; 0: unknown; -1 after reporting that they
 * differ. */
static int64_t configured_classes(gt_data_reader *reader) {
  const gt_data_common *common = reader->common;
  const int named = common->class_names.count, trained = gt_data_model_target(reader, 0)->classes;
  const int64_t classes = named ? named : common->classes.integer;
  if (!trained || !classes || classes == trained) return classes ? classes : trained;
  gt_data_refuse(reader, named ? "class_names" : "classes",
                 "the model was trained with another number of classes",
                 gt_arena_printf(reader->arena, "%d classes, like the model", trained));
  return -1;
}

/* Fails if targets are numbers and a key describes classes. */
static bool check_quantities(gt_data_reader *reader, int64_t configured) {
  const gt_data_common *common = reader->common;
  if (!gt_data_selects_samples(reader) && (!configured || reader->wanted->signature)) return true;
  const bool classes = common->classes.integer || common->classes.listed;
  const char *key = classes ? "classes" : common->per_class ? "per_class" : "class_names";
  return gt_data_refuse(reader, key, "the targets are numbers, not classes",
                        "task: classification; otherwise remove the key");
}

/* Samples can only be selected by class if they have one label. */
static bool check_one_label(gt_data_reader *reader) {
  const gt_data_common *common = reader->common;
  if (gt_train_target(reader->dataset, 0)->rank == 1 || (!common->classes.listed && !common->per_class))
    return true;
  return gt_data_refuse(reader, common->per_class ? "per_class" : "classes",
                        "samples cannot be selected by class: each has an array of labels",
                        "one label per sample; otherwise remove the key");
}

static bool check_ignore_index(gt_data_reader *reader) {
  const gt_dataset *dataset = reader->dataset;
  bool classification = false;
  for (int k = 0; k < dataset->targets; k++) {
    if (dataset->target[k].ignores) return true;
    classification |= dataset->target[k].classification;
  }
  if (!gt_data_node(reader, "ignore_index", NULL)) return true;
  gt_diagnostic *item = gt_error_at(reader->diagnostics, gt_data_position(reader, "ignore_index"),
                                    "'ignore_index' needs class labels from an idx or npy file");
  if (classification)
    item->help = "remove the key";
  else
    item->expected = "task: classification; otherwise remove the key";
  return false;
}

/* Checks the labels of the training and the test file. */
static bool check_labels_of_target(gt_data_reader *reader, int index) {
  const gt_dataset *dataset = reader->dataset;
  if (!check_labels(reader, &dataset->split[GT_PART_TRAIN], index, reader->train_name)) return false;
  gt_data_use_trust(reader, GT_PART_TEST);
  const bool ok = check_labels(reader, &dataset->split[GT_PART_TEST], index,
                               reader->test_name ? reader->test_name : reader->train_name);
  gt_data_use_trust(reader, GT_PART_TRAIN);
  return ok;
}

/* The number of classes if nothing else determines it: the largest training label plus one. */
static int count_classes(const gt_dataset *dataset, int index) {
  const int32_t *labels = gt_train_target(dataset, index)->data;
  const int64_t count =
      dataset->split[GT_PART_TRAIN].samples * gt_tensor_features(gt_train_target(dataset, index));
  int32_t largest = 0;
  for (int64_t i = 0; i < count; i++) largest = labels[i] > largest ? labels[i] : largest;
  return largest + 1;
}

/* Prepares the classes of several targets: they are those of the training data or of the model. */
static bool prepare_classes_by_target(gt_data_reader *reader) {
  gt_dataset *dataset = reader->dataset;
  if (!check_ignore_index(reader)) return false;
  for (int k = 0; k < dataset->targets; k++) {
    gt_data_target *target = &dataset->target[k];
    const gt_data_target *known = gt_data_model_target(reader, k);
    if (!target->classification) continue;
    if (!target->classes) target->classes = known->classes ? known->classes : count_classes(dataset, k);
    if (!target->class_names) target->class_names = known->class_names;
    if (!check_labels_of_target(reader, k)) return false;
  }
  return true;
}

static bool prepare_classes(gt_data_reader *reader) {
  gt_dataset *dataset = reader->dataset;
  const gt_data_common *common = reader->common;
  const bool listed = common->classes.listed;
  if (dataset->targets > 1) return prepare_classes_by_target(reader);
  const int64_t configured = listed ? 0 : configured_classes(reader);
  if (configured < 0 || !check_names(reader) || !check_ignore_index(reader)) return false;
  if (!dataset->target[0].classification) return check_quantities(reader, configured);
  if (!check_one_label(reader)) return false;
  if (listed) return gt_data_choose_classes(reader);
  if (configured && dataset->target[0].classes && configured != dataset->target[0].classes)
    return gt_data_refuse(reader, common->classes.integer ? "classes" : "class_names",
                          "wrong number of classes",
                          gt_arena_printf(reader->arena, "%d, the number of classes in the training data",
                                          dataset->target[0].classes));
  if (!dataset->target[0].classes)
    dataset->target[0].classes = configured ? (int)configured : count_classes(dataset, 0);
  if (!dataset->target[0].class_names)
    dataset->target[0].class_names =
        common->class_names.count ? common->class_names.items : gt_data_model_target(reader, 0)->class_names;
  return check_labels_of_target(reader, 0);
}

/* --- splits --- */

/* The number of samples of a split; at least one if the fraction is above 0. */
static int64_t count_of_fraction(double fraction, int64_t n) {
  const int64_t count = (int64_t)floor(fraction * (double)n + 0.5);
  return fraction > 0 && count < 1 ? 1 : count;
}

/* False for an outline, unless the files were so small, or of such a kind, that they were read. */
static bool has_values(const gt_split *split) {
  bool has = false;
  for (int i = 0; i < split->items; i++) has |= split->item[i].tensor.data != NULL;
  return has;
}

/* Fails if no training samples are left, or if there are two sources of test samples. */
static bool check_counts(gt_data_reader *reader, const int64_t count[GT_PARTS], int64_t n) {
  const bool by_column = reader->split.column;
  if (count[GT_PART_TEST] && reader->dataset->split[GT_PART_TEST].samples)
    return gt_data_refuse(reader, by_column ? "split" : "test_fraction", "the data already has a test split",
                          by_column ? "either test, or a column without test samples"
                                    : "either test or test_fraction");
  if (count[GT_PART_TRAIN] >= 1) return true;
  return gt_data_refuse(
      reader,
      by_column                   ? "split"
      : count[GT_PART_VALIDATION] ? "validation"
                                  : "test_fraction",
      "no samples are left for training",
      by_column ? "a column that leaves samples for training"
                : gt_arena_printf(reader->arena, "smaller fractions; there are %" PRId64 " samples", n));
}

/* Fails if all weights of a split are 0: its mean loss would not be defined. */
static bool check_weights(gt_data_reader *reader) {
  const gt_dataset *d = reader->dataset;
  for (int i = 0; i < GT_PARTS; i++) {
    const gt_split *split = gt_dataset_split(d, i);
    if (!split || gt_split_weight(split) > 0) continue;
    return gt_refuse(
        reader->diagnostics, gt_data_position(reader, "weight"), "at least one weight above 0 in every split",
        "the weights of all %" PRId64 " %s samples are 0", split->samples, gt_data_part_names[i]);
  }
  return true;
}

/* Reports a `split` by classes or groups if the config has no fractions: it has no effect. */
static void review_split(gt_data_reader *reader, const int64_t count[GT_PARTS]) {
  const gt_spec *node = gt_data_node(reader, "split", NULL);
  const bool by_class_or_group =
      reader->split.group || (reader->split.method && !strcmp(reader->split.method, "stratified"));
  if (!node || !by_class_or_group || count[GT_PART_VALIDATION] || count[GT_PART_TEST] ||
      reader->wanted->signature)
    return;
  gt_finding_at(reader->diagnostics, GT_FINDING_no_effect, node->at,
                "'split' has no effect: no samples are split off")
      ->help = "data: {validation: 0.1} or {test_fraction: 0.2}";
}

static bool prepare_splits(gt_data_reader *reader) {
  gt_dataset *dataset = reader->dataset;
  gt_split *train = &dataset->split[GT_PART_TRAIN];
  const int64_t n = train->samples;
  if (reader->has_splits) return true;
  int64_t count[GT_PARTS] = {0, count_of_fraction(reader->common->validation, n),
                             count_of_fraction(reader->test_fraction, n)};
  const bool by_content = gt_data_split_reads_samples(reader);
  review_split(reader, count);
  count[GT_PART_TRAIN] = n - count[GT_PART_VALIDATION] - count[GT_PART_TEST];
  if (!check_counts(reader, count, n)) return false;
  if (!by_content && count[GT_PART_TRAIN] == n && !gt_data_selects_samples(reader)) return true;
  if (!by_content && !has_values(train)) return gt_split_divide(dataset->split, NULL, count, reader->error);
  void *memory;
  if (!gt_try_alloc(&memory, (uint64_t)n, 1, "the splits", reader->error)) return false;
  uint8_t *part = memory;
  bool ok = gt_data_assign(reader, part, count) && check_counts(reader, count, n) &&
            (!gt_data_selects_samples(reader) || gt_data_keep_selected(reader, part, count));
  if (ok && reader->series) gt_series_make_stretches(reader, part);
  if (ok && count[GT_PART_TRAIN] < train->samples)
    ok = gt_split_divide(dataset->split, part, count, reader->error);
  free(part);
  return ok;
}

/* --- inputs --- */

/* Sets the limit of an integer input, the same in all splits. */
static void limit_integers(gt_dataset *dataset, int index) {
  int64_t max = 0;
  for (int i = 0; i < GT_PARTS; i++) {
    const int64_t limit = gt_data_limit(gt_split_input(&dataset->split[i], index));
    max = limit > max ? limit : max;
  }
  for (int i = 0; i < GT_PARTS; i++)
    if (gt_dataset_split(dataset, i)) gt_split_edit(&dataset->split[i], GT_SAMPLE_INPUT, index)->limit = max;
}

static bool check_integers(gt_data_reader *reader) {
  const gt_strings listed = reader->common->integers;
  for (int i = 0; i < listed.count; i++) {
    const int k = gt_data_find_input(reader, listed.items[i], listed.at[i]);
    if (k < 0) return false;
    if (gt_train_input(reader->dataset, k)->element == GT_ELEMENT_I32 || reader->typed) continue;
    return gt_refuse(reader->diagnostics, listed.at[i], NULL, "format '%s' does not support integer inputs",
                     reader->dataset->format);
  }
  return true;
}

static bool prepare_input(gt_data_reader *reader, int index) {
  const gt_tensor *tensor = gt_train_input(reader->dataset, index);
  gt_input *input = &reader->dataset->input[index];
  input->element = tensor->element;
  input->rank = tensor->rank - 1;
  memcpy(input->dim, tensor->dim + 1, (size_t)input->rank * sizeof *input->dim);
  if (input->element != GT_ELEMENT_I32) return gt_data_scale(reader, index);
  limit_integers(reader->dataset, index);
  return true;
}

static bool reshape_inputs(gt_data_reader *reader, gt_split *split) {
  const gt_named *shapes = &reader->common->shape;
  for (int i = 0; i < shapes->count && split->samples; i++) {
    const int k = shapes->name ? gt_data_find_input(reader, shapes->name[i], shapes->at[i]) : 0;
    if (!shapes->name && reader->dataset->inputs > 1)
      return gt_data_refuse(reader, "shape", "the data has several inputs, so one shape is not enough",
                            "shape: {NAME: [8, 8]}");
    if (k < 0 ||
        !reshape(reader, gt_split_edit(split, GT_SAMPLE_INPUT, k), ((const gt_ints *)shapes->items)[i]))
      return false;
  }
  return true;
}

static void set_bits(gt_dataset *dataset) {
  for (int p = 0; p < GT_PARTS; p++)
    for (int i = 0; i < dataset->split[p].items; i++) {
      gt_split_item *item = &dataset->split[p].item[i];
      if (gt_sample_role_types[item->role].of != GT_OF_SAMPLE)
        item->tensor.bits =
            gt_data_is_bits(item->role == GT_SAMPLE_INPUT ? &dataset->input[item->of] : NULL, &item->tensor);
    }
}

static const char *name_of(const gt_data_reader *reader, int part) {
  return part == GT_PART_TEST ? reader->test_name : reader->train_name;
}

/* Checks the samples of a file as they were read. */
static bool check_part(gt_data_reader *reader, int part) {
  const gt_split *split = &reader->dataset->split[part];
  gt_data_use_trust(reader, part);
  return check_size(reader, split, name_of(reader, part)) &&
         (part != GT_PART_TEST || !split->samples || check_test(reader));
}

/* Reshapes the samples of a file for the network. */
static bool shape_part(gt_data_reader *reader, int part) {
  gt_split *split = &reader->dataset->split[part];
  gt_data_use_trust(reader, part);
  return reshape_inputs(reader, split) && fit_model(reader, split, name_of(reader, part));
}

bool gt_data_prepare(gt_data_reader *reader) {
  gt_dataset *dataset = reader->dataset;
  if (!check_part(reader, GT_PART_TRAIN) || !check_part(reader, GT_PART_TEST) ||
      !gt_data_match_inputs(reader) || !shape_part(reader, GT_PART_TRAIN) ||
      !shape_part(reader, GT_PART_TEST))
    return false;
  gt_data_use_trust(reader, GT_PART_TRAIN);
  if (reader->series && !gt_series_sort_by_group(reader)) return false;
  if (!check_integers(reader) || !prepare_classes(reader) || !prepare_splits(reader) ||
      !check_weights(reader) || !gt_data_fit_columns(reader) || !gt_data_fit_sentences(reader) ||
      !gt_data_choose_positive(reader))
    return false;
  for (int k = 0; k < dataset->inputs; k++)
    if (!prepare_input(reader, k)) return false;
  set_bits(dataset);
  if (reader->series) return gt_series_make_windows(reader);
  gt_data_review_repeated(reader);
  return gt_data_crop(reader);
}
