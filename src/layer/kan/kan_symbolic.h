/* Symbolic edges of a KAN layer: c f(a x + b) + d with a named function f and trained constants, instead of a
 * sum of basis functions; pykan's fix_symbolic (Liu et al., 2024, section 2.5). They are listed in the
 * layer's settings, `symbolic: [[0, 0, sin]]`, which the symbolic fit of a training phase
 * (src/change/symbolic.c) sets. The mask of such an edge is 0. x is the layer's input before input_norm.
 * Parameters [edges], in the order of that list: symbolic_scale_in (a), symbolic_shift_in (b),
 * symbolic_scale_out (c), symbolic_shift_out (d). Their gt_slot.form and that of the mask are a
 * gt_kan_symbolic. */
#ifndef GT_LAYER_KAN_SYMBOLIC_H
#define GT_LAYER_KAN_SYMBOLIC_H
#include "layer/kan/kan_function.h"
#include "layer/layer.h"

typedef struct gt_kan_symbolic_edge {
  int from, to; /* input and output of the layer */
  const gt_symbol *function;
} gt_kan_symbolic_edge;

typedef struct gt_kan_symbolic {
  const gt_kan_symbolic_edge *edge;
  int edges; /* 0: all edges are sums of basis functions */
} gt_kan_symbolic;

enum { GT_KAN_SCALE_IN, GT_KAN_SHIFT_IN, GT_KAN_SCALE_OUT, GT_KAN_SHIFT_OUT, GT_KAN_SYMBOLIC_VALUES };
extern const char *const gt_kan_symbolic_names[GT_KAN_SYMBOLIC_VALUES];

/* Reads the layer's setting `symbolic` (NULL: none) for this number of inputs and outputs; false after
 * reporting. */
bool gt_kan_symbolic_read(gt_build *build, const gt_spec *setting, int64_t inputs, int64_t units,
                          gt_kan_symbolic *out);
/* The list of edges as a value of the setting `symbolic`. */
gt_spec *gt_kan_symbolic_setting(gt_arena *arena, const gt_kan_symbolic *symbolic);
/* The sum of the edges for each output: x [rows, inputs] -> [rows, units]. */
gt_id gt_kan_symbolic_apply(gt_build *build, const gt_kan_symbolic *symbolic, gt_id x, int64_t units);
/* The layer's mask, [blocks, 1, inputs of a block, outputs]. */
gt_id gt_kan_symbolic_mask(gt_build *build, const gt_kan_symbolic *symbolic, gt_shape shape);

/* True if the slot is one of these parameters, or the mask of a layer with symbolic edges. */
bool gt_kan_is_symbolic_slot(const gt_slot *slot);
/* gt_slot.refit of these slots: existing edges keep their constants, and the mask of all listed edges is
 * 0. */
void gt_kan_symbolic_refit(const gt_slot *before, const float *old, const gt_slot *now, float *out);
#endif
