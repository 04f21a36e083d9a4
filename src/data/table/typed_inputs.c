/* Typed columns of a dataset's inputs: creates them from the config or a trained model, fits them, and
 * converts the tensors of all splits. */
#include "base/log.h"
#include "base/text.h"
#include "data/table/table.h"
#include "data/date.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

gt_typed_table *gt_typed_table_of(const gt_data_reader *reader, const char *const *names, int count,
                                  const gt_column_rules *rules) {
  const gt_data_signature *model = reader->wanted->signature;
  gt_typed_table *t = GT_NEW(reader->arena, gt_typed_table);
  if (model) {
    *t = gt_typed_table_of_model(model->input, model->inputs, reader->arena);
    for (int i = 0; i < t->count; i++) /* an evaluation drops rows as training did */
      if (gt_column_rule_for(rules, t->item[i].column.name).fill == GT_FILL_DROP)
        t->item[i].rule.fill = GT_FILL_DROP;
    if (t->count == count) return t;
  }
  *t = (gt_typed_table){count, GT_NEW_N(reader->arena, gt_typed_column, count + 1), {0}, false};
  for (int i = 0; i < count; i++) {
    const gt_column_rule rule = gt_column_rule_for(rules, names[i]);
    t->item[i] =
        (gt_typed_column){.column = {.name = names[i], .kind = rule.kind, .missing = -1, .other = -1},
                          .rule = rule,
                          .final = model != NULL,
                          .index = {.arena = reader->arena}};
  }
  return t;
}

static gt_typed_column column_of_model(const gt_column *column, gt_arena *arena) {
  gt_typed_column c = {.column = *column, .decided = true, .final = true, .index = {.arena = arena}};
  const int texts = gt_column_texts(column);
  c.rule = (gt_column_rule){.name = column->name, .kind = column->kind};
  if (column->kind != GT_COLUMN_CATEGORY) return c;
  c.text = GT_NEW_N(arena, const char *, texts + 1);
  c.capacity = c.texts = texts;
  for (int i = 0; i < texts; i++) gt_names_add(&c.index, c.text[i] = column->category[i], i);
  return c;
}

gt_typed_table gt_typed_table_of_model(const gt_input *input, int inputs, gt_arena *arena) {
  const gt_csv_inputs known = gt_csv_inputs_of(input, inputs, arena);
  if (!known.inputs) return (gt_typed_table){0}; /* more columns than a file can have */
  gt_typed_table t = {.count = known.count, .item = GT_NEW_N(arena, gt_typed_column, known.count + 1)};
  for (int k = 0; k < known.inputs; k++)
    for (int64_t f = 0; f < known.columns[k]; f++) {
      const int32_t place = known.place[k][f];
      const float fill = input[k].fills ? input[k].fills[f] : NAN;
      const gt_column plain = {.name = known.names ? known.names[place] : "",
                               .fills_later_files = !isnan(fill),
                               .fill = (double)fill,
                               .missing = -1,
                               .other = -1};
      t.item[place] = column_of_model(input[k].table ? &input[k].table->column[f] : &plain, arena);
    }
  return t;
}

int64_t gt_typed_raw(const gt_typed_use *use) {
  int64_t raw = 0;
  for (int64_t i = 0; i < use->columns; i++) raw += gt_column_raw(&use->table->item[use->place[i]].column);
  return raw;
}

bool gt_typed_is_plain(const gt_typed_use *use) {
  for (int64_t i = 0; i < use->columns; i++) {
    const gt_typed_column *c = &use->table->item[use->place[i]];
    if (!gt_columns_are_plain(&c->column, 1) || c->rule.indicator || c->rule.scale == GT_SCALE_LOG1P)
      return false;
  }
  return true;
}

/* --- splits --- */

typedef struct report_place { /* where findings are reported: about the samples of a split */
  gt_data_reader *reader;
  int part;
} report_place;

static void report(void *to, gt_finding finding, const char *text, const char *help) {
  const report_place *at = to;
  gt_data_reader *reader = at->reader;
  const bool test_file = at->part == GT_PART_TEST && reader->test_name, model = reader->wanted->signature;
  const char *file = test_file ? reader->test_name : reader->train_name;
  if (!reader->trust.untrusted)
    gt_finding_at(reader->diagnostics, finding, gt_data_position(reader, test_file ? "test" : "train"),
                  "%s%s: %s", model ? file : gt_data_part_names[at->part], model ? "" : " samples", text)
        ->help = help;
}

bool gt_data_type_values(gt_data_reader *reader, gt_table_file *file, int part) {
  const bool *are_numbers = gt_csv_number_columns(reader, file, part == GT_PART_TRAIN, false);
  gt_csv_number_rows(reader, file);
  if (!gt_csv_type_values(file, reader->typed, are_numbers, reader->arena)) return false;
  const char *filled = gt_csv_filled_gaps(file, reader->typed, reader->arena);
  if (filled) report(&(report_place){reader, part}, GT_FINDING_filled_gaps, filled, GT_FILLED_GAPS_HELP);
  return true;
}

bool gt_data_store_columns(gt_data_reader *reader, gt_split *split, int part) {
  report_place at = {reader, part};
  for (int k = 0; k < reader->dataset->inputs && split->samples; k++) {
    const gt_input *input = &reader->dataset->input[k];
    if (input->table &&
        !gt_typed_store(&reader->use[k], input->table, gt_split_edit(split, GT_SAMPLE_INPUT, k),
                        input->element == GT_ELEMENT_I32, reader->arena,
                        part == GT_PART_TRAIN && !reader->wanted->signature ? NULL : report, &at,
                        reader->error))
      return false;
  }
  return true;
}

/* --- fitting --- */

/* Sets the scaling method of each stored value of a column. */
static void scale_column(const gt_typed_column *c, uint8_t *scale) {
  const gt_column *column = &c->column;
  const int stored = gt_column_stored(column);
  memset(scale, GT_SCALE_NONE, (size_t)stored);
  if (column->kind == GT_COLUMN_CATEGORY) return;
  const bool is_unscaled = column->kind == GT_COLUMN_BOOLEAN && c->rule.scale == GT_SCALE_AUTO;
  scale[0] = is_unscaled                       ? GT_SCALE_NONE
             : c->rule.scale == GT_SCALE_LOG1P ? GT_SCALE_STANDARD
                                               : (uint8_t)c->rule.scale;
}

static const float *fills_for_later_files(const gt_column *column, int columns, gt_arena *arena) {
  float *fill = GT_NEW_N(arena, float, columns + 1);
  for (int i = 0; i < columns; i++) fill[i] = column[i].fills_later_files ? (float)column[i].fill : NAN;
  return fill;
}

static void fit_input(gt_data_reader *reader, int index) {
  gt_input *input = &reader->dataset->input[index];
  const gt_typed_use *use = &reader->use[index];
  const int columns = (int)use->columns;
  const bool plain = gt_typed_is_plain(use), codes = input->element == GT_ELEMENT_I32;
  gt_column *column = GT_NEW_N(reader->arena, gt_column, columns);
  int64_t stored = 0;
  for (int i = 0; i < columns; i++) {
    column[i] = use->table->item[use->place[i]].column;
    stored += gt_column_stored(&column[i]);
  }
  uint8_t *scale = GT_NEW_N(reader->arena, uint8_t, stored + 1);
  for (int64_t i = 0, at = 0; i < columns; at += gt_column_stored(&column[i++]))
    scale_column(&use->table->item[use->place[i]], scale + at);
  reader->scale[index] = scale;
  if (plain) {
    input->fills = codes ? NULL : fills_for_later_files(column, columns, reader->arena);
    return;
  }
  for (int i = 0; i < columns && codes; i++)
    column[i].fills_later_files &= column[i].kind == GT_COLUMN_CATEGORY;
  input->table = gt_table_create(reader->arena, column, columns, codes);
  input->columns = input->table->names;
}

/* --- summaries --- */

/* The text of a raw value; NULL: missing. */
static const char *value_text(const gt_typed_column *c, double value, gt_arena *arena) {
  char text[32];
  gt_date_precision precision = c->column.hours ? GT_DATE_MINUTES : GT_DATE_DAYS;
  if (isnan(value)) return NULL;
  switch (c->column.kind) {
  case GT_COLUMN_BOOLEAN: return value > 0 ? "yes" : "no";
  case GT_COLUMN_CATEGORY: return c->text[(int)value];
  case GT_COLUMN_DATE:
    /* A time with seconds is not rounded to minutes: 23:59:40 would be the next day. */
    if (c->column.hours && gt_date_precision_of(&value, 1) > precision) precision = GT_DATE_SECONDS;
    return gt_arena_strdup(arena, gt_date_text(value, precision, text));
  default: return gt_arena_printf(arena, "%.6g", value);
  }
}

/* "'age' in 2 of 9 rows with 34" */
static const char *filled_gap(const gt_typed_column *c, uint64_t gaps, size_t rows, gt_arena *arena) {
  const bool category = c->column.kind == GT_COLUMN_CATEGORY;
  const char *value =
      category ? gt_column_category(&c->column, (int)c->column.fill) : value_text(c, c->column.fill, arena);
  return gt_arena_printf(arena, "'%s' in %" PRIu64 " of %zu rows with %s%s%s",
                         gt_escape_name(arena, c->column.name), gaps, rows, category ? "'" : "",
                         gt_escape_name(arena, value), category ? "'" : "");
}

const char *gt_csv_filled_gaps(const gt_table_file *file, const gt_typed_table *table, gt_arena *arena) {
  enum { MAX_COLUMNS = 8 };
  gt_list list = gt_list_open(arena, MAX_COLUMNS);
  for (int i = 0; i < table->count && i < file->inputs; i++) {
    const gt_typed_column *c = &table->item[i];
    const uint64_t gaps = file->column[i].facts.empty + file->column[i].facts.missing;
    if (gaps && c->final && c->column.fills_later_files && c->rule.fill != GT_FILL_DROP)
      gt_list_add(&list, "%s", filled_gap(c, gaps, file->rows, arena));
  }
  if (!list.count) return NULL;
  return gt_arena_printf(
      arena,
      "missing values in %s that had none in training are filled with the median or the most "
      "frequent value of the training rows: %s%s",
      list.count == 1 ? "a column" : "columns", gt_list_more(&list),
      list.count > MAX_COLUMNS ? " columns" : "");
}

/* Sets input and stored of each column: the first input that reads it, and the index of its first stored
 * value. */
static void set_places(const gt_data_reader *reader, gt_column_summary *all) {
  for (int k = reader->dataset->inputs - 1; k >= 0; k--) {
    const gt_table *table = reader->dataset->input[k].table;
    const int64_t columns = table ? table->count : gt_tensor_features(gt_train_input(reader->dataset, k));
    for (int64_t i = 0, at = 0; i < columns; i++) {
      all[reader->use[k].place[i]].input = k;
      all[reader->use[k].place[i]].stored = at;
      all[reader->use[k].place[i]].values = table ? gt_column_stored(&table->column[i]) : 1;
      at += all[reader->use[k].place[i]].values;
    }
  }
}

static void summarize(const gt_data_reader *reader) {
  gt_typed_table *typed = reader->typed;
  gt_column_summary *all = GT_NEW_N(reader->arena, gt_column_summary, typed->count + 1);
  for (int i = 0; i < typed->count; i++) {
    const gt_typed_column *c = &typed->item[i];
    all[i] = (gt_column_summary){
        .name = c->column.name, .kind = gt_column_kind_names[c->column.kind], .missing = c->gaps};
    for (int k = 0; k < 3; k++) all[i].first[k] = value_text(c, c->first[k], reader->arena);
  }
  set_places(reader, all);
  reader->dataset->column = all;
  reader->dataset->columns = typed->count;
}

bool gt_data_fit_columns(gt_data_reader *reader) {
  gt_dataset *dataset = reader->dataset;
  if (!reader->typed || reader->wanted->signature) return true;
  bool *fitted = GT_NEW_N(reader->arena, bool, reader->typed->count + 1);
  for (int k = 0; k < dataset->inputs; k++) {
    const gt_tensor *raw = gt_train_input(dataset, k);
    const gt_typed_use *use = &reader->use[k];
    for (int64_t i = 0, at = 0; i < use->columns && raw->element == GT_ELEMENT_F32; i++) {
      const int32_t index = use->place[i];
      gt_typed_column *column = &reader->typed->item[index];
      if (!fitted[index] && !gt_typed_fit(reader, column, raw, at)) return false;
      fitted[index] = true;
      at += gt_column_raw(&column->column);
    }
    fit_input(reader, k);
  }
  for (int p = 0; p < GT_PARTS; p++)
    if (!gt_data_store_columns(reader, &dataset->split[p], p)) return false;
  summarize(reader);
  return true;
}
