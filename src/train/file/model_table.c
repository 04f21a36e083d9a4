#include "train/file/model_table.h"
#include "base/names.h"
#include "data/date.h"
#include <math.h>
#include <string.h>

enum { MAX_COLUMNS = 1000000 };

static json_t *column_json(const gt_column *c) {
  json_t *root = json_pack("{s:s, s:s}", "name", c->name, "kind", gt_column_kind_names[c->kind]);
  if (c->fills) json_object_set_new(root, "fill", json_real(c->fill));
  if (c->fills_later_files) json_object_set_new(root, "spare_fill", json_real(c->fill));
  if (c->indicator) json_object_set_new(root, "indicator", json_true());
  if (c->log) json_object_set_new(root, "log1p", json_true());
  if (c->hours) json_object_set_new(root, "hours", json_true());
  if (c->kind == GT_COLUMN_DATE) json_object_set_new(root, "order", json_integer(c->order));
  if (c->kind != GT_COLUMN_CATEGORY) return root;
  json_t *names = json_array();
  const int texts = gt_column_texts(c);
  for (int i = 0; i < texts; i++) json_array_append_new(names, json_string(c->category[i]));
  json_object_set_new(root, "categories", names);
  if (c->missing >= 0) json_object_set_new(root, "missing", json_integer(c->missing));
  if (c->other >= 0) json_object_set_new(root, "other", json_integer(c->other));
  json_object_set_new(root, "unseen", json_integer(c->unseen));
  return root;
}

json_t *gt_table_json(const gt_table *table) {
  json_t *columns = json_array();
  for (int i = 0; i < table->count; i++) json_array_append_new(columns, column_json(&table->column[i]));
  return columns;
}

json_t *gt_fills_json(const float *fill, int64_t count) {
  json_t *fills = json_array();
  for (int64_t i = 0; i < count; i++)
    json_array_append_new(fills, isnan(fill[i]) ? json_null() : json_real((double)fill[i]));
  return fills;
}

/* --- reading --- */

const float *gt_fills_from_json(const json_t *fills, int64_t count, gt_arena *arena) {
  if (!json_is_array(fills) || json_array_size(fills) != (size_t)count) return NULL;
  float *fill = GT_NEW_N(arena, float, count + 1);
  for (int64_t i = 0; i < count; i++) {
    const json_t *value = json_array_get(fills, (size_t)i);
    fill[i] = json_is_null(value) ? NAN : (float)json_number_value(value);
    if (!json_is_null(value) && (!json_is_number(value) || !isfinite(fill[i]))) return NULL;
  }
  return fill;
}

/* Reads an optional code of a category, at least `least`; -1 if it is absent. */
static bool read_code(const json_t *from, const char *key, int least, int categories, int *out) {
  const json_t *value = json_object_get(from, key);
  *out = -1;
  if (!value) return true;
  const json_int_t code = json_integer_value(value);
  *out = (int)code;
  return json_is_integer(value) && code >= least && code < categories;
}

static bool read_categories(gt_column *c, const json_t *from, gt_arena *arena) {
  const json_t *names = json_object_get(from, "categories");
  const size_t texts = json_array_size(names);
  if (!json_is_array(names) || texts > GT_COLUMN_MAX_CATEGORIES) return false;
  const char **category = GT_NEW_N(arena, const char *, texts + 1);
  for (size_t i = 0; i < texts; i++) {
    const char *text = json_string_value(json_array_get(names, i));
    if (!text || (i && strcmp(category[i - 1], text) >= 0)) return false;
    category[i] = gt_arena_strdup(arena, text);
  }
  c->category = category;
  c->categories =
      (int)texts + (json_object_get(from, "missing") != NULL) + (json_object_get(from, "other") != NULL);
  const int first = (int)texts, all = c->categories;
  return all > 0 && read_code(from, "missing", first, all, &c->missing) &&
         read_code(from, "other", first, all, &c->other) && read_code(from, "unseen", -1, all, &c->unseen) &&
         (c->missing < 0 || c->missing != c->other) && c->fill >= 0 && c->fill < (double)all &&
         c->fill == floor(c->fill);
}

static bool read_column(gt_column *c, const json_t *from, gt_arena *arena) {
  const char *name = json_string_value(json_object_get(from, "name")),
             *kind = json_string_value(json_object_get(from, "kind"));
  const json_t *fill = json_object_get(from, "fill"),
               *spare = fill ? NULL : json_object_get(from, "spare_fill");
  const json_t *value = fill ? fill : spare;
  if (!name || !kind || (value && !json_is_number(value))) return false;
  int k = 0;
  while (k < GT_COLUMN_KINDS && strcmp(kind, gt_column_kind_names[k]) != 0) k++;
  if (k == GT_COLUMN_KINDS) return false;
  *c = (gt_column){.name = gt_arena_strdup(arena, name),
                   .kind = (gt_column_kind)k,
                   .fills = fill != NULL,
                   .fills_later_files = spare != NULL,
                   .fill = json_number_value(value),
                   .indicator = json_is_true(json_object_get(from, "indicator")),
                   .log = json_is_true(json_object_get(from, "log1p")),
                   .hours = json_is_true(json_object_get(from, "hours")),
                   .order = (unsigned)json_integer_value(json_object_get(from, "order")),
                   .missing = -1,
                   .other = -1};
  if (c->kind != GT_COLUMN_DATE) c->fill = (double)(float)c->fill; /* a raw value is a float */
  if (!isfinite(c->fill) || (c->log && (c->kind != GT_COLUMN_NUMBER || (value && c->fill <= -1))))
    return false;
  if (c->kind == GT_COLUMN_DATE)
    return fabs(c->fill) < 1e8 && (c->order == GT_DATE_YEAR_FIRST || c->order == GT_DATE_DAY_FIRST ||
                                   c->order == GT_DATE_MONTH_FIRST);
  return c->kind != GT_COLUMN_CATEGORY || read_categories(c, from, arena);
}

static bool can_be_codes(const gt_column *c) {
  return c->kind != GT_COLUMN_DATE && !c->indicator && !c->log &&
         ((!c->fills && !c->fills_later_files) || c->kind == GT_COLUMN_CATEGORY);
}

const gt_table *gt_table_from_json(const json_t *columns, bool codes, gt_arena *arena) {
  const size_t count = json_array_size(columns);
  int64_t features = 0;
  gt_names names = {.arena = arena};
  if (!json_is_array(columns) || count < 1 || count > MAX_COLUMNS) return NULL;
  gt_column *column = GT_NEW_N(arena, gt_column, count);
  for (size_t i = 0; i < count; i++) {
    if (!read_column(&column[i], json_array_get(columns, i), arena)) return NULL;
    if (codes && !can_be_codes(&column[i])) return NULL;
    if (gt_names_add(&names, column[i].name, (int)i) != (int)i) return NULL;
    features += gt_column_stored(&column[i]) + column[i].categories;
    if (features > INT32_MAX) return NULL;
  }
  return gt_table_create(arena, column, (int)count, codes);
}

/* True if cells of the column are read in the same way. */
static bool is_same(const gt_column *a, const gt_column *b) {
  const int texts = gt_column_texts(a);
  if (a->kind != b->kind || a->order != b->order || a->fills != b->fills || a->categories != b->categories ||
      a->missing != b->missing || a->other != b->other || a->unseen != b->unseen)
    return false;
  for (int i = 0; i < texts; i++)
    if (strcmp(a->category[i], b->category[i]) != 0) return false;
  return true;
}

bool gt_tables_agree(const gt_input *input, int inputs, gt_arena *arena) {
  static const gt_column plain = {.missing = -1, .other = -1};
  gt_names names = {.arena = arena};
  int64_t count = 0;
  int tables = 0;
  for (int k = 0; k < inputs; k++) {
    if (!input[k].columns)
      return true; /* columns without names are matched by position: none is read twice */
    tables += input[k].table != NULL;
    count += input[k].table ? input[k].table->count : gt_input_row_features(&input[k]);
  }
  const gt_column **seen = tables ? GT_NEW_N(arena, const gt_column *, count) : NULL;
  for (int k = 0, next = 0; k < inputs && tables; k++) {
    const gt_table *table = input[k].table;
    const int columns = table ? table->count : (int)gt_input_row_features(&input[k]);
    for (int i = 0; i < columns; i++) {
      const gt_column *column = table ? &table->column[i] : &plain;
      const int index = gt_names_add(&names, table ? column->name : input[k].columns[i], next);
      if (index == next) seen[next++] = column;
      if (!is_same(seen[index], column)) return false;
    }
  }
  return true;
}
