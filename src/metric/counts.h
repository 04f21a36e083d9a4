/* Means over classes of what a confusion matrix says of each. Within metric/ only. */
#ifndef GT_METRIC_COUNTS_H
#define GT_METRIC_COUNTS_H
#include "metric/metric.h"

typedef struct gt_class_count {
  double correct, answers, labels; /* items of the class answered so; answers of it; items of it */
} gt_class_count;
typedef double (*gt_of_class)(gt_class_count count);

gt_class_count gt_count_class(const gt_metric_counts *counts, int64_t class);
/* part / whole; 0 if whole is 0, as scikit-learn's zero_division. */
double gt_count_share(double part, double whole);
/* Averages of scikit-learn. macro: over the classes that occur as label or answer; weighted: by labels;
 * micro: of the counts of all classes together; binary: class 1 of two classes, of more macro. */
double gt_count_macro(const gt_metric_counts *counts, gt_of_class value);
double gt_count_weighted(const gt_metric_counts *counts, gt_of_class value);
double gt_count_micro(const gt_metric_counts *counts, gt_of_class value);
double gt_count_binary(const gt_metric_counts *counts, gt_of_class value);

/* Rows NAME, NAME_macro, NAME_micro and NAME_weighted of a value of a class. */
#define GT_COUNT_ROW(metric_name, text, function, average)                   \
  static double function##_##average(const gt_metric_counts *counts) {       \
    return gt_count_##average(counts, function);                             \
  }                                                                          \
  GT_REGISTERED(metric_name) = {.name = #metric_name,                        \
                                .help = text,                                \
                                .tasks = GT_METRIC_CLASSES | GT_METRIC_BITS, \
                                .larger = true,                              \
                                .of_counts = function##_##average}
#define GT_REGISTERED(metric_name)                     \
  extern const gt_metric_type gt_metric_##metric_name; \
  const gt_metric_type gt_metric_##metric_name
#endif
