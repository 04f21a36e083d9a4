/* CSV: a table of numbers with one or more target columns. */
#include "data/csv_facts.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LISTED = 12 };

typedef struct options {
  const char *train, *test, *header, *delimiter, *decimal, *weight;
  int64_t skip;
  gt_strings target, ignore;
  gt_named inputs; /* gt_strings */
  double test_fraction;
} options;

/* The columns that the config or a trained model names. */
typedef struct asked {
  gt_strings target, ignore, input[GT_DATA_MAX_INPUTS];
  int inputs;                     /* 0: the remaining columns form the one input */
  const char *role[GT_CSV_ROLES]; /* NULL: none */
  gt_position role_at[GT_CSV_ROLES];
} asked;

static const gt_field fields[] = {
    GT_ROW(options, train, GT_FIELD_PATH, .flags = GT_FIELD_REQUIRED | GT_FIELD_MAY_BE_ABSENT,
           .help = "training file"),
    GT_ROW(options, test, GT_FIELD_PATH, .flags = GT_FIELD_MAY_BE_ABSENT, .help = "test file"),
    GT_ROW(options, test_fraction, GT_FIELD_FLOAT, .fallback = "0", .max = 1, .flags = GT_FIELD_OPEN_MAX,
           .help = "fraction of the training samples to use as the test split, if there is no test file"),
    GT_ROW(options, target, GT_FIELD_STRINGS,
           .help = "target column or columns, by name, or by number from 1 if there is no header "
                   "(default: the last)"),
    GT_ROW(options, inputs, GT_FIELD_STRINGS, .flags = GT_FIELD_BY_NAME,
           .help = "input columns (default: all that are neither target nor ignored); for several "
                   "inputs, a map from names to columns: {wide: [age, hours], job: [job]}"),
    GT_ROW(options, ignore, GT_FIELD_STRINGS, .help = "columns to ignore"),
    GT_ROW(options, weight, GT_FIELD_STRING,
           .help =
               "column with the weight of each sample in loss and metrics, at least 0; it is not an input"),
    GT_ROW(options, header, GT_FIELD_CHOICE, .fallback = "auto", .choices = gt_csv_headers,
           .help =
               "whether the first line is a header; auto: yes if it contains the name of a column in this "
               "config, has text above numbers, or only text; a doubtful decision is reported"),
    GT_ROW(options, delimiter, GT_FIELD_STRING,
           .help = "what separates cells: one character, tab, or blanks for any run of blanks and tabs "
                   "(default: found from the text; a comma, or for .tsv a tab, if that makes a table)"),
    GT_ROW(options, decimal, GT_FIELD_CHOICE, .choices = gt_csv_decimals,
           .help = "decimal mark of the numbers (default: found from the text; a comma if cells are "
                   "separated by something else and numbers have commas and no points)"),
    GT_ROW(options, skip, GT_FIELD_INT, .max = 1000000,
           .help = "number of lines before the table (default: none but empty lines, lines that begin with "
                   "# and a line sep=;)"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "csv", .help = "CSV files, with or without a header", .fields = fields};

/* The role of a column while columns are chosen; INPUT + k: input k. */
enum { TARGET, IGNORED, ROLE, INPUT };

/* --- columns of the training file --- */

static char *list_of_columns(gt_arena *arena, const gt_csv *csv) {
  char *list = gt_arena_strdup(arena, "");
  const int shown = csv->columns < MAX_LISTED ? csv->columns : MAX_LISTED;
  for (int i = 0; i < shown; i++) list = gt_arena_printf(arena, "%s%s%s", list, i ? ", " : "", csv->names[i]);
  return csv->columns > shown ? gt_arena_printf(arena, "%s, … %d columns", list, csv->columns) : list;
}

/* Gives each column of a list its role. The first column that is missing or used twice is reported at its
 * place in the config. A model's list has no place there: gt_csv_take_columns reports it. */
static bool mark(gt_data_reader *reader, gt_csv *csv, gt_strings list, int use) {
  for (int i = 0; i < list.count && list.at; i++) {
    const int column = gt_csv_find(csv, list.items[i]), used = column < 0 ? -1 : csv->role[column];
    if (column >= 0 && (used < 0 || (use > INPUT && used >= INPUT && used < use))) {
      csv->role[column] = use;
      continue;
    }
    gt_diagnostic *d = column < 0 ? gt_csv_no_column(reader, csv, list.items[i], list.at[i])
                                  : gt_error_at(reader->diagnostics, list.at[i],
                                                "column '%s' of %s is used twice", list.items[i], csv->path);
    d->expected = gt_arena_printf(reader->arena, "one of: %s", list_of_columns(reader->arena, csv));
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

static gt_position place_of(const gt_data_reader *reader, const char *key, const char *sub) {
  const gt_spec *node = gt_data_node(reader, key, sub);
  return node ? node->at : gt_data_position(reader, key);
}

static asked ask_config(const gt_data_reader *reader, const options *o) {
  asked a = {.target = o->target, .ignore = o->ignore, .inputs = o->inputs.count};
  for (int k = 0; k < a.inputs; k++) a.input[k] = ((const gt_strings *)o->inputs.items)[k];
  a.role[GT_CSV_WEIGHT] = o->weight;
  a.role_at[GT_CSV_WEIGHT] = place_of(reader, "weight", NULL);
  a.role[GT_CSV_SPLIT] = reader->split.column;
  a.role_at[GT_CSV_SPLIT] = place_of(reader, "split", "column");
  a.role[GT_CSV_GROUP] = reader->split.group;
  a.role_at[GT_CSV_GROUP] = place_of(reader, "split", "group");
  return a;
}

/* For a trained model with named columns, the model's names apply where the config names none; other columns
 * are ignored. */
static void ask_model(gt_data_reader *reader, const gt_csv *csv, asked *a) {
  const gt_data_wanted *wanted = reader->wanted;
  const gt_data_signature *model = wanted->signature;
  if (!model || a->inputs) return;
  const gt_csv_inputs known = gt_csv_inputs_of(model->input, model->inputs, reader->arena);
  if (!gt_csv_goes_by_name(csv, known.names, known.count, "the model")) return;
  a->inputs = model->inputs;
  for (int k = 0; k < model->inputs; k++)
    a->input[k] = (gt_strings){.items = model->input[k].columns, .count = (int)known.features[k]};
  a->ignore = (gt_strings){.count = 0};
  if (!a->target.count && wanted->target_names)
    a->target = (gt_strings){.items = wanted->target_names, .count = wanted->targets};
}

static bool mark_roles(gt_data_reader *reader, gt_csv *csv, const asked *a) {
  for (int r = 0; r < GT_CSV_ROLES; r++) {
    const gt_strings name = {.items = &a->role[r], .at = &a->role_at[r], .count = a->role[r] != NULL};
    if (!mark(reader, csv, name, ROLE)) return false;
    if (name.count) csv->role_column[r] = gt_csv_find(csv, a->role[r]);
  }
  return true;
}

static bool no_inputs(gt_data_reader *reader, const gt_csv *csv) {
  return gt_fail(reader->error, GT_ERR_DATA,
                 "%s:1:1: no column is left for the inputs (columns: %s); is the delimiter '%c' right?",
                 csv->path, list_of_columns(reader->arena, csv), csv->delimiter);
}

/* A copy of the target among the inputs would tell the answer. */
static bool target_is_unique(const gt_csv *csv) {
  for (int i = 0; csv->same_name && i < csv->columns; i++) {
    const int first = csv->same_name[i];
    if (first < 0 || (csv->role[i] == TARGET) == (csv->role[first] == TARGET)) continue;
    const int other = csv->role[i] == TARGET ? first : i;
    if (csv->role[other] == IGNORED) continue;
    return gt_fail(
        csv->error, GT_ERR_DATA,
        "%s:1:1: columns %d and %d are both named '%s', and one of them is the target; rename one, or "
        "leave one out: data: {ignore: ['%s']}",
        csv->path, first + 1, i + 1, csv->names[first], csv->names[other]);
  }
  return true;
}

/* Chooses the input and target columns: in the order of the lists if the config has them, else in file
 * order. */
static bool choose_columns(gt_data_reader *reader, asked a, gt_csv *csv, gt_csv_inputs *inputs) {
  gt_dataset *dataset = reader->dataset;
  for (int i = 0; i < csv->columns; i++) csv->role[i] = -1;
  ask_model(reader, csv, &a);
  if (!mark(reader, csv, a.target, TARGET)) return false;
  for (int k = 0; k < a.inputs; k++)
    if (!mark(reader, csv, a.input[k], INPUT + k)) return false;
  if (!mark(reader, csv, a.ignore, IGNORED) || !mark_roles(reader, csv, &a)) return false;
  if (!a.target.count) {
    int last = csv->columns - 1;
    while (last > 0 && csv->role[last] >= 0) last--;
    csv->role[last] = TARGET;
  }
  if (!target_is_unique(csv)) return false;
  for (int i = 0; i < csv->columns && !a.inputs; i++)
    if (csv->role[i] < 0) csv->role[i] = INPUT;
  int targets;
  for (int k = 0; k < dataset->inputs; k++) {
    int count;
    dataset->input[k].columns = names_of(reader->arena, csv, a.input[k], INPUT + k, &count);
    dataset->input[k].rank = 1;
    dataset->input[k].dim[0] = count;
    if (!count) return no_inputs(reader, csv);
  }
  dataset->target_names = names_of(reader->arena, csv, a.target, TARGET, &targets);
  *inputs = gt_csv_inputs_of(dataset->input, dataset->inputs, reader->arena);
  csv->whole = inputs->whole;
  return gt_csv_take_columns(csv, inputs->names, inputs->count, dataset->target_names, targets);
}

/* Why a column without a name is no input: it counts the rows, or has no values. NULL: it is one. */
static const char *why_no_input(const gt_csv *csv, int column) {
  const gt_csv_facts *facts = &csv->facts[csv->role[column]];
  if (!csv->nameless[column]) return NULL;
  if (facts->counts && csv->rows > 1 && (facts->least == 0 || facts->least == 1)) return "counts the rows";
  return facts->empty == csv->rows ? "has no values" : NULL;
}

/* Takes the column of this role out of what was read. */
static void leave_out(gt_csv *csv, int role) {
  const size_t before = (size_t)csv->inputs, after = before - 1, all = before + (size_t)csv->targets;
  float *to = csv->values;
  for (size_t row = 0; row < csv->rows; row++)
    for (size_t c = 0; c < before; c++)
      if (c != (size_t)role) *to++ = csv->values[row * before + c];
  gt_csv_facts_finish(&csv->facts[role]);
  memmove(&csv->facts[role], &csv->facts[role + 1], (all - (size_t)role - 1) * sizeof *csv->facts);
  csv->inputs = (int)after;
  for (int i = 0; i < csv->columns; i++)
    if (csv->role[i] == role)
      csv->role[i] = -1;
    else if (csv->role[i] > role)
      csv->role[i]--;
}

/* Row numbers that pandas and R write, and empty columns: no inputs unless the config names them. */
static bool leave_out_nameless(gt_data_reader *reader, gt_csv *csv, gt_csv_inputs *inputs) {
  gt_input *input = &reader->dataset->input[0];
  const char **names = GT_NEW_N(reader->arena, const char *, csv->inputs);
  const int before = csv->inputs;
  for (int i = 0; i < csv->columns; i++) {
    const char *why = csv->role[i] >= 0 && csv->role[i] < csv->inputs ? why_no_input(csv, i) : NULL;
    if (!why) continue;
    gt_info("%s: column %d is left out: it has no name and %s; data.inputs can name it ('%s')", csv->path,
            i + 1, why, csv->names[i]);
    leave_out(csv, csv->role[i]);
  }
  if (csv->inputs == before) return true;
  if (!csv->inputs) return no_inputs(reader, csv);
  for (int i = 0; i < csv->columns; i++)
    if (csv->role[i] >= 0 && csv->role[i] < csv->inputs)
      names[csv->role[i]] = gt_arena_strdup(reader->arena, csv->names[i]);
  input->columns = names;
  input->dim[0] = csv->inputs;
  *inputs = gt_csv_inputs_of(input, 1, reader->arena);
  return true;
}

/* --- splits --- */

static bool read_quantities(const gt_data_reader *reader, const gt_csv *csv, gt_tensor *out) {
  char why[128];
  double value;
  *out = (gt_tensor){.element = GT_ELEMENT_F32, .rank = 2, .dim = {(int64_t)csv->rows, csv->targets}};
  if (!gt_tensor_alloc(out, csv->path, csv->error)) return false;
  float *to = out->data;
  for (size_t i = 0; i < csv->target_cells.count; i++) {
    const gt_cell *cell = &csv->target_cells.items[i];
    gt_csv_parse(csv, cell, &value); /* a finite number: gt_csv_check_cells */
    to[i] = (float)value;
    if (!gt_data_target_fits(reader, (double)to[i], why)) return gt_csv_fail(csv, cell, "%s", why);
  }
  return true;
}

static bool decide_task(gt_data_reader *reader, const gt_csv *csv) {
  if (reader->task != GT_TASK_AUTO) return reader->task == GT_TASK_CLASSIFICATION;
  const gt_data_common *common = reader->common;
  return csv->targets == 1 && (common->class_names.count || gt_csv_is_classification(csv) ||
                               (common->classes.listed && gt_csv_can_be_labels(csv)));
}

static bool one_target(gt_data_reader *reader, const gt_csv *csv) {
  if (csv->targets == 1) return true;
  gt_error_at(reader->diagnostics, gt_data_position(reader, "target"),
              "classification needs exactly one target column")
      ->expected = "one column, or task: regression";
  return false;
}

/* Called after the training file is read: fixes the number of classes, so that labels of the test file can
 * be checked cell by cell. */
static bool fix_classes(gt_data_reader *reader, gt_csv_labels *labels) {
  gt_dataset *dataset = reader->dataset;
  dataset->text_labels = labels->text;
  if (labels->text) {
    dataset->classes = labels->count;
    dataset->class_names = labels->names;
    return true;
  }
  if (labels->count) return true; /* set by the config */
  const int32_t *label = dataset->train.targets.data;
  for (int64_t i = 0; i < dataset->train.targets.dim[0]; i++)
    if (label[i] >= labels->count) labels->count = label[i] + 1;
  return true;
}

/* Words for a missing value among labels that are text. */
static void report_missing_labels(gt_data_reader *reader, const gt_csv *csv) {
  const gt_cell *first = NULL;
  size_t count = 0;
  char shown[48];
  for (size_t i = 0; i < csv->target_cells.count; i++) {
    const gt_cell *cell = &csv->target_cells.items[i];
    if (!gt_cell_is_missing(cell) || *cell->text == '-') continue; /* - is also a class beside + */
    if (!first) first = cell;
    count += gt_cell_is(cell, gt_cell_shown(first, shown));
  }
  if (!first || reader->trust.strange) return;
  gt_finding_at(reader->diagnostics, GT_FINDING_missing_labels, gt_data_position(reader, "train"),
                "%zu label%s of %s %s '%s' (the first in line %u), which is read as a class", count,
                count == 1 ? "" : "s", csv->path, count == 1 ? "is" : "are", gt_cell_shown(first, shown),
                first->line)
      ->help = "remove these rows, or name the classes: data: {class_names: [...]}";
}

/* The classes come from the config, else from the model that the data is for, else from the training
 * file. */
static bool start_labels(gt_data_reader *reader, const gt_csv *csv, gt_csv_labels *labels) {
  const gt_data_common *common = reader->common;
  const gt_data_wanted *wanted = reader->wanted;
  gt_strings names = common->class_names;
  const bool listed = common->classes.listed;
  /* Entries of `classes` are labels as the file has them. Numbers stay numbers if the model was trained on
   * numbers. */
  const bool taught = !names.count && wanted->class_names && (wanted->text_labels || !listed);
  if (taught) names = (gt_strings){.items = wanted->class_names, .count = wanted->classes};
  if (!gt_csv_labels_init(labels, csv, names, taught || wanted->text_labels, reader->arena)) return false;
  if (labels->respelled && !reader->trust.strange)
    gt_finding_at(reader->diagnostics, GT_FINDING_similar_names, gt_data_position(reader, "train"),
                  "%s spells the class '%s' in two Unicode forms; they count as one class", csv->path,
                  labels->respelled);
  if (labels->text && !names.count && !listed) report_missing_labels(reader, csv);
  labels->open = listed;
  labels->listed = common->class_names.count > 0;
  if (!labels->text && !listed)
    labels->count = names.count               ? names.count
                    : common->classes.integer ? (int)common->classes.integer
                                              : wanted->classes;
  return true;
}

bool gt_csv_read_targets(gt_data_reader *reader, gt_csv *csv, gt_csv_labels *labels, bool first,
                         gt_split *out) {
  gt_dataset *dataset = reader->dataset;
  out->samples = (int64_t)csv->rows;
  if (!gt_csv_read_weights(csv, &out->weights) || (first && !gt_csv_read_parts(reader, csv))) return false;
  if (first) dataset->classification = decide_task(reader, csv);
  if (!gt_csv_check_cells(csv, !dataset->classification, reader->wanted->signature)) return false;
  if (!dataset->classification) return read_quantities(reader, csv, &out->targets);
  if (!first) return gt_csv_labels_read(labels, csv, &out->targets);
  return one_target(reader, csv) && start_labels(reader, csv, labels) &&
         gt_csv_labels_read(labels, csv, &out->targets) && fix_classes(reader, labels);
}

static void report_doubt(gt_data_reader *reader, const gt_csv *csv, const char *split) {
  if (csv->doubt && !reader->trust.strange)
    gt_finding_at(reader->diagnostics, GT_FINDING_doubtful_header, gt_data_position(reader, split), "%s",
                  gt_arena_strdup(reader->arena, csv->doubt));
}

/* The test file must have the layout of the training file: same delimiter and, with a header, same names. */
static bool open_test(gt_data_reader *reader, gt_data_file file, const gt_csv *train,
                      const gt_csv_inputs *inputs, gt_csv_form form, gt_csv *test) {
  if (train->header) {
    form.known[0] = (gt_strings){.items = inputs->names, .count = train->inputs};
    form.known[1] = (gt_strings){.items = reader->dataset->target_names, .count = train->targets};
  }
  const bool ok = gt_csv_open(test, file, &form, reader->error);
  report_doubt(reader, test, "test");
  return ok;
}

static bool other_columns(const gt_data_reader *reader, const gt_csv *train, const gt_csv *test) {
  if (reader->trust.strange)
    return gt_fail(reader->error, GT_ERR_DATA,
                   "%s:1:1: this file has %d columns, which do not match the training file", test->path,
                   test->columns);
  return gt_fail(reader->error, GT_ERR_DATA, "%s:1:1: this file has %d columns; expected %d, as in %s",
                 test->path, test->columns, train->columns, train->path);
}

/* Test samples have weights if training samples have them; those of a trained model may do without. */
static bool take_weight(const gt_data_reader *reader, const gt_csv *train, gt_csv *test) {
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

static bool read_test(gt_data_reader *reader, const gt_csv *train, const gt_csv_inputs *inputs, gt_csv *test,
                      gt_csv_labels *labels) {
  gt_dataset *d = reader->dataset;
  if (gt_csv_goes_by_name(test, train->header ? inputs->names : NULL, train->inputs, train->path)) {
    if (!gt_csv_take_columns(test, inputs->names, train->inputs, d->target_names, train->targets) ||
        !take_weight(reader, train, test))
      return false;
  } else {
    if (train->columns != test->columns) return other_columns(reader, train, test);
    test->inputs = train->inputs;
    test->targets = train->targets;
    memcpy(test->role, train->role, (size_t)train->columns * sizeof *train->role);
    test->role_column[GT_CSV_WEIGHT] = train->role_column[GT_CSV_WEIGHT];
  }
  test->whole = inputs->whole;
  return gt_csv_read(test) && gt_csv_read_targets(reader, test, labels, false, &d->test) &&
         gt_csv_move_inputs(test, inputs, d->input, d->test.input);
}

static gt_strings all_inputs(const asked *a, gt_arena *arena) {
  int count = 0;
  for (int k = 0; k < a->inputs; k++) count += a->input[k].count;
  const char **names = GT_NEW_N(arena, const char *, count);
  gt_strings all = {.items = names};
  for (int k = 0; k < a->inputs; k++)
    for (int i = 0; i < a->input[k].count; i++) names[all.count++] = a->input[k].items[i];
  return all;
}

static gt_strings all_roles(const asked *a, gt_arena *arena) {
  const char **names = GT_NEW_N(arena, const char *, GT_CSV_ROLES);
  gt_strings all = {.items = names};
  for (int r = 0; r < GT_CSV_ROLES; r++)
    if (a->role[r]) names[all.count++] = a->role[r];
  return all;
}

static bool read_form(gt_data_reader *reader, const options *o, const asked *a, gt_csv_form *form) {
  const gt_data_wanted *wanted = reader->wanted;
  const gt_data_signature *model = wanted->signature;
  *form = (gt_csv_form){.header = gt_csv_header_of(o->header),
                        .decimal = gt_csv_decimal_of(o->decimal),
                        .skip = o->skip,
                        .known = {a->target, all_inputs(a, reader->arena), a->ignore}};
  if (model) {
    const gt_csv_inputs taught = gt_csv_inputs_of(model->input, model->inputs, reader->arena);
    form->known[3] = (gt_strings){.items = taught.names, .count = taught.names ? taught.count : 0};
  }
  if (wanted->target_names)
    form->known[4] = (gt_strings){.items = wanted->target_names, .count = wanted->targets};
  form->known[5] = all_roles(a, reader->arena);
  if (gt_csv_delimiter_of(o->delimiter, &form->delimiter)) return true;
  gt_error_at(reader->diagnostics, gt_data_position(reader, "delimiter"), "this cannot be a delimiter")
      ->expected = GT_CSV_DELIMITERS;
  return false;
}

static bool open_csv(gt_data_reader *reader, const void *given) {
  const options *o = given;
  gt_dataset *dataset = reader->dataset;
  gt_csv train = {0}, test = {0};
  gt_csv_labels labels = {0};
  gt_csv_form form;
  gt_csv_inputs inputs;
  const gt_spec *named = gt_data_node(reader, "inputs", NULL);
  bool ok = gt_data_name_inputs(reader, named && named->kind == GT_SPEC_MAP ? named : NULL);
  const asked a = ok ? ask_config(reader, o) : (asked){0};
  ok = ok && read_form(reader, o, &a, &form);
  const gt_data_file train_file = gt_data_find_file(reader, gt_data_node(reader, "train", NULL));
  const gt_data_file test_file =
      o->test ? gt_data_find_file(reader, gt_data_node(reader, "test", NULL)) : (gt_data_file){0};
  if (!ok || !train_file.path || (o->test && !test_file.path)) return false;
  reader->train_name = train_file.path;
  reader->test_name = test_file.path;
  reader->test_fraction = o->test_fraction;
  gt_data_turn_to(reader, GT_PART_TRAIN, gt_data_are_own(&train_file, 1));
  ok = gt_csv_open(&train, train_file, &form, reader->error);
  report_doubt(reader, &train, "train");
  ok = ok && choose_columns(reader, a, &train, &inputs) && gt_csv_read(&train) &&
       (a.inputs || leave_out_nameless(reader, &train, &inputs)) &&
       gt_csv_read_targets(reader, &train, &labels, true, &dataset->train) &&
       gt_csv_move_inputs(&train, &inputs, dataset->input, dataset->train.input);
  if (ok && test_file.path) {
    gt_data_turn_to(reader, GT_PART_TEST, gt_data_are_own(&test_file, 1));
    ok = open_test(reader, test_file, &train, &inputs, form, &test) &&
         read_test(reader, &train, &inputs, &test, &labels);
  }
  gt_csv_close(&train);
  gt_csv_close(&test);
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
    .read_inputs = gt_csv_predict,
};
GT_REGISTER(data, csv)
