/* The table from which augmentation parameters are drawn (shaders/op/augment/augment_draw.h). It contains
 * everything that needs more than sums and products, computed once, in double precision. */
#ifndef GT_OP_AUGMENT_TABLE_H
#define GT_OP_AUGMENT_TABLE_H
#include "op/augment/augment.h"
#include <stddef.h>

/* Returns the table in heap memory. For each random quantity, row k is the quantile (k + 1/2) /
 * GT_AUGMENT_QUANTILES, so that all rows are equally likely. */
uint32_t *gt_augment_table(const gt_augment_rule *rule, size_t *words);
/* `count` quantiles of the distribution Beta(alpha, alpha), at (k + 1/2) / count. */
void gt_beta_quantiles(double alpha, uint32_t count, double *quantile);
#endif
