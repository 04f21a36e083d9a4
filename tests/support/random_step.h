/* A random step to be replayed repeatedly: a clock, a batch, values computed from them and from variables,
 * and variables that are assigned some of these values. */
#ifndef GT_TESTS_RANDOM_STEP_H
#define GT_TESTS_RANDOM_STEP_H
#include "graph/graph.h"

enum { RANDOM_STEP_SAMPLES = 3 /* batches in the data */, RANDOM_STEP_VALUES = 30 /* the most `values` */ };

/* Adds the step to the graph: a batch of `size` samples with `size` features, at most `values` values [size,
 * size], and the variables state, table, data, log and four others. *state: of the random numbers. */
void random_step_draw(gt_graph *graph, uint32_t *state, int64_t size, uint32_t values);
/* The next random number from 0 to below - 1. */
uint32_t random_step_roll(uint32_t *state, uint32_t below);
#endif
