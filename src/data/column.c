#include "data/column.h"
#include "base/fingerprint.h"
#include "data/date.h"
#include <math.h>
#include <string.h>

const char *const gt_column_kind_names[] = {"number", "boolean", "category", "date"};

static int parts_of(const gt_column *column) {
  if (column->kind != GT_COLUMN_DATE) return 1;
  return column->hours ? GT_DATE_PARTS_WITH_HOURS : GT_DATE_PARTS;
}

int gt_column_stored(const gt_column *column) { return parts_of(column) + column->indicator; }

int gt_column_raw(const gt_column *column) { return column->kind == GT_COLUMN_DATE ? GT_DATE_VALUES : 1; }

void gt_column_write_fill(const gt_column *column, float *raw) {
  if (column->kind == GT_COLUMN_DATE)
    gt_date_to_values(column->fill, raw);
  else
    *raw = (float)column->fill;
}

bool gt_columns_are_plain(const gt_column *column, int count) {
  for (int i = 0; i < count; i++)
    if (column[i].kind != GT_COLUMN_NUMBER || column[i].fills || column[i].indicator || column[i].log)
      return false;
  return true;
}

int gt_column_texts(const gt_column *column) {
  return column->categories - (column->missing >= 0) - (column->other >= 0);
}

const char *gt_column_category(const gt_column *column, int code) {
  return code == column->missing ? "missing" : code == column->other ? "other" : column->category[code];
}

/* Writes the names of a column's stored values to names[0 …]. */
static void name_stored(gt_arena *arena, const gt_column *column, const char **names) {
  const int parts = parts_of(column);
  for (int p = 0; p < parts; p++)
    names[p] = column->log  ? gt_arena_printf(arena, "log1p(%s)", column->name)
               : parts == 1 ? column->name
                            : gt_arena_printf(arena, "%s %s", column->name, gt_date_part_names[p]);
  if (column->indicator) names[parts] = gt_arena_printf(arena, "%s missing", column->name);
}

typedef struct features {
  int64_t count;
  int32_t *column, *code;
  const char **name;
} features;

static void add_feature(features *f, int64_t stored, int32_t code, const char *name) {
  f->column[f->count] = (int32_t)stored;
  f->code[f->count] = code;
  f->name[f->count++] = name;
}

/* at: index of the column's first stored value. names: of all stored values. */
static void add_features(features *f, gt_arena *arena, const gt_column *column, int64_t at,
                         const char *const *names) {
  const bool category = column->kind == GT_COLUMN_CATEGORY;
  for (int c = 0; category && c < column->categories; c++)
    add_feature(f, at, c, gt_arena_printf(arena, "%s=%s", column->name, gt_column_category(column, c)));
  /* A category's code, stored value 0, has become one feature per category above. */
  for (int p = category; p < gt_column_stored(column); p++) add_feature(f, at + p, -1, names[at + p]);
}

const gt_table *gt_table_create(gt_arena *arena, const gt_column *column, int count, bool codes) {
  gt_table *t = GT_NEW(arena, gt_table);
  bool has_one_hot = false;
  *t = (gt_table){.count = count, .column = column};
  for (int i = 0; i < count; i++) {
    t->raw += gt_column_raw(&column[i]);
    t->stored += gt_column_stored(&column[i]);
    t->features += gt_column_stored(&column[i]);
    if (column[i].kind != GT_COLUMN_CATEGORY || codes) continue;
    t->features += column[i].categories - 1;
    has_one_hot = true;
  }
  const char **names = GT_NEW_N(arena, const char *, t->stored);
  int64_t at = 0;
  for (int i = 0; i < count; at += gt_column_stored(&column[i++])) name_stored(arena, &column[i], names + at);
  t->names = t->feature = names;
  if (!has_one_hot) return t;
  int32_t *one_hot = GT_NEW_N(arena, int32_t, 2 * t->features);
  features f = {0, one_hot, one_hot + t->features, GT_NEW_N(arena, const char *, t->features)};
  at = 0;
  for (int i = 0; i < count; at += gt_column_stored(&column[i++]))
    add_features(&f, arena, &column[i], at, names);
  t->one_hot = one_hot;
  t->feature = f.name;
  return t;
}

/* Writes the stored values of one cell. */
static void store_cell(const gt_column *column, const float *raw, float *out) {
  const bool missing = isnan(*raw);
  const float value = missing ? (float)column->fill : *raw;
  const int parts = parts_of(column);
  if (column->kind == GT_COLUMN_DATE)
    gt_date_split(missing ? column->fill : gt_date_of_values(raw), parts, out);
  else
    *out = column->log ? log1pf(value) : value;
  if (column->indicator) out[parts] = missing;
}

void gt_table_store(const gt_table *table, const float *raw, int64_t rows, float *out) {
  for (int64_t r = 0; r < rows; r++)
    for (int i = 0; i < table->count; i++) {
      store_cell(&table->column[i], raw, out);
      raw += gt_column_raw(&table->column[i]);
      out += gt_column_stored(&table->column[i]);
    }
}

uint64_t gt_table_fingerprint(const gt_table *table, uint64_t hash) {
  for (int i = 0; table && i < table->count; i++) {
    const gt_column *c = &table->column[i];
    const int32_t numbers[] = {(int32_t)c->kind, c->indicator, c->log,  c->hours,
                               c->categories,    c->missing,   c->other};
    hash = gt_fingerprint(hash, c->name, strlen(c->name) + 1);
    hash = gt_fingerprint(hash, numbers, sizeof numbers);
    for (int k = 0; k < c->categories; k++) {
      const char *name = gt_column_category(c, k);
      hash = gt_fingerprint(hash, name, strlen(name) + 1);
    }
  }
  return hash;
}

bool gt_table_is_one_hot(const gt_table *table, int64_t i) {
  int64_t low = 0, high = table && table->one_hot ? table->features : 0;
  if (!high) return false;
  while (low < high) { /* features are in the order of the stored values */
    const int64_t middle = (low + high) / 2;
    if (table->one_hot[middle] < i)
      low = middle + 1;
    else
      high = middle;
  }
  return low < table->features && table->one_hot[low] == i && table->one_hot[table->features + low] >= 0;
}

void gt_table_encode(const gt_table *table, const float *stored, float *feature) {
  if (!table->one_hot) {
    memcpy(feature, stored, (size_t)table->features * sizeof *feature);
    return;
  }
  const int32_t *column = table->one_hot, *code = column + table->features;
  for (int64_t f = 0; f < table->features; f++)
    feature[f] = code[f] < 0 ? stored[column[f]] : stored[column[f]] == (float)code[f];
}
