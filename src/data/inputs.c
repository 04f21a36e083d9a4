/* The inputs of a dataset by name, as the config lists them. */
#include "data/format.h"

int gt_data_input_names(const gt_spec *data, const char *names[GT_DATA_MOST_INPUTS]) {
  const gt_spec *inputs = gt_spec_find(data, "inputs");
  if (!inputs) inputs = gt_spec_find(gt_spec_find(data, "train"), "inputs");
  int count = 0;
  for (int i = 0; inputs && inputs->kind == GT_SPEC_MAP && i < inputs->count; i++)
    if (count < GT_DATA_MOST_INPUTS) names[count++] = inputs->child[i]->key;
  if (!count) names[count++] = GT_INPUT_NAME;
  return count;
}
