/* kan: a layer of a Kolmogorov-Arnold network (Liu et al., "KAN: Kolmogorov-Arnold Networks", 2024) over the
 * last axis: y_o = sum over inputs i and functions b of coefficients[b, i, o] B_b(x_i), plus base_weight[i,
 * o] base(x_i) if there is a base branch. Formulas of the bases and their sources: shaders/op/kan/basis/.
 * Defaults are those of the sources: efficient-kan, ChebyKAN, FastKAN, FourierKAN, JacobiKAN, FasterKAN,
 * SincKAN, Wav-KAN. Coefficients are stored in the kernel's layout, [blocks, functions, inputs of a block,
 * outputs]. A silu base branch that reads the same values as the functions is stored as the last function of
 * the same GEMM. A base branch that reads the raw inputs, while the functions read normalized ones, has its
 * own weights; if it is silu, it is computed in the same GEMM (op/kan/kan.h). */
#include "layer/kan/kan_init.h"
#include "layer/kan/kan_layer.h"

static const gt_field fields[] = {
    GT_KAN_ROW(units, GT_FIELD_INT, .min = 1, .max = GT_KAN_MAX_UNITS, .help = "number of output features",
               .flags = GT_FIELD_REQUIRED),
    GT_KAN_ROWS,
    {.name = NULL},
};

static gt_id build_kan(gt_build *build, const void *config, const gt_id *input) {
  gt_kan_choice choice;
  if (gt_node_at(build->graph, input[0])->shape.rank < 2)
    return gt_build_error(build, NULL, "needs at least one axis besides the batch; its input is %s",
                          gt_build_input_text(build, input, 0));
  return gt_kan_read(build, config, &choice) ? gt_kan_apply(build, &choice, input[0]) : GT_NONE;
}

GT_DEFINE(layer, kan) = {
    .name = "kan",
    .help = "Kolmogorov-Arnold layer over the last axis: a learned function per pair of input and output",
    .schema = GT_SCHEMA("kan", "Kolmogorov-Arnold layer", fields, "units"),
    .config_size = sizeof(gt_kan_config),
    .family = GT_LAYER_KAN,
    .refit = gt_kan_refit,
    .describe_refit = gt_kan_describe_refit,
    .build = build_kan};
