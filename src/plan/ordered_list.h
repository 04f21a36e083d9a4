/* gt_ordered_list: an ordered list with constant-time comparison of the positions of two items, in which
 * items can be moved (Bender, Cole, Demaine, Farach-Colton and Zito, "Two simplified algorithms for
 * maintaining order in a list", 2002). Owner: the arena. */
#ifndef GT_PLAN_ORDERED_LIST_H
#define GT_PLAN_ORDERED_LIST_H
#include "base/arena.h"
#include <stdint.h>

typedef struct gt_ordered_list {
  uint64_t *label;           /* of each item, ascending along the list */
  uint32_t *next, *previous; /* the items after and before each item */
} gt_ordered_list;

/* Puts all items in the list, in the order of their numbers. */
void gt_ordered_list_init(gt_ordered_list *list, gt_arena *arena, uint32_t items);
void gt_ordered_list_remove(gt_ordered_list *list, uint32_t item);
/* Moves `item` to the position after `other`. */
void gt_ordered_list_move_after(gt_ordered_list *list, uint32_t item, uint32_t other);
#endif
