/* rnn, as torch.nn.RNN: op/recurrent/recurrent.h. */
#include "layer/recurrent/stack.h"
#include <string.h>

typedef struct rnn_config {
  gt_recurrent_config common;
  const char *nonlinearity;
} rnn_config;

static const char *const nonlinearities[] = {"tanh", "relu", NULL};

static const gt_field fields[] = {
    GT_RECURRENT_KEYS,
    GT_ROW(rnn_config, nonlinearity, GT_FIELD_CHOICE, .fallback = "tanh", .choices = nonlinearities,
           .help = "function of the new state"),
    {.name = NULL},
};

static gt_id build_rnn(gt_build *build, const void *config, const gt_id *input) {
  const rnn_config *c = config;
  const gt_cell cell = strcmp(c->nonlinearity, "relu") ? GT_CELL_RNN_TANH : GT_CELL_RNN_RELU;
  return gt_recurrent_stack(build, &c->common, cell, 0, input);
}

GT_DEFINE(layer, rnn) = {.name = "rnn",
                         .help = "simple recurrent layer over the steps of a sequence",
                         .schema = GT_SCHEMA("rnn", "simple recurrent layer", fields, "hidden_size"),
                         .config_size = sizeof(rnn_config),
                         .family = GT_LAYER_SEQUENCE,
                         .axes = gt_recurrent_axes,
                         .build = build_rnn};
