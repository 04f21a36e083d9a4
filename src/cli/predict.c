#include "base/log.h"
#include "cli/common.h"
#include "train/predict.h"
#include <stdlib.h>
#include <string.h>

static const gt_option options[] = {
    {"input", "FILE", "inputs: idx, npy or csv, .gz too (required)", false},
    {"output", "FILE", "write the model's outputs to it: .npy, else CSV", false},
    {"set", "KEY=VALUE", "how a CSV is written, if not as the training data: data.header, data.delimiter",
     true},
    GT_OPTION_DEVICE,
    GT_OPTION_QUIET,
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

static int64_t largest(const float *row, int64_t count) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; i++)
    if (row[i] > row[best]) best = i;
  return best;
}

/* A line a sample: the class and its probability, or the values. */
static void print_row(const gt_model_file *file, const float *row, int64_t count, bool classes) {
  if (classes) {
    const int64_t best = largest(row, count);
    if (file->class_names)
      printf("%s %.4f\n", file->class_names[best], (double)row[best]);
    else
      printf("%lld %.4f\n", (long long)best, (double)row[best]);
    return;
  }
  for (int64_t i = 0; i < count; i++) printf("%s%.9g", i ? " " : "", (double)row[i]);
  printf("\n");
}

static void print_json_row(const gt_model_file *file, const float *row, int64_t count, bool classes) {
  json_t *root = json_object(), *values = json_array();
  for (int64_t i = 0; i < count; i++) json_array_append_new(values, gt_json_real((double)row[i]));
  if (classes) {
    const int64_t best = largest(row, count);
    json_object_set_new(root, "class", json_integer(best));
    if (file->class_names) json_object_set_new(root, "name", json_string(file->class_names[best]));
  }
  json_object_set_new(root, "outputs", values);
  gt_cli_print_json(root);
}

static bool write_outputs(const gt_model_file *file, const char *path, const gt_tensor *outputs,
                          gt_error *error) {
  const size_t length = strlen(path);
  const int64_t values = gt_tensor_features(outputs);
  if (length > 4 && !strcmp(path + length - 4, ".npy")) return gt_data_write_npy(path, outputs, error);
  const char *const *names = file->classes == values && file->class_names ? file->class_names : NULL;
  if (!file->classes && file->target_names) names = file->target_names;
  return gt_data_write_csv(path, outputs, names, error);
}

static bool read_inputs(const gt_arguments *arguments, gt_arena *arena, gt_model_file *file,
                        gt_tensor *inputs, gt_diagnostics *diagnostics, gt_error *error) {
  static const char *const settings[] = {"data.header=", "data.delimiter=", NULL};
  return gt_model_file_read(file, arguments->word[0], error) &&
         gt_cli_model_data(arguments, arena, file, settings, &file->signature.data, diagnostics, error) &&
         gt_data_read_inputs(gt_option_value(arguments, "input"), &file->signature, inputs, error);
}

static int run(const gt_arguments *arguments) {
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_model_file file = {0};
  gt_tensor inputs = {0};
  gt_prediction prediction = {0};
  gt_error error = {0};
  int code = GT_OK;
  const char *output = gt_option_value(arguments, "output");
  if (!gt_option_value(arguments, "input"))
    return gt_usage_error(arguments, "gtrain predict needs --input FILE");
  gt_arena_init(&arena);
  gt_diagnostics_init(&diagnostics, &arena);
  if (!read_inputs(arguments, &arena, &file, &inputs, &diagnostics, &error) ||
      !gt_predict(&file, &inputs, gt_option_value(arguments, "device"), &prediction, &error) ||
      (output && !write_outputs(&file, output, &prediction.outputs, &error))) {
    code = gt_cli_model_report(arguments, &diagnostics, &error);
  } else if (!output) {
    const int64_t values = gt_tensor_features(&prediction.outputs);
    const bool classes = file.classes > 1 && values == file.classes;
    for (int64_t i = 0; i < prediction.outputs.dim[0]; i++) {
      const float *row = (const float *)prediction.outputs.data + i * values;
      if (gt_flag(arguments, "json"))
        print_json_row(&file, row, values, classes);
      else
        print_row(&file, row, values, classes);
    }
  } else {
    gt_info("%lld predictions in %s", (long long)prediction.outputs.dim[0], output);
  }
  gt_tensor_finish(&prediction.outputs);
  gt_tensor_finish(&inputs);
  gt_model_file_finish(&file);
  gt_arena_finish(&arena);
  return code;
}

GT_REGISTER(command, predict)
extern const gt_command gt_command_predict;
const gt_command gt_command_predict = {
    .name = "predict",
    .summary = "apply a trained model to inputs",
    .usage = "MODEL --input FILE [options]",
    .details =
        "Without --output: a line for each sample, the class and its probability, or the outputs. With\n"
        "--json: an object for each sample. A CSV is read as the training data was: with its delimiter and\n"
        "header, columns by their names.\n",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
