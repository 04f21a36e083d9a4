/* gt_order: what must run before what, among numbered items: edges that can be taken back, ways, and the
 * order that follows. Relays, numbered behind the items, do nothing: they stand between many items that are
 * waited for and many that wait. Owner: whoever calls init. */
#ifndef GT_PLAN_ORDER_H
#define GT_PLAN_ORDER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gt_order {
  struct {
    struct gt_order_edge *items;
    size_t count, capacity;
  } edges;
  uint32_t items, relays;
  uint32_t *last, *into; /* 1 + the newest edge from and to each, or 0 */
  uint32_t *seen, *stack;
  uint32_t search; /* marks what the last search has seen */
} gt_order;

void gt_order_init(gt_order *order, uint32_t items, uint32_t relays); /* the most there will be */
void gt_order_finish(gt_order *order);
/* from before to; nothing if they are the same. */
void gt_order_edge(gt_order *order, uint32_t from, uint32_t to);
/* Takes back all edges but the first `edges`. */
void gt_order_cut(gt_order *order, size_t edges);
/* True if a path leads from one of some items to one of others. The search goes from both ends alternately,
 * so that it is cheap where one of them is near the end of all paths. */
bool gt_order_reaches(gt_order *order, const uint32_t *from, size_t froms, const uint32_t *to, size_t tos);
/* Kahn's algorithm, in rounds over the items from first to last: each takes what is ready when it comes by.
 * Fills sorted with the items that are not `absent`; returns how many there are: all, unless there is a
 * circle. */
uint32_t gt_order_sort(const gt_order *order, const bool *absent, uint32_t *sorted);
#endif
