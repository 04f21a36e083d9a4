/* Incremental topological order of fusion groups, for the test that merging two groups creates no cycle
 * (group_order.h). */
#include "plan/group_order.h"
#include "base/memory.h"
#include "op/core.h"
#include "plan/ordered_list.h"
#include <assert.h>
#include <stdlib.h>

enum { LANDMARKS = 64 };

typedef struct unit { /* a unit found by a search */
  gt_id id;
  uint64_t label;
} unit;

/* One direction of the bidirectional search, which advances by one edge per step. */
typedef struct walk {
  uint32_t mark;
  gt_id *stack, single; /* stack: visited units whose edges are not followed yet; single: see node */
  uint32_t depth;
  const gt_id *node; /* the nodes of the current unit; for a node in no group it points to `single` */
  int nodes, at;     /* edges edge … edges - 1 of node[at] are left */
  uint32_t edge, edges;
  unit *found;
  uint32_t count;
} walk;

struct gt_group_order {
  const gt_fusion *fusion;
  gt_id *first; /* per group: its only node at the start, which identifies it; a merged group keeps one */
  gt_ordered_list list; /* the units in topological order */
  uint32_t *seen;       /* per unit: the mark of the last search that visited it */
  uint32_t search;
  gt_id landmark[LANDMARKS];
  uint64_t *reached_by, *reaches; /* per unit: the landmarks that reach it, and that it reaches */
  walk after, before;             /* from a to its consumers, and from b to its inputs */
  const walk *ended;              /* the walk of the last search that ended first */
};

/* Landmarks are evenly spaced among groups. Merging removes no path, so their reachability stays valid. */
static void set_landmarks(gt_group_order *order) {
  const gt_fusion *f = order->fusion;
  const gt_graph *graph = f->graph;
  uint64_t *landmark_bit = gt_alloc(sizeof *landmark_bit * (graph->count + 1));
  const int count = f->groups < LANDMARKS ? f->groups : LANDMARKS;
  for (int i = 0; i < count; i++) {
    order->landmark[i] = order->first[(int64_t)i * f->groups / count];
    landmark_bit[order->landmark[i]] = UINT64_C(1) << i;
  }
  for (gt_id id = 0; id < graph->count; id++)
    for (int k = 0; k < graph->node[id].inputs; k++) {
      const gt_id input = graph->node[id].input[k];
      order->reached_by[id] |= order->reached_by[input] | landmark_bit[input];
    }
  for (gt_id id = graph->count; id-- > 0;)
    for (uint32_t u = f->user_start[id]; u < f->user_start[id + 1]; u++)
      order->reaches[id] |= order->reaches[f->user[u]] | landmark_bit[f->user[u]];
  free(landmark_bit);
}

gt_group_order *gt_group_order_create(gt_arena *arena, const gt_fusion *fusion) {
  gt_group_order *order = GT_NEW(arena, gt_group_order);
  const size_t nodes = fusion->graph->count + 1;
  *order = (gt_group_order){.fusion = fusion};
  order->first = GT_NEW_N(arena, gt_id, fusion->groups + 1);
  order->seen = GT_NEW_N(arena, uint32_t, nodes);
  order->reached_by = GT_NEW_N(arena, uint64_t, nodes);
  order->reaches = GT_NEW_N(arena, uint64_t, nodes);
  walk *walks[2] = {&order->after, &order->before};
  for (int i = 0; i < 2; i++) {
    walks[i]->stack = GT_NEW_N(arena, gt_id, nodes);
    walks[i]->found = GT_NEW_N(arena, unit, nodes);
  }
  gt_ordered_list_init(&order->list, arena, fusion->graph->count);
  for (gt_id id = 0; id < fusion->graph->count; id++)
    if (fusion->group_of[id] >= 0) order->first[fusion->group_of[id]] = id;
  set_landmarks(order);
  return order;
}

/* The unit that contains a node. */
static gt_id unit_of(const gt_group_order *order, gt_id node) {
  const int group = order->fusion->group_of[node];
  return group < 0 ? node : order->first[group];
}

/* True if `view` is a reshape of a value of the group, computed directly, not from another reshape. */
static bool is_reshape_of(const gt_fusion *f, gt_id view, int group) {
  if (f->group_of[view] >= 0 || f->origin[view] == view) return false;
  return f->group_of[gt_node_at(f->graph, view)->input[0]] == group;
}

/* Makes a unit the current one of the walk. */
static void enter(const gt_group_order *order, walk *w, gt_id id) {
  const int group = order->fusion->group_of[id];
  w->single = id;
  w->node = group < 0 ? &w->single : order->fusion->group[group].node;
  w->nodes = group < 0 ? 1 : order->fusion->group[group].nodes;
  w->at = -1;
  w->edge = w->edges = 0;
}

static void begin(gt_group_order *order, walk *w, int group) {
  w->mark = ++order->search;
  w->depth = w->count = 0;
  enter(order, w, order->first[group]);
}

/* Moves to the next node with an edge left, which is then node[at]; false if there is none. */
static bool has_edge(const gt_group_order *order, walk *w) {
  while (w->edge == w->edges) {
    if (w->at + 1 == w->nodes) {
      if (!w->depth) return false;
      enter(order, w, w->stack[--w->depth]);
    }
    const gt_id node = w->node[++w->at];
    const bool onwards = w == &order->after;
    w->edge = onwards ? order->fusion->user_start[node] : 0;
    w->edges = onwards ? order->fusion->user_start[node + 1]
                       : (uint32_t)gt_node_at(order->fusion->graph, node)->inputs;
  }
  return true;
}

/* Visits a unit; true if the other walk has visited it. */
static bool visit(gt_group_order *order, walk *w, const walk *other, gt_id id) {
  if (order->seen[id] == other->mark) return true;
  if (order->seen[id] == w->mark) return false;
  order->seen[id] = w->mark;
  w->found[w->count++] = (unit){id, order->list.label[id]};
  w->stack[w->depth++] = id;
  return false;
}

/* Follows the next edge to a consumer that is ordered before b; true if a path to b is found. */
static bool step_after(gt_group_order *order, int a, int b) {
  const gt_fusion *f = order->fusion;
  walk *w = &order->after;
  const gt_id node = w->node[w->at], user = f->user[w->edge++];
  const int group = f->group_of[user];
  if (group >= 0 && (group == a || group == f->group_of[f->origin[node]])) return false;
  if (group == b) return !is_reshape_of(f, node, a) && f->group_of[node] != a;
  const gt_id next = unit_of(order, user);
  return order->list.label[next] < order->list.label[order->first[b]] &&
         visit(order, w, &order->before, next);
}

/* Follows the next edge to an input that is ordered after a; true if a path to a is found. */
static bool step_before(gt_group_order *order, int a, int b) {
  const gt_fusion *f = order->fusion;
  walk *w = &order->before;
  const gt_id node = w->node[w->at], input = gt_node_at(f->graph, node)->input[w->edge++];
  const int group = f->group_of[node];
  if (f->group_of[input] == b || (group >= 0 && f->group_of[f->origin[input]] == group)) return false;
  if (f->group_of[input] == a) return group != b;
  if (group == b && is_reshape_of(f, input, a)) return false;
  const gt_id next = unit_of(order, input);
  return order->list.label[next] > order->list.label[order->first[a]] && visit(order, w, &order->after, next);
}

/* True if a path from a to b through a landmark in another group is known. */
static bool has_path_by_landmark(const gt_group_order *order, int a, int b) {
  uint64_t common = order->reaches[order->first[a]] & order->reached_by[order->first[b]];
  for (; common; common &= common - 1) {
    const int group = order->fusion->group_of[order->landmark[__builtin_ctzll(common)]];
    if (group != a && group != b) return true;
  }
  return false;
}

/* A bidirectional search, because often a has many consumers and b few inputs, or the reverse. */
bool gt_group_order_has_other_path(gt_group_order *order, int a, int b) {
  if (has_path_by_landmark(order, a, b)) return true;
  begin(order, &order->after, a);
  begin(order, &order->before, b);
  for (;;) {
    order->ended = &order->after;
    if (!has_edge(order, &order->after)) return false;
    if (step_after(order, a, b)) return true;
    order->ended = &order->before;
    if (!has_edge(order, &order->before)) return false;
    if (step_before(order, a, b)) return true;
  }
}

static int by_label(const void *a, const void *b) {
  const unit *x = a, *y = b;
  return (x->label > y->label) - (x->label < y->label);
}

/* Updates the order with the walk that ended first. If it is the one from b: moves the units that it found,
 * from which b is reached, to the position of a, followed by the merged unit. If it is the one from a: moves
 * the units that it found, which a reaches, to after b, which becomes the merged unit. */
void gt_group_order_merge(gt_group_order *order, int a, int b) {
  const gt_id from = order->first[a], to = order->first[b];
  const bool after = order->ended == &order->after;
  const unit *found = order->ended->found;
  const uint32_t count = order->ended->count;
  gt_id last = after ? to : from;
  assert(order->list.label[from] < order->list.label[to]);
  qsort(order->ended->found, count, sizeof *found, by_label);
  for (uint32_t i = 0; i < count; i++) {
    gt_ordered_list_move_after(&order->list, found[i].id, last);
    last = found[i].id;
  }
  if (!after) gt_ordered_list_move_after(&order->list, to, last);
  gt_ordered_list_remove(&order->list, from);
  order->reaches[to] |= order->reaches[from];
  order->reached_by[to] |= order->reached_by[from];
}
