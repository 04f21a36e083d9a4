#include "cli/predict_forecast.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/predict_answer.h"
#include "train/metrics.h"

bool gt_is_forecast(const gt_model_file *file, const gt_forecast_rows *rows, const gt_tensor *outputs) {
  return rows->horizon && !file->signature.target[0].classes && outputs->dim[0] == rows->series &&
         gt_tensor_features(outputs) % rows->horizon == 0;
}

static int64_t targets_of(const gt_forecast_rows *rows, const gt_tensor *outputs) {
  return gt_tensor_features(outputs) / rows->horizon;
}

/* The value of a target at a step, of a group. */
static double value_at(const gt_forecast_rows *rows, const gt_tensor *outputs, int64_t step, int64_t target) {
  return (double)((const float *)outputs->data)[step * targets_of(rows, outputs) + target];
}

/* The word that the value of a boolean target answers; NULL: it is a number. */
static const char *word_at(const gt_model_file *file, const gt_forecast_rows *rows, const gt_tensor *outputs,
                           int64_t step, int64_t target) {
  const int64_t i = step % rows->horizon * targets_of(rows, outputs) + target;
  return gt_is_probability(file, 0, gt_tensor_features(outputs), i)
             ? gt_answer_word(file, 0, i, value_at(rows, outputs, step, target))
             : NULL;
}

static const char *time_of(const gt_forecast_rows *rows, int64_t step) {
  return rows->time && *rows->time[step] ? rows->time[step] : NULL;
}

/* The name of the probability of a boolean target, "rain=yes"; else that of the target. In the arena. */
static const char *value_name(const gt_model_file *file, const gt_tensor *outputs, int64_t target,
                              const char *name, gt_arena *arena) {
  return gt_is_probability(file, 0, gt_tensor_features(outputs), target)
             ? gt_arena_printf(arena, "%s=%s", name, file->signature.target[0].words[2 * target + 1])
             : name;
}

/* The names of the target columns; of arrays target0, target1, … In the arena. */
static const char *const *names_of(const gt_model_file *file, const gt_forecast_rows *rows,
                                   const gt_tensor *outputs, gt_arena *arena) {
  const int64_t targets = targets_of(rows, outputs);
  const char **names = GT_NEW_N(arena, const char *, targets);
  const gt_data_target *target = &file->signature.target[0];
  const bool named = target->columns && target->column_count == gt_tensor_features(outputs);
  for (int64_t t = 0; t < targets; t++)
    names[t] = named ? gt_data_series_target(target->columns[t], arena)
                     : gt_arena_printf(arena, "target%lld", (long long)t);
  return names;
}

void gt_forecast_write_text(FILE *stream, const gt_model_file *file, const gt_forecast_rows *rows,
                            const gt_tensor *outputs) {
  const int64_t targets = targets_of(rows, outputs);
  for (int64_t s = 0; s < rows->series * rows->horizon; s++) {
    if (rows->group) gt_put_text(stream, rows->group[s / rows->horizon]), fputc(' ', stream);
    if (time_of(rows, s)) fprintf(stream, "%s ", time_of(rows, s));
    fprintf(stream, "+%lld", (long long)(s % rows->horizon) + 1);
    for (int64_t t = 0; t < targets; t++) {
      const char *word = word_at(file, rows, outputs, s, t);
      if (word) fputc(' ', stream), gt_put_text(stream, word);
      fprintf(stream, " %.9g", value_at(rows, outputs, s, t));
    }
    fputc('\n', stream);
  }
}

static json_t *group_json(const gt_model_file *file, const gt_forecast_rows *rows, const gt_tensor *outputs,
                          int64_t group, const char *const *names, gt_arena *arena) {
  json_t *root = json_object(), *list = json_array();
  if (rows->group) json_object_set_new(root, "group", json_string(rows->group[group]));
  for (int64_t k = 0; k < rows->horizon; k++) {
    const int64_t s = group * rows->horizon + k;
    json_t *step = json_object();
    if (time_of(rows, s)) json_object_set_new(step, "time", json_string(time_of(rows, s)));
    json_object_set_new(step, "step", json_integer(k + 1));
    for (int64_t t = 0; t < targets_of(rows, outputs); t++) {
      const char *word = word_at(file, rows, outputs, s, t);
      if (word) json_object_set_new(step, names[t], json_string(word));
      json_object_set_new(step, value_name(file, outputs, t, names[t], arena),
                          gt_json_real(value_at(rows, outputs, s, t)));
    }
    json_array_append_new(list, step);
  }
  json_object_set_new(root, "forecast", list);
  return root;
}

void gt_forecast_write_json(FILE *stream, bool list, const gt_model_file *file, const gt_forecast_rows *rows,
                            const gt_tensor *outputs) {
  gt_arena arena;
  gt_arena_init(&arena);
  const char *const *names = names_of(file, rows, outputs, &arena);
  if (list) fputs("[\n", stream);
  for (int64_t g = 0; g < rows->series; g++) {
    gt_cli_write_json(stream, group_json(file, rows, outputs, g, names, &arena));
    fputs(list && g + 1 < rows->series ? ",\n" : "\n", stream);
  }
  if (list) fputs("]\n", stream);
  gt_arena_finish(&arena);
}

/* Columns of words, and the names of all values. Returns how many columns of words there are. */
static int add_words(const gt_model_file *file, const gt_forecast_rows *rows, const gt_tensor *outputs,
                     gt_text_column *text, const char **header, gt_arena *arena) {
  const char *const *names = names_of(file, rows, outputs, arena);
  const int64_t steps = rows->series * rows->horizon;
  int texts = 0;
  for (int64_t t = 0; t < targets_of(rows, outputs); t++) {
    header[t] = value_name(file, outputs, t, names[t], arena);
    if (header[t] == names[t]) continue;
    const char **word = GT_NEW_N(arena, const char *, steps);
    for (int64_t s = 0; s < steps; s++) word[s] = word_at(file, rows, outputs, s, t);
    text[texts++] = (gt_text_column){names[t], word};
  }
  return texts;
}

bool gt_forecast_write_csv(const char *path, const gt_model_file *file, const gt_forecast_rows *rows,
                           const gt_tensor *outputs, gt_error *error) {
  const int64_t steps = rows->series * rows->horizon;
  int texts = 0;
  bool timed = false;
  gt_arena arena;
  gt_arena_init(&arena);
  gt_text_column *text = GT_NEW_N(&arena, gt_text_column, 3 + targets_of(rows, outputs));
  const char **header = GT_NEW_N(&arena, const char *, targets_of(rows, outputs));
  const char **group = GT_NEW_N(&arena, const char *, steps), **step = GT_NEW_N(&arena, const char *, steps);
  for (int64_t s = 0; s < steps; s++) {
    if (rows->group) group[s] = rows->group[s / rows->horizon];
    step[s] = gt_arena_printf(&arena, "%lld", (long long)(s % rows->horizon) + 1);
    timed |= time_of(rows, s) != NULL;
  }
  if (rows->group) text[texts++] = (gt_text_column){rows->group_column, group};
  if (timed) text[texts++] = (gt_text_column){rows->time_column, rows->time};
  text[texts++] = (gt_text_column){"step", step};
  texts += add_words(file, rows, outputs, text + texts, header, &arena);
  gt_tensor values = *outputs; /* a row for each step */
  values.rank = 2;
  values.dim[0] = steps;
  values.dim[1] = targets_of(rows, outputs);
  const bool ok = gt_data_write_csv(path, &values, header, text, texts, error);
  gt_arena_finish(&arena);
  return ok;
}
