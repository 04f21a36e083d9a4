#include "train/classes.h"

enum { MOST_SHOWN = 10, MOST_LACKED = 3 };

static const int64_t *count_split(const gt_split *split, int classes, gt_arena *arena) {
  const int32_t *label = split->targets.data;
  if (!split->samples || !label) return NULL;
  int64_t *count = GT_NEW_N(arena, int64_t, classes);
  for (int64_t i = 0; i < split->samples; i++) count[label[i]]++;
  return count;
}

gt_class_counts gt_class_counts_of(const gt_dataset *data, gt_arena *arena) {
  gt_class_counts c = {0};
  if (!data->classification || !data->train.targets.data) return c;
  const gt_split *split[] = {&data->train, &data->validation, &data->test};
  c.classes = data->classes;
  c.names = data->class_names;
  for (int s = 0; s < 3; s++) c.split[s] = count_split(split[s], c.classes, arena);
  return c;
}

const char *gt_class_name(const gt_class_counts *counts, int index, gt_arena *arena) {
  return counts->names ? counts->names[index] : gt_arena_printf(arena, "%d", index);
}

const char *gt_class_counts_text(const gt_class_counts *counts, gt_arena *arena) {
  const char *text = "";
  for (int i = 0; i < counts->classes && i < MOST_SHOWN; i++)
    text = gt_arena_printf(arena, "%s%s%s %lld", text, i ? ", " : "", gt_class_name(counts, i, arena),
                           (long long)counts->split[0][i]);
  return counts->classes > MOST_SHOWN ? gt_arena_printf(arena, "%s, ... (%d classes)", text, counts->classes)
                                      : text;
}

/* Classes of which one split has samples and the other has none. */
static const char *lacked(const gt_class_counts *c, const int64_t *has, const int64_t *lacks,
                          gt_arena *arena) {
  const char *text = "";
  int found = 0;
  for (int i = 0; i < c->classes; i++)
    if (has[i] && !lacks[i] && found++ < MOST_LACKED)
      text = gt_arena_printf(arena, "%s%s'%s'", text, *text ? ", " : "", gt_class_name(c, i, arena));
  return found > MOST_LACKED ? gt_arena_printf(arena, "%s and %d more", text, found - MOST_LACKED) : text;
}

static void review_split(gt_config *config, const gt_class_counts *c, int split, const char *name,
                         gt_arena *arena) {
  const gt_position at = gt_spec_find(config->root, "data")->at;
  const char *text;
  if (!c->split[split]) return;
  if (*(text = lacked(c, c->split[0], c->split[split], arena)))
    gt_finding_at(&config->diagnostics, GT_FINDING_missing_class, at,
                  "the %s split has no sample of class %s", name, text)
        ->help = "a larger split; its accuracy tells nothing about that class";
  if (*(text = lacked(c, c->split[split], c->split[0], arena)))
    gt_finding_at(&config->diagnostics, GT_FINDING_missing_class, at,
                  "the %s split has class %s, of which there is no training sample", name, text)
        ->help = "training samples of it; no model can learn it without";
}

/* Classes are numbered from 0; labels from 1 leave that one without a sample, and an output too many. */
static void review_empty(gt_config *config, const gt_class_counts *c, int found, int empty, gt_arena *arena) {
  const char *list = "";
  for (int i = 0, n = 0; i < c->classes && n < MOST_SHOWN + 1; i++)
    if (c->split[0][i] && ++n <= MOST_SHOWN)
      list = gt_arena_printf(arena, "%s%s%d", list, *list ? ", " : "", i);
    else if (n > MOST_SHOWN)
      list = gt_arena_printf(arena, "%s, ...", list);
  gt_finding_at(&config->diagnostics, GT_FINDING_empty_class, gt_spec_find(config->root, "data")->at,
                "no training sample is of class %d: labels count from 0, and %d of the %d classes occur",
                empty, found, c->classes)
      ->help =
      gt_arena_printf(arena, "data: {classes: [%s]} takes these labels for classes 0 to %d", list, found - 1);
}

void gt_config_review_classes(gt_config *config, gt_arena *arena) {
  const gt_class_counts c = gt_class_counts_of(&config->dataset, arena);
  int found = 0, only = 0, empty = -1;
  if (!c.classes) return;
  for (int i = 0; i < c.classes; i++)
    if (c.split[0][i])
      found++, only = i;
    else if (empty < 0)
      empty = i;
  if (found < c.classes && !c.names) review_empty(config, &c, found, empty, arena);
  if (found == 1)
    gt_finding_at(&config->diagnostics, GT_FINDING_one_class, gt_spec_find(config->root, "data")->at,
                  "all training samples are of one class, '%s': any model has an accuracy of 1 on them",
                  gt_class_name(&c, only, arena))
        ->help = "data with samples of each class";
  review_split(config, &c, 1, "validation", arena);
  review_split(config, &c, 2, "test", arena);
}
