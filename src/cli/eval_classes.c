#include "cli/eval_classes.h"
#include "base/output.h"
#include "base/stream.h"
#include "base/text.h"
#include "cli/common.h"
#include "draw/confusion.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int name_width(const gt_confusion_matrix *matrix) {
  int width = sizeof "class" - 1;
  char number[24];
  for (int64_t c = 0; c < matrix->classes; c++) {
    const int name = gt_text_width(gt_confusion_name(matrix, c, number));
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

static void print_row(const char *name, int width, const gt_class_metrics *m) {
  gt_put_text(stdout, name);
  printf("%*s  %9" PRId64, gt_padding(width, name), "", m->samples);
  print_metric(m->precision);
  print_metric(m->recall);
  print_metric(m->f1);
  printf("\n");
}

void gt_classes_print(const gt_confusion_matrix *matrix) {
  const int width = name_width(matrix);
  char number[24];
  printf("%-*s  %9s  %9s  %9s  %9s\n", width, "class", "samples", "precision", "recall", "f1");
  for (int64_t c = 0; c < matrix->classes; c++) {
    const gt_class_metrics m = gt_confusion_class(matrix, c);
    print_row(gt_confusion_name(matrix, c, number), width, &m);
  }
  const gt_class_metrics mean = gt_confusion_mean(matrix);
  print_row("mean", width, &mean);
}

static void add_metrics(json_t *object, const gt_class_metrics *m) {
  json_object_set_new(object, "precision", gt_json_real(m->precision));
  json_object_set_new(object, "recall", gt_json_real(m->recall));
  json_object_set_new(object, "f1", gt_json_real(m->f1));
}

void gt_classes_add(json_t *object, const gt_confusion_matrix *matrix) {
  const gt_class_metrics mean = gt_confusion_mean(matrix);
  json_t *macro = json_object(), *classes = json_array();
  char number[24];
  add_metrics(macro, &mean);
  for (int64_t c = 0; c < matrix->classes; c++) {
    const gt_class_metrics m = gt_confusion_class(matrix, c);
    json_t *row = json_pack("{s:s, s:I}", "class", gt_confusion_name(matrix, c, number), "samples",
                            (json_int_t)m.samples);
    add_metrics(row, &m);
    json_array_append_new(classes, row);
  }
  json_object_set_new(object, "macro", macro);
  json_object_set_new(object, "classes", classes);
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
  char number[24];
  for (int64_t label = 0; label < matrix->classes; label++) {
    json_t *row = json_array();
    for (int64_t predicted = 0; predicted < matrix->classes; predicted++)
      json_array_append_new(row, json_integer((json_int_t)gt_confusion_at(matrix, label, predicted)));
    json_array_append_new(rows, row);
    json_array_append_new(classes, json_string(gt_confusion_name(matrix, label, number)));
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
  char number[24];
  write_field(stream, "label");
  for (int64_t predicted = 0; predicted < matrix->classes; predicted++) {
    fputs(",", stream);
    write_field(stream, gt_confusion_name(matrix, predicted, number));
  }
  fputs("\n", stream);
  for (int64_t label = 0; label < matrix->classes; label++) {
    write_field(stream, gt_confusion_name(matrix, label, number));
    for (int64_t predicted = 0; predicted < matrix->classes; predicted++)
      fprintf(stream, ",%" PRId64, gt_confusion_at(matrix, label, predicted));
    fputs("\n", stream);
  }
}

bool gt_confusion_write(const gt_confusion_matrix *matrix, const char *path, gt_error *error) {
  const char *end = find_extension(path);
  const gt_confusion_picture picture = {matrix->classes, (const uint32_t *)matrix->count, matrix->names};
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
