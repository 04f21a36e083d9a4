/* gt_step: one kernel launch with its arguments, which an op's lowering emits (step/lowering.h), a plan gives
 * its place in memory and time (plan/plan.h), and a backend runs. */
#ifndef GT_STEP_STEP_H
#define GT_STEP_STEP_H
#include "graph/graph.h"
#include "lib/opcodes.h"

enum { GT_NEEDS_MATRIX_UNITS = 1 }; /* of a device, and of its driver full subgroups of the device's size */

typedef struct gt_kernel { /* one per shader NAME.comp in shaders/op */
  const char *name;
  /* Runs one tile of the step's fixed CPU grid. args: the kernel's argument struct with host addresses. */
  void (*cpu)(const void *args, const uint32_t *spec, uint32_t tile);
  /* What tiles need besides, asked for once before they run, at most so many at a time; NULL: nothing. */
  bool (*prepare)(const void *args, const uint32_t *spec, uint32_t threads, gt_error *error);
  uint32_t needs; /* bits GT_NEEDS_… */
} gt_kernel;

/* What a subgroup multiplies at once: [m, k] by [k, n], added to floats. m is 0: nothing. */
typedef struct gt_matrix_shape {
  uint32_t m, n, k;
} gt_matrix_shape;

typedef struct gt_matrix_units {
  gt_matrix_shape half, bfloat; /* of factors of float16 and of bfloat16 */
  bool fast;     /* so much faster than scalar units that three products are made sooner than one */
  bool emulated; /* by other instructions, for tests */
  bool always;   /* also where they do not pay, for tests */
  bool packed;   /* then, too: factors are packed before wherever that can be */
} gt_matrix_units;

/* What a lowering may know of the machine: enough to choose tile sizes and grids, not which backend it is. */
typedef struct gt_target {
  bool device;            /* launches workgroups (grid); otherwise runs tiles */
  uint32_t subgroup;      /* threads in a subgroup */
  uint32_t max_workgroup; /* threads */
  uint32_t shared_bytes;
  uint32_t units;    /* workgroups it takes to fill the machine (multiprocessors), or threads */
  uint32_t max_grid; /* workgroups along x */
  bool brief;        /* kernels are to be short: a software device takes longer to compile than to run them */
  gt_matrix_units matrix;
} gt_target;

/* Plan buffer numbers; variable v is VARIABLE + v. The arena is the memory of all plans of a backend, one run
 * after another; what is to last from run to run lies apart, in bytes that are a plan's own. */
enum { GT_PLAN_ARENA, GT_PLAN_LASTING, GT_PLAN_CONSTANTS, GT_PLAN_VARIABLE };

typedef struct gt_access { /* a buffer argument of a step */
  uint32_t argument;       /* byte offset of the address in args */
  uint32_t buffer;
  uint64_t offset, bytes;
  uint64_t stride; /* to the other of two places that replays take in turn; 0: it has one */
  bool write, read;
  uint32_t flag; /* 1 + the node whose value many steps may clear, in any order; or 0 */
} gt_access;

/* One of several ways to do a step. */
enum { GT_CANDIDATE_WORDS = 8 };
typedef struct gt_candidate {
  double cost;                       /* as the op reckons it, in a unit of its own */
  uint32_t kin;                      /* those of one number differ less from each other than from the rest */
  uint32_t what[GT_CANDIDATE_WORDS]; /* as the op knows it */
} gt_candidate;
/* "128x128x8, split 4", made when somebody wants to read it. Of one choice, who is called alike is alike. */
enum { GT_WAY_TEXT = 64 }; /* bytes that hold any of them */
typedef void gt_candidate_text(const gt_candidate *candidate, char *text, size_t size);

typedef struct gt_choice {
  const char *key; /* the question: equal keys have equal answers */
  gt_candidate_text *text;
  const gt_candidate *candidate;
  uint32_t candidates, taken;
  bool tuned; /* taken because it was found to be best (step/tuned.h), not for its cost */
} gt_choice;

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
  bool barrier;    /* a barrier stands before this step */
  gt_id node;      /* the leader or last node of the group */
  uint32_t choice; /* 1 + the number of what it was chosen by, 0: nothing (gt_plan.choice) */
  const char *scope;
  double flops;
  double functions; /* function values beside the FLOPs (gt_op.functions) */
  bool prepares;    /* the group's operations are another step's, behind this one */
  bool cached;      /* it reads the same again and again from the nearest cache, which is slow beside kernels
                       that need that cache's memory for themselves */
  uint64_t bytes;   /* read + written */
  uint64_t touched; /* of them, in one run, where that is less, set by lowering; 0: all, … */
  uint64_t spared;  /* … but for so many */
} gt_step;

static inline uint64_t gt_step_moves(const gt_step *step) {
  return step->touched ? step->touched : step->bytes - step->spared;
}

/* A device's workgroups. */
static inline uint64_t gt_step_groups(const gt_step *step) {
  return (uint64_t)step->grid[0] * step->grid[1] * step->grid[2];
}
#endif
