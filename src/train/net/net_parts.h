/* Functions of the net*.c files, from which net.c builds nets. */
#ifndef GT_TRAIN_NET_PARTS_H
#define GT_TRAIN_NET_PARTS_H
#include "train/net/net.h"

/* Each stage has its own clock: "gradient" counts batches, the others steps. */
gt_id gt_net_clock(gt_graph *graph, const char *state_name, const char *table_name, int rows, int width);
gt_id gt_net_main_clock(gt_net *net, gt_graph *graph, gt_arena *arena, int rows);
/* Builds batch, model and loss, for training and evaluation. False after reporting an error. */
bool gt_net_build_forward(gt_net *net, gt_graph *graph, gt_arena *arena, gt_config *config,
                          gt_model_mode mode, gt_id clock, const gt_net_options *options);
/* Builds the log row that the host reads, and sets net->column. */
void gt_net_build_log(gt_net *net, gt_graph *graph, gt_arena *arena, gt_id clock);
/* Builds outputs instead of a log, if there are no targets. */
void gt_net_build_outputs(const gt_net *net, gt_graph *graph, gt_arena *arena);
/* Adds a stage with a finished graph, and plans it. */
bool gt_net_add_stage(gt_net *net, gt_graph *graph, uint32_t times, gt_arena *arena,
                      const gt_net_options *options, gt_error *error);
/* Build the two stages of a step of several batches; a line search uses only the first one. */
bool gt_net_build_gradient(gt_net *net, gt_arena *arena, gt_config *config, const gt_net_options *options,
                           gt_error *error);
bool gt_net_build_update(gt_net *net, gt_arena *arena, gt_config *config, const gt_net_options *options,
                         gt_error *error);
#endif
