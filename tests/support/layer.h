/* For tests of layers: a model of one layer, with an input of any shape. */
#ifndef GT_TESTS_LAYER_H
#define GT_TESTS_LAYER_H
#include "model/model.h"
#include "store/state_dict.h"

typedef struct layer_fixture {
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_graph *graph;
  gt_model *model;        /* NULL on an error: see diagnostics */
  const int32_t *lengths; /* [samples] of the input; NULL: all of the full length */
  gt_state_dict dict;     /* parameters and states initialized with seed 1 */
} layer_fixture;

/* Builds a model in training mode from one line of a config's `model:`; its input is the variable "x" of this
 * shape. */
void layer_build(layer_fixture *f, const char *layer, gt_shape shape);
/* layer_build with sequences of these lengths along axis 1 as samples; `lengths` must live as long as the
 * fixture. */
void layer_build_padded(layer_fixture *f, const char *layer, gt_shape shape, const int32_t *lengths);
/* layer_build; the test fails if there is an error. */
void layer_build_good(layer_fixture *f, const char *layer, gt_shape shape);
void layer_finish(layer_fixture *f);
/* The values of the layer's parameter or state of this name; the test fails if there is none. */
float *layer_values(const layer_fixture *f, const char *name);
/* The graph's node for the layer's parameter or state of this name. */
gt_id layer_node(const layer_fixture *f, const char *name);
/* Computes the node's value on the CPU, with x as the content of variable "x", and copies it to `out`. */
void layer_run(layer_fixture *f, gt_id node, const float *x, float *out);

/* The next pseudo-random number in [low, high). */
double layer_random(uint32_t *state, double low, double high);
#endif
