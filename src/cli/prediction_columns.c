/* The columns of a prediction: which there are, and their names. */
#include "base/memory.h"
#include "base/names.h"
#include "cli/predict_class.h"
#include "cli/prediction_table.h"
#include "train/config/class_table.h"

/* Adds the predicted class and its probability. A class with a name is written as its name; in JSON, its
 * number stands before it or, if both keys are the same, is replaced by it. */
static void add_class(gt_prediction_table *t, int target, int64_t first, int64_t outputs,
                      const char *const *name, const char *const *class_key, const char *const *name_key) {
  const gt_data_target *d = &t->file->signature.target[target];
  const bool named = !d->classes || d->class_names;
  *GT_PUSH(t) = (gt_prediction_column){GT_CELL_CLASS, target,           first, outputs, named ? NULL : name,
                                       class_key,     .in_text = !named};
  if (named)
    *GT_PUSH(t) =
        (gt_prediction_column){GT_CELL_WORD, target, first, outputs, name, name_key, .in_text = true};
  *GT_PUSH(t) = (gt_prediction_column){GT_CELL_PROBABILITY, target, first, outputs, .in_text = true};
}

/* --- one row per sample --- */

/* The header of value i of a target: with several targets, for a single value the target's name, otherwise
 * that of its column in the training file. prefixed: with the target's name before it. */
static const char *value_name(const gt_data_target *target, int64_t values, int64_t i, bool several,
                              bool prefixed, gt_arena *arena) {
  if (several && values == 1) return target->name;
  if (!target->columns || values != target->column_count)
    return gt_arena_printf(arena, "%s.%lld", target->name, (long long)i);
  return prefixed ? gt_arena_printf(arena, "%s.%s", target->name, target->columns[i]) : target->columns[i];
}

/* Adds the columns of a target: its class, words and labels of booleans, then the values. */
static void add_target(gt_prediction_table *t, int k, bool prefixed, gt_arena *arena) {
  static const char *const class_key = "class", *const name_key = "name", *const labels_key = "labels",
                           *const outputs_key = "outputs", *const positive_key = "positive";
  const gt_data_target *target = &t->file->signature.target[k];
  const int64_t values = gt_tensor_features(&t->prediction->outputs[k]);
  const bool several = t->prediction->targets > 1, classifier = gt_is_classifier(t->file, k, values),
             named = target->columns && !target->classes && values == target->column_count;
  const char *const *classes =
      target->classes && classifier ? gt_class_names(target, target->classes, arena) : NULL;
  const bool headed = several || named || classes;
  const char **name = headed ? GT_NEW_N(arena, const char *, 2 * values) : NULL,
             **header = name ? name + values : NULL;
  int64_t booleans = 0;
  if (several) *GT_PUSH(t) = (gt_prediction_column){GT_CELL_TARGET, k, .in_text = true};
  for (int64_t i = 0; i < values && headed; i++) {
    const bool boolean = gt_is_probability(t->file, k, values, i);
    name[i] = classes ? target->name : value_name(target, values, i, several, prefixed, arena);
    const char *word = classes ? classes[i] : boolean ? target->words[2 * i + 1] : NULL;
    header[i] = !word ? name[i] : several || boolean ? gt_arena_printf(arena, "%s=%s", name[i], word) : word;
    if (boolean && !classifier) *GT_PUSH(t) = (gt_prediction_column){GT_CELL_WORD, k, i, 1, name + i};
    booleans += boolean;
  }
  if (classifier)
    add_class(t, k, 0, values, !classes ? name : several ? &target->name : &class_key, &class_key, &name_key);
  if (classifier && values <= 2)
    *GT_PUSH(t) = (gt_prediction_column){GT_CELL_POSITIVE, k, 0, values, NULL, &positive_key};
  if (booleans == values && values > 1)
    *GT_PUSH(t) = (gt_prediction_column){GT_CELL_LABEL, k, 0, values, NULL, &labels_key, .is_list = true};
  *GT_PUSH(t) = (gt_prediction_column){GT_CELL_VALUE, k, 0, values, header, &outputs_key, true, !classifier};
}

static bool has_equal_headers(const gt_prediction_table *t, gt_arena *arena) {
  gt_names names = {.arena = arena};
  for (const gt_prediction_column *c = t->items; c < t->items + t->count; c++)
    for (int64_t k = 0; k < gt_prediction_cells(c) && c->name; k++) {
      const int count = (int)names.count;
      if (gt_names_add(&names, c->name[k], count) != count) return true;
    }
  return false;
}

static void add_targets(gt_prediction_table *t, gt_arena *arena) {
  const size_t before = t->count;
  for (int k = 0; k < t->prediction->targets; k++) add_target(t, k, false, arena);
  if (t->prediction->targets < 2 || !has_equal_headers(t, arena)) return;
  t->count = before;
  for (int k = 0; k < t->prediction->targets; k++) add_target(t, k, true, arena);
}

/* --- a row for each step ahead --- */

/* Number of values for one target column at one step: a probability for each class, or one number. */
static int64_t width_of(const gt_model_file *file) {
  const int classes = file->signature.target[0].classes;
  return classes ? classes : 1;
}

/* True if the outputs are numbers or classes for each of the steps ahead. */
static bool is_forecast(const gt_model_file *file, const gt_forecast_rows *rows, const gt_tensor *outputs) {
  return rows->horizon && outputs->dim[0] == rows->series &&
         gt_tensor_features(outputs) % (rows->horizon * width_of(file)) == 0;
}

/* Names of the target columns; target0, target1, … without names. The names of targets end in their step
 * ("temp+1"), which is removed, except for a class of the next row, whose name has no step. A name that is
 * also that of the group, time or step gets a number. */
static const char *const *names_of_columns(const gt_data_target *target, const gt_forecast_rows *rows,
                                           int64_t columns, gt_arena *arena) {
  const char **names = GT_NEW_N(arena, const char *, columns);
  const bool named = target->columns && target->column_count == columns * rows->horizon,
             is_next_class = target->classes && rows->horizon == 1;
  gt_names taken = {.arena = arena};
  gt_names_add(&taken, "step", 0);
  if (rows->time) gt_names_add(&taken, "time", 0), gt_names_add(&taken, rows->time_column, 0);
  if (rows->group_column) gt_names_add(&taken, rows->group_column, 0);
  for (int64_t t = 0; t < columns; t++)
    names[t] =
        gt_names_add_unique(&taken, !named          ? gt_arena_printf(arena, "target%lld", (long long)t)
                                    : is_next_class ? target->columns[t]
                                                    : gt_data_series_target(target->columns[t], arena));
  return names;
}

/* Adds the time and step of a row. */
static void add_step(gt_prediction_table *t, const gt_forecast_rows *rows) {
  static const char *const time_key = "time", *const step_key = "step";
  bool timed = false;
  for (int64_t row = 0; row < rows->series * rows->horizon && rows->time; row++) timed |= *rows->time[row];
  if (timed)
    *GT_PUSH(t) =
        (gt_prediction_column){GT_CELL_TIME, -1, 0, 1, &rows->time_column, &time_key, .in_text = true};
  *GT_PUSH(t) = (gt_prediction_column){GT_CELL_STEP, -1, 0, 1, &step_key, &step_key, .in_text = true};
}

/* Adds the columns of a forecast. In JSON, too, each value has its own name: "sky=rain" (class), "rain=yes"
 * (boolean), or that of its column. */
static void add_forecast(gt_prediction_table *t, const gt_forecast_rows *rows, gt_arena *arena) {
  const gt_data_target *target = &t->file->signature.target[0];
  const int64_t features = gt_tensor_features(&t->prediction->outputs[0]), width = width_of(t->file),
                columns = features / rows->horizon / width;
  const char *const *classes = target->classes ? gt_class_names(target, target->classes, arena) : NULL,
                    *const *name = names_of_columns(target, rows, columns, arena);
  const char **header = GT_NEW_N(arena, const char *, columns *width);
  add_step(t, rows);
  for (int64_t k = 0; k < columns; k++, name++, header += width) {
    const bool boolean = gt_is_probability(t->file, 0, features, k);
    for (int64_t v = 0; v < width; v++) {
      const char *word = classes ? classes[v] : boolean ? target->words[2 * k + 1] : NULL;
      header[v] = word ? gt_arena_printf(arena, "%s=%s", *name, word) : *name;
    }
    if (classes) add_class(t, 0, k * width, width, name, name, name);
    if (boolean) *GT_PUSH(t) = (gt_prediction_column){GT_CELL_WORD, 0, k, 1, name, name, .in_text = true};
    *GT_PUSH(t) =
        (gt_prediction_column){GT_CELL_VALUE, 0, k * width, width, header, header, .in_text = !classes};
  }
}

gt_prediction_table gt_prediction_table_make(const gt_model_file *file, const gt_row_names *names,
                                             const gt_forecast_rows *forecast,
                                             const gt_prediction *prediction, gt_arena *arena) {
  gt_prediction_table table = {
      .file = file, .names = names, .prediction = prediction, .time = forecast->time};
  if (names->name)
    *GT_PUSH(&table) =
        (gt_prediction_column){GT_CELL_NAME, -1, 0, 1, &names->column, &names->key, .in_text = true};
  if (is_forecast(file, forecast, &prediction->outputs[0])) {
    table.steps = forecast->horizon;
    add_forecast(&table, forecast, arena);
  } else
    add_targets(&table, arena);
  return table;
}
