/* Dependencies among items (order.h). Edges are in one array; those from an item, and those to an item, are
 * linked lists from the newest to the oldest. */
#include "plan/order.h"
#include "base/memory.h"
#include <stdlib.h>

typedef struct gt_order_edge {
  uint32_t from, to;
  uint32_t older_from, older_to; /* 1 + the next older edge from the same item, and to it; or 0 */
} edge;

void gt_order_init(gt_order *order, uint32_t items, uint32_t relays) {
  const size_t all = (size_t)items + relays + 1;
  *order = (gt_order){.items = items, .relays = relays};
  order->newest_from = gt_alloc(sizeof *order->newest_from * all);
  order->newest_to = gt_alloc(sizeof *order->newest_to * all);
  order->seen = gt_alloc(sizeof *order->seen * all);
  order->stack = gt_alloc(2 * sizeof *order->stack * all);
}

void gt_order_finish(gt_order *order) {
  free(order->edges.items);
  free(order->newest_from);
  free(order->newest_to);
  free(order->seen);
  free(order->stack);
}

void gt_order_add_edge(gt_order *order, uint32_t from, uint32_t to) {
  if (from == to) return;
  *GT_PUSH(&order->edges) = (edge){from, to, order->newest_from[from], order->newest_to[to]};
  order->newest_from[from] = order->newest_to[to] = (uint32_t)order->edges.count;
}

void gt_order_cut(gt_order *order, size_t edges) {
  while (order->edges.count > edges) {
    const edge *newest = &order->edges.items[--order->edges.count];
    order->newest_from[newest->from] = newest->older_from;
    order->newest_to[newest->to] = newest->older_to;
  }
}

/* One of the two frontiers of a bidirectional search. */
typedef struct frontier {
  gt_order *order;
  bool forward;
  uint32_t mark, *stack, depth, edge; /* edge: 1 + the next edge of the current item, or 0 */
} frontier;

static void visit(frontier *f, uint32_t item) {
  if (f->order->seen[item] == f->mark) return;
  f->order->seen[item] = f->mark;
  f->stack[f->depth++] = item;
}

/* The item at the end of the next edge; false if there is none. */
static bool next_item(frontier *f, uint32_t *item) {
  const gt_order *order = f->order;
  while (!f->edge) {
    if (!f->depth) return false;
    const uint32_t at = f->stack[--f->depth];
    f->edge = f->forward ? order->newest_from[at] : order->newest_to[at];
  }
  const edge *e = &order->edges.items[f->edge - 1];
  *item = f->forward ? e->to : e->from;
  f->edge = f->forward ? e->older_from : e->older_to;
  return true;
}

bool gt_order_reaches(gt_order *order, const uint32_t *from, size_t froms, const uint32_t *to, size_t tos) {
  const uint32_t all = order->items + order->relays + 1, mark = order->search += 2;
  frontier ends[2] = {{.order = order, .forward = true, .mark = mark, .stack = order->stack},
                      {.order = order, .mark = mark + 1, .stack = order->stack + all}};
  for (size_t i = 0; i < froms; i++) visit(&ends[0], from[i]);
  for (size_t i = 0; i < tos; i++) {
    if (order->seen[to[i]] == mark) return true;
    visit(&ends[1], to[i]);
  }
  for (int turn = 0;; turn ^= 1) {
    uint32_t item;
    if (!next_item(&ends[turn], &item)) return false;
    if (order->seen[item] == ends[turn ^ 1].mark) return true;
    visit(&ends[turn], item);
  }
}

/* A min-heap of items. */
typedef struct heap {
  uint32_t *item, count;
} heap;

static void heap_push(heap *h, uint32_t item) {
  uint32_t at = h->count++;
  for (; at && h->item[(at - 1) / 2] > item; at = (at - 1) / 2) h->item[at] = h->item[(at - 1) / 2];
  h->item[at] = item;
}

static uint32_t heap_pop(heap *h) {
  const uint32_t smallest = h->item[0], moved = h->item[--h->count];
  uint32_t at = 0;
  for (uint32_t child = 1; child < h->count; child = 2 * at + 1) {
    if (child + 1 < h->count && h->item[child + 1] < h->item[child]) child++;
    if (h->item[child] >= moved) break;
    h->item[at] = h->item[child];
    at = child;
  }
  h->item[at] = moved;
  return smallest;
}

typedef struct sorting {
  const gt_order *order;
  const bool *absent;
  uint32_t *waiting, *relay; /* waiting: number of predecessors left; relay: stack of ready relays */
  heap now, later;           /* ready items of this round and of the next one */
} sorting;

/* Counts `from` as done for its successors, also through relays, and adds those that become ready to a heap.
 * Items from `first_left` on can still be appended in the current round. */
static void release(sorting *s, uint32_t from, uint32_t first_left) {
  const gt_order *order = s->order;
  uint32_t relays = 0;
  s->relay[relays++] = from;
  while (relays) {
    for (uint32_t e = order->newest_from[s->relay[--relays]]; e; e = order->edges.items[e - 1].older_from) {
      const uint32_t next = order->edges.items[e - 1].to;
      if (--s->waiting[next]) continue;
      if (next >= order->items)
        s->relay[relays++] = next;
      else if (!s->absent[next])
        heap_push(next >= first_left ? &s->now : &s->later, next);
    }
  }
}

/* Finds the items that are ready at the beginning: those that wait for nothing, or only for relays that wait
 * for nothing. */
static void start(sorting *s) {
  const gt_order *order = s->order;
  const uint32_t all = order->items + order->relays;
  bool *ready = gt_alloc((size_t)all + 1);
  for (uint32_t i = 0; i < all; i++) ready[i] = !s->waiting[i];
  for (uint32_t i = 0; i < all; i++) {
    if (!ready[i]) continue;
    if (i >= order->items)
      release(s, i, 0);
    else if (!s->absent[i])
      heap_push(&s->now, i);
  }
  free(ready);
}

uint32_t gt_order_sort(const gt_order *order, const bool *absent, uint32_t *sorted) {
  const size_t all = (size_t)order->items + order->relays + 1;
  uint32_t *memory = gt_alloc(4 * sizeof *memory * all), count = 0;
  sorting s = {.order = order, .absent = absent, .waiting = memory, .relay = memory + all};
  s.now.item = memory + 2 * all;
  s.later.item = memory + 3 * all;
  for (size_t e = 0; e < order->edges.count; e++) s.waiting[order->edges.items[e].to]++;
  start(&s);
  while (s.now.count) {
    const uint32_t item = sorted[count++] = heap_pop(&s.now);
    release(&s, item, item + 1);
    if (s.now.count) continue;
    const heap empty = s.now;
    s.now = s.later;
    s.later = empty;
  }
  free(memory);
  return count;
}
