/* Random graphs of ops that can be fused, to compare the results of different plans bit by bit.
 *
 * All visible values are integers below 2^22: inputs are small integers, every op either gives integers or is
 * followed by rounding, of values that are far from the boundaries of rounding, and factors are taken modulo
 * 16. float32 then adds them without rounding in any order, so a plan that reorders sums, or one of another
 * backend, must give equal numbers. No tolerance is needed. */
#ifndef GT_TESTS_RANDOM_GRAPH_H
#define GT_TESTS_RANDOM_GRAPH_H
#include "graph/graph.h"

/* Numbers of variables. First the states, which a step updates, in place if the plan can; then a copy of each
 * state, which gets the new value in graphs that update nothing in place; then outputs; then inputs. */
enum {
  RANDOM_GRAPH_STATES = 8,
  RANDOM_GRAPH_OUTPUTS = 5,
  RANDOM_GRAPH_OUTPUT = 2 * RANDOM_GRAPH_STATES,
  RANDOM_GRAPH_INPUT = RANDOM_GRAPH_OUTPUT + RANDOM_GRAPH_OUTPUTS,
  RANDOM_GRAPH_VARIABLES = RANDOM_GRAPH_INPUT + 7,
  RANDOM_GRAPH_KEPT = 2
};

typedef struct random_graph {
  gt_graph *graph;
  bool updated[RANDOM_GRAPH_STATES];
  gt_id kept[RANDOM_GRAPH_KEPT]; /* for gt_plan_options.keep */
  int kept_count;
} random_graph;

/* The graph of a seed: first `fused` products with ops that devices may fuse into them, then `ops` ops of all
 * kinds. in_place: a state's new value is assigned to the state itself, otherwise to its copy. */
random_graph random_graph_draw(gt_arena *arena, uint32_t seed, int fused, int ops, bool in_place);
/* Writes the initial content of a variable, in elements of its type, to `data`. */
void random_graph_fill(const gt_graph *graph, uint32_t variable, uint32_t seed, void *data);
#endif
