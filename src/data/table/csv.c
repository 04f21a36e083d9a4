/* The format `csv`: tables whose columns are inputs and targets. */
#include "data/table/csv_boolean.h"
#include "data/table/csv_choose.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gt_field fields[] = {
    GT_ROW(gt_csv_options, train, GT_FIELD_PATH, .flags = GT_FIELD_REQUIRED | GT_FIELD_MAY_BE_ABSENT,
           .help = "training file"),
    GT_ROW(gt_csv_options, test, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT, .help = "test file"),
    GT_ROW(gt_csv_options, test_fraction, GT_FIELD_FLOAT, .fallback = "0", .max = 1,
           .flags = GT_FIELD_OPEN_MAX,
           .help = "fraction of the training samples to use as the test split, if there is no test file"),
    GT_ROW(gt_csv_options, target, GT_FIELD_STRINGS,
           .help = "target column or columns, by name, or by number from 1 if there is no header "
                   "(default: the last)"),
    GT_ROW(gt_csv_options, targets, GT_FIELD_STRINGS, .flags = GT_FIELD_BY_NAME,
           .help = "several targets, instead of `target`, each with a loss of its own: a map from names to "
                   "columns, {load: load, place: [x, y]}, or a list of columns; the layer of the same name "
                   "predicts a target"),
    GT_ROW(gt_csv_options, inputs, GT_FIELD_STRINGS, .flags = GT_FIELD_BY_NAME,
           .help = "input columns (default: all that are neither target nor ignored); for several "
                   "inputs, a map from names to columns: {wide: [age, hours], job: [job]}"),
    GT_ROW(
        gt_csv_options, future, GT_FIELD_STRINGS,
        .help =
            "of a series, columns that are known ahead, such as holidays or the date: the second input "
            "`future` has their rows after the window, [horizon, columns], and the first is called `past`"),
    GT_ROW(gt_csv_options, ignore, GT_FIELD_STRINGS, .help = "columns to ignore"),
    GT_ROW(gt_csv_options, columns, GT_FIELD_NODE, .definition = "columns",
           .help =
               "what columns hold and how their values become inputs, by name: {Sex: category, Age: "
               "{missing: median}, id: ignore}; columns that are not listed are read as their cells show"),
    GT_ROW(
        gt_csv_options, missing_values, GT_FIELD_STRINGS,
        .help =
            "cells that mean a missing value, beside empty ones; [] for none (default: NA, N/A, n/a, #N/A, "
            "nan, NaN, NAN, null, NULL, None, ?, -)"),
    GT_ROW(gt_csv_options, weight, GT_FIELD_STRING,
           .help =
               "column with the weight of each sample in loss and metrics, at least 0; it is not an input"),
    GT_ROW(gt_csv_options, id, GT_FIELD_STRING,
           .help = "column that names each row, such as a customer number; it is not an input, and "
                   "`gtrain predict` writes it before its results"),
    GT_ROW(gt_csv_options, header, GT_FIELD_CHOICE, .fallback = "auto", .choices = gt_csv_headers,
           .help =
               "whether the first line is a header; auto: yes if it contains the name of a column in this "
               "config, has text above numbers, or only text; a doubtful decision is reported"),
    GT_ROW(gt_csv_options, delimiter, GT_FIELD_STRING,
           .help = "what separates cells: one character, tab, or blanks for any run of blanks and tabs "
                   "(default: found from the text; a comma, or for .tsv a tab, if that makes a table)"),
    GT_ROW(gt_csv_options, decimal, GT_FIELD_CHOICE, .choices = gt_csv_decimals,
           .help = "decimal mark of the numbers (default: found from the text; a comma if cells are "
                   "separated by something else and numbers have commas and no points)"),
    GT_ROW(gt_csv_options, skip, GT_FIELD_INT, .max = 1000000,
           .help = "number of lines before the table (default: none but empty lines, lines that begin with "
                   "# and a line sep=;)"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "csv", .help = "CSV files, with or without a header", .fields = fields};

/* --- splits --- */

/* The first column of a target. */
static int first_column(const gt_dataset *dataset, int index) {
  int first = 0;
  for (int k = 0; k < index; k++) first += dataset->target[k].column_count;
  return first;
}

static bool read_quantities(const gt_data_reader *reader, const gt_csv *csv, int index, gt_tensor *out) {
  char why[128];
  double value;
  const int first = first_column(reader->dataset, index),
            columns = reader->dataset->target[index].column_count;
  *out = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {(int64_t)csv->rows, columns}};
  if (!gt_tensor_alloc(out, csv->path, csv->error)) return false;
  float *to = out->data;
  for (size_t row = 0; row < csv->rows; row++)
    for (int c = 0; c < columns; c++, to++) {
      const gt_cell *cell = gt_csv_target_cell(csv, first + c, row);
      gt_csv_parse(csv, cell, &value); /* succeeds: gt_csv_check_targets has checked the cell */
      *to = (float)value;
      if (!gt_data_target_fits(reader, index, (double)*to, why)) return gt_csv_fail(csv, cell, "%s", why);
    }
  return true;
}

static bool decide_task(gt_data_reader *reader, const gt_csv *csv, int index) {
  const gt_data_common *common = reader->common;
  const int column = first_column(reader->dataset, index);
  if (reader->task[index] != GT_TASK_AUTO) return reader->task[index] == GT_TASK_CLASSIFICATION;
  if (reader->wanted->demand[index].bits && !common->class_names.count && !common->classes.listed &&
      gt_csv_is_boolean_target(csv, column))
    return false;
  return reader->dataset->target[index].column_count == 1 &&
         (common->class_names.count ||
          gt_csv_is_classification(csv, column, !gt_data_has_quantities(reader)) ||
          (common->classes.listed && gt_csv_can_be_labels(csv, column)));
}

/* [target columns] true for the columns of targets that must be numbers. undecided: the tasks of the targets
 * are not set yet. booleans: if false, all columns of a target that has a boolean column are false, because
 * booleans are converted later. In the arena. */
static const bool *number_columns(gt_data_reader *reader, const gt_csv *csv, bool undecided, bool booleans) {
  const gt_dataset *dataset = reader->dataset;
  bool *are_numbers = GT_NEW_N(reader->arena, bool, csv->targets + 1);
  for (int k = 0, column = 0; k < dataset->targets; column += dataset->target[k++].column_count) {
    bool numbers = undecided ? !decide_task(reader, csv, k) : !dataset->target[k].classification;
    for (int c = 0; c < dataset->target[k].column_count && !booleans; c++)
      numbers = numbers && !gt_csv_is_boolean_target(csv, column + c);
    for (int c = 0; c < dataset->target[k].column_count; c++) are_numbers[column + c] = numbers;
  }
  return are_numbers;
}

static bool check_one_column(gt_data_reader *reader, int index) {
  const gt_data_target *target = &reader->dataset->target[index];
  if (target->column_count == 1) return true;
  gt_error_at(reader->diagnostics, gt_data_position(reader, target->name ? "targets" : "target"),
              "classification needs exactly one target column")
      ->expected = "one column, or task: regression";
  return false;
}

/* Sets the number of classes from the training file, so that labels of the test file can be checked cell by
 * cell. */
static bool fix_classes(gt_data_reader *reader, int index, gt_csv_labels *labels) {
  gt_data_target *target = &reader->dataset->target[index];
  const gt_tensor *tensor = gt_train_target(reader->dataset, index);
  target->text_labels = labels->text;
  if (labels->text) {
    target->classes = labels->count;
    target->class_names = labels->names;
    return true;
  }
  if (labels->count) return true; /* known from the config or the trained model */
  const int32_t *label = tensor->data;
  for (int64_t i = 0; i < tensor->dim[0]; i++)
    if (label[i] >= labels->count) labels->count = label[i] + 1;
  return true;
}

/* Reports words for a missing value among labels that are text. Not called if the config lists such words. */
static void report_missing_labels(gt_data_reader *reader, const gt_csv *csv, int column) {
  const gt_cell *first = NULL;
  size_t count = 0;
  char shown[48], help[GT_CSV_DROP_HELP];
  for (size_t row = 0; row < csv->rows; row++) {
    const gt_cell *cell = gt_csv_target_cell(csv, column, row);
    if (!gt_cell_is_missing(cell) || *cell->text == '-') continue; /* "-" may be a class, as in + and - */
    if (!first) first = cell;
    count += gt_cell_is(cell, gt_cell_shown(first, shown));
  }
  if (!first || reader->trust.untrusted) return;
  gt_finding_at(reader->diagnostics, GT_FINDING_missing_labels, gt_data_position(reader, "train"),
                "%zu label%s of %s %s '%s' (the first in line %u), which is read as a class", count,
                count == 1 ? "" : "s", csv->path, count == 1 ? "is" : "are", gt_cell_shown(first, shown),
                first->line)
      ->help = gt_arena_printf(reader->arena, "to keep the class: quiet: [missing_labels]%s",
                               gt_csv_drop_help(csv, column, help));
}

/* The classes are those of the config, else of the trained model, else of the training file. */
static bool init_labels(gt_data_reader *reader, const gt_csv *csv, int index, gt_csv_labels *labels) {
  const gt_data_common *common = reader->common;
  const gt_data_target *known = gt_data_model_target(reader, index);
  const int column = first_column(reader->dataset, index);
  gt_strings names = common->class_names;
  const bool listed = common->classes.listed;
  /* Entries of `classes` are labels in the file: if the model was trained on numbers, they are numbers, not
   * names. */
  const bool from_model = !names.count && known->class_names && (known->text_labels || !listed);
  if (from_model) names = (gt_strings){.items = known->class_names, .count = known->classes};
  if (!gt_csv_labels_init(labels, csv, column, names, from_model || known->text_labels, reader->arena))
    return false;
  if (labels->respelled && !reader->trust.untrusted)
    gt_finding_at(reader->diagnostics, GT_FINDING_similar_names, gt_data_position(reader, "train"),
                  "%s spells the class '%s' in two Unicode forms; they count as one class", csv->path,
                  labels->respelled);
  if (labels->text && !names.count && !listed && !csv->missing) report_missing_labels(reader, csv, column);
  labels->open = listed;
  labels->listed = common->class_names.count > 0;
  if (!labels->text && !listed)
    labels->count = names.count               ? names.count
                    : common->classes.integer ? (int)common->classes.integer
                                              : known->classes;
  return true;
}

static bool read_target(gt_data_reader *reader, gt_csv *csv, int index, gt_csv_labels *labels,
                        bool is_training, gt_tensor *out) {
  if (!reader->dataset->target[index].classification) return read_quantities(reader, csv, index, out);
  if (!is_training) return gt_csv_labels_read(labels, csv, out);
  return check_one_column(reader, index) && init_labels(reader, csv, index, labels) &&
         gt_csv_labels_read(labels, csv, out) && fix_classes(reader, index, labels);
}

bool gt_csv_read_targets(gt_data_reader *reader, gt_csv *csv, gt_csv_labels *labels, bool is_training,
                         gt_split *out) {
  gt_dataset *dataset = reader->dataset;
  out->samples = (int64_t)csv->rows;
  gt_tensor weights = {0};
  const bool ok = gt_csv_read_weights(csv, &weights);
  if (weights.rank) gt_split_add(out, GT_SAMPLE_WEIGHT, 0, weights);
  if (!ok || (is_training && !gt_csv_read_parts(reader, csv))) return false;
  for (int k = 0; k < dataset->targets; k++) {
    if (is_training) dataset->target[k].classification = decide_task(reader, csv, k);
    if (!dataset->target[k].classification)
      gt_csv_convert_boolean_targets(reader, csv, k, first_column(dataset, k), is_training);
  }
  if (!gt_csv_check_targets(csv, number_columns(reader, csv, false, true))) return false;
  for (int k = 0; k < dataset->targets; k++)
    if (!read_target(reader, csv, k, &labels[k], is_training, gt_split_new(out, GT_SAMPLE_TARGET, k)))
      return false;
  return true;
}

static void report_doubt(gt_data_reader *reader, const gt_csv *csv, const char *split) {
  if (csv->doubt && !reader->trust.untrusted)
    gt_finding_at(reader->diagnostics, GT_FINDING_doubtful_header, gt_data_position(reader, split), "%s",
                  gt_arena_strdup(reader->arena, csv->doubt));
}

/* The columns of all targets: one array, of which the targets have consecutive parts (gt_csv_choose). */
static const char *const *all_columns(const gt_dataset *dataset) { return dataset->target[0].columns; }

static bool read_rows(gt_data_reader *reader, gt_csv *csv) {
  if (!gt_csv_read(csv)) return false;
  gt_csv_number_rows(reader, csv);
  return true;
}

/* Opens the test file. If the training file has a header, a first line with one of its names is a header,
 * too. */
static bool open_test(gt_data_reader *reader, gt_data_file file, const gt_csv *train,
                      const gt_csv_inputs *inputs, gt_csv_form form, gt_csv *test) {
  if (train->header) {
    form.known[0] = (gt_strings){.items = inputs->names, .count = train->inputs};
    form.known[1] = (gt_strings){.items = all_columns(reader->dataset), .count = train->targets};
  }
  const bool ok = gt_csv_open(test, file, &form, reader->error);
  report_doubt(reader, test, "test");
  return ok;
}

static bool fail_column_count(const gt_data_reader *reader, const gt_csv *train, const gt_csv *test) {
  if (reader->trust.untrusted)
    return gt_fail(reader->error, GT_ERR_DATA,
                   "%s:1:1: this file has %d columns, which do not match the training file", test->path,
                   test->columns);
  return gt_fail(reader->error, GT_ERR_DATA, "%s:1:1: this file has %d columns; expected %d, as in %s",
                 test->path, test->columns, train->columns, train->path);
}

/* Test samples have weights if training samples have them; for a trained model they are optional. */
static bool find_weight(const gt_data_reader *reader, const gt_csv *train, gt_csv *test) {
  const int weight = train->role_column[GT_CSV_WEIGHT];
  const int column = weight < 0 ? -1 : gt_csv_find(test, train->names[weight]);
  test->role_column[GT_CSV_WEIGHT] = column;
  if (weight < 0 || column >= 0) return true;
  if (!reader->wanted->signature)
    return gt_fail(test->error, GT_ERR_DATA,
                   "%s:1:1: there is no column '%s', which has the weights of the samples in %s", test->path,
                   train->names[weight], train->path);
  gt_warn("%s:1:1: there is no column '%s' with weights, so all samples count the same", test->path,
          train->names[weight]);
  return true;
}

/* Moves the input values into a split. For a trained model also converts them to stored values; otherwise
 * this is done after fitting. */
static bool move_inputs(gt_data_reader *reader, gt_csv *csv, const gt_csv_inputs *inputs, int part) {
  gt_dataset *d = reader->dataset;
  const gt_data_signature *model = reader->wanted->signature;
  gt_split *split = &d->split[part];
  for (int k = 0; k < d->inputs; k++) {
    reader->use[k] = (gt_typed_use){reader->typed, inputs->place[k], inputs->columns[k]};
    if (!model || d->inputs != model->inputs || !model->input[k].table) continue;
    d->input[k].table = model->input[k].table;
    d->input[k].columns = model->input[k].columns;
  }
  gt_tensor tensor[GT_DATA_MAX_INPUTS] = {0};
  const bool ok = gt_csv_move_inputs(csv, inputs, d->input, reader->typed, tensor);
  for (int k = 0; k < d->inputs; k++) gt_split_add(split, GT_SAMPLE_INPUT, k, tensor[k]);
  return ok && (!model || gt_data_store_columns(reader, split, part));
}

/* Finds the time and group columns of a series' test file. */
static bool find_series_columns(const gt_csv *train, gt_csv *test) {
  static const gt_csv_role roles[] = {GT_CSV_TIME, GT_CSV_GROUP};
  for (int i = 0; i < 2 && test->targets_may_be_inputs; i++) {
    const int column = train->role_column[roles[i]];
    if (column < 0) continue;
    test->role_column[roles[i]] = gt_csv_find(test, train->names[column]);
    if (test->role_column[roles[i]] < 0)
      return gt_fail(test->error, GT_ERR_DATA, "%s:1:1: there is no column '%s', which orders the rows of %s",
                     test->path, train->names[column], train->path);
  }
  return true;
}

static bool read_test(gt_data_reader *reader, const gt_csv *train, const gt_csv_inputs *inputs, gt_csv *test,
                      gt_csv_labels *labels) {
  gt_dataset *d = reader->dataset;
  test->targets_may_be_inputs = train->targets_may_be_inputs;
  if (gt_csv_matches_by_name(test, train->header ? inputs->names : NULL, train->inputs, train->path)) {
    if (!gt_csv_assign_columns(test, inputs->names, train->inputs, all_columns(d), train->targets) ||
        !find_weight(reader, train, test) || !find_series_columns(train, test))
      return false;
  } else {
    if (train->columns != test->columns) return fail_column_count(reader, train, test);
    test->inputs = train->inputs;
    test->targets = train->targets;
    memcpy(test->role, train->role, (size_t)train->columns * sizeof *train->role);
    test->role_column[GT_CSV_WEIGHT] = train->role_column[GT_CSV_WEIGHT];
    test->role_column[GT_CSV_TIME] = train->role_column[GT_CSV_TIME];
    if (reader->series) test->role_column[GT_CSV_GROUP] = train->role_column[GT_CSV_GROUP];
    test->also_target = train->also_target;
  }
  test->whole = inputs->whole;
  gt_csv_set_known_kinds(test, reader->typed, reader->arena);
  return read_rows(reader, test) &&
         gt_data_type_values(reader, test, number_columns(reader, test, false, false), GT_PART_TEST) &&
         gt_csv_read_targets(reader, test, labels, false, &d->split[GT_PART_TEST]) &&
         gt_csv_read_series(reader, test, GT_PART_TEST) && move_inputs(reader, test, inputs, GT_PART_TEST);
}

/* True if the columns of the trained model have names: those of a file without a header then have the places
 * of the training file's columns. */
static bool inputs_have_names(const gt_data_reader *reader) {
  const gt_data_signature *model = reader->wanted->signature;
  const gt_csv_inputs known = gt_csv_inputs_of(model->input, model->inputs, reader->arena);
  return known.names && !gt_csv_are_column_numbers(known.names, known.count, INT32_MAX);
}

/* Opens and reads the training file. If it is a text and not a table, the error says how to read it. */
static bool open_train(gt_data_reader *reader, const gt_csv_options *o, const gt_csv_request *a,
                       gt_data_file file, const gt_csv_form *form, gt_csv *train, gt_csv_inputs *inputs) {
  const bool named = a->target.count || a->inputs || reader->series || reader->wanted->signature;
  const int errors = reader->diagnostics->errors;
  bool ok = gt_csv_open(train, file, form, reader->error);
  if (ok && reader->dataset->only_test && !train->header && inputs_have_names(reader))
    return reader->needs_training = true, false;
  report_doubt(reader, train, "train");
  ok = ok && gt_csv_choose(reader, *a, &o->missing_values, train, inputs) && read_rows(reader, train);
  if (!ok && !named && gt_data_has_suffix(file.path, ".txt") && reader->diagnostics->errors == errors)
    gt_error_append(reader->error, " (for a text, not a table: data: {train: %s, text: {vocabulary: char}})",
                    file.path);
  return ok;
}

static bool open_csv(gt_data_reader *reader, const void *given) {
  const gt_csv_options *o = given;
  gt_dataset *dataset = reader->dataset;
  gt_csv train = {0}, test = {0};
  gt_csv_labels labels[GT_DATA_MAX_TARGETS] = {0};
  gt_csv_form form;
  gt_csv_inputs inputs;
  const gt_spec *named = gt_data_node(reader, "inputs", NULL);
  bool ok = gt_data_name_inputs(reader, named && named->kind == GT_SPEC_MAP ? named : NULL);
  gt_csv_request a = {0};
  ok = ok && gt_csv_read_request(reader, o, &a) && gt_csv_read_form(reader, o, &a, &form);
  const gt_data_file train_file = gt_data_find_file(reader, gt_data_node(reader, "train", NULL));
  const gt_data_file test_file =
      o->test ? gt_data_find_file(reader, gt_data_node(reader, "test", NULL)) : (gt_data_file){0};
  if (!ok || !train_file.path || (o->test && !test_file.path)) return false;
  reader->train_name = train_file.path;
  reader->test_name = test_file.path;
  reader->test_fraction = o->test_fraction;
  gt_data_set_trust(reader, GT_PART_TRAIN, gt_data_are_trusted(&train_file, 1));
  ok = open_train(reader, o, &a, train_file, &form, &train, &inputs) &&
       (a.inputs || reader->series || gt_csv_drop_columns(reader, &train, &inputs)) &&
       gt_data_type_values(reader, &train, number_columns(reader, &train, true, false), GT_PART_TRAIN) &&
       gt_csv_read_targets(reader, &train, labels, true, &dataset->split[GT_PART_TRAIN]) &&
       gt_csv_read_series(reader, &train, GT_PART_TRAIN);
  if (ok) gt_csv_review(reader, &train);
  ok = ok && move_inputs(reader, &train, &inputs, GT_PART_TRAIN);
  if (ok) gt_csv_report_large(reader, &train);
  if (ok && test_file.path) {
    gt_data_set_trust(reader, GT_PART_TEST, gt_data_are_trusted(&test_file, 1));
    ok = open_test(reader, test_file, &train, &inputs, form, &test) &&
         read_test(reader, &train, &inputs, &test, labels);
  }
  gt_csv_close(&train);
  gt_csv_close(&test);
  return ok;
}

static bool probe(const gt_data_probe *p) {
  /* Workbooks are not CSV files, but their error message explains how to save one as CSV. */
  static const char *const suffixes[] = {".csv", ".tsv", ".txt", ".data", ".xlsx", ".xls", ".ods"};
  if (p->tokens || gt_spec_find(p->spec, "text")) return false;
  for (size_t i = 0; p->path && i < sizeof suffixes / sizeof *suffixes; i++)
    if (gt_data_has_suffix(p->path, suffixes[i])) return true;
  return false;
}

const gt_data_format gt_data_csv = {
    .name = "csv",
    .schema = &schema,
    .options_size = sizeof(gt_csv_options),
    .probe = probe,
    .open = open_csv,
    .read_inputs = gt_csv_predict,
};
GT_REGISTER(data, csv)
