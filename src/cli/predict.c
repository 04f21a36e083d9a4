#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/stream.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/predict_class.h"
#include "cli/predict_forecast.h"
#include "cli/predict_inputs.h"
#include "cli/predict_pictures.h"
#include "train/eval/predict.h"
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

/* The names of the samples: of their files, the ids of a table's rows, or the groups of a time series. */
typedef struct row_names {
  bool are_files;            /* names are those of files */
  const char *key;           /* key of a name in a JSON object */
  const char *column;        /* column of the names in a CSV file */
  const char *const *name;   /* [samples]; NULL: samples have no names */
  gt_forecast_rows forecast; /* of a time series */
} row_names;

static const char *name_of(const row_names *names, int64_t row) {
  return names->name ? names->name[row] : NULL;
}

/* Writes the class and its probability, or the values. */
static void write_prediction(FILE *stream, const gt_model_file *file, int index, const float *row,
                             int64_t count) {
  if (!gt_is_classifier(file, index, count)) {
    for (int64_t i = 0; i < count; i++) fprintf(stream, "%s%.9g", i ? " " : "", (double)row[i]);
    return;
  }
  const gt_predicted_class a = gt_predicted_class_of(file, index, row, count);
  if (a.name)
    gt_put_text(stream, a.name);
  else
    fprintf(stream, "%lld", (long long)a.class);
  fprintf(stream, " %.4f", a.probability);
}

/* Writes a line for a sample: its name, if it has one, then its predictions. If there are several targets,
 * each prediction follows the name of its target. */
static void write_text_row(FILE *stream, const gt_model_file *file, const char *name,
                           const gt_prediction *prediction, int64_t sample) {
  if (name) gt_put_text(stream, name), fputs(": ", stream);
  for (int k = 0; k < prediction->targets; k++) {
    const gt_tensor *outputs = &prediction->outputs[k];
    if (k) fputs("  ", stream);
    if (prediction->targets > 1) fprintf(stream, "%s ", file->signature.target[k].name);
    write_prediction(stream, file, k, gt_output_row(outputs, sample), gt_tensor_features(outputs));
  }
  fputs("\n", stream);
}

/* The names of the boolean columns whose probability is above their threshold; NULL unless all columns are
 * boolean. */
static json_t *labels_json(const gt_model_file *file, int index, const float *row, int64_t count) {
  if (count < 2) return NULL;
  json_t *names = json_array();
  for (int64_t i = 0; i < count; i++) {
    if (!gt_is_probability(file, index, count, i)) return json_decref(names), NULL;
    if ((double)row[i] > gt_output_threshold(file, i))
      json_array_append_new(names, json_string(file->signature.target[index].columns[i]));
  }
  return names;
}

/* Adds "class" and "name", or "labels", and "outputs". */
static void add_prediction(json_t *root, const gt_model_file *file, int index, const float *row,
                           int64_t count) {
  json_t *values = json_array();
  for (int64_t i = 0; i < count; i++) json_array_append_new(values, gt_json_real((double)row[i]));
  if (gt_is_classifier(file, index, count)) {
    const gt_predicted_class a = gt_predicted_class_of(file, index, row, count);
    json_object_set_new(root, "class", json_integer(a.class));
    if (a.name) json_object_set_new(root, "name", json_string(a.name));
  }
  json_t *labels = labels_json(file, index, row, count);
  if (labels) json_object_set_new(root, "labels", labels);
  json_object_set_new(root, "outputs", values);
}

/* With several targets, each has its own object: {"load": {"outputs": [3]}, "kind": {"class": 1, …}}. */
static void write_json_row(FILE *stream, const gt_model_file *file, const char *key, const char *name,
                           const gt_prediction *prediction, int64_t sample) {
  json_t *root = json_object();
  if (name) json_object_set_new(root, key, json_string(name));
  for (int k = 0; k < prediction->targets; k++) {
    const gt_tensor *outputs = &prediction->outputs[k];
    json_t *to = prediction->targets > 1 ? json_object() : root;
    add_prediction(to, file, k, gt_output_row(outputs, sample), gt_tensor_features(outputs));
    if (to != root) json_object_set_new(root, file->signature.target[k].name, to);
  }
  gt_cli_write_json(stream, root);
}

/* Writes every sample as text, JSON lines, or a JSON array of the same objects. */
static void write_rows(FILE *stream, output_format format, const gt_model_file *file, const row_names *names,
                       const gt_prediction *prediction) {
  const gt_tensor *outputs = &prediction->outputs[0];
  const int64_t rows = outputs->dim[0];
  if (gt_is_forecast(file, &names->forecast, outputs)) {
    if (format == TEXT)
      gt_forecast_write_text(stream, file, &names->forecast, outputs);
    else
      gt_forecast_write_json(stream, format == JSON, file, &names->forecast, outputs);
    return;
  }
  if (format == JSON) fputs("[\n", stream);
  for (int64_t i = 0; i < rows; i++) {
    if (format == TEXT)
      write_text_row(stream, file, name_of(names, i), prediction, i);
    else
      write_json_row(stream, file, names->key, name_of(names, i), prediction, i);
    if (format != TEXT) fputs(format == JSON && i + 1 < rows ? ",\n" : "\n", stream);
  }
  if (format == JSON) fputs("]\n", stream);
}

static bool write_json_file(const char *path, output_format format, const gt_model_file *file,
                            const row_names *names, const gt_prediction *prediction, gt_error *error) {
  gt_text text = {0};
  FILE *stream = gt_text_open(&text);
  write_rows(stream, format, file, names, prediction);
  fclose(stream);
  const bool ok = gt_write_output(path, &(gt_span){text.items, text.count}, 1, error);
  free(text.items);
  return ok;
}

static bool write_outputs(const gt_model_file *file, const char *path, output_format format,
                          const row_names *names, const gt_prediction *prediction, gt_error *error) {
  const gt_tensor *outputs = &prediction->outputs[0];
  const bool several = prediction->targets > 1;
  const gt_text_column id = {names->column, names->name};
  if (several && (format == PICTURES || format == NPY))
    return gt_fail(error, GT_ERR_USAGE,
                   "%s holds one array, and the model predicts %d targets; write a .csv, "
                   ".json or .jsonl file",
                   path, prediction->targets);
  if (format == PICTURES) /* ids are not file names */
    return gt_predict_write_pictures(path, outputs, names->are_files ? names->name : NULL, error);
  if (format == NPY) return gt_data_write_npy(path, outputs, error);
  if (format == CSV && gt_is_forecast(file, &names->forecast, outputs))
    return gt_forecast_write_csv(path, file, &names->forecast, outputs, error);
  if (format == CSV && several) return gt_predict_write_targets_csv(path, file, &id, prediction, error);
  if (format == CSV) return gt_predict_write_csv(path, file, &id, outputs, error);
  return write_json_file(path, format, file, names, prediction, error);
}

static bool read_inputs(const gt_arguments *arguments, gt_arena *arena, gt_model_file *file,
                        gt_tensor *inputs, row_names *names, size_t *skipped, gt_diagnostics *diagnostics,
                        gt_error *error) {
  static const char *const settings[] = {
      "data.header=", "data.delimiter=", "data.decimal=", "data.skip=", "quiet=", NULL};
  if (!gt_model_file_read(file, gt_model_path(arena, arguments->word[0], error), error) ||
      !gt_model_file_check(file, error) ||
      !gt_cli_model_data(arguments, arena, file, settings, &file->signature.data, diagnostics, error))
    return false;
  gt_row_ids ids = {.asked = gt_option_value(arguments, "id"), .arena = arena};
  const bool series = file->signature.input[0].window;
  *names = (row_names){.are_files = true, .key = "file", .column = "file", .forecast = {.arena = arena}};
  if (series && ids.asked)
    return gt_fail(error, GT_ERR_USAGE, "--id names rows, and this model forecasts from windows of rows");
  if (!series) file->signature.ids = &ids;
  file->signature.forecast = &names->forecast;
  file->signature.diagnostics = diagnostics;
  const bool ok =
      gt_predict_read_inputs(arguments, arena, &file->signature, inputs, &names->name, skipped, error);
  file->signature.ids = NULL;
  file->signature.forecast = NULL;
  file->signature.diagnostics = NULL;
  if (ids.column) *names = (row_names){.key = "id", .column = ids.column, .name = ids.text};
  if (series && names->forecast.group) {
    names->are_files = false;
    names->key = "group";
    names->column = names->forecast.group_column;
    names->name = names->forecast.group;
  }
  if (ok && ids.asked && !ids.column)
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
static int review(const gt_arguments *arguments, const gt_model_file *file, const gt_tensor *inputs,
                  gt_arena *arena, gt_diagnostics *diagnostics) {
  const char *first = arguments->words > 1 ? arguments->word[1] : gt_option_value(arguments, "input");
  if (!strcmp(first, "-")) first = GT_STDIN;
  gt_review_ranges(&file->signature, inputs, (gt_position){.file = first}, arena, diagnostics);
  if (gt_flag(arguments, "json")) write_findings(diagnostics);
  return gt_cli_findings(arguments, diagnostics, GT_ERR_DATA);
}

static bool is_finite_sample(const gt_prediction *prediction, int64_t sample) {
  for (int k = 0; k < prediction->targets; k++) {
    const float *row = gt_output_row(&prediction->outputs[k], sample);
    for (int64_t i = 0; i < gt_tensor_features(&prediction->outputs[k]); i++)
      if (!isfinite(row[i])) return false;
  }
  return true;
}

/* Fails if a value is not finite. Such values have been written, in JSON as null. */
static bool check_finite(const gt_model_file *file, const row_names *names, const gt_prediction *prediction,
                         gt_error *error) {
  const int64_t samples = prediction->outputs[0].dim[0];
  char number[32];
  int64_t bad = 0, first = 0;
  for (int64_t s = samples - 1; s >= 0; s--)
    if (!is_finite_sample(prediction, s)) bad++, first = s;
  snprintf(number, sizeof number, "sample %lld", (long long)first);
  return !bad ||
         gt_fail(error, GT_ERR_DATA,
                 "%s: the outputs for %lld of %lld samples are not finite, the first for %s", file->path,
                 (long long)bad, (long long)samples, names->name ? names->name[first] : number);
}

/* Writes the results to standard output or a file. False if that fails or a value is not finite. */
static bool write_results(const gt_arguments *arguments, output_format format, const gt_model_file *file,
                          const row_names *names, const gt_prediction *prediction, gt_error *error) {
  const char *output = gt_option_value(arguments, "output");
  const gt_tensor *outputs = &prediction->outputs[0];
  if (output && !write_outputs(file, output, format, names, prediction, error)) return false;
  if (output && gt_is_forecast(file, &names->forecast, outputs))
    gt_info("%lld forecast%s of %lld row%s written to %s", (long long)outputs->dim[0],
            outputs->dim[0] == 1 ? "" : "s", (long long)names->forecast.horizon,
            names->forecast.horizon == 1 ? "" : "s", gt_output_name(output));
  else if (output)
    gt_info("%lld predictions written to %s", (long long)outputs->dim[0], gt_output_name(output));
  else
    write_rows(stdout, format, file, names, prediction);
  return check_finite(file, names, prediction, error);
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
  gt_tensor inputs[GT_DATA_MAX_INPUTS] = {0};
  gt_prediction prediction = {0};
  gt_error error = {0};
  row_names names = {0};
  size_t skipped = 0;
  output_format format;
  uint64_t limit;
  int code = GT_OK;
  if (arguments->words < 2 && !gt_option_value(arguments, "input"))
    return gt_usage_error(arguments, "gtrain predict needs an input FILE");
  if (!choose_format(arguments, &format) || !gt_cli_memory_limit(arguments, &limit)) return GT_ERR_USAGE;
  gt_arena_init(&arena);
  gt_diagnostics_init(&diagnostics, &arena);
  const bool ok = read_inputs(arguments, &arena, &file, inputs, &names, &skipped, &diagnostics, &error);
  if (ok && (code = review(arguments, &file, inputs, &arena, &diagnostics))) goto done;
  if (!ok || !gt_predict(&file, inputs, gt_cli_device(arguments), limit, &prediction, &error) ||
      !write_results(arguments, format, &file, &names, &prediction, &error))
    code = gt_cli_model_report(arguments, &diagnostics, &error);
  else
    code = report_skipped(skipped, &names.forecast, &prediction.outputs[0]);
done:
  gt_prediction_finish(&prediction);
  for (int k = 0; k < GT_DATA_MAX_INPUTS; k++) gt_tensor_finish(&inputs[k]);
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
        "A binary classifier with a threshold (eval.threshold) names the positive class if its probability is above it.\n"
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
