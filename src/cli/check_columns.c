#include "cli/check_columns.h"
#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "cli/common.h"
#include "data/column.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHOWN = 64 /* columns */, MIN_WIDTH = 24, MAX_WIDTH = 48 /* of the names */ };

typedef struct statistics { /* of a column's first stored value, after filling, over the training rows */
  int64_t distinct;
  double mean, deviation; /* NaN for categories and dates */
  bool scaled;
} statistics;

static double value_at(const gt_tensor *tensor, int64_t i) {
  return tensor->element == GT_ELEMENT_I32 ? (double)((const int32_t *)tensor->data)[i]
                                           : (double)((const float *)tensor->data)[i];
}

static int by_key(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The number of different dates: of all their parts, because the year with its fraction tells hours apart,
 * but not seconds. */
static int64_t distinct_dates(const gt_tensor *tensor, const gt_column_summary *c) {
  const int64_t rows = tensor->dim[0], columns = gt_tensor_features(tensor);
  uint64_t *key = gt_alloc((size_t)rows * sizeof *key + 1);
  int64_t distinct = 0;
  for (int64_t i = 0; i < rows; i++)
    key[i] = gt_fingerprint(0, (const float *)tensor->data + i * columns + c->stored,
                            (size_t)c->values * sizeof(float));
  qsort(key, (size_t)rows, sizeof *key, by_key);
  for (int64_t i = 0; i < rows; i++) distinct += !i || key[i] != key[i - 1];
  free(key);
  return distinct;
}

static statistics statistics_of(const gt_dataset *d, const gt_column_summary *c) {
  const gt_tensor stored = gt_tensor_as_rows(&d->train.input[c->input]), *tensor = &stored;
  const int64_t rows = tensor->dim[0], columns = gt_tensor_features(tensor);
  const bool is_number = *c->kind == 'n' || *c->kind == 'b'; /* "number", "boolean" */
  statistics f = {0, NAN, NAN, false};
  if (!tensor->data) return f;
  float *value = gt_alloc((size_t)rows * sizeof *value + 1);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < rows; i++) {
    value[i] = (float)value_at(tensor, i * columns + c->stored);
    sum += (double)value[i];
  }
  for (int64_t i = 0; i < rows; i++) squares += pow((double)value[i] - sum / (double)rows, 2);
  qsort(value, (size_t)rows, sizeof *value, gt_order_floats);
  for (int64_t i = 0; i < rows; i++) f.distinct += !i || value[i] != value[i - 1];
  free(value);
  if (*c->kind == 'd') f.distinct = distinct_dates(tensor, c);
  if (is_number) f.mean = sum / (double)rows, f.deviation = sqrt(squares / (double)rows);
  f.scaled = gt_input_is_scaled(&d->input[c->input], c->stored);
  return f;
}

static int width_of_names(const gt_dataset *d, gt_arena *arena) {
  int width = MIN_WIDTH;
  for (int i = 0; i < d->columns && i < MAX_SHOWN; i++) {
    const int name_width = gt_text_width(gt_escape_name(arena, d->column[i].name));
    if (name_width > width && name_width <= MAX_WIDTH) width = name_width;
  }
  return width;
}

static void print_name(const char *name, int width) {
  gt_put_text(stdout, name);
  printf("%*s", gt_padding(width, name), "");
}

static void print_column(const gt_dataset *d, const gt_column_summary *c, int width, gt_arena *arena) {
  const statistics f = statistics_of(d, c);
  printf("  ");
  print_name(gt_escape_name(arena, c->name), width);
  printf(" %-9s %8llu %8lld ", c->kind, (unsigned long long)c->missing, (long long)f.distinct);
  if (isfinite(f.mean))
    printf("%10.4g %10.4g  %-6s ", f.mean, f.deviation, f.scaled ? "yes" : "no");
  else
    printf("%10s %10s  %-6s ", "", "", f.scaled ? "yes" : "no");
  for (int k = 0; k < 3; k++) {
    printf("%s", k ? ", " : "");
    gt_put_text(stdout, c->first[k] ? gt_escape_name(arena, c->first[k]) : "missing");
  }
  printf("\n");
}

void gt_check_print_columns(const gt_dataset *d) {
  gt_arena arena;
  if (!d->columns) return;
  gt_arena_init(&arena);
  const int width = width_of_names(d, &arena);
  printf("\n  ");
  print_name("column", width);
  printf(" %-9s %8s %8s %10s %10s  %-6s %s\n", "kind", "missing", "distinct", "mean", "deviation", "scaled",
         "first values");
  for (int i = 0; i < d->columns && i < MAX_SHOWN; i++) print_column(d, &d->column[i], width, &arena);
  if (d->columns > MAX_SHOWN) printf("  … %d more columns\n", d->columns - MAX_SHOWN);
  printf("\n");
  gt_arena_finish(&arena);
}

json_t *gt_check_columns_json(const gt_dataset *d) {
  json_t *list = json_array();
  for (int i = 0; i < d->columns; i++) {
    const gt_column_summary *c = &d->column[i];
    const statistics f = statistics_of(d, c);
    json_t *row = json_pack("{s:s, s:s, s:I, s:I, s:b}", "name", c->name, "kind", c->kind, "missing",
                            (json_int_t)c->missing, "distinct", (json_int_t)f.distinct, "scaled", f.scaled);
    if (isfinite(f.mean)) json_object_set_new(row, "mean", json_real(f.mean));
    if (isfinite(f.mean)) json_object_set_new(row, "deviation", json_real(f.deviation));
    json_array_append_new(list, row);
  }
  return list;
}
