#include "base/log.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/eval_classes.h"
#include "cli/explain_columns.h"
#include "cli/explain_model.h"
#include "cli/guess.h"
#include "cli/result_gates.h"
#include "base/time.h"
#include "train/file/model_file.h"
#include "train/run/signals.h"
#include <stdlib.h>
#include <string.h>

static const gt_option options[] = {
    GT_OPTION_SET,
    GT_OPTION_DEVICE,
    GT_OPTION_REQUIRE_GPU,
    GT_OPTION_MEMORY_LIMIT,
    {"run-dir", "DIR", "run directory to write (default: runs/CONFIG-N); must be empty or not exist", false},
    {"init", "MODEL", "start from the tensors of a trained model that fit (init_from in the config)", false},
    {"resume", NULL, "continue the run in --run-dir from its newest valid checkpoint", false},
    {"max-time", "TIME", "save and stop after this time, e.g. 90s, 30m or 1h30m (exit code 75)", false},
    GT_OPTION_FAIL_IF,
    GT_OPTION_STRICT,
    GT_OPTION_QUIET,
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

/* CONFIG for the command that continues this run; NULL for standard input, which cannot be read again. */
static const char *resume_config(const gt_arguments *arguments) {
  gt_arena *arena = arguments->arena;
  const char *config = arguments->word[0];
  if (!strcmp(config, "-")) return NULL;
  if (*config == '-')
    config = gt_arena_printf(arena, "./%s", config); /* otherwise it would be parsed as an option */
  return gt_shell_word(arena, config);
}

/* The options of the command that continues this run, without --run-dir, which the run adds. */
static const char *resume_options(const gt_arguments *arguments) {
  gt_arena *arena = arguments->arena;
  const char *text = "";
  for (int i = 0; i < arguments->givens; i++) {
    const char *name = arguments->given[i].option->name, *value = arguments->given[i].value;
    if (!strcmp(name, "resume") || !strcmp(name, "run-dir")) continue;
    text = value ? gt_arena_printf(arena, "%s %s", text, gt_shell_option(arena, name, value))
                 : gt_arena_printf(arena, "%s --%s", text, name);
  }
  return text;
}

/* The split of the last evaluation. */
static int last_part(const gt_train_result *result) {
  return result->test.items ? GT_PART_TEST : GT_PART_VALIDATION;
}

/* The results of the last evaluation; NULL: there was none. */
static const gt_results *last_result(const gt_train_result *result) {
  if (result->test.items) return &result->test;
  return result->validation.items ? &result->validation : NULL;
}

static gt_baselines baselines_of(const gt_config *config, const gt_train_result *result, gt_arena *arena) {
  if (!last_result(result)) return (gt_baselines){0};
  return gt_baselines_of(config, gt_dataset_split(&config->dataset, last_part(result)), arena);
}

static json_t *result_json(const gt_config *config, const gt_train_result *result,
                           const gt_baselines *baselines) {
  json_t *root = json_object();
  const struct {
    const char *name;
    const gt_results *results;
  } splits[] = {{"train", &result->train}, {"validation", &result->validation}, {"test", &result->test}};
  json_object_set_new(root, "run_dir", json_string(result->directory));
  if (!result->interrupted) {
    json_object_set_new(root, "model", json_sprintf("%s/model.bin", result->directory));
    gt_cli_add_formulas(root, config, json_string_value(json_object_get(root, "model")));
  }
  json_object_set_new(root, "device", json_string(result->device));
  json_object_set_new(root, "step", json_integer(result->step));
  json_object_set_new(root, "epoch", json_integer(result->epoch));
  json_object_set_new(root, "best_step", json_integer(result->best_step));
  json_object_set_new(root, "stopped_early", json_boolean(result->stopped_early));
  if (result->has_goal) json_object_set_new(root, "goal_reached", json_boolean(result->goal_reached));
  if (result->has_goal) json_object_set_new(root, "attempts", json_integer(result->attempts));
  for (int i = 0; i < 3; i++) {
    if (!splits[i].results->items) continue;
    json_t *split = json_object();
    gt_json_add_results(split, splits[i].results);
    json_object_set_new(root, splits[i].name, split);
  }
  if (result->threshold)
    json_object_set_new(root, "threshold", gt_threshold_json(result->threshold, result->thresholds));
  gt_classes_add_positive(root, config);
  if (last_result(result)) gt_cli_add_baselines(root, last_result(result), config, baselines);
  if (result->importance.columns)
    json_object_set_new(root, "importance", gt_importance_json(&result->importance, false));
  json_object_set_new(root, "elapsed_s", gt_json_real(result->seconds));
  json_object_set_new(root, "samples_per_s", gt_json_real(result->samples_per_s));
  json_object_set_new(root, "findings", gt_cli_findings_json(&config->diagnostics));
  json_object_set_new(root, "memory_peak_bytes", json_integer((json_int_t)result->memory_peak));
  return root;
}

static void print_result(const gt_config *config, const gt_train_result *result,
                         const gt_baselines *baselines, gt_arena *arena) {
  char duration[32];
  const gt_results *last = last_result(result);
  const char *outcome = result->goal_reached    ? "reached the goal"
                        : result->has_goal      ? "finished without reaching the goal"
                        : result->stopped_early ? "stopped early"
                                                : "finished";
  if (!result->was_over)
    gt_info("%s after %lld steps in %s", outcome, (long long)result->step,
            gt_duration(result->seconds, duration));
  if (result->attempts > 1) gt_info("attempts: %lld", (long long)result->attempts);
  if (last) {
    printf("%s", gt_part_keys[last_part(result)]);
    gt_cli_print_values(last, baselines, true, arena);
    printf("\n");
    gt_cli_warn_of_guessing(config, gt_part_keys[last_part(result)], last, baselines, arena);
  }
  gt_cli_log_importance(&result->importance);
  char model[sizeof result->directory + 16];
  snprintf(model, sizeof model, "%s/model.bin", result->directory);
  gt_cli_print_formulas(config, model);
  printf("%s\n", model);
  gt_cli_suggest_next(model);
}

/* "90s", "30m", "1h30m", "1.5h", "2d"; a number without a unit is seconds. */
static bool parse_time(const char *text, double *seconds) {
  static const char units[] = "smhd";
  static const double unit_seconds[] = {1, 60, 3600, 86400};
  const char *first = text;
  *seconds = 0;
  do {
    char *end;
    if (*text < '0' || *text > '9') return false;
    const double number = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : text == first ? units : NULL;
    if (!unit) return false;
    *seconds += number * unit_seconds[unit - units];
    text = end + (*end != 0);
  } while (*text);
  return *seconds > 0 && *seconds < 1e9;
}

static bool read_max_time(const gt_arguments *arguments, double *seconds) {
  const char *text = gt_option_value(arguments, "max-time");
  *seconds = 0;
  if (!text || parse_time(text, seconds)) return true;
  gt_usage_error(arguments, "--max-time '%s': expected a time such as 90s, 30m or 1h30m", text);
  return false;
}

/* Checks before training, which may take hours, that the gates can be evaluated. */
static bool can_check_gates(const gt_arguments *arguments, gt_config *config, gt_gate *gates, int count) {
  if (!count) return true;
  if (!gt_cli_gates_apply(arguments, gates, count, config)) return false;
  if (config->dataset.split[GT_PART_TEST].samples || config->dataset.split[GT_PART_VALIDATION].samples)
    return true;
  gt_log_error(
      "--fail-if needs a split to evaluate, and this config's data has no test or validation split; add one, e.g. with "
      "--set data.test_fraction=0.2");
  return false;
}

static int train(const gt_arguments *arguments, gt_config *config, const gt_train_options *train_options,
                 const gt_gate *gates, int gate_count) {
  gt_error error = {0};
  gt_arena *arena = config->diagnostics.arena;
  gt_train_result *result = GT_NEW(arena, gt_train_result);
  const bool ok = gt_train(config, train_options, result, &error);
  if (!ok && result->out_of_time && error.status == GT_INTERRUPTED && !gt_flag(arguments, "json")) {
    gt_info("%s", error.message); /* no error: --max-time is over */
    return GT_INTERRUPTED;
  }
  if (!ok)
    return gt_cli_print_failure(arguments, &config->diagnostics, &error,
                                config->diagnostics.errors ? gt_config_report(config, &error)
                                                           : gt_report(&error));
  const gt_baselines baselines = baselines_of(config, result, arena);
  if (gt_flag(arguments, "json"))
    gt_cli_print_json(result_json(config, result, &baselines));
  else
    print_result(config, result, &baselines, arena);
  return gate_count ? gt_cli_check_gates(gates, gate_count, last_result(result)) : GT_OK;
}

static int run(const gt_arguments *arguments) {
  gt_config config;
  gt_gate *gates;
  uint64_t limit;
  double seconds;
  int gate_count;
  if (!gt_cli_memory_limit(arguments, &limit) || !read_max_time(arguments, &seconds) ||
      !gt_cli_result_gates(arguments, &gates, &gate_count))
    return GT_ERR_USAGE;
  gt_signals_prepare();
  int code = gt_cli_config(arguments, arguments->word[0], false, &config);
  if (code) return code;
  const gt_train_options train_options = {.device = gt_cli_device(arguments),
                                          .directory = gt_option_value(arguments, "run-dir"),
                                          .memory_limit = limit,
                                          .max_seconds = seconds,
                                          .max_time = gt_option_value(arguments, "max-time"),
                                          .resume = gt_flag(arguments, "resume"),
                                          .quiet = gt_flag(arguments, "quiet"),
                                          .ranks_columns =
                                              gt_flag(arguments, "json") || !gt_flag(arguments, "quiet"),
                                          .resume_config = resume_config(arguments),
                                          .resume_options = resume_options(arguments)};
  code = can_check_gates(arguments, &config, gates, gate_count)
             ? gt_cli_findings(arguments, &config.diagnostics, GT_ERR_CONFIG)
             : GT_ERR_USAGE;
  if (!code) code = train(arguments, &config, &train_options, gates, gate_count);
  gt_config_finish(&config);
  return code;
}

GT_DEFINE(command, train) = {
    .name = "train",
    .summary = "train the model that a config describes",
    .usage = "CONFIG [options]",
    .details =
        "CONFIG is a YAML file, - for standard input, or @NAME for a config that comes with gtrain (see\n"
        "`gtrain configs`). Writes a run directory: config.yaml (with all defaults), metrics.jsonl,\n"
        "timing.jsonl, checkpoints/ and model.bin. SIGINT, SIGTERM and SIGHUP save and stop (exit code\n"
        "75); a second SIGINT or SIGTERM quits at once. SIGUSR1 saves a checkpoint and continues.\n"
        "--max-time saves and stops in the same way after a time, counted from when the run is opened.\n"
        "--fail-if checks the model that was written on the test split, else on the validation split.\n"
        "For a table of 4 to 50 columns, the run ends by naming the columns that matter most, if that takes\n"
        "at most 5 % of its time; `gtrain explain` measures this more precisely.\n"
        "If the device fails, the exit code is 75, too: --resume continues from the last checkpoint.\n"
        "\n"
        "--device auto takes the best GPU. It takes the CPU if there is no GPU, or if the model is so\n"
        "small that, by an estimate, a step would take more than twice as long on the GPU. It never takes\n"
        "a software device. A resumed run stays on its device.\n",
    .examples = {"gtrain train configs/digits.yaml --run-dir runs/digits",
                 "gtrain train configs/digits.yaml --set train.epochs=5 --set optimizer.lr=0.01"},
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
