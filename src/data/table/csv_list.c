/* CSV: a file with samples (texts or paths of images) in one column and their targets in others. */
#include "data/table/table.h"

static int find(gt_data_reader *reader, const gt_csv *csv, const char *name, gt_position at) {
  const int column = gt_csv_find(csv, name);
  if (column < 0) gt_csv_report_no_column(reader, csv, name, at);
  return column;
}

bool gt_csv_choose_source(gt_data_reader *reader, gt_table_file *file, gt_strings targets, const char *source,
                          gt_position at, const char *clash) {
  const gt_csv *csv = &file->csv;
  gt_data_target *target = &reader->dataset->target[0];
  const char **names = GT_NEW_N(reader->arena, const char *, targets.count + 1);
  const int sample = source ? find(reader, csv, source, at) : 0;
  if (sample < 0) return false;
  target->columns = names;
  target->column_count = targets.count ? targets.count : 1;
  for (int t = 0; t < target->column_count; t++) {
    const int column = targets.count ? find(reader, csv, targets.items[t], targets.at[t]) : csv->columns - 1;
    if (column < 0) return false;
    if (column == sample)
      return gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: column '%s' %s", csv->path, csv->names[column], clash);
    gt_table_use(file, GT_USE_TARGET, column);
    names[t] = gt_arena_strdup(reader->arena, csv->names[column]);
  }
  gt_csv_set_target_readings(reader, file);
  gt_table_use(file, GT_USE_SOURCE, sample);
  return true;
}
