#include "metric/counts.h"

gt_class_count gt_count_class(const gt_metric_counts *counts, int64_t class) {
  const int64_t n = counts->classes;
  gt_class_count c = {.correct = counts->count[class * n + class]};
  for (int64_t other = 0; other < n; other++) {
    c.labels += counts->count[class * n + other];
    c.predicted += counts->count[other * n + class];
  }
  return c;
}

double gt_count_share(double part, double whole) { return whole > 0 ? part / whole : 0; }

double gt_count_precision(gt_class_count c) { return gt_count_share(c.correct, c.predicted); }
double gt_count_recall(gt_class_count c) { return gt_count_share(c.correct, c.labels); }
double gt_count_f1(gt_class_count c) { return gt_count_share(2 * c.correct, c.labels + c.predicted); }

/* The mean over the classes, each with the weight that `weight` returns. */
static double mean_over_classes(const gt_metric_counts *counts, gt_of_class value, gt_of_class weight) {
  double sum = 0, weights = 0;
  for (int64_t c = 0; c < counts->classes; c++) {
    const gt_class_count count = gt_count_class(counts, c);
    sum += weight(count) * value(count);
    weights += weight(count);
  }
  return gt_count_share(sum, weights);
}

static double occurs(gt_class_count c) { return c.labels + c.predicted > 0; }
static double has_labels(gt_class_count c) { return c.labels > 0; }
static double labels_of(gt_class_count c) { return c.labels; }

double gt_count_macro(const gt_metric_counts *counts, gt_of_class value) {
  return mean_over_classes(counts, value, occurs);
}

double gt_count_labeled(const gt_metric_counts *counts, gt_of_class value) {
  return mean_over_classes(counts, value, has_labels);
}

double gt_count_weighted(const gt_metric_counts *counts, gt_of_class value) {
  return mean_over_classes(counts, value, labels_of);
}

double gt_count_micro(const gt_metric_counts *counts, gt_of_class value) {
  gt_class_count all = {0};
  for (int64_t c = 0; c < counts->classes; c++) {
    const gt_class_count count = gt_count_class(counts, c);
    all.correct += count.correct;
    all.predicted += count.predicted;
    all.labels += count.labels;
  }
  return value(all);
}

double gt_count_binary(const gt_metric_counts *counts, gt_of_class value) {
  return counts->classes == 2 ? value(gt_count_class(counts, counts->positive))
                              : gt_count_macro(counts, value);
}
