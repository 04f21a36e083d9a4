/* Decides whether errors may be shown: the contents of untrusted files must not appear in them
 * (gt_data_requirements.untrusted). */
#include "data/format.h"
#include <string.h>

bool gt_data_are_trusted(const gt_data_file *file, int files) {
  for (int i = 0; i < files; i++)
    if (file[i].untrusted) return false;
  return true;
}

void gt_data_note_untrusted(gt_data_file file) {
  if (file.untrusted) file.trust->untrusted = file.trust->hidden = true;
}

static bool same_names(const char *const *a, const char *const *b, int64_t count) {
  if (!a || !b) return a == b;
  for (int64_t i = 0; i < count; i++)
    if (strcmp(a[i], b[i]) != 0) return false;
  return true;
}

static bool same_columns(const gt_input *input, const gt_input *model) {
  if (model->table) return input->table == model->table;
  const int64_t count = gt_input_row_features(model);
  return !input->columns ||
         (gt_input_row_features(input) == count && same_names(input->columns, model->columns, count));
}

static bool same_target(const gt_data_target *target, const gt_data_target *model) {
  if (target->class_names && (target->classes != model->classes ||
                              !same_names(target->class_names, model->class_names, target->classes)))
    return false;
  return !target->columns || (target->column_count == model->column_count &&
                              same_names(target->columns, model->columns, target->column_count));
}

/* True if all column and class names that the dataset has so far are those of the model, which messages may
 * quote. */
static bool has_only_model_names(const gt_data_reader *reader) {
  const gt_dataset *data = reader->dataset;
  const gt_data_signature *model = reader->wanted->signature;
  if (!model || data->inputs != model->inputs || data->targets != model->targets) return false;
  for (int k = 0; k < data->inputs; k++)
    if (!same_columns(&data->input[k], &model->input[k])) return false;
  for (int k = 0; k < data->targets; k++)
    if (!same_target(&data->target[k], &model->target[k])) return false;
  return true;
}

void gt_data_set_trust(gt_data_reader *reader, int part, bool trusted) {
  gt_data_trust *trust = &reader->trust;
  trust->is_safe[part] = trusted && (!trust->untrusted || has_only_model_names(reader));
  gt_data_use_trust(reader, part);
}

void gt_data_use_trust(gt_data_reader *reader, int part) {
  reader->trust.hidden = reader->trust.untrusted && !reader->trust.is_safe[part];
}
