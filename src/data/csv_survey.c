/* CSV: describes all columns of a file without a config. */
#include "data/csv_typed.h"
#include "data/survey.h"

static gt_survey_column column_of(const gt_csv *csv, int column, gt_arena *arena) {
  const gt_csv_facts *f = &csv->facts[column];
  const gt_csv_odd *odd = f->odd;
  gt_column_kind kind;
  const bool known = gt_csv_kind_of(csv, column, &kind);
  gt_csv_units units;
  const bool has_units = (!known || kind == GT_COLUMN_CATEGORY) && gt_csv_find_units(csv, f, arena, &units);
  return (gt_survey_column){.name = gt_arena_strdup(arena, csv->names[column]),
                            .numbers = f->numbers + f->unfit,
                            .texts = f->texts,
                            .missing = f->empty + f->missing,
                            .empty = f->empty,
                            .least = f->least,
                            .largest = f->largest,
                            .whole = f->numbers && f->whole,
                            .counts_rows = gt_csv_facts_count_rows(f),
                            .distinct = odd ? odd->distinct : 0,
                            .kind = known ? gt_column_kind_names[kind] : NULL,
                            .ambiguous_dates = gt_csv_has_ambiguous_dates(csv, column),
                            .too_large = f->unfit > 0,
                            .units = has_units ? units.what : NULL};
}

bool gt_survey_read(const char *path, gt_strings targets, gt_arena *arena, gt_survey *out, gt_error *error) {
  const gt_csv_form form = {.known = {targets}};
  gt_csv csv;
  *out = (gt_survey){.known_suffix = gt_data_has_suffix(path, ".csv") || gt_data_has_suffix(path, ".tsv")};
  bool ok = gt_csv_open(&csv, (gt_data_file){.path = path}, &form, error);
  if (ok) {
    csv.inputs = csv.columns;
    for (int i = 0; i < csv.columns; i++) csv.role[i] = i;
    ok = gt_csv_read(&csv);
  }
  if (ok) {
    out->columns = csv.columns;
    out->rows = csv.rows;
    out->column = GT_NEW_N(arena, gt_survey_column, csv.columns);
    for (int i = 0; i < csv.columns; i++) out->column[i] = column_of(&csv, i, arena);
  }
  gt_csv_close(&csv);
  return ok;
}
