/* IDX, NPY and NPZ arrays: converts the raw elements of a file (one element type) to input and target
 * tensors. */
#include "base/memory.h"
#include "data/format.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t gt_raw_size(gt_raw_type type) {
  static const size_t sizes[] = {[GT_RAW_U8] = 1,  [GT_RAW_I8] = 1,  [GT_RAW_BOOL] = 1, [GT_RAW_I16] = 2,
                                 [GT_RAW_I32] = 4, [GT_RAW_I64] = 8, [GT_RAW_F32] = 4,  [GT_RAW_F64] = 8};
  return sizes[type];
}

static bool is_integer(gt_raw_type type) { return type != GT_RAW_F32 && type != GT_RAW_F64; }

bool gt_raw_count(const gt_raw_array *array, uint64_t *count, gt_error *error) {
  *count = 1;
  for (int i = 0; i < array->rank; i++) {
    if (array->dim[i] <= 0)
      return gt_fail(error, GT_ERR_DATA, "%s: %s", array->path,
                     i == 0 && array->dim[0] == 0 ? "the file holds no samples"
                                                  : "a dimension is 0 or negative");
    if (__builtin_mul_overflow(*count, (uint64_t)array->dim[i], count) || *count > INT64_MAX / 8)
      return gt_fail(error, GT_ERR_DATA, "%s: the shape in the header has too many elements for any file",
                     array->path);
  }
  return true;
}

static uint64_t load(const uint8_t *at, size_t size, bool big_endian) {
  uint64_t bits = 0;
  for (size_t i = 0; i < size; i++) bits = bits << 8 | at[big_endian ? i : size - 1 - i];
  return bits;
}

static double decode_float(uint64_t bits, size_t size) {
  if (size == 8) {
    double value;
    memcpy(&value, &bits, 8);
    return value;
  }
  const uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, 4);
  return (double)value;
}

static int64_t decode_integer(uint64_t bits, gt_raw_type type) {
  switch (type) {
  case GT_RAW_I8: return (int8_t)bits;
  case GT_RAW_I16: return (int16_t)bits;
  case GT_RAW_I32: return (int32_t)bits;
  case GT_RAW_BOOL: return bits != 0;
  default: return (int64_t)bits;
  }
}

/* Inline, so that the compiler can move the choice by type out of the loops below. */
static inline double element(const gt_raw_array *array, uint64_t i) {
  const size_t size = gt_raw_size(array->type);
  const uint64_t bits = load(array->data + i * size, size, array->big_endian);
  return is_integer(array->type) ? (double)decode_integer(bits, array->type) : decode_float(bits, size);
}

static bool fail_element(const gt_raw_array *array, uint64_t i, uint64_t per_sample, double value,
                         gt_error *error) {
  const char *what = isnan(value) ? "NaN" : isinf(value) ? "infinite" : "too large for a 32-bit float";
  return gt_fail(error, GT_ERR_DATA,
                 "%s: value %" PRIu64 " of sample %" PRIu64 " is %s; values must be finite", array->path,
                 i % per_sample, i / per_sample, what);
}

static bool to_floats(const gt_raw_array *array, uint64_t count, float *out, gt_error *error) {
  const uint64_t per_sample = count / (uint64_t)array->dim[0];
  for (uint64_t i = 0; i < count; i++) {
    const double value = element(array, i);
    const float rounded = (float)value;
    if (!isfinite(rounded)) return fail_element(array, i, per_sample, value, error);
    out[i] = rounded;
  }
  return true;
}

/* Inputs keep their shape ([n] becomes [n, 1]). U8 stays U8; every other type becomes F32. */
static bool to_inputs(const gt_raw_array *array, gt_tensor *out, gt_error *error) {
  uint64_t count;
  if (!gt_raw_count(array, &count, error)) return false;
  *out =
      (gt_tensor){.element = array->type == GT_RAW_U8 ? GT_ELEMENT_U8 : GT_ELEMENT_F32, .rank = array->rank};
  memcpy(out->dim, array->dim, sizeof out->dim);
  if (out->rank == 1) out->rank = 2, out->dim[1] = 1;
  if (!array->data) return true;
  if (!gt_tensor_alloc(out, array->path, error)) return false;
  if (array->type != GT_RAW_U8) return to_floats(array, count, out->data, error);
  memcpy(out->data, array->data, count);
  return true;
}

static bool to_targets(const gt_data_reader *reader, const gt_raw_array *array, int index, gt_tensor *out) {
  uint64_t count;
  char why[128];
  if (!gt_raw_count(array, &count, reader->error)) return false;
  const int64_t n = array->dim[0];
  *out = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {n, (int64_t)count / n}};
  if (!array->data) return true;
  if (!gt_tensor_alloc(out, array->path, reader->error) || !to_floats(array, count, out->data, reader->error))
    return false;
  const float *values = out->data;
  for (uint64_t i = 0; i < count; i++)
    if (!gt_data_target_fits(reader, index, (double)values[i], why))
      return gt_fail(reader->error, GT_ERR_DATA, "%s: sample %" PRIu64 ": %s", array->path,
                     i / (count / (uint64_t)n), why);
  return true;
}

/* Sets the shape of labels: one per sample, [n] or [n, 1], or an array per sample if the config says that
 * targets are classes. */
static bool shape_labels(const gt_data_reader *reader, const gt_raw_array *array, int index, uint64_t count,
                         gt_tensor *out) {
  const int64_t samples = array->dim[0];
  *out = (gt_tensor){.element = GT_ELEMENT_I32, .rank = 1, .dim = {samples}};
  if (count == (uint64_t)samples) return true;
  if (reader->task[index] != GT_TASK_CLASSIFICATION)
    return gt_fail(reader->error, GT_ERR_DATA,
                   "%s: expected one class label per sample, but this file has %" PRIu64
                   " numbers per sample; for numeric targets set task: regression, for a label per pixel or "
                   "token task: classification",
                   array->path, count / (uint64_t)samples);
  out->rank = array->rank;
  memcpy(out->dim, array->dim, (size_t)array->rank * sizeof *out->dim);
  return true;
}

static bool to_labels(const gt_data_reader *reader, const gt_raw_array *array, int index, gt_tensor *out) {
  uint64_t count;
  if (!gt_raw_count(array, &count, reader->error) || !shape_labels(reader, array, index, count, out) ||
      !gt_tensor_alloc(out, array->path, reader->error))
    return false;
  const bool ignores = reader->dataset->target[index].ignores =
      gt_data_node(reader, "ignore_index", NULL) != NULL;
  const double ignored = (double)reader->common->ignore_index;
  int32_t *labels = out->data;
  for (uint64_t i = 0; i < count; i++) {
    const double value = element(array, i);
    if (ignores && value == ignored) {
      labels[i] = -1;
      continue;
    }
    if (!(value >= 0 && value < GT_DATA_MAX_CLASSES) || value != floor(value))
      return gt_fail(reader->error, GT_ERR_DATA,
                     "%s: sample %" PRIu64 " has the label %g; expected a whole number from 0 to %d%s%s",
                     array->path, i / (count / (uint64_t)array->dim[0]), value, GT_DATA_MAX_CLASSES - 1,
                     value < 0 && !ignores ? ", or ignore_index for labels that do not count" : "",
                     gt_data_regression_help(value));
    labels[i] = (int32_t)value;
  }
  return true;
}

/* Reorders the elements of a Fortran-order array to row-major order, in a buffer of the same size. */
static bool to_row_major(gt_raw_array *array, gt_error *error) {
  uint64_t count;
  const size_t size = gt_raw_size(array->type);
  int64_t index[GT_DATA_MAX_RANK] = {0}, stride[GT_DATA_MAX_RANK] = {1};
  if (!array->fortran) return true;
  if (!gt_raw_count(array, &count, error)) return false;
  void *rows;
  /* gt_bytes has one byte more than its size. */
  if (!gt_try_alloc(&rows, count * size + 1, 1, array->path, error)) return false;
  for (int d = 1; d < array->rank; d++) stride[d] = stride[d - 1] * array->dim[d - 1];
  int64_t from = 0;
  uint8_t *to = rows;
  for (uint64_t i = 0; i < count; i++, to += size) {
    memcpy(to, array->data + (size_t)from * size, size);
    for (int d = array->rank - 1; d >= 0; d--) {
      from += stride[d];
      if (++index[d] < array->dim[d]) break;
      from -= stride[d] * array->dim[d];
      index[d] = 0;
    }
  }
  gt_bytes_finish(&array->file);
  array->file = (gt_bytes){rows, count * size};
  array->data = rows;
  array->fortran = false;
  return true;
}

static bool read_bytes(gt_array_source from, gt_bytes *out, gt_error *error) {
  return from.archive ? gt_npz_read(from.archive, from.member, out, error)
                      : gt_data_read_file(from.file, out, error);
}

static bool read_array(gt_array_source from, bool outline, gt_raw_parse parse, gt_raw_array *out,
                       gt_error *error) {
  *out = (gt_raw_array){.path = from.name};
  if (!outline) {
    if (!read_bytes(from, &out->file, error)) return false;
    out->size = out->file.size;
    return parse(out, error) && to_row_major(out, error);
  }
  out->size = gt_data_file_size(from.file.path);
  const bool ok = gt_read_head(from.file.path, GT_DATA_OUTLINE, &out->file, error) && parse(out, error);
  out->data = NULL;
  return ok;
}

static const gt_field pair_fields[] = {
    GT_ROW(gt_array_pair, inputs, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT | GT_FIELD_BY_NAME,
           .help = "file of the inputs; the first dimension counts samples; for several inputs, a map "
                   "from names to files"),
    GT_ROW(gt_array_pair, targets, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT | GT_FIELD_BY_NAME,
           .help = "file of the targets; the first dimension counts samples; for several targets, a map "
                   "from names to files"),
    {.name = NULL},
};
static const gt_schema pair_schema = {.name = "files", .help = "files of a split", .fields = pair_fields};

const gt_field gt_array_fields[] = {
    GT_ROW(gt_array_options, train, GT_FIELD_MAP, .sub = &pair_schema, .flags = GT_FIELD_REQUIRED,
           .help = "files of the training split"),
    GT_ROW(gt_array_options, test, GT_FIELD_MAP, .sub = &pair_schema, .help = "files of the test split"),
    GT_ROW(gt_array_options, test_fraction, GT_FIELD_FLOAT, .fallback = "0", .max = 1,
           .flags = GT_FIELD_OPEN_MAX,
           .help = "fraction of the training samples to use as the test split, if there are no test files"),
    {.name = NULL},
};

static bool report_missing(gt_data_reader *reader, const char *split, const char *key) {
  gt_diagnostic *d = gt_error_at(reader->diagnostics, gt_data_position(reader, split),
                                 "the %s split has no '%s' file", split, key);
  d->expected = gt_arena_printf(reader->arena, "%s: {inputs: FILE, targets: FILE}", split);
  return false;
}

static gt_array_source whole_file(gt_data_file file) {
  return (gt_array_source){.file = file, .name = file.path};
}

/* Reports every missing file, not only the first. */
static bool find_files(gt_data_reader *reader, const char *split, const gt_array_pair *pair,
                       gt_array_files *out) {
  const gt_spec *inputs = gt_data_node(reader, split, "inputs");
  bool ok = pair->inputs.count || report_missing(reader, split, "inputs");
  for (int k = 0; pair->inputs.count && k < reader->dataset->inputs; k++) {
    const gt_spec *node = gt_data_input_node(reader, inputs, split, k);
    if (!node) return false;
    out->input[k] = whole_file(gt_data_find_file(reader, node));
    ok &= out->input[k].name != NULL;
  }
  const gt_spec *targets = gt_data_node(reader, split, "targets");
  if (!pair->targets.count) return report_missing(reader, split, "targets");
  for (int k = 0; k < reader->dataset->targets; k++) {
    const gt_spec *node = gt_data_target_node(reader, targets, split, k);
    if (!node) return false;
    out->target[k] = whole_file(gt_data_find_file(reader, node));
    ok &= out->target[k].name != NULL;
  }
  return ok;
}

static bool read_one_input(gt_array_source from, bool outline, gt_raw_parse parse, bool integers,
                           gt_tensor *out, gt_error *error) {
  gt_raw_array array = {0};
  const bool ok =
      read_array(from, outline && !integers, parse, &array, error) && to_inputs(&array, out, error);
  gt_bytes_finish(&array.file);
  return ok && (!integers || gt_data_to_integers(from.name, out, error));
}

/* True if the targets are class labels: integers, one per sample, unless the config sets `task`. */
static bool decide_task(const gt_data_reader *reader, const gt_raw_array *targets, int index) {
  if (reader->task[index] == GT_TASK_AUTO)
    return is_integer(targets->type) && targets->rank == 1 && !gt_data_has_quantities(reader);
  return reader->task[index] == GT_TASK_CLASSIFICATION;
}

/* Archives are always read completely. */
static bool is_outlined(const gt_data_reader *reader, gt_array_source from) {
  return !from.archive && gt_data_is_outlined(reader, gt_data_file_size(from.file.path));
}

static bool read_target(gt_data_reader *reader, gt_array_source from, gt_raw_parse parse, bool is_training,
                        int index, gt_tensor *out) {
  gt_raw_array array = {0};
  gt_data_target *target = &reader->dataset->target[index];
  const bool outline = is_outlined(reader, from);
  bool ok = read_array(from, outline, parse, &array, reader->error);
  if (ok && is_training) target->classification = decide_task(reader, &array, index);
  if (ok && outline && target->classification) {
    gt_bytes_finish(&array.file);
    ok = read_array(from, false, parse, &array, reader->error);
  }
  if (ok)
    ok = target->classification ? to_labels(reader, &array, index, out)
                                : to_targets(reader, &array, index, out);
  gt_bytes_finish(&array.file);
  return ok;
}

/* The first target determines the number of samples. */
static bool check_counts(gt_data_reader *reader, const gt_array_files *from, const gt_split *split) {
  const gt_dataset *dataset = reader->dataset;
  for (int k = 0; k < dataset->inputs; k++)
    if (gt_split_input(split, k)->dim[0] != split->samples)
      return gt_fail(
          reader->error, GT_ERR_DATA,
          "%s holds %" PRId64 " samples, but %s holds %" PRId64 " targets; expected one target per sample",
          from->input[k].name, gt_split_input(split, k)->dim[0], from->target[0].name, split->samples);
  for (int k = 1; k < dataset->targets; k++)
    if (gt_split_target(split, k)->dim[0] != split->samples)
      return gt_fail(
          reader->error, GT_ERR_DATA,
          "%s holds %" PRId64 " targets, but %s holds %" PRId64 "; expected one per sample in each",
          from->target[k].name, gt_split_target(split, k)->dim[0], from->target[0].name, split->samples);
  return true;
}

static bool read_split(gt_data_reader *reader, const gt_array_files *from, gt_raw_parse parse, int part) {
  const gt_dataset *dataset = reader->dataset;
  gt_split *out = &reader->dataset->split[part];
  bool trusted = true;
  for (int k = 0; k < dataset->targets; k++) trusted &= gt_data_are_trusted(&from->target[k].file, 1);
  for (int k = 0; k < dataset->inputs; k++) trusted &= gt_data_are_trusted(&from->input[k].file, 1);
  gt_data_set_trust(reader, part, trusted);
  for (int k = 0; k < dataset->inputs; k++)
    if (!read_one_input(from->input[k], is_outlined(reader, from->input[k]), parse,
                        dataset->input[k].element == GT_ELEMENT_I32, gt_split_new(out, GT_SAMPLE_INPUT, k),
                        reader->error))
      return false;
  for (int k = 0; k < dataset->targets; k++)
    if (!read_target(reader, from->target[k], parse, part == GT_PART_TRAIN, k,
                     gt_split_new(out, GT_SAMPLE_TARGET, k)))
      return false;
  out->samples = gt_split_target(out, 0)->dim[0];
  return check_counts(reader, from, out);
}

bool gt_array_read_splits(gt_data_reader *reader, const gt_array_files *train, const gt_array_files *test,
                          gt_raw_parse parse) {
  reader->train_name = train->target[0].name;
  reader->test_name = test ? test->target[0].name : NULL;
  return read_split(reader, train, parse, GT_PART_TRAIN) &&
         (!test || read_split(reader, test, parse, GT_PART_TEST));
}

bool gt_array_open(gt_data_reader *reader, const gt_array_options *options, gt_raw_parse parse) {
  const bool has_test = gt_data_node(reader, "test", NULL) != NULL;
  gt_array_files train = {0}, test = {0};
  if (!gt_data_name_inputs(reader, gt_data_node(reader, "train", "inputs")) ||
      !gt_data_name_targets(reader, gt_data_node(reader, "train", "targets")))
    return false;
  bool ok = find_files(reader, "train", &options->train, &train);
  if (has_test) ok &= find_files(reader, "test", &options->test, &test);
  reader->test_fraction = options->test_fraction;
  return ok && gt_array_read_splits(reader, &train, has_test ? &test : NULL, parse);
}

bool gt_array_read_inputs(const gt_input_reader *reader, gt_raw_parse parse) {
  const gt_data_signature *signature = reader->signature;
  const char *path = reader->file[0]->path;
  if (signature->inputs > 1)
    return gt_fail(reader->error, GT_ERR_DATA,
                   "%s holds one array, but the model reads %d inputs; pass --input NAME=FILE for each", path,
                   signature->inputs);
  return gt_array_read_input(whole_file((gt_data_file){.path = path}), parse, &signature->input[0],
                             gt_split_new(reader->out, GT_SAMPLE_INPUT, 0), reader->error);
}

bool gt_array_read_input(gt_array_source from, gt_raw_parse parse, const gt_input *input, gt_tensor *out,
                         gt_error *error) {
  return read_one_input(from, false, parse, false, out, error) &&
         gt_data_fit_shape(from.name, input, out, error);
}
