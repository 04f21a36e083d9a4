/* The order of the samples of a batch, shared by the ops that draw batches (batch, window). The macros work
 * on argument structs that end with GT_BATCH_ORDER_ARGS (shaders/op/batch_args.h). */
#ifndef GT_OP_BATCH_ORDER_H
#define GT_OP_BATCH_ORDER_H
#include "op/batch.h"

/* Sets the members of GT_BATCH_ORDER_ARGS from a gt_batch_attribute. */
#define GT_BATCH_SET_ARGS(args, attribute)                                                            \
  ((args)->batch = (uint32_t)(attribute)->batch, (args)->samples = (uint32_t)(attribute)->samples,    \
   (args)->steps = (uint32_t)gt_batch_steps(attribute), (args)->first_step = (attribute)->first_step, \
   (args)->first_epoch = (attribute)->first_epoch, (args)->window = (attribute)->window,              \
   (args)->classes = (attribute)->classes)

/* Calls gt_batch_find with the batch's parameters, clock and members in args. */
#define GT_BATCH_FIND_SAMPLES(args, order, first, rows, sample)                                             \
  gt_batch_find(&(const gt_batch_attribute){.batch = (args)->batch,                                         \
                                            .samples = (args)->samples,                                     \
                                            .steps = (args)->steps,                                         \
                                            .first_step = (args)->first_step,                               \
                                            .first_epoch = (args)->first_epoch,                             \
                                            .window = (args)->window,                                       \
                                            .classes = (args)->classes},                                    \
                order, GT_PTR(const uint32_t, (args)->batch_clock), GT_PTR(const int32_t, (args)->members), \
                first, rows, sample)

/* Writes the sample of each row `first` … first + rows - 1 of the clock's batch; GT_NONE after the last
 * sample of the data. With GT_BATCH_WINDOW, writes for every row the row of the ring buffer that contains its
 * sample. order: GT_BATCH_SHUFFLED, … (shaders/op/batch_args.h); clock: the step and the two words of the
 * seed, from the clock op. */
void gt_batch_find(const gt_batch_attribute *attribute, uint32_t order, const uint32_t *clock,
                   const int32_t *members, uint32_t first, uint32_t rows, uint32_t *sample);
uint32_t gt_batch_order_of(const gt_batch_attribute *attribute); /* GT_BATCH_SHUFFLED, … */
bool gt_batch_check(const gt_batch_attribute *attribute, gt_error *error);
/* A copy with zeroed padding, because attributes are compared as bytes. */
gt_batch_attribute gt_batch_clean(gt_batch_attribute attribute);
#endif
