/* gt_op: one constant struct per op, with its shape inference, gradient, lowering and properties. Graph,
 * autodiff, fusion and plan know ops only through it; the ops themselves are in src/op/. */
#ifndef GT_GRAPH_OP_H
#define GT_GRAPH_OP_H
#include "graph/graph.h"

enum { GT_SMOOTH = 1000 }; /* the result of gt_op.smooth for an unlimited number of continuous derivatives */

typedef enum gt_op_kind {
  GT_OP_KERNEL,      /* computed by its own kernel(s), through lower() */
  GT_OP_ELEMENTWISE, /* one instruction of a program (step/program.h); fused freely */
  GT_OP_VARIABLE,    /* leaf: the content of a variable at the start of the step */
  GT_OP_VIEW,        /* alias: a contiguous part of its input under another shape; no kernel */
  GT_OP_PACK,        /* its inputs concatenated, flattened; inputs are computed in place if possible */
  GT_OP_RESULT,      /* a further result of its input, in memory of its own (gt_result); no kernel */
  GT_OP_ASSIGN,      /* stores its input in a variable at the end of the step; its own value is never read */
} gt_op_kind;

/* How a node reduces its input along rows, which are contiguous in memory. */
typedef struct gt_row_form {
  uint32_t opcode; /* GT_I_ROW_…, shaders/lib/opcodes.h */
  int64_t width;   /* values per row */
  double scale;    /* factor on the result */
} gt_row_form;

/* Encoding of numbers as bytes: u means (u - center) * scale + shift; center is in [0, 255], scale > 0. */
typedef struct gt_byte_form {
  float center, scale, shift;
} gt_byte_form;

/* Storage formats other than f32 in which a value can stay for its consumers. */
typedef enum gt_form_kind {
  GT_FORM_BYTES, /* stored as bytes */
  GT_FORM_ROWS,  /* not stored: consumers look up rows of a table */
} gt_form_kind;

typedef struct gt_form {
  gt_form_kind kind;
  gt_byte_form bytes; /* GT_FORM_BYTES: their encoding */
  /* GT_FORM_ROWS: the value is rows of `table` [rows, …], concatenated, selected by `index`; NaN for an
   * invalid index. Both are inputs of the node. */
  gt_id table, index;
} gt_form;

struct gt_lowering;
struct gt_group;

enum { GT_EVEN_RATIO = 4096 }; /* see gt_op.even */
#define GT_ANY_ROW UINT32_MAX  /* gt_op.prologue: rows of any length */

typedef struct gt_op {
  const char *name;
  gt_op_kind kind;
  int min_inputs, max_inputs; /* max 0: the same as min; -1: any number */
  int further;                /* GT_OP_KERNEL: results after the first; less than GT_MAX_RESULTS */
  uint32_t opcode;            /* GT_OP_ELEMENTWISE: the instruction, shaders/lib/opcodes.h */
  /* Infers shape and dtype of each result of a node from its inputs and attribute. Failure is a user error:
   * gt_fail(error, GT_ERR_CONFIG, …) with the shapes. node->shape and dtype are not set yet. */
  bool (*infer)(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                gt_error *error);
  /* True if inputs and attribute imply that all elements of the value are 0 or 1. NULL: unknown. */
  bool (*bits)(const gt_graph *graph, const gt_node *node);
  /* Upper bound on the magnitude of all elements that are not NaN, from the limits of the inputs and the
   * attribute. Rounding may exceed it slightly. NULL: unknown. */
  double (*limit)(const gt_graph *graph, const gt_node *node);
  /* GT_OP_KERNEL: the largest magnitude in the value, if every element is known to be 0 or to have at least
   * 1 / GT_EVEN_RATIO of this magnitude; 0: unknown. NULL: always unknown. */
  double (*even)(const gt_graph *graph, const gt_node *node);
  /* Adds nodes for the gradients of the inputs. output_gradient: the gradient of each result; GT_NONE for a
   * result that the loss does not depend on, though never for all. wanted[i]: the gradient of input i is
   * needed. input_gradient is GT_NONE on entry and stays so for inputs without a gradient (integers, masks).
   * NULL: not differentiable, treated as a constant. */
  void (*gradient)(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                   gt_id *input_gradient);
  /* Number of continuous derivatives of the value with respect to the inputs that have gradients; -1:
   * discontinuous. NULL: unlimited. */
  int (*smooth)(const gt_graph *graph, const gt_node *node);
  /* GT_OP_KERNEL: emits the steps of a group whose leader is such a node (step/lowering.h). They write all
   * its results, even unused ones. */
  void (*lower)(struct gt_lowering *lowering, const struct gt_group *group);
  double (*flops)(const gt_graph *graph, const gt_node *node); /* NULL: one per element of the output */
  /* GT_OP_KERNEL: number of function evaluations (basis functions of a KAN, exponentials), which flops does
   * not count. Only time estimates use it (train/net/choose.h). NULL: none. */
  double (*functions)(const gt_graph *graph, const gt_node *node);
  /* Prints the attributes. NULL: none. */
  void (*print)(const gt_graph *graph, const gt_node *node, char *buffer, size_t size);
  /* GT_OP_KERNEL: fusion may attach elementwise work as an epilogue. early: that work may read only the
   * kernel's own result, so that the kernel does not wait for other values. */
  bool epilogue, early;
  /* GT_OP_KERNEL: the row length for which fusion may attach a prologue, elementwise work that the kernel
   * does when it loads its first input (GT_ANY_ROW: any length); 0: none. NULL: never. An op has a prologue
   * or an epilogue, not both. */
  uint32_t (*prologue)(const gt_graph *graph, const gt_node *node);
  /* GT_OP_KERNEL: true if the node can be an instruction of a row program (step/lowering.h), described in
   * *form. NULL: never. */
  bool (*row)(const gt_graph *graph, const gt_node *node, gt_row_form *form);
  /* GT_OP_KERNEL: for a node that reduces the columns of its first input, a matrix whose rows run along the
   * input's last axis: the kind of the reduction (GT_COLUMNS_…, lib/columns.h), if the training step is
   * faster when the kernel that writes the input reduces its own tiles; with GT_COLUMNS_WHOLE if it is faster
   * only without a second pass. 0: none. NULL: never. In lower(), gt_lower_joined tells whether that kernel
   * does it. */
  uint32_t (*columns)(const gt_graph *graph, const gt_node *node);
  /* GT_OP_KERNEL: which amax values (GT_MEASURED_…, lib/measured.h) of its i-th input, a matrix whose rows
   * run along the input's last axis, the node's kernel needs; 0: none. NULL: never. Called before anything is
   * lowered; in lower(), gt_lower_measured tells whether the kernel that writes the input computes them. */
  uint32_t (*measures)(struct gt_lowering *lowering, const gt_node *node, int i);
  /* GT_OP_KERNEL: true if the node's kernel can reduce the columns of its epilogue's result
   * (GT_COLUMNS_SUM, _MOMENTS, _SUMS), even if this result is not written. NULL: never. Called before groups
   * are merged. */
  bool (*joins)(struct gt_lowering *lowering, const gt_node *node);
  /* GT_OP_KERNEL: true if the training step is faster when the node's kernel computes complete column sums
   * and does not write its result, because later kernels are saved. NULL: never. Called before groups are
   * merged. */
  bool (*sums)(struct gt_lowering *lowering, const gt_node *node);
  /* GT_OP_KERNEL: true if the training step is faster with a row program as the epilogue of the node's
   * kernel, over rows along the value's last axis (step/lowering.h). NULL: never. Called before placement and
   * lowering. */
  bool (*rows)(struct gt_lowering *lowering, const gt_node *node);
  /* GT_OP_KERNEL: another storage format in which the node's value can stay (gt_lower_form), if every
   * consumer accepts it. NULL: none. */
  bool (*leaves)(const gt_graph *graph, const gt_node *node, gt_form *form);
  /* GT_OP_KERNEL: true if the kernel of a group with this leader can read the leader's i-th input in that
   * storage format. NULL: never. Called before placement and lowering. */
  bool (*takes)(struct gt_lowering *lowering, const struct gt_group *group, int i, const gt_form *form);
  /* GT_OP_KERNEL: true if the node's value is computed row by row (along the last axis) from its first input,
   * so that the kernel that writes the input can also compute it (gt_group.follower). NULL: never. */
  bool (*follows)(const gt_graph *graph, const gt_node *node);
  /* GT_OP_ELEMENTWISE: how the only input is read from memory (GT_LOAD_OF, lib/opcodes.h; a row is the
   * value's last axis). NULL: as broadcasting of the shapes implies. */
  uint32_t (*load)(const gt_node *node);
  /* GT_OP_ELEMENTWISE: its only input is the clock, which the kernel reads from memory: not an operand. */
  bool clocked;
  /* GT_OP_KERNEL: the first input, a dataset, may exceed GT_MAX_ELEMENTS; the kernel addresses its bytes in
   * 64 bits. */
  bool far;
  /* True for the bookkeeping of a run (clock, log): its value is not one of the model's. */
  bool bookkeeping;
  /* 1 + the index of the input that initializes the value. If nothing else reads this input, the value is
   * computed in the input's memory (gt_lower_is_in_place); otherwise lower() copies it. 0: none. */
  int begins_as;
  /* GT_OP_KERNEL: the value is a flag, initialized from input begins_as - 1; it becomes 0 if an element of
   * the first input is not finite. On devices the kernels that write the elements may clear it
   * (gt_lower_check); lower() checks the elements that gt_lower_unchecked_ranges lists. */
  bool flag;
} gt_op;

/* The row length of a node's prologue; 0: none is possible. */
static inline uint32_t gt_prologue_row(const gt_graph *graph, const gt_node *node) {
  return node->op->prologue ? node->op->prologue(graph, node) : 0;
}

extern const gt_op gt_result_op; /* the op of GT_OP_RESULT nodes, which gt_node_add adds */

/* True if the value is a constant scalar: an elementwise op without inputs. */
static inline bool gt_is_constant(const gt_node *node) {
  return node->op->kind == GT_OP_ELEMENTWISE && !node->inputs;
}

/* gt_op.flops of an op that only moves data or gives it another shape: 0. */
double gt_no_flops(const gt_graph *graph, const gt_node *node);
/* gt_op.bits of an op whose elements are elements of its inputs, 0 or 1. */
bool gt_inputs_are_bits(const gt_graph *graph, const gt_node *node);
/* gt_op.limit of an op whose elements are elements of its inputs, or no larger than these. */
double gt_inputs_limit(const gt_graph *graph, const gt_node *node);
#endif
