#include "cli/explain_columns.h"
#include "base/log.h"
#include "base/stream.h"
#include "base/text.h"
#include "cli/explain_model.h"
#include "train/config/threshold.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5 /* shuffles of each column */, SHOWN = 3 /* columns in the line after a training */ };

/* --- formula or columns --- */

/* The first option on the command line that only applies to formulas; NULL: there is none. */
static const char *find_formula_option(const gt_arguments *arguments) {
  static const char *const names[] = {"latex",   "expression", "edges", "pareto",     "functions",
                                      "no-snap", "svg",        "png",   "no-formula", "fail-if"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (gt_flag(arguments, names[i])) return names[i];
  return NULL;
}

static bool is_table(const gt_model_file *file) {
  for (int k = 0; k < file->signature.inputs; k++)
    if (file->signature.input[k].columns) return true;
  return false;
}

bool gt_explains_columns(const gt_arguments *arguments) {
  gt_model_file file = {0};
  gt_error error = {0};
  if (gt_flag(arguments, "importance")) return true;
  if (arguments->words > 1 || find_formula_option(arguments)) return false;
  /* An error is reported when the model is opened again. */
  const bool columns =
      gt_model_file_read(&file, gt_model_path(arguments->arena, arguments->word[0], &error), &error) &&
      is_table(&file) && !gt_explained_can_open(&file);
  gt_model_file_finish(&file);
  return columns;
}

/* --- printing --- */

static void add_score(json_t *row, const char *name, const gt_importance_score *score, double change) {
  char key[80];
  json_object_set_new(row, name, gt_json_real(score->mean));
  snprintf(key, sizeof key, "%s_change", name);
  json_object_set_new(row, key, gt_json_real(change));
  snprintf(key, sizeof key, "%s_deviation", name);
  json_object_set_new(row, key, gt_json_real(score->deviation));
}

json_t *gt_importance_json(const gt_importance *importance, bool full) {
  json_t *list = json_array();
  for (int i = 0; i < importance->columns; i++) {
    const gt_importance_column *c = &importance->column[i];
    json_t *row = json_pack("{s:s}", "column", c->name);
    if (full)
      add_score(row, "loss", &c->loss, c->rise);
    else
      json_object_set_new(row, "loss_change", gt_json_real(c->rise));
    if (full && importance->metric)
      add_score(row, importance->metric, &c->metric, c->metric.mean - importance->value);
    json_array_append_new(list, row);
  }
  return list;
}

static void print_json(const gt_importance *importance, int part, const gt_config *config) {
  json_t *root = json_pack("{s:s, s:I, s:i, s:o}", "split", gt_part_keys[part], "samples",
                           (json_int_t)importance->samples, "repeats", importance->repeats, "loss",
                           gt_json_real(importance->loss));
  if (importance->metric) json_object_set_new(root, importance->metric, gt_json_real(importance->value));
  json_object_set_new(root, "importance", gt_importance_json(importance, true));
  json_object_set_new(root, "findings", gt_cli_findings_json(&config->diagnostics));
  gt_cli_print_json(root);
}

static void print_score(const gt_importance_score *score, double change) {
  printf("  %10.4g  %+10.3g  %10.2g", score->mean, change, score->deviation);
}

static void print_table(const gt_importance *importance, int part) {
  int width = gt_text_width("column");
  for (int i = 0; i < importance->columns; i++) {
    const int w = gt_text_width(importance->column[i].name);
    if (w > width) width = w;
  }
  printf("%s samples %lld loss %.6g", gt_part_keys[part], (long long)importance->samples, importance->loss);
  if (importance->metric) printf(" %s %.6g", importance->metric, importance->value);
  printf("; with one column shuffled, mean of %d shuffles, sorted by the change of the loss:\n",
         importance->repeats);
  printf("%-*s  %10s  %10s  %10s", width, "column", "loss", "change", "deviation");
  if (importance->metric) printf("  %10s  %10s  %10s", importance->metric, "change", "deviation");
  printf("\n");
  for (int i = 0; i < importance->columns; i++) {
    const gt_importance_column *c = &importance->column[i];
    gt_put_text(stdout, c->name);
    printf("%*s", gt_padding(width, c->name), "");
    print_score(&c->loss, c->rise);
    if (importance->metric) print_score(&c->metric, c->metric.mean - importance->value);
    printf("\n");
  }
}

void gt_cli_log_importance(const gt_importance *importance) {
  gt_text text = {0};
  FILE *stream = gt_text_open(&text);
  int shown = 0;
  for (int i = 0; i < importance->columns && shown < SHOWN; i++) {
    const gt_importance_column *c = &importance->column[i];
    if (!isfinite(c->rise) || c->rise <= 0) continue;
    fprintf(stream, "%s%s %.3g", shown++ ? ", " : "", c->name, c->rise);
  }
  fclose(stream);
  if (shown)
    gt_info("most important columns: %.*s (rise of the loss when a column is shuffled)", (int)text.count,
            text.items);
  free(text.items);
}

/* --- the command --- */

static bool measure(const gt_arguments *arguments, gt_session *session, const gt_model_file *file, int part,
                    uint64_t limit, gt_importance *out, gt_error *error) {
  gt_evaluator evaluator;
  if (!gt_session_open(session, session->config, part, gt_cli_device(arguments), error)) return false;
  session->model = file;
  session->memory_limit = limit;
  session->threshold = session->config->threshold.value;
  return gt_session_place(session, NULL, 1u << part, error) &&
         gt_evaluator_open(session, &evaluator, part, 0, error) &&
         gt_session_load_weights(session, evaluator.net->model->store, file, error) &&
         gt_importance_measure(session, &evaluator, REPEATS, arguments->arena, out, error);
}

/* Fails if the loss is not finite: its changes would mean nothing. */
static bool check_finite(const gt_arguments *arguments, int part, const gt_importance *importance,
                         gt_error *error) {
  return isfinite(importance->loss) ||
         gt_fail(error, GT_ERR_DATA,
                 "%s: the loss on the %s split is not finite, so that no column "
                 "can change it",
                 arguments->word[0], gt_part_keys[part]);
}

/* Returns GT_OK if *error is set, otherwise the exit code. */
static int explain(const gt_arguments *arguments, gt_session *session, gt_model_file *file, uint64_t limit,
                   gt_error *error) {
  gt_config *config = session->config;
  gt_importance importance;
  if (!gt_cli_open_model(arguments, arguments->arena, arguments->word[0], true, file, config, error) ||
      !gt_config_load_threshold(config, file))
    return GT_OK;
  const int part = gt_dataset_default_part(&config->dataset);
  if (!config->metrics->count) gt_config_add_metric(config, 0, gt_metric_find("rmse"));
  gt_model_file_check_data(file, config, part);
  const int code = gt_cli_findings(arguments, &config->diagnostics, GT_ERR_DATA);
  if (code) return gt_cli_print_failure(arguments, &config->diagnostics, NULL, code);
  if (!measure(arguments, session, file, part, limit, &importance, error) ||
      !check_finite(arguments, part, &importance, error))
    return GT_OK;
  if (gt_flag(arguments, "json"))
    print_json(&importance, part, config);
  else
    print_table(&importance, part);
  return GT_OK;
}

int gt_explain_columns(const gt_arguments *arguments) {
  const char *formula = find_formula_option(arguments);
  gt_model_file file = {0};
  gt_config config = {0};
  gt_session session = {.config = &config};
  gt_error error = {0};
  uint64_t limit;
  if (formula) return gt_usage_error(arguments, "--%s cannot be used with --importance", formula);
  if (arguments->words > 1) return gt_usage_error(arguments, "--importance needs a single MODEL");
  if (!gt_cli_memory_limit(arguments, &limit)) return GT_ERR_USAGE;
  int code = explain(arguments, &session, &file, limit, &error);
  if (error.status || config.diagnostics.errors)
    code = gt_cli_model_report(arguments, &config.diagnostics, &error);
  gt_session_close(&session);
  gt_config_finish(&config);
  gt_model_file_finish(&file);
  return code;
}
