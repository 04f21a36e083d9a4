/* The CSV files of `gtrain predict`. */
#include "base/memory.h"
#include "base/names.h"
#include "cli/predict_class.h"
#include <string.h>

static bool has_classes(const gt_model_file *file, int index, int64_t values) {
  return file->signature.target[index].classes && gt_is_classifier(file, index, values);
}

/* The name of each sample's class. */
static const char *const *chosen_classes(const gt_model_file *file, int index, const gt_tensor *outputs,
                                         gt_arena *arena) {
  const int64_t values = gt_tensor_features(outputs), rows = outputs->dim[0];
  const char *const *all = gt_names_of_classes(&file->signature.target[index], arena);
  const char **chosen = GT_NEW_N(arena, const char *, rows);
  for (int64_t i = 0; i < rows; i++)
    chosen[i] = all[gt_predicted_class_of(file, index, gt_output_row(outputs, i), values).class];
  return chosen;
}

/* The predicted word of a boolean column for each sample. */
static const char *const *chosen_words(const gt_model_file *file, int index, const gt_tensor *outputs,
                                       int64_t column, gt_arena *arena) {
  const int64_t rows = outputs->dim[0];
  const char **chosen = GT_NEW_N(arena, const char *, rows);
  for (int64_t i = 0; i < rows; i++)
    chosen[i] = gt_output_word(file, index, column, (double)gt_output_row(outputs, i)[column]);
  return chosen;
}

/* The name of the column with the probability of a word: "rain=yes". */
static const char *word_name(const gt_model_file *file, int index, int64_t column, const char *name,
                             gt_arena *arena) {
  return gt_arena_printf(arena, "%s=%s", name, file->signature.target[index].words[2 * column + 1]);
}

bool gt_predict_write_csv(const char *path, const gt_model_file *file, const gt_text_column *id,
                          const gt_tensor *outputs, gt_error *error) {
  const gt_data_target *target = &file->signature.target[0];
  const int64_t values = gt_tensor_features(outputs);
  gt_arena arena;
  gt_arena_init(&arena);
  gt_text_column *text = GT_NEW_N(&arena, gt_text_column, values + 2);
  const char **header = GT_NEW_N(&arena, const char *, values);
  bool named = target->columns && !target->classes && values == target->column_count;
  int texts = 0;
  if (id->cell) text[texts++] = *id;
  for (int64_t i = 0; i < values && named; i++) {
    header[i] = target->columns[i];
    if (!gt_is_probability(file, 0, values, i)) continue;
    text[texts++] = (gt_text_column){header[i], chosen_words(file, 0, outputs, i, &arena)};
    header[i] = word_name(file, 0, i, header[i], &arena);
  }
  if (has_classes(file, 0, values)) {
    memcpy(header, gt_names_of_classes(target, &arena), (size_t)values * sizeof *header);
    text[texts++] = (gt_text_column){"class", chosen_classes(file, 0, outputs, &arena)};
    named = true;
  }
  const bool ok = gt_data_write_csv(path, outputs, named ? header : NULL, text, texts, error);
  gt_arena_finish(&arena);
  return ok;
}

/* --- several targets --- */

typedef struct table { /* the columns of the file: those of text, then those of values */
  gt_text_column *text;
  const char **header;
  int texts;
  int64_t values; /* number of values of a sample, for all targets */
} table;

/* The name of value i of a target: for a single value the target's name, otherwise that of its column in the
 * training file. prefixed: with the target's name before it. */
static const char *value_name(const gt_data_target *target, int64_t values, int64_t i, bool prefixed,
                              gt_arena *arena) {
  if (values == 1) return target->name;
  if (!target->columns || values != target->column_count)
    return gt_arena_printf(arena, "%s.%lld", target->name, (long long)i);
  return prefixed ? gt_arena_printf(arena, "%s.%s", target->name, target->columns[i]) : target->columns[i];
}

/* Adds the names of a target's columns. */
static void name_target(const gt_model_file *file, int index, int64_t values, bool prefixed, table *to,
                        gt_arena *arena) {
  const gt_data_target *target = &file->signature.target[index];
  const bool classes = has_classes(file, index, values);
  const char *const *all = classes ? gt_names_of_classes(target, arena) : NULL;
  if (classes) to->text[to->texts++].name = target->name;
  for (int64_t i = 0; i < values; i++) {
    const char *name = value_name(target, values, i, prefixed, arena);
    const bool word = gt_is_probability(file, index, values, i);
    if (word) to->text[to->texts++].name = name;
    to->header[to->values++] = classes ? gt_arena_printf(arena, "%s=%s", target->name, all[i])
                               : word  ? word_name(file, index, i, name, arena)
                                       : name;
  }
}

static const char *column_name(const table *t, int64_t i) {
  return i < t->texts ? t->text[i].name : t->header[i - t->texts];
}

/* Names all columns; false if two would have the same name. */
static bool name_columns(const gt_model_file *file, const gt_text_column *id, const gt_prediction *prediction,
                         bool prefixed, table *to, gt_arena *arena) {
  to->texts = to->values = 0;
  if (id->cell) to->text[to->texts++] = *id;
  for (int k = 0; k < prediction->targets; k++)
    name_target(file, k, gt_tensor_features(&prediction->outputs[k]), prefixed, to, arena);
  gt_names names = {.arena = arena};
  for (int i = 0; i < to->texts + (int)to->values; i++)
    if (gt_names_add(&names, column_name(to, i), i) != i) return false;
  return true;
}

/* Sets the cells of the columns of text, in the order of name_target. */
static void fill_text(const gt_model_file *file, const gt_prediction *prediction, gt_text_column *text,
                      gt_arena *arena) {
  for (int k = 0; k < prediction->targets; k++) {
    const gt_tensor *outputs = &prediction->outputs[k];
    const int64_t values = gt_tensor_features(outputs);
    if (has_classes(file, k, values)) text++->cell = chosen_classes(file, k, outputs, arena);
    for (int64_t i = 0; i < values; i++)
      if (gt_is_probability(file, k, values, i)) text++->cell = chosen_words(file, k, outputs, i, arena);
  }
}

/* Joins the values of all targets: [samples, values]. */
static gt_tensor join_outputs(const gt_prediction *prediction, int64_t values) {
  const int64_t rows = prediction->outputs[0].dim[0];
  gt_tensor all = {.element = GT_ELEMENT_F32, .rank = 2, .dim = {rows, values}};
  float *to = all.data = gt_alloc((size_t)(rows * values) * sizeof *to + 1);
  for (int64_t i = 0; i < rows; i++)
    for (int k = 0; k < prediction->targets; k++) {
      const int64_t count = gt_tensor_features(&prediction->outputs[k]);
      memcpy(to, gt_output_row(&prediction->outputs[k], i), (size_t)count * sizeof *to);
      to += count;
    }
  return all;
}

bool gt_predict_write_targets_csv(const char *path, const gt_model_file *file, const gt_text_column *id,
                                  const gt_prediction *prediction, gt_error *error) {
  int64_t values = 0;
  gt_arena arena;
  gt_arena_init(&arena);
  for (int k = 0; k < prediction->targets; k++) values += gt_tensor_features(&prediction->outputs[k]);
  table t = {.text = GT_NEW_N(&arena, gt_text_column, values + 1),
             .header = GT_NEW_N(&arena, const char *, values)};
  if (!name_columns(file, id, prediction, false, &t, &arena))
    name_columns(file, id, prediction, true, &t, &arena);
  fill_text(file, prediction, t.text + (id->cell != NULL), &arena);
  gt_tensor all = join_outputs(prediction, values);
  const bool ok = gt_data_write_csv(path, &all, t.header, t.text, t.texts, error);
  gt_tensor_finish(&all);
  gt_arena_finish(&arena);
  return ok;
}
