/* gt_samples: the tensors of the data room as variables of a graph: uploaded once, read in batches. The
 * inputs are those of a split, or samples that come without targets, for predictions. */
#ifndef GT_TRAIN_SAMPLES_H
#define GT_TRAIN_SAMPLES_H
#include "augment/augment.h"
#include "data/data.h"
#include "model/model.h"
#include "op/batch.h"
#include "store/buffers.h"

typedef struct gt_samples {
  int inputs;
  const gt_input *input;   /* of each: what it is */
  const gt_tensor *tensor; /* and its samples */
  const char *variable;    /* what their variables are called: VARIABLE.NAME, or VARIABLE of GT_INPUT_NAME */
  int64_t window;          /* rows of their variables, where these are windows (feed.h); 0: they hold all */
} gt_samples;

/* One batch of each input as the network sees it, normalised; in the arena. The scaling is in the variables
 * data.scaling.NAME. */
gt_model_inputs gt_samples_batch(const gt_samples *samples, gt_arena *arena, gt_graph *graph, gt_id clock,
                                 gt_batch_attribute attribute);
/* The same of the one input there is, as augmentation changes it; drawn: what it drew (op/augment/augment.h).
 */
gt_model_inputs gt_samples_augmented(const gt_samples *samples, gt_arena *arena, gt_graph *graph, gt_id clock,
                                     gt_batch_attribute attribute, const gt_augment_plan *plan, gt_id *drawn);
/* Brings them there, but for those that come through windows, and their scaling. */
bool gt_samples_upload(const gt_samples *samples, gt_buffers *buffers, gt_error *error);
/* What the variable of an input is called, in the arena. */
const char *gt_samples_variable(const gt_samples *samples, int input, gt_arena *arena);

/* A batch of an input, or of pictures as targets, as the network sees it. */
gt_id gt_input_piece(const gt_input *input, gt_graph *graph, gt_id batch);
/* A tensor in a variable of its shape and type; of a window, with so many rows. */
gt_id gt_tensor_read(const gt_tensor *tensor, int64_t window, gt_graph *graph, const char *variable);
bool gt_tensor_upload(const gt_tensor *tensor, const char *variable, gt_buffers *buffers, gt_error *error);
#endif
