/* gru, as torch.nn.GRU: op/recurrent/recurrent.h. */
#include "layer/recurrent/stack.h"

static const gt_field fields[] = {GT_RECURRENT_KEYS, {.name = NULL}};

static gt_id build_gru(gt_build *build, const void *config, const gt_id *input) {
  return gt_recurrent_stack(build, config, GT_CELL_GRU, 0, input);
}

GT_DEFINE(layer, gru) = {.name = "gru",
                         .help = "gated recurrent units over the steps of a sequence",
                         .schema = GT_SCHEMA("gru", "gated recurrent unit", fields, "hidden_size"),
                         .config_size = sizeof(gt_recurrent_config),
                         .family = GT_LAYER_SEQUENCE,
                         .axes = gt_recurrent_axes,
                         .build = build_gru};
