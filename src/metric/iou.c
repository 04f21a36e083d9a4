/* Intersection over union, as sklearn.metrics.jaccard_score with average='macro': the mean over the classes
 * that occur. */
#include "metric/counts.h"

static double iou(gt_class_count c) { return gt_count_share(c.correct, c.labels + c.predicted - c.correct); }

GT_REGISTER(metric, iou)
GT_COUNT_ROW(iou, "intersection over union (Jaccard index), mean over the classes", iou, macro);
