/* The table that a batch's augmentation is drawn by (shaders/op/augment/augment_draw.h): all that takes more
 * than sums and products, worked out once, in double precision. */
#ifndef GT_OP_AUGMENT_TABLE_H
#define GT_OP_AUGMENT_TABLE_H
#include "op/augment/augment.h"
#include <stddef.h>

/* Heap. Of a quantity that is drawn, line k of its table is its quantile at (k + 1/2) / GT_AUGMENT_QUANTILES:
 * each line is as likely as any other. */
uint32_t *gt_augment_table(const gt_augment_rule *rule, size_t *words);
/* So many quantiles of the distribution Beta(alpha, alpha). */
void gt_beta_quantiles(double alpha, uint32_t count, double *quantile);
#endif
