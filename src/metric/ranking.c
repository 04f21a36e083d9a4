#include "metric/ranking.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

static int descending(const void *a, const void *b) {
  const double x = ((const gt_ranked *)a)->score, y = ((const gt_ranked *)b)->score;
  return (x < y) - (x > y);
}

/* The predicted probability of a class. */
static double softmax(const float *logit, int64_t classes, int64_t class) {
  double largest = (double)logit[0], sum = 0;
  for (int64_t c = 1; c < classes; c++) largest = fmax(largest, (double)logit[c]);
  for (int64_t c = 0; c < classes; c++) sum += exp((double)logit[c] - largest);
  return exp((double)logit[class] - largest) / sum;
}

/* A number by which items are ranked for a class: the logit, the difference of two logits, or the
 * probability. */
static double score_of(const gt_metric_scores *s, int64_t item, int64_t class) {
  const float *row = s->score + item * s->outputs;
  if (!s->label) return (double)row[0];
  return s->outputs == 2 ? (double)row[class] - (double)row[!class] : softmax(row, s->outputs, class);
}

/* The metric with one class as the positive one. item: room for all items. */
static double rank_class(const gt_metric_scores *s, int64_t class, gt_ranked *item, gt_of_ranking value) {
  int64_t positives = 0;
  for (int64_t i = 0; i < s->items; i++) {
    item[i].score = score_of(s, i, class);
    item[i].positive = s->label ? s->label[i] == class : s->target[i] > 0.5f;
    positives += item[i].positive;
    if (!isfinite(item[i].score)) return NAN;
  }
  if (!positives || positives == s->items) return NAN;
  qsort(item, (size_t)s->items, sizeof *item, descending);
  return value(item, s->items, positives);
}

double gt_ranking(const gt_metric_scores *s, gt_of_ranking value) {
  if (s->label && s->outputs < 2) return NAN; /* no other class to rank against */
  gt_ranked *item = gt_alloc(((size_t)s->items + 1) * sizeof *item);
  const bool many = s->label && s->outputs > 2;
  const int64_t first = many ? 0 : s->positive, end = many ? s->outputs : first + 1;
  double sum = 0;
  for (int64_t class = first; class < end; class ++) sum += rank_class(s, class, item, value);
  free(item);
  return many ? sum / (double)s->outputs : sum;
}
