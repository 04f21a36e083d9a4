#include "train/config/classes.h"
#include "base/log.h"
#include "base/text.h"
#include "train/config/review.h"
#include <math.h>
#include <string.h>

/* MAX_SHOWN: classes that a message lists; MAX_MISSING: missing ones that it lists; LARGEST_LABEL: the
 * largest number that could be a label. */
enum { MAX_SHOWN = 10, MAX_MISSING = 3, LARGEST_LABEL = 999 };

/* "'a', 'b'"; the first ones if there are many classes. */
static const char *list_names(const gt_class_table *c, gt_arena *arena) {
  gt_list list = gt_list_open(arena, MAX_SHOWN);
  for (int i = 0; i < c->classes; i++) gt_list_add(&list, "'%s'", c->name[i]);
  return gt_list_text(&list, ", ...");
}

/* " of target 'kind'" if there are several targets, otherwise "". */
static const char *of_target(const gt_class_table *c, gt_arena *arena) {
  return c->target ? gt_arena_printf(arena, " of target '%s'", c->target) : "";
}

/* Lists the classes of which `has` counts at least `least` samples (NULL: all) and `lacks` none. */
static const char *list_missing(const gt_class_table *c, const int64_t *has, const int64_t *lacks,
                                int64_t least, gt_arena *arena) {
  gt_list list = gt_list_open(arena, MAX_MISSING);
  for (int i = 0; i < c->classes; i++)
    if ((!has || has[i] >= least) && !lacks[i]) gt_list_add(&list, "'%s'", c->name[i]);
  return gt_list_more(&list);
}

static void review_split(gt_config *config, const gt_class_table *c, int split, gt_arena *arena) {
  const gt_position at = gt_config_place_of_split(config, split);
  /* The finding rare_class already names classes with a single sample. */
  const int64_t least = gt_diagnostics_has(&config->diagnostics, GT_FINDING_rare_class) ? 2 : 1;
  const char *text;
  if (!c->part[split].count) return;
  if (*(text = list_missing(c, c->part[0].count, c->part[split].count, least, arena)))
    gt_finding_at(&config->diagnostics, GT_FINDING_missing_class, at,
                  "the %s split has no sample of class %s%s", gt_part_keys[split], text, of_target(c, arena))
        ->help = "a larger split; its accuracy tells nothing about that class";
  if (*(text = list_missing(c, c->part[split].count, c->part[0].count, 1, arena)))
    gt_finding_at(&config->diagnostics, GT_FINDING_missing_class, at,
                  "the %s split has class %s%s, but the training split does not", gt_part_keys[split], text,
                  of_target(c, arena))
        ->help = "add training samples of this class; no model can learn it without them";
}

/* "1, 2, 3": the classes with training samples; the first ones if there are many. */
static const char *list_found(const gt_class_table *c, gt_arena *arena) {
  gt_list list = gt_list_open(arena, MAX_SHOWN);
  for (int i = 0; i < c->classes; i++)
    if (c->part[0].count[i]) gt_list_add(&list, "%d", i);
  return gt_list_text(&list, ", ...");
}

static int count_found(const gt_class_table *c) {
  int found = 0;
  for (int i = 0; i < c->classes; i++) found += c->part[0].count[i] > 0;
  return found;
}

static const char *classes_help(const gt_class_table *c, const char *condition, gt_arena *arena) {
  return gt_arena_printf(arena,
                         "data: {task: classification, classes: [%s]}, which numbers these labels from 0%s",
                         list_found(c, arena), condition);
}

/* class_names may list a class that has no sample: a misspelled name, or a class of other data. */
static void review_listed(gt_config *config, const gt_class_table *c, gt_arena *arena) {
  const gt_spec *listed = gt_spec_find(gt_spec_find(config->root, "data"), "class_names");
  const char *text = list_missing(c, NULL, c->part[0].count, 1, arena);
  if (!gt_spec_is_null(listed) && *text)
    gt_finding_at(&config->diagnostics, GT_FINDING_empty_class, listed->at,
                  "class_names lists %s, but no training sample has such a label", text)
        ->help = "names of the classes that occur, or samples of the others";
}

/* Classes are numbered from 0: if labels count from 1, class 0 has no sample, and the model has one output
 * too many. */
static void review_empty(gt_config *config, int target, const gt_class_table *c, int found, int empty,
                         gt_arena *arena) {
  gt_finding_at(&config->diagnostics, GT_FINDING_empty_class, gt_spec_find(config->root, "data")->at,
                "class %d%s has no training sample: labels count from 0, and %d of the %d classes occur",
                empty, of_target(c, arena), found, c->classes)
      ->help = gt_train_target(&config->dataset, target)->rank > 1
                   ? gt_arena_printf(arena, "ignore_index: %d, if that label does not count", c->classes - 1)
               : config->dataset.targets > 1 || config->dataset.target[target].horizon
                   ? "labels in the file that count from 0, or texts, such as c1"
                   : classes_help(c, "", arena);
}

/* Counts number targets as labels if they could be labels: one column of whole numbers from 0 to
 * LARGEST_LABEL. */
static gt_class_table count_possible_labels(const gt_tensor *targets, int64_t horizon, gt_arena *arena) {
  const float *value = targets->data;
  const int64_t each = horizon ? horizon : 1;
  gt_class_table c = {0};
  if (targets->element != GT_ELEMENT_F32 || !value || gt_tensor_features(targets) != each) return c;
  int64_t *count = GT_NEW_N(arena, int64_t, LARGEST_LABEL + 1);
  int classes = 0;
  for (int64_t i = 0; i < targets->dim[0] * each; i++) {
    const float v = value[i];
    if (v < 0 || v > LARGEST_LABEL || v != floorf(v)) return c;
    count[(int)v]++;
    if (v >= (float)classes) classes = (int)v + 1;
  }
  return (gt_class_table){.classes = classes, .part = {{count, NULL}}};
}

const char *gt_class_advice(const gt_dataset *data, int target, gt_arena *arena) {
  static const char condition[] = ", if the targets are classes";
  gt_class_table c = gt_class_table_of(data, target, arena);
  if (c.is_named) return gt_arena_printf(arena, "the classes are %s", list_names(&c, arena));
  const bool numbers = !c.classes;
  const bool series = data->target[target].horizon; /* a series cannot have a list of classes */
  if (numbers) c = count_possible_labels(gt_train_target(data, target), data->target[target].horizon, arena);
  const int found = count_found(&c);
  if (!c.classes || (!numbers && found == c.classes)) return NULL;
  if (!numbers && series) return NULL;
  if (found > 1 && found < c.classes && data->targets > 1)
    return "labels in the file that count from 0, or texts, such as c1";
  if (found > 1 && found < c.classes && !series) return classes_help(&c, numbers ? condition : "", arena);
  return numbers ? gt_arena_printf(arena, "data: {task: classification}%s", condition) : NULL;
}

/* Warns if boards or pictures that are targets consist of a single value. */
static void review_blank(gt_config *config, int target, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  const gt_tensor *targets = gt_train_target(data, target);
  const gt_spec *node = gt_spec_find(config->root, "data"), *image = gt_spec_find(node, "image");
  const float *value = targets->data;
  const int64_t count = targets->dim[0] * gt_tensor_features(targets);
  int64_t i = 1;
  while (i < count && value[i] == value[0]) i++;
  if (i < count || count < 2) return;
  const char *name = data->target[target].name;
  gt_finding_at(&config->diagnostics, GT_FINDING_constant_target, image ? image->at : node->at,
                data->boards ? "all cells of the target board%s are %.6g"
                             : "all values of the target%s are %.6g",
                name ? gt_arena_printf(arena, " '%s'", name) : "", (double)value[0])
      ->help = image
                   ? "an image with pixels below 128 and pixels from 128 on; transparent ones count as black"
                   : "targets with different values";
}

/* Warns if a target has the same value in all training samples: nothing can be learned. */
static void review_constant(gt_config *config, int target, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  const gt_tensor *targets = gt_train_target(data, target);
  const float *value = targets->data;
  const int64_t columns = targets->rank == 2 ? gt_tensor_features(targets) : 0;
  const gt_spec *node = gt_spec_find(config->root, "data"), *at = gt_spec_find(node, "target");
  if (data->target[target].classification || config->loss[target]->type->residual || !value ||
      targets->element != GT_ELEMENT_F32)
    return;
  if (targets->rank > 2) review_blank(config, target, arena);
  for (int64_t k = 0; k < columns && targets->dim[0] > 1; k++) {
    int64_t i = 1;
    while (i < targets->dim[0] && value[i * columns + k] == value[k]) i++;
    if (i < targets->dim[0]) continue;
    const char *name =
        data->target[target].columns ? gt_arena_printf(arena, " '%s'", data->target[target].columns[k]) : "";
    gt_finding_at(&config->diagnostics, GT_FINDING_constant_target, at ? at->at : node->at,
                  "the target%s is %.6g in all training samples", name, (double)value[k])
        ->help = "another target, or data in which it varies";
  }
}

/* --- balanced weights --- */

/* The node of `class_weights: balanced` in the loss of a target; NULL: there is none. */
static gt_spec *balanced_node(const gt_config *config, const char *target) {
  const gt_spec *loss = gt_spec_find(config->root, "loss");
  if (target) loss = gt_spec_find(loss, target);
  for (int i = 0; loss && i < loss->count; i++) {
    gt_spec *child = loss->child[i];
    if (child->key && !strcmp(child->key, "class_weights") && child->kind == GT_SPEC_SCALAR &&
        !strcmp(child->scalar, "balanced"))
      return child;
  }
  return NULL;
}

static void balance_classes(gt_config *config, int target, gt_arena *arena) {
  gt_spec *node = balanced_node(config, config->dataset.target[target].name);
  const gt_class_table c = gt_class_table_of(&config->dataset, target, arena);
  gt_list list = gt_list_open(arena, MAX_SHOWN);
  int64_t all = 0;
  if (!node || !c.classes) return;
  for (int i = 0; i < c.classes; i++) all += c.part[0].count[i];
  node->kind = GT_SPEC_SEQUENCE;
  node->scalar = NULL;
  for (int i = 0; i < c.classes; i++) {
    const int64_t count = c.part[0].count[i];
    const char *weight =
        gt_arena_printf(arena, "%.6g", count ? (double)all / ((double)c.classes * (double)count) : 1.0);
    gt_spec *item = gt_spec_add(arena, node, NULL, gt_spec_text(arena, weight));
    item->at = node->at;
    gt_list_add(&list, "%s %s", c.name[i], weight);
  }
  gt_info("balanced class weights%s: %s", of_target(&c, arena), gt_list_text(&list, ", ..."));
}

/* Without the data the weights are unknown; the loss is then checked as if it had no class weights. */
static void remove_balanced(const gt_config *config) {
  const char *names[GT_DATA_MAX_TARGETS] = {NULL};
  const int count = gt_data_target_names(gt_spec_find(config->root, "data"), names);
  for (int k = 0; k < (count ? count : 1); k++) {
    gt_spec *node = balanced_node(config, names[k]);
    if (node) node->kind = GT_SPEC_SEQUENCE, node->scalar = NULL;
  }
}

void gt_config_balance_classes(gt_config *config, gt_arena *arena) {
  if (!config->has_dataset) remove_balanced(config);
  for (int k = 0; config->has_dataset && k < config->dataset.targets; k++) balance_classes(config, k, arena);
}

/* --- the positive class --- */

/* What is computed for the positive class only: a metric of evaluations, or the threshold; NULL: nothing. */
static const char *asked_of_positive(const gt_config *config, int target) {
  const gt_metric_list *list = &config->metrics[target];
  const gt_threshold *t = &config->threshold;
  for (int i = 0; i < list->count; i++)
    if (list->type[i]->of_positive) return list->type[i]->name;
  return t->used && (!t->automatic || t->metric->of_positive) ? "the threshold" : NULL;
}

/* Warns if nothing tells which of two classes is the positive one, and the second has most samples: what is
 * looked for is usually rare. */
static void review_positive(gt_config *config, int target, const gt_class_table *c, gt_arena *arena) {
  const gt_spec *data = gt_spec_find(config->root, "data"), *node = gt_spec_find(data, "target");
  const char *asked = asked_of_positive(config, target);
  const int64_t *count = c->part[0].count;
  if (config->dataset.target[target].positive_by != GT_POSITIVE_UNNAMED || !asked) return;
  if (!count[1] || 3 * count[1] < 2 * (count[0] + count[1])) return;
  gt_finding_at(&config->diagnostics, GT_FINDING_unnamed_positive, node ? node->at : data->at,
                "%s is that of class '%s'%s, which %.3g %% of the training samples have", asked, c->name[1],
                of_target(c, arena), 100 * (double)count[1] / (double)(count[0] + count[1]))
      ->help = gt_arena_printf(
      arena, "data: {positive: %s}, or %s if that class is meant",
      c->target ? gt_arena_printf(arena, "{%s: %s}", c->target, c->name[0]) : c->name[0], c->name[1]);
}

void gt_config_write_positive(gt_config *config, gt_arena *arena) {
  const gt_dataset *dataset = &config->dataset;
  gt_spec *data = gt_spec_find(config->root, "data"), *to = data;
  for (int k = 0; k < dataset->targets; k++) {
    const gt_data_target *target = &dataset->target[k];
    const char *key = target->name ? target->name : "positive";
    if (target->positive_by == GT_POSITIVE_BY_WORDS) continue;
    if (target->name && to == data && gt_spec_is_null(to = gt_spec_find(data, "positive"))) {
      gt_spec_remove(data, "positive");
      to = gt_spec_add(arena, data, "positive", gt_spec_new(arena, GT_SPEC_MAP));
    }
    if (!gt_spec_is_null(gt_spec_find(to, key))) continue;
    gt_spec_remove(to, key);
    gt_spec_add(arena, to, key, gt_spec_text(arena, gt_class_name(target, 0, target->positive, arena)));
  }
}

static void review_target(gt_config *config, int target, gt_arena *arena) {
  const gt_class_table c = gt_class_table_of(&config->dataset, target, arena);
  int only = 0, empty = -1;
  review_constant(config, target, arena);
  if (!c.classes) return;
  const int found = count_found(&c);
  for (int i = 0; i < c.classes; i++)
    if (c.part[0].count[i])
      only = i;
    else if (empty < 0)
      empty = i;
  if (found > 1 && found < c.classes && !c.is_named) review_empty(config, target, &c, found, empty, arena);
  if (c.is_named) review_listed(config, &c, arena);
  if (found == 1 && !gt_diagnostics_has(&config->diagnostics, GT_FINDING_splits_as_classes))
    gt_finding_at(&config->diagnostics, GT_FINDING_one_class, gt_spec_find(config->root, "data")->at,
                  "all training samples have the same class%s, '%s': any model has an accuracy of 1 on them",
                  of_target(&c, arena), c.name[only])
        ->help = "data with samples of each class";
  review_positive(config, target, &c, arena);
  review_split(config, &c, GT_PART_VALIDATION, arena);
  review_split(config, &c, GT_PART_TEST, arena);
}

void gt_config_review_classes(gt_config *config, gt_arena *arena) {
  for (int k = 0; k < config->dataset.targets; k++) review_target(config, k, arena);
}
