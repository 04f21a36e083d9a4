#include "optim/groups.h"
#include "base/text.h"

void gt_optim_layout(const gt_optim *optim, gt_store *store) {
  const int groups = optim ? optim->groups : 1;
  bool *frozen = GT_NEW_N(store->arena, bool, groups);
  for (int g = 0; g < groups; g++) frozen[g] = optim && optim->group[g].frozen;
  for (int i = 0; i < store->slots && optim; i++)
    if (store->slot[i]->role == GT_PARAMETER)
      store->slot[i]->group = gt_optim_group_of(optim, store->slot[i]->name);
  gt_store_layout(store, frozen, groups);
}

static bool matches_any(const gt_optim_group *group, const gt_store *store) {
  for (int i = 0; i < store->parameters; i++)
    if (gt_optim_matches(group, store->parameter[i]->name)) return true;
  return false;
}

static void suggest(gt_diagnostic *diagnostic, const char *match, const gt_store *store, gt_arena *arena) {
  const char **names = GT_NEW_N(arena, const char *, 2 * (size_t)store->parameters + 1);
  size_t n = 0;
  for (int i = 0; i < store->slots; i++) { /* users name whole layers, too: "linear1.*" */
    const char *name = store->slot[i]->name;
    if (store->slot[i]->role != GT_PARAMETER) continue;
    names[n++] = name;
    names[n++] = gt_arena_printf(arena, "%.*s.*", (int)gt_slot_layer_length(name), name);
  }
  diagnostic->suggestion = gt_nearest(match, names, n);
  diagnostic->expected = "a pattern of parameter names, such as \"linear1.*\" or \"*.bias\"";
}

bool gt_optim_check_groups(const gt_optim *optim, const gt_store *store, gt_diagnostics *diagnostics) {
  bool fine = true;
  for (int g = 1; optim && g < optim->groups; g++) {
    const gt_optim_group *group = &optim->group[g];
    if (matches_any(group, store)) continue;
    fine = false;
    gt_diagnostic *d = gt_error_at(diagnostics, group->at, "no parameter is called '%s'", group->match);
    if (!gt_diagnostics_full(diagnostics)) suggest(d, group->match, store, diagnostics->arena);
  }
  return fine;
}
