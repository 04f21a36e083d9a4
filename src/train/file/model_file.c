#include "train/file/model_file.h"
#include "base/fingerprint.h"
#include "base/memory.h"
#include "metric/metric.h"
#include "tokens/tokens.h"
#include "train/file/model_scaling.h"
#include "train/file/model_table.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 1 << 23 }; /* of columns or classes */

static const char *const dtype_names[] = {
    [GT_ELEMENT_U8] = "u8", [GT_ELEMENT_F32] = "f32", [GT_ELEMENT_I32] = "i32"};

/* --- writing --- */

/* A name that is NULL becomes "". */
static json_t *names_json(const char *const *names, int64_t count) {
  json_t *array = json_array();
  for (int64_t i = 0; names && i < count; i++)
    json_array_append_new(array, json_string(names[i] ? names[i] : ""));
  return array;
}

static json_t *range_json(const gt_value_range *range) {
  json_t *low = json_array(), *high = json_array();
  for (int64_t c = 0; c < range->columns; c++) {
    json_array_append_new(low, json_real((double)range->low[c]));
    json_array_append_new(high, json_real((double)range->high[c]));
  }
  return json_pack("{s:o, s:o, s:I, s:b}", "least", low, "largest", high, "count", (json_int_t)range->count,
                   "bits", range->bits);
}

static json_t *input_json(const gt_input *input) {
  json_t *to = json_pack("{s:s}", "name", input->name), *shape = json_array();
  for (int d = 0; d < input->rank; d++) json_array_append_new(shape, json_integer(input->dim[d]));
  json_object_set_new(to, "shape", shape);
  if (input->window) json_object_set_new(to, "window", json_true());
  if (input->vocabulary) json_object_set_new(to, "vocabulary", gt_vocabulary_json(input->vocabulary));
  if (input->table) json_object_set_new(to, "columns", gt_table_json(input->table));
  if (input->fills)
    json_object_set_new(to, "fills", gt_fills_json(input->fills, gt_input_row_features(input)));
  if (input->crop[0])
    json_object_set_new(to, "crop",
                        json_pack("[I, I]", (json_int_t)input->crop[0], (json_int_t)input->crop[1]));
  json_object_set_new(to, "dtype", json_string(dtype_names[input->element]));
  json_object_set_new(to, "names", names_json(input->columns, gt_input_row_features(input)));
  if (input->range.columns) json_object_set_new(to, "range", range_json(&input->range));
  return to;
}

static json_t *numbers_json(const double *value, int count) {
  json_t *all = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(all, json_real(value[i]));
  return all;
}

/* The only target has no name. */
static json_t *target_json(const gt_data_target *target) {
  json_t *root = json_pack("{s:s*, s:i}", "name", target->name, "classes", target->classes);
  json_object_set_new(root, "class_names", names_json(target->class_names, target->classes));
  if (target->positive_by != GT_POSITIVE_BY_WORDS || !target->positive)
    json_object_set_new(root, "positive", json_integer(target->positive));
  if (target->text_labels) json_object_set_new(root, "text_labels", json_true());
  json_object_set_new(root, "names", names_json(target->columns, target->column_count));
  if (target->words)
    json_object_set_new(root, "words", names_json(target->words, 2 * (int64_t)target->column_count));
  if (target->training)
    json_object_set_new(root, "training", numbers_json(target->training, target->training_count));
  return root;
}

json_t *gt_threshold_json(const double *threshold, int count) {
  return count == 1 ? json_real(*threshold) : numbers_json(threshold, count);
}

static char *signature_text(const gt_model_record *record) {
  const gt_dataset *data = record->data;
  json_t *inputs = json_array(), *targets = json_array();
  for (int k = 0; k < data->inputs; k++) json_array_append_new(inputs, input_json(&data->input[k]));
  for (int k = 0; k < data->targets; k++) json_array_append_new(targets, target_json(&data->target[k]));
  json_t *root = json_pack("{s:o, s:o, s:o}", "inputs", inputs, "targets", targets, "thresholds",
                           numbers_json(record->threshold, record->threshold ? record->thresholds : 0));
  char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17)); /* keeps every double */
  json_decref(root);
  return text;
}

static void add_fingerprint(json_t *root, const char *split, uint64_t fingerprint) {
  char text[20];
  snprintf(text, sizeof text, "%016" PRIx64, fingerprint);
  if (fingerprint) json_object_set_new(root, split, json_string(text));
}

static char *fingerprint_text(const gt_dataset *data, const gt_data_fingerprint *fingerprint) {
  json_t *root = json_object();
  for (int part = 0; part < GT_PARTS; part++)
    if (gt_dataset_split(data, part)) add_fingerprint(root, gt_part_keys[part], fingerprint->split[part]);
  char *text = json_dumps(root, JSON_COMPACT);
  json_decref(root);
  return text;
}

bool gt_model_file_write(const char *path, const gt_model_record *record, const gt_state_dict *weights,
                         gt_error *error) {
  const gt_dataset *data = record->data;
  gt_arena arena;
  gt_arena_init(&arena);
  gt_stored *tensors =
      GT_NEW_N(&arena, gt_stored, weights->store->slots + 3 * data->inputs + 2 * data->targets);
  int count = gt_state_dict_tensors(weights, GT_MODEL_ROLES, tensors);
  for (int k = 0; k < data->inputs; k++)
    count += gt_scaling_tensors(&data->input[k], &arena, tensors + count);
  for (int k = 0; k < data->targets; k++)
    count += gt_target_scaling_tensors(&data->target[k], &arena, tensors + count);
  char *signature = signature_text(record), *fingerprints = fingerprint_text(data, &record->fingerprints);
  const gt_metadata metadata[] = {
      {"format", GT_MODEL_FORMAT},  {"version", GT_VERSION},
      {"config", record->config},   {"signature", signature ? signature : "{}"},
      {"results", record->results}, {"fingerprints", fingerprints ? fingerprints : "{}"}};
  /* Fingerprints are written only for samples from files, which may change later. */
  const int entries = sizeof metadata / sizeof *metadata - !data->from_files;
  const bool ok = gt_safetensors_write(path, tensors, count, metadata, entries, error);
  free(fingerprints);
  free(signature);
  gt_arena_finish(&arena);
  return ok;
}

/* --- reading --- */

/* Reads an array of `count` strings; NULL if it is absent or empty. False if it is not such an array. */
static bool read_names(gt_arena *arena, json_t *array, int64_t count, const char ***out) {
  *out = NULL;
  if (!array || (json_is_array(array) && !json_array_size(array))) return true;
  if (!json_is_array(array) || count > MAX_NAMES || json_array_size(array) != (size_t)count) return false;
  const char **names = GT_NEW_N(arena, const char *, count);
  for (int64_t i = 0; i < count; i++) {
    const char *text = json_string_value(json_array_get(array, (size_t)i));
    if (!text) return false;
    names[i] = gt_arena_strdup(arena, text);
  }
  *out = names;
  return true;
}

static float *read_reals(const json_t *array, int64_t count, gt_arena *arena) {
  float *values = GT_NEW_N(arena, float, count);
  if (json_array_size(array) != (size_t)count) return NULL;
  for (int64_t i = 0; i < count; i++) {
    values[i] = (float)json_number_value(json_array_get(array, (size_t)i));
    if (!isfinite(values[i])) return NULL;
  }
  return values;
}

/* The range is optional: tokens, for example, have none. */
static bool read_range(gt_value_range *range, const json_t *from, gt_arena *arena) {
  if (!from) return true;
  const int64_t columns = (int64_t)json_array_size(json_object_get(from, "least"));
  if (!columns) return false;
  *range = (gt_value_range){.columns = columns,
                            .low = read_reals(json_object_get(from, "least"), columns, arena),
                            .high = read_reals(json_object_get(from, "largest"), columns, arena),
                            .count = json_integer_value(json_object_get(from, "count")),
                            .bits = json_is_true(json_object_get(from, "bits"))};
  return range->low && range->high;
}

static bool read_crop(gt_input *input, const json_t *crop) {
  if (!crop) return true;
  if (json_array_size(crop) != 2 || input->rank < 2 || input->rank > 3) return false;
  for (int d = 0; d < 2; d++) {
    input->crop[d] = json_integer_value(json_array_get(crop, (size_t)d));
    if (input->crop[d] < 1 || input->crop[d] > input->dim[d]) return false;
  }
  return true;
}

static bool read_input(gt_input *input, const json_t *from, gt_arena *arena) {
  const json_t *columns = json_object_get(from, "columns"), *tokens = json_object_get(from, "vocabulary"),
               *shape = json_object_get(from, "shape");
  const char *name = json_string_value(json_object_get(from, "name")),
             *dtype = json_string_value(json_object_get(from, "dtype"));
  int64_t features = 1;
  if (!name || !*name || !dtype || !json_is_array(shape) || json_array_size(shape) >= GT_DATA_MAX_RANK)
    return false;
  input->name = gt_arena_strdup(arena, name);
  input->rank = (int)json_array_size(shape);
  for (int d = 0; d < input->rank; d++) {
    input->dim[d] = json_integer_value(json_array_get(shape, (size_t)d));
    if (input->dim[d] < 1 || __builtin_mul_overflow(features, input->dim[d], &features) ||
        features > INT32_MAX)
      return false;
  }
  input->window = json_is_true(json_object_get(from, "window"));
  if (input->window && input->rank != 2) return false;
  const int64_t row_features = gt_input_row_features(input);
  if (!read_crop(input, json_object_get(from, "crop")) ||
      !read_range(&input->range, json_object_get(from, "range"), arena))
    return false;
  input->element = GT_ELEMENT_F32;
  for (size_t e = 0; e < sizeof dtype_names / sizeof *dtype_names; e++)
    if (!strcmp(dtype, dtype_names[e])) input->element = (gt_element)e;
  const char **names;
  if (!read_names(arena, json_object_get(from, "names"), row_features, &names)) return false;
  input->columns = names;
  if (tokens) {
    input->vocabulary = gt_vocabulary_from_json(tokens, arena);
    return input->vocabulary && input->rank == 1 && input->element == GT_ELEMENT_I32 && !columns &&
           !input->window;
  }
  const json_t *fills = json_object_get(from, "fills");
  if (fills && !columns && !(input->fills = gt_fills_from_json(fills, row_features, arena))) return false;
  if (!columns) return true;
  if (input->element == GT_ELEMENT_U8) return false;
  input->table = gt_table_from_json(columns, input->element == GT_ELEMENT_I32, arena);
  if (!input->table || input->rank != 1 + input->window || input->table->stored != row_features) return false;
  input->columns = input->table->names;
  return true;
}

static bool read_inputs(gt_data_signature *s, const json_t *inputs, gt_arena *arena) {
  const size_t count = json_array_size(inputs);
  if (count < 1 || count > GT_DATA_MAX_INPUTS) return false;
  for (s->inputs = 0; s->inputs < (int)count; s->inputs++) {
    gt_input *input = &s->input[s->inputs];
    if (!read_input(input, json_array_get(inputs, (size_t)s->inputs), arena)) return false;
    for (int k = 0; k < s->inputs; k++)
      if (!strcmp(s->input[k].name, input->name)) return false;
  }
  return gt_tables_agree(s->input, s->inputs, arena);
}

/* Reads the names of target columns, and two words per column: texts for 0 and 1, or both empty. */
static bool read_target_names(gt_data_target *target, const json_t *from, gt_arena *arena) {
  json_t *columns = json_object_get(from, "names");
  const char **names, **words;
  target->column_count = (int)json_array_size(columns);
  if (!read_names(arena, columns, target->column_count, &names) ||
      !read_names(arena, json_object_get(from, "words"), 2 * (int64_t)target->column_count, &words))
    return false;
  for (int i = 0; i < target->column_count && words; i++)
    if (!*words[2 * i] != !*words[2 * i + 1]) return false;
  target->columns = names;
  target->words = words;
  return true;
}

/* Reads what baselines need, if it is there: [classes], or a mean of each of at most GT_METRIC_MAX_OUTPUTS.
 */
static bool read_training(gt_data_target *target, const json_t *list, gt_arena *arena) {
  const size_t count = json_array_size(list);
  if (!list) return true;
  if (!count || (target->classes ? count != (size_t)target->classes : count > GT_METRIC_MAX_OUTPUTS))
    return false;
  double *value = GT_NEW_N(arena, double, count);
  for (size_t i = 0; i < count; i++) {
    value[i] = json_number_value(json_array_get(list, i));
    if (!isfinite(value[i])) return false;
  }
  target->training = value;
  target->training_count = (int)count;
  return true;
}

static bool read_target(gt_data_target *target, const json_t *from, gt_arena *arena) {
  const json_t *number = json_object_get(from, "classes");
  const json_int_t classes = json_integer_value(number);
  if (!json_is_integer(number) || classes < 0 || classes > GT_DATA_MAX_CLASSES) return false;
  target->classes = (int)classes;
  target->classification = classes > 0;
  const char **class_names;
  if (!read_names(arena, json_object_get(from, "class_names"), classes, &class_names)) return false;
  target->class_names = class_names;
  const json_t *given = json_object_get(from, "positive");
  const json_int_t positive = given ? json_integer_value(given) : 1;
  if (positive < 0 || positive > 1) return false;
  target->positive = (int)positive;
  target->positive_by = given ? GT_POSITIVE_GIVEN : GT_POSITIVE_BY_WORDS;
  target->text_labels = json_is_true(json_object_get(from, "text_labels"));
  return read_target_names(target, from, arena) &&
         read_training(target, json_object_get(from, "training"), arena);
}

/* Several targets have names, the only one has none. */
static bool read_targets(gt_data_signature *s, const json_t *targets, gt_arena *arena) {
  const size_t count = json_array_size(targets);
  if (count < 1 || count > GT_DATA_MAX_TARGETS) return false;
  for (s->targets = 0; s->targets < (int)count; s->targets++) {
    gt_data_target *target = &s->target[s->targets];
    const json_t *from = json_array_get(targets, (size_t)s->targets);
    const char *name = json_string_value(json_object_get(from, "name"));
    if ((count > 1) != (name && *name) || !read_target(target, from, arena)) return false;
    target->name = name ? gt_arena_strdup(arena, name) : NULL;
    for (int k = 0; k < s->targets; k++)
      if (!strcmp(s->target[k].name, name)) return false;
  }
  return true;
}

/* Reads the list of thresholds: empty, one, or one for each label of the only target. */
static bool read_thresholds(gt_model_file *file, const json_t *list) {
  const gt_data_signature *s = &file->signature;
  file->thresholds = (int)json_array_size(list);
  if (!file->thresholds) return json_is_array(list);
  if (s->targets > 1 || (file->thresholds > 1 && file->thresholds != s->target[0].column_count)) return false;
  double *value = GT_NEW_N(&file->container.arena, double, file->thresholds);
  for (int i = 0; i < file->thresholds; i++) {
    value[i] = json_number_value(json_array_get(list, (size_t)i));
    if (!(value[i] > 0 && value[i] < 1)) return false;
  }
  file->threshold = value;
  return true;
}

static bool read_signature(gt_model_file *file, const json_t *root) {
  gt_data_signature *s = &file->signature;
  gt_arena *arena = &file->container.arena;
  bool ok = read_inputs(s, json_object_get(root, "inputs"), arena) &&
            read_targets(s, json_object_get(root, "targets"), arena) &&
            read_thresholds(file, json_object_get(root, "thresholds"));
  for (int k = 0; ok && k < s->inputs; k++) ok = gt_scaling_from_tensors(&file->container, &s->input[k]);
  for (int k = 0; ok && k < s->targets; k++)
    ok = gt_target_scaling_from_tensors(&file->container, &s->target[k]);
  return ok;
}

/* Reads an optional JSON text of the metadata; NULL if it is missing or not JSON. */
static json_t *read_note(const gt_container *container, const char *key) {
  json_error_t where;
  const char *text = gt_container_metadata(container, key);
  return text ? json_loads(text, JSON_REJECT_DUPLICATES, &where) : NULL;
}

static int64_t read_step(const gt_container *container) {
  json_t *root = read_note(container, "results");
  json_t *step = json_object_get(root, "step");
  const int64_t value = json_is_integer(step) ? json_integer_value(step) : -1;
  json_decref(root);
  return value;
}

static uint64_t read_fingerprint(const json_t *root, const char *split) {
  const char *text = json_string_value(json_object_get(root, split));
  return text ? strtoull(text, NULL, 16) : 0;
}

static gt_data_fingerprint read_fingerprints(const gt_container *container) {
  json_t *root = read_note(container, "fingerprints");
  gt_data_fingerprint data = {0};
  for (int part = 0; part < GT_PARTS; part++) data.split[part] = read_fingerprint(root, gt_part_keys[part]);
  json_decref(root);
  return data;
}

/* Runs never write values that are not finite; a model with such values would predict them. */
static bool are_finite(const gt_model_file *file, gt_error *error) {
  for (int i = 0; i < file->container.tensors; i++) {
    const gt_stored *tensor = &file->container.tensor[i];
    const int64_t index = gt_stored_find_not_finite(tensor);
    if (index >= 0)
      return gt_fail(error, GT_ERR_DATA, "%s: value %lld of '%s' is not finite", file->path, (long long)index,
                     tensor->name);
  }
  return true;
}

/* Reads the rest of a file of gtrain from its container. */
static bool read_model(gt_model_file *file, gt_error *error) {
  json_error_t where;
  const char *path = file->path;
  const char *format = gt_container_metadata(&file->container, "format");
  const char *signature = gt_container_metadata(&file->container, "signature");
  file->config = gt_container_metadata(&file->container, "config");
  json_t *root = signature ? json_loads(signature, JSON_REJECT_DUPLICATES, &where) : NULL;
  bool ok = false;
  if (!format || strcmp(format, GT_MODEL_FORMAT) != 0)
    gt_fail(error, GT_ERR_DATA,
            "%s is not a model file of this version of gtrain: its format is %s, not %s%s", path,
            format ? format : "missing", GT_MODEL_FORMAT,
            format && !strncmp(format, GT_MODEL_FORMAT, sizeof GT_MODEL_FORMAT - 2)
                ? "; train the model again, or use the version that wrote it"
                : "");
  else if (!file->config || !read_signature(file, root))
    gt_fail(error, GT_ERR_DATA, "%s: not a valid model file: its metadata is incomplete", path);
  else
    ok = are_finite(file, error);
  file->step = read_step(&file->container);
  file->data = read_fingerprints(&file->container);
  json_decref(root);
  if (!ok) gt_model_file_finish(file);
  return ok;
}

bool gt_model_file_read(gt_model_file *file, const char *path, gt_error *error) {
  *file = (gt_model_file){.path = path};
  return path && gt_safetensors_read(path, &file->container, error) && read_model(file, error);
}

bool gt_model_file_read_any(gt_model_file *file, const char *path, gt_error *error) {
  *file = (gt_model_file){.path = path, .step = -1};
  if (!path || !gt_safetensors_read_any(path, &file->container, error)) return false;
  if (!file->container.foreign) return read_model(file, error);
  gt_container_convert(&file->container);
  return true;
}

void gt_model_file_finish(gt_model_file *file) {
  gt_container_finish(&file->container);
  *file = (gt_model_file){0};
}
