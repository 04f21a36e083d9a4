#include "layer/kan/kan_symbolic.h"
#include "base/memory.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/gather.h"
#include "op/move.h"
#include <stdlib.h>
#include <string.h>

const char *const gt_kan_symbolic_names[] = {"symbolic_scale_in", "symbolic_shift_in", "symbolic_scale_out",
                                             "symbolic_shift_out"};

/* --- the setting ---------------------------------------------------------------------------------------- */

static bool refuse(gt_build *build, gt_position at, const char *what, const char *expected) {
  build->errors++;
  return gt_refuse(build->diagnostics, at, expected, "layer '%s' %s", build->name, what);
}

/* Reads the number of an input or output. */
static bool read_number(gt_build *build, const gt_spec *node, const char *what, int64_t count, int *out) {
  int64_t value;
  if (!gt_spec_int(node, &value) || value < 0 || value >= count)
    return refuse(build, node->at, gt_arena_printf(build->arena, "has no such %s", what),
                  gt_arena_printf(build->arena, "a number from 0 to %lld", (long long)count - 1));
  *out = (int)value;
  return true;
}

static bool read_edge(gt_build *build, const gt_spec *item, int64_t inputs, int64_t units,
                      gt_kan_symbolic_edge *edge) {
  if (item->kind != GT_SPEC_SEQUENCE || item->count != 3 || item->child[2]->kind != GT_SPEC_SCALAR)
    return refuse(build, item->at, "has an invalid edge in 'symbolic'",
                  "[input, output, function], such as [0, 0, sin]");
  const gt_spec *name = item->child[2];
  if (!read_number(build, item->child[0], "input", inputs, &edge->from) ||
      !read_number(build, item->child[1], "output", units, &edge->to))
    return false;
  edge->function = gt_symbol_find(name->scalar);
  if (edge->function) return true;
  refuse(build, name->at, gt_arena_printf(build->arena, "has an unknown function '%s'", name->scalar),
         gt_arena_printf(build->arena, "one of %s", gt_symbol_names(build->arena)));
  build->diagnostics->items[build->diagnostics->count - 1].suggestion = gt_symbol_nearest(name->scalar);
  return false;
}

typedef struct sorted_edge { /* an edge and its index in the list */
  int from, to, index;
} sorted_edge;

static int compare(const void *a, const void *b) {
  const sorted_edge *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  if (x->to != y->to) return x->to < y->to ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

static sorted_edge *sort_edges(const gt_kan_symbolic *symbolic) {
  sorted_edge *list = gt_alloc(((size_t)symbolic->edges + 1) * sizeof *list);
  for (int e = 0; e < symbolic->edges; e++)
    list[e] = (sorted_edge){symbolic->edge[e].from, symbolic->edge[e].to, e};
  qsort(list, (size_t)symbolic->edges, sizeof *list, compare);
  return list;
}

static bool check_duplicates(gt_build *build, const gt_spec *setting, const gt_kan_symbolic *symbolic) {
  sorted_edge *list = sort_edges(symbolic);
  int duplicate = -1;
  for (int e = 1; e < symbolic->edges && duplicate < 0; e++)
    if (list[e].from == list[e - 1].from && list[e].to == list[e - 1].to) duplicate = list[e].index;
  free(list);
  return duplicate < 0 || refuse(build, setting->child[duplicate]->at, "lists this edge twice in 'symbolic'",
                                 "each edge once");
}

bool gt_kan_symbolic_read(gt_build *build, const gt_spec *setting, int64_t inputs, int64_t units,
                          gt_kan_symbolic *out) {
  *out = (gt_kan_symbolic){0};
  if (gt_spec_is_null(setting)) return true;
  if (setting->kind != GT_SPEC_SEQUENCE)
    return refuse(build, setting->at, "needs a list of edges in 'symbolic'", "a list such as [[0, 0, sin]]");
  gt_kan_symbolic_edge *edge = GT_NEW_N(build->arena, gt_kan_symbolic_edge, setting->count + 1);
  bool ok = true;
  for (int e = 0; e < setting->count; e++)
    ok = read_edge(build, setting->child[e], inputs, units, &edge[e]) && ok;
  *out = (gt_kan_symbolic){edge, setting->count};
  return ok && check_duplicates(build, setting, out);
}

gt_spec *gt_kan_symbolic_setting(gt_arena *arena, const gt_kan_symbolic *symbolic) {
  gt_spec *list = gt_spec_new(arena, GT_SPEC_SEQUENCE);
  for (int e = 0; e < symbolic->edges; e++) {
    const gt_kan_symbolic_edge *edge = &symbolic->edge[e];
    gt_spec *item = gt_spec_add(arena, list, NULL, gt_spec_new(arena, GT_SPEC_SEQUENCE));
    gt_spec_add(arena, item, NULL, gt_spec_text(arena, gt_arena_printf(arena, "%d", edge->from)));
    gt_spec_add(arena, item, NULL, gt_spec_text(arena, gt_arena_printf(arena, "%d", edge->to)));
    gt_spec_add(arena, item, NULL, gt_spec_text(arena, edge->function->name));
  }
  return list;
}

/* --- gathering and scattering rows ---------------------------------------------------------------------- */

/* The inputs of all edges, or their outputs. */
typedef struct edge_ends {
  gt_id index; /* I32 [edges]: the index of each edge's input or output */
  gt_id order; /* I32 [2, edges]: these indices in ascending order, and their edges (gt_gather_sum_ordered) */
  int64_t rows; /* number of inputs or outputs of the layer */
} edge_ends;

static edge_ends read_ends(gt_build *build, const gt_kan_symbolic *symbolic, int64_t rows, bool outputs) {
  const int n = symbolic->edges;
  int32_t *index = GT_NEW_N(build->arena, int32_t, n), *order = GT_NEW_N(build->arena, int32_t, 2 * n);
  sorted_edge *list = gt_alloc(((size_t)n + 1) * sizeof *list);
  for (int e = 0; e < n; e++) {
    index[e] = outputs ? symbolic->edge[e].to : symbolic->edge[e].from;
    list[e] = (sorted_edge){index[e], 0, e};
  }
  qsort(list, (size_t)n, sizeof *list, compare);
  for (int e = 0; e < n; e++) {
    order[e] = list[e].from;
    order[n + e] = list[e].index;
  }
  free(list);
  return (edge_ends){
      gt_build_derived(build, outputs ? "symbolic_outputs" : "symbolic_inputs", gt_shape_1(n), index),
      gt_build_derived(build, outputs ? "symbolic_output_order" : "symbolic_input_order", gt_shape_2(2, n),
                       order),
      rows};
}

/* Gathering rows and scatter-adding rows are each other's gradients, so both can be differentiated any number
 * of times. */
typedef struct row_move {
  gt_id input;
  edge_ends ends;
  bool adds; /* scatter-add, not gather */
  gt_derivative derivative;
} row_move;

static gt_id move_rows(gt_graph *graph, gt_id x, edge_ends ends, bool adds);

static void move_rows_gradient(gt_graph *graph, const gt_derivative *derivative, gt_id output_gradient,
                               const bool *wanted, gt_id *input_gradient) {
  const row_move *p = derivative->context;
  if (wanted[0]) input_gradient[0] = move_rows(graph, output_gradient, p->ends, !p->adds);
}

/* Gathers x [inputs or outputs, rows] -> [edges, rows] or, if `adds`, scatter-adds in the other direction. */
static gt_id move_rows(gt_graph *graph, gt_id x, edge_ends ends, bool adds) {
  const gt_id y =
      adds ? gt_gather_sum_ordered(graph, x, ends.order, ends.rows, -1) : gt_gather(graph, x, ends.index, -1);
  row_move *p = GT_NEW(graph->arena, row_move);
  *p = (row_move){.input = x, .ends = ends, .adds = adds};
  p->derivative = (gt_derivative){&p->input, 1, move_rows_gradient, p};
  gt_graph_set_derivative(graph, y, &p->derivative);
  return y;
}

/* --- computation ---------------------------------------------------------------------------------------- */

/* The constants of each edge, [edges, 1]; edges are initialized to f(x). */
static void read_constants(gt_build *build, const gt_kan_symbolic *form, gt_id *constant) {
  for (int k = 0; k < GT_KAN_SYMBOLIC_VALUES; k++) {
    const bool is_factor = k == GT_KAN_SCALE_IN || k == GT_KAN_SCALE_OUT;
    const gt_id values =
        gt_build_parameter_with_form(build, gt_kan_symbolic_names[k], gt_shape_1(form->edges),
                                     gt_init_constant_of(build->arena, is_factor), form);
    constant[k] = gt_reshape(build->graph, values, gt_shape_2(form->edges, 1));
  }
}

/* Applies the edges' functions to u [edges, rows]; consecutive edges with the same function are
 * computed at once. */
static gt_id functions_of(gt_build *build, const gt_kan_symbolic *symbolic, gt_id u) {
  gt_graph *graph = build->graph;
  const int64_t rows = gt_node_at(graph, u)->shape.dim[1];
  gt_id *part = GT_NEW_N(build->arena, gt_id, symbolic->edges);
  int parts = 0;
  for (int first = 0, end; first < symbolic->edges; first = end) {
    const gt_symbol *function = symbolic->edge[first].function;
    for (end = first + 1; end < symbolic->edges && symbolic->edge[end].function == function;) end++;
    const gt_id arguments =
        end - first == symbolic->edges ? u : gt_view(graph, u, first * rows, gt_shape_2(end - first, rows));
    part[parts++] = function->emit(graph, arguments);
  }
  return parts > 1 ? gt_concatenate(graph, part, parts, 0) : part[0];
}

gt_id gt_kan_symbolic_apply(gt_build *build, const gt_kan_symbolic *symbolic, gt_id x, int64_t units) {
  static const int transposed[] = {1, 0};
  gt_graph *graph = build->graph;
  const gt_kan_symbolic *form = gt_arena_copy(build->arena, symbolic, sizeof *symbolic);
  const edge_ends in = read_ends(build, form, gt_node_at(graph, x)->shape.dim[1], false);
  const edge_ends out = read_ends(build, form, units, true);
  gt_id constant[GT_KAN_SYMBOLIC_VALUES];
  read_constants(build, form, constant);
  const gt_id gathered = move_rows(graph, gt_permute(graph, x, transposed), in, false);
  const gt_id u =
      gt_add(graph, gt_mul(graph, gathered, constant[GT_KAN_SCALE_IN]), constant[GT_KAN_SHIFT_IN]);
  const gt_id f = gt_mul(graph, functions_of(build, form, u), constant[GT_KAN_SCALE_OUT]);
  const gt_id v = gt_add(graph, f, constant[GT_KAN_SHIFT_OUT]);
  return gt_permute(graph, move_rows(graph, v, out, true), transposed);
}

/* --- the mask, and refitting when the list of edges changes --------------------------------------------- */

static void set_mask(const gt_kan_symbolic *symbolic, gt_shape shape, float value, float *out) {
  const int64_t block = shape.dim[2], outputs = shape.dim[3];
  for (int e = 0; e < symbolic->edges; e++) {
    const int64_t from = symbolic->edge[e].from; /* the index [from / block, 0, from % block] of the mask */
    if (from < shape.dim[0] * block && symbolic->edge[e].to < outputs)
      out[from * outputs + symbolic->edge[e].to] = value;
  }
}

static void fill_mask(const void *settings, const char *name, gt_shape shape, uint64_t seed, float *out) {
  (void)name;
  (void)seed;
  for (int64_t i = 0; i < gt_shape_count(shape); i++) out[i] = 1;
  set_mask(settings, shape, 0, out);
}

gt_id gt_kan_symbolic_mask(gt_build *build, const gt_kan_symbolic *symbolic, gt_shape shape) {
  if (!symbolic->edges) return gt_build_state(build, "mask", shape, 1);
  const gt_kan_symbolic *form = gt_arena_copy(build->arena, symbolic, sizeof *symbolic);
  return gt_build_filled_state(build, "mask", shape, (gt_fill){.write = fill_mask, .settings = form},
                               GT_ANY_VALUE, form);
}

static bool is_mask(const gt_slot *slot) {
  return !strcmp(slot->name + gt_slot_layer_length(slot->name), ".mask");
}

bool gt_kan_is_symbolic_slot(const gt_slot *slot) {
  const char *name = slot->name + gt_slot_layer_length(slot->name);
  if (!slot->form || *name != '.') return false;
  for (int i = 0; i < GT_KAN_SYMBOLIC_VALUES; i++)
    if (!strcmp(name + 1, gt_kan_symbolic_names[i])) return true;
  return is_mask(slot);
}

static bool is_same_edge(const gt_kan_symbolic_edge *a, const gt_kan_symbolic_edge *b) {
  return a->from == b->from && a->to == b->to && a->function == b->function;
}

void gt_kan_symbolic_refit(const gt_slot *before, const float *old, const gt_slot *now, float *out) {
  const gt_kan_symbolic *old_list = before->form, *new_list = now->form;
  if (is_mask(now)) {
    if (!gt_shape_equal(before->shape, now->shape)) return;
    memcpy(out, old, (size_t)now->count * sizeof *out);
    if (old_list) set_mask(old_list, now->shape, 1, out);
    set_mask(new_list, now->shape, 0, out);
    return;
  }
  for (int e = 0; old_list && e < new_list->edges; e++)
    for (int k = 0; k < old_list->edges; k++)
      if (is_same_edge(&new_list->edge[e], &old_list->edge[k])) out[e] = old[k];
}
