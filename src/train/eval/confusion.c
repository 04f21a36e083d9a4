#include "train/eval/confusion.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

int64_t gt_confusion_at(const gt_confusion_matrix *matrix, int64_t label, int64_t predicted) {
  /* The device counts in unsigned words. */
  return (uint32_t)matrix->count[label * matrix->classes + predicted];
}

static double share(int64_t part, int64_t whole) {
  return whole ? (double)part / (double)whole : (double)NAN;
}

gt_class_metrics gt_confusion_class(const gt_confusion_matrix *matrix, int64_t class) {
  gt_class_metrics m = {.correct = gt_confusion_at(matrix, class, class)};
  for (int64_t other = 0; other < matrix->classes; other++) {
    m.samples += gt_confusion_at(matrix, class, other);
    m.predicted += gt_confusion_at(matrix, other, class);
  }
  m.precision = share(m.correct, m.predicted);
  m.recall = share(m.correct, m.samples);
  m.f1 = share(2 * m.correct, m.samples + m.predicted);
  return m;
}

static double nan_to_zero(double value) { return isnan(value) ? 0 : value; }

gt_class_metrics gt_confusion_mean(const gt_confusion_matrix *matrix) {
  gt_class_metrics mean = {0};
  int64_t classes = 0;
  for (int64_t c = 0; c < matrix->classes; c++) {
    const gt_class_metrics m = gt_confusion_class(matrix, c);
    if (!m.samples) continue;
    classes++;
    mean.samples += m.samples;
    mean.predicted += m.predicted;
    mean.correct += m.correct;
    mean.precision += nan_to_zero(m.precision);
    mean.recall += m.recall;
    mean.f1 += m.f1;
  }
  mean.precision /= (double)classes;
  mean.recall /= (double)classes;
  mean.f1 /= (double)classes;
  return mean;
}

const char *gt_confusion_name(const gt_confusion_matrix *matrix, int64_t class, char number[24]) {
  if (matrix->names) return matrix->names[class];
  snprintf(number, 24, "%" PRId64, class);
  return number;
}
