/* The kernel of row programs (src/op/rows.c): no op, but what fusion makes of reductions of rows and of the
 * elementwise work around them. */
#ifndef GT_OP_ROWS_H
#define GT_OP_ROWS_H
struct gt_lowering;
struct gt_group;
void gt_rows_lower(struct gt_lowering *lowering, const struct gt_group *group);
#endif
