/* Shared by the recurrent layers lstm, gru and rnn, which differ in their cell and a few keys: stacked
 * layers, both directions, and lengths. */
#ifndef GT_LAYER_RECURRENT_STACK_H
#define GT_LAYER_RECURRENT_STACK_H
#include "layer/layer.h"
#include "op/recurrent/recurrent.h"

typedef struct gt_recurrent_config { /* keys of all recurrent layers */
  int64_t hidden_size, num_layers;
  bool bias, bidirectional;
  double dropout;
  const char *result;
} gt_recurrent_config;

extern const char *const gt_recurrent_results[];
extern const gt_slot_axes gt_recurrent_axes[]; /* gt_layer_type.axes of all recurrent layers */

/* Rows of a schema whose config begins with gt_recurrent_config. */
#define GT_RECURRENT_KEYS                                                                                 \
  GT_ROW(gt_recurrent_config, hidden_size, GT_FIELD_INT, .min = 1, .max = 1 << 20,                        \
         .flags = GT_FIELD_REQUIRED, .help = "units of each layer and direction"),                        \
      GT_ROW(gt_recurrent_config, num_layers, GT_FIELD_INT, .fallback = "1", .min = 1, .max = 1000,       \
             .help = "layers on top of each other"),                                                      \
      GT_ROW(gt_recurrent_config, bias, GT_FIELD_BOOL, .fallback = "true", .help = "add learned biases"), \
      GT_ROW(gt_recurrent_config, dropout, GT_FIELD_FLOAT, .fallback = "0", .min = 0, .max = 1,           \
             .flags = GT_FIELD_OPEN_MAX,                                                                  \
             .help = "probability of zeroing an output of each layer but the last, in training"),         \
      GT_ROW(gt_recurrent_config, bidirectional, GT_FIELD_BOOL, .fallback = "false",                      \
             .help = "a second recurrence from the last step to the first; outputs are side by side"),    \
      GT_ROW_NAMED("return", gt_recurrent_config, result, GT_FIELD_CHOICE, .fallback = "sequence",        \
                   .choices = gt_recurrent_results,                                                       \
                   .help =                                                                                \
                       "outputs of all steps, [steps, features], or the state after the last, [features]")

/* Emits the stack; GT_NONE after reporting. forget_bias: added to the initial biases of the forget gate in
 * bias_ih. */
gt_id gt_recurrent_stack(gt_build *build, const gt_recurrent_config *config, gt_cell cell, double forget_bias,
                         const gt_id *input);
#endif
