/* gt_class_table: the classes of a target, and how many items of each class every split has. An item is a
 * label: one per sample, or one per pixel or step. A target of numbers has the classes 0 and 1 (a value above
 * 1/2 is class 1) if its loss is one of bits. Results are in the caller's arena. */
#ifndef GT_TRAIN_CLASS_TABLE_H
#define GT_TRAIN_CLASS_TABLE_H
#include "metric/metric.h"

typedef struct gt_class_items {
  const int64_t *count; /* [classes] items of each class; NULL: the split has no values */
  const double *weight; /* [classes] sums of the weights of their samples; without weights the counts */
} gt_class_items;

typedef struct gt_class_table {
  int classes;             /* 0: the targets are not labels, or were not read */
  const char *const *name; /* [classes] from the config or the file; otherwise the classes' numbers */
  bool is_named;           /* false: the names are the classes' numbers */
  const char *target;      /* name of the target; NULL: the only one */
  gt_class_items part[GT_PARTS];
} gt_class_table;

/* How often an evaluation predicted each class for each label (op/confusion.h). */
typedef struct gt_confusion_matrix {
  /* Sums of the items' weights. count NULL: the target has no classes, or more than GT_METRIC_MAX_CLASSES. */
  gt_metric_counts counts;
  const double *items;     /* [label][predicted]: numbers of items */
  const char *const *name; /* [classes] */
} gt_confusion_matrix;

gt_class_table gt_class_table_of(const gt_dataset *data, int target, gt_arena *arena);
/* "a 8, b 8", for the training samples; only the first classes if there are many. */
const char *gt_class_table_text(const gt_class_table *table, gt_arena *arena);
/* Number of items of a class in all splits. */
int64_t gt_class_table_total(const gt_class_table *table, int class);

/* The class of an item; -1: its label is ignored. */
int gt_class_of(const gt_dataset *data, const gt_split *split, int target, int64_t item);
/* Counts the items column, column + columns, … of a split. */
gt_class_items gt_class_items_of(const gt_dataset *data, const gt_split *split, int target, int64_t column,
                                 int64_t columns, gt_arena *arena);
/* The name of a class or, in a column of numbers, the word that is read as 0 or 1; otherwise the number. */
const char *gt_class_name(const gt_data_target *target, int64_t column, int class, gt_arena *arena);
const char *const *gt_class_names(const gt_data_target *target, int64_t classes, gt_arena *arena);
/* True if all values are 0 or 1; also if there are none. */
bool gt_targets_are_bits(const gt_tensor *targets);
#endif
