/* A change (train/config/change.h) that multiplies all parameters by a number at the start of a phase, and
 * that checkpoints record. */
#include "train/config/change.h"
#include "train/run/sink.h"

typedef struct multiply_settings {
  double by;
} multiply_settings;

static const gt_field fields[] = {
    GT_ROW(multiply_settings, by, GT_FIELD_FLOAT, .fallback = "0.5", .min = -2, .max = 2,
           .help = "the number"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "multiply", .help = "multiplies parameters", .fields = fields, .shorthand = "by"};

static const void *read(const struct gt_config *phase, const gt_spec *node, const struct gt_model *model,
                        gt_arena *arena, gt_diagnostics *diagnostics) {
  multiply_settings *settings = GT_NEW(arena, multiply_settings);
  (void)phase, (void)model;
  return gt_schema_read(&schema, settings, NULL, NULL, node, node->at, "in 'multiply'", arena, diagnostics)
             ? settings
             : NULL;
}

static bool apply(const gt_change_run *run, const void *settings, gt_state_dict *dict, gt_error *error) {
  const multiply_settings *s = settings;
  const gt_slot_values values = gt_state_dict_values(dict);
  (void)error;
  for (int i = 0; i < dict->store->slots; i++) {
    const gt_slot *slot = dict->store->slot[i];
    if (slot->role != GT_PARAMETER) continue;
    float *value = values.find(&values, slot->name);
    for (int64_t k = 0; k < slot->count; k++) value[k] *= (float)s->by;
  }
  gt_sinks_message(run->sinks, "multiplied by %g", s->by);
  return true;
}

static const char *note(const struct gt_model *model, gt_arena *arena) {
  (void)model, (void)arena;
  return "done";
}

static bool resume(struct gt_config *base, int64_t phase, const gt_container *checkpoint, const char *path,
                   gt_arena *arena, gt_error *error) {
  /* gt_change_type.note is called after a change of any type, so every one leaves this note. */
  const bool is_noted = gt_container_metadata(checkpoint, schema.name) != NULL;
  (void)arena;
  if (is_noted == (gt_change_last(base, phase, NULL) >= 0)) return true;
  return gt_fail(error, GT_ERR_DATA, "%s: its note of 'multiply' is wrong", path);
}

GT_DEFINE(change, multiply) = {.name = "multiply",
                               .backup_file = "unmultiplied.bin",
                               .too_early = "there is nothing to multiply yet",
                               .schema = &schema,
                               .read = read,
                               .apply = apply,
                               .note = note,
                               .resume = resume};
