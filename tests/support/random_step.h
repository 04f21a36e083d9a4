/* A random step to be replayed repeatedly: a clock, a batch, values computed from them and from variables,
 * and variables that are assigned some of these values. */
#ifndef GT_TESTS_RANDOM_STEP_H
#define GT_TESTS_RANDOM_STEP_H
#include "graph/graph.h"

enum { RANDOM_STEP_SAMPLES = 3, /* batches of data */ RANDOM_STEP_VALUES = 30 /* at most */ };

/* Batches of `samples` samples with `features` features; at most this many values. The variables: state,
 * table, data, log, and four others. */
void random_step_draw(gt_graph *graph, uint32_t *state, int64_t size, uint32_t values);
uint32_t random_step_roll(uint32_t *state, uint32_t below);
#endif
