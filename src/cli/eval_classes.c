#include "cli/eval_classes.h"
#include "base/output.h"
#include "base/stream.h"
#include "base/text.h"
#include "cli/common.h"
#include "metric/counts.h"
#include "draw/confusion.h"
#include "train/config/task.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int name_width(const gt_confusion_matrix *matrix) {
  int width = sizeof "class" - 1;
  for (int64_t c = 0; c < matrix->counts.classes; c++) {
    const int name = gt_text_width(matrix->name[c]);
    if (name > width) width = name;
  }
  return width < 40 ? width : 40;
}

static void print_metric(double value) {
  if (isnan(value))
    printf("  %9s", "-");
  else
    printf("  %9.4f", value);
}

typedef struct class_metrics {           /* NAN: undefined, as the class has no predictions, or no labels */
  double samples, precision, recall, f1; /* samples: without their weights */
} class_metrics;

static double samples_of(const gt_confusion_matrix *matrix, int64_t label) {
  const gt_metric_counts items = {matrix->counts.classes, matrix->items, 0};
  return gt_count_class(&items, label).labels;
}

static class_metrics metrics_of(const gt_confusion_matrix *matrix, int64_t class) {
  const gt_class_count c = gt_count_class(&matrix->counts, class);
  return (class_metrics){samples_of(matrix, class), c.predicted > 0 ? gt_count_precision(c) : (double)NAN,
                         c.labels > 0 ? gt_count_recall(c) : (double)NAN,
                         c.labels + c.predicted > 0 ? gt_count_f1(c) : (double)NAN};
}

/* The sum of the samples, and precision_macro, recall_macro and f1_macro. */
static class_metrics mean_of(const gt_confusion_matrix *matrix) {
  const gt_metric_counts *counts = &matrix->counts;
  class_metrics mean = {0, gt_count_macro(counts, gt_count_precision),
                        gt_count_macro(counts, gt_count_recall), gt_count_macro(counts, gt_count_f1)};
  for (int64_t c = 0; c < counts->classes; c++) mean.samples += samples_of(matrix, c);
  return mean;
}

static void print_row(const char *name, int width, class_metrics m) {
  gt_put_text(stdout, name);
  printf("%*s  %9.0f", gt_padding(width, name), "", m.samples);
  print_metric(m.precision);
  print_metric(m.recall);
  print_metric(m.f1);
  printf("\n");
}

void gt_classes_print(const gt_confusion_matrix *matrix) {
  const int width = name_width(matrix);
  printf("%-*s  %9s  %9s  %9s  %9s\n", width, "class", "samples", "precision", "recall", "f1");
  for (int64_t c = 0; c < matrix->counts.classes; c++)
    print_row(matrix->name[c], width, metrics_of(matrix, c));
  print_row("mean", width, mean_of(matrix));
}

static json_t *add_metrics(json_t *object, class_metrics m) {
  json_object_set_new(object, "precision", gt_json_real(m.precision));
  json_object_set_new(object, "recall", gt_json_real(m.recall));
  json_object_set_new(object, "f1", gt_json_real(m.f1));
  return object;
}

void gt_classes_add(json_t *object, const gt_confusion_matrix *matrix) {
  json_t *classes = json_array();
  json_object_set_new(object, "macro", add_metrics(json_object(), mean_of(matrix)));
  for (int64_t c = 0; c < matrix->counts.classes; c++) {
    const class_metrics m = metrics_of(matrix, c);
    json_t *row = json_pack("{s:s, s:I}", "class", matrix->name[c], "samples", (json_int_t)m.samples);
    json_array_append_new(classes, add_metrics(row, m));
  }
  json_object_set_new(object, "classes", classes);
}

void gt_classes_add_positive(json_t *object, const gt_config *config) {
  gt_arena *arena = config->diagnostics.arena;
  json_t *all = json_object();
  for (int k = 0; k < config->dataset.targets; k++) {
    const char *name = config->dataset.target[k].name, *positive = gt_task_of(config, k, arena).positive;
    if (positive) json_object_set_new(name ? all : object, name ? name : "positive", json_string(positive));
  }
  if (json_object_size(all)) json_object_set(object, "positive", all);
  json_decref(all);
}

/* --- files --- */

static const char *find_extension(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot ? dot : "";
}

bool gt_confusion_check_path(const char *path, gt_error *error) {
  const char *end = find_extension(path);
  if (!strcmp(end, ".json") || !strcmp(end, ".csv") || !strcmp(end, ".png")) return true;
  return gt_fail(error, GT_ERR_USAGE, "--confusion '%s': FILE must end in .json, .csv or .png", path);
}

static void write_json(FILE *stream, const gt_confusion_matrix *matrix) {
  json_t *root = json_object(), *classes = json_array(), *rows = json_array();
  const gt_metric_counts *counts = &matrix->counts;
  for (int64_t label = 0; label < counts->classes; label++) {
    json_t *row = json_array();
    for (int64_t predicted = 0; predicted < counts->classes; predicted++)
      json_array_append_new(row,
                            json_integer((json_int_t)matrix->items[label * counts->classes + predicted]));
    json_array_append_new(rows, row);
    json_array_append_new(classes, json_string(matrix->name[label]));
  }
  json_object_set_new(root, "classes", classes);
  json_object_set_new(root, "confusion", rows); /* [label][predicted] */
  gt_cli_write_json(stream, root);
  fputs("\n", stream);
}

/* Writes a quoted CSV field; quotes inside are doubled. */
static void write_field(FILE *stream, const char *text) {
  fputs("\"", stream);
  for (; *text; text++) fprintf(stream, *text == '"' ? "\"\"" : "%c", *text);
  fputs("\"", stream);
}

static void write_csv(FILE *stream, const gt_confusion_matrix *matrix) {
  const gt_metric_counts *counts = &matrix->counts;
  write_field(stream, "label");
  for (int64_t predicted = 0; predicted < counts->classes; predicted++) {
    fputs(",", stream);
    write_field(stream, matrix->name[predicted]);
  }
  fputs("\n", stream);
  for (int64_t label = 0; label < counts->classes; label++) {
    write_field(stream, matrix->name[label]);
    for (int64_t predicted = 0; predicted < counts->classes; predicted++)
      fprintf(stream, ",%.0f", matrix->items[label * counts->classes + predicted]);
    fputs("\n", stream);
  }
}

bool gt_confusion_write(const gt_confusion_matrix *matrix, const char *path, gt_error *error) {
  const char *end = find_extension(path);
  const gt_confusion_picture picture = {matrix->counts.classes, matrix->items, matrix->name};
  if (!strcmp(end, ".png")) return gt_confusion_draw(&picture, path, error);
  gt_text text = {0};
  FILE *stream = gt_text_open(&text);
  (strcmp(end, ".csv") ? write_json : write_csv)(stream, matrix);
  fclose(stream);
  const gt_span span = {text.items, text.count};
  const bool ok = gt_write_output(path, &span, 1, error);
  free(text.items);
  return ok;
}
