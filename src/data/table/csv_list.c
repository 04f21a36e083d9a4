/* CSV: a file with samples (texts or paths of images) in one column and their targets in others. */
#include "data/table/csv.h"
#include <string.h>

int gt_csv_find_or_report(gt_data_reader *reader, const gt_csv *csv, const char *name, gt_position at) {
  const int column = gt_csv_find(csv, name);
  if (column < 0) gt_csv_report_no_column(reader, csv, name, at);
  return column;
}

bool gt_csv_choose_source(gt_data_reader *reader, gt_csv *csv, gt_strings targets, int source,
                          const char *clash) {
  const int count = targets.count ? targets.count : 1;
  const char **names = GT_NEW_N(reader->arena, const char *, count);
  for (int i = 0; i < csv->columns; i++) csv->role[i] = -1;
  for (int t = 0; t < count; t++) {
    const int column = targets.count ? gt_csv_find_or_report(reader, csv, targets.items[t], targets.at[t])
                                     : csv->columns - 1;
    if (column < 0) return false;
    csv->role[column] = t;
    names[t] = gt_arena_strdup(reader->arena, csv->names[column]);
  }
  if (csv->role[source] >= 0)
    return gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: column '%s' %s", csv->path, csv->names[source], clash);
  csv->role[source] = count;
  csv->targets = count + 1;
  reader->dataset->target[0].columns = names;
  reader->dataset->target[0].column_count = count;
  return true;
}

void gt_csv_drop_source(gt_csv *csv) {
  const size_t targets = (size_t)csv->targets - 1;
  gt_cell *cell = csv->target_cells.items;
  for (size_t row = 0; row < csv->rows; row++)
    memmove(cell + row * targets, cell + row * (targets + 1), targets * sizeof *cell);
  csv->target_cells.count = csv->rows * targets;
  csv->targets--;
}
