/* gt_op: one constant struct per op, with its shape inference, gradient, lowering and properties. Graph,
 * autodiff, fusion and plan know ops only through it; the ops themselves are in src/op/. */
#ifndef GT_GRAPH_OP_H
#define GT_GRAPH_OP_H
#include "graph/graph.h"

enum { GT_SMOOTH = 1000 }; /* unlimited continuous derivatives, as a number that `smooth` below can return */

typedef enum gt_op_kind {
  GT_OP_KERNEL,      /* computed by its own kernel(s), through lower() */
  GT_OP_ELEMENTWISE, /* one instruction of a program (step/program.h); fused freely */
  GT_OP_VARIABLE,    /* leaf: the contents of a variable before this step */
  GT_OP_VIEW,        /* alias: a contiguous part of its input under another shape; no kernel */
  GT_OP_PACK,        /* its inputs concatenated, flattened; inputs are computed in place if possible */
  GT_OP_RESULT,      /* a further result of its input, in memory of its own (gt_result); no kernel */
  GT_OP_ASSIGN, /* makes its input the variable's contents after this step; its own value is never read */
} gt_op_kind;

/* A node that reduces its input along rows, which are contiguous in memory. */
typedef struct gt_row_form {
  uint32_t opcode; /* GT_I_ROW_…, shaders/lib/opcodes.h */
  int64_t width;   /* values per row */
  double scale;    /* factor on the result */
} gt_row_form;

/* How bytes represent numbers: u represents (u - center) * scale + shift; center is a byte value, and scale >
 * 0. */
typedef struct gt_byte_form {
  float center, scale, shift;
} gt_byte_form;

/* Storage formats other than f32 in which a value can stay for its consumers. */
typedef enum gt_form_kind {
  GT_FORM_BYTES, /* stored as bytes */
  GT_FORM_ROWS,  /* not stored: consumers read rows of a table */
} gt_form_kind;

typedef struct gt_form {
  gt_form_kind kind;
  gt_byte_form bytes; /* GT_FORM_BYTES: what the bytes represent */
  /* GT_FORM_ROWS: rows of a table [rows, …], concatenated, by their indices; NaN for an invalid index. Both
   * are inputs of the node. */
  gt_id table, index;
} gt_form;

struct gt_lowering;
struct gt_group;

enum { GT_EVEN_RATIO = 4096 };
#define GT_ANY_ROW UINT32_MAX

typedef struct gt_op {
  const char *name;
  gt_op_kind kind;
  int min_inputs, max_inputs; /* max -1: any number */
  int further;                /* GT_OP_KERNEL: results after the first; less than GT_MAX_RESULTS */
  uint32_t opcode;            /* GT_OP_ELEMENTWISE: the instruction, shaders/lib/opcodes.h */
  /* Infers shape and dtype of each result of a node from its inputs and attribute. Failure is a user error:
   * gt_fail(error, GT_ERR_CONFIG, …) with the shapes. node->shape and dtype are not set yet. */
  bool (*infer)(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                gt_error *error);
  /* True if inputs and attribute imply that the value holds only 0 and 1. NULL: unknown. */
  bool (*bits)(const gt_graph *graph, const gt_node *node);
  /* Bound on the magnitude of the value, as implied by the inputs (their `limit`) and the attribute, apart
   * from NaN. Rounding may exceed it slightly. NULL: unknown. */
  double (*limit)(const gt_graph *graph, const gt_node *node);
  /* GT_OP_KERNEL: the largest magnitude in the value, if all elements are known to be 0 or at least a
   * GT_EVEN_RATIO-th of it; 0: unknown. NULL: always unknown. */
  double (*even)(const gt_graph *graph, const gt_node *node);
  /* Emits nodes for the gradients of the inputs, given those of the results (output_gradient, each of its
   * result's shape; GT_NONE, though not for all, if the loss does not depend on it). Leaves GT_NONE for
   * inputs without a gradient (integers, masks). wanted[i]: the gradient of input i is needed. NULL: not
   * differentiable, treated as a constant. */
  void (*gradient)(gt_graph *graph, gt_id node, const gt_id *output_gradient, const bool *wanted,
                   gt_id *input_gradient);
  /* Number of continuous derivatives of the value with respect to the inputs that have gradients of their
   * own; -1: discontinuous. NULL: unlimited. */
  int (*smooth)(const gt_graph *graph, const gt_node *node);
  /* GT_OP_KERNEL: emits the steps of a group led by such a node (step/lowering.h), which write all its
   * results, used or not. */
  void (*lower)(struct gt_lowering *lowering, const struct gt_group *group);
  double (*flops)(const gt_graph *graph, const gt_node *node); /* NULL: one per element of the output */
  /* GT_OP_KERNEL: function values (of a KAN's basis, exponentials) that the node's kernel computes and that
   * flops does not count. Only estimates of time use it (train/choose.h). NULL: none. */
  double (*functions)(const gt_graph *graph, const gt_node *node);
  /* Prints the attributes. NULL: none. */
  void (*print)(const gt_graph *graph, const gt_node *node, char *buffer, size_t size);
  /* GT_OP_KERNEL: fusion may attach elementwise work after a node of this op. early: that work may read only
   * what the kernel computes, so that it need not wait for other values. */
  bool epilogue, early;
  /* GT_OP_KERNEL: the row length for which fusion may attach a prologue, elementwise work that the kernel
   * does as it loads its first input (GT_ANY_ROW: any length); 0: none. NULL: never. Not together with an
   * epilogue. */
  uint32_t (*prologue)(const gt_graph *graph, const gt_node *node);
  /* GT_OP_KERNEL: true if the node can be an instruction of a row program (step/lowering.h): *form. NULL:
   * never. */
  bool (*row)(const gt_graph *graph, const gt_node *node, gt_row_form *form);
  /* GT_OP_KERNEL: which reduction (GT_COLUMNS_…, lib/columns.h) the node is of the columns of its first
   * input, as a matrix whose rows are that input's last axis, if the step is faster when the kernel that
   * writes the input reduces its own tiles; with GT_COLUMNS_WHOLE if it is faster only without a second pass.
   * 0: none. NULL: never. In lower(), gt_lower_joined says whether that kernel does it. */
  uint32_t (*columns)(const gt_graph *graph, const gt_node *node);
  /* GT_OP_KERNEL: the amax values (GT_MEASURED_…, lib/measured.h) that the node's kernel needs of its i-th
   * input, a matrix whose rows are that input's last axis; 0: none. NULL: never. Called before
   * anything is lowered; in lower(), gt_lower_measured says whether the kernel that writes the input also
   * computes its amax. */
  uint32_t (*measures)(struct gt_lowering *lowering, const gt_node *node, int i);
  /* GT_OP_KERNEL: true if the kernel that computes the node's value, with an epilogue, can reduce the
   * epilogue's columns (GT_COLUMNS_SUMS …) even if the result itself is not written. NULL: never. Called
   * before groups are merged. */
  bool (*joins)(struct gt_lowering *lowering, const gt_node *node);
  /* GT_OP_KERNEL: true if the step is faster when this kernel computes complete column sums and does not
   * write the result, as that saves later kernels. NULL: it cannot. Called before groups are merged. */
  bool (*sums)(struct gt_lowering *lowering, const gt_node *node);
  /* GT_OP_KERNEL: true if the step is faster with a row program as the epilogue of the kernel that computes
   * the node's value, over rows as long as the value's last axis (step/lowering.h). NULL: it cannot have one.
   * Called before placement and lowering. */
  bool (*rows)(struct gt_lowering *lowering, const gt_node *node);
  /* GT_OP_KERNEL: another storage format in which the node's value can stay (gt_lower_form), if every
   * consumer accepts it. NULL: none. */
  bool (*leaves)(const gt_graph *graph, const gt_node *node, gt_form *form);
  /* GT_OP_KERNEL: true if the kernel of a group with such a leader can read its i-th input in that storage
   * format. NULL: never. Called before placement and lowering. */
  bool (*takes)(struct gt_lowering *lowering, const struct gt_group *group, int i, const gt_form *form);
  /* GT_OP_KERNEL: true if the node's value is computed row by row from its first input, rows being that
   * input's last axis, so that the kernel that writes the input can compute it after each row
   * (gt_group.follower). NULL: never. */
  bool (*follows)(const gt_graph *graph, const gt_node *node);
  /* GT_OP_ELEMENTWISE: how the only input is read from memory (GT_LOAD_OF, lib/opcodes.h; a row is the
   * value's last axis). NULL: as broadcasting of the shapes implies. */
  uint32_t (*load)(const gt_node *node);
  /* GT_OP_ELEMENTWISE: its only input is the clock, which the kernel reads: it is not an operand. */
  bool clocked;
  /* GT_OP_KERNEL: the first input, a dataset, may exceed GT_MAX_ELEMENTS; the kernel addresses its bytes in
   * 64 bits. */
  bool far;
  /* Bookkeeping of a run (clock, log), not a value of the model. */
  bool bookkeeping;
  /* 1 + the index of the input that the value is initialized from. If nothing else reads that input, the
   * value is computed in its memory (gt_lower_begins_there), else lower() copies it. 0: none. */
  int begins_as;
  /* GT_OP_KERNEL: the value is a flag, initialized from that input, that becomes 0 if an element of the first
   * input is not finite. On devices the kernel that writes the elements may clear it (gt_lower_check);
   * lower() checks those listed by gt_lower_unchecked. */
  bool flag;
} gt_op;

/* The row length of a node's prologue; 0: none is possible. */
static inline uint32_t gt_prologue_row(const gt_graph *graph, const gt_node *node) {
  return node->op->prologue ? node->op->prologue(graph, node) : 0;
}

extern const gt_op gt_result_row; /* of further results, added by gt_node_add */

/* True if the value is a constant scalar: elementwise work without inputs. */
static inline bool gt_is_constant(const gt_node *node) {
  return node->op->kind == GT_OP_ELEMENTWISE && !node->inputs;
}

/* For `flops`: an op that only moves or renames data. */
double gt_no_flops(const gt_graph *graph, const gt_node *node);
/* For `bits`: an op that moves its inputs' values and adds only 0 and 1. */
bool gt_inputs_are_bits(const gt_graph *graph, const gt_node *node);
/* For `limit`: an op that moves its inputs' values and adds nothing larger. */
double gt_inputs_limit(const gt_graph *graph, const gt_node *node);
#endif
