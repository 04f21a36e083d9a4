/* The columns of a table, and their places in the samples of the inputs. */
#include "base/names.h"
#include "data/column.h"
#include "data/data.h"
#include <string.h>

/* The index of the column's group; adds a group for a new name. */
static int group_of(gt_names *known, gt_column_group *groups, int *count, const char *name) {
  const int found = gt_names_find(known, name);
  if (found >= 0) return found;
  groups[*count] = (gt_column_group){.name = name};
  return gt_names_add(known, name, (*count)++);
}

/* Adds the stored values of input k that come from a column of the file. */
static void add_places(gt_column_group *group, int k, int64_t first, int64_t count, gt_arena *arena) {
  gt_column_place *place = GT_NEW_N(arena, gt_column_place, group->places + count);
  if (group->places) memcpy(place, group->place, (size_t)group->places * sizeof *place);
  for (int64_t i = 0; i < count; i++) place[group->places++] = (gt_column_place){k, first + i};
  group->place = place;
}

int gt_column_groups(const gt_dataset *dataset, gt_arena *arena, gt_column_group **groups) {
  gt_names known = {.arena = arena};
  int64_t most = 0;
  int count = 0;
  for (int k = 0; k < dataset->inputs; k++)
    if (dataset->input[k].columns) most += gt_input_row_features(&dataset->input[k]);
  *groups = GT_NEW_N(arena, gt_column_group, most);
  for (int k = 0; k < dataset->inputs; k++) {
    const gt_input *input = &dataset->input[k];
    const gt_table *table = input->table;
    const int64_t columns = table ? table->count : input->columns ? gt_input_row_features(input) : 0;
    for (int64_t c = 0, at = 0; c < columns; c++) {
      const char *name = table ? table->column[c].name : input->columns[c];
      const int64_t stored = table ? gt_column_stored(&table->column[c]) : 1;
      add_places(&(*groups)[group_of(&known, *groups, &count, name)], k, at, stored, arena);
      at += stored;
    }
  }
  return count;
}
