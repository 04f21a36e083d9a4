/* A fixture for tests of plans: a graph that the test builds and plans, and a CPU backend to run the plan. */
#ifndef GT_TESTS_FIXTURE_H
#define GT_TESTS_FIXTURE_H
#include "backend/backend.h"
#include "graph/graph.h"
#include "plan/plan.h"

typedef struct fixture {
  gt_arena arena;
  gt_graph *graph;
  gt_backend *backend;
} fixture;

int fixture_setup(void **state); /* *state: a fixture with an empty graph; one at a time */
int fixture_teardown(void **state);

/* Declares an F32 variable; returns the node that reads its content before the step. */
gt_id fixture_variable(fixture *f, const char *name, gt_shape shape);
/* Assigns `value` to a new variable, so that the plan computes it. Returns the node of the assignment. */
gt_id fixture_assign(gt_graph *graph, const char *name, gt_id value);
gt_id fixture_keep(fixture *f, const char *name, gt_id value); /* fixture_assign in f->graph */
extern const gt_target fixture_fast_gpu;                       /* a large GPU with matrix units */
/* A plan of f->graph; the test fails if there is none. */
gt_plan *fixture_plan(fixture *f, const gt_plan_options *options);
/* fixture_plan for a small GPU if `device`, otherwise for a CPU. */
gt_plan *fixture_plan_for(fixture *f, bool device, bool no_fusion);
/* The first step that runs the kernel; the test fails if there is none. */
const gt_step *fixture_step(const gt_plan *plan, const char *kernel);
/* Runs the plan `times` times on the CPU. At the start, element i of variable v is fill(v, i). Copies the
 * final content of variable `read` to `out`. */
void fixture_run(fixture *f, const gt_plan *plan, float (*fill)(uint32_t v, int64_t i), uint32_t times,
                 uint32_t read, float *out);
#endif
