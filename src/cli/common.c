#include "cli/common.h"
#include "base/text.h"
#include "cli/shipped.h"
#include "base/file.h"
#include "base/log.h"
#include "train/config/init_from.h"
#include "train/config/places.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const *gt_cli_overrides(const gt_arguments *arguments, gt_arena *arena, int *count) {
  const char **overrides = gt_option_values(arguments, "set", arena, count);
  const char *init = gt_option_value(arguments, "init"), *data = gt_option_value(arguments, "data");
  if (init) overrides[(*count)++] = gt_arena_printf(arena, "--init=%s", init);
  if (data) overrides[(*count)++] = gt_arena_printf(arena, "--data=%s", data);
  return overrides;
}

bool gt_cli_open_model(const gt_arguments *arguments, gt_arena *arena, const char *path, bool only_test,
                       gt_model_file *file, gt_config *config, gt_error *error) {
  int overrides;
  const char *const *set = gt_cli_overrides(arguments, arena, &overrides);
  if (!gt_model_file_read(file, gt_model_path(arena, path, error), error) ||
      !gt_model_file_check(file, error))
    return false;
  gt_data_requirements wanted = gt_model_file_requirements(file);
  wanted.only_test = only_test;
  return gt_config_parse(config, arena, file->path, file->config, &wanted, set, overrides, error);
}

/* True for check, whose purpose it is, and with --strict, for which each warning is an error. */
static bool prints_all_findings(const gt_arguments *arguments) {
  return !strcmp(arguments->command->name, "check") || gt_flag(arguments, "strict");
}

int gt_cli_findings(const gt_arguments *arguments, gt_diagnostics *diagnostics, gt_status code) {
  diagnostics->print_all = prints_all_findings(arguments);
  gt_diagnostics_print(diagnostics, stderr);
  if (!diagnostics->findings || !gt_flag(arguments, "strict")) return GT_OK;
  gt_log_error("--strict: %d warning%s; `quiet: [name]` in the config silences one", diagnostics->findings,
               diagnostics->findings == 1 ? "" : "s");
  return code;
}

/* Adds the position of an error or finding, and what to do about it. */
static void add_place(json_t *row, const gt_diagnostic *item) {
  if (item->expected) json_object_set_new(row, "expected", json_string(item->expected));
  if (item->suggestion) json_object_set_new(row, "suggestion", json_string(item->suggestion));
  if (item->help) json_object_set_new(row, "help", json_string(item->help));
  if (item->at.file) json_object_set_new(row, "file", json_string(item->at.file));
  if (item->at.line) json_object_set_new(row, "line", json_integer(item->at.line));
  if (item->at.line) json_object_set_new(row, "column", json_integer(item->at.column));
}

json_t *gt_cli_findings_json(const gt_diagnostics *diagnostics) {
  json_t *list = json_array();
  for (int i = 0; i < diagnostics->count; i++) {
    const gt_diagnostic *item = &diagnostics->items[i];
    if (!item->finding) continue;
    json_t *row = json_pack("{s:s, s:s}", "name", gt_finding_names[item->finding - 1], "text", item->message);
    add_place(row, item);
    json_array_append_new(list, row);
  }
  return list;
}

int gt_cli_print_failure(const gt_arguments *arguments, const gt_diagnostics *diagnostics,
                         const gt_error *error, int code) {
  if (!gt_flag(arguments, "json")) return code;
  json_t *list = json_array();
  for (int i = 0; i < diagnostics->count; i++) {
    if (diagnostics->items[i].finding) continue;
    json_t *row = json_pack("{s:s}", "text", diagnostics->items[i].message);
    add_place(row, &diagnostics->items[i]);
    json_array_append_new(list, row);
  }
  if (error && error->status) json_array_append_new(list, json_pack("{s:s}", "text", error->message));
  gt_cli_print_json(json_pack("{s:o, s:o}", "errors", list, "findings", gt_cli_findings_json(diagnostics)));
  return code;
}

/* Reports a path that is no config but something else: a table, a run directory, a model, or the bare name of
 * a config that comes with gtrain. True for another path. */
static bool check_config_path(const gt_arguments *arguments, gt_arena *arena, const char *path,
                              gt_error *error) {
  const char *command = arguments->command->name, *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  const char *name = slash ? slash + 1 : path;
  struct stat s;
  if (stat(path, &s)) {
    gt_shipped shipped;
    gt_error ignored = {0};
    if (!gt_shipped_list(&shipped, arena, &ignored)) return true;
    const size_t length =
        dot > name && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")) ? (size_t)(dot - name) : strlen(name);
    for (int i = 0; i < shipped.count; i++)
      if (!strncmp(shipped.name[i], name, length) && !shipped.name[i][length])
        return gt_fail(error, GT_ERR_IO,
                       "%s does not exist; the config that comes with gtrain is @%s: gtrain %s @%s", path,
                       shipped.name[i], command, shipped.name[i]);
    return true;
  }
  if (S_ISDIR(s.st_mode)) {
    const char *config = gt_arena_printf(arena, "%s/config.yaml", path);
    if (!gt_file_exists(config))
      return gt_fail(error, GT_ERR_IO, "%s is a folder, not a config; expected a YAML file", path);
    const char *config_word = gt_shell_word(arena, config);
    if (strcmp(command, "train") != 0)
      return gt_fail(error, GT_ERR_IO, "%s is a run directory, not a config: gtrain %s %s", path, command,
                     config_word);
    return gt_fail(error, GT_ERR_IO,
                   "%s is a run directory, not a config; to continue the run: gtrain train %s %s --resume",
                   path, config_word, gt_shell_option(arena, "run-dir", path));
  }
  if (dot > name && (!strcasecmp(dot, ".csv") || !strcasecmp(dot, ".tsv")))
    return gt_fail(error, GT_ERR_CONFIG,
                   "%s is a table, not a config; `gtrain init csv %s` writes a config for it", path,
                   gt_shell_word(arena, path));
  if (dot > name && !strcmp(dot, ".bin"))
    return gt_fail(error, GT_ERR_CONFIG, "%s is a model, not a config; `gtrain inspect %s` shows its config",
                   path, gt_shell_word(arena, path));
  return true;
}

int gt_cli_config(const gt_arguments *arguments, const char *path, bool outline, gt_config *config) {
  gt_arena *arena = arguments->arena;
  int count;
  gt_error error = {0};
  const char *const *overrides = gt_cli_overrides(arguments, arena, &count);
  if (*path == '@' && !(path = gt_shipped_path(path + 1, arena, &error))) return gt_report(&error);
  if (strcmp(path, "-") != 0 && !check_config_path(arguments, arena, path, &error)) {
    gt_diagnostics none;
    gt_diagnostics_init(&none, arena);
    return gt_cli_print_failure(arguments, &none, &error, gt_report(&error));
  }
  if (gt_config_read(config, arena, path, outline, overrides, count, &error) &&
      gt_phases_can_start(config, arena)) {
    const int refused = gt_cli_findings(arguments, &config->diagnostics, GT_ERR_CONFIG);
    if (!refused) return GT_OK;
    gt_cli_print_failure(arguments, &config->diagnostics, NULL, refused);
    gt_config_finish(config);
    return refused;
  }
  config->diagnostics.print_all = prints_all_findings(arguments);
  const int code =
      gt_cli_print_failure(arguments, &config->diagnostics, &error, gt_config_report(config, &error));
  gt_config_finish(config);
  return code;
}

/* The settings as a list: "data.header, data.delimiter"; "data.KEY" for the setting "data.". */
static const char *names_of(gt_arena *arena, const char *const *settings) {
  gt_list list = gt_list_open(arena, INT_MAX);
  for (int i = 0; settings[i]; i++)
    gt_list_add(&list, "%.*s%s", (int)strcspn(settings[i], "="), settings[i],
                strchr(settings[i], '=') ? "" : "KEY");
  return list.text;
}

/* Checks the names of findings in --set quiet=…; those in the config were checked when it was read. */
static bool check_quiet(const gt_spec *quiet, gt_diagnostics *diagnostics) {
  size_t count = 0;
  while (gt_finding_names[count]) count++;
  if (!quiet || !gt_position_is_override(quiet->at)) return true;
  for (int i = 0; i < (quiet->kind == GT_SPEC_SCALAR ? 1 : quiet->count); i++) {
    const gt_spec *item = quiet->kind == GT_SPEC_SCALAR ? quiet : quiet->child[i];
    size_t k = 0;
    while (k < count && item->scalar && strcmp(gt_finding_names[k], item->scalar)) k++;
    if (item->scalar && k < count) continue;
    gt_diagnostic *d = gt_error_at(diagnostics, item->at, "'quiet' takes names of warnings");
    d->expected = "a name in brackets at the end of a warning";
    d->suggestion = item->scalar ? gt_nearest(item->scalar, gt_finding_names, count) : NULL;
    return false;
  }
  return true;
}

bool gt_cli_model_data(const gt_arguments *arguments, gt_arena *arena, const gt_model_file *file,
                       const char *const *settings, const gt_spec **out, gt_diagnostics *diagnostics,
                       gt_error *error) {
  int overrides;
  const char *const *set = gt_cli_overrides(arguments, arena, &overrides);
  gt_spec *root = gt_spec_parse(arena, file->path, file->config, strlen(file->config), diagnostics);
  *out = NULL;
  for (int i = 0; i < overrides && root; i++) {
    const char *const *setting = settings;
    while (*setting && strncmp(set[i], *setting, strlen(*setting))) setting++;
    if (!*setting)
      return gt_fail(error, GT_ERR_USAGE, "--set '%s': only these can be set here: %s", set[i],
                     names_of(arena, settings));
    if (!gt_spec_override(arena, root, set[i], NULL, diagnostics)) return false;
  }
  *out = gt_spec_find(root, "data");
  if (!root || !check_quiet(gt_spec_find(root, "quiet"), diagnostics)) return false;
  gt_config_silence(root, diagnostics);
  return true;
}

int gt_cli_model_report(const gt_arguments *arguments, gt_diagnostics *diagnostics, const gt_error *error) {
  gt_diagnostics_print(diagnostics, stderr);
  if (!diagnostics->errors) return gt_report(error);
  if (error->status) gt_log_error("%s", error->message);
  return gt_flag(arguments, "set") ? (int)gt_diagnostics_status(diagnostics) : GT_ERR_DATA;
}

/* Parses a number, which may have a fraction and a unit: K, M, G or T, alone or with "B" or "iB". */
static bool parse_size(const char *text, uint64_t *bytes) {
  static const char units[] = "KMGT";
  char *end;
  if (*text < '0' || *text > '9') return false;
  double value = strtod(text, &end);
  const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
  if (unit) {
    value *= (double)(UINT64_C(1) << 10 * (unit - units + 1));
    end++;
    if (*end == 'i' && end[1] == 'B') end++;
  }
  if (*end == 'B') end++;
  if (*end || !(value >= 1 && value < 0x1p60)) return false;
  *bytes = (uint64_t)value;
  return true;
}

bool gt_cli_memory_limit(const gt_arguments *arguments, uint64_t *bytes) {
  const char *text = gt_option_value(arguments, "memory-limit");
  *bytes = 0;
  if (!text || parse_size(text, bytes)) return true;
  gt_usage_error(arguments, "--memory-limit '%s': expected bytes, or a size such as 512M or 2G", text);
  return false;
}

void gt_cli_write_json(FILE *stream, json_t *value) {
  /* On a terminal, names from files are escaped (gt_put_text); programs get them unchanged. */
  const size_t escape = isatty(fileno(stream)) ? JSON_ENSURE_ASCII : 0;
  char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9) | escape);
  fputs(text ? text : "null", stream);
  free(text);
  json_decref(value);
}

void gt_cli_print_json(json_t *value) {
  gt_cli_write_json(stdout, value);
  printf("\n");
}

/* --- gates --- */

static const char *skip_space(const char *text) { return text + strspn(text, " \t"); }

static bool parse_gate(const char *text, gt_arena *arena, gt_gate *gate) {
  static const char *const ops[] = {"<=", ">=", "==", "!=", "<", ">"};
  char *end;
  gate->text = text;
  text = skip_space(text);
  const size_t before = strcspn(text, "<>=!");
  size_t length = before;
  while (length && strchr(" \t", text[length - 1])) length--;
  if (!length) return false;
  gate->metric = gt_arena_strndup(arena, text, length);
  text += before;
  for (size_t i = 0; i < sizeof ops / sizeof *ops && !*gate->op; i++)
    if (!strncmp(text, ops[i], strlen(ops[i]))) snprintf(gate->op, sizeof gate->op, "%s", ops[i]);
  if (!*gate->op) return false;
  text = skip_space(text + strlen(gate->op));
  gate->limit = strtod(text, &end);
  if (end != text && *end == '%') end++, gate->limit /= 100;
  return end != text && !*skip_space(end) && isfinite(gate->limit);
}

static bool check_metric(const gt_arguments *arguments, const gt_gate *gate, const gt_gate_metrics *metrics) {
  gt_arena *arena = arguments->arena;
  const char *metric = gate->metric;
  for (int i = 0; i < metrics->count; i++)
    if (!strcmp(metric, metrics->name[i])) return true;
  if (metrics->of_results && gt_result_metric_in(metric)) return true;
  gt_diagnostics diagnostics;
  gt_diagnostics_init(&diagnostics, arena);
  const gt_hint hint = gt_hint_name(&diagnostics, "metric", metric, metrics->name, (size_t)metrics->count);
  const char *advice = hint.suggestion ? gt_arena_printf(arena, "; did you mean '%s'?%s%s", hint.suggestion,
                                                         hint.help ? " " : "", hint.help ? hint.help : "")
                       : hint.help     ? gt_arena_printf(arena, ": %s", hint.help)
                                       : gt_arena_printf(arena, " (known metrics: %s)",
                                                         gt_list_of(arena, metrics->name, metrics->count));
  gt_usage_error(arguments, "--fail-if '%s': unknown metric '%s'%s", gate->text, metric, advice);
  return false;
}

bool gt_cli_gates(const gt_arguments *arguments, const gt_gate_metrics *metrics, gt_gate **gates,
                  int *gate_count) {
  gt_arena *arena = arguments->arena;
  const char *const *given = gt_option_values(arguments, "fail-if", arena, gate_count);
  *gates = GT_NEW_N(arena, gt_gate, *gate_count);
  for (int i = 0; i < *gate_count; i++) {
    gt_gate *gate = &(*gates)[i];
    if (!parse_gate(given[i], arena, gate)) {
      gt_usage_error(arguments,
                     "--fail-if '%s': expected METRIC<NUMBER (also <= > >= == !=), such as '%s<0.5'",
                     given[i], metrics->name[0]);
      return false;
    }
    if (!check_metric(arguments, gate, metrics)) return false;
  }
  return true;
}

static bool is_true(const gt_gate *gate, double value) {
  const bool equal = gate->op[1] == '=';
  switch (gate->op[0]) {
  case '<': return equal ? value <= gate->limit : value < gate->limit;
  case '>': return equal ? value >= gate->limit : value > gate->limit;
  case '!': return value != gate->limit;
  default: return value == gate->limit;
  }
}

bool gt_gate_fails(const gt_gate *gate, double value) {
  if (!isnan(value) && !is_true(gate, value)) return false;
  gt_log_error("%s is %.6g, which is %s %.6g (--fail-if)", gate->metric, value, gate->op, gate->limit);
  return true;
}
