/* Placement: decides which values are computed directly in the memory of a pack or a variable, and the order
 * of items (groups and copies). A value may overwrite a variable in place only if all other readers of its
 * old content can run before. The order is therefore computed together with the placement, from two kinds of
 * edges: from producers to consumers, and from readers of the old content to its writers. */
#include "base/memory.h"
#include "plan/internal.h"
#include "plan/order.h"
#include "plan/readers.h"
#include <stdlib.h>

typedef struct placing {
  gt_layout *l;
  gt_order order;
  gt_readers readers;
  uint32_t *copies;   /* per node: 1 + the first copy into it, or 0; the copies into a node are consecutive */
  uint32_t *from;     /* per node: 1 + the last copy made from it, or 0 */
  uint32_t *previous; /* per copy: 1 + the previous copy from the same node, or 0 */
  uint32_t *relay; /* per node: for a pack the relay of its producers, for an assign that of its copy; or 0 */
  uint32_t relays;
  uint32_t *written; /* the items that write the current value, `writers` of them */
  uint32_t writers;
  struct {
    uint32_t *items;
    size_t count, capacity;
  } reading;      /* items that read the memory that the current value overwrites */
  bool *writes;   /* per item and relay: whether it is in `written` */
  bool by_result; /* the current value is, or contains, a further result, which its kernel may write at any
                   * time */
} placing;

/* --- data dependencies ---------------------------------------------------------------------------------- */

static uint32_t copy_item(const gt_layout *l, size_t copy) {
  return (uint32_t)l->fusion.groups + (uint32_t)copy;
}

/* Adds edges to `item` from every item (group, or copy into a pack) that the value of `id` depends on. A pack
 * may have many parts and many consumers, so a relay connects them. */
static void add_producer_edges(placing *p, gt_id id, uint32_t item) {
  gt_layout *l = p->l;
  id = l->fusion.origin[id];
  const gt_node *node = gt_node_at(l->graph, id);
  const int group = gt_fusion_maker(&l->fusion, id);
  if (group >= 0) {
    gt_order_add_edge(&p->order, (uint32_t)group, item);
    return;
  }
  if (node->op->kind == GT_OP_PACK) {
    const bool known = p->relay[id];
    if (!known) p->relay[id] = p->order.items + p->relays++;
    gt_order_add_edge(&p->order, p->relay[id], item);
    if (known) return;
    item = p->relay[id];
  }
  for (size_t c = p->copies[id]; c && c <= l->copies.count && l->copies.items[c - 1].target == id; c++)
    gt_order_add_edge(&p->order, copy_item(l, c - 1), item);
  for (int i = 0; i < node->inputs; i++) add_producer_edges(p, node->input[i], item);
}

static void add_data_edges(placing *p) {
  gt_layout *l = p->l;
  for (int g = 0; g < l->fusion.groups; g++) {
    const gt_group *group = &l->fusion.group[g];
    for (int n = 0; n < group->nodes; n++) {
      const gt_node *node = gt_node_at(l->graph, group->node[n]);
      for (int i = 0; i < node->inputs; i++) add_producer_edges(p, node->input[i], (uint32_t)g);
    }
  }
  for (size_t c = 0; c < l->copies.count; c++)
    add_producer_edges(p, l->copies.items[c].source, copy_item(l, c));
}

/* Adds a copy, and links it to the other copies from the same node. */
static void add_copy(placing *p, gt_value_copy copy) {
  *GT_PUSH(&p->l->copies) = copy;
  const uint32_t number = (uint32_t)p->l->copies.count;
  p->previous[number - 1] = p->from[copy.source];
  p->from[copy.source] = number;
}

/* True if the parts of a pack are adjacent in a variable, in the same order, for example parameters. Then
 * places the pack there. */
static bool parts_are_adjacent(gt_layout *l, gt_id id) {
  const gt_node *node = gt_node_at(l->graph, id);
  const size_t size = gt_dtype_size(node->dtype);
  const gt_location first = gt_plan_locate_node(l, node->input[0]);
  if (!first.variable || l->fusion.kept[id] || gt_pack_has_gaps(l->graph, id)) return false;
  for (int i = 1; i < node->inputs; i++) {
    const gt_location part = gt_plan_locate_node(l, node->input[i]);
    const uint64_t offset = first.offset + (uint64_t)gt_pack_offset(l->graph, id, i) * size;
    if (!part.variable || part.id != first.id || part.offset != offset) return false;
  }
  l->place[id] = (gt_place){true, true, first.id, first.offset};
  return true;
}

/* Packs: an input that a group computes, and that is not placed yet, is computed directly into its part. */
static void place_packs(placing *p) {
  gt_layout *l = p->l;
  for (gt_id id = 0; id < l->graph->count; id++) {
    const gt_node *node = gt_node_at(l->graph, id);
    if (!l->fusion.live[id] || node->op->kind != GT_OP_PACK || parts_are_adjacent(l, id)) continue;
    const size_t before = l->copies.count, size = gt_dtype_size(node->dtype);
    for (int i = 0; i < node->inputs; i++) {
      int64_t offset = gt_pack_offset(l->graph, id, i);
      gt_id q = l->fusion.origin[node->input[i]];
      if (gt_fusion_maker(&l->fusion, q) >= 0 && !l->place[q].placed)
        l->place[q] = (gt_place){true, false, id, (uint64_t)offset * size};
      else
        add_copy(p, (gt_value_copy){node->input[i], id, offset});
    }
    if (l->copies.count > before) p->copies[id] = (uint32_t)before + 1;
  }
}

/* True if only one node reads the value; further results of its op are different values. */
static bool has_one_consumer(const gt_fusion *f, gt_id value) {
  int consumers = 0;
  for (uint32_t u = f->user_start[value]; u < f->user_start[value + 1]; u++)
    consumers += gt_node_at(f->graph, f->user[u])->op->kind != GT_OP_RESULT;
  return consumers == 1;
}

/* Places an initial value (gt_op.begins_as) in the memory of the value that starts from it, if nothing else
 * reads it. */
static void place_initial_values(gt_layout *l) {
  const gt_fusion *f = &l->fusion;
  for (gt_id id = 0; id < l->graph->count; id++) {
    const gt_node *node = gt_node_at(l->graph, id);
    if (!f->live[id] || !node->op->begins_as) continue;
    const gt_id q = node->input[node->op->begins_as - 1];
    if (gt_fusion_maker(f, q) >= 0 && !l->place[q].placed && !f->kept[q] && has_one_consumer(f, q))
      l->place[q] = (gt_place){true, false, id, 0};
  }
}

static gt_location assign_range(const gt_graph *graph, const gt_node *assign) {
  const gt_assign_attribute *a = assign->attribute;
  const size_t size = gt_dtype_size(gt_node_at(graph, assign->input[0])->dtype);
  return (gt_location){true, a->variable, (uint64_t)a->offset * size, gt_node_bytes(graph, assign->input[0])};
}

/* --- readers of variables ------------------------------------------------------------------------------- */

/* True if the group reads each element (in a row program, each row) of the range just before it overwrites
 * it. */
static bool reads_in_place(const placing *p, const gt_reader *r, gt_location range) {
  const gt_group *group = &p->l->fusion.group[r->item];
  const uint64_t bytes = (uint64_t)gt_shape_count(group->shape) * sizeof(float);
  return r->element && !p->by_result && r->offset == range.offset && r->bytes == range.bytes &&
         (bytes == range.bytes || (group->width && bytes / group->width == range.bytes));
}

/* True if node `user` of a group reads input `id` element by element; in a row program, as a per-element
 * input, or to reduce a row before that row is written. */
static bool reads_elements(const gt_layout *l, const gt_group *group, gt_id user, gt_id id) {
  const gt_node *node = gt_node_at(l->graph, user);
  if (user == group->leader || gt_group_follows(group, user)) return false;
  return !group->width || node->op->row ||
         gt_shape_count(gt_node_at(l->graph, id)->shape) == gt_shape_count(node->shape);
}

static void record_reader(placing *p, gt_id user, gt_id id);

/* The consumers of a value that is not computed, also through reshapes, read `id` instead. */
static void record_readers_through(placing *p, gt_id value, gt_id id) {
  const gt_fusion *f = &p->l->fusion;
  for (uint32_t u = f->user_start[value]; u < f->user_start[value + 1]; u++) {
    if (f->group_of[f->user[u]] >= 0)
      record_reader(p, f->user[u], id);
    else
      record_readers_through(p, f->user[u], id);
  }
}

/* Records that node `user` of a group reads a variable, if input `id` is in one. */
static void record_reader(placing *p, gt_id user, gt_id id) {
  gt_layout *l = p->l;
  const gt_location at = gt_plan_locate_node(l, id);
  const int group = l->fusion.group_of[user];
  if (!at.variable) return;
  if (gt_plan_is_left_out(l, user)) {
    record_readers_through(p, user, id);
    return;
  }
  const bool element = reads_elements(l, &l->fusion.group[group], user, id);
  gt_readers_add(&p->readers, at.id, (gt_reader){(uint32_t)group, at.offset, at.bytes, element});
}

/* Records that a copy reads a variable, if its source is in one. */
static void record_copy(placing *p, size_t copy) {
  const gt_location at = gt_plan_locate_node(p->l, p->l->copies.items[copy].source);
  if (at.variable && !p->l->copies.items[copy].from_saved)
    gt_readers_add(&p->readers, at.id, (gt_reader){copy_item(p->l, copy), at.offset, at.bytes, false});
}

/* The initial value of q if it is computed in the memory of q, otherwise q. */
static gt_id initial_value(const gt_layout *l, gt_id q) {
  const gt_node *node = gt_node_at(l->graph, q);
  const gt_id first = node->op->begins_as ? node->input[node->op->begins_as - 1] : q;
  return l->place[first].placed && !l->place[first].variable && l->place[first].into == q ? first : q;
}

/* Records that the consumers of q, which has been placed in a variable, read that variable. */
static void record_readers(placing *p, gt_id q) {
  gt_layout *l = p->l;
  const gt_fusion *f = &l->fusion;
  for (uint32_t c = p->from[q]; c; c = p->previous[c - 1]) record_copy(p, c - 1);
  for (uint32_t u = f->user_start[q]; u < f->user_start[q + 1]; u++) {
    const gt_id user = f->user[u];
    if (f->group_of[user] >= 0)
      record_reader(p, user, q);
    else if (gt_node_at(l->graph, user)->op->kind == GT_OP_VIEW)
      record_readers(p, user);
  }
  if (initial_value(l, q) != q) record_readers(p, initial_value(l, q));
  const gt_node *node = gt_node_at(l->graph, q);
  if (node->op->kind != GT_OP_PACK) return;
  for (int i = 0; i < node->inputs; i++) {
    const gt_id part = f->origin[node->input[i]];
    if (l->place[part].placed && !l->place[part].variable && l->place[part].into == q)
      record_readers(p, part);
  }
}

/* An assign of the content of another variable becomes a copy, which must read that variable before it is
 * overwritten. A relay represents the copy until it is created. */
static void declare_copy(placing *p, gt_id assign) {
  const gt_location at = gt_plan_locate_node(p->l, gt_node_at(p->l->graph, assign)->input[0]);
  if (!at.variable) return;
  p->relay[assign] = p->order.items + p->relays++;
  gt_readers_add(&p->readers, at.id, (gt_reader){p->relay[assign], at.offset, at.bytes, false});
}

static bool is_assign(const gt_layout *l, gt_id id) {
  return l->fusion.live[id] && gt_node_at(l->graph, id)->op->kind == GT_OP_ASSIGN;
}

static void find_readers(placing *p) {
  const gt_graph *graph = p->l->graph;
  for (gt_id id = 0; id < graph->count; id++)
    if (is_assign(p->l, id)) gt_readers_expect(&p->readers, assign_range(graph, gt_node_at(graph, id)));
  gt_readers_ready(&p->readers);
  for (gt_id id = 0; id < graph->count; id++)
    if (is_assign(p->l, id)) declare_copy(p, id);
  const gt_fusion *f = &p->l->fusion;
  for (int g = 0; g < f->groups; g++)
    for (int n = 0; n < f->group[g].nodes; n++) {
      const gt_node *node = gt_node_at(graph, f->group[g].node[n]);
      for (int i = 0; i < node->inputs; i++) record_reader(p, f->group[g].node[n], node->input[i]);
    }
  for (size_t c = 0; c < p->l->copies.count; c++) record_copy(p, c);
}

/* --- assigns -------------------------------------------------------------------------------------------- */

static void list_writer(placing *p, uint32_t item) {
  if (!p->writes[item]) p->written[p->writers++] = item;
  p->writes[item] = true;
}

/* Lists the items that write the value of q: its own group and that of its initial value, or those of the
 * inputs of a pack. */
static void list_writers(placing *p, gt_id q) {
  gt_layout *l = p->l;
  const gt_node *node = gt_node_at(l->graph, q);
  const int group = gt_fusion_maker(&l->fusion, q);
  if (group >= 0) {
    list_writer(p, (uint32_t)group);
    p->by_result |= node->op->kind == GT_OP_RESULT;
    if (initial_value(l, q) != q) list_writers(p, initial_value(l, q));
    return;
  }
  for (int i = 0; i < node->inputs; i++) list_writers(p, l->fusion.origin[node->input[i]]);
}

/* Adds the copies into a pack. */
static void list_copies(placing *p, gt_id q) {
  const gt_layout *l = p->l;
  for (size_t c = p->copies[q]; c && c <= l->copies.count && l->copies.items[c - 1].target == q; c++)
    list_writer(p, copy_item(l, c - 1));
}

static void clear_writers(placing *p) {
  while (p->writers) p->writes[p->written[--p->writers]] = false;
  p->by_result = false;
}

/* Adds edges from each reader to each writer; through a relay if both are many. */
static void order_before_writers(placing *p) {
  const uint32_t *before = p->reading.items;
  const size_t count = p->reading.count;
  if (count > 2 && p->writers > 2) {
    const uint32_t relay = p->order.items + p->relays++;
    for (size_t i = 0; i < count; i++) gt_order_add_edge(&p->order, before[i], relay);
    for (uint32_t k = 0; k < p->writers; k++) gt_order_add_edge(&p->order, relay, p->written[k]);
    return;
  }
  for (size_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < p->writers; k++) gt_order_add_edge(&p->order, before[i], p->written[k]);
}

/* The same if some items both read and write. False if a pair would create a cycle. */
static bool order_pairs(placing *p) {
  const size_t before = p->order.edges.count;
  for (size_t i = 0; i < p->reading.count; i++)
    for (uint32_t k = 0; k < p->writers; k++) {
      const uint32_t *r = &p->reading.items[i], *w = &p->written[k];
      if (*r == *w) continue;
      if (gt_order_reaches(&p->order, w, 1, r, 1)) {
        gt_order_cut(&p->order, before);
        return false;
      }
      gt_order_add_edge(&p->order, *r, *w);
    }
  return true;
}

/* True if an item that reads and writes the range does not overwrite elements that other items still read. */
static bool stays_in_place(const placing *p, const gt_reader *r, gt_location range) {
  const gt_layout *l = p->l;
  if (r->item < (uint32_t)l->fusion.groups) return reads_in_place(p, r, range);
  const gt_value_copy *c = &l->copies.items[r->item - (uint32_t)l->fusion.groups];
  return r->offset ==
         range.offset + (uint64_t)c->offset * gt_dtype_size(gt_node_at(l->graph, c->source)->dtype);
}

/* Orders every reader of the range before every writer; false, with nothing changed, if that would create a
 * cycle. */
static bool order_readers_first(placing *p, gt_location range) {
  bool reads_and_writes = false;
  p->reading.count = 0;
  gt_readers_find(&p->readers, range);
  for (size_t i = 0; i < p->readers.found.count; i++) {
    const gt_reader *r = &p->readers.all.items[p->readers.found.items[i]];
    if (p->writes[r->item]) {
      if (!stays_in_place(p, r, range)) return false;
      reads_and_writes = true;
      if (p->writers == 1) continue;
    }
    *GT_PUSH(&p->reading) = r->item;
  }
  if (reads_and_writes && p->writers > 1) return order_pairs(p);
  if (gt_order_reaches(&p->order, p->written, p->writers, p->reading.items, p->reading.count)) return false;
  order_before_writers(p);
  return true;
}

static bool try_in_place(placing *p, gt_id id) {
  gt_layout *l = p->l;
  const gt_node *node = gt_node_at(l->graph, id);
  gt_id q = l->fusion.origin[node->input[0]];
  bool pack = gt_node_at(l->graph, q)->op->kind == GT_OP_PACK;
  if (l->place[q].placed || (gt_fusion_maker(&l->fusion, q) < 0 && !pack) || l->fusion.kept[q]) return false;
  list_writers(p, q);
  if (pack) list_copies(p, q);
  const gt_location range = assign_range(l->graph, node);
  const bool fits = order_readers_first(p, range);
  if (fits) {
    l->place[q] = (gt_place){true, true, range.id, range.offset};
    record_readers(p, q);
  }
  clear_writers(p);
  return fits;
}

/* Orders a copy into a variable after its source and after all readers of the variable's old content. */
static void order_copy(placing *p, size_t copy) {
  gt_layout *l = p->l;
  const gt_value_copy *c = &l->copies.items[copy];
  if (!c->from_saved) add_producer_edges(p, c->source, copy_item(l, copy));
  if (c->to_saved) return;
  if (c->from_saved) gt_order_add_edge(&p->order, copy_item(l, copy - 1), copy_item(l, copy));
  gt_location range = assign_range(l->graph, gt_node_at(l->graph, c->target));
  gt_readers_find(&p->readers, range);
  for (size_t i = 0; i < p->readers.found.count; i++) {
    const uint32_t item = p->readers.all.items[p->readers.found.items[i]].item;
    gt_order_add_edge(&p->order, item, copy_item(l, copy));
  }
}

/* Values that cannot be computed in place are copied at the end. If the content of a variable is assigned to
 * another variable, it is saved first, because the two may be exchanged. */
static void place_assigns(placing *p) {
  gt_layout *l = p->l;
  size_t first_copy = l->copies.count;
  for (gt_id id = 0; id < l->graph->count; id++) {
    const gt_node *node = gt_node_at(l->graph, id);
    if (!is_assign(l, id) || try_in_place(p, id)) continue;
    gt_location range = assign_range(l->graph, node);
    l->place[id] = (gt_place){true, true, range.id, range.offset};
    record_readers(p, id);
    p->copies[id] = (uint32_t)l->copies.count + 1;
    bool saves = gt_plan_locate_node(l, node->input[0]).variable;
    if (saves) add_copy(p, (gt_value_copy){node->input[0], id, 0, ++l->saved, 0});
    add_copy(p, (gt_value_copy){node->input[0], id, 0, 0, saves ? l->saved : 0});
    const size_t first = p->copies[id] - 1;
    if (p->relay[id]) gt_order_add_edge(&p->order, copy_item(l, first), p->relay[id]);
    for (size_t c = first; c < l->copies.count && !p->relay[id]; c++) record_copy(p, c);
  }
  for (size_t c = first_copy; c < l->copies.count; c++) order_copy(p, c);
}

/* The maximum number of copies: one per part of a pack, and two per assign (one saves the value). Sets
 * *relays to the maximum number of relays: one per pack and two per assign. */
static uint32_t max_copies(const gt_layout *l, uint32_t *relays) {
  uint32_t most = 0;
  for (gt_id id = 0; id < l->graph->count; id++) {
    const gt_node *node = gt_node_at(l->graph, id);
    if (!l->fusion.live[id]) continue;
    if (node->op->kind == GT_OP_PACK) most += (uint32_t)node->inputs, *relays += 1;
    if (node->op->kind == GT_OP_ASSIGN) most += 2, *relays += 2;
  }
  return most;
}

static bool order_items(placing *p, gt_error *error) {
  gt_layout *l = p->l;
  uint32_t live = 0;
  bool *absent = gt_alloc(p->order.items + 1);
  for (uint32_t i = 0; i < p->order.items; i++) {
    absent[i] =
        i < (uint32_t)l->fusion.groups ? !l->fusion.group[i].nodes : i >= copy_item(l, l->copies.count);
    live += !absent[i];
  }
  l->order = GT_NEW_N(l->arena, uint32_t, live + 1);
  l->ordered = gt_order_sort(&p->order, absent, l->order);
  free(absent);
  return l->ordered == live ||
         gt_fail(error, GT_ERR_INTERNAL, "the plan has a cycle: only %u of %u items are ordered", l->ordered,
                 live);
}

bool gt_plan_place(gt_layout *l, gt_error *error) {
  placing p = {.l = l};
  const uint32_t groups = (uint32_t)l->fusion.groups;
  uint32_t relays = 0;
  const uint32_t copies = max_copies(l, &relays);
  gt_order_init(&p.order, groups + copies, relays);
  gt_readers_init(&p.readers, l->graph->variables);
  p.copies = gt_alloc(sizeof *p.copies * (l->graph->count + 1));
  p.from = gt_alloc(sizeof *p.from * (l->graph->count + 1));
  p.previous = gt_alloc(sizeof *p.previous * ((size_t)copies + 1));
  p.relay = gt_alloc(sizeof *p.relay * (l->graph->count + 1));
  p.written = gt_alloc(sizeof *p.written * ((size_t)groups + copies + 1));
  p.writes = gt_alloc(sizeof *p.writes * ((size_t)groups + copies + relays + 1));
  place_packs(&p);
  place_initial_values(l);
  add_data_edges(&p);
  gt_plan_find_checks(l, &p.order);
  find_readers(&p);
  place_assigns(&p);
  const bool ok = order_items(&p, error);
  gt_order_finish(&p.order);
  gt_readers_finish(&p.readers);
  free(p.reading.items);
  free(p.copies);
  free(p.from);
  free(p.previous);
  free(p.relay);
  free(p.written);
  free(p.writes);
  return ok;
}
