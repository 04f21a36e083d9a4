/* Metrics of single classes, computed from a confusion matrix, and their averages over classes. */
#ifndef GT_METRIC_COUNTS_H
#define GT_METRIC_COUNTS_H
#include "metric/metric.h"

typedef struct gt_class_count { /* numbers of items, weighted */
  double correct;               /* items of the class that are predicted as it (true positives) */
  double predicted, labels;     /* items that are predicted as the class; items whose label it is */
} gt_class_count;
typedef double (*gt_of_class)(gt_class_count count); /* the metric of a class */

gt_class_count gt_count_class(const gt_metric_counts *counts, int64_t class);
/* part / whole; 0 if whole is 0, as scikit-learn's zero_division. */
double gt_count_share(double part, double whole);
/* Metrics of a class; 0 if the denominator is 0. */
double gt_count_precision(gt_class_count count), gt_count_recall(gt_class_count count),
    gt_count_f1(gt_class_count count); /* equals the Dice coefficient */
/* Averages as in scikit-learn. macro: the mean over the classes that occur as label or prediction; labeled:
 * over those that occur as label; weighted: the mean weighted by labels; micro: the metric of the sums of all
 * classes' counts; binary: the metric of the positive class if there are two classes, otherwise macro. */
double gt_count_macro(const gt_metric_counts *counts, gt_of_class value);
double gt_count_labeled(const gt_metric_counts *counts, gt_of_class value);
double gt_count_weighted(const gt_metric_counts *counts, gt_of_class value);
double gt_count_micro(const gt_metric_counts *counts, gt_of_class value);
double gt_count_binary(const gt_metric_counts *counts, gt_of_class value);

/* Whether an average is the metric of the positive one of two classes. */
enum { GT_IS_macro, GT_IS_labeled = 0, GT_IS_micro = 0, GT_IS_weighted = 0, GT_IS_binary = 1 };
/* Defines the gt_metric_type `metric_name`. Its value is the average (macro, labeled, weighted, micro or
 * binary) of the gt_of_class `function`. */
#define GT_COUNT_ROW(metric_name, text, function, average)                   \
  static double function##_##average(const gt_metric_counts *counts) {       \
    return gt_count_##average(counts, function);                             \
  }                                                                          \
  GT_REGISTERED(metric_name) = {.name = #metric_name,                        \
                                .help = text,                                \
                                .tasks = GT_METRIC_CLASSES | GT_METRIC_BITS, \
                                .larger = true,                              \
                                .of_positive = GT_IS_##average,              \
                                .of_counts = function##_##average}
/* Starts the definition of a metric that GT_REGISTER has registered. */
#define GT_REGISTERED(metric_name)                     \
  extern const gt_metric_type gt_metric_##metric_name; \
  const gt_metric_type gt_metric_##metric_name
#endif
