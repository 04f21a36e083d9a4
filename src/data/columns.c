/* The columns of a table, and where the inputs store them. */
#include "base/names.h"
#include "data/data.h"

/* The index of the column's group. */
static int group_of(gt_names *known, gt_column_group *groups, int *count, const char *name) {
  const int found = gt_names_find(known, name);
  if (found >= 0) return found;
  groups[*count] = (gt_column_group){.name = name};
  return gt_names_add(known, name, (*count)++);
}

int gt_column_groups(const gt_dataset *dataset, gt_arena *arena, gt_column_group **groups) {
  gt_names known = {.arena = arena};
  int64_t most = 0;
  int count = 0;
  for (int k = 0; k < dataset->inputs; k++)
    if (dataset->input[k].columns) most += gt_input_features(&dataset->input[k]);
  *groups = GT_NEW_N(arena, gt_column_group, most);
  for (int k = 0; k < dataset->inputs; k++) {
    const gt_input *input = &dataset->input[k];
    for (int64_t f = 0; input->columns && f < gt_input_features(input); f++) {
      gt_column_group *group = &(*groups)[group_of(&known, *groups, &count, input->columns[f])];
      if (!group->place) group->place = GT_NEW_N(arena, gt_column_place, dataset->inputs);
      group->place[group->places++] = (gt_column_place){k, f};
    }
  }
  return count;
}

const char *gt_dataset_default_split(const gt_dataset *dataset) {
  return dataset->test.samples ? "test" : dataset->validation.samples ? "validation" : "train";
}
