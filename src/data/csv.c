/* CSV: a table of numbers with a target column or several; inputs for predictions; writing predictions. */
#include "data/csv.h"
#include "base/memory.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LISTED = 12 };

typedef struct options {
  const char *train, *test, *header, *delimiter;
  gt_strings target, inputs, ignore;
  double test_fraction;
} options;

static const char *const header_choices[] = {"auto", "true", "false", NULL};

static const gt_field fields[] = {
    GT_ROW(options, train, GT_FIELD_PATH, .flags = GT_FIELD_REQUIRED | GT_FIELD_MAY_BE_ABSENT,
           .help = "training file"),
    GT_ROW(options, test, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT, .help = "test file"),
    GT_ROW(options, test_fraction, GT_FIELD_FLOAT, .fallback = "0", .max = 1, .flags = GT_FIELD_OPEN_MAX,
           .help = "part of the training file set apart for testing, where there is no test file"),
    GT_ROW(options, target, GT_FIELD_STRINGS,
           .help = "target column or columns, by name or, without a header, by number from 1; default: the "
                   "last"),
    GT_ROW(options, inputs, GT_FIELD_STRINGS,
           .help = "input columns; default: all that are neither target nor ignored"),
    GT_ROW(options, ignore, GT_FIELD_STRINGS, .help = "columns to leave out"),
    GT_ROW(options, header, GT_FIELD_CHOICE, .fallback = "auto", .choices = header_choices,
           .help = "is the first line a header? auto: yes if no cell of it is a number, or if it holds a "
                   "column's known name"),
    GT_ROW(options, delimiter, GT_FIELD_STRING,
           .help = "one character, or tab; default: comma, tab for .tsv"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "csv", .help = "comma-separated values with a header or without", .fields = fields};

/* --- the columns of the training file --- */

static char *list_of_columns(gt_arena *arena, const gt_csv *csv) {
  char *list = gt_arena_strdup(arena, "");
  const int shown = csv->columns < MOST_LISTED ? csv->columns : MOST_LISTED;
  for (int i = 0; i < shown; i++) list = gt_arena_printf(arena, "%s%s%s", list, i ? ", " : "", csv->names[i]);
  return csv->columns > shown ? gt_arena_printf(arena, "%s, … %d columns", list, csv->columns) : list;
}

/* Gives the columns of a list their use; the first one that is missing or used twice is reported where it
 * stands. A model's list stands nowhere: gt_csv_take_columns says what is wrong with it. */
static bool mark(gt_data_reader *reader, gt_csv *csv, gt_strings list, int use) {
  for (int i = 0; i < list.count && list.at; i++) {
    const int column = gt_csv_find(csv, list.items[i]);
    if (column >= 0 && csv->role[column] < 0) {
      csv->role[column] = use;
      continue;
    }
    gt_diagnostic *d =
        gt_error_at(reader->diagnostics, list.at[i],
                    column < 0 ? "there is no column '%s' in %s" : "column '%s' of %s is used twice",
                    list.items[i], csv->path);
    d->expected = gt_arena_printf(reader->arena, "one of: %s", list_of_columns(reader->arena, csv));
    const char *nearest = column < 0 ? gt_csv_nearest(csv, list.items[i]) : NULL;
    d->suggestion = nearest ? gt_arena_strdup(reader->arena, nearest) : NULL;
    return false;
  }
  return true;
}

static const char **names_of(gt_arena *arena, const gt_csv *csv, gt_strings list, int use, int *count) {
  const char **names = GT_NEW_N(arena, const char *, list.count ? list.count : csv->columns);
  *count = list.count;
  for (int i = 0; i < list.count; i++) names[i] = list.items[i];
  if (list.count) return names;
  for (int i = 0; i < csv->columns; i++)
    if (csv->role[i] == use) names[(*count)++] = gt_arena_strdup(arena, csv->names[i]);
  return names;
}

static int64_t features_of(const gt_data_signature *signature) {
  return gt_input_features(&signature->input[0]);
}

/* For a trained model whose columns have names, these lead where the config names none: other columns do not
 * matter. */
static void ask_model(const gt_data_wanted *wanted, const gt_csv *csv, options *o) {
  const gt_data_signature *model = wanted->signature;
  if (!model || o->inputs.count ||
      !gt_csv_goes_by_name(csv, model->input[0].columns, features_of(model), "the model"))
    return;
  o->inputs = (gt_strings){.items = model->input[0].columns, .count = (int)features_of(model)};
  o->ignore = (gt_strings){.count = 0};
  if (!o->target.count && wanted->target_names)
    o->target = (gt_strings){.items = wanted->target_names, .count = wanted->targets};
}

/* Who is input, who is target: in the order of the lists, otherwise of the file. */
static bool choose_columns(gt_data_reader *reader, options *o, gt_csv *csv, int *inputs, int *targets) {
  enum { INPUT, TARGET, IGNORED };
  for (int i = 0; i < csv->columns; i++) csv->role[i] = -1;
  ask_model(reader->wanted, csv, o);
  if (!mark(reader, csv, o->target, TARGET) || !mark(reader, csv, o->inputs, INPUT) ||
      !mark(reader, csv, o->ignore, IGNORED))
    return false;
  if (!o->target.count) {
    int last = csv->columns - 1;
    while (last > 0 && csv->role[last] >= 0) last--;
    csv->role[last] = TARGET;
  }
  for (int i = 0; i < csv->columns && !o->inputs.count; i++)
    if (csv->role[i] < 0) csv->role[i] = INPUT;
  gt_dataset *dataset = reader->dataset;
  dataset->input[0].columns = names_of(reader->arena, csv, o->inputs, INPUT, inputs);
  dataset->target_names = names_of(reader->arena, csv, o->target, TARGET, targets);
  if (!*inputs)
    return gt_fail(reader->error, GT_ERR_DATA,
                   "%s:1:1: no column is left as an input (its columns: %s); is the "
                   "delimiter '%c' right?",
                   csv->path, list_of_columns(reader->arena, csv), csv->delimiter);
  return gt_csv_take_columns(csv, dataset->input[0].columns, *inputs, dataset->target_names, *targets);
}

/* --- splits --- */

static bool read_quantities(const gt_data_reader *reader, const gt_csv *csv, gt_tensor *out) {
  const gt_dataset *dataset = reader->dataset;
  char why[128];
  *out = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {(int64_t)csv->rows, csv->targets}};
  if (!gt_tensor_alloc(out, csv->path, csv->error)) return false;
  float *to = out->data;
  for (size_t i = 0; i < csv->target_cells.count; i++) {
    const char *name = dataset->target_names[i % (size_t)csv->targets];
    const gt_cell *cell = &csv->target_cells.items[i];
    if (!gt_csv_number(csv, cell, name, &to[i])) return false;
    if (!gt_data_target_fits(reader, (double)to[i], why)) return gt_csv_fail(csv, cell, "%s", why);
  }
  return true;
}

static void move_inputs(gt_csv *csv, gt_tensor *out) {
  *out = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {(int64_t)csv->rows, csv->inputs}};
  out->data = csv->values;
  csv->values = NULL;
}

static bool decide_task(gt_data_reader *reader, const gt_csv *csv) {
  if (reader->task != GT_TASK_AUTO) return reader->task == GT_TASK_CLASSIFICATION;
  const gt_data_common *common = reader->common;
  return csv->targets == 1 && (common->class_names.count || gt_csv_is_classification(csv) ||
                               (common->classes.listed && gt_csv_can_be_labels(csv)));
}

static bool one_target(gt_data_reader *reader, const gt_csv *csv) {
  if (csv->targets == 1) return true;
  gt_error_at(reader->diagnostics, gt_data_position(reader, "target"), "classification has one target column")
      ->expected = "one column, or task: regression";
  return false;
}

/* After the training file: how many classes there are, so that the test file's labels are checked where they
 * stand. */
static bool fix_classes(gt_data_reader *reader, gt_csv_labels *labels) {
  gt_dataset *dataset = reader->dataset;
  dataset->text_labels = labels->text;
  if (labels->text) {
    dataset->classes = labels->count;
    dataset->class_names = labels->names;
    return true;
  }
  if (labels->count) return true; /* configured */
  const int32_t *label = dataset->train.targets.data;
  for (int64_t i = 0; i < dataset->train.targets.dim[0]; i++)
    if (label[i] >= labels->count) labels->count = label[i] + 1;
  return true;
}

/* The classes are the config's, else the model's that the data is for, else those of the training file. */
static bool start_labels(gt_data_reader *reader, const gt_csv *csv, gt_csv_labels *labels) {
  const gt_data_common *common = reader->common;
  const gt_data_wanted *wanted = reader->wanted;
  gt_strings names = common->class_names;
  const bool listed = common->classes.listed;
  /* A list of classes is one of labels as they stand in the file: numbers stay numbers where the model saw
   * numbers. */
  const bool taught = !names.count && wanted->class_names && (wanted->text_labels || !listed);
  if (taught) names = (gt_strings){.items = wanted->class_names, .count = wanted->classes};
  if (!gt_csv_labels_init(labels, csv, names, taught || wanted->text_labels, reader->arena)) return false;
  labels->open = listed;
  if (!labels->text && !listed)
    labels->count = names.count               ? names.count
                    : common->classes.integer ? (int)common->classes.integer
                                              : wanted->classes;
  return true;
}

static bool read_targets(gt_data_reader *reader, gt_csv *csv, gt_csv_labels *labels, bool first,
                         gt_split *out) {
  gt_dataset *dataset = reader->dataset;
  out->samples = (int64_t)csv->rows;
  if (first) dataset->classification = decide_task(reader, csv);
  if (!dataset->classification) return read_quantities(reader, csv, &out->targets);
  if (!first) return gt_csv_labels_read(labels, csv, &out->targets);
  return one_target(reader, csv) && start_labels(reader, csv, labels) &&
         gt_csv_labels_read(labels, csv, &out->targets) && fix_classes(reader, labels);
}

static gt_csv_header header_of(const char *text) {
  return *text == 't' ? GT_CSV_HEADER : *text == 'f' ? GT_CSV_NO_HEADER : GT_CSV_AUTO;
}

/* The test file is written as the training file is: its header has the same names. */
static bool open_test(gt_data_reader *reader, gt_data_file file, const gt_csv *train, gt_csv_form form,
                      gt_csv *test) {
  const gt_dataset *d = reader->dataset;
  if (train->header) {
    form.known[0] = (gt_strings){.items = d->input[0].columns, .count = train->inputs};
    form.known[1] = (gt_strings){.items = d->target_names, .count = train->targets};
  }
  return gt_csv_open(test, file, &form, reader->error);
}

static bool read_test(gt_data_reader *reader, const gt_csv *train, gt_csv *test, gt_csv_labels *labels) {
  const gt_dataset *d = reader->dataset;
  if (gt_csv_goes_by_name(test, train->header ? d->input[0].columns : NULL, train->inputs, train->path)) {
    if (!gt_csv_take_columns(test, d->input[0].columns, train->inputs, d->target_names, train->targets))
      return false;
  } else {
    if (train->columns != test->columns)
      return gt_fail(reader->error, GT_ERR_DATA, "%s:1:1: this file has %d columns; expected %d, as in %s",
                     test->path, test->columns, train->columns, train->path);
    test->inputs = train->inputs;
    test->targets = train->targets;
    memcpy(test->role, train->role, (size_t)train->columns * sizeof *train->role);
  }
  if (!gt_csv_read(test)) return false;
  move_inputs(test, &reader->dataset->test.input[0]);
  return read_targets(reader, test, labels, false, &reader->dataset->test);
}

static bool delimiter_of(const char *text, char *out) {
  *out = text && !strcmp(text, "tab") ? '\t' : text ? *text : 0;
  if (!text || *out == '\t') return true;
  return *out && !text[1] && !strchr("\"\r\n.+-_", *out) && !(*out >= '0' && *out <= '9') &&
         !(*out >= 'A' && *out <= 'z');
}

static const char delimiters[] = "one character such as \",\" or \";\", or tab";

static bool read_form(gt_data_reader *reader, const options *o, gt_csv_form *form) {
  const gt_data_wanted *wanted = reader->wanted;
  *form = (gt_csv_form){.header = header_of(o->header), .known = {o->target, o->inputs, o->ignore}};
  if (wanted->signature && wanted->signature->input[0].columns)
    form->known[3] = (gt_strings){.items = wanted->signature->input[0].columns,
                                  .count = (int)features_of(wanted->signature)};
  if (wanted->target_names)
    form->known[4] = (gt_strings){.items = wanted->target_names, .count = wanted->targets};
  if (delimiter_of(o->delimiter, &form->delimiter)) return true;
  gt_error_at(reader->diagnostics, gt_data_position(reader, "delimiter"), "this cannot be a delimiter")
      ->expected = delimiters;
  return false;
}

static bool open_csv(gt_data_reader *reader, const void *given) {
  options asked = *(const options *)given, *o = &asked;
  gt_csv train = {0}, test = {0};
  gt_csv_labels labels = {0};
  gt_csv_form form;
  bool ok = read_form(reader, o, &form);
  int inputs, targets;
  const gt_data_file train_file = gt_data_find_file(reader, gt_data_node(reader, "train", NULL));
  const gt_data_file test_file =
      o->test ? gt_data_find_file(reader, gt_data_node(reader, "test", NULL)) : (gt_data_file){0};
  if (!ok || !train_file.path || (o->test && !test_file.path)) return false;
  reader->train_name = train_file.path;
  reader->test_name = test_file.path;
  reader->test_fraction = o->test_fraction;
  ok = gt_csv_open(&train, train_file, &form, reader->error) &&
       choose_columns(reader, o, &train, &inputs, &targets) && gt_csv_read(&train);
  if (ok) move_inputs(&train, &reader->dataset->train.input[0]);
  ok = ok && read_targets(reader, &train, &labels, true, &reader->dataset->train);
  if (ok && test_file.path)
    ok = open_test(reader, test_file, &train, form, &test) && read_test(reader, &train, &test, &labels);
  gt_csv_close(&train);
  gt_csv_close(&test);
  return ok;
}

/* --- predictions --- */

/* Without names that fit, a file must have just the inputs as its columns. */
static bool take_inputs(gt_csv *csv, const gt_data_signature *signature, int64_t features) {
  if (gt_csv_goes_by_name(csv, signature->input[0].columns, features, "the model"))
    return gt_csv_take_columns(csv, signature->input[0].columns, (int)features, NULL, 0);
  if (csv->columns != features)
    return gt_fail(csv->error, GT_ERR_DATA,
                   "%s:1:1: this file has %d columns; the model takes %" PRId64 " numbers", csv->path,
                   csv->columns, features);
  for (int i = 0; i < csv->columns; i++) csv->role[i] = i;
  csv->inputs = csv->columns;
  return true;
}

static const char *setting(const gt_spec *data, const char *key) {
  const gt_spec *node = gt_spec_find(data, key);
  return node && node->kind == GT_SPEC_SCALAR && !gt_spec_is_null(node) ? node->scalar : NULL;
}

/* The file is written as those are that the model was trained on. */
static bool taught_form(const gt_data_signature *signature, int64_t features, gt_csv_form *form,
                        gt_error *error) {
  const char *header = setting(signature->data, "header"), *delimiter = setting(signature->data, "delimiter");
  int choice = 0;
  while (header && header_choices[choice] && strcmp(header, header_choices[choice])) choice++;
  *form = (gt_csv_form){.header = header_of(header ? header : "auto")};
  if (signature->input[0].columns)
    form->known[0] = (gt_strings){.items = signature->input[0].columns, .count = (int)features};
  if (!header_choices[choice])
    return gt_fail(error, GT_ERR_DATA, "data.header cannot be '%s'; expected auto, true or false", header);
  return delimiter_of(delimiter, &form->delimiter) ||
         gt_fail(error, GT_ERR_DATA, "data.delimiter cannot be '%s'; expected %s", delimiter, delimiters);
}

static bool read_inputs(const char *path, const gt_data_signature *signature, gt_tensor *out,
                        gt_error *error) {
  gt_csv csv = {0};
  gt_csv_form form;
  const int64_t features = features_of(signature);
  *out = (gt_tensor){0};
  bool ok = taught_form(signature, features, &form, error) &&
            gt_csv_open(&csv, (gt_data_file){.path = path}, &form, error) &&
            take_inputs(&csv, signature, features) && gt_csv_read(&csv);
  if (ok) move_inputs(&csv, out);
  ok = ok && gt_data_fit(path, &signature->input[0], out, error);
  gt_csv_close(&csv);
  if (!ok) gt_tensor_finish(out);
  return ok;
}

static bool probe(const gt_data_probe *p) {
  static const char *const suffixes[] = {".csv", ".tsv", ".txt", ".data"};
  for (size_t i = 0; p->path && i < sizeof suffixes / sizeof *suffixes; i++)
    if (gt_data_has_suffix(p->path, suffixes[i])) return true;
  return false;
}

const gt_data_format gt_data_csv = {
    .name = "csv",
    .schema = &schema,
    .options_size = sizeof(options),
    .probe = probe,
    .open = open_csv,
    .read_inputs = read_inputs,
};
GT_REGISTER(data, csv)
