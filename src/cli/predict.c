#include "base/file.h"
#include "base/log.h"
#include "base/output.h"
#include "base/stream.h"
#include "cli/common.h"
#include "cli/predict_inputs.h"
#include "cli/predict_pictures.h"
#include "cli/prediction_table.h"
#include "train/config/review.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const gt_option options[] = {
    {"input", "FILE", "input file, instead of FILE; for several inputs, NAME=FILE for each", true},
    {"output", "FILE",
     "write the model's outputs to a .csv, .npy, .json or .jsonl file, or as PNGs to FOLDER/; - is standard output",
     false, 'o'},
    {"id", "COLUMN", "column of FILE that names each row, written before its result (default: data.id)",
     false},
    {"set", "data.KEY=VALUE",
     "format of a CSV unlike the training data: data.header, data.delimiter, data.decimal, data.skip; or "
     "quiet=[NAME]",
     true, 's'},
    GT_OPTION_DEVICE,
    GT_OPTION_REQUIRE_GPU,
    GT_OPTION_MEMORY_LIMIT,
    GT_OPTION_STRICT,
    GT_OPTION_QUIET,
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

typedef enum output_format { TEXT, CSV, NPY, JSON, JSONL, PICTURES } output_format;

/* Chooses the format by the extension of --output or, without one (/dev/stdout, for example), by --json. */
static bool choose_format(const gt_arguments *arguments, output_format *format) {
  static const char *const endings[] = {[CSV] = ".csv", [NPY] = ".npy", [JSON] = ".json", [JSONL] = ".jsonl"};
  const char *output = gt_option_value(arguments, "output"), *slash = output ? strrchr(output, '/') : NULL;
  const char *name = slash ? slash + 1 : output, *dot = name ? strrchr(name, '.') : NULL;
  const bool folder = output && slash && !slash[1];
  *format = folder ? PICTURES : gt_flag(arguments, "json") ? JSONL : output ? CSV : TEXT;
  if (!dot || dot == name) return true;
  for (*format = CSV; *format <= JSONL; ++*format)
    if (!strcasecmp(dot, endings[*format])) return true;
  gt_usage_error(
      arguments,
      "--output '%s': FILE must end in .csv, .npy, .json or .jsonl (for images, in /), not in '%s'", output,
      dot);
  return false;
}

static void write_table(FILE *stream, output_format format, const gt_prediction_table *table) {
  if (format == TEXT)
    gt_prediction_write_text(stream, table);
  else if (format == CSV)
    gt_prediction_write_csv(stream, table);
  else
    gt_prediction_write_json(stream, table, format == JSON);
}

static bool write_outputs(const char *path, output_format format, const gt_prediction_table *table,
                          gt_error *error) {
  const gt_prediction *prediction = table->prediction;
  const gt_tensor *outputs = &prediction->outputs[0];
  gt_text text = {0};
  if (prediction->targets > 1 && (format == PICTURES || format == NPY))
    return gt_fail(error, GT_ERR_USAGE,
                   "%s holds one array, and the model predicts %d targets; write a .csv, "
                   ".json or .jsonl file",
                   path, prediction->targets);
  if (format == PICTURES) /* ids are not file names */
    return gt_predict_write_pictures(path, outputs, table->names->are_files ? table->names->name : NULL,
                                     error);
  if (format == NPY) return gt_data_write_npy(path, outputs, error);
  FILE *stream = gt_text_open(&text);
  write_table(stream, format, table);
  fclose(stream);
  const bool ok = gt_write_output(path, &(gt_span){text.items, text.count}, 1, error);
  free(text.items);
  return ok;
}

static bool read_inputs(const gt_arguments *arguments, gt_arena *arena, gt_model_file *file, gt_split *inputs,
                        gt_row_names *names, gt_input_rows *rows, size_t *skipped,
                        gt_diagnostics *diagnostics, gt_error *error) {
  static const char *const settings[] = {
      "data.header=", "data.delimiter=", "data.decimal=", "data.skip=", "quiet=", NULL};
  if (!gt_model_file_read(file, gt_model_path(arena, arguments->word[0], error), error) ||
      !gt_model_file_check(file, error) ||
      !gt_cli_model_data(arguments, arena, file, settings, &file->signature.data, diagnostics, error))
    return false;
  *rows = (gt_input_rows){
      .ids.asked = gt_option_value(arguments, "id"), .diagnostics = diagnostics, .arena = arena};
  const gt_row_ids *ids = &rows->ids;
  const gt_forecast_rows *forecast = &rows->forecast;
  const bool series = file->signature.input[0].window;
  *names = (gt_row_names){.are_files = true, .key = "file", .column = "file"};
  if (series && ids->asked)
    return gt_fail(error, GT_ERR_USAGE, "--id names rows, and this model forecasts from windows of rows");
  const bool ok =
      gt_predict_read_inputs(arguments, arena, &file->signature, rows, inputs, &names->name, skipped, error);
  if (ids->column) *names = (gt_row_names){.key = "id", .column = ids->column, .name = ids->text};
  if (series && forecast->group)
    *names = (gt_row_names){.key = "group", .column = forecast->group_column, .name = forecast->group};
  if (ok && ids->asked && !ids->column)
    return gt_fail(error, GT_ERR_USAGE, "--id needs an input file that is a CSV");
  return ok && gt_output_check(gt_option_value(arguments, "output"), error);
}

/* Prints each finding as a line of JSON to stderr, because --json prints results as lines, too. */
static void write_findings(gt_diagnostics *diagnostics) {
  json_t *list = gt_cli_findings_json(diagnostics), *row;
  size_t i;
  json_array_foreach(list, i, row) {
    gt_cli_write_json(stderr, json_pack("{s:O}", "finding", row));
    fputc('\n', stderr);
  }
  for (int k = 0; k < diagnostics->count; k++)
    diagnostics->items[k].shown |= diagnostics->items[k].finding != 0;
  json_decref(list);
}

/* Warns about samples unlike the training data. GT_OK, or the exit code with --strict. */
static int review(const gt_arguments *arguments, const gt_model_file *file, const gt_split *inputs,
                  gt_arena *arena, gt_diagnostics *diagnostics) {
  const char *first = arguments->words > 1 ? arguments->word[1] : gt_option_value(arguments, "input");
  if (!strcmp(first, "-")) first = GT_STDIN;
  gt_review_ranges(&file->signature, inputs, (gt_position){.file = first}, arena, diagnostics);
  if (gt_flag(arguments, "json")) write_findings(diagnostics);
  return gt_cli_findings(arguments, diagnostics, GT_ERR_DATA);
}

static bool is_finite_sample(const gt_prediction *prediction, int64_t sample) {
  for (int k = 0; k < prediction->targets; k++) {
    const float *row = gt_tensor_sample(&prediction->outputs[k], sample);
    for (int64_t i = 0; i < gt_tensor_features(&prediction->outputs[k]); i++)
      if (!isfinite(row[i])) return false;
  }
  return true;
}

/* Fails if a value is not finite. Such values have been written, in JSON as null. */
static bool check_finite(const gt_prediction_table *table, gt_error *error) {
  const char *const *names = table->names->name;
  const int64_t samples = table->prediction->outputs[0].dim[0];
  char number[32];
  int64_t bad = 0, first = 0;
  for (int64_t s = samples - 1; s >= 0; s--)
    if (!is_finite_sample(table->prediction, s)) bad++, first = s;
  snprintf(number, sizeof number, "sample %lld", (long long)first);
  return !bad ||
         gt_fail(error, GT_ERR_DATA,
                 "%s: the outputs for %lld of %lld samples are not finite, the first for %s",
                 table->file->path, (long long)bad, (long long)samples, names ? names[first] : number);
}

/* Writes the results to standard output or a file. False if that fails or a value is not finite. */
static bool write_results(const gt_arguments *arguments, output_format format,
                          const gt_prediction_table *table, gt_error *error) {
  const char *output = gt_option_value(arguments, "output");
  const long long samples = (long long)table->prediction->outputs[0].dim[0], steps = (long long)table->steps;
  if (output && !write_outputs(output, format, table, error)) return false;
  if (!output)
    write_table(stdout, format, table);
  else if (steps)
    gt_info("%lld forecast%s of %lld row%s written to %s", samples, samples == 1 ? "" : "s", steps,
            steps == 1 ? "" : "s", gt_output_name(output));
  else
    gt_info("%lld predictions written to %s", samples, gt_output_name(output));
  return check_finite(table, error);
}

/* Fails if images were skipped or groups have no forecast; the results of the others have been written. */
static int report_skipped(size_t skipped, const gt_forecast_rows *forecast, const gt_tensor *outputs) {
  if (!skipped && !forecast->missing) return GT_OK;
  if (skipped)
    gt_log_error("%zu of %zu images could not be read", skipped, skipped + (size_t)outputs->dim[0]);
  else
    gt_log_error("%lld of %lld groups %s no forecast", (long long)forecast->missing,
                 (long long)(forecast->missing + forecast->series), forecast->missing == 1 ? "has" : "have");
  return GT_ERR_DATA;
}

static int run(const gt_arguments *arguments) {
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_model_file file = {0};
  gt_split inputs = {0};
  gt_prediction prediction = {0};
  gt_error error = {0};
  gt_row_names names = {0};
  gt_input_rows rows = {0};
  gt_prediction_table table = {0};
  size_t skipped = 0;
  output_format format;
  uint64_t limit;
  int code = GT_OK;
  if (arguments->words < 2 && !gt_option_value(arguments, "input"))
    return gt_usage_error(arguments, "gtrain predict needs an input FILE");
  if (!choose_format(arguments, &format) || !gt_cli_memory_limit(arguments, &limit)) return GT_ERR_USAGE;
  gt_arena_init(&arena);
  gt_diagnostics_init(&diagnostics, &arena);
  bool ok = read_inputs(arguments, &arena, &file, &inputs, &names, &rows, &skipped, &diagnostics, &error);
  if (ok && (code = review(arguments, &file, &inputs, &arena, &diagnostics))) goto done;
  ok = ok && gt_predict(&file, &inputs, gt_cli_device(arguments), limit, &prediction, &error);
  if (ok) table = gt_prediction_table_make(&file, &names, &rows.forecast, &prediction, &arena);
  if (!ok || !write_results(arguments, format, &table, &error))
    code = gt_cli_model_report(arguments, &diagnostics, &error);
  else
    code = report_skipped(skipped, &rows.forecast, &prediction.outputs[0]);
done:
  free(table.items);
  gt_prediction_finish(&prediction);
  gt_split_finish(&inputs);
  gt_model_file_finish(&file);
  gt_arena_finish(&arena);
  return code;
}

GT_REGISTER(command, predict)
extern const gt_command gt_command_predict;
const gt_command gt_command_predict = {
    .name = "predict",
    .summary = "apply a trained model to inputs",
    .usage = "MODEL FILE... [options]",
    .details =
        "MODEL is a model.bin or a run directory.\n"
        "FILE is an idx, npy, npz or csv file (.gz, too) of many samples; or an image (.png, .jpg), which is\n"
        "one sample, prepared as in training; or a folder, for all images in it and below it, in order of\n"
        "their names; or - for standard input. The result for an image follows the image's name; a CSV\n"
        "has it in its first column, file. Of several images, those that cannot be read are skipped with a\n"
        "warning, and the exit code is then 65.\n"
        "Without --output, prints a line for each sample: the class and its probability, or the outputs.\n"
        "A binary classifier with a threshold (eval.threshold) names its positive class (\"positive\" in JSON)\n"
        "if the probability of that class is above it.\n"
        "With --json, prints an object for each sample, and {\"finding\": ...} on stderr for each warning;\n"
        "a .jsonl file holds the lines of the samples, a .json file an array of them. An output FILE\n"
        "without an extension (such as /dev/stdout) gets CSV or, with --json, lines of JSON.\n"
        "An input CSV is read with the data.header, data.delimiter, data.decimal and data.skip of the\n"
        "training; columns are matched by name. A model with several inputs takes one CSV with the columns\n"
        "of all of them, or --input NAME=FILE for each.\n"
        "A CSV of a classifier has the column class and, for each class, a column with its name and the\n"
        "probabilities; other CSV files have a column for each target. For a boolean target (loss: bce), it\n"
        "holds the predicted word, and a further column TARGET=WORD the probability of that word. With several named\n"
        "targets, the class of a target is in the column of its name, and its probabilities in NAME=CLASS;\n"
        "JSON has an object for each target. Before them comes the id column:\n"
        "--id, else data.id of the training if FILE has that column. Ids are copied as they are; JSON has\n"
        "them as \"id\", a line of text as ID: CLASS.\n"
        "A model of a time series (data.series) forecasts from the last window of each group: FILE needs the\n"
        "columns of time and group, too. There is a row for each step ahead: group, time, step, targets. If it\n"
        "reads columns that are known ahead (data.future), the last rows of each group are those ahead. If a\n"
        "group has no forecast, because its last rows have a gap or are too few, a warning says so, those of\n"
        "the other groups are written, and the exit code is then 65.\n"
        "--device auto takes the CPU for a few samples, without looking for a GPU.\n"
        "Outputs that are not finite are written, as null in JSON, and the exit code is then 65.\n",
    .examples = {"gtrain predict runs/digits/model.bin datasets/digits/digits.csv",
                 "gtrain predict runs/digits/model.bin datasets/digits/digits.csv --output digits.csv"},
    .options = options,
    .min_words = 1,
    .max_words = INT_MAX,
    .run = run,
};
