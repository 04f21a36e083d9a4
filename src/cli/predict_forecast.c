#include "cli/predict_forecast.h"
#include "base/names.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/predict_class.h"
#include "train/config/results.h"

/* Number of values for one target column at one step: a probability for each class, or one number. */
static int64_t width_of(const gt_model_file *file) {
  const int classes = file->signature.target[0].classes;
  return classes ? classes : 1;
}

bool gt_is_forecast(const gt_model_file *file, const gt_forecast_rows *rows, const gt_tensor *outputs) {
  return rows->horizon && outputs->dim[0] == rows->series &&
         gt_tensor_features(outputs) % (rows->horizon * width_of(file)) == 0;
}

/* Forecasts, with the names of their columns and values. Names are in the arena. */
typedef struct forecast {
  const gt_model_file *file;
  const gt_forecast_rows *rows;
  const gt_tensor *outputs;
  int64_t steps;              /* number of steps of all groups together */
  int64_t targets, width;     /* number of target columns; values per column */
  const char *const *name;    /* [targets]: names of columns; target0, target1, … without names */
  const char *const *value;   /* [targets * width]: "sky=rain" (class), "rain=yes" (boolean), or the column */
  const char *const *classes; /* [width]: names of the classes; NULL: the targets are not classes */
  bool named;                 /* the classes have names, not only numbers */
} forecast;

/* The values of a target at a step of a group. */
static const float *values_at(const forecast *f, int64_t step, int64_t target) {
  return (const float *)f->outputs->data + (step * f->targets + target) * f->width;
}

/* The index of a target at a step among the outputs of its group, if each target has one value. */
static int64_t output_of(const forecast *f, int64_t step, int64_t target) {
  return step % f->rows->horizon * f->targets + target;
}

static bool is_boolean(const forecast *f, int64_t target) {
  return !f->classes && gt_is_probability(f->file, 0, gt_tensor_features(f->outputs), target);
}

static gt_predicted_class class_at(const forecast *f, int64_t step, int64_t target) {
  return gt_predicted_class_of(f->file, 0, values_at(f, step, target), f->width);
}

/* The predicted class, or the predicted word of a boolean; NULL: the target is a number. */
static const char *word_at(const forecast *f, int64_t step, int64_t target) {
  if (f->classes) return f->classes[class_at(f, step, target).class];
  return is_boolean(f, target)
             ? gt_output_word(f->file, 0, output_of(f, step, target), (double)*values_at(f, step, target))
             : NULL;
}

/* NULL: the time of this step is unknown. */
static const char *time_of(const forecast *f, int64_t step) {
  return f->rows->time && *f->rows->time[step] ? f->rows->time[step] : NULL;
}

/* Names of the target columns. The names of targets end in their step ("temp+1"), which is removed, except
 * for a class of the next row, whose name has no step. A name that is also that of the group, time or step
 * gets a number. */
static const char *const *names_of(const forecast *f, gt_arena *arena) {
  const char **names = GT_NEW_N(arena, const char *, f->targets);
  const gt_data_target *target = &f->file->signature.target[0];
  const bool named = target->columns && target->column_count == f->targets * f->rows->horizon,
             is_next_class = target->classes && f->rows->horizon == 1;
  gt_names taken = {.arena = arena};
  gt_names_add(&taken, "step", 0);
  if (f->rows->time) gt_names_add(&taken, "time", 0), gt_names_add(&taken, f->rows->time_column, 0);
  if (f->rows->group_column) gt_names_add(&taken, f->rows->group_column, 0);
  for (int64_t t = 0; t < f->targets; t++)
    names[t] =
        gt_names_add_unique(&taken, !named          ? gt_arena_printf(arena, "target%lld", (long long)t)
                                    : is_next_class ? target->columns[t]
                                                    : gt_data_series_target(target->columns[t], arena));
  return names;
}

static const char *const *value_names(const forecast *f, gt_arena *arena) {
  const char **names = GT_NEW_N(arena, const char *, f->targets * f->width);
  for (int64_t t = 0; t < f->targets; t++)
    for (int64_t v = 0; v < f->width; v++) {
      const char *word = f->classes         ? f->classes[v]
                         : is_boolean(f, t) ? f->file->signature.target[0].words[2 * t + 1]
                                            : NULL;
      names[t * f->width + v] = word ? gt_arena_printf(arena, "%s=%s", f->name[t], word) : f->name[t];
    }
  return names;
}

static forecast describe(const gt_model_file *file, const gt_forecast_rows *rows, const gt_tensor *outputs,
                         gt_arena *arena) {
  const gt_data_target *target = &file->signature.target[0];
  forecast f = {.file = file,
                .rows = rows,
                .outputs = outputs,
                .steps = rows->series * rows->horizon,
                .width = width_of(file),
                .named = target->class_names != NULL};
  f.targets = gt_tensor_features(outputs) / rows->horizon / f.width;
  if (target->classes) f.classes = gt_names_of_classes(target, arena);
  f.name = names_of(&f, arena);
  f.value = value_names(&f, arena);
  return f;
}

/* --- text --- */

static void write_step(FILE *stream, const forecast *f, int64_t step) {
  if (f->rows->group) gt_put_text(stream, f->rows->group[step / f->rows->horizon]), fputc(' ', stream);
  if (time_of(f, step)) fprintf(stream, "%s ", time_of(f, step));
  fprintf(stream, "+%lld", (long long)(step % f->rows->horizon) + 1);
  for (int64_t t = 0; t < f->targets; t++) {
    const char *word = word_at(f, step, t);
    if (word) fputc(' ', stream), gt_put_text(stream, word);
    if (f->classes)
      fprintf(stream, " %.4f", class_at(f, step, t).probability);
    else
      fprintf(stream, " %.9g", (double)*values_at(f, step, t));
  }
  fputc('\n', stream);
}

void gt_forecast_write_text(FILE *stream, const gt_model_file *file, const gt_forecast_rows *rows,
                            const gt_tensor *outputs) {
  gt_arena arena;
  gt_arena_init(&arena);
  const forecast f = describe(file, rows, outputs, &arena);
  for (int64_t s = 0; s < f.steps; s++) write_step(stream, &f, s);
  gt_arena_finish(&arena);
}

/* --- JSON --- */

static void add_target(json_t *to, const forecast *f, int64_t step, int64_t target) {
  const char *word = word_at(f, step, target);
  if (f->classes && !f->named)
    json_object_set_new(to, f->name[target], json_integer(class_at(f, step, target).class));
  else if (word)
    json_object_set_new(to, f->name[target], json_string(word));
  for (int64_t v = 0; v < f->width; v++)
    json_object_set_new(to, f->value[target * f->width + v],
                        gt_json_real((double)values_at(f, step, target)[v]));
}

static json_t *group_json(const forecast *f, int64_t group) {
  json_t *root = json_object(), *list = json_array();
  if (f->rows->group) json_object_set_new(root, "group", json_string(f->rows->group[group]));
  for (int64_t k = 0; k < f->rows->horizon; k++) {
    const int64_t s = group * f->rows->horizon + k;
    json_t *step = json_object();
    if (time_of(f, s)) json_object_set_new(step, "time", json_string(time_of(f, s)));
    json_object_set_new(step, "step", json_integer(k + 1));
    for (int64_t t = 0; t < f->targets; t++) add_target(step, f, s, t);
    json_array_append_new(list, step);
  }
  json_object_set_new(root, "forecast", list);
  return root;
}

void gt_forecast_write_json(FILE *stream, bool list, const gt_model_file *file, const gt_forecast_rows *rows,
                            const gt_tensor *outputs) {
  gt_arena arena;
  gt_arena_init(&arena);
  const forecast f = describe(file, rows, outputs, &arena);
  if (list) fputs("[\n", stream);
  for (int64_t g = 0; g < rows->series; g++) {
    gt_cli_write_json(stream, group_json(&f, g));
    fputs(list && g + 1 < rows->series ? ",\n" : "\n", stream);
  }
  if (list) fputs("]\n", stream);
  gt_arena_finish(&arena);
}

/* --- CSV --- */

/* Adds a column for each target that is predicted as a word. Returns their number. */
static int add_words(const forecast *f, gt_text_column *text, gt_arena *arena) {
  int texts = 0;
  for (int64_t t = 0; t < f->targets; t++) {
    if (!f->classes && !is_boolean(f, t)) continue;
    const char **word = GT_NEW_N(arena, const char *, f->steps);
    for (int64_t s = 0; s < f->steps; s++) word[s] = word_at(f, s, t);
    text[texts++] = (gt_text_column){f->name[t], word};
  }
  return texts;
}

/* Adds the columns of group, time and step. Returns their number. */
static int add_steps(const forecast *f, gt_text_column *text, gt_arena *arena) {
  const char **group = GT_NEW_N(arena, const char *, f->steps),
             **step = GT_NEW_N(arena, const char *, f->steps);
  int texts = 0;
  bool timed = false;
  for (int64_t s = 0; s < f->steps; s++) {
    if (f->rows->group) group[s] = f->rows->group[s / f->rows->horizon];
    step[s] = gt_arena_printf(arena, "%lld", (long long)(s % f->rows->horizon) + 1);
    timed |= time_of(f, s) != NULL;
  }
  if (f->rows->group) text[texts++] = (gt_text_column){f->rows->group_column, group};
  if (timed) text[texts++] = (gt_text_column){f->rows->time_column, f->rows->time};
  text[texts++] = (gt_text_column){"step", step};
  return texts;
}

bool gt_forecast_write_csv(const char *path, const gt_model_file *file, const gt_forecast_rows *rows,
                           const gt_tensor *outputs, gt_error *error) {
  gt_arena arena;
  gt_arena_init(&arena);
  const forecast f = describe(file, rows, outputs, &arena);
  gt_text_column *text = GT_NEW_N(&arena, gt_text_column, 3 + f.targets);
  int texts = add_steps(&f, text, &arena);
  texts += add_words(&f, text + texts, &arena);
  gt_tensor values = *outputs; /* a row for each step */
  values.rank = 2;
  values.dim[0] = f.steps;
  values.dim[1] = f.targets * f.width;
  const bool ok = gt_data_write_csv(path, &values, f.value, text, texts, error);
  gt_arena_finish(&arena);
  return ok;
}
