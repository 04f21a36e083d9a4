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

double gt_count_macro(const gt_metric_counts *counts, gt_of_class value) {
  double sum = 0, classes = 0;
  for (int64_t c = 0; c < counts->classes; c++) {
    const gt_class_count count = gt_count_class(counts, c);
    if (count.labels + count.predicted <= 0) continue;
    sum += value(count);
    classes++;
  }
  return gt_count_share(sum, classes);
}

double gt_count_weighted(const gt_metric_counts *counts, gt_of_class value) {
  double sum = 0, labels = 0;
  for (int64_t c = 0; c < counts->classes; c++) {
    const gt_class_count count = gt_count_class(counts, c);
    sum += count.labels * value(count);
    labels += count.labels;
  }
  return gt_count_share(sum, labels);
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
