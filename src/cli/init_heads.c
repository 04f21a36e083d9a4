/* gtrain init csv, several targets of different kinds: the `targets:` map, and a head and a loss for each. */
#include "base/names.h"
#include "cli/init.h"
#include <string.h>

static const gt_survey_column *column_of(const gt_scaffold *init, int index) {
  return &init->table.column[init->target[index]];
}

bool gt_scaffold_has_heads(const gt_scaffold *init) {
  bool classes = false;
  for (int i = 0; i < init->targets; i++) {
    const gt_survey_column *c = column_of(init, i);
    if (c->texts && (!c->kind || c->units)) return false; /* the error about the column is clearer */
    classes |= c->texts && *c->kind == 'c';
  }
  return classes && init->targets > 1 && !init->kind->task;
}

/* True if a target and its layer can have this name: it is valid, and no other layer of the config has it. */
static bool is_free_name(const char *name) {
  static const char *const layers[] = {"type", "input", "body", "linear1", "silu1", "linear2"};
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
    if (!strcmp(name, layers[i])) return false;
  return gt_is_name(name);
}

/* The name of a target and its layer, in YAML: that of the column or, if one of the columns has a name that
 * cannot be used, "target1", … */
static const char *head_name(const gt_scaffold *init, int index) {
  for (int i = 0; i < init->targets; i++)
    if (!is_free_name(column_of(init, i)->name)) return gt_arena_printf(init->arena, "target%d", index + 1);
  return gt_spec_word(init->arena, column_of(init, index)->name);
}

/* True if the column has numbers, not only 0 and 1, which are classes. */
static bool is_quantity(const gt_survey_column *c) {
  return !c->texts && !(c->whole && c->least == 0 && c->largest == 1);
}

void gt_scaffold_write_head_targets(const gt_scaffold *init, FILE *out) {
  int quantities = 0;
  fprintf(out, "  targets: {");
  for (int i = 0; i < init->targets; i++)
    fprintf(out, "%s%s: %s", i ? ", " : "", head_name(init, i),
            gt_spec_word(init->arena, column_of(init, i)->name));
  fprintf(out, "}  # the columns to predict, each with a layer of its target's name\n");
  for (int i = 0; i < init->targets; i++)
    if (is_quantity(column_of(init, i)))
      fprintf(out, "%s%s: regression", quantities++ ? ", " : "  task: {", head_name(init, i));
  if (quantities)
    fprintf(out, "}  # the others are classes\n"
                 "  normalize_targets: standard  # scale quantities for the loss\n");
}

void gt_scaffold_write_heads(const gt_scaffold *init, FILE *out) {
  for (int i = 0; i < init->targets; i++) {
    const gt_data_target *target = &init->dataset.target[i];
    fprintf(out, "  - linear: {units: %d, name: %s, from: body}%s\n",
            target->classification ? target->classes : 1, head_name(init, i),
            target->classification ? "  # one output for each class" : "");
  }
}

void gt_scaffold_write_head_losses(const gt_scaffold *init, FILE *out) {
  fprintf(out, "\nloss: {");
  for (int i = 0; i < init->targets; i++)
    fprintf(out, "%s%s: %s", i ? ", " : "", head_name(init, i),
            init->dataset.target[i].classification ? "cross_entropy" : "mse");
  fprintf(out, "}  # their sum; {type: mse, weight: 0.5} gives one less weight\n");
}
