/* The data structures of src/plan (gt_order, gt_hazards, gt_spans, gt_ordered_list, gt_group_order), compared
 * with naive searches on random input. */
#include "plan/order.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "plan/hazards.h"
#include "plan/ordered_list.h"
#include "plan/spans.h"
#include "plan/group_order.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t dice = 1;
static uint32_t roll(uint32_t sides) {
  dice = dice * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)(dice >> 4) * sides >> 28);
}

/* --- order ---------------------------------------------------------------------------------------------- */

enum { ITEMS = 60, RELAYS = 5, ALL = ITEMS + RELAYS };

static bool is_reachable(bool edge[ALL][ALL], uint32_t from, uint32_t to) {
  if (from == to) return true;
  for (uint32_t next = 0; next < ALL; next++)
    if (edge[from][next] && is_reachable(edge, next, to)) return true;
  return false;
}

/* Goes over all items in rounds and adds each item whose predecessors have been added; relays are added as
 * early as possible. */
static uint32_t naive_sort(bool edge[ALL][ALL], const bool *absent, uint32_t *sorted) {
  bool done[ALL] = {false};
  uint32_t count = 0;
  for (bool progress = true; progress;) {
    progress = false;
    for (uint32_t i = 0; i < ITEMS; i++) {
      for (bool again = true; again;) {
        again = false;
        for (uint32_t r = ITEMS; r < ALL; r++) {
          bool ready = !done[r];
          for (uint32_t k = 0; k < ALL && ready; k++) ready = !edge[k][r] || done[k];
          if (ready) done[r] = again = true;
        }
      }
      bool ready = !done[i] && !absent[i];
      for (uint32_t k = 0; k < ALL && ready; k++) ready = !edge[k][i] || done[k];
      if (!ready) continue;
      sorted[count++] = i;
      done[i] = progress = true;
    }
  }
  return count;
}

static void sorts_in_rounds(void **state) {
  (void)state;
  for (int round = 0; round < 200; round++) {
    static bool edge[ALL][ALL];
    bool absent[ITEMS] = {false};
    uint32_t rank[ALL], sorted[ITEMS], want[ITEMS];
    gt_order order;
    memset(edge, 0, sizeof edge);
    gt_order_init(&order, ITEMS, RELAYS);
    for (uint32_t i = 0; i < ALL; i++) rank[i] = roll(1000);
    const uint32_t edges = roll(150);
    size_t kept = 0;
    for (uint32_t e = 0; e < edges; e++) {
      const uint32_t a = roll(ALL), b = roll(ALL);
      if (rank[a] >= rank[b]) continue;
      edge[a][b] = true;
      gt_order_add_edge(&order, a, b);
      kept++;
    }
    for (int k = 0; k < 20; k++) gt_order_add_edge(&order, roll(ALL), roll(ALL));
    gt_order_cut(&order, kept);
    for (int k = 0; k < 50; k++) {
      const uint32_t a = roll(ALL), b = roll(ALL);
      assert_int_equal(gt_order_reaches(&order, &a, 1, &b, 1), is_reachable(edge, a, b));
      const uint32_t from[3] = {a, roll(ALL), roll(ALL)}, to[2] = {b, roll(ALL)};
      bool any = false;
      for (int i = 0; i < 6; i++) any |= is_reachable(edge, from[i / 2], to[i % 2]);
      assert_int_equal(gt_order_reaches(&order, from, 3, to, 2), any);
      assert_false(gt_order_reaches(&order, from, 3, to, 0));
    }
    for (uint32_t i = 0; i < ITEMS; i++) { /* absent items have no edges */
      absent[i] = roll(4) == 0;
      for (uint32_t k = 0; k < ALL; k++) absent[i] &= !edge[i][k] && !edge[k][i];
    }
    const uint32_t count = naive_sort(edge, absent, want);
    assert_int_equal(gt_order_sort(&order, absent, sorted), count);
    assert_memory_equal(sorted, want, count * sizeof *want);
    gt_order_finish(&order);
  }
}

static void finds_a_cycle(void **state) {
  (void)state;
  gt_order order;
  const bool absent[3] = {false};
  uint32_t sorted[3];
  gt_order_init(&order, 3, 0);
  gt_order_add_edge(&order, 0, 1);
  gt_order_add_edge(&order, 1, 2);
  gt_order_add_edge(&order, 2, 1);
  assert_int_equal(gt_order_sort(&order, absent, sorted), 1);
  gt_order_finish(&order);
}

/* --- hazards -------------------------------------------------------------------------------------------- */

typedef struct access {
  gt_range range;
  bool write;
  uint32_t level;
} access;

static void finds_hazards(void **state) {
  (void)state;
  enum { PIECES = 3, ACCESSES = 80 };
  for (int round = 0; round < 200; round++) {
    access t[ACCESSES];
    gt_hazards hazards;
    const uint32_t bytes = 1 + roll(60), step = 1 + roll(8);
    gt_hazards_init(&hazards, PIECES);
    for (int i = 0; i < ACCESSES; i++) {
      t[i].range = (gt_range){roll(PIECES), (uint64_t)step * roll(40), 1 + roll(bytes)};
      t[i].write = roll(3) == 0;
      gt_hazards_expect(&hazards, t[i].range);
    }
    gt_hazards_ready(&hazards);
    for (int i = 0; i < ACCESSES; i++) {
      uint32_t want = 0;
      for (int k = 0; k < i; k++) {
        const gt_range a = t[k].range, b = t[i].range;
        if (a.piece == b.piece && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes &&
            (t[k].write || t[i].write) && t[k].level >= want)
          want = t[k].level + 1;
      }
      assert_int_equal(gt_hazards_after(&hazards, t[i].range, t[i].write), want);
      t[i].level = want + roll(3);
      gt_hazards_touch(&hazards, t[i].range, t[i].write, t[i].level);
    }
    gt_hazards_finish(&hazards);
  }
}

/* --- spans ---------------------------------------------------------------------------------------------- */

typedef struct allocation { /* first, last: the levels in which it is used */
  uint32_t first, last;
  uint64_t offset, bytes;
} allocation;

static bool is_free(const allocation *list, int count, const allocation *x) {
  for (int i = 0; i < count; i++)
    if (list[i].first <= x->last && x->first <= list[i].last && list[i].offset < x->offset + x->bytes &&
        x->offset < list[i].offset + list[i].bytes)
      return false;
  return true;
}

static void finds_the_lowest_place(void **state) {
  (void)state;
  enum { PLACED = 60 };
  for (int round = 0; round < 200; round++) {
    allocation list[PLACED];
    gt_spans spans;
    const uint32_t levels = 1 + roll(50), longest = 1 + roll(levels), largest = 1 + roll(12);
    gt_spans_init(&spans, levels);
    for (int i = 0; i < PLACED; i++) {
      allocation *x = &list[i];
      x->first = roll(levels);
      x->last = x->first + roll(longest);
      if (x->last >= levels) x->last = levels - 1;
      x->bytes = 1 + roll(largest);
      x->offset = 0;
      while (!is_free(list, i, x)) x->offset++;
      assert_int_equal(gt_spans_fit(&spans, x->first, x->last, 0, x->bytes), x->offset);
      const uint64_t from = x->offset = roll(20);
      while (!is_free(list, i, x)) x->offset++;
      assert_int_equal(gt_spans_fit(&spans, x->first, x->last, from, x->bytes), x->offset);
      if (roll(4) == 0) x->offset += roll(5); /* sometimes not at the lowest free offset */
      while (!is_free(list, i, x)) x->offset++;
      gt_spans_take(&spans, x->first, x->last, x->offset, x->bytes);
    }
    gt_spans_finish(&spans);
  }
}

/* --- ordered list --------------------------------------------------------------------------------------- */

/* Moves items behind the same few others many times, until there is no label left between two of them. */
static void keeps_the_list_in_order(void **state) {
  (void)state;
  enum { MEMBERS = 40 };
  for (int round = 0; round < 50; round++) {
    gt_arena arena;
    gt_ordered_list list;
    uint32_t members[MEMBERS], few = 1 + roll(MEMBERS);
    gt_arena_init(&arena);
    gt_ordered_list_init(&list, &arena, MEMBERS);
    for (uint32_t i = 0; i < MEMBERS; i++) members[i] = i;
    for (int move = 0; move < 1000; move++) {
      const uint32_t from = roll(MEMBERS), item = members[from];
      memmove(members + from, members + from + 1, (MEMBERS - 1 - from) * sizeof *members);
      const uint32_t to = few < MEMBERS ? roll(few) : roll(MEMBERS - 1);
      memmove(members + to + 2, members + to + 1, (MEMBERS - 2 - to) * sizeof *members);
      members[to + 1] = item;
      gt_ordered_list_move_after(&list, item, members[to]);
      for (uint32_t i = 1; i < MEMBERS; i++) assert_true(list.label[members[i - 1]] < list.label[members[i]]);
    }
    gt_arena_finish(&arena);
  }
}

/* --- paths ---------------------------------------------------------------------------------------------- */

enum { NODES = 120 };

typedef struct search {
  const gt_fusion *f;
  int from, to;
  bool node[NODES], group[NODES];
} search;

/* True if a path from the node leads to group s->to without passing group s->from. Marks what it visits. */
static bool reaches(search *s, gt_id id) {
  const gt_fusion *f = s->f;
  const int g = f->group_of[id];
  if (g == s->from) return false;
  if (g == s->to) return true;
  if (g < 0 ? s->node[id] : s->group[g]) return false;
  const gt_id *node = g < 0 ? &id : f->group[g].node;
  if (g < 0)
    s->node[id] = true;
  else
    s->group[g] = true;
  for (int i = 0; i < (g < 0 ? 1 : f->group[g].nodes); i++)
    for (uint32_t u = f->user_start[node[i]]; u < f->user_start[node[i] + 1]; u++)
      if (reaches(s, f->user[u])) return true;
  return false;
}

/* True if there is a path from a to b through other groups. Searches from each consumer of a's values except
 * a and b; a reshape that b reads directly is not another group. */
static bool naive_lead_around(const gt_fusion *f, int a, int b) {
  search s = {f, a, b, {false}, {false}};
  for (int i = 0; i < f->group[a].nodes; i++) {
    const gt_id id = f->group[a].node[i];
    for (uint32_t u = f->user_start[id]; u < f->user_start[id + 1]; u++) {
      const gt_id user = f->user[u];
      const int g = f->group_of[user];
      if (g == a || g == b) continue;
      if (g >= 0 || f->origin[user] != id) {
        if (reaches(&s, user)) return true;
        continue;
      }
      for (uint32_t v = f->user_start[user]; v < f->user_start[user + 1]; v++)
        if (f->group_of[f->user[v]] != a && f->group_of[f->user[v]] != b && reaches(&s, f->user[v]))
          return true;
    }
  }
  return false;
}

/* Moves all nodes of group a to group b. */
static void join(gt_arena *arena, gt_fusion *f, int a, int b) {
  gt_group *from = &f->group[a], *to = &f->group[b];
  gt_id *node = GT_NEW_N(arena, gt_id, from->nodes + to->nodes);
  memcpy(node, from->node, sizeof *node * (size_t)from->nodes);
  memcpy(node + from->nodes, to->node, sizeof *node * (size_t)to->nodes);
  for (int i = 0; i < from->nodes; i++) f->group_of[from->node[i]] = b;
  to->node = node;
  to->nodes += from->nodes;
  from->nodes = 0;
}

/* A random graph of sums of recent or distant values, sometimes through reshapes. */
static gt_graph *random_graph(gt_arena *arena) {
  gt_graph *g = gt_graph_create(arena);
  gt_variable_read(g, gt_graph_variable(g, "x", gt_shape_2(2, 3), GT_F32, false));
  const uint32_t far = 1 + roll(NODES);
  while (g->count < NODES - 4) {
    gt_id x = g->count - 1 - roll(g->count < 6 ? g->count : 6),
          y = g->count - 1 - roll(g->count < far ? g->count : far);
    const int64_t rows = gt_node_at(g, x)->shape.dim[0];
    if (roll(5) == 0) x = gt_view(g, x, 0, gt_shape_2(rows == 2 ? 3 : 2, rows));
    y = gt_view(g, y, 0, gt_node_at(g, x)->shape);
    gt_add(g, x, y);
  }
  for (gt_id id = 0; id < g->count; id++) gt_graph_add_root(g, id);
  return g;
}

static void finds_paths_around_an_edge(void **state) {
  (void)state;
  int around = 0, joined = 0;
  for (int round = 0; round < 300; round++) {
    gt_arena arena;
    gt_error error = {0};
    gt_fusion f;
    gt_arena_init(&arena);
    const gt_graph *g = random_graph(&arena);
    const gt_plan_options options = {.no_fusion = true};
    assert_true(gt_fuse(&arena, g, &options, NULL, &f, &error));
    gt_group_order *order = gt_group_order_create(&arena, &f);
    for (int k = 0; k < 400; k++) {
      const gt_id id = roll(g->count);
      if (f.group_of[id] < 0) continue;
      const gt_node *node = gt_node_at(g, id);
      const gt_id p = f.origin[node->input[roll((uint32_t)node->inputs)]];
      const int a = f.group_of[p], b = f.group_of[id];
      if (a < 0 || a == b) continue;
      const bool want = naive_lead_around(&f, a, b);
      if (gt_group_order_has_other_path(order, a, b) != want)
        fail_msg("round %d: %s", round, want ? "not seen" : "seen");
      around += want;
      joined += !want;
      if (want) continue;
      gt_group_order_merge(order, a, b);
      join(&arena, &f, a, b);
    }
    gt_arena_finish(&arena);
  }
  assert_true(around > 1000 && joined > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sorts_in_rounds),         cmocka_unit_test(finds_a_cycle),
      cmocka_unit_test(finds_hazards),           cmocka_unit_test(finds_the_lowest_place),
      cmocka_unit_test(keeps_the_list_in_order), cmocka_unit_test(finds_paths_around_an_edge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
