#include "plan/ways.h"
#include "base/memory.h"
#include "op/core.h"
#include <assert.h>
#include <stdlib.h>

enum { LANDMARKS = 64 };

typedef struct unit { /* as found by a search */
  gt_id id;
  uint32_t place;
} unit;

struct gt_ways {
  const gt_fusion *fusion;
  gt_id *first;           /* per group: the node it began with */
  uint32_t *place, *seen; /* per unit: in the order; the last search that came by */
  uint32_t search;
  gt_id landmark[LANDMARKS];
  uint64_t *reached_by, *reaches; /* per unit: the landmarks that reach it, and that it reaches */
  gt_id *stack;
  unit *after, *before; /* what comes after a, and before b, among what stands between them */
  uint32_t afters, befores;
  uint32_t *room; /* their places */
};

/* Landmarks are evenly spaced among the groups. What is found here stays true: joining cuts no way. */
static void set_landmarks(gt_ways *ways) {
  const gt_fusion *f = ways->fusion;
  const gt_graph *graph = f->graph;
  uint64_t *is = gt_alloc(sizeof *is * (graph->count + 1));
  const int count = f->groups < LANDMARKS ? f->groups : LANDMARKS;
  for (int i = 0; i < count; i++) {
    ways->landmark[i] = ways->first[(int64_t)i * f->groups / count];
    is[ways->landmark[i]] = UINT64_C(1) << i;
  }
  for (gt_id id = 0; id < graph->count; id++)
    for (int k = 0; k < graph->node[id].inputs; k++) {
      const gt_id input = graph->node[id].input[k];
      ways->reached_by[id] |= ways->reached_by[input] | is[input];
    }
  for (gt_id id = graph->count; id-- > 0;)
    for (uint32_t u = f->user_start[id]; u < f->user_start[id + 1]; u++)
      ways->reaches[id] |= ways->reaches[f->user[u]] | is[f->user[u]];
  free(is);
}

gt_ways *gt_ways_create(gt_arena *arena, const gt_fusion *fusion) {
  gt_ways *ways = GT_NEW(arena, gt_ways);
  const size_t nodes = fusion->graph->count + 1;
  *ways = (gt_ways){.fusion = fusion};
  ways->first = GT_NEW_N(arena, gt_id, fusion->groups + 1);
  ways->place = GT_NEW_N(arena, uint32_t, nodes);
  ways->seen = GT_NEW_N(arena, uint32_t, nodes);
  ways->reached_by = GT_NEW_N(arena, uint64_t, nodes);
  ways->reaches = GT_NEW_N(arena, uint64_t, nodes);
  ways->stack = GT_NEW_N(arena, gt_id, nodes);
  ways->after = GT_NEW_N(arena, unit, nodes);
  ways->before = GT_NEW_N(arena, unit, nodes);
  ways->room = GT_NEW_N(arena, uint32_t, 2 * nodes);
  for (gt_id id = 0; id < fusion->graph->count; id++) {
    ways->place[id] = id;
    if (fusion->group_of[id] >= 0) ways->first[fusion->group_of[id]] = id;
  }
  set_landmarks(ways);
  return ways;
}

static gt_id unit_of(const gt_ways *ways, gt_id node) {
  const int group = ways->fusion->group_of[node];
  return group < 0 ? node : ways->first[group];
}

/* The nodes of a unit. */
static int nodes_of(const gt_ways *ways, const gt_id *id, const gt_id **node) {
  const int group = ways->fusion->group_of[*id];
  *node = group < 0 ? id : ways->fusion->group[group].node;
  return group < 0 ? 1 : ways->fusion->group[group].nodes;
}

/* Is `view` a reshape of a value of the group, made of that value itself? */
static bool shows(const gt_fusion *f, gt_id view, int group) {
  if (f->group_of[view] >= 0 || f->origin[view] == view) return false;
  return f->group_of[gt_node_at(f->graph, view)->input[0]] == group;
}

/* Comes by at a unit on a search; its place among those found is *count - 1. */
static void visit(gt_ways *ways, gt_id id, unit *list, uint32_t *count, uint32_t *depth) {
  if (ways->seen[id] == ways->search) return;
  ways->seen[id] = ways->search;
  list[(*count)++] = (unit){id, ways->place[id]};
  ways->stack[(*depth)++] = id;
}

/* Goes on from `node` to its users that stand before b; false if b is among them. */
static bool go_on(gt_ways *ways, gt_id node, int a, int b, uint32_t *depth) {
  const gt_fusion *f = ways->fusion;
  const bool direct = shows(f, node, a);
  for (uint32_t u = f->user_start[node]; u < f->user_start[node + 1]; u++) {
    const int group = f->group_of[f->user[u]];
    if (group >= 0 && (group == a || group == f->group_of[f->origin[node]])) continue;
    if (group == b) {
      if (direct || f->group_of[node] == a) continue;
      return false;
    }
    const gt_id next = unit_of(ways, f->user[u]);
    if (ways->place[next] < ways->place[ways->first[b]]) visit(ways, next, ways->after, &ways->afters, depth);
  }
  return true;
}

static bool lead_by_landmark(const gt_ways *ways, int a, int b) {
  uint64_t both = ways->reaches[ways->first[a]] & ways->reached_by[ways->first[b]];
  for (; both; both &= both - 1) {
    const int group = ways->fusion->group_of[ways->landmark[__builtin_ctzll(both)]];
    if (group != a && group != b) return true;
  }
  return false;
}

bool gt_ways_lead_around(gt_ways *ways, int a, int b) {
  const gt_fusion *f = ways->fusion;
  uint32_t depth = 0;
  if (lead_by_landmark(ways, a, b)) return true;
  ways->search++;
  ways->afters = 0;
  for (int i = 0; i < f->group[a].nodes; i++) go_on(ways, f->group[a].node[i], a, b, &depth);
  while (depth) {
    const gt_id id = ways->stack[--depth], *node;
    const int nodes = nodes_of(ways, &id, &node);
    for (int i = 0; i < nodes; i++)
      if (!go_on(ways, node[i], a, b, &depth)) return true;
  }
  return false;
}

/* What b, and what it needs, reads of what stands behind a. */
static void find_before(gt_ways *ways, int a, int b) {
  const gt_fusion *f = ways->fusion;
  uint32_t depth = 0;
  ways->befores = 0;
  ways->stack[depth++] = ways->first[b];
  while (depth) {
    const gt_id id = ways->stack[--depth], *node;
    const int nodes = nodes_of(ways, &id, &node), group = f->group_of[id];
    for (int i = 0; i < nodes; i++) {
      const gt_node *reader = gt_node_at(f->graph, node[i]);
      for (int k = 0; k < reader->inputs; k++) {
        const gt_id input = reader->input[k], next = unit_of(ways, input);
        if (f->group_of[input] == b || (group >= 0 && f->group_of[f->origin[input]] == group)) continue;
        if (group == b && shows(f, input, a)) continue;
        if (ways->place[next] > ways->place[ways->first[a]])
          visit(ways, next, ways->before, &ways->befores, &depth);
      }
    }
  }
}

static int by_place(const void *a, const void *b) {
  const unit *x = a, *y = b;
  return (x->place > y->place) - (x->place < y->place);
}

static int by_number(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* What b needs, then both groups as one, then what needs a: in the places they all had before. */
void gt_ways_join(gt_ways *ways, int a, int b) {
  uint32_t rooms = 0;
  assert(ways->place[ways->first[a]] < ways->place[ways->first[b]]);
  find_before(ways, a, b);
  qsort(ways->before, ways->befores, sizeof *ways->before, by_place);
  qsort(ways->after, ways->afters, sizeof *ways->after, by_place);
  for (uint32_t i = 0; i < ways->befores; i++) ways->room[rooms++] = ways->before[i].place;
  for (uint32_t i = 0; i < ways->afters; i++) ways->room[rooms++] = ways->after[i].place;
  ways->room[rooms++] = ways->place[ways->first[a]];
  ways->room[rooms++] = ways->place[ways->first[b]];
  qsort(ways->room, rooms, sizeof *ways->room, by_number);
  for (uint32_t i = 0; i < ways->befores; i++) ways->place[ways->before[i].id] = ways->room[i];
  ways->place[ways->first[b]] = ways->room[ways->befores];
  for (uint32_t i = 0; i < ways->afters; i++)
    ways->place[ways->after[i].id] = ways->room[rooms - ways->afters + i];
  ways->reaches[ways->first[b]] |= ways->reaches[ways->first[a]];
  ways->reached_by[ways->first[b]] |= ways->reached_by[ways->first[a]];
}
