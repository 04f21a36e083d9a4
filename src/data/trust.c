/* Decides whether errors may be shown: the contents of untrusted files must not appear in them
 * (gt_data_wanted.untrusted). */
#include "data/format.h"
#include <string.h>

bool gt_data_are_own(const gt_data_file *file, int files) {
  for (int i = 0; i < files; i++)
    if (file[i].untrusted) return false;
  return true;
}

void gt_data_note_untrusted(gt_data_file file) {
  if (file.untrusted) file.trust->strange = file.trust->hidden = true;
}

static bool same_names(const char *const *a, const char *const *b, int64_t count) {
  if (!a || !b) return a == b;
  for (int64_t i = 0; i < count; i++)
    if (strcmp(a[i], b[i]) != 0) return false;
  return true;
}

static bool same_columns(const gt_input *input, const gt_input *model) {
  if (model->table) return input->table == model->table;
  const int64_t count = gt_input_features(model);
  return !input->columns ||
         (gt_input_features(input) == count && same_names(input->columns, model->columns, count));
}

/* True if all column and class names that the dataset has so far are those of the model: these are not
 * secret. */
static bool has_only_model_names(const gt_data_reader *reader) {
  const gt_dataset *data = reader->dataset;
  const gt_data_wanted *wanted = reader->wanted;
  const gt_data_signature *model = wanted->signature;
  if (!model || data->inputs != model->inputs) return false;
  for (int k = 0; k < data->inputs; k++)
    if (!same_columns(&data->input[k], &model->input[k])) return false;
  if (data->target[0].class_names &&
      (data->target[0].classes != wanted->classes ||
       !same_names(data->target[0].class_names, wanted->class_names, data->target[0].classes)))
    return false;
  if (!data->target[0].columns) return true;
  const int64_t targets = gt_tensor_features(&data->train.target[0]);
  return targets == wanted->targets && same_names(data->target[0].columns, wanted->target_names, targets);
}

void gt_data_turn_to(gt_data_reader *reader, int part, bool own) {
  gt_data_trust *trust = &reader->trust;
  trust->own[part] = own && (!trust->strange || has_only_model_names(reader));
  gt_data_return_to(reader, part);
}

void gt_data_return_to(gt_data_reader *reader, int part) {
  reader->trust.hidden = reader->trust.strange && !reader->trust.own[part];
}
