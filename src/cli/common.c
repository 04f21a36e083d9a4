#include "cli/common.h"
#include "base/log.h"
#include "base/text.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const *gt_cli_overrides(const gt_arguments *arguments, gt_arena *arena, int *count) {
  const char **overrides = GT_NEW_N(arena, const char *, arguments->givens + 1);
  *count = 0;
  while ((overrides[*count] = gt_option_nth(arguments, "set", *count))) ++*count;
  return overrides;
}

int gt_cli_config(const gt_arguments *arguments, gt_arena *arena, const char *path, gt_config *config) {
  int count;
  gt_error error = {0};
  const char *const *overrides = gt_cli_overrides(arguments, arena, &count);
  if (gt_config_read(config, arena, path, overrides, count, &error)) {
    gt_diagnostics_print(&config->diagnostics, stderr); /* warnings */
    return GT_OK;
  }
  const int code = gt_config_report(config, &error);
  gt_config_finish(config);
  return code;
}

void gt_cli_print_json(json_t *value) {
  char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9));
  printf("%s\n", text ? text : "null");
  free(text);
  json_decref(value);
}

/* --- gates
 * ---------------------------------------------------------------------------------------------------- */

static const char *const gate_metrics[] = {"accuracy", "loss", "samples", "soft_accuracy", "soft_loss"};

enum { GATE_METRICS = sizeof gate_metrics / sizeof *gate_metrics };

static const char *skip_space(const char *text) { return text + strspn(text, " \t"); }

static bool parse_gate(const char *text, gt_gate *gate) {
  static const char *const ops[] = {"<=", ">=", "==", "!=", "<", ">"};
  char *end;
  text = skip_space(text);
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
  if (!length || length >= sizeof gate->metric) return false;
  snprintf(gate->metric, sizeof gate->metric, "%.*s", (int)length, text);
  text = skip_space(text + length);
  for (size_t i = 0; i < sizeof ops / sizeof *ops && !*gate->op; i++)
    if (!strncmp(text, ops[i], strlen(ops[i]))) snprintf(gate->op, sizeof gate->op, "%s", ops[i]);
  if (!*gate->op) return false;
  text = skip_space(text + strlen(gate->op));
  gate->limit = strtod(text, &end);
  return end != text && !*skip_space(end) && !isnan(gate->limit);
}

bool gt_cli_gates(const gt_arguments *arguments, gt_arena *arena, gt_gate **gates, int *count) {
  const char *text;
  *gates = GT_NEW_N(arena, gt_gate, arguments->givens + 1);
  for (*count = 0; (text = gt_option_nth(arguments, "fail-if", *count)); ++*count) {
    gt_gate *gate = &(*gates)[*count];
    if (!parse_gate(text, gate)) {
      gt_usage_error(arguments,
                     "--fail-if '%s': expected METRIC<NUMBER, such as 'accuracy<0.97' (also <= > >= == !=)",
                     text);
      return false;
    }
    bool known = false;
    for (size_t i = 0; i < GATE_METRICS; i++) known |= !strcmp(gate->metric, gate_metrics[i]);
    if (known) continue;
    const char *nearest = gt_nearest(gate->metric, gate_metrics, GATE_METRICS);
    gt_usage_error(arguments, "--fail-if '%s': unknown metric '%s'%s%s%s", text, gate->metric,
                   nearest ? "; did you mean '"
                           : " (there are accuracy, loss, samples; soft_accuracy, soft_loss)",
                   nearest ? nearest : "", nearest ? "'?" : "");
    return false;
  }
  return true;
}

bool gt_gate_fails(const gt_gate *gate, double value) {
  if (isnan(value)) return true;
  const bool equal = gate->op[1] == '=';
  switch (gate->op[0]) {
  case '<': return equal ? value <= gate->limit : value < gate->limit;
  case '>': return equal ? value >= gate->limit : value > gate->limit;
  case '!': return value != gate->limit;
  default: return value == gate->limit;
  }
}
