/* gt_plan: an immutable list of steps (kernel launches with their arguments) over one arena and the graph's
 * variables. It determines order, lifetimes, aliasing and the necessary barriers; a backend only replays it.
 * Steps are sorted by level: steps of one level do not depend on each other and may run at the same time;
 * there is a barrier between two levels. Values share memory only if they are in use in different levels;
 * other plans use the same memory before and after a run. If a plan is replayed repeatedly, the first `ahead`
 * levels of a replay may run together with the last `ahead` levels of the previous one, level by level.
 * Addresses then move by the stride of their access in every other replay. Owner: its arena. */
#ifndef GT_PLAN_PLAN_H
#define GT_PLAN_PLAN_H
#include "step/step.h"
#include "step/tuned.h"

typedef struct gt_plan {
  const gt_graph *graph;
  gt_step *step;
  uint32_t steps, levels;
  uint32_t ahead, steps_ahead; /* number of overlapped first levels, and of steps in them */
  uint64_t arena_bytes;        /* peak, with aliasing; other plans of a backend use the same memory */
  uint64_t persistent_bytes;   /* persists between runs, initially zeros; not shared with other plans */
  uint64_t unaliased_bytes;    /* size of the arena without reuse */
  const gt_choice *choice;     /* the choices of candidates for steps */
  uint32_t choices;
  const void *constants; /* data of steps that is uploaded with the plan */
  uint64_t constant_bytes;
  uint64_t *variable_bytes; /* of each graph variable, padded */
  double flops;
  const gt_access *kept; /* location of each node of options.keep after a run, until another plan runs */
} gt_plan;

typedef struct gt_plan_options {
  gt_target target;
  bool no_fusion;
  bool no_reuse;         /* every value has its own memory, to find a NaN, and for tests */
  bool no_overlap;       /* each replay ends before the next one begins, to measure single kernels */
  const gt_tuned *tuned; /* the fastest candidates found by tuning; or NULL */
  const gt_id *keep;     /* nodes whose values must be readable after a run */
  int keep_count;
} gt_plan_options;

/* Plans the graph's roots and kept nodes, and verifies the plan. NULL with the reason in `error`: the error
 * of the graph, or an internal one. */
gt_plan *gt_plan_create(gt_arena *arena, const gt_graph *graph, const gt_plan_options *options,
                        gt_error *error);
/* Verifies that each access is inside its buffer, and that no two steps that may run at the same time (in one
 * level, or in overlapped levels of two replays) access bytes that one of them writes. */
bool gt_plan_verify(const gt_plan *plan, gt_error *error);
void gt_plan_print(const gt_plan *plan, FILE *stream);
/* Prints the choices of candidates: the problem, the chosen candidate with its estimated cost, and the next
 * best. */
void gt_plan_print_choices(const gt_plan *plan, FILE *stream);
#endif
