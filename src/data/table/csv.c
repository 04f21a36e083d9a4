/* The format `csv`: tables whose columns are inputs and targets. */
#include "data/date.h"
#include "data/table/table.h"
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

/* split: the key of the config with the file. */
static bool open_file(gt_data_reader *reader, gt_data_file source, const gt_csv_form *form, const char *split,
                      gt_table_file *file) {
  const bool ok = gt_table_open(file, source, form, reader->error);
  if (file->csv.doubt && !reader->trust.untrusted)
    gt_finding_at(reader->diagnostics, GT_FINDING_doubtful_header, gt_data_position(reader, split), "%s",
                  gt_arena_strdup(reader->arena, file->csv.doubt));
  return ok;
}

/* The columns of all targets: one array, of which the targets have consecutive parts (gt_csv_choose). */
static const char *const *all_columns(const gt_dataset *dataset) { return dataset->target[0].columns; }

/* Records how the training file is written, as far as the config does not say it. */
static void record_found(gt_data_reader *reader, const gt_csv_options *o, const gt_csv *csv) {
  if (csv->lines) return;
  if (*o->header == 'a') gt_data_record_found(reader, NULL, NULL, "header", csv->header ? "true" : "false");
  if (!o->delimiter)
    gt_data_record_found(reader, NULL, NULL, "delimiter",
                         gt_csv_delimiter_text(csv->delimiter, reader->arena));
  if (!o->decimal)
    gt_data_record_found(reader, NULL, NULL, "decimal", csv->decimal == ',' ? "comma" : "point");
  for (int i = 0; i < reader->typed->count; i++) {
    const gt_typed_column *c = &reader->typed->item[i];
    if (c->column.kind == GT_COLUMN_DATE && c->column.order != GT_DATE_YEAR_FIRST && !c->rule.order)
      gt_data_record_found(reader, "columns", c->column.name, "order", gt_date_order_name(c->column.order));
  }
}

/* Opens the test file, which is written like the training file. If that has a header, a first line with one
 * of its names is a header, too. */
static bool open_test(gt_data_reader *reader, gt_data_file file, const gt_table_file *train,
                      const gt_csv_inputs *inputs, gt_csv_form form, gt_table_file *test) {
  form.delimiter = train->csv.delimiter;
  form.decimal = train->csv.decimal;
  form.header = train->csv.header ? GT_CSV_HEADER : GT_CSV_NO_HEADER;
  form.is_trained = true;
  if (train->csv.header) {
    form.known[0] = (gt_strings){.items = inputs->names, .count = train->inputs};
    form.known[1] = (gt_strings){.items = all_columns(reader->dataset), .count = train->targets};
  }
  return open_file(reader, file, &form, "test", test);
}

static bool fail_column_count(const gt_data_reader *reader, const gt_csv *train, const gt_csv *test) {
  if (reader->trust.untrusted)
    return gt_fail(reader->error, GT_ERR_DATA,
                   "%s:1:1: this file has %d columns, which do not match the training file", test->path,
                   test->columns);
  return gt_fail(reader->error, GT_ERR_DATA, "%s:1:1: this file has %d columns; expected %d, as in %s",
                 test->path, test->columns, train->columns, train->path);
}

/* True if test files have columns with this use besides inputs and targets. */
static bool is_in_test(const gt_data_reader *reader, gt_column_use use) {
  return use == GT_USE_WEIGHT || use == GT_USE_TIME || (use == GT_USE_GROUP && reader->series);
}

/* Adds the columns of the training file to the test file, by name or by position. Test samples have weights
 * if training samples have them; for a trained model they are optional. */
static bool use_columns(const gt_data_reader *reader, const gt_table_file *train, const gt_csv_inputs *inputs,
                        gt_table_file *test) {
  const gt_csv *from = &train->csv, *csv = &test->csv;
  const int named = train->inputs + train->targets;
  const bool by_name =
      gt_csv_matches_by_name(csv, from->header ? inputs->names : NULL, train->inputs, from->path);
  test->targets_may_be_inputs = train->targets_may_be_inputs;
  if (!by_name && from->columns != csv->columns) return fail_column_count(reader, from, csv);
  if (by_name &&
      !gt_table_assign(test, inputs->names, train->inputs, all_columns(reader->dataset), train->targets))
    return false;
  for (int i = by_name ? named : 0; i < train->columns; i++) {
    const gt_table_column *c = &train->column[i];
    const char *name = gt_table_name(train, c);
    const int column = by_name ? gt_csv_find(csv, name) : c->index;
    if (i >= named && !is_in_test(reader, c->use)) continue;
    if (column >= 0)
      gt_table_use(test, c->use, column);
    else if (c->use != GT_USE_WEIGHT || !reader->wanted->signature)
      return gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: there is no column '%s', which %s %s", csv->path, name,
                     c->use == GT_USE_WEIGHT ? "has the weights of the samples in" : "orders the rows of",
                     from->path);
    else
      gt_warn("%s:1:1: there is no column '%s' with weights, so all samples count the same", csv->path, name);
  }
  gt_csv_set_known_kinds(test, reader->typed, inputs->whole);
  gt_csv_set_target_readings(reader, test);
  return true;
}

/* Moves the input values into a split. For a trained model also converts them to stored values; otherwise
 * this is done after fitting. */
static bool move_inputs(gt_data_reader *reader, gt_table_file *file, const gt_csv_inputs *inputs, int part) {
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
  const bool ok = gt_csv_move_inputs(file, inputs, d->input, reader->typed, tensor);
  for (int k = 0; k < d->inputs; k++) gt_split_add(split, GT_SAMPLE_INPUT, k, tensor[k]);
  return ok && (!model || gt_data_store_columns(reader, split, part));
}

/* Makes the split of a file that was read. */
static bool make_split(gt_data_reader *reader, gt_table_file *file, const gt_csv_inputs *inputs, int part) {
  const bool is_training = part == GT_PART_TRAIN;
  if (!gt_data_type_values(reader, file, part) ||
      !gt_csv_read_targets(reader, file, is_training, &reader->dataset->split[part]) ||
      !gt_csv_read_series(reader, file, part))
    return false;
  if (is_training) gt_csv_review(reader, file);
  return move_inputs(reader, file, inputs, part);
}

/* Opens and reads the training file. If it is a text and not a table, the error says how to read it. */
static bool open_train(gt_data_reader *reader, const gt_csv_options *o, const gt_csv_request *a,
                       gt_data_file file, const gt_csv_form *form, gt_table_file *train,
                       gt_csv_inputs *inputs) {
  const bool named = a->target.count || a->inputs || reader->series || reader->wanted->signature;
  const int errors = reader->diagnostics->errors;
  const bool ok = open_file(reader, file, form, "train", train) &&
                  gt_csv_choose(reader, *a, &o->missing_values, train, inputs) && gt_table_read(train);
  if (!ok && !named && gt_data_has_suffix(file.path, ".txt") && reader->diagnostics->errors == errors)
    gt_error_append(reader->error, " (for a text, not a table: data: {train: %s, text: {vocabulary: char}})",
                    file.path);
  return ok;
}

static bool open_csv(gt_data_reader *reader, const void *given) {
  const gt_csv_options *o = given;
  gt_table_file train = {0}, test = {0};
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
       make_split(reader, &train, &inputs, GT_PART_TRAIN);
  if (ok) gt_csv_report_large(reader, &train);
  if (ok) record_found(reader, o, &train.csv);
  if (ok && test_file.path) {
    gt_data_set_trust(reader, GT_PART_TEST, gt_data_are_trusted(&test_file, 1));
    ok = open_test(reader, test_file, &train, &inputs, form, &test) &&
         use_columns(reader, &train, &inputs, &test) && gt_table_read(&test) &&
         make_split(reader, &test, &inputs, GT_PART_TEST);
  }
  gt_table_close(&train);
  gt_table_close(&test);
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
