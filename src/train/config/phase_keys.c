/* The keys of a phase: its length, changes (change.h), and paths in sections of the config. */
#include "train/config/phases.h"
#include "spec/hint.h"
#include "base/text.h"
#include <string.h>

bool gt_is_in_section(const char *key, const char *section) {
  const size_t length = strlen(section);
  return !strncmp(key, section, length) && (!key[length] || key[length] == '.');
}

typedef struct phase_keys {
  int64_t epochs, steps;
  const gt_spec *model, *optimizer, *schedule, *augment;
} phase_keys;

static const gt_field phase_fields[] = {
    GT_ROW(phase_keys, epochs, GT_FIELD_INT, .min = 1, .max = 1e9, .help = "length of the phase in epochs"),
    GT_ROW(phase_keys, steps, GT_FIELD_INT, .min = 1, .max = 4e9,
           .help = "length of the phase in optimizer steps, instead of epochs"),
    GT_ROW(phase_keys, model, GT_FIELD_NODE, .definition = "layers",
           .help = "the same layers with other settings; as a path: model.0.linear.units"),
    GT_ROW(phase_keys, optimizer, GT_FIELD_NODE, .definition = "optimizer",
           .help = "another optimizer; as a path: optimizer.lr"),
    GT_ROW(phase_keys, schedule, GT_FIELD_NODE, .definition = "schedule",
           .help = "another schedule; as a path: schedule.warmup"),
    GT_ROW(phase_keys, augment, GT_FIELD_NODE, .definition = "augment",
           .help = "other augmentations; keys of `train` are changed by path: train.batch_size"),
};

const gt_schema *gt_phase_schema(gt_arena *arena) {
  enum { FIELDS = sizeof phase_fields / sizeof *phase_fields };
  const int changes = gt_change_count();
  gt_field *fields = GT_NEW_N(arena, gt_field, FIELDS + changes + 1); /* the last has no name */
  gt_schema *schema = GT_NEW(arena, gt_schema);
  memcpy(fields, phase_fields, sizeof phase_fields);
  for (int i = 0; i < changes; i++) {
    const gt_change_type *type = gt_change_at(i);
    fields[FIELDS + i] =
        (gt_field){.name = type->name, .type = GT_FIELD_MAP, .sub = type->schema, .help = type->schema->help};
  }
  *schema = (gt_schema){
      .name = "phase", .help = "a part of the run with a length and settings of its own", .fields = fields};
  return schema;
}

/* Keys of a phase: its length, changes (change.h), and paths in these sections … */
static const char *const lengths[] = {"epochs", "steps"};
static const char *const sections[] = {"model", "optimizer", "schedule", "augment", "train"};
/* … except these, which belong to the whole run. */
static const char *const fixed[] = {"train.phases", "train.threads", "train.restart_every", "train.epochs",
                                    "train.steps"};
enum {
  LENGTHS = sizeof lengths / sizeof *lengths,
  SECTIONS = sizeof sections / sizeof *sections,
  FIXED = sizeof fixed / sizeof *fixed
};

bool gt_phase_may_change(const char *key) {
  for (size_t i = 0; i < FIXED; i++)
    if (gt_is_in_section(key, fixed[i])) return false;
  for (size_t i = 0; i < SECTIONS; i++)
    if (gt_is_in_section(key, sections[i])) return strcmp(key, "train") != 0;
  return false;
}

static bool is_field(const gt_schema *schema, const char *key) {
  for (const gt_field *field = schema->fields; field->name; field++)
    if (gt_is_in_section(key, field->name)) return true;
  return false;
}

/* Returns all keys that a phase may have: lengths, changes, and the names of sections. */
static const char *const *list_phase_keys(gt_arena *arena, size_t *count) {
  const char **keys = GT_NEW_N(arena, const char *, LENGTHS + gt_change_count() + SECTIONS);
  *count = 0;
  for (int i = 0; i < LENGTHS; i++) keys[(*count)++] = lengths[i];
  for (int i = 0; i < gt_change_count(); i++) keys[(*count)++] = gt_change_at(i)->name;
  for (int i = 0; i < SECTIONS; i++) keys[(*count)++] = sections[i];
  return keys;
}

/* The key that was probably meant, if `key` has no section or is mistyped; otherwise NULL. */
static const char *suggest_key(gt_arena *arena, const gt_spec *root, const char *key) {
  if (!strcmp(key, "lr") || gt_spec_find(gt_spec_find(root, "optimizer"), key))
    return gt_arena_printf(arena, "optimizer.%s", key);
  if (is_field(&gt_train_schema, key)) return gt_arena_printf(arena, "train.%s", key);
  size_t count;
  const char *const *keys = list_phase_keys(arena, &count);
  const size_t length = strcspn(key, ".");
  const char *near = gt_nearest(gt_arena_strndup(arena, key, length), keys, count);
  return near ? gt_arena_printf(arena, "%s%s", near, key + length) : NULL;
}

void gt_phase_report_key(gt_config *config, const gt_spec *root, const gt_spec *entry) {
  gt_diagnostics *diagnostics = &config->diagnostics;
  const bool known = is_field(&gt_config_schema, entry->key);
  gt_diagnostic *item =
      gt_error_at(diagnostics, entry->key_at,
                  known ? "a phase cannot change '%s'" : "unknown key '%s' in a phase", entry->key);
  item->expected =
      "epochs, steps, or a key of model, optimizer, schedule, augment or train, such as optimizer.lr";
  if (known) return;
  size_t count;
  const char *const *keys = list_phase_keys(diagnostics->arena, &count);
  const gt_hint hint = gt_hint_key(diagnostics, "phase", entry->key, NULL, keys, count);
  item->suggestion = suggest_key(diagnostics->arena, root, entry->key);
  if (!item->suggestion && hint.from_table) item->suggestion = hint.suggestion;
  if (!item->suggestion) item->help = hint.help;
}

bool gt_phase_is_length(const char *key) {
  for (int i = 0; i < LENGTHS; i++)
    if (!strcmp(key, lengths[i])) return true;
  return false;
}

bool gt_phase_is_change(const char *key) {
  for (int i = 0; i < gt_change_count(); i++)
    if (!strcmp(key, gt_change_at(i)->name)) return true;
  return false;
}
