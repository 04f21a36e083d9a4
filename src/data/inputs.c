/* The inputs of a dataset by name, as the config lists them. */
#include "base/names.h"
#include "base/text.h"
#include "data/format.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool gt_series_is_ahead(const gt_input *input) { return !strcmp(input->name, GT_SERIES_AHEAD); }

int gt_data_input_names(const gt_spec *data, const char *names[GT_DATA_MAX_INPUTS]) {
  const gt_spec *inputs = gt_spec_find(data, "inputs");
  int count = 0;
  if (!inputs) inputs = gt_spec_find(gt_spec_find(data, "train"), "inputs");
  for (int i = 0; inputs && inputs->kind == GT_SPEC_MAP && i < inputs->count; i++)
    if (count < GT_DATA_MAX_INPUTS) names[count++] = inputs->child[i]->key;
  const bool ahead = !gt_spec_is_null(gt_spec_find(data, "future"));
  if (!count) names[count++] = ahead ? GT_SERIES_PAST : GT_INPUT_NAME;
  if (ahead && count < GT_DATA_MAX_INPUTS) names[count++] = GT_SERIES_AHEAD;
  return count;
}

static const char *list_of_names(gt_arena *arena, const gt_input *input, int count) {
  const char *list = input[0].name;
  for (int k = 1; k < count; k++) list = gt_arena_printf(arena, "%s, %s", list, input[k].name);
  return list;
}

static bool check_name(gt_data_reader *reader, const gt_spec *node) {
  if (gt_is_name(node->key)) return true;
  return gt_refuse(reader->diagnostics, node->key_at, GT_NAME_RULE, "'%.80s' cannot be the name of an input",
                   node->key);
}

static bool is_integer(const gt_data_reader *reader, const char *name) {
  const gt_strings listed = reader->common->integers;
  for (int i = 0; i < listed.count; i++)
    if (!strcmp(listed.items[i], name)) return true;
  return false;
}

static void add_input(gt_data_reader *reader, const char *name) {
  gt_dataset *dataset = reader->dataset;
  dataset->input[dataset->inputs++] =
      (gt_input){.name = name, .element = is_integer(reader, name) ? GT_ELEMENT_I32 : GT_ELEMENT_F32};
}

void gt_data_add_unnamed_input(gt_data_reader *reader) {
  reader->dataset->inputs = 0;
  reader->dataset->targets = 1;
  add_input(reader, GT_INPUT_NAME);
}

/* Adds the input with the rows after a window if the config has the key `future`. */
static bool add_future(gt_data_reader *reader) {
  gt_dataset *dataset = reader->dataset;
  const gt_spec *future = gt_data_node(reader, "future", NULL);
  if (gt_spec_is_null(future)) return true;
  for (int k = 0; k < dataset->inputs; k++)
    if (gt_series_is_ahead(&dataset->input[k]) || dataset->inputs == GT_DATA_MAX_INPUTS)
      return gt_refuse(reader->diagnostics, future->at, "either the key 'future', or an input of this name",
                       "%s",
                       dataset->inputs == GT_DATA_MAX_INPUTS ? "too many inputs"
                                                             : "'inputs' has an input 'future' already");
  add_input(reader, GT_SERIES_AHEAD);
  return true;
}

bool gt_data_name_inputs(gt_data_reader *reader, const gt_spec *inputs) {
  const bool named = inputs && inputs->kind == GT_SPEC_MAP,
             ahead = !gt_spec_is_null(gt_data_node(reader, "future", NULL));
  if (named || ahead) reader->dataset->inputs = 0;
  if (!named && ahead) add_input(reader, GT_SERIES_PAST);
  for (int k = 0; named && k < inputs->count; k++) {
    if (k == GT_DATA_MAX_INPUTS)
      return gt_refuse(reader->diagnostics, inputs->child[k]->key_at,
                       gt_arena_printf(reader->arena, "at most %d", GT_DATA_MAX_INPUTS), "too many inputs");
    if (!check_name(reader, inputs->child[k])) return false;
    add_input(reader, inputs->child[k]->key);
  }
  return add_future(reader) && gt_data_match_inputs(reader);
}

bool gt_data_match_inputs(gt_data_reader *reader) {
  const gt_data_signature *model = reader->wanted->signature;
  const gt_dataset *dataset = reader->dataset;
  if (!model) return true;
  bool same = model->inputs == dataset->inputs;
  for (int k = 0; same && k < dataset->inputs; k++)
    same = !strcmp(model->input[k].name, dataset->input[k].name);
  return same || gt_refuse(reader->diagnostics, reader->spec->at,
                           list_of_names(reader->arena, model->input, model->inputs),
                           "the inputs of this data are not those of the model");
}

int gt_data_find_input(gt_data_reader *reader, const char *name, gt_position at) {
  const gt_dataset *dataset = reader->dataset;
  const char *names[GT_DATA_MAX_INPUTS];
  for (int k = 0; k < dataset->inputs; k++) {
    names[k] = dataset->input[k].name;
    if (!strcmp(names[k], name)) return k;
  }
  gt_diagnostic *d = gt_error_at(reader->diagnostics, at, "there is no input '%.80s'", name);
  d->expected = list_of_names(reader->arena, dataset->input, dataset->inputs);
  d->suggestion = gt_nearest(name, names, (size_t)dataset->inputs);
  return -1;
}

const gt_spec *gt_data_input_node(gt_data_reader *reader, const gt_spec *inputs, const char *split,
                                  int index) {
  const gt_dataset *dataset = reader->dataset;
  const bool named = inputs->kind == GT_SPEC_MAP;
  for (int i = 0; named && i < inputs->count; i++)
    if (gt_data_find_input(reader, inputs->child[i]->key, inputs->child[i]->key_at) < 0) return NULL;
  const gt_spec *node = named ? gt_spec_find(inputs, dataset->input[index].name) : inputs;
  if (node && (named || dataset->inputs == 1)) return node;
  gt_error_at(reader->diagnostics, inputs->at, "the %s split has no input '%s'", split,
              dataset->input[index].name)
      ->expected = list_of_names(reader->arena, dataset->input, dataset->inputs);
  return NULL;
}

int64_t gt_data_limit(const gt_tensor *tensor) {
  if (tensor->stored) return tensor->limit;
  const int64_t count = tensor->data ? tensor->dim[0] * gt_tensor_features(tensor) : 0;
  const int32_t *values = tensor->data;
  int64_t limit = 0;
  for (int64_t i = 0; i < count; i++) limit = values[i] >= limit ? values[i] + 1 : limit;
  return limit;
}

bool gt_data_to_integers(const char *path, gt_tensor *tensor, gt_error *error) {
  const int64_t features = gt_tensor_features(tensor), count = tensor->dim[0] * features;
  if (tensor->element == GT_ELEMENT_U8 && !gt_data_to_floats(tensor, path, error)) return false;
  for (int64_t i = 0; i < count; i++) {
    const float value = ((const float *)tensor->data)[i];
    if (!(value >= 0 && value <= GT_DATA_MAX_INTEGER) || value != floorf(value))
      return gt_fail(error, GT_ERR_DATA,
                     "%s: value %" PRId64 " of sample %" PRId64
                     " is %g; an integer input takes whole numbers from 0 to %d",
                     path, i % features, i / features, (double)value, GT_DATA_MAX_INTEGER);
    const int32_t whole = (int32_t)value;
    memcpy((char *)tensor->data + (size_t)i * sizeof whole, &whole, sizeof whole);
  }
  tensor->element = GT_ELEMENT_I32;
  return true;
}
