/* gt_order: a graph of dependencies among numbered items. It adds and removes edges, tests for paths, and
 * finds a topological order. Relays, numbered after the items, are dummy items between many predecessors and
 * many successors; they save edges. Owner: the caller of init. */
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
  uint32_t items, relays;            /* maximum numbers */
  uint32_t *newest_from, *newest_to; /* per item: 1 + the newest edge from it and to it, or 0 */
  uint32_t *seen;                    /* per item: the mark of the frontier that visited it last */
  uint32_t *stack; /* of both frontiers of a search: items whose edges are not followed yet */
  uint32_t search; /* marks of the last search: this and, for the backward frontier, this + 1 */
} gt_order;

void gt_order_init(gt_order *order, uint32_t items, uint32_t relays); /* maximum numbers */
void gt_order_finish(gt_order *order);
/* Adds the edge `from` before `to`; does nothing if they are the same. */
void gt_order_add_edge(gt_order *order, uint32_t from, uint32_t to);
/* Removes all edges except the first `edges`. */
void gt_order_cut(gt_order *order, size_t edges);
/* True if there is a path from an item in `from` to one in `to`. The search is bidirectional, so that it is
 * cheap if either side has few reachable items. */
bool gt_order_reaches(gt_order *order, const uint32_t *from, size_t froms, const uint32_t *to, size_t tos);
/* Topological order by Kahn's algorithm, in rounds over the items from first to last: each round appends the
 * items whose predecessors are already in the order. Fills `sorted` with the items that are not `absent` and
 * returns their number; there is a cycle if it is less than the number of such items. */
uint32_t gt_order_sort(const gt_order *order, const bool *absent, uint32_t *sorted);
#endif
