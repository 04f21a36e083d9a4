/* CSV: inputs for predictions, read as the config of the trained model says. */
#include "base/log.h"
#include "data/csv_facts.h"
#include <stdlib.h>

/* A file whose column names do not match must have exactly the inputs as its columns. */
static bool take_inputs(gt_csv *csv, const gt_csv_inputs *inputs) {
  if (gt_csv_goes_by_name(csv, inputs->names, inputs->count, "the model"))
    return gt_csv_take_columns(csv, inputs->names, inputs->count, NULL, 0);
  if (csv->columns != inputs->count)
    return gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: this file has %d columns; the model expects %d",
                   csv->path, csv->columns, inputs->count);
  for (int i = 0; i < csv->columns; i++) csv->role[i] = i;
  csv->inputs = csv->columns;
  return true;
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

/* Reads the settings of the form that the model was trained with. */
static bool taught_form(const gt_data_signature *signature, const gt_csv_inputs *inputs, gt_csv_form *form,
                        gt_error *error) {
  const char *header = setting(signature->data, "header"), *delimiter = setting(signature->data, "delimiter"),
             *decimal = setting(signature->data, "decimal"), *skip = setting(signature->data, "skip");
  char *end = NULL;
  if (!header) header = "auto";
  *form = (gt_csv_form){.header = gt_csv_header_of(header),
                        .decimal = gt_csv_decimal_of(decimal),
                        .skip = skip ? strtol(skip, &end, 10) : 0};
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

bool gt_csv_predict(const char *path, const gt_data_signature *signature, gt_tensor *out, gt_error *error) {
  gt_arena arena;
  gt_csv csv = {0};
  gt_csv_form form;
  gt_arena_init(&arena);
  const gt_csv_inputs inputs = gt_csv_inputs_of(signature->input, signature->inputs, &arena);
  bool ok = taught_form(signature, &inputs, &form, error) &&
            gt_csv_open(&csv, (gt_data_file){.path = path}, &form, error);
  if (csv.doubt) gt_warn("%s", csv.doubt);
  ok = ok && take_inputs(&csv, &inputs);
  csv.whole = inputs.whole;
  ok = ok && gt_csv_read(&csv) && gt_csv_check_cells(&csv, false, true) &&
       gt_csv_move_inputs(&csv, &inputs, signature->input, out);
  for (int k = 0; k < signature->inputs && ok; k++)
    ok = gt_data_fit(path, &signature->input[k], &out[k], error);
  gt_csv_close(&csv);
  gt_arena_finish(&arena);
  return ok;
}
