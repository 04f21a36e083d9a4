#include "train/twins.h"
#include "base/log.h"
#include "spec/spec.h"
#include <string.h>

static const char state_prefix[] = "state.";

static bool is_trained(const gt_parameters *parameters, int i) {
  return !parameters->group[parameters->item[i].group].frozen;
}

static const char *name_of(gt_arena *arena, const gt_training_variable *twin, const gt_parameter *parameter) {
  return gt_arena_printf(arena, "%s/%s", twin->name, parameter->name);
}

int gt_twins_as_tensors(gt_arena *arena, const gt_parameters *parameters, const gt_training_variable *twin,
                        const float *values, gt_stored *tensors) {
  int count = 0;
  for (int i = 0; i < parameters->count; i++) {
    const gt_parameter *p = &parameters->item[i];
    if (is_trained(parameters, i))
      tensors[count++] = (gt_stored){name_of(arena, twin, p), GT_F32, p->shape, values + p->offset};
  }
  return count;
}

static void start(const gt_parameter *p, const gt_training_variable *twin, const float *weights,
                  float *values) {
  for (int64_t k = p->offset; k < p->offset + p->count; k++)
    values[k] = twin->start == GT_START_PARAMETERS ? weights[k] : twin->start == GT_START_ONE ? 1 : 0;
}

/* --- the flat form
 * -------------------------------------------------------------------------------------------- */

/* How the parameters lay when the checkpoint was made. */
static bool former_layout(const gt_container *checkpoint, const char *path, gt_arena *arena,
                          gt_parameters *former, gt_error *error) {
  const char *config = gt_container_metadata(checkpoint, "config");
  gt_diagnostics diagnostics;
  gt_diagnostics_init(&diagnostics, arena);
  const gt_spec *root = gt_spec_parse(arena, path, config, strlen(config), &diagnostics);
  const gt_optim *optim = root ? gt_optim_read(arena, root, &diagnostics) : NULL;
  if (!optim)
    return gt_fail(error, GT_ERR_DATA, "%s: its optimizer cannot be read by this version of gtrain: %s", path,
                   diagnostics.count ? diagnostics.items[0].message : "its config is not YAML");
  *former = (gt_parameters){.item = GT_NEW_N(arena, gt_parameter, checkpoint->tensors + 1)};
  for (int i = 0; i < checkpoint->tensors; i++) {
    const gt_stored *tensor = &checkpoint->tensor[i];
    if (strncmp(tensor->name, state_prefix, sizeof state_prefix - 1))
      former->item[former->count++] = (gt_parameter){
          .name = tensor->name, .shape = tensor->shape, .count = gt_shape_count(tensor->shape)};
  }
  gt_parameters_layout(former, optim, arena);
  return true;
}

static bool from_flat(const gt_container *checkpoint, const char *path, const gt_parameters *parameters,
                      const gt_training_variable *twin, const gt_stored *flat, const float *weights,
                      float *values, gt_error *error) {
  gt_arena arena;
  gt_parameters former;
  gt_arena_init(&arena);
  bool ok = former_layout(checkpoint, path, &arena, &former, error);
  if (ok && (flat->dtype != GT_F32 || gt_shape_count(flat->shape) != former.trainable))
    ok = gt_fail(error, GT_ERR_DATA, "%s: its '%s' does not fit its parameters", path, flat->name);
  for (int i = 0; i < parameters->count && ok; i++) {
    const gt_parameter *p = &parameters->item[i], *q = gt_parameters_find(&former, p->name);
    if (!is_trained(parameters, i)) continue;
    if (q && q->count == p->count && q->offset + q->count <= former.trainable)
      memcpy(values + p->offset, (const float *)flat->data + q->offset, (size_t)p->count * sizeof *values);
    else
      start(p, twin, weights, values);
  }
  gt_arena_finish(&arena);
  return ok;
}

/* --- by name
 * -------------------------------------------------------------------------------------------------- */

static bool fits(const gt_stored *stored, const gt_parameter *p) {
  return stored->dtype == GT_F32 && gt_shape_equal(stored->shape, p->shape);
}

/* How many parameters found theirs in *found, the last that did not in *missing. */
static bool by_name(const gt_container *checkpoint, const char *path, const gt_parameters *parameters,
                    const gt_training_variable *twin, const float *weights, float *values, int *found,
                    const char **missing, gt_error *error) {
  gt_arena arena;
  gt_arena_init(&arena);
  *found = 0;
  *missing = NULL;
  bool ok = true;
  for (int i = 0; i < parameters->count && ok; i++) {
    const gt_parameter *p = &parameters->item[i];
    if (!is_trained(parameters, i)) continue;
    const char *name = name_of(&arena, twin, p);
    const gt_stored *stored = gt_container_tensor(checkpoint, name);
    if (!stored) {
      *missing = p->name;
      start(p, twin, weights, values);
    } else if (!fits(stored, p)) {
      ok = gt_fail(error, GT_ERR_DATA, "%s: its '%s' does not fit that parameter", path, name);
    } else {
      ++*found;
      memcpy(values + p->offset, stored->data, (size_t)p->count * sizeof *values);
    }
  }
  gt_arena_finish(&arena);
  return ok;
}

bool gt_twins_from_container(const gt_container *checkpoint, const char *path,
                             const gt_parameters *parameters, const gt_training_variable *twin,
                             const float *weights, float *values, gt_error *error) {
  char flat_name[256];
  const char *missing;
  int found;
  memset(values, 0, (size_t)twin->count * sizeof *values);
  if (!by_name(checkpoint, path, parameters, twin, weights, values, &found, &missing, error)) return false;
  if (found) {
    if (missing) gt_info("'%s' begins anew for what was frozen, such as '%s'", twin->name, missing);
    return true;
  }
  snprintf(flat_name, sizeof flat_name, "%s%s", state_prefix, twin->name);
  const gt_stored *flat = gt_container_tensor(checkpoint, flat_name);
  if (flat) return from_flat(checkpoint, path, parameters, twin, flat, weights, values, error);
  return gt_fail(error, GT_ERR_DATA, "%s was made with another optimizer: it has no fitting '%s'", path,
                 twin->name);
}
