/* Fits typed columns to the training split (fills, categories), and turns the raw values of all splits into
 * stored values. */
#include "base/count.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/table/table.h"
#include "data/date.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct values { /* the values of a column that are not missing: of dates, hours since 2000; heap */
  double *item;
  int64_t count, rows; /* number of values; number of rows examined, also those without a value */
} values;

/* True if a value of the column is not missing. */
static bool has_value(const gt_tensor *raw, int64_t column) {
  const int64_t columns = gt_tensor_features(raw);
  const float *value = (const float *)raw->data + column;
  for (int64_t i = 0; i < raw->dim[0]; i++, value += columns)
    if (!isnan(*value)) return true;
  return false;
}

enum { MAX_SORTED = 8192 }; /* up to this many values, sorting is faster than histograms */

/* The values of every step-th row. */
static values values_of(const gt_tensor *raw, int64_t column, int64_t step, bool are_dates) {
  const int64_t columns = gt_tensor_features(raw);
  values v = {gt_alloc((size_t)gt_ceil_div(raw->dim[0], step) * sizeof *v.item + 1), 0, 0};
  for (int64_t i = 0; i < raw->dim[0]; i += step, v.rows++) {
    const float *from = (const float *)raw->data + i * columns + column;
    if (!isnan(*from)) v.item[v.count++] = are_dates ? gt_date_of_values(from) : (double)*from;
  }
  return v;
}

static void sort(values *v) { qsort(v->item, (size_t)v->count, sizeof *v->item, gt_order_doubles); }

/* The most frequent value; v is sorted. */
static double most_frequent(const values *v) {
  int64_t best = 0, most = 0;
  for (int64_t i = 0, first = 0; i < v->count; i++) {
    if (v->item[i] > v->item[first]) first = i;
    if (i - first + 1 > most) most = i - first + 1, best = first;
  }
  return v->item[best];
}

static double mean_of(const values *v) {
  double sum = 0;
  for (int64_t i = 0; i < v->count; i++) sum += v->item[i];
  return sum / (double)v->count;
}

/* v is sorted. */
static double middle_of(const values *v) { return (v->item[(v->count - 1) / 2] + v->item[v->count / 2]) / 2; }

/* --- the median --- */

/* A 32-bit key with the same order as the float. */
static uint32_t key_of(double number) {
  const float value = (float)number;
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float value_of(uint32_t key) {
  const uint32_t bits = key & 0x80000000u ? key & 0x7FFFFFFFu : ~key;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

enum { BINS = 1 << 16 };

/* One pass of a radix selection. Fills the histogram count[BINS] of the keys' upper 16 bits (upper < 0), or
 * of the lower 16 bits of keys with these upper bits. Returns the bin of the value with rank *rank, and sets
 * *rank to its rank within the bin. */
static uint32_t select_bin(const values *v, int64_t upper, int64_t *rank, int64_t *count) {
  uint32_t bin = 0;
  memset(count, 0, BINS * sizeof *count);
  for (int64_t i = 0; i < v->count; i++) {
    const uint32_t key = key_of(v->item[i]);
    if (upper < 0)
      count[key >> 16]++;
    else
      count[key & (BINS - 1)] += key >> 16 == (uint32_t)upper;
  }
  while (*rank >= count[bin]) *rank -= count[bin++];
  return bin;
}

/* The value with this rank in ascending order, found with two histograms. */
static double value_at(const values *v, int64_t rank, int64_t *count) {
  const uint32_t upper = select_bin(v, -1, &rank, count);
  return (double)value_of(upper << 16 | select_bin(v, upper, &rank, count));
}

/* Sorts v if it has at most MAX_SORTED values. */
static double median_of(values *v) {
  if (v->count <= MAX_SORTED) {
    sort(v);
    return middle_of(v);
  }
  int64_t *count = gt_alloc(BINS * sizeof *count);
  const double low = value_at(v, (v->count - 1) / 2, count), high = value_at(v, v->count / 2, count);
  free(count);
  return (low + high) / 2;
}

static void fit_number(gt_typed_column *c, values *v) {
  const gt_fill_method fill = c->rule.fill;
  const bool frequent =
      fill == GT_FILL_FREQUENT || (c->column.kind == GT_COLUMN_BOOLEAN && fill != GT_FILL_MEDIAN);
  if (fill == GT_FILL_MEAN || frequent) sort(v);
  c->column.fill = (double)(float)(fill == GT_FILL_VALUE  ? c->rule.value
                                   : fill == GT_FILL_MEAN ? mean_of(v)
                                   : frequent             ? most_frequent(v)
                                                          : median_of(v));
}

/* --- categories --- */

typedef struct text_count {
  const char *text;
  int64_t count;
} text_count;

static int by_count(const void *a, const void *b) {
  const text_count *x = a, *y = b;
  return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->text, y->text);
}

/* Moves the texts that become categories to the front, sorted by text: those that occur in at least `least`
 * training rows; if `most` is not 0, only the most frequent, so that there are at most `most` categories,
 * including `other`. Returns their number. Adds the number of training rows with other texts to
 * *other_rows. */
static int keep_texts(text_count *all, int count, int64_t most, int64_t least, int64_t *other_rows) {
  int kept = 0, seen = 0;
  qsort(all, (size_t)count, sizeof *all, by_count);
  while (seen < count && all[seen].count) seen++; /* the others occur only in held-out rows */
  while (kept < seen && all[kept].count >= least) kept++;
  if (most && kept + (kept < seen) > most) kept = (int)most - 1;
  for (int i = kept; i < seen; i++) *other_rows += all[i].count;
  qsort(all, (size_t)kept, sizeof *all, gt_order_texts);
  return kept;
}

/* True if missing values get a category of their own. */
static bool has_own_category(const gt_typed_column *c) {
  return c->column.kind == GT_COLUMN_CATEGORY &&
         (c->rule.fill == GT_FILL_AUTO || c->rule.fill == GT_FILL_CATEGORY);
}

static void fit_categories(gt_typed_column *c, const values *v, gt_arena *arena) {
  gt_column *column = &c->column;
  text_count *all = gt_alloc(((size_t)c->texts + 1) * sizeof *all);
  int64_t other_rows = 0, most_rows = 0;
  const int64_t missing_rows = v->rows - v->count;
  for (int i = 0; i < c->texts; i++) all[i].text = c->text[i];
  for (int64_t i = 0; i < v->count; i++) all[(int)v->item[i]].count++;
  const int texts = keep_texts(all, c->texts, c->rule.max_categories,
                               c->rule.unseen_is_error ? 1 : c->rule.min_rows, &other_rows);
  const char **name = GT_NEW_N(arena, const char *, texts + 1);
  int frequent = -1;
  for (int i = 0; i < texts; i++) {
    name[i] = all[i].text;
    if (all[i].count > most_rows) most_rows = all[i].count, frequent = i;
  }
  column->category = name;
  column->categories = texts;
  column->missing = column->other = -1;
  if (other_rows) column->other = column->categories++;
  if (missing_rows && has_own_category(c)) column->missing = column->categories++;
  if (frequent < 0) frequent = other_rows ? column->other : column->missing;
  column->fill = column->missing >= 0 ? column->missing : frequent;
  column->unseen = other_rows ? column->other : c->rule.unseen_is_error ? -1 : frequent;
  free(all);
}

static void fit_dates(gt_typed_column *c, values *v) {
  for (int64_t i = 0; i < v->count && !c->column.hours; i++) c->column.hours = fmod(v->item[i], 24) != 0;
  sort(v);
  c->column.fill = c->rule.fill == GT_FILL_MEAN       ? mean_of(v)
                   : c->rule.fill == GT_FILL_FREQUENT ? most_frequent(v)
                                                      : middle_of(v);
}

/* A fill that training does not use needs only MAX_SORTED rows, evenly spaced. */
static void fit_values(gt_typed_column *c, const gt_tensor *raw, int64_t place, gt_arena *arena) {
  const gt_column_kind kind = c->column.kind;
  const bool spare = c->column.fills_later_files && (kind == GT_COLUMN_NUMBER || kind == GT_COLUMN_BOOLEAN);
  values v = values_of(raw, place, spare ? gt_ceil_div(raw->dim[0], MAX_SORTED) : 1, kind == GT_COLUMN_DATE);
  if (kind == GT_COLUMN_CATEGORY)
    fit_categories(c, &v, arena);
  else if (kind == GT_COLUMN_DATE)
    fit_dates(c, &v);
  else
    fit_number(c, &v);
  free(v.item);
}

bool gt_typed_fit(gt_data_reader *reader, gt_typed_column *c, const gt_tensor *raw, int64_t place) {
  const bool empty = !has_own_category(c) && !has_value(raw, place);
  c->column.indicator = c->rule.indicator;
  c->column.log = c->column.kind == GT_COLUMN_NUMBER && c->rule.scale == GT_SCALE_LOG1P;
  c->column.fills_later_files = !c->column.fills && c->rule.fill == GT_FILL_AUTO;
  if (empty)
    gt_fail(
        reader->error, GT_ERR_DATA,
        "%s: column '%s' has no value in any training row; leave it out with data: {columns: {%s: ignore}}",
        reader->train_name, c->column.name, gt_spec_key(reader->arena, c->column.name));
  else if (c->column.kind == GT_COLUMN_CATEGORY || c->column.kind == GT_COLUMN_DATE || c->column.fills ||
           c->column.fills_later_files)
    fit_values(c, raw, place, reader->arena);
  return !empty;
}

/* --- from raw to stored values --- */

/* The final code of each text of the files; -1: the text is not a category. */
static int *final_codes(const gt_typed_column *c) {
  int *final = gt_alloc(((size_t)c->texts + 1) * sizeof *final);
  for (int i = 0; i < c->texts; i++) final[i] = -1;
  for (int k = 0; k < gt_column_texts(&c->column); k++)
    final[gt_names_find(&c->index, c->column.category[k])] = k;
  return final;
}

typedef struct unseen_texts {
  int64_t cells;
  const char *first;
} unseen_texts;

/* Replaces codes of the files' texts by final codes; texts that are not categories are counted as unseen. */
static unseen_texts recode(const gt_typed_column *c, gt_tensor *raw, int64_t place) {
  unseen_texts unseen = {0};
  int *final = final_codes(c);
  const int64_t columns = gt_tensor_features(raw);
  float *value = (float *)raw->data + place;
  for (int64_t i = 0; i < raw->dim[0]; i++, value += columns) {
    if (isnan(*value)) continue;
    const int text = (int)*value, code = final[text];
    if (code < 0 && !unseen.cells++) unseen.first = c->text[text];
    *value = (float)(code < 0 ? c->column.unseen : code);
  }
  free(final);
  return unseen;
}

enum { TILE = 4096 }; /* rows */

typedef struct storing {
  const gt_table *table;
  const gt_tensor *raw, *stored;
} storing;

static void store_tile(void *context, uint32_t tile) {
  const storing *s = context;
  const int64_t first = (int64_t)tile * TILE, rows = gt_min_i64(s->raw->dim[0] - first, TILE);
  gt_table_store(s->table, (const float *)s->raw->data + first * s->table->raw, rows,
                 (float *)s->stored->data + first * s->table->stored);
}

static bool store(const gt_table *table, gt_tensor *tensor, bool codes, gt_error *error) {
  gt_tensor out = {.element = GT_ELEMENT_F32, .rank = 2, .dim = {tensor->dim[0], table->stored}};
  if (!gt_tensor_alloc(&out, "the values of a table", error)) return false;
  storing s = {table, tensor, &out};
  gt_pool_run_once((uint32_t)gt_ceil_div(tensor->dim[0], TILE), store_tile, &s);
  gt_tensor_finish(tensor);
  *tensor = out;
  return !codes || gt_data_to_integers("a table", tensor, error);
}

static const char *unseen_text(const gt_column *column, int64_t cells, const char *first, gt_arena *arena) {
  return gt_arena_printf(
      arena,
      "%" PRId64
      " cell%s of column '%s' hold%s a category that is not one of the %d learned from the training rows "
      "('%s'%s)",
      cells, cells == 1 ? "" : "s", gt_escape_name(arena, column->name), cells == 1 ? "s" : "",
      gt_column_texts(column), gt_escape_name(arena, first), cells == 1 ? "" : ", …");
}

bool gt_typed_store(const gt_typed_use *use, const gt_table *table, gt_tensor *tensor, bool codes,
                    gt_arena *arena, gt_table_report report, void *to, gt_error *error) {
  for (int64_t i = 0, place = 0; i < table->count; place += gt_column_raw(&table->column[i++])) {
    const gt_typed_column *c = &use->table->item[use->place[i]];
    if (c->column.kind != GT_COLUMN_CATEGORY) continue;
    const unseen_texts unseen = recode(c, tensor, place);
    if (!unseen.cells || !report) continue;
    const char *text = unseen_text(&c->column, unseen.cells, unseen.first, arena);
    if (c->column.unseen < 0) return gt_fail(error, GT_ERR_DATA, "%s, and its rule is 'unseen: error'", text);
    if (c->column.unseen != c->column.other)
      report(to, GT_FINDING_unseen_category,
             gt_arena_printf(arena, "%s; %s read as the most frequent one, '%s'", text,
                             unseen.cells == 1 ? "it is" : "they are",
                             gt_escape_name(arena, gt_column_category(&c->column, c->column.unseen))),
             gt_arena_printf(arena,
                             "to refuse such files: data: {columns: {%s: {unseen: error}}} in the training",
                             gt_spec_key(arena, c->column.name)));
  }
  return store(table, tensor, codes, error);
}
