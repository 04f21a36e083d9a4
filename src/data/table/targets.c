/* Tables: targets: whether they are classes or numbers, booleans, and class labels. All is decided from the
 * distinct texts and their numbers of cells: a text is examined once, not once for each row. */
#include "base/log.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "base/unicode.h"
#include "data/table/table.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void gt_table_count_target(gt_table_file *file, gt_table_column *column) {
  gt_column_facts *f = &column->facts;
  gt_texts texts = f->dictionary;
  const int codes = GT_CELL_TEXT + texts.distinct;
  if (!texts.value) {
    texts.value = gt_alloc((size_t)codes * sizeof *texts.value);
    for (int code = 0; code < codes; code++)
      if (code < GT_CELL_TEXT ||
          !gt_csv_parse(&file->csv, &texts.text[code - GT_CELL_TEXT], &texts.value[code]))
        texts.value[code] = NAN;
  }
  free(texts.cells);
  texts.cells = gt_alloc((size_t)codes * sizeof *texts.cells);
  *f = gt_no_cells;
  f->dictionary = texts;
  for (size_t row = 0; row < file->rows; row++) {
    const float value = gt_table_value(file, column, row);
    const uint32_t code = gt_value_code(column, value);
    if (code == GT_CELL_NUMBER)
      gt_facts_number(f, (double)value);
    else
      texts.cells[code]++;
  }
  f->unfit = texts.cells[GT_CELL_UNFIT];
  f->empty = texts.cells[GT_CELL_EMPTY];
  f->missing = texts.cells[GT_CELL_MISSING];
  f->texts = texts.cells[GT_CELL_MORE];
  for (int code = GT_CELL_TEXT; code < codes; code++) {
    const uint64_t cells = texts.cells[code];
    if (!cells) continue;
    if (isnan(texts.value[code])) {
      *(gt_csv_is_missing(&file->csv, &texts.text[code - GT_CELL_TEXT]) ? &f->missing : &f->texts) += cells;
    } else if (!isfinite((float)texts.value[code])) {
      f->unfit += cells;
    } else {
      gt_facts_number(f, texts.value[code]);
      f->numbers += cells - 1;
    }
  }
}

/* The number of cells with text i of a target. */
static uint64_t cells_of(const gt_texts *texts, int i) { return texts->cells[GT_CELL_TEXT + i]; }

/* --- classes or numbers --- */

/* True if a cell has a text that may be a class. The default words for a missing value may be classes. */
static bool has_text(const gt_table_file *file, const gt_column_facts *f) {
  return f->texts || (f->missing && !file->csv.missing);
}

/* True if the cells of the target column in the training file look like class labels: all are text or, if
 * whole_numbers is true, they are the whole numbers from 0 to the largest, and each of these occurs. */
static bool is_classification(const gt_table_file *file, int column, bool whole_numbers) {
  const gt_column_facts *f = &gt_table_target(file, column)->facts;
  bool seen[1000] = {0}; /* whole numbers up to there are recognized as classes */
  uint64_t found = 0;
  if (!f->numbers && !f->unfit) return true;
  if (!whole_numbers || f->unfit || has_text(file, f)) return false;
  for (int i = 0; i < f->dictionary.distinct; i++) {
    const int digits = cells_of(&f->dictionary, i) ? gt_cell_digits(&f->dictionary.text[i]) : -1;
    if (digits < 0) continue;
    seen[digits] = true;
    found += cells_of(&f->dictionary, i);
  }
  for (int i = 0; i < 1000 && i <= f->largest; i++)
    if (!seen[i]) return false;
  return found == f->numbers;
}

static bool is_label(double value) {
  return value >= 0 && value < GT_DATA_MAX_CLASSES && value == floor(value);
}

/* For `classes: [a, b]`: true if the target cells can be labels: texts or whole numbers. */
static bool can_be_labels(const gt_table_file *file, int column) {
  const gt_column_facts *f = &gt_table_target(file, column)->facts;
  return has_text(file, f) ||
         (!f->unfit && (!f->numbers || (f->whole && is_label(f->least) && is_label(f->largest))));
}

/* True if all cells of a target column are booleans, except missing ones. */
static bool is_boolean(const gt_table_file *file, int column) {
  const gt_column_facts *f = &gt_table_target(file, column)->facts;
  uint64_t found = 0;
  for (int i = 0; i < f->dictionary.distinct; i++)
    if (gt_csv_boolean(&f->dictionary.text[i]) >= 0) found += cells_of(&f->dictionary, i);
  return found && !f->unfit && found == f->numbers + f->texts;
}

/* The first column of a target. */
static int first_column(const gt_dataset *dataset, int index) {
  int first = 0;
  for (int k = 0; k < index; k++) first += dataset->target[k].column_count;
  return first;
}

void gt_csv_set_target_readings(const gt_data_reader *reader, gt_table_file *file) {
  const gt_dataset *dataset = reader->dataset;
  const gt_data_common *common = reader->common;
  for (int k = 0, column = 0; k < dataset->targets; k++) {
    const gt_data_target *target = &dataset->target[k];
    const bool named = reader->task[k] == GT_TASK_AUTO && target->column_count == 1 &&
                       (common->class_names.count || common->classes.listed),
               texts = named || target->classification || reader->task[k] == GT_TASK_CLASSIFICATION;
    for (int c = 0; c < target->column_count; c++)
      gt_table_target(file, column++)->reading = texts ? GT_READ_TEXTS : GT_READ_LABELS;
  }
}

static bool decide_task(gt_data_reader *reader, const gt_table_file *file, int index) {
  const gt_data_common *common = reader->common;
  const int column = first_column(reader->dataset, index);
  if (reader->task[index] != GT_TASK_AUTO) return reader->task[index] == GT_TASK_CLASSIFICATION;
  if (reader->wanted->demand[index].bits && !common->class_names.count && !common->classes.listed &&
      is_boolean(file, column))
    return false;
  return reader->dataset->target[index].column_count == 1 &&
         (common->class_names.count || is_classification(file, column, !gt_data_has_quantities(reader)) ||
          (common->classes.listed && can_be_labels(file, column)));
}

const bool *gt_csv_number_columns(gt_data_reader *reader, const gt_table_file *file, bool undecided,
                                  bool booleans) {
  const gt_dataset *dataset = reader->dataset;
  bool *are_numbers = GT_NEW_N(reader->arena, bool, file->targets + 1);
  for (int k = 0, column = 0; k < dataset->targets; column += dataset->target[k++].column_count) {
    bool numbers = undecided ? !decide_task(reader, file, k) : !dataset->target[k].classification;
    for (int c = 0; c < dataset->target[k].column_count && !booleans; c++)
      numbers = numbers && !is_boolean(file, column + c);
    for (int c = 0; c < dataset->target[k].column_count; c++) are_numbers[column + c] = numbers;
  }
  return are_numbers;
}

/* --- numbers --- */

static bool read_quantities(const gt_data_reader *reader, const gt_table_file *file, int index,
                            gt_tensor *out) {
  char why[128];
  const int first = first_column(reader->dataset, index),
            columns = reader->dataset->target[index].column_count;
  *out = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {(int64_t)file->rows, columns}};
  if (!gt_tensor_alloc(out, file->csv.path, file->csv.error)) return false;
  float *to = out->data;
  for (size_t row = 0; row < file->rows; row++)
    for (int c = first; c < first + columns; c++, to++) {
      const gt_table_column *column = gt_table_target(file, c);
      *to = gt_table_value(file, column, row);
      if (isnan(*to)) *to = (float)column->facts.dictionary.value[gt_cell_code(*to)];
      if (gt_data_target_fits(reader, index, (double)*to, why)) continue;
      const gt_cell cell = gt_table_locate(file, column, row);
      return gt_csv_fail(&file->csv, &cell, "%s", why);
    }
  return true;
}

/* word[0], word[1]: the first word for each value; "0" or "1" if the value does not occur. */
static void find_words(const gt_texts *texts, const char **word, gt_arena *arena) {
  word[0] = word[1] = NULL;
  for (int i = 0; i < texts->distinct; i++) {
    const int value = cells_of(texts, i) ? gt_csv_boolean(&texts->text[i]) : -1;
    if (value >= 0 && !word[value])
      word[value] = gt_arena_strndup(arena, texts->text[i].text, texts->text[i].length);
  }
  if (!word[0]) word[0] = "0";
  if (!word[1]) word[1] = "1";
}

/* Finds the boolean columns of a target of the training file: of words or, if the loss needs this
 * (gt_data_loss_needs.bits), of the numbers 0 and 1. Sets gt_data_target.words, and logs which word is 1. */
static void find_boolean_columns(gt_data_reader *reader, const gt_table_file *file, int index, int first) {
  gt_data_target *target = &reader->dataset->target[index];
  const int columns = target->column_count;
  const char **words = GT_NEW_N(reader->arena, const char *, 2 * columns);
  gt_list texts = gt_list_open(reader->arena, columns);
  bool any = false;
  for (int t = 0; t < columns; t++) {
    const gt_column_facts *f = &gt_table_target(file, first + t)->facts;
    if ((!f->texts && !reader->wanted->demand[index].bits) || !is_boolean(file, first + t)) continue;
    any = true;
    find_words(&f->dictionary, &words[2 * t], reader->arena);
    if (f->texts)
      gt_list_add(&texts, "'%s' is 1 and '%s' is 0 in '%s'", words[2 * t + 1], words[2 * t],
                  target->columns[t]);
  }
  if (texts.count && !reader->trust.untrusted) gt_info("targets: %s", texts.text);
  target->words = any ? words : NULL;
}

/* The columns that are boolean in a trained model, whatever words the file has. */
static void use_words_of_model(gt_data_reader *reader, int index) {
  gt_data_target *target = &reader->dataset->target[index];
  const gt_data_target *model = gt_data_model_target(reader, index);
  const char **words = GT_NEW_N(reader->arena, const char *, 2 * target->column_count);
  target->words = model->words && model->column_count == target->column_count ? words : NULL;
  for (int i = 0; target->words && i < 2 * target->column_count; i++)
    words[i] = *model->words[i] ? model->words[i] : NULL;
}

/* Reads the words of boolean columns, which must be numbers, as 0 and 1. */
static void convert_booleans(gt_data_reader *reader, gt_table_file *file, int index, bool is_training) {
  const int first = first_column(reader->dataset, index);
  if (reader->dataset->only_test)
    use_words_of_model(reader, index);
  else if (is_training)
    find_boolean_columns(reader, file, index, first);
  const gt_data_target *target = &reader->dataset->target[index];
  for (int i = 0; target->words && i < target->column_count; i++) {
    gt_table_column *column = gt_table_target(file, first + i);
    const gt_texts *texts = &column->facts.dictionary;
    if (!target->words[2 * i] || !column->facts.texts) continue;
    for (int k = 0; k < texts->distinct; k++) {
      const int value = gt_csv_boolean(&texts->text[k]);
      if (value >= 0) texts->value[GT_CELL_TEXT + k] = value;
    }
    gt_table_count_target(file, column);
  }
}

/* --- labels --- */

typedef struct label_set { /* how the cells of a target map to class numbers */
  bool text;
  bool open;   /* labels of other classes are allowed: texts become -1, numbers stay as they are */
  bool listed; /* the classes are those of the config's class_names */
  const char *const *names; /* text: sorted or as configured; in NFC (base/unicode.h) */
  int count;                /* of numbers: 0: unknown */
  gt_names index;           /* of names */
} label_set;

/* The class that a text names, in any Unicode form; -1: none. */
static int class_of(const label_set *labels, const gt_cell *cell, gt_arena *arena) {
  const char *text = gt_arena_strndup(arena, cell->text, cell->length);
  if (strlen(text) != cell->length) return -1; /* a zero byte */
  return gt_names_find(&labels->index, gt_nfc_in(arena, text));
}

static bool is_lacking(const gt_table_file *file, const gt_table_column *column, size_t row) {
  const uint32_t code = gt_table_code(file, column, row);
  return code == GT_CELL_EMPTY || code == GT_CELL_MISSING;
}

/* The first cell without a label; line 0: none. */
static gt_cell find_missing_label(const gt_table_file *file, const gt_table_column *column) {
  size_t row = 0;
  while (row < file->rows && !is_lacking(file, column, row)) row++;
  return row < file->rows ? gt_table_locate(file, column, row) : (gt_cell){0};
}

static bool fail_missing_label(const gt_table_file *file, const gt_table_column *column,
                               const gt_cell *cell) {
  const uint64_t count = column->facts.empty + (file->csv.missing ? column->facts.missing : 0);
  char help[GT_CSV_DROP_HELP], shown[48], why[96] = "";
  gt_csv_drop_help(file, column, help);
  if (cell->length)
    snprintf(why, sizeof why, ", because '%s' is in data.missing_values", gt_cell_shown(cell, shown));
  if (count == 1) return gt_csv_fail(&file->csv, cell, "missing label%s%s", why, help);
  return gt_csv_fail(&file->csv, cell, "missing label%s; %" PRIu64 " of %zu labels are missing%s", why, count,
                     file->rows, help);
}

/* Collects the distinct labels of the file, sorted. *respelled: a class that the file has in two Unicode
 * forms; NULL: none. */
static bool collect_names(label_set *labels, const gt_table_file *file, const gt_table_column *column,
                          gt_arena *arena, const char **respelled) {
  const gt_texts *texts = &column->facts.dictionary;
  const gt_cell gap = find_missing_label(file, column);
  const char **names = GT_NEW_N(arena, const char *, GT_CSV_MAX_CLASSES);
  /* [labels] true if the first cell with this label was not in NFC. */
  bool *was_composed = GT_NEW_N(arena, bool, GT_CSV_MAX_CLASSES);
  gt_names seen = {.arena = arena};
  for (int i = 0; i < texts->distinct; i++) {
    const gt_cell *cell = &texts->text[i];
    if (gap.line && gap.line < cell->line) break;
    if (!cells_of(texts, i)) continue;
    if (!gt_cell_is_clean(cell))
      return gt_csv_fail(&file->csv, cell, "this label contains control characters or is not UTF-8");
    const char *text = gt_arena_strndup(arena, cell->text, cell->length), *name = gt_nfc_in(arena, text);
    const bool is_composed = name != text;
    const int known = gt_names_find(&seen, name);
    if (known >= 0 && was_composed[known] != is_composed) *respelled = name;
    if (known >= 0) continue;
    if (labels->count == GT_CSV_MAX_CLASSES)
      return gt_csv_fail(&file->csv, cell, "more than %d different labels; is this really the target column?",
                         GT_CSV_MAX_CLASSES);
    was_composed[labels->count] = is_composed;
    names[gt_names_add(&seen, name, labels->count++)] = name;
  }
  if (gap.line) return fail_missing_label(file, column, &gap);
  qsort(names, (size_t)labels->count, sizeof *names, gt_order_texts);
  labels->names = names;
  return true;
}

/* Reports words for a missing value among labels that are text. Not called if the config lists such words. */
static void report_missing_labels(gt_data_reader *reader, const gt_table_file *file,
                                  const gt_table_column *column) {
  const gt_texts *texts = &column->facts.dictionary;
  char shown[48], help[GT_CSV_DROP_HELP];
  int i = 0; /* "-" may be a class, as in + and - */
  while (i < texts->distinct &&
         (!cells_of(texts, i) || !gt_cell_is_missing(&texts->text[i]) || *texts->text[i].text == '-'))
    i++;
  if (i == texts->distinct || reader->trust.untrusted) return;
  const size_t count = (size_t)cells_of(texts, i);
  gt_finding_at(reader->diagnostics, GT_FINDING_missing_labels, gt_data_position(reader, "train"),
                "%zu label%s of %s %s '%s' (the first in line %u), which is read as a class", count,
                count == 1 ? "" : "s", file->csv.path, count == 1 ? "is" : "are",
                gt_cell_shown(&texts->text[i], shown), texts->text[i].line)
      ->help = gt_arena_printf(reader->arena, "to keep the class: quiet: [missing_labels]%s",
                               gt_csv_drop_help(file, column, help));
}

/* The number of classes of labels that are numbers; 0: unknown, because this is the training file. */
static int count_numbers(const gt_data_reader *reader, int index, bool is_training) {
  const gt_data_common *common = reader->common;
  const gt_tensor *training = gt_train_target(reader->dataset, index);
  const int known = common->class_names.count ? common->class_names.count
                    : common->classes.integer ? (int)common->classes.integer
                                              : gt_data_model_target(reader, index)->classes;
  if (common->classes.listed || (is_training && !known)) return 0;
  return known ? known : (int)gt_data_limit(training);
}

/* The classes are those of the config, else of the trained model, else of the training file, which sets them
 * in the dataset's target. */
static bool find_labels(gt_data_reader *reader, const gt_table_file *file, const gt_table_column *column,
                        int index, bool is_training, label_set *labels) {
  const gt_data_common *common = reader->common;
  gt_data_target *target = &reader->dataset->target[index];
  const gt_data_target *known = is_training ? gt_data_model_target(reader, index) : target;
  gt_strings names = common->class_names;
  const bool listed = common->classes.listed;
  const char *respelled = NULL;
  /* Entries of `classes` are labels in the file: if the model was trained on numbers, they are numbers, not
   * names. */
  const bool is_known = !names.count && known->class_names && (known->text_labels || !listed);
  if (is_known) names = (gt_strings){.items = known->class_names, .count = known->classes};
  if (is_training) target->text_labels = is_known || known->text_labels || has_text(file, &column->facts);
  *labels = (label_set){target->text_labels, listed,      common->class_names.count,
                        names.items,         names.count, {.arena = reader->arena}};
  if (!labels->text) {
    labels->count = count_numbers(reader, index, is_training);
    return true;
  }
  if (!names.count && !collect_names(labels, file, column, reader->arena, &respelled)) return false;
  for (int i = 0; i < labels->count; i++) gt_names_add(&labels->index, labels->names[i], i);
  target->classes = labels->count;
  target->class_names = labels->names;
  if (respelled && !reader->trust.untrusted)
    gt_finding_at(reader->diagnostics, GT_FINDING_similar_names, gt_data_position(reader, "train"),
                  "%s spells the class '%s' in two Unicode forms; they count as one class", file->csv.path,
                  respelled);
  if (!names.count && !listed && !file->csv.missing) report_missing_labels(reader, file, column);
  return true;
}

static bool fail_label(const label_set *labels, const gt_table_file *file, const gt_table_column *column,
                       size_t row) {
  const gt_csv *csv = &file->csv;
  const gt_cell cell = gt_table_locate(file, column, row);
  char shown[48], help[256];
  double value;
  if (is_lacking(file, column, row)) return fail_missing_label(file, column, &cell);
  gt_cell_shown(&cell, shown);
  if (labels->text) {
    const gt_strings known = {.items = labels->names, .count = labels->count};
    gt_data_class_help(shown, known, labels->listed ? "the labels of the file" : NULL, help, sizeof help);
    return gt_csv_fail(csv, &cell, "'%s' %s", shown, help);
  }
  const bool number = gt_csv_parse(csv, &cell, &value);
  if (!number || !is_label(value))
    return gt_csv_fail(csv, &cell, "'%s' is not a label; expected a whole number from 0 to %d%s", shown,
                       GT_DATA_MAX_CLASSES - 1, number ? gt_data_regression_help(value) : "");
  return gt_csv_fail(csv, &cell, "label %d is out of range: with %d %s%s, labels go from 0 to %d", (int)value,
                     labels->count, labels->listed ? "class_name" : "class",
                     labels->count == 1 ? ""
                     : labels->listed   ? "s"
                                        : "es",
                     labels->count - 1);
}

enum { NO_LABEL = -2 };

/* The classes of the codes of a target; NO_LABEL: cells with the code are errors. In the arena. */
static const int32_t *classes_of(const label_set *labels, const gt_texts *texts, gt_arena *arena) {
  int32_t *class = GT_NEW_N(arena, int32_t, GT_CELL_TEXT + texts->distinct);
  for (int code = 0; code < GT_CELL_TEXT + texts->distinct; code++) {
    const double value = texts->value[code];
    const bool is_class = is_label(value) && (!labels->count || value < labels->count || labels->open);
    class[code] = code < GT_CELL_TEXT ? NO_LABEL
                  : labels->text      ? class_of(labels, &texts->text[code - GT_CELL_TEXT], arena)
                  : is_class          ? (int32_t)value
                                      : NO_LABEL;
    if (class[code] < 0 && !labels->open) class[code] = NO_LABEL;
  }
  return class;
}

static bool read_labels(const label_set *labels, const gt_table_file *file, const gt_table_column *column,
                        gt_tensor *out) {
  *out = (gt_tensor){.element = GT_ELEMENT_I32, .rank = 1, .dim = {(int64_t)file->rows}};
  if (!gt_tensor_alloc(out, file->csv.path, file->csv.error)) return false;
  gt_arena arena;
  gt_arena_init(&arena);
  const int32_t *class = classes_of(labels, &column->facts.dictionary, &arena);
  int32_t *to = out->data;
  size_t row = 0;
  for (; row < file->rows; row++) {
    const uint32_t code = gt_table_code(file, column, row);
    to[row] = code == GT_CELL_NUMBER ? NO_LABEL : class[code];
    if (to[row] == NO_LABEL) break;
  }
  gt_arena_finish(&arena);
  return row == file->rows || fail_label(labels, file, column, row);
}

/* --- all targets of a file --- */

static bool check_one_column(gt_data_reader *reader, int index) {
  const gt_data_target *target = &reader->dataset->target[index];
  if (target->column_count == 1) return true;
  return gt_refuse(reader->diagnostics, gt_data_position(reader, target->name ? "targets" : "target"),
                   "one column, or task: regression", "classification needs exactly one target column");
}

static bool read_target(gt_data_reader *reader, const gt_table_file *file, int index, bool is_training,
                        gt_tensor *out) {
  const gt_table_column *column = gt_table_target(file, first_column(reader->dataset, index));
  label_set labels;
  if (!reader->dataset->target[index].classification) return read_quantities(reader, file, index, out);
  return (!is_training || check_one_column(reader, index)) &&
         find_labels(reader, file, column, index, is_training, &labels) &&
         read_labels(&labels, file, column, out);
}

bool gt_csv_read_targets(gt_data_reader *reader, gt_table_file *file, bool is_training, gt_split *out) {
  gt_dataset *dataset = reader->dataset;
  out->samples = (int64_t)file->rows;
  gt_tensor weights = {0};
  const bool ok = gt_csv_read_weights(file, &weights);
  if (weights.rank) gt_split_add(out, GT_SAMPLE_WEIGHT, 0, weights);
  if (!ok || (is_training && !gt_csv_read_parts(reader, file))) return false;
  for (int k = 0; k < dataset->targets; k++) {
    if (is_training) dataset->target[k].classification = decide_task(reader, file, k);
    if (!dataset->target[k].classification) convert_booleans(reader, file, k, is_training);
  }
  if (!gt_csv_check_targets(file, gt_csv_number_columns(reader, file, false, true))) return false;
  for (int k = 0; k < dataset->targets; k++)
    if (!read_target(reader, file, k, is_training, gt_split_new(out, GT_SAMPLE_TARGET, k))) return false;
  return true;
}
