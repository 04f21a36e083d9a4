#include "optim/groups.h"
#include "base/text.h"
#include <string.h>

void gt_optim_layout(const gt_optim *optim, gt_store *store) {
  const int groups = optim ? optim->groups : 1;
  bool *frozen = GT_NEW_N(store->arena, bool, groups);
  for (int g = 0; g < groups; g++) frozen[g] = optim && optim->group[g].frozen;
  for (int i = 0; i < store->slots && optim; i++)
    if (store->slot[i]->role == GT_PARAMETER)
      store->slot[i]->group = gt_optim_group_of(optim, store->slot[i]->name);
  gt_store_layout(store, frozen, groups);
}

/* True if the slot belongs to the layer. */
static bool is_slot_of(const gt_slot *slot, const char *layer) {
  const size_t length = gt_slot_layer_length(slot->name);
  return !strncmp(slot->name, layer, length) && !layer[length];
}

static bool is_frozen_name(const gt_optim *optim, const char *name) {
  return optim->group[gt_optim_group_of(optim, name)].frozen;
}

bool gt_optim_freezes_layer(const gt_optim *optim, const gt_store *store, const char *layer, int slot) {
  bool has_parameters = false, is_trained = false, matches = false;
  for (int i = slot; optim && i < store->slots && is_slot_of(store->slot[i], layer); i++) {
    has_parameters |= store->slot[i]->role == GT_PARAMETER;
    is_trained |= store->slot[i]->role == GT_PARAMETER && !gt_slot_is_frozen(store, store->slot[i]);
    matches |= is_frozen_name(optim, store->slot[i]->name) || is_frozen_name(optim, layer);
  }
  return has_parameters ? !is_trained : matches;
}

/* True if the group matches a parameter, or freezes a state or the layer of a state. */
static bool matches_any(const gt_optim_group *group, const gt_store *store) {
  char layer[512];
  for (int i = 0; i < store->slots; i++) {
    const char *name = store->slot[i]->name;
    if (store->slot[i]->role != GT_PARAMETER && !group->frozen) continue;
    if (gt_optim_matches(group, name)) return true;
    snprintf(layer, sizeof layer, "%.*s", (int)gt_slot_layer_length(name), name);
    if (store->slot[i]->role == GT_STATE && gt_optim_matches(group, layer)) return true;
  }
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

/* Adds a finding for a group whose parameters are all in earlier groups. A frozen group may still freeze
 * states. */
static void review_order(const gt_optim *optim, int g, const gt_store *store, gt_diagnostics *diagnostics) {
  const gt_optim_group *group = &optim->group[g], *earlier = NULL;
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (slot->role != GT_PARAMETER || !gt_optim_matches(group, slot->name)) continue;
    if (slot->group == g) return;
    if (!earlier) earlier = &optim->group[slot->group];
  }
  if (!earlier) return;
  gt_finding_at(diagnostics, GT_FINDING_no_effect, group->at,
                "'%s' has no effect: the first entry that matches a parameter counts, and '%s' is earlier",
                group->match, earlier->match)
      ->help =
      gt_arena_printf(diagnostics->arena, "the entry '%s' before '%s'", group->match, earlier->match);
}

bool gt_optim_check_groups(const gt_optim *optim, const gt_store *store, gt_diagnostics *diagnostics) {
  bool fine = true;
  for (int g = 1; optim && g < optim->groups; g++) {
    const gt_optim_group *group = &optim->group[g];
    if (matches_any(group, store)) {
      review_order(optim, g, store, diagnostics);
      continue;
    }
    fine = false;
    gt_diagnostic *d = gt_error_at(diagnostics, group->at, "no parameter is called '%s'", group->match);
    if (!gt_diagnostics_full(diagnostics)) suggest(d, group->match, store, diagnostics->arena);
  }
  return fine;
}

bool gt_optim_check_trained(const gt_optim *optim, const gt_store *store, gt_diagnostics *diagnostics) {
  if (!store->parameters || store->trainable) return true;
  const gt_optim_group *group = &optim->group[store->parameter[0]->group];
  return gt_refuse(diagnostics, group->at,
                   "a pattern that leaves parameters to train, or an earlier entry for them: the first entry "
                   "that matches a parameter counts",
                   "nothing to train: all parameters are frozen%s%s%s",
                   group->match ? ", the first by '" : "", group->match ? group->match : "",
                   group->match ? "'" : "");
}
