#include "cli/check_columns.h"
#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/common.h"
#include "data/column.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHOWN = 20 /* columns */ };

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
  const gt_tensor stored = gt_tensor_as_rows(gt_train_input(d, c->input)), *tensor = &stored;
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

/* Which fields the table has, and how wide they are. */
typedef struct layout {
  int name, first;             /* width of the names, and of the first values, which are last in the line */
  bool facts, scaling, firsts; /* missing, distinct; mean, deviation, scaled; first values */
} layout;

/* The widths of the fields in print_line, with the blank before each. */
enum {
  INDENT = 2,
  KIND = 10,
  FACTS = 18,
  SCALING = 30,
  MIN_NAME = 12,
  MIN_FIRST = 14,
  COMMON_NAME = 24,
  MAX_NAME = 48
};

/* Leaves out the last fields of a table that is wider than the terminal. terminal: its width; 0: there is
 * none. */
static layout layout_of(const gt_dataset *d, int terminal, gt_arena *arena) {
  int widest = 0, most = MAX_NAME;
  layout l = {COMMON_NAME, INT_MAX, true, true, true};
  for (int i = 0; i < d->columns && i < MAX_SHOWN; i++) {
    const int width = gt_text_width(gt_escape_name(arena, d->column[i].name));
    if (width > widest && (width <= MAX_NAME || terminal)) widest = width;
  }
  if (terminal) {
    int rest = terminal - INDENT - KIND - MIN_NAME;
    l.facts = rest >= FACTS;
    l.scaling = rest >= FACTS + SCALING;
    l.firsts = rest >= FACTS + SCALING + 1 + MIN_FIRST;
    rest -= (l.facts ? FACTS : 0) + (l.scaling ? SCALING : 0) + (l.firsts ? 1 + MIN_FIRST : 0);
    most = MIN_NAME + rest > MAX_NAME ? MAX_NAME : MIN_NAME + rest;
    if (most < 1) most = 1;
    if (l.name > most) l.name = most;
  }
  if (widest > l.name) l.name = widest < most ? widest : most;
  if (terminal) l.first = terminal - INDENT - l.name - KIND - FACTS - SCALING - 1;
  return l;
}

typedef struct line { /* of the printed table; "": an empty field */
  const char *name, *kind, *missing, *distinct, *mean, *deviation, *scaled, *first;
} line;

static void print_line(const layout *l, const line *f, gt_arena *arena) {
  const char *name = l->first == INT_MAX ? f->name : gt_text_cut(arena, f->name, l->name);
  printf("%*s", INDENT, "");
  gt_put_text(stdout, name);
  printf("%*s %-*s", gt_padding(l->name, name), "", KIND - 1, f->kind);
  if (l->facts) printf(" %8s %8s", f->missing, f->distinct);
  if (l->scaling) printf(" %10s %10s  %-6s", f->mean, f->deviation, f->scaled);
  if (l->firsts) {
    putchar(' ');
    gt_put_text(stdout, gt_text_cut(arena, f->first, l->first));
  }
  putchar('\n');
}

static void print_column(const gt_dataset *d, const gt_column_summary *c, const layout *l, gt_arena *arena) {
  const statistics s = statistics_of(d, c);
  line f = {.name = gt_escape_name(arena, c->name),
            .kind = c->kind,
            .missing = gt_arena_printf(arena, "%llu", (unsigned long long)c->missing),
            .distinct = gt_arena_printf(arena, "%lld", (long long)s.distinct),
            .mean = isfinite(s.mean) ? gt_arena_printf(arena, "%.4g", s.mean) : "",
            .deviation = isfinite(s.mean) ? gt_arena_printf(arena, "%.4g", s.deviation) : "",
            .scaled = s.scaled ? "yes" : "no"};
  gt_list first = gt_list_open(arena, 3);
  for (int k = 0; k < 3; k++)
    gt_list_add(&first, "%s", c->first[k] ? gt_escape_name(arena, c->first[k]) : "missing");
  f.first = first.text;
  print_line(l, &f, arena);
}

void gt_check_print_columns(const gt_dataset *d) {
  static const line head = {"column", "kind",      "missing", "distinct",
                            "mean",   "deviation", "scaled",  "first values"};
  gt_arena arena;
  if (!d->columns) return;
  gt_arena_init(&arena);
  const layout l = layout_of(d, gt_terminal_width(fileno(stdout)), &arena);
  putchar('\n');
  print_line(&l, &head, &arena);
  for (int i = 0; i < d->columns && i < MAX_SHOWN; i++) print_column(d, &d->column[i], &l, &arena);
  if (d->columns > MAX_SHOWN)
    printf("%*s… %d more columns; --json lists all\n", INDENT, "", d->columns - MAX_SHOWN);
  putchar('\n');
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
