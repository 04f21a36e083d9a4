/* gt_step: one kernel launch with its arguments. An op's lowering emits it (step/lowering.h), a plan assigns
 * memory and order (plan/plan.h), a backend runs it. */
#ifndef GT_STEP_STEP_H
#define GT_STEP_STEP_H
#include "graph/graph.h"
#include "lib/opcodes.h"

/* gt_kernel.needs: matrix units, and a driver that supports full subgroups of the device's size. */
enum { GT_NEEDS_MATRIX_UNITS = 1 };

typedef struct gt_kernel { /* one per shader NAME.comp in shaders/op */
  const char *name;
  /* Runs one tile of the step's fixed CPU grid. args: the kernel's argument struct with host addresses. */
  void (*cpu)(const void *args, const uint32_t *spec, uint32_t tile);
  /* Allocates the memory that tiles need, such as buffers of OpenBLAS, before they run; threads: the largest
   * number of tiles that run at the same time. NULL: tiles need no memory. */
  bool (*prepare)(const void *args, const uint32_t *spec, uint32_t threads, gt_error *error);
  uint32_t needs; /* bits GT_NEEDS_… */
} gt_kernel;

/* Shape of one cooperative matrix multiplication: [m, k] by [k, n], accumulated in float32. m is 0 if it is
 * not supported. */
typedef struct gt_matrix_shape {
  uint32_t m, n, k;
} gt_matrix_shape;

typedef struct gt_matrix_units {
  gt_matrix_shape half, bfloat; /* for float16 and for bfloat16 operands */
  bool fast;                    /* three float16 products cost less than one float32 product */
  bool emulated;                /* by ordinary instructions on matrices in shared memory, for tests */
  bool always;                  /* use matrix units even where they are slower, for tests */
  bool packed;                  /* with `always`: use the kernels for packed operands wherever possible */
} gt_matrix_units;

/* Properties of the machine by which ops choose tile sizes and grids. Ops see only these, not the backend. */
typedef struct gt_target {
  bool device;            /* true: a GPU, which runs a grid of workgroups; false: the CPU, which runs tiles */
  uint32_t subgroup;      /* threads of a subgroup */
  uint32_t max_workgroup; /* largest number of threads of a workgroup; 0: no limit */
  uint32_t shared_bytes;  /* shared memory of a workgroup */
  uint32_t units;         /* GPU: number of multiprocessors; CPU: number of threads */
  uint32_t max_grid;      /* largest number of workgroups along x; 0: what every device supports */
  bool brief; /* prefer short kernels: a software device compiles them for longer than it runs them */
  gt_matrix_units matrix;
} gt_target;

/* Numbers of a plan's buffers; variable v of the graph is GT_PLAN_VARIABLE + v. ARENA: memory that all plans
 * of a backend use in turn. PERSISTENT: memory of this plan alone, which keeps its content between runs. */
enum { GT_PLAN_ARENA, GT_PLAN_PERSISTENT, GT_PLAN_CONSTANTS, GT_PLAN_VARIABLE };

typedef struct gt_access { /* a buffer argument of a step */
  uint32_t argument;       /* byte offset of the address in args */
  uint32_t buffer;
  uint64_t offset, bytes;
  uint64_t stride; /* if replays alternate between two addresses: the distance between them; otherwise 0 */
  bool write, read;
  uint32_t flag; /* 1 + the node of a flag that several steps may clear, in any order; or 0 */
} gt_access;

/* One of several implementations of a step. */
enum { GT_CANDIDATE_WORDS = 8 };
typedef struct gt_candidate {
  double cost;     /* estimated by the op, in a unit of its choice */
  uint32_t family; /* candidates of the same family differ less from each other than from others */
  uint32_t what[GT_CANDIDATE_WORDS]; /* the launch configuration, encoded by the op */
} gt_candidate;
/* Describes a candidate, as in "128x128x8, split 4". Within one choice, equal texts mean equal candidates. */
typedef void gt_candidate_text(const gt_candidate *candidate, char *text, size_t size);
enum { GT_CANDIDATE_TEXT = 64 }; /* sufficient size for any such text */

typedef struct gt_choice {
  const char *key; /* describes the problem; within a plan, equal keys get the same candidate */
  gt_candidate_text *text;
  const gt_candidate *candidate;
  uint32_t candidates, taken; /* number of candidates; index of the chosen one */
  bool tuned;                 /* chosen because tuning found it fastest (step/tuned.h), not by its cost */
} gt_choice;

typedef struct gt_step {
  const gt_kernel *kernel;
  _Alignas(8) uint8_t args[128];
  uint32_t args_size;
  uint32_t spec[GT_SPEC_COUNT];
  uint32_t tiles;    /* CPU: number of calls of kernel->cpu */
  uint32_t grid[3];  /* device: number of workgroups along x, y and z */
  gt_access *access; /* the buffer arguments */
  int accesses;
  uint32_t level;    /* steps of one level run without a barrier between them */
  bool barrier;      /* a barrier precedes this step */
  gt_id node;        /* the leader or last node of the group */
  uint32_t choice;   /* 1 + the index in gt_plan.choice, or 0: no choice */
  const char *scope; /* the layer that created the node */
  double flops;
  double functions; /* function evaluations, which flops does not count (gt_op.functions) */
  bool prepares;    /* preparation: the FLOPs of the group are counted for a later step */
  bool cached;      /* rereads data from the L1 cache: slow beside kernels that use much shared memory */
  uint64_t bytes;   /* total size of the ranges that it reads and writes */
  uint64_t touched; /* bytes of them that one run really accesses; 0: bytes - spared */
  uint64_t spared;  /* bytes of them that one run does not access, such as table rows that no index selects */
} gt_step;

/* Estimated memory traffic of one run of the step, in bytes. */
static inline uint64_t gt_step_traffic(const gt_step *step) {
  return step->touched ? step->touched : step->bytes - step->spared;
}

/* Number of workgroups on a device. */
static inline uint64_t gt_step_workgroups(const gt_step *step) {
  return (uint64_t)step->grid[0] * step->grid[1] * step->grid[2];
}
#endif
