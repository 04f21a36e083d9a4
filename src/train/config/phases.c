#include "train/config/phases.h"
#include "model/model.h"
#include "base/log.h"
#include <string.h>

enum { MAX_PHASES = 100 };

/* False for `optimizer: {lr: 0.1}` in a phase, which would replace the optimizer of the previous phase by the
 * default one. */
static bool has_type(const gt_spec *entry) {
  return (strcmp(entry->key, "optimizer") && strcmp(entry->key, "schedule")) || entry->kind != GT_SPEC_MAP ||
         gt_spec_find(entry, "type");
}

static void report_no_type(gt_config *config, const gt_spec *entry) {
  const char *key = entry->count ? entry->child[0]->key : "KEY";
  gt_error_at(&config->diagnostics, entry->at, "the %s of this phase has no type", entry->key)->expected =
      gt_arena_printf(config->diagnostics.arena,
                      "%s: {type: NAME, ...}; or %s.%s: VALUE to change only that key", entry->key,
                      entry->key, key);
}

/* The tree of a phase: the tree of the previous phase, with the length and the overrides of this phase. */
static gt_spec *phase_tree(gt_config *config, gt_arena *arena, const gt_spec *previous, const gt_spec *item) {
  gt_diagnostics *diagnostics = &config->diagnostics;
  gt_spec *root = gt_spec_copy(arena, previous), *train = gt_spec_find(root, "train");
  static const char *const replaced[] = {"phases", "epochs", "steps"};
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) gt_spec_remove(train, replaced[i]);
  if (!gt_spec_find(item, "epochs") && !gt_spec_find(item, "steps"))
    gt_error_at(diagnostics, item->at, "this phase has no length")->expected =
        "epochs: N or steps: N in this phase";
  for (int i = 0; i < item->count; i++) {
    const gt_spec *entry = item->child[i];
    if (gt_phase_is_change(entry->key))
      continue;
    else if (gt_phase_is_length(entry->key))
      gt_spec_add(arena, train, entry->key, gt_spec_copy(arena, entry));
    else if (!has_type(entry))
      report_no_type(config, entry);
    else if (gt_phase_may_change(entry->key))
      gt_config_set(arena, root, entry, diagnostics);
    else
      gt_phase_report_key(config, root, entry);
  }
  return root;
}

/* --- which values the next phase gets from the previous one, by the shapes of the parameters --- */

/* True if all values of a parameter are initialized again. Spline coefficients (slots with a form) are fitted
 * to a new grid along axis 1, but not to another number of inputs or outputs (kan_refit.c). */
static bool is_reinitialized(const gt_slot *previous, const gt_slot *next) {
  for (int d = 0; d < next->shape.rank && next->form; d++)
    if (d != 1 && next->shape.dim[d] != previous->shape.dim[d]) return true;
  return false;
}

/* True if some values of a parameter are dropped. */
static bool is_cut(const gt_slot *previous, const gt_slot *next) {
  for (int d = 0; d < next->shape.rank && !next->form; d++)
    if (next->shape.dim[d] < previous->shape.dim[d]) return true;
  return false;
}

/* "body.weight changes shape from [20, 64] to [5, 64]: some values are dropped", or of values that are
 * refitted "kan1: grid refined from 3 to 6, splines refitted" */
static const char *describe_resize(const gt_slot *previous, const gt_slot *next, gt_arena *arena) {
  char was[128], is[128];
  bool grows = false;
  for (int d = 0; d < next->shape.rank; d++) grows |= next->shape.dim[d] > previous->shape.dim[d];
  const bool cut = is_cut(previous, next);
  if (next->form && !is_reinitialized(previous, next) && next->describe_refit)
    return gt_arena_printf(arena, "%s: %s", gt_slot_layer(arena, next->name),
                           next->describe_refit(previous, next, arena));
  return gt_arena_printf(arena, "%s changes shape from %s to %s: %s", next->name,
                         gt_shape_text(previous->shape, was), gt_shape_text(next->shape, is),
                         is_reinitialized(previous, next) ? "all values are initialized again"
                         : cut && grows ? "some values are dropped, and new ones are initialized"
                         : cut          ? "some values are dropped"
                                        : "the added values are initialized");
}

typedef struct transfer { /* of the values of the previous phase to a phase */
  gt_config *config;
  const gt_model *previous, *next;
  const gt_spec *item;        /* the phase in train.phases */
  const gt_spec_names *names; /* names of the layers of the phase */
  int phase;                  /* from 1 */
  const char *layer;          /* the last layer reported to lose weights; NULL: none */
} transfer;

/* The key of the phase that changes this layer; NULL if there is none, so that only the layer's inputs have
 * changed. */
static const gt_spec *find_layer_key(const transfer *h, const char *layer) {
  static const char model[] = "model";
  for (int i = 0; i < h->item->count; i++) {
    const gt_spec *entry = h->item->child[i];
    if (!strcmp(entry->key, model)) return entry;
    if (!gt_is_in_section(entry->key, model)) continue;
    const char *path = entry->key + sizeof model;
    if (gt_is_in_section(path, layer)) return entry;
    for (int k = 0; k < h->names->count; k++)
      if (!strcmp(h->names->name[k], layer) &&
          (gt_is_in_section(path, h->names->path[k]) || gt_is_in_section(h->names->path[k], path)))
        return entry;
  }
  return NULL;
}

/* The size of the last axis of the layer's output. */
static int64_t width_in(const gt_model *model, const char *name) {
  const gt_model_layer *layer = gt_model_find_layer(model, name);
  return layer ? layer->output.dim[layer->output.rank - 1] : 0;
}

static gt_position position_of_layer(const gt_model *model, const char *name, const gt_spec *entry) {
  const gt_model_layer *layer = entry->kind == GT_SPEC_SEQUENCE ? gt_model_find_layer(model, name) : NULL;
  return layer ? layer->at : entry->at;
}

/* Reports a layer that loses trained weights, once. Does not report the layers after it, which only have
 * fewer inputs. Returns true if it reported the layer. */
static bool report_lost(transfer *h, const gt_slot *previous, const gt_slot *next) {
  gt_diagnostics *diagnostics = &h->config->diagnostics;
  const char *layer = gt_slot_layer(diagnostics->arena, next->name);
  if (!is_reinitialized(previous, next) && !is_cut(previous, next)) return false;
  const gt_spec *entry = find_layer_key(h, layer);
  if (entry && entry->kind == GT_SPEC_SEQUENCE && width_in(h->previous, layer) == width_in(h->next, layer))
    entry = h->layer ? NULL : entry; /* the phase lists all layers again, and this one is as wide as before */
  if (h->layer && (!entry || !strcmp(h->layer, layer))) return false;
  h->layer = layer;
  gt_finding_at(diagnostics, GT_FINDING_lost_weights,
                entry ? position_of_layer(h->next, layer, entry) : h->item->at,
                "layer '%s' loses trained weights in phase %d: %s", layer, h->phase,
                describe_resize(previous, next, diagnostics->arena))
      ->help = "keep the size that the layer has in the previous phase";
  return true;
}

static void check_transfer(transfer *h) {
  char was[128], is[128];
  gt_diagnostics *diagnostics = &h->config->diagnostics;
  const gt_store *previous = h->previous->store, *next = h->next->store;
  const gt_position at = h->item->at;
  for (int i = 0; i < next->slots; i++) {
    const gt_slot *slot = next->slot[i], *old = gt_store_find(previous, slot->name);
    if (!gt_slot_has_role(slot, GT_MODEL_ROLES)) continue;
    if (!old)
      gt_error_at(diagnostics, at, "the previous phase has no '%s': a phase cannot add layers or parameters",
                  slot->name);
    else if (!gt_shape_equal(slot->shape, old->shape) &&
             (!slot->refit || slot->shape.rank != old->shape.rank))
      gt_error_at(diagnostics, at,
                  "the shape of '%s' cannot change from %s to %s: its layer cannot be resized", slot->name,
                  gt_shape_text(old->shape, was), gt_shape_text(slot->shape, is));
    else if (!gt_shape_equal(slot->shape, old->shape) && gt_slot_has_role(slot, 1u << GT_PARAMETER) &&
             !report_lost(h, old, slot))
      gt_info("phase %d: %s", h->phase, describe_resize(old, slot, diagnostics->arena));
  }
  for (int i = 0; i < previous->slots; i++)
    if (gt_slot_has_role(previous->slot[i], GT_MODEL_ROLES) && !gt_store_find(next, previous->slot[i]->name))
      gt_error_at(diagnostics, at,
                  "'%s' of the previous phase is missing: a phase cannot remove layers or parameters",
                  previous->slot[i]->name);
}

/* The position of the key that determines the batch size of a phase, in this phase or an earlier one. */
static gt_position batch_position(const gt_config *previous, const gt_spec *item) {
  static const char *const keys[] = {"train.batch_size", "train.accumulate"};
  gt_position at = previous ? previous->batch_at : (gt_position){0};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const gt_spec *entry = gt_spec_find(item, keys[i]);
    if (entry) at = entry->at;
  }
  return at;
}

static bool read_phase(gt_config *config, gt_config *phase, gt_arena *arena, gt_spec *root) {
  gt_diagnostics *diagnostics = &config->diagnostics;
  *phase = *config;
  phase->root = root;
  gt_diagnostics_init(&phase->diagnostics, arena);
  gt_config_read_sections(phase, arena, diagnostics);
  if (diagnostics->errors) return false;
  phase->resolved = gt_config_resolve(phase, arena);
  return true;
}

/* The list of phases; NULL if there is none, or after reporting errors. */
static const gt_spec *items_of(gt_config *config) {
  const gt_spec *train = gt_spec_find(config->root, "train"), *node = gt_spec_find(train, "phases");
  gt_diagnostics *diagnostics = &config->diagnostics;
  if (gt_spec_is_null(node)) return NULL;
  const int errors = diagnostics->errors;
  if (node->kind != GT_SPEC_SEQUENCE || !node->count || node->count > MAX_PHASES)
    gt_error_at(diagnostics, node->at, "'phases' is not a list of 1 to %d phases", MAX_PHASES)->expected =
        "phases: [{epochs: 3}, {epochs: 2, optimizer.lr: 1.0e-4}]";
  else
    for (int i = 0; i < node->count; i++)
      if (node->child[i]->kind != GT_SPEC_MAP)
        gt_error_at(diagnostics, node->child[i]->at, "a phase is not a map")->expected =
            "a map such as {epochs: 2, optimizer.lr: 1.0e-4}";
  if (config->train.epochs || config->train.steps)
    gt_error_at(diagnostics, node->at, "the length of the run is given twice")->expected =
        "epochs or steps in each phase, but not in 'train' itself";
  if (config->train.restart_every)
    gt_error_at(diagnostics, node->at, "a run with restart_every cannot have phases")->expected =
        "restart_every or phases, not both";
  return diagnostics->errors == errors ? node : NULL;
}

bool gt_phases_read(gt_config *config, gt_arena *arena) {
  const int errors = config->diagnostics.errors;
  const gt_spec *items = items_of(config);
  if (!items) return config->diagnostics.errors == errors;
  gt_config *phase = GT_NEW_N(arena, gt_config, items->count);
  const gt_model *previous = NULL;
  const gt_spec *tree = config->root;
  for (int i = 0; i < items->count; i++) {
    gt_spec *root = phase_tree(config, arena, tree, items->child[i]);
    if (config->diagnostics.errors > errors || !read_phase(config, &phase[i], arena, root)) return false;
    phase[i].at = items->child[i]->at;
    phase[i].batch_at = batch_position(i ? &phase[i - 1] : NULL, items->child[i]);
    const gt_model *model = gt_config_build_model(&phase[i], arena, &config->diagnostics);
    if (!model) return false;
    const gt_spec_names *names = gt_model_layer_names(arena, root);
    if (previous) check_transfer(&(transfer){config, previous, model, items->child[i], names, i + 1, NULL});
    gt_change_read(&phase[i], i, items->child[i], model, arena, &config->diagnostics);
    previous = model;
    tree = root;
  }
  if (config->diagnostics.errors > errors) return false;
  config->root = phase[0].root;
  config->train = phase[0].train;
  config->optim = phase[0].optim;
  config->phase = phase;
  config->phases = items->count;
  return true;
}
