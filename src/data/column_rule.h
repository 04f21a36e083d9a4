/* `data.columns`: the settings of columns of a table, one rule per column that the config names. */
#ifndef GT_DATA_COLUMN_RULE_H
#define GT_DATA_COLUMN_RULE_H
#include "base/names.h"
#include "data/column.h"
#include "data/format.h"

typedef enum gt_fill_method {
  GT_FILL_AUTO, /* a number: the median; a boolean: the most frequent; a category: one of its own */
  GT_FILL_ERROR,
  GT_FILL_MEAN,
  GT_FILL_MEDIAN,
  GT_FILL_FREQUENT,
  GT_FILL_CATEGORY,
  GT_FILL_DROP, /* the row is left out */
  GT_FILL_VALUE
} gt_fill_method;

typedef enum gt_scale_method {
  GT_SCALE_AUTO, /* as `normalize` says */
  GT_SCALE_NONE,
  GT_SCALE_STANDARD,
  GT_SCALE_MINMAX, /* to [0, 1] */
  GT_SCALE_ROBUST, /* median and interquartile range */
  GT_SCALE_LOG1P   /* log(1 + x), then standard */
} gt_scale_method;
extern const char *const gt_scale_methods[]; /* choices by gt_scale_method; end with NULL */

/* Limits of `auto`: a column of text is categories if it has few, or at most GT_AUTO_CATEGORIES, each twice
 * on average, or at most GT_MOST_CATEGORIES, each ten times on average. */
enum { GT_AUTO_CATEGORIES = 100, GT_FEW_CATEGORIES = 10, GT_MOST_CATEGORIES = 1000 };

typedef struct gt_column_rule {
  const char *name;
  gt_position at;
  bool given;  /* the config names the column */
  bool any;    /* type auto: the cells decide */
  bool ignore; /* the column is left out */
  gt_column_kind kind;
  gt_fill_method fill;
  double value; /* GT_FILL_VALUE */
  gt_scale_method scale;
  bool indicator, unseen_is_error;
  int64_t categories, least; /* most categories, 0: the default; rows that a category needs */
  unsigned order;            /* for dates; 0: found from the cells */
} gt_column_rule;

typedef struct gt_column_rules {
  int count;
  const gt_column_rule *item;
  gt_names index; /* of names */
} gt_column_rules;

/* Reads the map `data.columns`; NULL: no rules. False after reporting. In the arena. */
bool gt_column_rules_read(gt_data_reader *reader, const gt_spec *columns, gt_column_rules *out);
/* The rule for a column; that of `auto` if the config has none. */
gt_column_rule gt_column_rule_for(const gt_column_rules *rules, const char *name);
/* True if the rule's fill, or its scale, is defined for this kind of column. */
bool gt_column_rule_fills(const gt_column_rule *rule, gt_column_kind kind);
bool gt_column_rule_scales(const gt_column_rule *rule, gt_column_kind kind);
extern const gt_schema gt_column_schema; /* of one entry of `data.columns` */
#endif
