/* CSV: findings about the training file: numbers that stand for missing values, numbers with units, and
 * targets that are read as classes although their texts hardly repeat. */
#include "base/text.h"
#include "data/table/table.h"
#include <math.h>

/* Numbers that programs write for a missing value. */
static const float sentinels[] = {-9, -99, -999, -9999, -99999, 999, 9999, 99999};
enum { SENTINELS = sizeof sentinels / sizeof *sentinels };
/* A sentinel is reported if its magnitude is more than this many times that of all other values, and it
 * occurs in at least MIN_CELLS rows; a negative one only if no other value is negative. */
static const float min_ratio = 5;
enum { MIN_CELLS = 3 };

typedef struct sentinel {
  float value; /* 0: none */
  size_t cells;
  float low, high; /* of the other values */
} sentinel;

/* Tests whether the candidate is a sentinel among `rows` values, `stride` apart. */
static sentinel find_sentinel(const float *value, size_t rows, size_t stride, float candidate) {
  sentinel s = {candidate, 0, INFINITY, -INFINITY};
  for (size_t i = 0; i < rows; i++) {
    const float v = value[i * stride];
    if (isnan(v)) continue;
    if (v == candidate) {
      s.cells++;
      continue;
    }
    s.low = fminf(s.low, v);
    s.high = fmaxf(s.high, v);
  }
  const bool is_sentinel = s.cells >= MIN_CELLS && s.low <= s.high &&
                           fabsf(candidate) > min_ratio * fmaxf(fabsf(s.low), fabsf(s.high)) &&
                           (candidate > 0 || s.low >= 0);
  return is_sentinel ? s : (sentinel){0};
}

static void review_column(gt_data_reader *reader, const gt_table_file *file, const gt_column_facts *facts,
                          const char *name, const float *value, size_t stride) {
  for (int i = 0; i < SENTINELS; i++) {
    /* Only the smallest or the largest value of the column can be a sentinel. */
    if (facts->least != (double)sentinels[i] && facts->largest != (double)sentinels[i]) continue;
    const sentinel s = find_sentinel(value, file->rows, stride, sentinels[i]);
    if (s.value == 0) continue;
    gt_finding_at(reader->diagnostics, GT_FINDING_sentinel_values, gt_data_position(reader, "train"),
                  "%zu of %zu cells of column '%s' are %g, and all others lie from %g to %g", s.cells,
                  file->rows, name, (double)s.value, (double)s.low, (double)s.high)
        ->help = gt_arena_printf(
        reader->arena, "if it stands for a missing value: data: {missing_values: [%g]}", (double)s.value);
  }
}

static void review_sentinels(gt_data_reader *reader, const gt_table_file *file) {
  const gt_dataset *d = reader->dataset;
  for (int c = 0; c < file->inputs; c++)
    if (reader->typed->item[c].column.kind == GT_COLUMN_NUMBER && file->column[c].facts.numbers)
      review_column(reader, file, &file->column[c].facts, reader->typed->item[c].column.name,
                    file->values + reader->typed->item[c].place, (size_t)file->width);
  for (int k = 0, column = file->inputs; k < d->targets; column += d->target[k++].column_count)
    for (int t = 0; t < d->target[k].column_count && !d->target[k].classification; t++)
      review_column(reader, file, &file->column[column + t].facts, d->target[k].columns[t],
                    (const float *)gt_train_target(d, k)->data + t, (size_t)d->target[k].column_count);
}

/* Reports targets with at least half as many different texts as rows: they are probably not classes but
 * numbers in another notation, names or notes. */
static void review_classes(gt_data_reader *reader, const gt_table_file *file, int index) {
  const gt_data_target *target = &reader->dataset->target[index];
  if (!target->classification || !target->text_labels || reader->task[index] == GT_TASK_CLASSIFICATION ||
      reader->common->class_names.count || reader->common->classes.listed)
    return;
  if (target->classes <= GT_FEW_CATEGORIES || 2 * (size_t)target->classes < file->rows) return;
  gt_finding_at(
      reader->diagnostics, GT_FINDING_many_classes, gt_data_position(reader, "train"),
      "the text target '%s' has %d distinct values in %zu rows, and each is read as a class ('%s', …)",
      target->columns[0], target->classes, file->rows, target->class_names[0])
      ->help =
      "for quantities, write numbers without thousands separators and units; if they are classes: data: "
      "{task: classification}";
}

/* Reports categories that are numbers with units. */
static void review_units(gt_data_reader *reader, const gt_table_file *file) {
  gt_csv_units units;
  for (int c = 0; c < file->inputs; c++) {
    const gt_typed_column *t = &reader->typed->item[c];
    if (t->column.kind != GT_COLUMN_CATEGORY || !t->rule.any ||
        !gt_csv_find_units(&file->csv, &file->column[c].facts, reader->arena, &units))
      continue;
    gt_finding_at(reader->diagnostics, GT_FINDING_numbers_as_text, gt_data_position(reader, "train"),
                  "'%s' holds %s ('%s'), read as text with %d categories", t->column.name, units.what,
                  units.example, file->column[c].facts.dictionary.distinct)
        ->help = gt_arena_printf(reader->arena, "%s; if they are categories: data: {columns: {%s: category}}",
                                 units.fix, gt_spec_key(reader->arena, t->column.name));
  }
}

void gt_csv_review(gt_data_reader *reader, const gt_table_file *file) {
  if (reader->wanted->signature || reader->trust.untrusted) return;
  review_sentinels(reader, file);
  review_units(reader, file);
  for (int k = 0; k < reader->dataset->targets; k++) review_classes(reader, file, k);
}

enum { MAX_LISTED = 12 }; /* columns in a message */

/* True for whole numbers of 2^24 and more, which floats round, unless the config says that they are numbers
 * or the rounding is less than a millionth of their range, as in a column of populations. */
static bool is_large(const gt_typed_column *c, const gt_column_facts *f) {
  const double most = fmax(fabs(f->least), fabs(f->largest)), spacing = ldexp(1, ilogb(most) - 23);
  const bool is_requested = c->rule.given && (!c->rule.any || c->rule.scale != GT_SCALE_AUTO);
  return !is_requested && c->column.kind == GT_COLUMN_NUMBER && f->numbers && f->whole && most >= 1 << 24 &&
         spacing > 1e-6 * (f->largest - f->least);
}

void gt_csv_report_large(gt_data_reader *reader, const gt_table_file *file) {
  gt_list names = gt_list_open(reader->arena, MAX_LISTED), rules = names;
  for (int i = 0; i < file->inputs && !reader->wanted->signature && !reader->trust.untrusted; i++) {
    if (!is_large(&reader->typed->item[i], &file->column[i].facts)) continue;
    const char *name = gt_table_name(file, &file->column[i]);
    gt_list_add(&names, "'%s'", name);
    gt_list_add(&rules, "%s: ignore", gt_spec_key(reader->arena, name));
  }
  if (names.count)
    gt_finding_at(reader->diagnostics, GT_FINDING_large_integers, gt_data_position(reader, "train"),
                  "%s: column%s %s %s whole numbers beyond 16,777,216, which 32-bit floats round",
                  file->csv.path, names.count == 1 ? "" : "s", gt_list_text(&names, ", …"),
                  names.count == 1 ? "has" : "have")
        ->help = gt_arena_printf(
        reader->arena,
        "if they identify rows: data: {columns: {%s}}; if they identify groups: category instead of ignore; if they are quantities: number",
        rules.text);
}
