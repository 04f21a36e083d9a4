/* Typed columns of a table: how the cells of a column become the numbers that a network reads.
 *
 *   cell ──read──▶ raw value ──fill, encode──▶ stored values ──scale, one-hot (on the device)──▶ features
 *
 * Raw values are floats: a number; 0 or 1 for a boolean; the day and the second of the day for a date
 * (data/date.h), two values; a code for a category; NaN if the value is missing. Stored values are in the
 * dataset: a number or a code, the parts of a date, and an indicator of missing values if the config asks for
 * one. Features are what the network sees: a code becomes one value per category (op/one_hot.h). All of this
 * is learned only from training rows and is part of a trained model. Owner: an arena. */
#ifndef GT_DATA_COLUMN_H
#define GT_DATA_COLUMN_H
#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum gt_column_kind {
  GT_COLUMN_NUMBER,
  GT_COLUMN_BOOLEAN, /* words such as yes and no */
  GT_COLUMN_CATEGORY,
  GT_COLUMN_DATE,
  GT_COLUMN_KINDS
} gt_column_kind;
extern const char *const gt_column_kind_names[GT_COLUMN_KINDS];

enum { GT_COLUMN_MAX_CATEGORIES = 1 << 20 };

typedef struct gt_column {
  const char *name; /* in the file */
  gt_column_kind kind;
  bool fills;             /* a missing value is replaced by `fill`; else it is an error */
  bool fills_later_files; /* training had no missing value: `fill` is only for later files */
  double fill;    /* a number, hours since 2000 for a date, a category's code (also `missing` or `other`) */
  bool indicator; /* one more stored value: 1 if the value is missing, else 0 */
  bool log;       /* numbers: stored as log(1 + x) */
  bool hours;     /* dates: with the hour of the day */
  unsigned order; /* dates: GT_DATE_…, how they are written */
  int categories; /* codes are 0 … categories - 1 */
  const char *const *category; /* [gt_column_texts] their texts in NFC, sorted */
  int missing, other; /* the codes after these, for missing values and for all other texts; -1: none */
  int unseen; /* code for a text that is not a category: `other`, or the most frequent one; -1: an error */
} gt_column;

/* The columns of one input, in their order in its samples. */
typedef struct gt_table {
  int count;
  const gt_column *column;
  int64_t raw, stored, features; /* values of a row as read, in the dataset, and as the network sees it */
  const int32_t *one_hot;   /* [2][features], as gt_one_hot reads it; NULL: features are the stored values */
  const char *const *names; /* [stored] names: "Age", "Age missing", "signup month sin" */
  const char *const *feature; /* [features] names: "Sex=male" */
} gt_table;

/* Number of categories that are texts, without `missing` and `other`. */
int gt_column_texts(const gt_column *column);
/* The name of a code: a text, or "missing", "other". */
const char *gt_column_category(const gt_column *column, int code);
int gt_column_raw(const gt_column *column);    /* number of raw values of one cell */
int gt_column_stored(const gt_column *column); /* number of stored values of one cell */
/* Writes the fill as raw values. */
void gt_column_write_fill(const gt_column *column, float *raw);
/* A table of columns that are completely fitted. codes: categories stay codes, for embeddings. */
const gt_table *gt_table_create(gt_arena *arena, const gt_column *column, int count, bool codes);
/* True if each column is a number without anything to fill, encode or transform. */
bool gt_columns_are_plain(const gt_column *column, int count);
/* Converts raw values [rows, raw], whose codes are below `categories`, to stored values [rows, stored]. */
void gt_table_store(const gt_table *table, const float *raw, int64_t rows, float *out);
/* Extends the hash by names, kinds and categories of the columns; fills do not count. Returns `hash` if table
 * is NULL. */
uint64_t gt_table_fingerprint(const gt_table *table, uint64_t hash);
/* True if stored value i becomes one-hot features. False for codes that stay codes (for embeddings), and if
 * table is NULL. */
bool gt_table_is_one_hot(const gt_table *table, int64_t i);
/* Converts the stored values of one sample to features. */
void gt_table_encode(const gt_table *table, const float *stored, float *features);
#endif
