#include "train/former.h"
#include "optim/groups.h"
#include "spec/spec.h"
#include <string.h>

static const char prefix[] = "state.";
enum { MOST_FLAT = 16 };

static bool is_state(const gt_stored *tensor) { return !strncmp(tensor->name, prefix, sizeof prefix - 1); }

/* Twins of all parameters in one; today there is none of these names. */
static bool is_flat(const gt_stored *tensor) {
  return !strncmp(tensor->name, "state.optimizer.", 16) || !strcmp(tensor->name, "state.ema");
}

static int count_flat(const gt_container *checkpoint) {
  int count = 0;
  for (int i = 0; i < checkpoint->tensors; i++) count += is_flat(&checkpoint->tensor[i]);
  return count;
}

/* How the parameters lay when the checkpoint was made. */
static gt_store *former_layout(const gt_container *checkpoint, const char *path, gt_arena *arena,
                               gt_error *error) {
  const char *config = gt_container_metadata(checkpoint, "config");
  gt_diagnostics diagnostics;
  gt_diagnostics_init(&diagnostics, arena);
  const gt_spec *root = gt_spec_parse(arena, path, config, strlen(config), &diagnostics);
  const gt_optim *optim = root ? gt_optim_read(arena, root, &diagnostics) : NULL;
  if (!optim) {
    gt_fail(error, GT_ERR_DATA, "%s: its optimizer cannot be read by this version of gtrain: %s", path,
            diagnostics.count ? diagnostics.items[0].message : "its config is not YAML");
    return NULL;
  }
  gt_store *store = gt_store_create(arena);
  for (int i = 0; i < checkpoint->tensors; i++) {
    const gt_stored *tensor = &checkpoint->tensor[i];
    if (!is_state(tensor))
      gt_store_add(store, (gt_slot){.name = tensor->name, .role = GT_PARAMETER, .shape = tensor->shape});
  }
  gt_optim_layout(optim, store);
  return store;
}

static bool add_twins(gt_container *checkpoint, const char *path, const gt_stored *flat, gt_store *store,
                      gt_error *error) {
  if (flat->dtype != GT_F32 || gt_shape_count(flat->shape) != store->trainable)
    return gt_fail(error, GT_ERR_DATA, "%s: its '%s' does not fit its parameters", path, flat->name);
  for (int i = 0; i < store->parameters; i++) {
    const gt_slot *p = store->parameter[i];
    const char *name = gt_arena_printf(&checkpoint->arena, "%s/%s", flat->name + sizeof prefix - 1, p->name);
    if (!gt_slot_is_frozen(store, p))
      checkpoint->tensor[checkpoint->tensors++] =
          (gt_stored){name, GT_F32, p->shape, (const float *)flat->data + p->offset};
  }
  return true;
}

bool gt_former_twins(gt_container *checkpoint, const char *path, gt_error *error) {
  const int tensors = checkpoint->tensors, flat = count_flat(checkpoint);
  gt_arena *arena = &checkpoint->arena;
  if (!flat) return true;
  if (flat > MOST_FLAT)
    return gt_fail(error, GT_ERR_DATA, "%s: no optimizer keeps %d values for each parameter", path, flat);
  gt_store *store = former_layout(checkpoint, path, arena, error);
  if (!store) return false;
  gt_stored *all =
      gt_arena_alloc_n(arena, (size_t)tensors + (size_t)flat * (size_t)store->parameters, sizeof *all);
  memcpy(all, checkpoint->tensor, (size_t)tensors * sizeof *all);
  checkpoint->tensor = all;
  for (int i = 0; i < tensors; i++)
    if (is_flat(&all[i]) && !add_twins(checkpoint, path, &all[i], store, error)) return false;
  return true;
}
