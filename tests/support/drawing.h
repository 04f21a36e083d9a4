/* A graph to be built and planned, and a CPU to run it: shared by the tests of plans. */
#ifndef GT_TESTS_DRAWING_H
#define GT_TESTS_DRAWING_H
#include "backend/backend.h"
#include "graph/graph.h"
#include "plan/plan.h"

typedef struct fixture {
  gt_arena arena;
  gt_graph *graph;
  gt_backend *backend;
} fixture;

int drawing_setup(void **state); /* *state becomes a fixture; one at a time */
int drawing_teardown(void **state);

/* Initial content of a variable. */
gt_id drawing_variable(fixture *f, const char *name, gt_shape shape);
/* Assigns the node to a new variable, so that the plan computes it. Returns the node of the assignment. */
gt_id drawing_assign(gt_graph *graph, const char *name, gt_id value);
gt_id drawing_keep(fixture *f, const char *name, gt_id value);
extern const gt_target drawing_fast_gpu; /* a large GPU with matrix units */
/* The test fails if there is no plan. */
gt_plan *drawing_plan(fixture *f, const gt_plan_options *options);
gt_plan *drawing_planned(fixture *f, bool device, bool no_fusion);    /* for a small GPU, or a CPU */
const gt_step *drawing_step(const gt_plan *plan, const char *kernel); /* the first such step */
/* Runs the plan `times` times on variables filled by index and position, and copies variable `read` out. */
void drawing_run(fixture *f, const gt_plan *plan, float (*fill)(uint32_t v, int64_t i), uint32_t times,
                 uint32_t read, float *out);
#endif
