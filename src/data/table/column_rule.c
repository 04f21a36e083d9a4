#include "data/table/column_rule.h"
#include "data/date.h"
#include "spec/hint.h"
#include <math.h>
#include <string.h>

typedef struct settings {
  const char *type, *missing, *scale, *unseen, *order;
  bool indicator;
  int64_t max_categories, min_count;
} settings;

static const char *const types[] = {"auto", "number", "boolean", "category", "date", "ignore", NULL};
static const char *const unseen[] = {"other", "error", NULL};
static const char *const fills[] = {"auto", "error", "mean", "median", "most_frequent", "category", "drop"};
enum { FILLS = sizeof fills / sizeof *fills };
const char *const gt_scale_methods[] = {"auto", "none", "standard", "minmax", "robust", "log1p", NULL};

static const gt_field fields[] = {
    GT_ROW(
        settings, type, GT_FIELD_CHOICE, .fallback = "auto", .choices = types,
        .help =
            "what the cells are; auto: numbers, words such as yes and no, dates, or categories of text (up to "
            "10, up to 100 that occur twice on average, or up to 1000 that occur ten times); category is one "
            "input value per category, or a code for embeddings in an input that `integers` lists"),
    GT_ROW(settings, missing, GT_FIELD_STRING, .fallback = "auto",
           .help =
               "what replaces a missing value: mean, median, most_frequent, category (one of its own), a "
               "number, drop (the row is left out; the only rule of a target) or error; auto: the median of "
               "numbers and dates, the most frequent boolean, a category of its own"),
    GT_ROW(settings, indicator, GT_FIELD_BOOL, .fallback = "false",
           .help = "add an input that is 1 where the value is missing, else 0"),
    GT_ROW(settings, scale, GT_FIELD_CHOICE, .fallback = "auto", .choices = gt_scale_methods,
           .help = "scaling of a number: standard, minmax (to 0 … 1), robust (median and interquartile "
                   "range), log1p (log(1 + x), then standard) or none; auto: as `normalize` says"),
    GT_ROW(settings, max_categories, GT_FIELD_INT, .min = 2, .max = GT_COLUMN_MAX_CATEGORIES,
           .help = "most categories; rarer ones become one, `other` (default: an error above 1000)"),
    GT_ROW(settings, min_count, GT_FIELD_INT, .fallback = "2", .min = 1, .max = INT32_MAX,
           .help = "training rows that a category needs; rarer ones become one, `other`"),
    GT_ROW(settings, unseen, GT_FIELD_CHOICE, .fallback = "other", .choices = unseen,
           .help = "a category that the training rows do not have: other is read as `other` or, without such "
                   "a category, as the most frequent one; error stops"),
    GT_ROW(settings, order, GT_FIELD_CHOICE, .choices = gt_date_orders,
           .help = "how dates are written: year_first, day_first or month_first (default: found from the "
                   "cells)"),
    {.name = NULL},
};
const gt_schema gt_column_schema = {
    .name = "column", .help = "one column of a table", .fields = fields, .shorthand = "type"};

static int index_of(const char *const *choices, int count, const char *text) {
  int i = 0;
  while (i < count && strcmp(choices[i], text) != 0) i++;
  return i;
}

static bool fail_bad_fill(gt_data_reader *reader, const gt_spec *node, const char *text) {
  const gt_spec *missing = gt_spec_find(node, "missing");
  gt_diagnostic *d =
      gt_error_at(reader->diagnostics, missing ? missing->at : node->at,
                  "'missing: %s' of column '%s' is not a way to fill missing values", text, node->key);
  const gt_hint hint = gt_hint_name(reader->diagnostics, "missing", text, fills, FILLS);
  d->suggestion = hint.suggestion;
  d->help = hint.help;
  d->expected = "mean, median, most_frequent, category, drop, error or a number";
  return false;
}

bool gt_column_rule_fills(const gt_column_rule *r, gt_column_kind kind) {
  if (kind == GT_COLUMN_CATEGORY)
    return r->fill != GT_FILL_MEAN && r->fill != GT_FILL_MEDIAN && r->fill != GT_FILL_VALUE;
  if (r->fill == GT_FILL_VALUE)
    return kind == GT_COLUMN_NUMBER || (kind == GT_COLUMN_BOOLEAN && (r->value == 0 || r->value == 1));
  return r->fill != GT_FILL_CATEGORY;
}

bool gt_column_rule_scales(const gt_column_rule *r, gt_column_kind kind) {
  if (kind == GT_COLUMN_CATEGORY) return r->scale == GT_SCALE_AUTO || r->scale == GT_SCALE_NONE;
  return r->scale != GT_SCALE_LOG1P || kind == GT_COLUMN_NUMBER;
}

/* Reports keys that belong to other kinds of columns, and a fill for which log(1 + x) is not defined. */
static bool check_settings(gt_data_reader *reader, const gt_spec *node, const gt_column_rule *r) {
  const bool has_kind = !r->any && !r->ignore; /* the config sets the kind */
  const bool category = r->kind == GT_COLUMN_CATEGORY;
  const struct {
    const char *key;
    bool bad;
  } keys[] = {{"scale", has_kind && !gt_column_rule_scales(r, r->kind)},
              {"order", has_kind && r->kind != GT_COLUMN_DATE},
              {"max_categories", has_kind && !category},
              {"min_count", has_kind && !category},
              {"unseen", has_kind && !category}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const gt_spec *setting = keys[i].bad ? gt_spec_find(node, keys[i].key) : NULL;
    if (!setting) continue;
    gt_error_at(reader->diagnostics, setting->at, "'%s' has no meaning for column '%s', which is a %s",
                keys[i].key, node->key, gt_column_kind_names[r->kind]);
    return false;
  }
  if (r->scale != GT_SCALE_LOG1P || r->fill != GT_FILL_VALUE || r->value > -1) return true;
  gt_error_at(reader->diagnostics, gt_spec_find(node, "missing")->at,
              "column '%s' cannot be filled with %g, because its scale log1p needs numbers above -1",
              node->key, r->value);
  return false;
}

static bool check_fill(gt_data_reader *reader, const gt_spec *node, const gt_column_rule *r,
                       const char *text) {
  if (r->any || r->ignore || gt_column_rule_fills(r, r->kind)) return true;
  gt_error_at(reader->diagnostics, gt_spec_find(node, "missing")->at,
              "'missing: %s' has no meaning for column '%s', which is a %s", text, node->key,
              gt_column_kind_names[r->kind])
      ->expected = r->kind == GT_COLUMN_CATEGORY  ? "category, most_frequent, drop or error"
                   : r->kind == GT_COLUMN_DATE    ? "mean, median, most_frequent, drop or error"
                   : r->kind == GT_COLUMN_BOOLEAN ? "mean, median, most_frequent, 0, 1, drop or error"
                                                  : "mean, median, most_frequent, a number, drop or error";
  return false;
}

static bool read_rule(gt_data_reader *reader, const gt_spec *node, gt_column_rule *r) {
  settings s = {0};
  const char *where = gt_arena_printf(reader->arena, "in column '%s'", node->key);
  if (!gt_schema_read(&gt_column_schema, &s, NULL, NULL, node, node->at, where, reader->arena,
                      reader->diagnostics))
    return false;
  const int type = index_of(types, 6, s.type); /* 0: auto; 1 to 4: gt_column_kind + 1; 5: ignore */
  const int fill = index_of(fills, FILLS, s.missing);
  *r = (gt_column_rule){.name = node->key,
                        .at = node->key_at,
                        .given = true,
                        .any = type == 0,
                        .ignore = type == 5,
                        .kind = type > 0 && type < 5 ? (gt_column_kind)(type - 1) : GT_COLUMN_NUMBER,
                        .fill = fill < FILLS ? (gt_fill_method)fill : GT_FILL_VALUE,
                        .scale = (gt_scale_method)index_of(gt_scale_methods, 6, s.scale),
                        .indicator = s.indicator,
                        .unseen_is_error = *s.unseen == 'e',
                        .max_categories = s.max_categories,
                        .min_rows = s.min_count,
                        .order = gt_date_order_of(s.order)};
  const gt_spec *missing = gt_spec_find(node, "missing");
  if (fill == FILLS && !(missing && gt_spec_float(missing, &r->value)))
    return fail_bad_fill(reader, node, s.missing);
  if (!isfinite((float)r->value)) return fail_bad_fill(reader, node, s.missing);
  return check_fill(reader, node, r, s.missing) && check_settings(reader, node, r);
}

bool gt_column_rules_read(gt_data_reader *reader, const gt_spec *columns, gt_column_rules *out) {
  *out = (gt_column_rules){0};
  if (gt_spec_is_null(columns)) return true;
  if (columns->kind != GT_SPEC_MAP) {
    gt_error_at(reader->diagnostics, columns->at, "'columns' in 'data' must be a map")->expected =
        "columns: {NAME: category, NAME: {missing: median}}";
    return false;
  }
  gt_column_rule *item = GT_NEW_N(reader->arena, gt_column_rule, columns->count);
  bool ok = true;
  *out = (gt_column_rules){columns->count, item, {.arena = reader->arena}};
  for (int i = 0; i < columns->count; i++) {
    ok &= read_rule(reader, columns->child[i], &item[i]);
    gt_names_add(&out->index, columns->child[i]->key, i);
  }
  return ok;
}

gt_column_rule gt_column_rule_for(const gt_column_rules *rules, const char *name) {
  const int i = rules->count ? gt_names_find(&rules->index, name) : -1;
  if (i >= 0) return rules->item[i];
  return (gt_column_rule){.name = name, .any = true, .min_rows = 2};
}
