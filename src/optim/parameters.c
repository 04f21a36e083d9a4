#include "optim/parameters.h"
#include "base/text.h"
#include "optim/optim.h"
#include <string.h>

static int64_t aligned(int64_t count) {
  return (count + GT_PARAMETER_ALIGN - 1) / GT_PARAMETER_ALIGN * GT_PARAMETER_ALIGN;
}

static void place_group(gt_parameters *parameters, int group, int64_t *end, int *placed) {
  parameters->group[group].offset = *end;
  /* Those that need no gap behind them go first, so that gaps arise only between the few others. */
  for (int odd = 0; odd < 2; odd++)
    for (int i = 0; i < parameters->count; i++) {
      gt_parameter *p = &parameters->item[i];
      if (p->group != group || (p->count % GT_PARAMETER_ALIGN != 0) != odd) continue;
      p->offset = *end;
      *end += aligned(p->count);
      parameters->order[(*placed)++] = i;
      parameters->values += p->count;
      if (!parameters->group[group].frozen) parameters->trainable_values += p->count;
    }
  parameters->group[group].count = *end - parameters->group[group].offset;
}

void gt_parameters_layout(gt_parameters *parameters, const gt_optim *optim, gt_arena *arena) {
  parameters->groups = optim ? optim->groups : 1;
  parameters->group = GT_NEW_N(arena, gt_parameter_group, parameters->groups);
  parameters->order = GT_NEW_N(arena, int, parameters->count);
  parameters->values = parameters->trainable_values = 0;
  for (int i = 0; i < parameters->count; i++)
    parameters->item[i].group = optim ? gt_optim_group_of(optim, parameters->item[i].name) : 0;
  int64_t end = 0;
  int placed = 0;
  for (int frozen = 0; frozen < 2; frozen++) {
    for (int g = 0; g < parameters->groups; g++) {
      parameters->group[g].frozen = optim && optim->group[g].frozen;
      if (parameters->group[g].frozen == frozen) place_group(parameters, g, &end, &placed);
    }
    if (!frozen) parameters->trainable = end;
  }
  parameters->total = end;
}

bool gt_parameters_check_groups(const gt_parameters *parameters, const gt_optim *optim,
                                gt_diagnostics *diagnostics) {
  bool fine = true;
  for (int g = 1; optim && g < optim->groups; g++) {
    const char *match = optim->group[g].match;
    bool found = false;
    for (int i = 0; i < parameters->count && !found; i++)
      found = gt_optim_matches(&optim->group[g], parameters->item[i].name);
    if (found) continue;
    fine = false;
    gt_diagnostic *d = gt_error_at(diagnostics, optim->group[g].at, "no parameter is called '%s'", match);
    if (gt_diagnostics_full(diagnostics)) continue;
    gt_arena *arena = diagnostics->arena;
    const char **names = GT_NEW_N(arena, const char *, 2 * (size_t)parameters->count + 1);
    size_t n = 0;
    for (int i = 0; i < parameters->count; i++) { /* people write layers with a star: "linear1.*" */
      const char *name = parameters->item[i].name;
      names[n++] = name;
      names[n++] = gt_arena_printf(arena, "%.*s.*", (int)(strrchr(name, '.') - name), name);
    }
    d->suggestion = gt_nearest(match, names, n);
    d->expected = "a pattern of parameter names, such as \"linear1.*\" or \"*.bias\"";
  }
  return fine;
}

const gt_parameter *gt_parameters_find(const gt_parameters *parameters, const char *name) {
  for (int i = 0; i < parameters->count; i++)
    if (!strcmp(parameters->item[i].name, name)) return &parameters->item[i];
  return NULL;
}
