/* gt_graph: a computation as an append-only array of nodes. Nodes are referenced by index, never by pointer,
 * and a node uses only smaller indices, so index order is a topological order. Everything is built here: the
 * forward pass by layers, the backward pass by autodiff, updates by optimizers; later passes only read the
 * graph (fuse.h partitions it). Values are row-major and contiguous. Shapes are inferred in gt_node_add: a
 * node that exists is valid. A node has one value; the further results of an op are nodes of their own
 * (gt_result). Owner: its arena. Shape errors are user errors: the first one is stored in graph->error, and
 * the builder continues with GT_NONE, which every builder accepts and passes on. */
#ifndef GT_GRAPH_GRAPH_H
#define GT_GRAPH_GRAPH_H
#include "base/arena.h"
#include "base/error.h"
#include "base/names.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define GT_MAX_RANK    8
#define GT_MAX_RESULTS 4
#define GT_NONE        UINT32_MAX
/* Limit for values that a kernel reads or writes. Kernels count elements in 32 bits, and SPIR-V treats an
 * index into a buffer as signed; bytes are counted in 64 bits (buffer references on devices, pointers on the
 * CPU). */
#define GT_MAX_ELEMENTS INT32_MAX
typedef uint32_t gt_id;

/* Variables and files use the first three; F16 and BF16 are for values between ops that request them. */
typedef enum gt_dtype { GT_F32, GT_I32, GT_U8, GT_F16, GT_BF16 } gt_dtype;

/* How an op may round. SCALAR: float32 arithmetic. HALF: the operands of a GEMM are rounded to 16 bits if the
 * device has matrix units for them; sums are float32. AUTO: the fastest way that is as accurate as SCALAR. */
typedef enum gt_precision { GT_PRECISION_AUTO, GT_PRECISION_SCALAR, GT_PRECISION_HALF } gt_precision;

typedef struct gt_shape { /* rank 0 is a scalar */
  int rank;
  int64_t dim[GT_MAX_RANK];
} gt_shape;

/* A persistent buffer that outlives a step: flat parameters, optimizer state, a dataset, the log. Bound by
 * name when a plan is compiled, so that the training plan and the evaluation plan share it. */
typedef struct gt_variable {
  const char *name;
  gt_shape shape;
  gt_dtype dtype;
  bool host_visible; /* the host reads or writes it while the device runs (log ring) */
  bool bits;         /* set by gt_graph_mark_bits: all elements are 0 or 1 */
  bool streamed;     /* set by gt_graph_mark_streamed: the host writes parts of it while the device runs */
} gt_variable;

struct gt_graph;
/* A custom gradient of a node with respect to earlier nodes, for a builder that has a cheaper formula than
 * autodiff derives op by op. `gradient` is like gt_op.gradient; output_gradient is the node's gradient. */
typedef struct gt_derivative {
  const gt_id *input; /* nodes that receive gradients */
  int inputs;
  void (*gradient)(struct gt_graph *graph, const struct gt_derivative *derivative, gt_id output_gradient,
                   const bool *wanted, gt_id *input_gradient);
  const void *context;
} gt_derivative;

typedef struct gt_node {
  const struct gt_op *op;
  const gt_id *input;
  int inputs;
  gt_shape shape;
  gt_dtype dtype;
  bool bits;             /* all elements are known to be 0 or 1 */
  double limit;          /* upper bound on the magnitude of its elements; infinity: unknown */
  const void *attribute; /* the op's own struct, zero-padded, in the graph's arena */
  size_t attribute_size;
  const char *scope; /* layer that created it ("linear1"), for messages and profiles; never NULL */
  gt_precision precision;
  const gt_derivative *derivative; /* custom gradient; NULL: the op's gradient */
} gt_node;

typedef struct gt_graph {
  gt_arena *arena;
  gt_node *node;
  uint32_t count, capacity;
  gt_variable *variable;
  uint32_t variables, variable_capacity;
  gt_names variable_names;
  gt_id *root; /* nodes that must be computed: assigns, logs, kept outputs */
  uint32_t roots, root_capacity;
  const char *scope;      /* of nodes that are added from now on */
  gt_precision precision; /* of nodes that are added from now on */
  uint32_t next_purpose;  /* number of the next random stream (base/philox.h) */
  gt_error error;
} gt_graph;

gt_graph *gt_graph_create(gt_arena *arena);
/* Sets the scope of nodes added from now on; returns the previous one. */
const char *gt_graph_set_scope(gt_graph *graph, const char *scope);
/* The same for the precision; gradient nodes get the precision of their node. */
gt_precision gt_graph_set_precision(gt_graph *graph, gt_precision precision);

/* Adds a node, followed by the nodes of its further results; infers shapes and dtypes. Returns
 * GT_NONE if an input is GT_NONE, on a shape error, or if a kernel would read or write a value of more than
 * GT_MAX_ELEMENTS. */
gt_id gt_node_add(gt_graph *graph, const struct gt_op *op, const gt_id *input, int inputs,
                  const void *attribute, size_t attribute_size);
/* Sets node->derivative; the struct must live as long as the graph. */
void gt_graph_set_derivative(gt_graph *graph, gt_id node, const gt_derivative *derivative);
static inline const gt_node *gt_node_at(const gt_graph *graph, gt_id id) { return &graph->node[id]; }
/* Result k of a node with several results: the node itself if k is 0, otherwise the k-th node after it.
 * Returns GT_NONE for GT_NONE. */
gt_id gt_result(const gt_graph *graph, gt_id node, int k);
/* The node whose op computes this value: for a further result the node that it belongs to, otherwise the node
 * itself. */
gt_id gt_producer(const gt_graph *graph, gt_id id);
/* Adds a root; ignores GT_NONE. */
void gt_graph_add_root(gt_graph *graph, gt_id node);
/* Declares a variable and returns its index. Names are unique in a graph: a second declaration, with the same
 * shape and dtype, returns the same index. */
uint32_t gt_graph_variable(gt_graph *graph, const char *name, gt_shape shape, gt_dtype dtype,
                           bool host_visible);
/* Declares that all elements of the variable are 0 or 1 at every step. Call it before any read. */
void gt_graph_mark_bits(gt_graph *graph, uint32_t variable);
/* Declares that the host writes parts of the variable while the device runs; later steps read these parts. */
void gt_graph_mark_streamed(gt_graph *graph, uint32_t variable);

gt_shape gt_shape_of(int rank, const int64_t *dim);
gt_shape gt_shape_1(int64_t a);
gt_shape gt_shape_2(int64_t a, int64_t b);
gt_shape gt_shape_without_first(gt_shape shape); /* without its first axis; rank 1 or more */
/* Number of elements; 1 for a scalar, INT64_MAX on overflow. */
int64_t gt_shape_count(gt_shape shape);
bool gt_shape_equal(gt_shape a, gt_shape b);
/* True if each axis of `whole` is a product of adjacent axes of `parts`: axis d is the product of axes run[d]
 * … run[d + 1] - 1. run has room for whole.rank + 1. */
bool gt_shape_runs(gt_shape parts, gt_shape whole, int *run);
/* NumPy broadcasting of two shapes; false if they are incompatible. */
bool gt_shape_broadcast(gt_shape a, gt_shape b, gt_shape *out);
const char *gt_shape_text(gt_shape shape, char buffer[128]); /* "[128, 784]" */
size_t gt_dtype_size(gt_dtype dtype);
const char *gt_dtype_name(gt_dtype dtype);
uint64_t gt_node_bytes(const gt_graph *graph, gt_id id); /* size of its value in bytes */

/* True if the node is a reshape of its whole input, not a view of a part of it. */
bool gt_is_reshape(const gt_graph *graph, gt_id id);
/* The value that x is a reshape of, through any number of reshapes; x itself if it is not a reshape. */
gt_id gt_reshape_origin(const gt_graph *graph, gt_id x);

/* Checks the invariants of all nodes: counts and indices of inputs, inferred shapes, `bits`, `limit`. Called
 * when a graph is complete, and before it is planned. */
bool gt_graph_verify(const gt_graph *graph, gt_error *error);
/* True if both graphs compute the same from variables of the same names, so that a plan for one can run the
 * other. */
bool gt_graph_equal(const gt_graph *a, const gt_graph *b);
void gt_graph_print(const gt_graph *graph, FILE *stream);
#endif
