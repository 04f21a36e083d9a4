/* gt_plan: an immutable list of steps (kernel launches with their arguments) over one arena and the graph's
 * variables. It fixes order, lifetimes, aliasing and where a barrier is truly needed. A backend replays it;
 * it knows nothing else. Steps are sorted by level: steps of one level do not depend on each other and may
 * run at the same time; between two levels stands a barrier. Memory is reused only across levels, and by the
 * plans that run before and after. Where a plan is replayed time and again, the first `ahead` levels of a
 * replay may share those of the last `ahead` of the one before, level by level; addresses then move by
 * their access's stride in every other replay. Owner: its arena. */
#ifndef GT_PLAN_PLAN_H
#define GT_PLAN_PLAN_H
#include "step/step.h"
#include "step/tuned.h"

typedef struct gt_plan {
  const gt_graph *graph;
  gt_step *step;
  uint32_t steps, levels;
  uint32_t ahead, steps_ahead; /* the first levels, and the steps in them */
  uint64_t arena_bytes;        /* peak, with aliasing; other plans of a backend use the same */
  uint64_t lasting_bytes;      /* zeros at first, and no other plan's */
  uint64_t unaliased_bytes;    /* what it would take without reuse */
  const gt_choice *choice;     /* what steps were chosen by */
  uint32_t choices;
  const void *constants;
  uint64_t constant_bytes;
  uint64_t *variable_bytes; /* of each graph variable, padded */
  double flops;
  const gt_access *kept; /* where each node of options.keep lies after a run, until another plan runs */
} gt_plan;

typedef struct gt_plan_options {
  gt_target target;
  bool no_fusion;
  bool no_reuse;         /* every value keeps its own memory: for finding a NaN, for tests */
  bool no_overlap;       /* a replay ends before the next one begins: for measuring kernels alone */
  const gt_tuned *tuned; /* ways that were found best; or NULL */
  const gt_id *keep;     /* nodes whose values must be readable after a run */
  int keep_count;
} gt_plan_options;

/* Plans the graph's roots and kept nodes; NULL (internal error) with the reason in error. */
gt_plan *gt_plan_create(gt_arena *arena, const gt_graph *graph, const gt_plan_options *options,
                        gt_error *error);
/* Verifies: no two values that live in one level overlap unless aliased; every read has a writer in an
 * earlier level; nothing that runs ahead touches what the replay before still needs. */
bool gt_plan_verify(const gt_plan *plan, gt_error *error);
void gt_plan_print(const gt_plan *plan, FILE *stream);
/* What the steps were chosen from: what was asked, what was taken and what it is reckoned to cost, the
 * others. */
void gt_plan_print_choices(const gt_plan *plan, FILE *stream);
#endif
