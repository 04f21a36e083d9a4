#include "train/config/phases.h"
#include "base/count.h"

static const int64_t max_steps = INT64_C(1000000000000000); /* of a phase; the sum fits into int64_t */

gt_batching gt_batching_of(int64_t samples, int64_t batch, int64_t parts) {
  const int64_t batches = batch < samples ? gt_ceil_div(samples, batch) : 1;
  parts = gt_min_i64(parts, batches);
  return (gt_batching){gt_min_i64(batch, samples), parts, gt_ceil_div(batches, parts)};
}

static gt_batching batches_of(const gt_config *phase) {
  return gt_batching_of(phase->dataset.split[GT_PART_TRAIN].samples, phase->train.batch_size,
                        phase->train.accumulate);
}

int64_t gt_phase_steps_per_epoch(const gt_config *phase) { return batches_of(phase).steps; }

gt_batching gt_phase_batching(const gt_config *phase) {
  gt_batching batching = batches_of(phase);
  if (!phase->optim->type->line_search) return batching;
  batching.parts *= batching.steps; /* each step uses all data */
  batching.steps = 1;
  return batching;
}

int64_t gt_phase_steps(const gt_config *phase) {
  return phase->train.epochs
             ? gt_times_at_most(phase->train.epochs, gt_phase_batching(phase).steps, max_steps)
             : phase->train.steps;
}

int64_t gt_phase_evaluations(const gt_config *phase) {
  const gt_train_config *train = &phase->train;
  const int64_t units = train->epochs ? train->epochs : train->steps;
  return train->eval_every > 0 ? gt_ceil_div(units, train->eval_every) : 1;
}
