/* gt_line: an ordered list with constant-time comparison of the positions of two items, in which items can be
 * moved (Bender, Cole, Demaine, Farach-Colton and Zito, "Two simplified algorithms for maintaining order in a
 * list", 2002). Owner: the arena. */
#ifndef GT_PLAN_LINE_H
#define GT_PLAN_LINE_H
#include "base/arena.h"
#include <stdint.h>

typedef struct gt_line {
  uint64_t *label;       /* of each item, ascending along the list */
  uint32_t *next, *last; /* the items after and before each item */
} gt_line;

void gt_line_init(gt_line *line, gt_arena *arena, uint32_t items); /* in the order of their numbers */
void gt_line_remove(gt_line *line, uint32_t item);
void gt_line_put_behind(gt_line *line, uint32_t item, uint32_t other); /* moves item to after other */
#endif
