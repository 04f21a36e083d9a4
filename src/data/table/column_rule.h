/* `data.columns`: the settings of columns of a table, one rule per column that the config names. */
#ifndef GT_DATA_COLUMN_RULE_H
#define GT_DATA_COLUMN_RULE_H
#include "base/names.h"
#include "data/column.h"
#include "data/format.h"

typedef enum gt_fill_method {
  GT_FILL_AUTO, /* median of numbers, most frequent boolean, a category of its own for categories */
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
extern const char *const gt_scale_methods[]; /* indexed by gt_scale_method, NULL-terminated */

/* Type `auto`: a column of texts is read as categories if the number of different texts is at most
 * GT_FEW_CATEGORIES; or at most GT_AUTO_CATEGORIES and each occurs twice on average; or at most
 * GT_MOST_CATEGORIES and each occurs ten times on average. */
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
  int64_t max_categories; /* 0: the default */
  int64_t min_rows;       /* minimum number of training rows that a category needs */
  unsigned order;         /* for dates: GT_DATE_…; 0: found from the cells */
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
