/* A random training step, to be run repeatedly: a clock, a batch, values computed from them and from
 * variables, and assignments of some of these values to variables. */
#ifndef GT_TESTS_RANDOM_STEP_H
#define GT_TESTS_RANDOM_STEP_H
#include "graph/graph.h"

enum {
  RANDOM_STEP_BATCHES = 3, /* number of batches in the data */
  RANDOM_STEP_VALUES = 30  /* largest `values` */
};

/* Adds the step to the graph: a batch of `size` samples with `size` features; 3 to `values` - 1 values [size,
 * size]; and the variables "state" and "table" of the clock, "data", "log" and "v0" to "v3". *dice: the state
 * of the random number generator. */
void random_step_draw(gt_graph *graph, uint32_t *dice, int64_t size, uint32_t values);
/* The next random number from 0 to below - 1 (generator: Press et al., "Numerical Recipes", ranqd1). */
uint32_t random_step_roll(uint32_t *dice, uint32_t below);
#endif
