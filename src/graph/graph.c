#include "graph/graph.h"
#include "base/memory.h"
#include "graph/op.h"
#include <assert.h>
#include <math.h>
#include <string.h>

gt_graph *gt_graph_create(gt_arena *arena) {
  gt_graph *graph = GT_NEW(arena, gt_graph);
  graph->arena = graph->variable_names.arena = arena;
  graph->scope = "";
  return graph;
}

const char *gt_graph_set_scope(gt_graph *graph, const char *scope) {
  const char *previous = graph->scope;
  graph->scope = gt_arena_strdup(graph->arena, scope);
  return previous;
}

gt_precision gt_graph_set_precision(gt_graph *graph, gt_precision precision) {
  const gt_precision previous = graph->precision;
  graph->precision = precision;
  return previous;
}

/* Doubles an array in the graph's arena; the old copy stays until the arena is freed. */
static void *doubled(gt_arena *arena, const void *old, uint32_t count, uint32_t *capacity, size_t size) {
  *capacity = *capacity ? 2 * *capacity : 64;
  void *larger = gt_arena_alloc(arena, *capacity * size);
  if (count) memcpy(larger, old, count * size);
  return larger;
}

/* --- nodes ---------------------------------------------------------------------------------------------- */

typedef struct result_attribute {
  uint32_t number; /* from 1: the node itself is result 0 */
} result_attribute;

/* Infers result k of a node that may not be in the graph yet. */
static bool infer_result(const gt_graph *graph, const gt_node *node, uint32_t k, gt_shape *shape,
                         gt_dtype *dtype, gt_error *error) {
  gt_shape shapes[GT_MAX_RESULTS];
  gt_dtype dtypes[GT_MAX_RESULTS];
  if (!node->op->infer(graph, node, shapes, dtypes, error)) return false;
  *shape = shapes[k];
  *dtype = dtypes[k];
  return true;
}

/* gt_op.infer of a further result. */
static bool infer_further(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                          gt_error *error) {
  const gt_node *maker = gt_node_at(graph, node->input[0]);
  const uint32_t k = ((const result_attribute *)node->attribute)->number;
  if (!k || k > (uint32_t)maker->op->further || node - graph->node != node->input[0] + (ptrdiff_t)k)
    return gt_fail(error, GT_ERR_INTERNAL, "result %u of node %u (%s) is misplaced", k, node->input[0],
                   maker->op->name);
  return infer_result(graph, maker, k, shape, dtype, error);
}

static void print_further(const gt_graph *graph, const gt_node *node, char *buffer, size_t size) {
  (void)graph;
  snprintf(buffer, size, "number %u", ((const result_attribute *)node->attribute)->number);
}

const gt_op gt_result_op = {.name = "result",
                            .kind = GT_OP_RESULT,
                            .min_inputs = 1,
                            .infer = infer_further,
                            .print = print_further,
                            .flops = gt_no_flops};

static double limit_of(const gt_graph *graph, const gt_node *node) {
  return node->bits ? 1 : node->op->limit ? node->op->limit(graph, node) : INFINITY;
}

static gt_id append(gt_graph *graph, gt_node node, const gt_id *input, const void *attribute, gt_shape shape,
                    gt_dtype dtype) {
  if (node.inputs) node.input = gt_arena_copy(graph->arena, input, sizeof *input * (size_t)node.inputs);
  if (attribute) node.attribute = gt_arena_copy(graph->arena, attribute, node.attribute_size);
  node.scope = graph->scope;
  node.precision = graph->precision;
  node.shape = shape;
  node.dtype = dtype;
  node.bits = node.op->bits && node.op->bits(graph, &node);
  node.limit = limit_of(graph, &node);
  if (graph->count == graph->capacity)
    graph->node = doubled(graph->arena, graph->node, graph->count, &graph->capacity, sizeof *graph->node);
  graph->node[graph->count] = node;
  return graph->count++;
}

/* Checks GT_MAX_ELEMENTS. Views and variables may be larger, because no kernel iterates over them. */
static bool check_counts(gt_graph *graph, const gt_node *node, const gt_shape *result, gt_error *error) {
  const gt_op *op = node->op;
  char text[128];
  if (op->kind == GT_OP_VARIABLE || op->kind == GT_OP_VIEW) return true;
  for (int i = op->far; i < node->inputs; i++) {
    const gt_shape shape = gt_node_at(graph, node->input[i])->shape;
    if (gt_shape_count(shape) > GT_MAX_ELEMENTS)
      return gt_fail(error, GT_ERR_CONFIG, "%s would read %s: a value may have at most %d elements", op->name,
                     gt_shape_text(shape, text), GT_MAX_ELEMENTS);
  }
  for (int k = 0; k <= op->further; k++)
    if (gt_shape_count(result[k]) > GT_MAX_ELEMENTS)
      return gt_fail(error, GT_ERR_CONFIG, "%s would produce %s: a value may have at most %d elements",
                     op->name, gt_shape_text(result[k], text), GT_MAX_ELEMENTS);
  return true;
}

static bool can_have_inputs(const gt_op *op, int inputs) {
  const int max = op->max_inputs ? op->max_inputs : op->min_inputs;
  return inputs >= op->min_inputs && (max < 0 || inputs <= max);
}

gt_id gt_node_add(gt_graph *graph, const gt_op *op, const gt_id *input, int inputs, const void *attribute,
                  size_t attribute_size) {
  gt_shape shape[GT_MAX_RESULTS];
  gt_dtype dtype[GT_MAX_RESULTS];
  assert(can_have_inputs(op, inputs));
  assert(op->further >= 0 && op->further < GT_MAX_RESULTS && (!op->further || op->kind == GT_OP_KERNEL));
  for (int i = 0; i < inputs; i++) {
    if (input[i] == GT_NONE) return GT_NONE;
    assert(input[i] < graph->count);
  }
  const gt_node node = {.op = op,
                        .input = inputs ? input : NULL,
                        .inputs = inputs,
                        .attribute = attribute,
                        .attribute_size = attribute ? attribute_size : 0,
                        .scope = graph->scope};
  if (!op->infer(graph, &node, shape, dtype, &graph->error) ||
      !check_counts(graph, &node, shape, &graph->error))
    return GT_NONE;
  const gt_id id = append(graph, node, input, attribute, shape[0], dtype[0]);
  for (uint32_t k = 1; k <= (uint32_t)op->further; k++) {
    const result_attribute result = {k};
    const gt_node further = {.op = &gt_result_op, .inputs = 1, .attribute_size = sizeof result};
    append(graph, further, &id, &result, shape[k], dtype[k]);
  }
  return id;
}

void gt_graph_set_derivative(gt_graph *graph, gt_id node, const gt_derivative *derivative) {
  if (node != GT_NONE) graph->node[node].derivative = derivative;
}

gt_id gt_result(const gt_graph *graph, gt_id node, int k) {
  if (node == GT_NONE) return GT_NONE;
  assert(k >= 0 && k <= gt_node_at(graph, node)->op->further);
  return node + (gt_id)k;
}

gt_id gt_producer(const gt_graph *graph, gt_id id) {
  const gt_node *node = gt_node_at(graph, id);
  return node->op->kind == GT_OP_RESULT ? node->input[0] : id;
}

void gt_graph_add_root(gt_graph *graph, gt_id node) {
  if (node == GT_NONE) return;
  if (graph->roots == graph->root_capacity)
    graph->root =
        doubled(graph->arena, graph->root, graph->roots, &graph->root_capacity, sizeof *graph->root);
  graph->root[graph->roots++] = node;
}

uint32_t gt_graph_variable(gt_graph *graph, const char *name, gt_shape shape, gt_dtype dtype,
                           bool host_visible) {
  const int known = gt_names_find(&graph->variable_names, name);
  if (known >= 0) {
    assert(gt_shape_equal(graph->variable[known].shape, shape) && graph->variable[known].dtype == dtype);
    return (uint32_t)known;
  }
  if (graph->variables == graph->variable_capacity)
    graph->variable = doubled(graph->arena, graph->variable, graph->variables, &graph->variable_capacity,
                              sizeof *graph->variable);
  name = gt_arena_strdup(graph->arena, name);
  graph->variable[graph->variables] = (gt_variable){name, shape, dtype, host_visible, false};
  gt_names_add(&graph->variable_names, name, (int)graph->variables);
  return graph->variables++;
}

void gt_graph_mark_bits(gt_graph *graph, uint32_t variable) { graph->variable[variable].bits = true; }

void gt_graph_mark_streamed(gt_graph *graph, uint32_t variable) { graph->variable[variable].streamed = true; }

gt_shape gt_shape_of(int rank, const int64_t *dim) {
  assert(rank >= 0 && rank <= GT_MAX_RANK);
  gt_shape shape = {.rank = rank};
  if (rank) memcpy(shape.dim, dim, sizeof *dim * (size_t)rank);
  return shape;
}

gt_shape gt_shape_1(int64_t a) { return (gt_shape){1, {a}}; }

gt_shape gt_shape_2(int64_t a, int64_t b) { return (gt_shape){2, {a, b}}; }

int64_t gt_shape_count(gt_shape shape) {
  int64_t count = 1;
  for (int d = 0; d < shape.rank; d++)
    if (__builtin_mul_overflow(count, shape.dim[d], &count)) return INT64_MAX;
  return count;
}

gt_shape gt_shape_without_first(gt_shape shape) { return gt_shape_of(shape.rank - 1, shape.dim + 1); }

bool gt_shape_equal(gt_shape a, gt_shape b) {
  return a.rank == b.rank && !memcmp(a.dim, b.dim, sizeof *a.dim * (size_t)a.rank);
}

bool gt_shape_runs(gt_shape parts, gt_shape whole, int *run) {
  int k = 0;
  for (int d = 0; d < whole.rank; d++) {
    int64_t product = 1;
    run[d] = k;
    while (k < parts.rank && product < whole.dim[d]) product *= parts.dim[k++];
    if (product != whole.dim[d]) return false;
  }
  while (k < parts.rank && parts.dim[k] == 1) k++;
  run[whole.rank] = k;
  return k == parts.rank;
}

bool gt_shape_broadcast(gt_shape a, gt_shape b, gt_shape *out) {
  gt_shape wide = {.rank = a.rank > b.rank ? a.rank : b.rank};
  for (int d = 1; d <= wide.rank; d++) {
    int64_t x = d <= a.rank ? a.dim[a.rank - d] : 1, y = d <= b.rank ? b.dim[b.rank - d] : 1;
    if (x != y && x != 1 && y != 1) return false;
    wide.dim[wide.rank - d] = x == 1 ? y : x;
  }
  *out = wide;
  return true;
}

const char *gt_shape_text(gt_shape shape, char buffer[128]) {
  int used = snprintf(buffer, 128, "[");
  for (int d = 0; d < shape.rank && used < 120; d++)
    used += snprintf(buffer + used, 128 - (size_t)used, "%s%lld", d ? ", " : "", (long long)shape.dim[d]);
  if (used < 127) snprintf(buffer + used, 128 - (size_t)used, "]");
  return buffer;
}

size_t gt_dtype_size(gt_dtype dtype) {
  return dtype == GT_U8 ? 1 : dtype == GT_F16 || dtype == GT_BF16 ? 2 : 4;
}

const char *gt_dtype_name(gt_dtype dtype) {
  static const char *const names[] = {
      [GT_F32] = "f32", [GT_I32] = "i32", [GT_U8] = "u8", [GT_F16] = "f16", [GT_BF16] = "bf16"};
  return names[dtype];
}

/* False for a view that reads part of the bytes as the same number of values of a shorter type. */
bool gt_is_reshape(const gt_graph *graph, gt_id id) {
  const gt_node *node = gt_node_at(graph, id);
  if (node->op->kind != GT_OP_VIEW) return false;
  const gt_node *input = gt_node_at(graph, node->input[0]);
  return node->dtype == input->dtype && gt_shape_count(node->shape) == gt_shape_count(input->shape);
}

gt_id gt_reshape_origin(const gt_graph *graph, gt_id x) {
  while (gt_is_reshape(graph, x)) x = gt_node_at(graph, x)->input[0];
  return x;
}

uint64_t gt_node_bytes(const gt_graph *graph, gt_id id) {
  const gt_node *node = gt_node_at(graph, id);
  return (uint64_t)gt_shape_count(node->shape) * gt_dtype_size(node->dtype);
}

static bool verify_node(const gt_graph *graph, uint32_t id, gt_error *error) {
  const gt_node *node = &graph->node[id];
  if (!can_have_inputs(node->op, node->inputs))
    return gt_fail(error, GT_ERR_INTERNAL, "node %u (%s) has %d inputs", id, node->op->name, node->inputs);
  for (int i = 0; i < node->inputs; i++)
    if (node->input[i] >= id)
      return gt_fail(error, GT_ERR_INTERNAL, "node %u (%s) uses node %u, which does not come before it", id,
                     node->op->name, node->input[i]);
  for (uint32_t k = 1; k <= (uint32_t)node->op->further; k++)
    if (id + k >= graph->count || graph->node[id + k].op != &gt_result_op ||
        graph->node[id + k].input[0] != id)
      return gt_fail(error, GT_ERR_INTERNAL, "node %u (%s) lacks its result %u", id, node->op->name, k);
  gt_shape shape;
  gt_dtype dtype;
  if (!infer_result(graph, node, 0, &shape, &dtype, error)) return false;
  if (!gt_shape_equal(shape, node->shape) || dtype != node->dtype)
    return gt_fail(error, GT_ERR_INTERNAL, "node %u (%s) does not have its inferred shape", id,
                   node->op->name);
  if (node->bits && !(node->op->bits && node->op->bits(graph, node)))
    return gt_fail(error, GT_ERR_INTERNAL, "node %u (%s) is marked as bits, but may hold other values", id,
                   node->op->name);
  if (node->limit < limit_of(graph, node))
    return gt_fail(error, GT_ERR_INTERNAL, "node %u (%s) may exceed its limit of %g", id, node->op->name,
                   node->limit);
  return true;
}

bool gt_graph_verify(const gt_graph *graph, gt_error *error) {
  for (uint32_t id = 0; id < graph->count; id++)
    if (!verify_node(graph, id, error)) return false;
  for (uint32_t r = 0; r < graph->roots; r++)
    if (graph->root[r] >= graph->count) return gt_fail(error, GT_ERR_INTERNAL, "root %u is not a node", r);
  return true;
}

double gt_no_flops(const gt_graph *graph, const gt_node *node) {
  (void)graph, (void)node;
  return 0;
}

bool gt_inputs_are_bits(const gt_graph *graph, const gt_node *node) {
  for (int i = 0; i < node->inputs; i++)
    if (!gt_node_at(graph, node->input[i])->bits) return false;
  return true;
}

double gt_inputs_limit(const gt_graph *graph, const gt_node *node) {
  double limit = 0;
  for (int i = 0; i < node->inputs; i++) limit = fmax(limit, gt_node_at(graph, node->input[i])->limit);
  return limit;
}

static bool equal_nodes(const gt_node *a, const gt_node *b) {
  return a->op == b->op && a->inputs == b->inputs && a->dtype == b->dtype && a->precision == b->precision &&
         gt_shape_equal(a->shape, b->shape) && a->attribute_size == b->attribute_size &&
         (!a->inputs || !memcmp(a->input, b->input, (size_t)a->inputs * sizeof *a->input)) &&
         (!a->attribute_size || !memcmp(a->attribute, b->attribute, a->attribute_size));
}

static bool equal_variables(const gt_variable *a, const gt_variable *b) {
  return !strcmp(a->name, b->name) && gt_shape_equal(a->shape, b->shape) && a->dtype == b->dtype &&
         a->host_visible == b->host_visible && a->bits == b->bits && a->streamed == b->streamed;
}

bool gt_graph_equal(const gt_graph *a, const gt_graph *b) {
  bool equal = a->count == b->count && a->variables == b->variables && a->roots == b->roots;
  for (uint32_t i = 0; equal && i < a->count; i++) equal = equal_nodes(&a->node[i], &b->node[i]);
  for (uint32_t i = 0; equal && i < a->variables; i++)
    equal = equal_variables(&a->variable[i], &b->variable[i]);
  for (uint32_t i = 0; equal && i < a->roots; i++) equal = a->root[i] == b->root[i];
  return equal;
}

void gt_graph_print(const gt_graph *graph, FILE *stream) {
  char shape[128], attribute[256];
  for (uint32_t id = 0; id < graph->count; id++) {
    const gt_node *node = &graph->node[id];
    attribute[0] = 0;
    if (node->op->print) node->op->print(graph, node, attribute, sizeof attribute);
    fprintf(stream, "%%%-4u = %-14s", id, node->op->name);
    for (int i = 0; i < node->inputs; i++) fprintf(stream, "%s%%%u", i ? ", " : " ", node->input[i]);
    fprintf(stream, "%s%s : %s %s%s", attribute[0] ? "  " : "", attribute, gt_dtype_name(node->dtype),
            gt_shape_text(node->shape, shape), node->bits ? " bits" : "");
    fprintf(stream, node->scope[0] ? "  (%s)\n" : "\n", node->scope);
  }
  fprintf(stream, "roots:");
  for (uint32_t r = 0; r < graph->roots; r++) fprintf(stream, " %%%u", graph->root[r]);
  fputc('\n', stream);
}
