/* One layer on an input of a given shape, for tests of layers. */
#ifndef GT_TESTS_LAYER_H
#define GT_TESTS_LAYER_H
#include "model/model.h"
#include "store/state_dict.h"

typedef struct layer_fixture {
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_graph *graph;
  gt_model *model;     /* NULL on an error: see diagnostics */
  gt_state_dict image; /* parameters and states initialized with seed 1 */
} layer_fixture;

/* The model of this line of a config's `model:`, in training; its input is the variable "x". */
void layer_build(layer_fixture *f, const char *layer, gt_shape shape);
/* The same; the test fails if there is an error. */
void layer_build_good(layer_fixture *f, const char *layer, gt_shape shape);
void layer_finish(layer_fixture *f);
/* The values of a tensor of the layer, and its node; the test fails if there is none. */
float *layer_values(const layer_fixture *f, const char *name);
gt_id layer_node(const layer_fixture *f, const char *name);
/* The value of a node of the graph if "x" is x, on the CPU. */
void layer_run(layer_fixture *f, gt_id node, const float *x, float *out);

/* The next pseudo-random number between low and high. */
double layer_random(uint32_t *state, double low, double high);
#endif
