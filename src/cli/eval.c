#include "base/log.h"
#include "base/output.h"
#include "cli/common.h"
#include "cli/eval_classes.h"
#include "cli/lasting.h"
#include "cli/guess.h"
#include "cli/result_gates.h"
#include "train/eval/model_use.h"
#include "train/config/review.h"
#include "train/net/session.h"
#include "train/config/threshold.h"
#include <math.h>
#include <string.h>

static const char *const splits[] = {"train", "validation", "test", NULL};

static const gt_option options[] = {
    GT_OPTION_SET,
    {"data", "FILE", "evaluate on this file or folder, like --set data.test=FILE", false},
    GT_OPTION_DEVICE,
    GT_OPTION_REQUIRE_GPU,
    GT_OPTION_MEMORY_LIMIT,
    {"split", "NAME", "train, validation or test (default: test, else validation, else train)", false, 0,
     splits},
    {"per-class", NULL, "also print precision, recall and F1 of each class (--json always does)", false},
    {"confusion", "FILE", "write the confusion matrix to a .json, .csv or .png file", false},
    GT_OPTION_FAIL_IF,
    GT_OPTION_STRICT,
    GT_OPTION_QUIET,
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

static bool check_data_option(const gt_arguments *arguments, gt_error *error) {
  const char *data = gt_option_value(arguments, "data"), *split = gt_option_value(arguments, "split");
  if (!data) return true;
  if (split && strcmp(split, "test"))
    return gt_fail(error, GT_ERR_USAGE, "--data sets the test split, but --split %s does not use it", split);
  return gt_file_exists(data) || gt_fail(error, GT_ERR_IO, "--data: no such file or folder: %s", data);
}

/* GT_PART_NONE after an error. */
static int choose_split(const gt_arguments *arguments, const gt_config *config, gt_error *error) {
  const char *split = gt_option_value(arguments, "split");
  const gt_dataset *data = &config->dataset;
  if (!split) return gt_dataset_default_part(data);
  int part = 0;
  while (part < GT_PARTS && strcmp(split, gt_part_keys[part])) part++;
  if (part == GT_PARTS)
    gt_fail(error, GT_ERR_USAGE, "unknown split '%s'; expected train, validation or test%s", split,
            strncmp(split, "val", 3) ? "" : "; did you mean 'validation'?");
  else if (!gt_dataset_split(data, part))
    gt_fail(error, GT_ERR_USAGE, "this config's data has no %s split", split);
  return error->status ? GT_PART_NONE : part;
}

static bool evaluate(gt_session *session, const gt_model_file *file, int part, gt_evaluator *evaluator,
                     gt_results *results, gt_error *error) {
  return gt_session_place(session, NULL, 1u << part, error) &&
         gt_evaluator_open(session, evaluator, part, 0, error) &&
         gt_session_load_weights(session, evaluator->net->model->store, file, error) &&
         gt_evaluator_run(session, evaluator, results, error);
}

/* True if the loss counts items other than samples: pixels, for example. */
static bool has_items(const gt_config *config) {
  const gt_dataset *data = &config->dataset;
  return data->targets == 1 &&
         (data->target[0].ignores ||
          (data->target[0].classification && gt_split_target(&data->split[GT_PART_TRAIN], 0)->rank > 1));
}

/* With several targets, each has its own object: "classes_of": {"kind": {"macro": …, "classes": …}}. */
static void add_matrices(json_t *root, const gt_dataset *data, const gt_confusion_matrix *matrix) {
  if (data->targets == 1) {
    if (matrix->counts.count) gt_classes_add(root, matrix);
    return;
  }
  json_t *all = json_object();
  for (int k = 0; k < data->targets; k++) {
    if (!matrix[k].counts.count) continue;
    json_t *object = json_object();
    gt_classes_add(object, &matrix[k]);
    json_object_set_new(all, data->target[k].name, object);
  }
  json_object_set_new(root, "classes_of", all);
}

static void print_result(const gt_arguments *arguments, int part, const gt_results *results,
                         const gt_confusion_matrix *matrix, const gt_lasting *lasting,
                         const gt_config *config) {
  gt_arena *arena = arguments->arena;
  const gt_dataset *data = &config->dataset;
  const gt_baselines baselines = gt_baselines_of(config, gt_dataset_split(&config->dataset, part), arena);
  if (gt_flag(arguments, "json")) {
    json_t *root = json_object();
    json_object_set_new(root, "split", json_string(gt_part_keys[part]));
    json_object_set_new(root, "samples", json_integer(results->samples));
    if (has_items(config)) json_object_set_new(root, "items", json_integer((json_int_t)results->items));
    gt_json_add_results(root, results);
    if (config->threshold.used)
      json_object_set_new(root, "threshold",
                          gt_threshold_json(config->threshold.value, config->threshold.count));
    gt_classes_add_positive(root, config);
    gt_cli_add_baselines(root, results, config, &baselines);
    add_matrices(root, data, matrix);
    if (lasting->known) gt_cli_add_lasting(root, lasting);
    json_object_set_new(root, "findings", gt_cli_findings_json(&config->diagnostics));
    gt_cli_print_json(root);
    return;
  }
  for (int i = 0; config->threshold.used && i < config->threshold.count; i++)
    gt_info("threshold %.10g%s", config->threshold.value[i], gt_threshold_target_text(config, i, arena));
  printf("%s samples %lld", gt_part_keys[part], (long long)results->samples);
  if (has_items(config)) printf(" items %.15g", results->items);
  gt_cli_print_values(results, &baselines, false, arena);
  printf("\n");
  for (int k = 0; k < data->targets && gt_flag(arguments, "per-class"); k++) {
    if (matrix[k].counts.count && data->targets > 1) printf("%s\n", data->target[k].name);
    if (matrix[k].counts.count) gt_classes_print(&matrix[k]);
  }
  gt_cli_print_lasting(lasting);
  gt_cli_warn_of_guessing(config, gt_part_keys[part], results, &baselines, arena);
}

/* Computes the confusion matrices of all targets and writes --confusion. Fails if options ask for classes and
 * the model has none. */
static bool collect_confusion(const gt_arguments *arguments, gt_session *session,
                              const gt_evaluator *evaluator, gt_confusion_matrix *matrix, gt_error *error) {
  const char *file = gt_option_value(arguments, "confusion");
  const int targets = session->config->dataset.targets;
  int counted = 0, last = 0;
  for (int k = 0; k < targets; k++) {
    if (gt_evaluator_confusion(session, evaluator, k, arguments->arena, &matrix[k], error))
      counted++, last = k;
    if (error->status) return false;
  }
  if (counted > 1 && file)
    return gt_fail(error, GT_ERR_USAGE,
                   "--confusion writes the matrix of one target, and this model has %d with classes; --json "
                   "has the classes of all",
                   counted);
  if (counted) return !file || gt_confusion_write(&matrix[last], file, error);
  if (!file && !gt_flag(arguments, "per-class")) return true;
  return gt_fail(
      error, GT_ERR_USAGE,
      "--%s needs a classifier with an output for each of at most %d classes (loss: cross_entropy); one "
      "with loss: bce has metrics: [precision, recall, f1]",
      file ? "confusion" : "per-class", GT_METRIC_MAX_CLASSES);
}

/* A result that is not finite is an error, even without --fail-if. */
static bool check_finite(const char *model, int part, const gt_results *results, bool has_soft,
                         gt_error *error) {
  if (isfinite(gt_result_loss(results, GT_PLAIN)) &&
      (!has_soft || isfinite(gt_result_loss(results, GT_SOFT))))
    return true;
  return gt_fail(
      error, GT_ERR_DATA,
      "%s: the loss on the %s split is not finite, because the model's outputs for some samples are not",
      model, gt_part_keys[part]);
}

static bool read_model(const gt_arguments *arguments, gt_model_file *file, gt_config *config,
                       gt_error *error) {
  const char *confusion = gt_option_value(arguments, "confusion"),
             *split = gt_option_value(arguments, "split");
  const bool only_test = !split || !strcmp(split, gt_part_keys[GT_PART_TEST]);
  return (!confusion || gt_confusion_check_path(confusion, error)) && check_data_option(arguments, error) &&
         gt_cli_open_model(arguments, arguments->arena, arguments->word[0], only_test, file, config, error) &&
         gt_config_load_threshold(config, file);
}

/* Errors in the config are the user's only if --set caused them; otherwise the model file is wrong. */
static int report(const gt_arguments *arguments, gt_config *config, const gt_error *error) {
  const gt_diagnostics *d = &config->diagnostics;
  bool by_user = gt_flag(arguments, "set");
  const int code = d->errors ? gt_config_report(config, error) : gt_report(error);
  for (int i = 0; i < d->count; i++)
    by_user |= !d->items[i].finding && gt_position_is_override(d->items[i].at);
  return code == GT_ERR_CONFIG && !by_user ? GT_ERR_DATA : code;
}

/* Adds metrics for targets that are numbers: these have no accuracy, and their loss alone says little. */
static void add_regression_metrics(gt_config *config) {
  static const char *const names[] = {"rmse", "mae", "r2"};
  for (int k = 0; k < config->dataset.targets; k++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      gt_config_add_metric(config, k, gt_metric_find(names[i]));
}

static int run(const gt_arguments *arguments) {
  gt_model_file file = {0};
  gt_config config = {0};
  gt_session session = {0};
  gt_error error = {0};
  gt_evaluator evaluator;
  gt_results results;
  gt_gate *gates;
  uint64_t limit;
  int gate_count, code = GT_ERR_USAGE;
  bool shown = false;
  if (!gt_cli_result_gates(arguments, &gates, &gate_count) || !gt_cli_memory_limit(arguments, &limit))
    return GT_ERR_USAGE;
  if (!read_model(arguments, &file, &config, &error)) goto failed;
  if (!gt_cli_gates_apply(arguments, gates, gate_count, &config)) goto done;
  add_regression_metrics(&config);
  const int part = choose_split(arguments, &config, &error);
  if (part == GT_PART_NONE) goto failed;
  gt_model_file_check_data(&file, &config, part);
  gt_review_ranges(&file.signature, &config.dataset.split[part], gt_config_place_of_split(&config, part),
                   arguments->arena, &config.diagnostics);
  if ((code = gt_cli_findings(arguments, &config.diagnostics, GT_ERR_DATA))) goto refused;
  code = GT_ERR_USAGE;
  if (!gt_output_check(gt_option_value(arguments, "confusion"), &error)) goto failed;
  if (!gt_session_open(&session, &config, part, gt_cli_device(arguments), &error)) goto failed;
  session.model = &file;
  session.threshold = config.threshold.value;
  session.confusion = gt_flag(arguments, "json") || gt_flag(arguments, "per-class") ||
                      gt_option_value(arguments, "confusion");
  session.memory_limit = limit;
  if (!evaluate(&session, &file, part, &evaluator, &results, &error)) goto failed;
  gt_confusion_matrix matrix[GT_DATA_MAX_TARGETS];
  if (!collect_confusion(arguments, &session, &evaluator, matrix, &error)) goto failed;
  gt_lasting lasting;
  if (!gt_cli_measure_lasting(&lasting, &file, &config.dataset, &error)) goto failed;
  print_result(arguments, part, &results, matrix, &lasting, &config);
  shown = true;
  if (!check_finite(file.path, part, &results, evaluator.hard != NULL, &error)) goto failed;
  code = gt_cli_check_gates(gates, gate_count, &results);
  goto done;
failed:
  code = report(arguments, &config, &error);
refused:
  if (!shown) gt_cli_print_failure(arguments, &config.diagnostics, &error, code);
done:
  gt_session_close(&session);
  gt_config_finish(&config);
  gt_model_file_finish(&file);
  return code;
}

GT_DEFINE(command, eval) = {
    .name = "eval",
    .summary = "evaluate a trained model",
    .usage = "MODEL [options]",
    .details =
        "MODEL is a model.bin or a run directory. The config inside it names the data. --set replaces\n"
        "values of that config, for example to evaluate on other data: --set data.test=FILE. With a test\n"
        "file, no other file is read. Columns and classes are matched by the names that the model knows.\n"
        "Metrics are loss, accuracy and samples. Loss 'pde' also has rmse, the distance from the targets,\n"
        "which it uses only for this metric. For logic gates, loss and accuracy are those of the circuit,\n"
        "and soft_loss and soft_accuracy those of the mixtures that were trained.\n"
        "\n"
        "For a class, precision is the fraction of its predictions that are correct, recall the fraction\n"
        "of its samples that are found, and f1 the harmonic mean of both; the row mean (macro in JSON) is the mean over\n"
        "the classes that occur as a label or a prediction: precision_macro, recall_macro and f1_macro. A\n"
        "confusion matrix has a row for each label and a column for each predicted class.\n"
        "\n"
        "For a cellular automaton with a checkerboard or a picture as its target, eval also counts the\n"
        "wrong cells after 1, 2, 4 and 10 times the steps of the training, which shows whether the pattern\n"
        "is stable. The circuit runs from the config's start, 10 times if it is random.\n"
        "\n"
        "A model may come from anyone. Unless it is still in the run directory to which a run of yours\n"
        "wrote it, the files that its config names are listed before they are read, must be regular files,\n"
        "and their contents are never shown. Files named by --set are trusted.\n",
    .examples = {"gtrain eval runs/digits/model.bin",
                 "gtrain eval runs/digits/model.bin --per-class --fail-if 'accuracy<0.9'"},
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
