#include "train/config/class_table.h"
#include "base/text.h"

int gt_class_of(const gt_dataset *data, const gt_split *split, int target, int64_t item) {
  const void *values = gt_split_target(split, target)->data;
  return data->target[target].classification ? ((const int32_t *)values)[item]
                                             : ((const float *)values)[item] > 0.5f;
}

gt_class_items gt_class_items_of(const gt_dataset *data, const gt_split *split, int target, int64_t column,
                                 int64_t columns, gt_arena *arena) {
  if (!split->samples || !gt_split_target(split, target)->data) return (gt_class_items){NULL, NULL};
  const int classes = data->target[target].classification ? data->target[target].classes : 2;
  const int64_t each = gt_tensor_features(gt_split_target(split, target)), items = split->samples * each;
  const float *weights = gt_split_weights(split)->data;
  int64_t *count = GT_NEW_N(arena, int64_t, classes);
  double *weight = GT_NEW_N(arena, double, classes);
  for (int64_t i = column; i < items; i += columns) {
    const int class = gt_class_of(data, split, target, i);
    if (class < 0) continue;
    count[class]++;
    weight[class] += weights ? (double)weights[i / each] : 1;
  }
  return (gt_class_items){count, weight};
}

const char *gt_class_name(const gt_data_target *target, int64_t column, int class, gt_arena *arena) {
  const char *name = target->classification ? target->class_names ? target->class_names[class] : NULL
                     : target->words        ? target->words[2 * column + class]
                                            : NULL;
  return name ? name : gt_arena_printf(arena, "%d", class);
}

const char *const *gt_class_names(const gt_data_target *target, int64_t classes, gt_arena *arena) {
  if (target->class_names) return target->class_names;
  const char **name = GT_NEW_N(arena, const char *, classes);
  for (int c = 0; c < classes; c++) name[c] = gt_class_name(target, 0, c, arena);
  return name;
}

gt_class_table gt_class_table_of(const gt_dataset *data, int target, gt_arena *arena) {
  const gt_data_target *of = &data->target[target];
  if (!of->classification || !gt_train_target(data, target)->data) return (gt_class_table){0};
  gt_class_table table = {.classes = of->classes, .is_named = of->class_names, .target = of->name};
  table.name = gt_class_names(of, of->classes, arena);
  for (int s = 0; s < GT_PARTS; s++)
    table.part[s] = gt_class_items_of(data, &data->split[s], target, 0, 1, arena);
  return table;
}

const char *gt_class_table_text(const gt_class_table *table, gt_arena *arena) {
  enum { MAX_SHOWN = 10 };
  gt_list list = gt_list_open(arena, MAX_SHOWN);
  for (int i = 0; i < table->classes; i++)
    gt_list_add(&list, "%s %lld", table->name[i], (long long)table->part[0].count[i]);
  return gt_list_text(&list, gt_arena_printf(arena, ", ... (%d classes)", table->classes));
}

int64_t gt_class_table_total(const gt_class_table *table, int class) {
  int64_t total = 0;
  for (int s = 0; s < GT_PARTS; s++) total += table->part[s].count ? table->part[s].count[class] : 0;
  return total;
}

bool gt_targets_are_bits(const gt_tensor *targets) {
  const float *value = targets->data;
  const int64_t values = value ? targets->dim[0] * gt_tensor_features(targets) : 0;
  int64_t i = 0;
  while (i < values && (value[i] == 0 || value[i] == 1)) i++;
  return i == values;
}
