/* gt_plan: an immutable list of steps (kernel launches with their arguments) over one arena and the graph's
 * variables. It fixes order, lifetimes, aliasing and where a barrier is truly needed. A backend replays it;
 * it knows nothing else. Steps are sorted by level: steps of one level do not depend on each other and may
 * run at the same time; between two levels stands a barrier. Memory is reused only across levels. Owner: its
 * arena. */
#ifndef GT_PLAN_PLAN_H
#define GT_PLAN_PLAN_H
#include "graph/graph.h"
#include "lib/opcodes.h"

typedef struct gt_kernel { /* one per shader shaders/op/NAME.comp */
  const char *name;
  /* Runs one tile of the step's fixed CPU grid. args: the kernel's argument struct with host addresses. */
  void (*cpu)(const void *args, const uint32_t *spec, uint32_t tile);
  /* What tiles need besides, asked for once before they run, at most so many at a time; NULL: nothing. */
  bool (*prepare)(const void *args, const uint32_t *spec, uint32_t threads, gt_error *error);
} gt_kernel;

/* What a lowering may know of the machine: enough to choose tile sizes and grids, not which backend it is. */
typedef struct gt_target {
  bool device;            /* launches workgroups (grid); otherwise runs tiles */
  uint32_t subgroup;      /* threads in a subgroup */
  uint32_t max_workgroup; /* threads */
  uint32_t shared_bytes;
  uint32_t units;    /* workgroups it takes to fill the machine (multiprocessors), or threads */
  uint32_t max_grid; /* workgroups along x */
} gt_target;

enum {
  GT_PLAN_ARENA,
  GT_PLAN_CONSTANTS,
  GT_PLAN_VARIABLE
}; /* plan buffer numbers; variable v is VARIABLE + v */

typedef struct gt_access { /* a buffer argument of a step */
  uint32_t argument;       /* byte offset of the address in args */
  uint32_t buffer;
  uint64_t offset, bytes;
  bool write, read;
} gt_access;

typedef struct gt_step {
  const gt_kernel *kernel;
  _Alignas(8) uint8_t args[128];
  uint32_t args_size;
  uint32_t spec[GT_SPEC_COUNT];
  uint32_t tiles;   /* CPU */
  uint32_t grid[3]; /* device workgroups */
  gt_access *access;
  int accesses;
  uint32_t level;
  bool barrier; /* a barrier stands before this step */
  gt_id node;   /* the leader or last node of the group */
  const char *scope;
  double flops;
  uint64_t bytes; /* read + written */
} gt_step;

typedef struct gt_plan {
  const gt_graph *graph;
  gt_step *step;
  uint32_t steps, levels;
  uint64_t arena_bytes;     /* peak, with aliasing */
  uint64_t unaliased_bytes; /* what it would take without reuse */
  const void *constants;
  uint64_t constant_bytes;
  uint64_t *variable_bytes; /* of each graph variable, padded */
  double flops;
  const gt_access *kept; /* where each node of options.keep lies after a run */
} gt_plan;

typedef struct gt_plan_options {
  gt_target target;
  bool no_fusion;
  bool no_reuse;     /* every value keeps its own memory: for finding a NaN, for tests */
  const gt_id *keep; /* nodes whose values must be readable after a run */
  int keep_count;
} gt_plan_options;

/* Plans the graph's roots and kept nodes; NULL (internal error) with the reason in error. */
gt_plan *gt_plan_create(gt_arena *arena, const gt_graph *graph, const gt_plan_options *options,
                        gt_error *error);
/* Verifies: no two values that live in one level overlap unless aliased; every read has a writer in an
 * earlier level. */
bool gt_plan_verify(const gt_plan *plan, gt_error *error);
void gt_plan_print(const gt_plan *plan, FILE *stream);
#endif
