/* Placement: which values are computed straight into a pack or a variable, and in which order groups run.
 * A value may replace a variable's contents in place only if everything else that reads the old contents can
 * run before; the order is therefore found together with the placement, over data edges and
 * read-before-overwrite edges. */
#include "base/memory.h"
#include "plan/internal.h"
#include <stdlib.h>

typedef struct edge {
  uint32_t from, to;
} edge;

typedef struct placing {
  gt_lowering *l;
  struct {
    edge *items;
    size_t count, capacity;
  } edges;
} placing;

static void add_edge(placing *p, uint32_t from, uint32_t to) {
  if (from != to) *GT_PUSH(&p->edges) = (edge){from, to};
}

/* Calls back for every item (group, or copy into a pack) whose work the value of `id` needs. */
static void producers(placing *p, gt_id id, uint32_t item) {
  gt_lowering *l = p->l;
  const gt_node *node = gt_node_at(l->graph, id);
  int group = l->fusion.group_of[id];
  if (group >= 0) {
    add_edge(p, (uint32_t)group, item);
    return;
  }
  for (size_t c = 0; c < l->copies.count; c++)
    if (l->copies.items[c].target == id) add_edge(p, (uint32_t)(l->fusion.groups + (int)c), item);
  for (int i = 0; i < node->inputs; i++) producers(p, node->input[i], item);
}

static void data_edges(placing *p) {
  gt_lowering *l = p->l;
  for (int g = 0; g < l->fusion.groups; g++) {
    const gt_group *group = &l->fusion.group[g];
    for (int n = 0; n < group->nodes; n++) {
      const gt_node *node = gt_node_at(l->graph, group->node[n]);
      for (int i = 0; i < node->inputs; i++) producers(p, node->input[i], (uint32_t)g);
    }
  }
  for (size_t c = 0; c < l->copies.count; c++)
    producers(p, l->copies.items[c].source, (uint32_t)l->fusion.groups + (uint32_t)c);
}

/* Packs: an input that a group computes, and that lies nowhere else yet, is computed straight into its part.
 */
static void place_packs(gt_lowering *l) {
  for (gt_id id = 0; id < l->graph->count; id++) {
    const gt_node *node = gt_node_at(l->graph, id);
    if (!l->fusion.live[id] || node->op->kind != GT_OP_PACK) continue;
    for (int i = 0; i < node->inputs; i++) {
      int64_t offset = gt_pack_offset(l->graph, id, i);
      gt_id q = gt_fuse_resolve(l->graph, node->input[i]);
      if (l->fusion.group_of[q] >= 0 && !l->place[q].placed)
        l->place[q] = (gt_place){true, false, id, (uint64_t)offset * 4};
      else
        *GT_PUSH(&l->copies) = (gt_copy){node->input[i], id, offset};
    }
  }
}

/* A value that begins as another is computed where that lies, if it is the only one to read it. */
static void place_beginnings(gt_lowering *l) {
  const gt_fusion *f = &l->fusion;
  for (gt_id id = 0; id < l->graph->count; id++) {
    const gt_node *node = gt_node_at(l->graph, id);
    if (!f->live[id] || !node->op->begins_as) continue;
    const gt_id q = node->input[node->op->begins_as - 1];
    if (f->group_of[q] >= 0 && !l->place[q].placed && !f->kept[q] &&
        f->user_start[q + 1] - f->user_start[q] == 1)
      l->place[q] = (gt_place){true, false, id, 0};
  }
}

static bool overlaps(gt_location a, gt_location b) {
  return a.variable == b.variable && a.id == b.id && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

/* Does the group read the range other than element by element at the very place it writes? */
static bool group_reads(const gt_lowering *l, const gt_group *group, gt_location range, bool *same_only) {
  bool reads = false;
  *same_only = true;
  for (int n = 0; n < group->nodes; n++) {
    const gt_node *node = gt_node_at(l->graph, group->node[n]);
    for (int i = 0; i < node->inputs; i++) {
      gt_location at = gt_plan_locate_node(l, node->input[i]);
      if (!at.variable || !overlaps(at, range)) continue;
      reads = true;
      bool exact = at.offset == range.offset && at.bytes == range.bytes;
      *same_only &= exact && group->node[n] != group->leader &&
                    (uint64_t)gt_shape_count(group->shape) * 4 == range.bytes;
    }
  }
  return reads;
}

/* Groups that write the value of q: its own and that of what it begins as, or those of a pack's inputs. */
static void mark_writers(const gt_lowering *l, gt_id q, bool *writer) {
  const gt_node *node = gt_node_at(l->graph, q);
  if (l->fusion.group_of[q] >= 0) {
    writer[l->fusion.group_of[q]] = true;
    const gt_id first = node->op->begins_as ? node->input[node->op->begins_as - 1] : q;
    if (first != q && l->place[first].placed && !l->place[first].variable && l->place[first].into == q)
      mark_writers(l, first, writer);
    return;
  }
  for (int i = 0; i < node->inputs; i++) mark_writers(l, gt_fuse_resolve(l->graph, node->input[i]), writer);
}

static bool reachable(const placing *p, uint32_t from, uint32_t to, bool *seen) {
  if (from == to) return true;
  if (seen[from]) return false;
  seen[from] = true;
  for (size_t e = 0; e < p->edges.count; e++)
    if (p->edges.items[e].from == from && reachable(p, p->edges.items[e].to, to, seen)) return true;
  return false;
}

static bool can_reach(const placing *p, uint32_t from, uint32_t to) {
  bool *seen = gt_alloc((size_t)p->l->fusion.groups + p->l->copies.count + 1);
  bool found = reachable(p, from, to, seen);
  free(seen);
  return found;
}

/* Orders every reader of the range before every writer; false, with nothing changed, if that closes a circle.
 */
static bool order_readers_first(placing *p, gt_location range, const bool *writer) {
  gt_lowering *l = p->l;
  size_t before = p->edges.count;
  for (int g = 0; g < l->fusion.groups; g++) {
    bool same_only;
    if (!l->fusion.group[g].nodes || !group_reads(l, &l->fusion.group[g], range, &same_only)) continue;
    for (int w = 0; w < l->fusion.groups; w++) {
      if (!writer[w]) continue;
      if (w == g ? !same_only : can_reach(p, (uint32_t)w, (uint32_t)g)) {
        p->edges.count = before;
        return false;
      }
      add_edge(p, (uint32_t)g, (uint32_t)w);
    }
  }
  for (size_t c = 0; c < l->copies.count; c++) {
    gt_location at = gt_plan_locate_node(l, l->copies.items[c].source);
    if (!at.variable || !overlaps(at, range)) continue;
    for (int w = 0; w < l->fusion.groups; w++)
      if (writer[w]) add_edge(p, (uint32_t)l->fusion.groups + (uint32_t)c, (uint32_t)w);
  }
  return true;
}

static gt_location assign_range(const gt_graph *graph, const gt_node *assign) {
  const gt_assign_attribute *a = assign->attribute;
  return (gt_location){true, a->variable, (uint64_t)a->offset * 4,
                       (uint64_t)gt_shape_count(gt_node_at(graph, assign->input[0])->shape) * 4};
}

static bool try_in_place(placing *p, gt_id id) {
  gt_lowering *l = p->l;
  const gt_node *node = gt_node_at(l->graph, id);
  gt_id q = gt_fuse_resolve(l->graph, node->input[0]);
  bool pack = gt_node_at(l->graph, q)->op->kind == GT_OP_PACK;
  if (l->place[q].placed || (l->fusion.group_of[q] < 0 && !pack) || l->fusion.kept[q]) return false;
  bool *writer = gt_alloc((size_t)l->fusion.groups + 1);
  mark_writers(l, q, writer);
  gt_location range = assign_range(l->graph, node);
  bool fits = order_readers_first(p, range, writer);
  if (fits) l->place[q] = (gt_place){true, true, range.id, range.offset};
  free(writer);
  return fits;
}

static uint32_t copy_item(const gt_lowering *l, size_t copy) {
  return (uint32_t)l->fusion.groups + (uint32_t)copy;
}

/* Orders a copy into a variable after its source and after all who read the variable's old contents. */
static void order_copy(placing *p, size_t copy) {
  gt_lowering *l = p->l;
  const gt_copy *c = &l->copies.items[copy];
  if (!c->from_saved) producers(p, c->source, copy_item(l, copy));
  if (c->to_saved) return;
  if (c->from_saved) add_edge(p, copy_item(l, copy - 1), copy_item(l, copy));
  gt_location range = assign_range(l->graph, gt_node_at(l->graph, c->target));
  for (int g = 0; g < l->fusion.groups; g++) {
    bool same_only;
    if (group_reads(l, &l->fusion.group[g], range, &same_only)) add_edge(p, (uint32_t)g, copy_item(l, copy));
  }
  for (size_t d = 0; d < l->copies.count; d++) {
    gt_location source = gt_plan_locate_node(l, l->copies.items[d].source);
    if (!l->copies.items[d].from_saved && source.variable && overlaps(source, range))
      add_edge(p, copy_item(l, d), copy_item(l, copy));
  }
}

/* Whatever cannot be computed in place is copied at the end. A variable's contents that go to another
 * variable are saved first, since that other's may go the opposite way. */
static void place_assigns(placing *p) {
  gt_lowering *l = p->l;
  size_t copied = l->copies.count;
  for (gt_id id = 0; id < l->graph->count; id++) {
    const gt_node *node = gt_node_at(l->graph, id);
    if (!l->fusion.live[id] || node->op->kind != GT_OP_ASSIGN || try_in_place(p, id)) continue;
    gt_location range = assign_range(l->graph, node);
    l->place[id] = (gt_place){true, true, range.id, range.offset};
    bool save = gt_plan_locate_node(l, node->input[0]).variable;
    if (save) *GT_PUSH(&l->copies) = (gt_copy){node->input[0], id, 0, ++l->saved, 0};
    *GT_PUSH(&l->copies) = (gt_copy){node->input[0], id, 0, 0, save ? l->saved : 0};
  }
  for (size_t c = copied; c < l->copies.count; c++) order_copy(p, c);
}

/* Kahn's algorithm, always taking the item that stands first in the graph. */
static bool order_items(placing *p, gt_error *error) {
  gt_lowering *l = p->l;
  uint32_t items = (uint32_t)l->fusion.groups + (uint32_t)l->copies.count, live = 0;
  uint32_t *waiting = gt_alloc(sizeof *waiting * (items + 1));
  bool *done = gt_alloc(items + 1);
  for (size_t e = 0; e < p->edges.count; e++) waiting[p->edges.items[e].to]++;
  for (uint32_t i = 0; i < items; i++) {
    done[i] = i < (uint32_t)l->fusion.groups && !l->fusion.group[i].nodes;
    live += !done[i];
  }
  l->order = GT_NEW_N(l->arena, uint32_t, items + 1);
  for (bool progress = true; progress;) {
    progress = false;
    for (uint32_t i = 0; i < items; i++) {
      if (done[i] || waiting[i]) continue;
      done[i] = progress = true;
      l->order[l->ordered++] = i;
      for (size_t e = 0; e < p->edges.count; e++)
        if (p->edges.items[e].from == i) waiting[p->edges.items[e].to]--;
    }
  }
  free(waiting);
  free(done);
  return l->ordered == live ||
         gt_fail(error, GT_ERR_INTERNAL, "the plan has a circle: %u of %u items ordered", l->ordered, live);
}

bool gt_plan_place(gt_lowering *l, gt_error *error) {
  placing p = {.l = l};
  place_packs(l);
  place_beginnings(l);
  data_edges(&p);
  place_assigns(&p);
  bool ok = order_items(&p, error);
  free(p.edges.items);
  return ok;
}
