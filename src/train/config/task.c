#include "train/config/task.h"
#include "train/config/classes.h"
#include <string.h>

enum { MAX_NAMES = 4 }; /* labels in the text of a task */

static const char *percent(double share, gt_arena *arena) {
  const double p = 100 * share, rest = 100 - p;
  const bool needs_digits = (p > 0 && p < 0.05) || (rest > 0 && rest < 0.05);
  return gt_arena_printf(arena, needs_digits ? "%.4f %%" : "%.1f %%", p);
}

/* --- classes --- */

static const char *share(const int64_t count[2], int class, gt_arena *arena) {
  return percent((double)count[class] / (double)(count[0] + count[1]), arena);
}

static const char *shares_of_two(const gt_data_target *target, const int64_t count[2], gt_arena *arena) {
  static const char mark[] = " (positive)";
  return gt_arena_printf(arena, ": '%s' %s%s, '%s' %s%s", gt_class_name(target, 0, 0, arena),
                         share(count, 0, arena), target->positive ? "" : mark,
                         gt_class_name(target, 0, 1, arena), share(count, 1, arena),
                         target->positive ? mark : "");
}

static gt_task task_of_classes(const gt_dataset *data, int target, gt_arena *arena) {
  const gt_data_target *of = &data->target[target];
  const int64_t *count = gt_class_items_of(data, &data->split[GT_PART_TRAIN], target, 0, 1, arena).count;
  const bool per_label = gt_train_target(data, target)->rank > 1;
  if (of->classes == 2 && count && count[0] + count[1] > 0)
    return (gt_task){per_label ? "binary classification of each label" : "binary classification",
                     shares_of_two(of, count, arena), gt_class_name(of, 0, of->positive, arena), NULL};
  const char *about = gt_arena_printf(arena, ": %d class%s", of->classes, of->classes == 1 ? "" : "es");
  return (gt_task){per_label ? "classification of each label" : "classification", about, NULL, NULL};
}

/* --- numbers --- */

static bool are_bits(const gt_config *config, int target) {
  const gt_tensor *targets = gt_train_target(&config->dataset, target);
  return gt_metric_task_of(config->loss[target]) == GT_METRIC_BITS && targets->rank == 2 && targets->data &&
         gt_targets_are_bits(targets);
}

static gt_task task_of_bits(const gt_dataset *data, int target, gt_arena *arena) {
  const gt_data_target *of = &data->target[target];
  const int64_t outputs = gt_train_target(data, target)->dim[1], *count;
  if (outputs == 1) {
    count = gt_class_items_of(data, &data->split[GT_PART_TRAIN], target, 0, 1, arena).count;
    return (gt_task){"binary classification", shares_of_two(of, count, arena), gt_class_name(of, 0, 1, arena),
                     NULL};
  }
  const char *text = gt_arena_printf(arena, ": %lld labels", (long long)outputs);
  for (int64_t o = 0; of->columns && o < outputs && o < MAX_NAMES; o++) {
    count = gt_class_items_of(data, &data->split[GT_PART_TRAIN], target, o, outputs, arena).count;
    text = gt_arena_printf(arena, "%s '%s' %s%s", o ? text : ":", of->columns[o], share(count, 1, arena),
                           o + 1 == outputs     ? ""
                           : o + 1 == MAX_NAMES ? ", ..."
                                                : ",");
  }
  return (gt_task){"multi-label classification", text, NULL, NULL};
}

static gt_task task_of_forecast(const gt_data_target *target, int64_t outputs, gt_arena *arena) {
  const int64_t columns = outputs / target->horizon;
  const char *about =
      columns == 1 && target->row_columns
          ? gt_arena_printf(arena, " of '%s'", target->row_columns[0])
          : gt_arena_printf(arena, " of %lld target%s", (long long)columns, columns == 1 ? "" : "s");
  return (gt_task){"forecast",
                   gt_arena_printf(arena, "%s, %lld row%s ahead", about, (long long)target->horizon,
                                   target->horizon == 1 ? "" : "s"),
                   NULL, NULL};
}

static gt_task task_of_numbers(const gt_dataset *data, int target, gt_arena *arena) {
  const int64_t outputs = gt_tensor_features(gt_train_target(data, target));
  const char *about = "";
  if (data->target[target].horizon) return task_of_forecast(&data->target[target], outputs, arena);
  if (gt_train_target(data, target)->rank > 2)
    about = " of images";
  else if (outputs > 1)
    about = gt_arena_printf(arena, " of %lld targets", (long long)outputs);
  else if (data->target[target].columns)
    about = gt_arena_printf(arena, " of '%s'", data->target[target].columns[0]);
  return (gt_task){"regression", about, NULL, NULL};
}

/* --- why --- */

/* True if the task depends on the targets: the config sets neither task nor loss, and the format has `task:
 * auto`. */
static bool is_inferred(const gt_config *config, int target) {
  static const char *const formats[] = {"csv", "idx", "npy", "npz", "table"};
  const char *name = config->dataset.target[target].name;
  const gt_spec *task = gt_spec_find(gt_spec_find(config->root, "data"), "task");
  if (task && task->kind == GT_SPEC_MAP) task = name ? gt_spec_find(task, name) : NULL;
  if ((!gt_spec_is_null(task) && strcmp(task->scalar, "auto") != 0) || gt_loss_named(config->root, name))
    return false;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (!strcmp(config->dataset.format, formats[i])) return true;
  return false;
}

static const char *why(const gt_config *config, int target, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  if (!is_inferred(config, target)) return NULL;
  if (data->target[target].horizon && !data->target[target].classification &&
      gt_class_advice(data, target, arena))
    return "whole numbers of a series are quantities, not classes";
  if (!data->target[target].classification) return "the targets are numbers";
  return data->target[target].text_labels ? "the targets are text"
                                          : "the targets are integers counting from 0";
}

gt_task gt_task_of(const gt_config *config, int target, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  gt_task task = {0};
  if (data->boards || config->loss[target]->type->residual || !gt_train_target(data, target)->rank)
    return task;
  task = data->target[target].classification ? task_of_classes(data, target, arena)
         : are_bits(config, target)          ? task_of_bits(data, target, arena)
                                             : task_of_numbers(data, target, arena);
  task.why = why(config, target, arena);
  return task;
}

const char *gt_task_text(const gt_task *task, gt_arena *arena) {
  const char *reason =
      task->why ? gt_arena_printf(arena, " (inferred: %s; set data.task to change it)", task->why) : "";
  return gt_arena_printf(arena, "%s%s%s", task->kind, task->about, reason);
}
