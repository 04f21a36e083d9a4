/* Lowering: how an op turns a group of nodes into steps; the interface between ops (gt_op.lower) and the
 * plan. A group is the result of fusion: at most one leader (a node with its own kernel) and elementwise
 * nodes around it, stored as a program. The plan calls leader->op->lower(lowering, group), or for a group
 * without leader the lower function of elementwise ops. A row program also reduces along the rows of its
 * iteration space, [rows, width]: some of its nodes are reductions (gt_op.row), some have one value per row.
 * It has its own kernel, or is the epilogue of a leader whose tiles hold whole rows (gt_op.rows). */
#ifndef GT_STEP_LOWERING_H
#define GT_STEP_LOWERING_H
#include "graph/op.h"
#include "step/program.h"
#include "step/step.h"

enum {
  GT_FOLLOWERS = 2, /* length of gt_group.follower */
  GT_JOINING = 2,   /* length of gt_group.joins */
  /* Number of addresses in a kernel's arguments for the inputs, and for the outputs, of an epilogue. */
  GT_EPILOGUE_INPUTS = 4,
  GT_EPILOGUE_OUTPUTS = 2,
  /* A row program as an epilogue may have more outputs. This many of them have addresses of their own; the
   * others use the addresses of unused inputs, from the last input down. */
  GT_EPILOGUE_EXTRA_OUTPUTS = 1
};

typedef struct gt_group {
  gt_id leader;       /* GT_NONE for a purely elementwise group */
  gt_program program; /* epilogue, prologue or the whole program. If nothing is fused, it has no instructions,
                         and after a leader with an epilogue one output: the leader's value */
  gt_id input[GT_PROGRAM_INPUTS];   /* node read as program input k */
  gt_id output[GT_PROGRAM_OUTPUTS]; /* node written by program output k */
  gt_shape shape;                   /* iteration space of the program */
  uint32_t row_length;              /* of the iteration space, for GT_LOAD_ROW and _COLUMN */
  uint32_t width;                   /* for a row program the same as `row_length`; otherwise 0 */
  /* joins[k]: the node that reduces the columns of output k, or GT_NONE; with GT_COLUMNS_WHOLE, the followers
   * are these nodes. columns: which reduction it is (GT_COLUMNS_… without flag bits; 0: none). The leader's
   * kernel may also compute it, tile by tile (gt_lower_joins). passing: bit k is 1 if only joins[k] reads
   * output k, so that it need not be written; if both outputs have reductions, bit 1 is 1. */
  gt_id joins[GT_JOINING];
  uint32_t columns, passing;
  /* Fused consumers: nodes of the group that read its only output row by row (gt_op.follows). The leader's
   * kernel may also compute them (gt_lower_follows); otherwise each of them gets a kernel of its own. */
  gt_id follower[GT_FOLLOWERS];
  int followers;
  /* GT_MEASURED_…: whether consumers of the only stored output need the largest magnitude (amax) of its rows,
   * of its columns or of both; see gt_lower_measures. */
  uint32_t measured;
  /* 1 + the node of a flag, or 0. If the group's kernels can (gt_lower_check), they clear the flag if an
   * element of the only output is not finite. */
  uint32_t flag;
  gt_id clock;       /* clock node if the program draws random numbers, otherwise GT_NONE */
  const gt_id *node; /* all nodes of the group, in index order */
  int nodes;
} gt_group;

typedef struct gt_lowering gt_lowering;

const gt_graph *gt_lowering_graph(const gt_lowering *lowering);
const gt_target *gt_lowering_target(const gt_lowering *lowering);

/* Chooses one of n candidates for the next step: the one that tuning found fastest (step/tuned.h), if it is
 * among them, otherwise the first with the lowest cost. The key describes the problem with everything that
 * candidates and costs depend on: within a plan, equal keys get the same candidate. `gtrain check --choices`
 * lists the choices. */
const gt_candidate *gt_lower_choice(gt_lowering *lowering, const char *key, gt_candidate_text *text,
                                    const gt_candidate *candidates, uint32_t n);
/* The candidate that was chosen for this key earlier in the plan, which the next step uses again; NULL: none
 * yet. */
const gt_candidate *gt_lower_reuse_choice(gt_lowering *lowering, const char *key);
/* Adds a step. args is copied; its addresses are filled in later. The caller may edit the returned step
 * (spec, tiles, grid) until the next call of gt_lower_step. */
gt_step *gt_lower_step(gt_lowering *lowering, const gt_kernel *kernel, const void *args, size_t args_size);
/* The next functions declare buffer arguments of the current step: at byte `argument` of its args lies the
 * address of a node's value, a scratch buffer, a variable or constants. Each result of a node is a separate
 * value (gt_result). */
void gt_lower_read(gt_lowering *lowering, size_t argument, gt_id node);
void gt_lower_write(gt_lowering *lowering, size_t argument, gt_id node);
/* Like gt_lower_write, for a part of the node's value that no other step of this lowering writes. */
void gt_lower_write_part(gt_lowering *lowering, size_t argument, gt_id node);
/* Declares that all writes of the current step, so far, are such partial writes. */
void gt_lower_mark_partial_writes(gt_lowering *lowering);
/* True if the leader's value lies in the memory of the input that initializes it (gt_op.begins_as), so that
 * nothing has to be copied. */
bool gt_lower_is_in_place(const gt_lowering *lowering);
/* Allocates a scratch buffer for the steps of this group; returns its number. */
uint32_t gt_lower_scratch(gt_lowering *lowering, uint64_t bytes);
/* The same, in memory that nothing else uses: it is 0 before the first run of the plan and keeps its content
 * between runs. */
uint32_t gt_lower_persistent(gt_lowering *lowering, uint64_t bytes);
void gt_lower_use_scratch(gt_lowering *lowering, size_t argument, uint32_t scratch, bool write);
/* The current step reads this many bytes of scratch memory, from byte `offset` on. */
void gt_lower_read_scratch(gt_lowering *lowering, size_t argument, uint32_t scratch, uint64_t offset,
                           uint64_t bytes);
/* The current step reads and writes the variable. */
void gt_lower_update_variable(gt_lowering *lowering, size_t argument, uint32_t variable);
/* The current step reads `data`, which is copied and uploaded with the plan. */
void gt_lower_constants(gt_lowering *lowering, size_t argument, const void *data, size_t size);

/* Partial column reductions that the producing kernel computed for another node, one per tile of `rows` rows
 * (the last tile may have fewer): [tiles, values per column, columns] from byte `offset` of a scratch buffer
 * on. */
typedef struct gt_joined {
  uint32_t scratch, tiles, rows;
  uint64_t offset;
} gt_joined;
/* Declares that the steps of this group compute the reduction of output k for gt_group.joins[k]. */
void gt_lower_joins(gt_lowering *lowering, const gt_group *group, int k, gt_joined joined);
/* Declares that the current step does not write the outputs in gt_group.passing. Call it after
 * gt_lower_program. */
void gt_lower_passes(gt_lowering *lowering, const gt_group *group);
/* True if the kernel that writes the input of the group's leader also computes the leader's reduction. */
bool gt_lower_joined(const gt_lowering *lowering, const gt_group *group, gt_joined *joined);

/* The current step also writes the value of the group's i-th follower, at byte `argument`. */
void gt_lower_follows(gt_lowering *lowering, const gt_group *group, int i, size_t argument);
/* True if the node is one of the group's fused consumers. */
bool gt_group_follows(const gt_group *group, gt_id node);

/* Scales for the rows (or columns) of a value, made from their largest magnitudes by the kernel that writes
 * the value; a scratch buffer in the format of shaders/op/matmul/range.h: [ceil(length / depth)][lines,
 * padded]. */
typedef struct gt_measured {
  uint32_t scratch, lines, length; /* lines: number of rows (or columns), length: elements in each */
  uint32_t depth;                  /* neighboring elements that share one scale */
} gt_measured;
/* Declares that the steps of this group compute the scales. which: GT_MEASURED_ROWS or _COLUMNS, one that
 * gt_group.measured contains. */
void gt_lower_measures(gt_lowering *lowering, const gt_group *group, uint32_t which, gt_measured measured);
/* True if the scales were computed for the value, or for the value that it is a reshape of. */
bool gt_lower_measured(const gt_lowering *lowering, gt_id value, uint32_t which, gt_measured *measured);
/* Declares that a value is stored in this format, because all its consumers can read it. */
void gt_lower_declare_format(gt_lowering *lowering, gt_id value, gt_form form);
/* The storage format of a node's value, or of the value that it is a reshape of; NULL: in memory with its
 * dtype. */
const gt_form *gt_lower_form(const gt_lowering *lowering, gt_id value);
/* The current step writes the group's only output; if the group has a flag, the step clears it, at byte
 * `argument`, if a value is not finite (GT_SPEC_CHECKED). gt_lower_program calls this for kernels that store
 * with gt_program_store. */
void gt_lower_check(gt_lowering *lowering, const gt_group *group, size_t argument);
/* The current step may clear a flag, at byte `argument`; steps that clear the same flag do not wait for each
 * other. */
void gt_lower_clear(gt_lowering *lowering, gt_id flag, size_t argument);
/* A range of elements of a value. */
typedef struct gt_element_range {
  int64_t offset, count;
} gt_element_range;
/* For the group of a flag: the ranges of its first input that no other group checks; NULL: all of it. */
const gt_element_range *gt_lower_unchecked_ranges(const gt_lowering *lowering, size_t *n);
/* Like gt_lower_read, for a range of a node's value. */
void gt_lower_read_range(gt_lowering *lowering, size_t argument, gt_id node, gt_element_range range);

/* Adds the group's program to the current step: its specialization constants and the addresses of inputs,
 * outputs, clock and layout. x, y, clock, layout: where these addresses lie in the arguments, in bytes; clock
 * and layout: -1 if the arguments have none. Of an epilogue, only the first GT_EPILOGUE_OUTPUTS outputs are
 * bound here; the leader's lowering binds the others. A layout is created if an input is GT_LOAD_GENERAL. */
void gt_lower_program(gt_lowering *lowering, const gt_group *group, size_t x, size_t y, long clock,
                      long layout);
/* Workgroup size of a kernel: `size`, a power of two, halved until it fits the target, at least `least`. */
uint32_t gt_lower_workgroup(const gt_lowering *lowering, uint32_t size, uint32_t least);
/* Sets spec LOCAL_X and grid for `count` work items along x, in workgroups of `local` threads, a power of two
 * that is halved as in gt_lower_workgroup. The number of workgroups is capped at the target's limit: the
 * kernel must loop. If the algorithm depends on the workgroup size, `local` must fit the target. */
void gt_lower_grid(gt_lowering *lowering, uint64_t count, uint32_t local);
/* Sets spec LOCAL_X and grid for kernels that do not loop: `groups` workgroups of `local` threads along x
 * and, beyond the target's limit, along y. A workgroup's number is x + y * (workgroups along x); the last
 * numbers may exceed `groups`. */
void gt_lower_workgroups(gt_lowering *lowering, uint64_t groups, uint32_t local);
/* True if the target can launch the step. A launch beyond a device's limits is undefined behavior, often
 * without an error. */
bool gt_step_fits(const gt_step *step, const gt_target *target, gt_error *error);
#endif
