#include "cli/prediction_table.h"
#include "base/names.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/predict_class.h"
#include <string.h>

typedef struct cell {
  const char *text; /* NULL: nothing, if the part is a text */
  double number;
} cell;

static bool is_text(gt_cell_part part) { return part < GT_CELL_STEP; }

static int64_t rows_of_sample(const gt_prediction_table *table) { return table->steps ? table->steps : 1; }

static int64_t count_rows(const gt_prediction_table *table) {
  return table->prediction->outputs[0].dim[0] * rows_of_sample(table);
}

/* The cell of a column that describes the row. */
static cell row_cell(const gt_prediction_table *table, gt_cell_part part, int64_t row) {
  if (part == GT_CELL_STEP) return (cell){.number = (double)(row % table->steps + 1)};
  const char *text =
      part == GT_CELL_TIME ? table->time[row] : table->names->name[row / rows_of_sample(table)];
  return (cell){.text = part == GT_CELL_TIME && !*text ? NULL : text};
}

static cell cell_at(const gt_prediction_table *table, const gt_prediction_column *column, int64_t row,
                    int64_t index) {
  const int k = column->target;
  if (k < 0) return row_cell(table, column->part, row);
  const gt_model_file *file = table->file;
  const gt_data_target *target = &file->signature.target[k];
  const gt_tensor *outputs = &table->prediction->outputs[k];
  const int64_t rows = rows_of_sample(table), values = gt_tensor_features(outputs) / rows,
                first = column->first + index, output = row % rows * values + first;
  const float *value = (const float *)outputs->data + row * values + first;
  switch (column->part) {
  case GT_CELL_TARGET: return (cell){.text = target->name};
  case GT_CELL_LABEL:
    return (cell){.text =
                      (double)*value > gt_output_threshold(file, output) ? target->columns[output] : NULL};
  case GT_CELL_WORD:
    if (!target->classes) return (cell){.text = gt_output_word(file, k, output, (double)*value)};
    return (cell){.text = target->class_names[gt_predicted_class_of(file, k, value, column->outputs).class]};
  case GT_CELL_POSITIVE:
    if (!target->classes) return (cell){.text = target->words[1]};
    return (cell){.text = target->class_names ? target->class_names[target->positive]
                          : target->positive  ? "1"
                                              : "0"};
  case GT_CELL_CLASS:
    return (cell){.number = (double)gt_predicted_class_of(file, k, value, column->outputs).class};
  case GT_CELL_PROBABILITY:
    return (cell){.number = gt_predicted_class_of(file, k, value, column->outputs).probability};
  default: return (cell){.number = (double)*value};
  }
}

/* --- text --- */

static void write_line(FILE *to, const gt_prediction_table *table, int64_t row) {
  const char *gap = "";
  for (const gt_prediction_column *c = table->items; c < table->items + table->count; c++)
    for (int64_t k = 0; k < gt_prediction_cells(c) && c->in_text; k++) {
      const cell a = cell_at(table, c, row, k);
      if (is_text(c->part) && !a.text) continue;
      fputs(c->part == GT_CELL_TARGET && c->target ? "  " : gap, to);
      if (a.text)
        gt_put_text(to, a.text);
      else if (c->part == GT_CELL_PROBABILITY)
        fprintf(to, "%.4f", a.number);
      else
        fprintf(to, "%s%.9g", c->part == GT_CELL_STEP ? "+" : "", a.number);
      gap = c->part == GT_CELL_NAME && !table->steps ? ": " : " ";
    }
  fputc('\n', to);
}

void gt_prediction_write_text(FILE *to, const gt_prediction_table *table) {
  for (int64_t row = 0; row < count_rows(table); row++) write_line(to, table, row);
}

/* --- CSV --- */

/* A field, in quotes if needed. */
static void write_field(FILE *to, const char *text) {
  const bool quoted = strpbrk(text, "\",\r\n") || *text == ' ' || *text == '\t';
  if (quoted) fputc('"', to);
  for (; *text; text++) {
    if (*text == '"') fputc('"', to);
    fputc(*text, to);
  }
  if (quoted) fputc('"', to);
}

static const char *unique_header(const gt_prediction_column *column, int64_t index, gt_names *taken) {
  return gt_names_add_unique(taken, column->name
                                        ? column->name[index]
                                        : gt_arena_printf(taken->arena, "output%lld", (long long)index));
}

/* Writes a row or, if names that headers must differ from are given, the header. */
static void write_record(FILE *to, const gt_prediction_table *table, int64_t row, gt_names *taken) {
  const char *gap = "";
  for (int values = 0; values < 2; values++)
    for (const gt_prediction_column *c = table->items; c < table->items + table->count; c++) {
      if ((c->part == GT_CELL_VALUE) != values || (!values && !c->name)) continue;
      for (int64_t k = 0; k < gt_prediction_cells(c); k++, gap = ",") {
        cell a = {0};
        if (taken)
          a.text = unique_header(c, k, taken);
        else
          a = cell_at(table, c, row, k);
        fputs(gap, to);
        if (taken || is_text(c->part))
          write_field(to, a.text ? a.text : "");
        else
          fprintf(to, "%.9g", a.number); /* nine digits restore every float exactly */
      }
    }
  fputc('\n', to);
}

void gt_prediction_write_csv(FILE *to, const gt_prediction_table *table) {
  gt_arena arena;
  bool named = false;
  gt_arena_init(&arena);
  for (size_t i = 0; i < table->count; i++) named |= table->items[i].name != NULL;
  if (named) write_record(to, table, 0, &(gt_names){.arena = &arena});
  for (int64_t row = 0; row < count_rows(table); row++) write_record(to, table, row, NULL);
  gt_arena_finish(&arena);
}

/* --- JSON --- */

/* NULL: there is nothing to write. */
static json_t *cell_json(const gt_prediction_table *table, const gt_prediction_column *column, int64_t row,
                         int64_t index) {
  const cell a = cell_at(table, column, row, index);
  if (is_text(column->part)) return json_string(a.text);
  const bool whole = column->part == GT_CELL_STEP || column->part == GT_CELL_CLASS;
  return whole ? json_integer((json_int_t)a.number) : gt_json_real(a.number);
}

static void add_cells(json_t *to, const gt_prediction_table *table, const gt_prediction_column *column,
                      int64_t row) {
  json_t *list = column->is_list ? json_array() : NULL;
  for (int64_t k = 0; k < gt_prediction_cells(column); k++) {
    json_t *value = cell_json(table, column, row, k);
    if (list)
      json_array_append_new(list, value);
    else
      json_object_set_new(to, column->key[k], value);
  }
  if (list) json_object_set_new(to, *column->key, list);
}

/* Adds a row. The name of the sample goes to `root`, the rest to `to` or, with several targets, to an object
 * for each target. */
static void add_row(json_t *root, json_t *to, const gt_prediction_table *table, int64_t row) {
  int target = -1;
  for (const gt_prediction_column *c = table->items; c < table->items + table->count; c++) {
    if (!c->key) continue;
    if (c->target != target && table->prediction->targets > 1)
      json_object_set_new(root, table->file->signature.target[c->target].name, to = json_object());
    target = c->target;
    add_cells(c->part == GT_CELL_NAME ? root : to, table, c, row);
  }
}

static json_t *sample_json(const gt_prediction_table *table, int64_t sample) {
  json_t *root = json_object();
  if (!table->steps) {
    add_row(root, root, table, sample);
    return root;
  }
  json_t *list = json_array();
  for (int64_t s = 0; s < table->steps; s++) {
    json_t *step = json_object();
    add_row(root, step, table, sample * table->steps + s);
    json_array_append_new(list, step);
  }
  json_object_set_new(root, "forecast", list);
  return root;
}

void gt_prediction_write_json(FILE *to, const gt_prediction_table *table, bool list) {
  const int64_t samples = table->prediction->outputs[0].dim[0];
  if (list) fputs("[\n", to);
  for (int64_t i = 0; i < samples; i++) {
    gt_cli_write_json(to, sample_json(table, i));
    fputs(list && i + 1 < samples ? ",\n" : "\n", to);
  }
  if (list) fputs("]\n", to);
}
