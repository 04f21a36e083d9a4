#include "base/log.h"
#include "cli/explain_model.h"
#include "kan/formula_text.h"
#include <string.h>

static bool has_symbolic_phase(const gt_config *config) {
  for (int p = 0; p < config->phases; p++)
    if (config->phase[p].change.type && !strcmp(config->phase[p].change.type->name, "symbolic")) return true;
  return false;
}

enum { MAX_EDGES = 12 /* of a formula that fits on a line and is found at once */ };
static const double effort = 2e8; /* arithmetic operations of each search: at most half a second */

/* Opens the model and finds its formula. False if there is none, or if outputs are not trained to equal the
 * targets, as with classes. Does not print findings of the data again, which the run has printed. */
static bool find_formula(gt_explained *e, const char *model) {
  gt_error error = {0};
  const gt_log_level level = gt_log_set_level(GT_LOG_WARN);
  const bool opened = gt_explained_open(e, &(gt_arguments){0}, model, &error) && !e->fits_network;
  gt_log_set_level(level);
  if (!opened || gt_kan_network_edges(&e->network) > MAX_EDGES ||
      !gt_explained_find(e, &(gt_symbolic_options){.effort = effort}, &error))
    return false;
  for (int v = 0; v < e->report.verdicts; v++)
    if (e->report.verdict[v].cut_short) return false;
  for (int i = 0; i < e->config.diagnostics.count; i++) e->config.diagnostics.items[i].shown = true;
  gt_explained_doubts(e);
  gt_diagnostics_print(&e->config.diagnostics, stderr);
  return true;
}

/* The name of an output in formulas: its column, or "y". */
static const char *output_name(gt_explained *e, int output) {
  const char *const *targets = e->config.dataset.target[0].columns;
  const int outputs = gt_kan_network_outputs(&e->network);
  if (targets) return gt_formula_names(&e->arena, targets, outputs)[output];
  return outputs == 1 ? "y" : gt_arena_printf(&e->arena, "y%d", output);
}

void gt_cli_print_formulas(const gt_config *config, const char *model) {
  gt_explained e;
  if (!has_symbolic_phase(config)) return;
  if (find_formula(&e, model))
    for (int o = 0; o < gt_kan_network_outputs(&e.network); o++)
      printf("%s = %s\n", output_name(&e, o), gt_symbolic_text(&e.symbolic, o, GT_FORMULA_PLAIN, &e.arena));
  gt_explained_close(&e);
}

void gt_cli_add_formulas(json_t *root, const gt_config *config, const char *model) {
  gt_explained e;
  if (!has_symbolic_phase(config)) return;
  json_t *list = json_array();
  if (find_formula(&e, model))
    for (int o = 0; o < gt_kan_network_outputs(&e.network); o++)
      json_array_append_new(list, json_string(gt_symbolic_text(&e.symbolic, o, GT_FORMULA_PLAIN, &e.arena)));
  json_object_set_new(root, "formulas", list);
  gt_explained_close(&e);
}
