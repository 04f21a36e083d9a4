/* lstm, as torch.nn.LSTM: op/recurrent/recurrent.h. */
#include "layer/recurrent/stack.h"

typedef struct lstm_config {
  gt_recurrent_config common;
  double forget_bias;
} lstm_config;

static const gt_field fields[] = {
    GT_RECURRENT_KEYS,
    GT_ROW(lstm_config, forget_bias, GT_FIELD_FLOAT, .min = -100, .max = 100,
           .help = "added to the initial forget biases, 1 in Keras (default: nothing, as in PyTorch)"),
    {.name = NULL},
};

static gt_id build_lstm(gt_build *build, const void *config, const gt_id *input) {
  const lstm_config *c = config;
  if (c->forget_bias != 0 && !c->common.bias)
    return gt_build_error(build, "forget_bias", "has no biases to add a forget_bias to: bias is false");
  return gt_recurrent_stack(build, &c->common, GT_CELL_LSTM, c->forget_bias, input);
}

GT_DEFINE(layer, lstm) = {.name = "lstm",
                          .help = "long short-term memory over the steps of a sequence",
                          .schema = GT_SCHEMA("lstm", "long short-term memory", fields, "hidden_size"),
                          .config_size = sizeof(lstm_config),
                          .family = GT_LAYER_SEQUENCE,
                          .axes = gt_recurrent_axes,
                          .build = build_lstm};
