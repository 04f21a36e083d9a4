/* gt_footprint: the device memory that training with a config needs, computed before anything is allocated.
 * It includes the step and the evaluations: buffers of variables (shared variables once), one arena for all
 * plans, and constants. memory_peak (backend/backend.h) is what a backend actually allocated. */
#ifndef GT_TRAIN_FOOTPRINT_H
#define GT_TRAIN_FOOTPRINT_H
#include "base/names.h"
#include "train/net/net.h"

/* The memory of several nets: a variable counts once, and all plans share one arena. All zero at first,
 * except seen.arena. */
typedef struct gt_memory_count {
  gt_names seen; /* names of the variables counted so far */
  uint64_t samples, data, mapped,
      state;              /* variables: of a split; data.* of no split; mapped by the host; others */
  uint64_t plans, shared; /* constants and persistent values of all plans; the largest arena */
  uint64_t unaliased;     /* values of all plans if no two shared memory */
} gt_memory_count;
void gt_memory_count_net(gt_memory_count *count, const gt_net *net);
/* Adds an evaluation of a split, with the hard form if there is one. NULL: it cannot be planned. */
const gt_net *gt_memory_count_evaluation(gt_memory_count *count, gt_config *config, int part,
                                         gt_net_options options, gt_error *error);

typedef struct gt_footprint {
  uint64_t dataset;    /* samples of all splits in use */
  uint64_t state;      /* parameters, optimizer slots, tables and logs */
  uint64_t values;     /* of a training step: arena (shared by all plans), constants, persistent values */
  uint64_t unaliased;  /* the values of a training step if no two shared memory */
  uint64_t evaluation; /* additional memory for evaluations */
  uint64_t total;
} gt_footprint;

/* net: the planned training step. Evaluations are planned here, for the same target. */
bool gt_footprint_of(gt_footprint *footprint, gt_arena *arena, gt_config *config, const gt_net *net,
                     const gt_target *target, gt_error *error);
#endif
