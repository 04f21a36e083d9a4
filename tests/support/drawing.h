/* A graph to be drawn up and planned, and a CPU to run it: what tests of plans begin and end with. */
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

/* What is in a new variable. */
gt_id drawing_variable(fixture *f, const char *name, gt_shape shape);
/* Has the plan make it: it goes to a new variable. The node that does. */
gt_id drawing_assign(gt_graph *graph, const char *name, gt_id value);
gt_id drawing_keep(fixture *f, const char *name, gt_id value);
extern const gt_target drawing_fast_gpu; /* a large one with matrix units */
/* A test that cannot have these fails. */
gt_plan *drawing_plan(fixture *f, const gt_plan_options *options);
gt_plan *drawing_planned(fixture *f, bool device, bool no_fusion);    /* for a small GPU, or a CPU */
const gt_step *drawing_step(const gt_plan *plan, const char *kernel); /* the first that runs it */
/* Runs the plan `times` times on variables filled by number and place, and copies variable `read` out. */
void drawing_run(fixture *f, const gt_plan *plan, float (*fill)(uint32_t v, int64_t i), uint32_t times,
                 uint32_t read, float *out);
#endif
