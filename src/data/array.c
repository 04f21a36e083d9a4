/* Arrays of one element type, as IDX and NPY files hold them: from file bytes to tensors. */
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
      return gt_fail(error, GT_ERR_DATA, "%s: the header claims more elements than any file holds",
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

/* Inlined for each type, so that the loops below do not decide per element what they read. */
static inline double element(const gt_raw_array *array, uint64_t i) {
  const size_t size = gt_raw_size(array->type);
  const uint64_t bits = load(array->data + i * size, size, array->big_endian);
  return is_integer(array->type) ? (double)decode_integer(bits, array->type) : decode_float(bits, size);
}

static bool bad_element(const gt_raw_array *array, uint64_t i, uint64_t per_sample, double value,
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
    if (!isfinite(rounded)) return bad_element(array, i, per_sample, value, error);
    out[i] = rounded;
  }
  return true;
}

/* Inputs keep their shape ([n] becomes [n, 1]); bytes stay bytes, all else becomes F32. */
static bool to_inputs(const gt_raw_array *array, gt_tensor *out, gt_error *error) {
  uint64_t count;
  if (!gt_raw_count(array, &count, error)) return false;
  *out =
      (gt_tensor){.element = array->type == GT_RAW_U8 ? GT_ELEMENT_U8 : GT_ELEMENT_F32, .rank = array->rank};
  memcpy(out->dim, array->dim, sizeof out->dim);
  if (out->rank == 1) out->rank = 2, out->dim[1] = 1;
  if (!gt_tensor_alloc(out, array->path, error)) return false;
  if (array->type != GT_RAW_U8) return to_floats(array, count, out->data, error);
  memcpy(out->data, array->data, count);
  return true;
}

static bool to_targets(const gt_data_reader *reader, const gt_raw_array *array, gt_tensor *out) {
  uint64_t count;
  char why[128];
  if (!gt_raw_count(array, &count, reader->error)) return false;
  const int64_t n = array->dim[0];
  *out = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {n, (int64_t)count / n}};
  if (!gt_tensor_alloc(out, array->path, reader->error) || !to_floats(array, count, out->data, reader->error))
    return false;
  const float *values = out->data;
  for (uint64_t i = 0; i < count; i++)
    if (!gt_data_target_fits(reader, (double)values[i], why))
      return gt_fail(reader->error, GT_ERR_DATA, "%s: sample %" PRIu64 ": %s", array->path,
                     i / (count / (uint64_t)n), why);
  return true;
}

static bool to_labels(const gt_raw_array *array, gt_tensor *out, gt_error *error) {
  uint64_t count;
  if (!gt_raw_count(array, &count, error)) return false;
  if (count != (uint64_t)array->dim[0])
    return gt_fail(error, GT_ERR_DATA,
                   "%s: class labels are one number a sample, this file has %" PRIu64
                   "; for targets of several "
                   "numbers set task: regression",
                   array->path, count / (uint64_t)array->dim[0]);
  *out = (gt_tensor){.element = GT_ELEMENT_I32, .rank = 1, .dim = {array->dim[0]}};
  if (!gt_tensor_alloc(out, array->path, error)) return false;
  int32_t *labels = out->data;
  for (uint64_t i = 0; i < count; i++) {
    const double value = element(array, i);
    if (!(value >= 0 && value < GT_DATA_MAX_CLASSES) || value != floor(value))
      return gt_fail(error, GT_ERR_DATA,
                     "%s: sample %" PRIu64 " has the label %g; labels are whole numbers from 0 to %d",
                     array->path, i, value, GT_DATA_MAX_CLASSES - 1);
    labels[i] = (int32_t)value;
  }
  return true;
}

static bool read_array(gt_data_file file, gt_raw_parse parse, gt_raw_array *out, gt_error *error) {
  *out = (gt_raw_array){.path = file.path};
  return gt_data_read_file(file, &out->file, error) && parse(out, error);
}

#define PAIR_ROW(field)                                                        \
  GT_ROW(gt_array_pair, field, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT, \
         .help = "file of the " #field ", one sample a row of the first dimension")

static const gt_field pair_fields[] = {PAIR_ROW(inputs), PAIR_ROW(targets), {.name = NULL}};
static const gt_schema pair_schema = {
    .name = "files", .help = "the two files of a split", .fields = pair_fields};

const gt_field gt_array_fields[] = {
    GT_ROW(gt_array_options, train, GT_FIELD_MAP, .sub = &pair_schema, .flags = GT_FIELD_REQUIRED,
           .help = "files of the training split"),
    GT_ROW(gt_array_options, test, GT_FIELD_MAP, .sub = &pair_schema, .help = "files of the test split"),
    GT_ROW(gt_array_options, test_fraction, GT_FIELD_FLOAT, .fallback = "0", .max = 1,
           .flags = GT_FIELD_OPEN_MAX,
           .help = "part of the training files set apart for testing, where there are no test files"),
    {.name = NULL},
};

static gt_data_file find_named(gt_data_reader *reader, const char *split, const char *key, const char *path) {
  if (path) return gt_data_find_file(reader, gt_data_node(reader, split, key));
  gt_diagnostic *d = gt_error_at(reader->diagnostics, gt_data_position(reader, split),
                                 "the %s split has no '%s' file", split, key);
  d->expected = gt_arena_printf(reader->arena, "%s: {inputs: FILE, targets: FILE}", split);
  return (gt_data_file){0};
}

/* Integer targets of one number a sample are labels, unless the config says otherwise. */
static bool decide_task(const gt_data_reader *reader, const gt_raw_array *targets) {
  if (reader->task == GT_TASK_AUTO) return is_integer(targets->type) && targets->rank == 1;
  return reader->task == GT_TASK_CLASSIFICATION;
}

typedef struct pair {
  gt_data_file inputs, targets;
} pair;

static bool read_split(gt_data_reader *reader, pair files, gt_raw_parse parse, bool first, gt_split *out) {
  gt_raw_array inputs = {0}, targets = {0};
  bool ok = read_array(files.inputs, parse, &inputs, reader->error) &&
            to_inputs(&inputs, &out->input[0], reader->error);
  gt_bytes_finish(&inputs.file);
  if (!ok || !read_array(files.targets, parse, &targets, reader->error)) goto done;
  if (first) reader->dataset->classification = decide_task(reader, &targets);
  ok = reader->dataset->classification ? to_labels(&targets, &out->targets, reader->error)
                                       : to_targets(reader, &targets, &out->targets);
  if (ok && inputs.dim[0] != targets.dim[0])
    ok = gt_fail(reader->error, GT_ERR_DATA,
                 "%s holds %" PRId64 " samples, but %s holds %" PRId64
                 " targets; expected one target a sample",
                 files.inputs.path, inputs.dim[0], files.targets.path, targets.dim[0]);
  out->samples = inputs.dim[0];
done:
  ok = ok && targets.data != NULL;
  gt_bytes_finish(&targets.file);
  return ok;
}

bool gt_array_open(gt_data_reader *reader, const gt_array_options *options, gt_raw_parse parse) {
  const bool tested = gt_data_node(reader, "test", NULL) != NULL;
  pair train = {find_named(reader, "train", "inputs", options->train.inputs),
                find_named(reader, "train", "targets", options->train.targets)};
  pair test = {0};
  if (tested) {
    test.inputs = find_named(reader, "test", "inputs", options->test.inputs);
    test.targets = find_named(reader, "test", "targets", options->test.targets);
  }
  if (!train.inputs.path || !train.targets.path || (tested && !(test.inputs.path && test.targets.path)))
    return false;
  reader->test_fraction = options->test_fraction;
  reader->train_name = train.targets.path;
  reader->test_name = test.targets.path;
  return read_split(reader, train, parse, true, &reader->dataset->train) &&
         (!tested || read_split(reader, test, parse, false, &reader->dataset->test));
}

bool gt_array_read_inputs(const char *path, gt_raw_parse parse, const gt_data_signature *signature,
                          gt_tensor *out, gt_error *error) {
  gt_raw_array array;
  *out = (gt_tensor){0};
  const bool ok = read_array((gt_data_file){.path = path}, parse, &array, error) &&
                  to_inputs(&array, out, error) && gt_data_fit(path, &signature->input[0], out, error);
  gt_bytes_finish(&array.file);
  if (!ok) gt_tensor_finish(out);
  return ok;
}
