/* Typed columns of tables: how the cells decide the type, how missing values are filled, categories, dates,
 * scaling, and that nothing is learned from rows outside the training split. */
#include "base/log.h"
#include "data/column.h"
#include "data_support.h"
#include <math.h>

static const float *floats(const gt_tensor *t) { return t->data; }
static const int32_t *ints(const gt_tensor *t) { return t->data; }

/* Opens a table of a text with these options. */
static bool open_table(opened *o, const char *text, const char *options) {
  const char *path = write_text("c.csv", text);
  open_data(o, "{train: %s, target: y, task: regression%s%s}", path, *options ? ", " : "", options);
  unlink(path);
  return o->ok;
}

/* Opens a table with a column x, whose cells are separated by |, and a target y of 0.5 in each row. */
static bool open_column(opened *o, const char *cells, const char *options) {
  char text[4096] = "x,y\n", *to = text + 4;
  for (const char *c = cells; *c; c++)
    if (*c == '|')
      to += sprintf(to, ",0.5\n");
    else
      *to++ = *c;
  sprintf(to, ",0.5\n");
  return open_table(o, text, options);
}

static const char *message_of(const opened *o) {
  return o->diagnostics.errors ? o->diagnostics.items[0].message : o->error.message;
}

/* Feature `f` of a training row as the network sees it. */
static float feature(const opened *o, int64_t row, int64_t f) {
  const gt_input *input = &o->data.input[0];
  const int64_t stored = gt_tensor_features(gt_split_input(&o->data.split[GT_PART_TRAIN], 0)),
                features = input->table ? input->table->features : stored;
  float in[64], out[64];
  assert_true(stored <= 64 && features <= 64 && f < features);
  for (int64_t i = 0; i < stored; i++) {
    const float x = floats(gt_split_input(&o->data.split[GT_PART_TRAIN], 0))[row * stored + i],
                *s = input->scaling.values;
    const int64_t period = input->scaling.count;
    in[i] = period ? (x - s[i % period]) * s[period + i % period] + s[2 * period + i % period] : x;
  }
  if (!input->table) return in[f];
  gt_table_encode(input->table, in, out);
  return out[f];
}

typedef struct decision {
  const char *cells, *options;
  int kind;          /* gt_column_kind; -1: an error */
  const char *error; /* part of its message */
} decision;

static const decision decisions[] = {
    {"1|2.5|-3e2", "", GT_COLUMN_NUMBER, NULL},
    {"1||3", "", GT_COLUMN_NUMBER, NULL},
    {"1|NA|3|?|null", "", GT_COLUMN_NUMBER, NULL},
    {"0|1|1|0", "", GT_COLUMN_NUMBER, NULL},
    {"yes|no|no|YES", "", GT_COLUMN_BOOLEAN, NULL},
    {"true|False|", "", GT_COLUMN_BOOLEAN, NULL},
    {"t|f", "", GT_COLUMN_BOOLEAN, NULL},
    {"0|1|1", "columns: {x: boolean}", GT_COLUMN_BOOLEAN, NULL},
    {"yes|no|1|0", "columns: {x: boolean}", GT_COLUMN_BOOLEAN, NULL},
    {"yes|no|maybe", "", GT_COLUMN_CATEGORY, NULL},
    {"1|2|3", "columns: {x: category}", GT_COLUMN_CATEGORY, NULL},
    {"2024-01-31|2023-12-01", "", GT_COLUMN_DATE, NULL},
    {"2024-01-31T10:00|2023-12-01T11:30Z", "", GT_COLUMN_DATE, NULL},
    {"31/01/2024|01/02/2024", "", GT_COLUMN_DATE, NULL},
    {"20240131|20231201", "", GT_COLUMN_NUMBER, NULL},
    {"20240131|20231201", "columns: {x: date}", GT_COLUMN_DATE, NULL},
    {"2024-01-31|2023-12-01|soon", "", GT_COLUMN_CATEGORY, NULL},
    {"1|2|x", "", -1,
     "column 'x' has 2 numbers and 1 text ('x' at 4:1); fix it with data: {columns: {x: ignore}}"},
    {"a|b|1|a|b", "", -1,
     "column 'x' has 1 number and 4 texts ('a' at 2:1, 'b' at 3:1); fix it with data: {columns: {x: category}}"},
    {"yes|no|2", "columns: {x: boolean}", -1, "has values that are not yes or no"},
    {"01/02/2024|03/04/2024", "", -1, "has dates whose day and month could be either way round"},
    {"01/02/2024|13/14/2024", "columns: {x: date}", -1, "has texts that are not dates of one form"},
    {"01/02/2024|13/04/2024", "columns: {x: {type: date, order: month_first}}", -1,
     "has dates in another order"},
    {"a|b|c|d|e|f|g|h|i|j|k", "", -1, "has free text: 11 distinct values in 11 cells"},
    {"a|b|c|d|e|f|g|h|i|j|k|a|b|c|d|e|f|g|h|i|j|k", "", GT_COLUMN_CATEGORY, NULL},
    {"a|b|c", "columns: {x: number}", -1, "has texts that are not numbers"},
    {"1|-1|3", "columns: {x: {scale: log1p}}", -1,
     "has numbers down to -1, but log1p needs numbers above -1"},
    {"1||3", "columns: {x: {missing: error}}", -1, "has missing values, and its rule is 'missing: error'"},
    {"a||b", "columns: {x: {type: category, missing: error}}", -1,
     "fix it with data: {columns: {x: {missing: category}}}"},
    {"1e99|2", "", -1, "has numbers that are too large for a 32-bit float"},
    {"|NA", "columns: {x: number}", -1, "column 'x' has no value in any training row"},
    {"1|2", "columns: {x: {type: number, missing: category}}", -1,
     "'missing: category' has no meaning for column 'x'"},
    {"a|b", "columns: {x: {type: category, missing: median}}", -1,
     "'missing: median' has no meaning for column 'x'"},
    {"1|2", "columns: {x: {missing: medain}}", -1, "'missing: medain' of column 'x' is not a way"},
    {"p||q", "columns: {x: {missing: mean}}", -1,
     "column 'x' is read as a category, for which its rule 'missing' has no meaning"},
    {"1||2", "columns: {x: {missing: category}}", -1, "is read as a number, for which its rule 'missing'"},
    {"2024-01-01|", "columns: {x: {missing: 3}}", -1, "is read as a date, for which its rule 'missing'"},
    {"yes|no|", "columns: {x: {missing: 7}}", -1, "is read as a boolean, for which its rule 'missing'"},
    {"2024-01-01|2024-01-02", "columns: {x: {scale: log1p}}", -1,
     "is read as a date, for which its rule 'scale'"},
    {"yes|no|", "columns: {x: {type: boolean, missing: 7}}", -1,
     "'missing: 7' has no meaning for column 'x'"},
    {"a|b", "columns: {x: {type: category, scale: log1p}}", -1,
     "'scale' has no meaning for column 'x', which is a category"},
    {"1|2", "columns: {x: {type: number, order: day_first}}", -1,
     "'order' has no meaning for column 'x', which is a number"},
    {"1|2", "columns: {x: {type: number, max_categories: 5}}", -1, "'max_categories' has no meaning"},
    {"1|2", "columns: {x: {type: date, unseen: error}}", -1, "'unseen' has no meaning"},
    {"1||2", "columns: {x: {scale: log1p, missing: -5}}", -1,
     "column 'x' cannot be filled with -5, because its scale log1p"},
    {"1|2", "columns: {x: {missing: 1e99}}", -1, "'missing: 1e99' of column 'x' is not a way to fill"},
    {"1|2", "columns: {x: categry}", -1, "'type' in column 'x' cannot be 'categry'"},
    {"1|2", "columns: [x]", -1, "'columns' in 'data' must be a map"},
    {"a|b", "columns: {x: {type: category, max_categories: 1}}", -1,
     "'max_categories' in column 'x' is too small: 1"},
    {"1|2", "columns: {x: boolean}", -1,
     "has values that are not yes or no, true or false, 0 or 1; fix it with"},
    {"1|inf", "", -1, "column 'x' has 1 number and 1 text ('inf' at 3:1)"},
    {"1|2", "columns: {x: {fill: mean}}", -1, "unknown key 'fill' in column 'x'"},
    {"2024-02-30|2024-02-01", "columns: {x: date}", -1,
     "has texts that are not dates of one form ('2024-02-30' at 2:1"},
    {"|", "columns: {x: {missing: drop}}", -1, "every row lacks a value of a column with 'missing: drop'"},
    {"1.5|2", "inputs: {i: [x]}, integers: [i]", -1,
     ":2:1: column 'x' has numbers that are not whole numbers from 0 to"},
    {"2024-01-01|2024-01-02", "inputs: {i: [x]}, integers: [i], columns: {x: date}", -1,
     "has dates, but its input is listed in 'integers'"},
    {"1|2", "columns: {z: number}", -1, "there is no column 'z'"},
};

static void kinds_are_decided(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++) {
    const decision *d = &decisions[i];
    opened o;
    open_column(&o, d->cells, d->options);
    if (o.ok != !d->error) fail_msg("column %zu (%s): %s", i, d->cells, o.ok ? "was read" : message_of(&o));
    if (d->error && !strstr(message_of(&o), d->error))
      fail_msg("column %zu: expected '%s' in: %s", i, d->error, message_of(&o));
    const gt_table *table = o.ok ? o.data.input[0].table : NULL;
    if (o.ok && (table ? (int)table->column[0].kind : GT_COLUMN_NUMBER) != d->kind)
      fail_msg("column %zu (%s) is a %s", i, d->cells,
               gt_column_kind_names[table ? table->column[0].kind : 0]);
    close_data(&o);
  }
}

/* With the config line that an error message proposes, the file loads. */
static void proposals_load(void **state) {
  (void)state;
  static const char proposes[] = "fix it with data: {";
  for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++) {
    const decision *d = &decisions[i];
    opened o;
    char options[256] = "";
    if (!d->error) continue;
    open_column(&o, d->cells, d->options);
    const char *rule = strstr(message_of(&o), proposes);
    for (int at = 0, open = 1; rule && open; at++) { /* up to the brace that closes data */
      const char c = rule[strlen(proposes) + (size_t)at];
      open += (c == '{') - (c == '}');
      options[at] = open ? c : 0;
    }
    close_data(&o);
    if (!rule) continue;
    const bool ignored = strstr(options, "ignore"); /* then the table has no column left */
    open_column(&o, d->cells, options);
    if (!(ignored ? strstr(message_of(&o), "no column is left") : o.ok ? "" : NULL))
      fail_msg("column %zu: '%s' fails: %s", i, options, message_of(&o));
    close_data(&o);
  }
}

typedef struct fill {
  const char *cells, *options;
  int64_t row, f;
  float value; /* of feature f in this row */
} fill;

static const fill fills[] = {
    {"1|2||9", "normalize: none", 2, 0, 2},
    {"1|2||9|10", "normalize: none", 2, 0, 5.5f},
    {"1|2||9", "normalize: none, columns: {x: {missing: mean}}", 2, 0, 4},
    {"1|2||9|9", "normalize: none, columns: {x: {missing: most_frequent}}", 2, 0, 9},
    {"1|2||9", "normalize: none, columns: {x: {missing: -7.5}}", 2, 0, -7.5f},
    {"1|2||9", "normalize: none, columns: {x: {missing: 0}}", 2, 0, 0},
    {"1|2||9", "normalize: none, columns: {x: {missing: drop}}", 2, 0, 9},
    {"1|2||9", "normalize: none, columns: {x: {missing: mean, indicator: true}}", 2, 1, 1},
    {"1|2||9", "normalize: none, columns: {x: {missing: mean, indicator: true}}", 3, 1, 0},
    {"1|none|9|NA", "normalize: none, missing_values: [none, NA]", 1, 0, 5},
    {"1|-999.0|9|-999", "normalize: none, missing_values: [-999]", 1, 0, 5}, /* one number in two notations */
    {"0999|999|0999|3", "normalize: none, missing_values: [999]", 0, 0, 999},
    /* NA is a text here (as for Namibia), the first category in order; in the next line missing is a
     * category, the last one. */
    {"a|NA|b|NA|a|b", "missing_values: []", 1, 0, 1},
    {"a|NA|b|NA|a|b", "", 1, 2, 1},
    {"a|NA|b|NA|a|b", "columns: {x: {missing: category}}", 1, 2, 1},
    {"a|NA|b|NA|b|a|a", "columns: {x: {type: category, missing: most_frequent}}", 1, 0, 1},
    {"yes|no|yes|NA", "", 3, 0, 1},
    {"no|no|yes|NA", "", 3, 0, 0},
    {"3|NA|1|1", "columns: {x: {scale: log1p}}, normalize: none", 1, 0, -0.57735027f},
    {"2020-01-01||2020-01-03", "normalize: none", 1, 0, 2020 + 1.0f / 366},
    {"2020-01-01||2020-01-03|2020-01-06", "normalize: none", 1, 0, 2020 + 2.0f / 366},
    {"2020-01-01||2020-01-03|2020-01-08", "columns: {x: {missing: mean}}, normalize: none", 1, 0,
     2020 + 3.0f / 366},
    {"2020-01-05||2020-01-03|2020-01-05", "columns: {x: {missing: most_frequent}}, normalize: none", 1, 0,
     2020 + 4.0f / 366},
};

static void gaps_are_filled(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
    opened o;
    open_column(&o, fills[i].cells, fills[i].options);
    expect_open(&o);
    const float value = feature(&o, fills[i].row, fills[i].f);
    if (fabsf(value - fills[i].value) > 1e-6f * (1 + fabsf(value)))
      fail_msg("fill %zu (%s): %g", i, fills[i].options, (double)value);
    close_data(&o);
  }
}

typedef struct coding {
  const char *cells, *options, *names; /* of the features */
} coding;

static const coding codings[] = {
    {"b|a|b|a|B|B", "", "x=B x=a x=b"},
    {"b|a|b|a|c", "", "x=a x=b x=other"}, /* min_count 2 */
    {"b|a|b|a|c", "columns: {x: {min_count: 1}}", "x=a x=b x=c"},
    {"b|a|b|a|a|c|c", "columns: {x: {max_categories: 2}}", "x=a x=other"},
    {"b|a|b|a|a|c|c", "columns: {x: {max_categories: 3}}", "x=a x=b x=c"},
    {"b|a|b|a|a|c|c|", "columns: {x: {max_categories: 2}}", "x=a x=other x=missing"},
    {"a|a|\"x, z\"|\"x, z\"", "", "x=a x=x, z"},
    {"caf\xC3\xA9|cafe\xCC\x81|b|b", "", "x=b x=caf\xC3\xA9"}, /* one text in two Unicode forms */
    {"9007199254740993|9007199254740992|9007199254740993|9007199254740992", "columns: {x: category}",
     "x=9007199254740992 x=9007199254740993"}, /* equal as doubles */
    {"1|1.0|1|1.0", "columns: {x: category}", "x=1 x=1.0"},
    {"other|other|b|c", "", "x=other x=other"}, /* a category with the name of the collective one */
    {"a|a|b|b||", "columns: {x: {indicator: true}}", "x=a x=b x=missing x missing"},
    {"2020-01-01|2021-01-01", "", "x year x month sin x month cos x weekday sin x weekday cos"},
    {"2020-01-01 01:00|2021-01-01", "",
     "x year x month sin x month cos x weekday sin x weekday cos x hour sin x hour cos"},
    {"1|2", "columns: {x: {scale: log1p}}", "log1p(x)"},
};

static void features_are_named(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
    opened o;
    char names[256] = "";
    open_column(&o, codings[i].cells, codings[i].options);
    expect_open(&o);
    const gt_table *t = o.data.input[0].table;
    for (int64_t f = 0; f < t->features; f++) {
      if (f) strcat(names, " ");
      strcat(names, t->feature[f]);
    }
    if (strcmp(names, codings[i].names) != 0) fail_msg("coding %zu: '%s'", i, names);
    close_data(&o);
  }
}

#define SPLIT "split: {column: s, validation: v, test: t}"

/* Held-out rows with a category that does not occur in training rows. */
static void unseen_categories(void **state) {
  (void)state;
  static const char text[] = "x,s,y\na,train,1\na,train,2\nb,train,3\nb,train,4\na,train,5\nq,test,9\n%s";
  opened o;
  char table[256];
  snprintf(table, sizeof table, text, "c,train,7\n");
  open_table(&o, table, "split: {column: s}");
  expect_open(&o); /* q is read as `other`, which exists because c is rare; there is no warning */
  assert_true(o.diagnostics.findings == 0 && floats(gt_split_input(&o.data.split[GT_PART_TEST], 0))[0] == 2);
  close_data(&o);
  snprintf(table, sizeof table, text, "");
  open_table(&o, table, "split: {column: s}");
  expect_warning(
      &o,
      "test samples: 1 cell of column 'x' holds a category that is not one of the 2 learned from the training rows ('q'); "
      "it is read as the most frequent one, 'a'");
  assert_true(floats(gt_split_input(&o.data.split[GT_PART_TEST], 0))[0] == 0);
  close_data(&o);
  open_table(&o, table, "split: {column: s}, columns: {x: {unseen: error}}");
  expect_bad_file(&o, "'q'), and its rule is 'unseen: error'");
}

/* A hundred thousand categories are allowed as codes for an embedding; as features they are an error. */
static void many_categories(void **state) {
  (void)state;
  enum { ROWS = 200000 };
  opened o;
  char *text = malloc(20 * ROWS), *at = text + sprintf(text, "x,z,y\n");
  for (int i = 0; i < ROWS; i++) at += sprintf(at, "k%06d,%d,1\n", i * 7919 % (ROWS / 2), i % 3);
  const char *path = write_bytes("c.csv", text, (size_t)(at - text));
  open_data(&o, "{train: %s, target: y, task: regression, inputs: {id: [x], rest: [z]}, integers: [id]}",
            path);
  expect_open(&o);
  const gt_input *input = &o.data.input[0];
  assert_true(input->element == GT_ELEMENT_I32 && input->table->column[0].categories == ROWS / 2);
  assert_true(input->table->features == 1 && !input->table->one_hot);
  for (int i = 0; i < ROWS; i += 997)
    assert_int_equal(ints(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[i], i * 7919 % (ROWS / 2));
  close_data(&o);
  open_data(&o, "{train: %s, target: y, task: regression, columns: {x: category}}", path);
  expect_bad_file(&o, "has 100000 categories (");
  open_data(&o,
            "{train: %s, target: y, task: regression, columns: {x: {type: category, max_categories: 100}}}",
            path);
  expect_open(&o);
  assert_int_equal(o.data.input[0].table->column[0].categories, 100);
  close_data(&o);
  unlink(path);
  free(text);
}

typedef struct scaling {
  const char *cells, *options;
  float first, last; /* features of the first and last row */
} scaling;

static const scaling scalings[] = {
    {"1|2|3|4|5", "", -1.41421356f, 1.41421356f},
    {"1|2|3|4|5", "normalize: none", 1, 5},
    {"1|2|3|4|5", "normalize: none, columns: {x: {scale: standard}}", -1.41421356f, 1.41421356f},
    {"1|2|3|4|5", "columns: {x: {scale: none}}", 1, 5},
    {"1|2|3|4|5", "columns: {x: {scale: minmax}}", 0, 1},
    {"1|2|3|4|9", "columns: {x: {scale: robust}}", -1, 3},
    {"1|2|3|4|9", "normalize: standard, columns: {x: {scale: robust}}", -1, 3},
    {"0|0|0|0|1.718281828", "columns: {x: {scale: log1p}}", -0.5f, 2},
    {"0|1|1|0|1", "", 0, 1},                                          /* 0 and 1 are not scaled */
    {"0|1|1|0|0", "normalize: standard", -0.81649658f, -0.81649658f}, /* unless the config asks */
    {"0|1|1|0|0", "columns: {x: {scale: standard}}", -0.81649658f, -0.81649658f},
    {"7|7|7", "columns: {x: number}", 0, 0}, /* no spread */
    {"7|7|7", "columns: {x: {scale: minmax}}", 0, 0},
    {"no|yes|yes|no|yes", "", 0, 1},
    {"no|yes|yes|no|no", "columns: {x: {scale: standard}}", -0.81649658f, -0.81649658f},
    {"1|2|3|4|5", "normalize: {mean: 1, std: 2}", 0, 2},
};

static void columns_are_scaled(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof scalings / sizeof *scalings; i++) {
    opened o;
    open_column(&o, scalings[i].cells, scalings[i].options);
    expect_open(&o);
    const float a = feature(&o, 0, 0), b = feature(&o, o.data.split[GT_PART_TRAIN].samples - 1, 0);
    if (fabsf(a - scalings[i].first) > 1e-5f || fabsf(b - scalings[i].last) > 1e-5f)
      fail_msg("scaling %zu (%s, %s): %g … %g", i, scalings[i].cells, scalings[i].options, (double)a,
               (double)b);
    close_data(&o);
  }
}

/* A text column as codes for an embedding in one input, and one-hot encoded in another. */
static void a_column_in_two_inputs(void **state) {
  (void)state;
  opened o;
  open_table(&o, "x,z,y\nb,1.5,1\na,2,2\nb,3,3\na,,4\n,4,5\n",
             "inputs: {id: [x], wide: [z, x]}, integers: [id]");
  expect_open(&o);
  static const int32_t codes[] = {1, 0, 1, 0, 2};
  assert_memory_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->data, codes, sizeof codes);
  const gt_table *wide = o.data.input[1].table;
  assert_true(gt_split_input(&o.data.split[GT_PART_TRAIN], 1)->element == GT_ELEMENT_F32 &&
              wide->stored == 2 && wide->features == 4);
  assert_string_equal(wide->feature[3], "x=missing");
  for (int i = 0; i < 5; i++)
    assert_true(floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 1))[2 * i + 1] == (float)codes[i]);
  assert_true(floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 1))[6] == 2.5f);
  close_data(&o);
  open_table(&o, "x,z,y\n1,1.5,1\n,2,2\n", "inputs: {id: [x], wide: [z]}, integers: [id]");
  expect_bad_file(
      &o,
      "column 'x' has missing values, but its input is listed in 'integers' (empty at 3:1); fix it with data: "
      "{columns: {x: {missing: drop}}}");
  open_table(&o, "x,z,y\n1,1.5,1\n,2,2\n",
             "inputs: {id: [x], wide: [z]}, integers: [id], columns: {x: {missing: drop}}");
  expect_open(&o);
  assert_true(o.data.split[GT_PART_TRAIN].samples == 1);
  close_data(&o);
}

/* --- leakage --- */

/* Eight training rows, then held-out rows. */
static const char training[] = "n,l,r,m,k,c,w,s,y\n"
                               "1,1,1,1,a,p,2024-01-01,train,1\n,2,9,4,a,p,2024-02-01,train,2\n"
                               "3,3,3,5,b,q,2024-03-01,train,3\n4,4,4,4,b,q,,train,4\n"
                               "5,5,5,2,,q,2024-05-01,train,5\n6,6,6,6,c,p,2024-06-01,train,6\n"
                               "7,7,7,7,a,p,2024-07-01,train,7\n8,8,8,8,b,,2024-08-01,train,8\n";
static const char *const held_out[] = {
    "1,1,1,1,a,p,2024-01-01,validation,1\n2,2,2,2,b,q,2024-01-02,test,1\n",
    "1e9,1e9,1e9,1e9,zz,new,1999-01-01,validation,1e9\n-1e9,0,-1e9,-1e9,zz,new,2099-12-31,test,1\n"
    "-1e9,0,-1e9,-1e9,zz,new,2099-12-31,test,-1e9\n",
    ",,,,,,,validation,1\n,,,,,,,test,2\n",
    "1,1,1,1,a,p,2024-01-01 13:45,validation,1\n1,1,1,1,c,p,2024-01-01 23:00,test,1\n"};

static void assert_same_text(const char *a, const char *b) { assert_string_equal(a ? a : "", b ? b : ""); }

static void expect_same(const opened *a, const opened *b) {
  const gt_table *x = a->data.input[0].table, *y = b->data.input[0].table;
  const gt_scaling *s = &a->data.input[0].scaling, *t = &b->data.input[0].scaling;
  assert_true(x->stored == y->stored && x->features == y->features && s->count == t->count);
  for (int64_t f = 0; f < x->features; f++) assert_same_text(x->feature[f], y->feature[f]);
  for (int i = 0; i < x->count; i++) {
    const gt_column *p = &x->column[i], *q = &y->column[i];
    assert_true(p->kind == q->kind && p->hours == q->hours && p->order == q->order && p->unseen == q->unseen);
    /* A column without missing values has no fill, so p and q both have one only if both files have gaps. */
    if (p->fills && q->fills) assert_memory_equal(&p->fill, &q->fill, sizeof p->fill);
  }
  assert_memory_equal(s->values, t->values, 3 * (size_t)s->count * sizeof(float));
  assert_int_equal(a->data.split[GT_PART_TRAIN].samples, b->data.split[GT_PART_TRAIN].samples);
  assert_memory_equal(gt_split_input(&a->data.split[GT_PART_TRAIN], 0)->data,
                      gt_split_input(&b->data.split[GT_PART_TRAIN], 0)->data,
                      (size_t)(x->stored * a->data.split[GT_PART_TRAIN].samples) * sizeof(float));
}

/* Fills, categories and scales do not depend on the held-out rows. */
static void nothing_leaks(void **state) {
  (void)state;
  static const char options[] =
      SPLIT ", columns: {n: {missing: mean}, l: {scale: log1p}, r: {scale: robust}, "
            "m: {scale: minmax}, k: {min_count: 2}, c: {missing: most_frequent}}";
  enum { CASES = sizeof held_out / sizeof *held_out };
  static opened o[CASES]; /* too large for a stack frame */
  for (int i = 0; i < CASES; i++) {
    char text[2048], *to = text;
    snprintf(text, sizeof text, "%s%s", training, held_out[i]);
    /* "validation" and "test" become "v" and "t", as SPLIT names them. */
    while ((to = strstr(to, "validation"))) memmove(to + 1, to + 10, strlen(to + 10) + 1), *to = 'v';
    for (to = text; (to = strstr(to, ",test"));) memmove(to + 2, to + 5, strlen(to + 5) + 1);
    open_table(&o[i], text, options);
    expect_open(&o[i]);
    assert_true(o[i].data.split[GT_PART_VALIDATION].samples == 1 &&
                o[i].data.split[GT_PART_TEST].samples >= 1);
    expect_same(&o[0], &o[i]);
  }
  const gt_column *n = &o[0].data.input[0].table->column[0];
  assert_true(n->fills && fabs(n->fill - 34.0 / 7) < 1e-6); /* the mean of the seven training values */
  for (int i = 0; i < CASES; i++) close_data(&o[i]);
}

/* --- targets, and columns named twice --- */

static void rows_without_a_target(void **state) {
  (void)state;
  static const char numbers[] = "x,y\n1,0.5\n2,\n3,NA\n4,2\n", labels[] = "x,y\n1,no\n2,\n3,yes\n4,\n";
  opened o;
  open_table(&o, numbers, "");
  expect_bad_file(
      &o, ":3:3: missing value in column 'y'; expected a number; 2 of the column's 4 cells are missing; to "
          "leave out such rows: data: {columns: {y: {missing: drop}}}");
  open_table(&o, numbers, "columns: {y: {missing: drop}}");
  expect_open(&o);
  assert_true(o.data.split[GT_PART_TRAIN].samples == 2 &&
              floats(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[1] == 2 &&
              floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[1] == 4);
  close_data(&o);
  const char *path = write_text("c.csv", labels);
  open_data(&o, "{train: %s}", path);
  expect_bad_file(
      &o,
      ":3:3: missing label; 2 of 4 labels are missing; to leave out such rows: data: {columns: {y: {missing: drop}}}");
  open_data(&o, "{train: %s, columns: {y: {missing: drop}}}", path);
  expect_open(&o);
  assert_true(o.data.split[GT_PART_TRAIN].samples == 2 && o.data.target[0].classes == 2);
  close_data(&o);
  static const char coded[] = "x,y\n1,0.5\n2,-999\n3,-999.0\n4,2\n"; /* -999 stands for a missing value */
  open_table(&o, coded, "missing_values: [-999]");
  expect_bad_file(
      &o, ":3:3: missing value in column 'y'; expected a number; 2 of the column's 4 cells are missing");
  open_table(&o, coded, "missing_values: [-999], columns: {y: {missing: drop}}");
  expect_open(&o);
  assert_true(o.data.split[GT_PART_TRAIN].samples == 2 &&
              floats(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[1] == 2);
  close_data(&o);
  open_table(&o, "x,y\n1,\n2,NA\n", "columns: {y: {missing: drop}}");
  expect_bad_file(&o, "no rows are left");
  unlink(path);
}

/* A label that `missing_values` lists is a missing target. */
static void listed_labels_are_missing(void **state) {
  (void)state;
  static const struct {
    const char *text, *options;
    int64_t samples, classes; /* samples 0: an error, ':3:3: missing label' */
  } cases[] = {
      {"x,y\n1,no\n2,unknown\n3,yes\n4,no\n", "missing_values: [unknown]", 0, 0},
      {"x,y\n1,no\n2,unknown\n3,yes\n4,no\n", "missing_values: [unknown], columns: {y: {missing: drop}}", 3,
       2},
      {"x,y\n1,0\n2,-999.0\n3,1\n4,0\n", "missing_values: [-999]", 0, 0},
      {"x,y\n1,0\n2,-999.0\n3,1\n4,0\n", "missing_values: [-999], task: classification", 0, 0},
      {"x,y\n1,0\n2,-999\n3,1\n4,0\n", "missing_values: [-999], columns: {y: {missing: drop}}", 3, 2},
      {"x,y\n1,no\n2,unknown\n3,yes\n4,no\n", "missing_values: [unknown], classes: ['no', 'yes']", 0, 0},
      {"x,y\n1,no\n2,NA\n3,yes\n4,no\n", "missing_values: [NA]", 0, 0},
      {"x,y\n1,no\n2,NA\n3,yes\n4,no\n", "missing_values: []", 4, 3},
      {"x,y\n1,no\n2,?\n3,yes\n4,no\n",
       "task: regression, missing_values: [0, '?'], columns: {y: {missing: drop}}", 3, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    opened o;
    const char *path = write_text("c.csv", cases[i].text);
    open_data(&o, "{train: %s, %s}", path, cases[i].options);
    if (!cases[i].samples) {
      expect_bad_file(&o, ":3:3: missing label");
    } else {
      expect_open(&o);
      if (o.data.split[GT_PART_TRAIN].samples != cases[i].samples ||
          o.data.target[0].classes != cases[i].classes || o.diagnostics.count)
        fail_msg("case %zu: %d samples, %d classes", i, (int)o.data.split[GT_PART_TRAIN].samples,
                 o.data.target[0].classes);
      close_data(&o);
    }
    unlink(path);
  }
}

/* Naming a column twice, in two keys or in one, is an error at both positions. */
static void a_column_named_twice(void **state) {
  (void)state;
  static const char *const options[] = {"ignore: a, inputs: [a, x]",
                                        "ignore: [a, a]",
                                        "weight: a, ignore: a",
                                        "columns: {a: ignore}, ignore: a",
                                        "columns: {a: category}, ignore: a",
                                        "columns: {a: category}, weight: a",
                                        "split: {column: a}, ignore: a",
                                        "columns: {y: number}"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    opened o;
    open_table(&o, "a,x,y\n1,2,3\n2,4,6\n", options[i]);
    assert_false(o.ok);
    if (o.diagnostics.errors != 2) fail_msg("'%s': %d errors", options[i], o.diagnostics.errors);
    assert_true(o.diagnostics.items[0].at.column != o.diagnostics.items[1].at.column);
    close_data(&o);
  }
  opened o;
  open_table(&o, "apple,x,y\n1,2,3\n", "columns: {aple: ignore}");
  assert_string_equal(o.diagnostics.items[0].suggestion, "apple");
  expect_bad_config(&o, 0, "there is no column 'aple'");
}

static void large_integers(void **state) {
  (void)state;
  static const char text[] =
      "id,big,x,y\n20000001,9007199254740993,1,1\n20000003,9007199254740991,2,2\n20000005,9007199254740990,3,1\n";
  opened o;
  open_table(&o, text, "");
  expect_warning(&o, "columns 'id', 'big' have whole numbers beyond 16,777,216, which 32-bit floats round");
  assert_non_null(strstr(o.diagnostics.items[0].help, "data: {columns: {id: ignore, big: ignore}}"));
  close_data(&o);
  open_table(&o, text, "columns: {id: {type: category, min_count: 1}, big: number}");
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  assert_string_equal(o.data.input[0].table->column[0].category[1], "20000003");
  close_data(&o);
  open_table(&o, "people,x,y\n83200000,1,1\n39000,2,2\n1417173173,3,1\n", ""); /* quantities keep 7 digits */
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  close_data(&o);
  open_table(&o, "x,y\n16777215,1\n-16777215,2\n", "");
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  close_data(&o);
}

static int silence_log(void **state) {
  (void)state;
  requirements = NULL;
  gt_log_set_level(GT_LOG_WARN);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_are_decided),
      cmocka_unit_test(proposals_load),
      cmocka_unit_test(gaps_are_filled),
      cmocka_unit_test(features_are_named),
      cmocka_unit_test(unseen_categories),
      cmocka_unit_test(many_categories),
      cmocka_unit_test(columns_are_scaled),
      cmocka_unit_test(a_column_in_two_inputs),
      cmocka_unit_test(nothing_leaks),
      cmocka_unit_test(rows_without_a_target),
      cmocka_unit_test(listed_labels_are_missing),
      cmocka_unit_test(a_column_named_twice),
      cmocka_unit_test(large_integers),
  };
  return cmocka_run_group_tests_name("data: typed columns", tests, silence_log, NULL);
}
