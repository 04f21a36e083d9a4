/* CSV: reads inputs for predictions, with the settings of the trained model. */
#include "base/log.h"
#include "data/table/table.h"
#include <inttypes.h>
#include <stdlib.h>

/* True if neither this file nor the training file has a header, and this one has more columns than the model
 * reads, such as the target. */
static bool has_training_columns(const gt_csv *csv, const gt_csv_inputs *inputs) {
  return !csv->header && inputs->names && csv->columns > inputs->count &&
         gt_csv_are_column_numbers(inputs->names, inputs->count, csv->columns);
}

/* Assigns the input columns by name. A file without matching names must have exactly the inputs as its
 * columns, or all columns of the training file. */
static bool assign_inputs(gt_table_file *file, const gt_csv_inputs *inputs) {
  const gt_csv *csv = &file->csv;
  bool by_name = gt_csv_matches_by_name(csv, inputs->names, inputs->count, "the model");
  if (!by_name && has_training_columns(csv, inputs)) {
    by_name = true;
    gt_warn(
        "%s:1:1: this file has %d columns; the %d with the numbers of the training file's inputs are read",
        csv->path, csv->columns, inputs->count);
  }
  if (by_name) return gt_table_assign(file, inputs->names, inputs->count, NULL, 0);
  for (int i = 0; i < csv->columns; i++) gt_table_use(file, GT_USE_INPUT, i);
  return csv->columns == inputs->count ||
         gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: this file has %d columns; the model expects %d", csv->path,
                 csv->columns, inputs->count);
}

static const char *setting(const gt_spec *data, const char *key) {
  const gt_spec *node = gt_spec_find(data, key);
  return node && node->kind == GT_SPEC_SCALAR && !gt_spec_is_null(node) ? node->scalar : NULL;
}

static bool is_choice(const char *const *choices, const char *text) {
  for (; *choices; choices++)
    if (!strcmp(*choices, text)) return true;
  return false;
}

/* How the file is written, by the settings that the model was trained with. */
static bool read_trained_form(const gt_data_signature *signature, const gt_csv_inputs *inputs,
                              gt_csv_form *form, gt_error *error) {
  const char *header = setting(signature->data, "header"), *delimiter = setting(signature->data, "delimiter"),
             *decimal = setting(signature->data, "decimal"), *skip = setting(signature->data, "skip");
  char *end = NULL;
  if (!header) header = "auto";
  *form = (gt_csv_form){.header = gt_csv_header_of(header),
                        .decimal = gt_csv_decimal_of(decimal),
                        .skip = skip ? strtol(skip, &end, 10) : 0,
                        .is_trained = true};
  if (inputs->names) form->known[0] = (gt_strings){.items = inputs->names, .count = inputs->count};
  if (!is_choice(gt_csv_headers, header))
    return gt_fail(error, GT_ERR_DATA, "data.header cannot be '%s'; expected auto, true or false", header);
  if (decimal && !is_choice(gt_csv_decimals, decimal))
    return gt_fail(error, GT_ERR_DATA, "data.decimal cannot be '%s'; expected point or comma", decimal);
  if (skip && (end == skip || *end || form->skip < 0))
    return gt_fail(error, GT_ERR_DATA, "data.skip cannot be '%s'; expected a number of lines", skip);
  return gt_csv_delimiter_of(delimiter, &form->delimiter) ||
         gt_fail(error, GT_ERR_DATA, "data.delimiter cannot be '%s'; expected %s", delimiter,
                 GT_CSV_DELIMITERS);
}

/* Reads the words for missing values that were used in training. */
static void read_missing_words(const gt_spec *data, gt_typed_table *typed, gt_arena *arena) {
  const gt_spec *words = gt_spec_find(data, "missing_values");
  if (gt_spec_is_null(words)) return;
  const int count = words->kind == GT_SPEC_SEQUENCE ? words->count : 1;
  const char **items = GT_NEW_N(arena, const char *, count + 1);
  for (int i = 0; i < count; i++) {
    const gt_spec *word = words->kind == GT_SPEC_SEQUENCE ? words->child[i] : words;
    items[i] = word->kind == GT_SPEC_SCALAR ? word->scalar : "";
  }
  typed->missing = (gt_strings){.items = items, .count = count};
  typed->has_missing_values = true;
}

static void report(void *to, gt_finding finding, const char *text, const char *help) {
  const gt_input_reader *reader = to;
  gt_diagnostics *diagnostics = reader->rows->diagnostics;
  if (diagnostics)
    gt_finding_at(diagnostics, finding, (gt_position){.file = reader->file[0]->path}, "%s", text)->help =
        gt_arena_strdup(diagnostics->arena, help);
  else
    gt_warn("%s: %s", reader->file[0]->path, text);
}

static bool store_inputs(gt_input_reader *reader, const gt_csv_inputs *inputs, const gt_typed_table *typed,
                         gt_arena *arena, gt_tensor *out) {
  const gt_data_signature *signature = reader->signature;
  for (int k = 0; k < signature->inputs; k++) {
    const gt_input *input = &signature->input[k];
    const gt_typed_use use = {typed, inputs->place[k], inputs->columns[k]};
    if (input->table && !gt_typed_store(&use, input->table, &out[k], input->element == GT_ELEMENT_I32, arena,
                                        report, reader, reader->error))
      return false;
  }
  return true;
}

/* Finds the column of the ids. False if the user named a column that the file does not have. */
static bool find_ids(gt_table_file *file, const gt_input_reader *reader) {
  const gt_csv *csv = &file->csv;
  const gt_row_ids *ids = &reader->rows->ids;
  if (reader->series || ids->column) return true;
  const char *name = ids->asked ? ids->asked : setting(reader->signature->data, "id");
  const int column = name ? gt_csv_find(csv, name) : -1;
  if (column >= 0) gt_table_use(file, GT_USE_ID, column);
  return column >= 0 || !ids->asked || gt_csv_fail_no_column(csv, name);
}

static void copy_ids(const gt_table_file *file, gt_row_ids *ids, gt_arena *arena) {
  const gt_table_column *column = gt_table_find(file, GT_USE_ID);
  if (!column) return;
  const char **text = GT_NEW_N(arena, const char *, file->rows);
  for (size_t i = 0; i < file->rows; i++)
    text[i] =
        gt_arena_strndup(arena, gt_table_cell(file, column, i)->text, gt_table_cell(file, column, i)->length);
  ids->text = text;
  ids->column = gt_arena_strdup(arena, gt_table_name(file, column));
}

bool gt_csv_predict(gt_input_reader *reader) {
  const gt_data_signature *signature = reader->signature;
  const char *path = reader->file[0]->path;
  gt_error *error = reader->error;
  gt_arena arena;
  gt_table_file file = {0};
  gt_csv_form form;
  gt_tensor input[GT_DATA_MAX_INPUTS] = {0};
  gt_arena_init(&arena);
  const gt_csv_inputs inputs = gt_csv_inputs_of(signature->input, signature->inputs, &arena);
  bool ok = read_trained_form(signature, &inputs, &form, error) &&
            gt_table_open(&file, (gt_data_file){.path = path}, &form, error);
  if (file.csv.doubt) gt_warn("%s", file.csv.doubt);
  if (form.skip && ok)
    gt_info("%s: skipped %" PRId64 " line%s, as in training; --set data.skip=0 reads %s", path, form.skip,
            form.skip == 1 ? "" : "s", form.skip == 1 ? "it" : "them");
  ok = ok && assign_inputs(&file, &inputs) && gt_csv_find_times(&file, reader) && find_ids(&file, reader);
  gt_typed_table typed = gt_typed_table_of_model(signature->input, signature->inputs, &arena);
  read_missing_words(signature->data, &typed, &arena);
  typed.may_lack = reader->series;
  if (ok) gt_csv_set_known_kinds(&file, &typed, inputs.whole);
  ok = ok && gt_table_read(&file) && gt_csv_type_values(&file, &typed, NULL, &arena) &&
       gt_csv_store_times(&file, &inputs, &typed, reader) &&
       gt_csv_move_inputs(&file, &inputs, signature->input, &typed, input) &&
       store_inputs(reader, &inputs, &typed, &arena, input);
  const char *filled = ok ? gt_csv_filled_gaps(&file, &typed, &arena) : NULL;
  if (filled) report(reader, GT_FINDING_filled_gaps, filled, GT_FILLED_GAPS_HELP);
  for (int k = 0; k < signature->inputs && ok; k++)
    ok = gt_data_fit_shape(path, &signature->input[k], &input[k], error);
  for (int k = 0; k < signature->inputs; k++) gt_split_add(reader->out, GT_SAMPLE_INPUT, k, input[k]);
  if (ok) copy_ids(&file, &reader->rows->ids, reader->rows->arena);
  gt_table_close(&file);
  gt_arena_finish(&arena);
  return ok;
}
