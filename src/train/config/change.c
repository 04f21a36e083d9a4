#include "train/config/change.h"
#include "train/config/config.h"

#define GT_KIND change
#include "base/registered.h"

int64_t gt_change_last(const gt_config *base, int64_t phase, const gt_change_type *type) {
  int64_t p = phase < base->phases ? phase : base->phases - 1;
  for (; p >= 0; p--) {
    const gt_change_type *change = base->phase[p].change.type;
    if (change && (!type || change == type)) break;
  }
  return p;
}

void gt_change_read(gt_config *phase, int index, const gt_spec *item, const struct gt_model *model,
                    gt_arena *arena, gt_diagnostics *diagnostics) {
  for (int i = 0; i < TYPES; i++) {
    const gt_change_type *type = types[i], *first = phase->change.type;
    const gt_spec *node = gt_spec_find(item, type->name);
    if (!node) continue;
    if (!index) gt_error_at(diagnostics, node->at, "%s", type->too_early)->expected = type->expected;
    if (first)
      gt_error_at(diagnostics, node->at, "a phase can start with '%s' or '%s', not with both", first->name,
                  type->name)
          ->expected = "two phases, one for each";
    const void *settings = type->read(phase, node, model, arena, diagnostics);
    if (settings) phase->change = (gt_change){type, settings};
  }
}

int gt_change_notes(const gt_config *base, int64_t phase, const struct gt_model *model, gt_arena *arena,
                    gt_metadata *out) {
  int notes = 0;
  if (gt_change_last(base, phase, NULL) < 0) return 0;
  for (int i = 0; i < TYPES; i++) {
    const char *text = types[i]->note ? types[i]->note(model, arena) : NULL;
    if (text) out[notes++] = (gt_metadata){types[i]->name, text};
  }
  return notes;
}

bool gt_change_resume(gt_config *base, int64_t phase, const gt_container *checkpoint, const char *path,
                      gt_arena *arena, gt_error *error) {
  for (int i = 0; i < TYPES; i++)
    if (!types[i]->resume(base, phase, checkpoint, path, arena, error)) return false;
  return true;
}
