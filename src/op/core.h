/* Builders of the leaf and bookkeeping ops (src/op/core.c): variables, views, packs, assigns, and the step's
 * clock. */
#ifndef GT_OP_CORE_H
#define GT_OP_CORE_H
#include "graph/graph.h"

typedef struct gt_variable_attribute {
  uint32_t variable;
} gt_variable_attribute;
typedef struct gt_pack_attribute { /* in elements: length of the pack, offset of each input */
  int64_t total, offset[];
} gt_pack_attribute;
typedef struct gt_view_attribute {
  int64_t offset; /* in elements */
  gt_shape shape;
} gt_view_attribute;
typedef struct gt_assign_attribute {
  uint32_t variable;
  int64_t offset;
} gt_assign_attribute;

gt_id gt_variable_read(gt_graph *graph, uint32_t variable); /* its content before this step */
/* The `shape`-shaped contiguous part of x that starts at element `offset`, as an alias. */
gt_id gt_view(gt_graph *graph, gt_id x, int64_t offset, gt_shape shape);
gt_id gt_reshape(gt_graph *graph, gt_id x, gt_shape shape); /* view of the whole; one dim may be -1 */
/* Concatenates the values x[0 … count), flattened, to one axis. */
gt_id gt_pack(gt_graph *graph, const gt_id *x, int count);
/* The same with x[i] at element offset[i] (ascending) of a flat [total]; gaps are zero. */
gt_id gt_pack_at(gt_graph *graph, const gt_id *x, const int64_t *offset, int count, int64_t total);
int64_t gt_pack_offset(const gt_graph *graph, gt_id pack, int part); /* element where x[part] begins */
/* The value of which x is a view, also through other views, or x itself; *offset: the element of that value
 * at which x begins. */
gt_id gt_view_origin(const gt_graph *graph, gt_id x, int64_t *offset);
/* As gt_view; but if x is a pack or a view of one, and the range is exactly one of its inputs, that input. */
gt_id gt_view_or_input(gt_graph *graph, gt_id x, int64_t offset, gt_shape shape);
bool gt_pack_has_gaps(const gt_graph *graph, gt_id pack); /* true if some element belongs to no input */
/* After this step the variable's elements from `offset` on are x. The node becomes a root. All reads of the
 * variable in the same step return the old content, whatever their position in the graph. */
gt_id gt_assign(gt_graph *graph, uint32_t variable, int64_t offset, gt_id x);

/* The step's clock. Variable `state` is u32[GT_STATE_WORDS] (as F32 words): the next step's number and the
 * seed. Variable `table` is F32 [rows, scalars]: scalars that the host computes in advance (learning rate,
 * bias corrections, …); step s uses row s % rows. The node's value is F32 [GT_CLOCK_WORDS + scalars]: the
 * words step, seed (low half), seed (high half) and 0, then the row. Running it advances the state by one
 * step. */
enum { GT_STATE_WORDS = 4, GT_CLOCK_WORDS = 4 };
typedef struct gt_clock_attribute {
  uint32_t state, table;
} gt_clock_attribute;
gt_id gt_clock(gt_graph *graph, uint32_t state, uint32_t table);
gt_id gt_clock_scalar(gt_graph *graph, gt_id clock, int index); /* a view: scalar, shape [] */

/* Appends a row of values (scalars or vectors, F32, one after the other) to the ring variable `log`, F32
 * [rows, elements of all]: row step % rows. The node becomes a root. At most 8 values. */
typedef struct gt_log_attribute {
  uint32_t log;
} gt_log_attribute;
gt_id gt_log_row(gt_graph *graph, uint32_t log, gt_id clock, const gt_id *value, int count);
#endif
