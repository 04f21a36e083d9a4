/* gt_step: one kernel launch with its arguments. An op's lowering emits it (step/lowering.h), a plan assigns
 * memory and order (plan/plan.h), a backend runs it. */
#ifndef GT_STEP_STEP_H
#define GT_STEP_STEP_H
#include "graph/graph.h"
#include "lib/opcodes.h"

/* The device has matrix units, and its driver supports full subgroups of the device's size. */
enum { GT_NEEDS_MATRIX_UNITS = 1 };

typedef struct gt_kernel { /* one per shader NAME.comp in shaders/op */
  const char *name;
  /* Runs one tile of the step's fixed CPU grid. args: the kernel's argument struct with host addresses. */
  void (*cpu)(const void *args, const uint32_t *spec, uint32_t tile);
  /* Allocates what tiles need, such as buffers of OpenBLAS, before they run; threads: the most tiles that run
   * at the same time. NULL: they need nothing. */
  bool (*prepare)(const void *args, const uint32_t *spec, uint32_t threads, gt_error *error);
  uint32_t needs; /* bits GT_NEEDS_… */
} gt_kernel;

/* The shape that a subgroup multiplies at once: [m, k] by [k, n], accumulated in floats. m is 0:
 * unsupported. */
typedef struct gt_matrix_shape {
  uint32_t m, n, k;
} gt_matrix_shape;

typedef struct gt_matrix_units {
  gt_matrix_shape half, bfloat; /* for float16 and for bfloat16 operands */
  bool fast;                    /* three products on them cost less than one on scalar units */
  bool emulated;                /* by other instructions, for tests */
  bool always;                  /* used even where they are slower, for tests */
  bool packed;                  /* with `always`: operands are packed first wherever possible */
} gt_matrix_units;

/* Properties of the machine that a lowering may use to choose tile sizes and grids; not which backend it
 * is. */
typedef struct gt_target {
  bool device;            /* launches workgroups (grid); otherwise runs tiles */
  uint32_t subgroup;      /* threads in a subgroup */
  uint32_t max_workgroup; /* threads */
  uint32_t shared_bytes;
  uint32_t units;    /* workgroups that fill the machine (multiprocessors), or threads */
  uint32_t max_grid; /* workgroups along x */
  bool brief;        /* kernels should be short: a software device takes longer to compile than to run them */
  gt_matrix_units matrix;
} gt_target;

/* Numbers of a plan's buffers; variable v of the graph is GT_PLAN_VARIABLE + v. ARENA: memory that all plans
 * of a backend share, one run after another. LASTING: memory of this plan alone, which keeps its content
 * between runs. */
enum { GT_PLAN_ARENA, GT_PLAN_LASTING, GT_PLAN_CONSTANTS, GT_PLAN_VARIABLE };

typedef struct gt_access { /* a buffer argument of a step */
  uint32_t argument;       /* byte offset of the address in args */
  uint32_t buffer;
  uint64_t offset, bytes;
  uint64_t stride; /* distance to the other of two addresses that replays alternate between; 0: one address */
  bool write, read;
  uint32_t flag; /* 1 + the node whose value many steps may clear, in any order; or 0 */
} gt_access;

/* One of several implementations of a step. */
enum { GT_CANDIDATE_WORDS = 8 };
typedef struct gt_candidate {
  double cost;  /* as estimated by the op, in its own unit */
  uint32_t kin; /* family: candidates with the same number differ less from each other than from others */
  uint32_t what[GT_CANDIDATE_WORDS]; /* the op's own description */
} gt_candidate;
/* "128x128x8, split 4", written on demand. Within one choice, equal texts mean equal candidates. */
enum { GT_WAY_TEXT = 64 }; /* enough for any of them */
typedef void gt_candidate_text(const gt_candidate *candidate, char *text, size_t size);

typedef struct gt_choice {
  const char *key; /* the problem: equal keys have equal answers */
  gt_candidate_text *text;
  const gt_candidate *candidate;
  uint32_t candidates, taken;
  bool tuned; /* chosen because tuning found it fastest (step/tuned.h), not by its cost */
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
  bool barrier;    /* a barrier precedes this step */
  gt_id node;      /* the leader or last node of the group */
  uint32_t choice; /* 1 + the index in gt_plan.choice, or 0: no choice */
  const char *scope;
  double flops;
  double functions; /* function evaluations besides the FLOPs (gt_op.functions) */
  bool prepares;    /* the FLOPs of the group belong to another step, after this one */
  bool cached;      /* rereads data from the L1 cache: slow next to kernels that use much shared memory */
  uint64_t bytes;   /* read + written */
  uint64_t touched; /* bytes that one run really accesses; 0: bytes - spared */
  uint64_t spared;  /* bytes that one run does not access, such as rows of a table that no index selects */
} gt_step;

/* Number of bytes that one run of the step really accesses. */
static inline uint64_t gt_step_moves(const gt_step *step) {
  return step->touched ? step->touched : step->bytes - step->spared;
}

/* Number of workgroups on a device. */
static inline uint64_t gt_step_groups(const gt_step *step) {
  return (uint64_t)step->grid[0] * step->grid[1] * step->grid[2];
}
#endif
