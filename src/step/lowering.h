/* How an op turns a group of nodes into steps: the interface between op rows (lower) and the plan.
 * A group is what fusion made: at most one leader (a node with its own kernel) and elementwise nodes around
 * it, held as a program. The plan calls leader->op->lower(lowering, group), or for a group without leader the
 * elementwise family's.
 * A row program is one that also joins values along the rows of its iteration space, [rows, width]: a group
 * some of whose nodes are reductions (gt_op.row), some have one value a row. It has a kernel of its own, or
 * is the epilogue of a leader whose kernel has whole rows (gt_op.rows). */
#ifndef GT_STEP_LOWERING_H
#define GT_STEP_LOWERING_H
#include "graph/op.h"
#include "step/program.h"
#include "step/step.h"

enum {
  GT_FOLLOWERS = 2,
  GT_JOINING = 2,
  /* Of an epilogue, as kernels' arguments have addresses for them. A row program may have more outputs: the
   * first in a place of its own, from there on in those of inputs, the last one first. */
  GT_EPILOGUE_INPUTS = 4,
  GT_EPILOGUE_OUTPUTS = 2,
  GT_EPILOGUE_APART = 1
};

typedef struct gt_group {
  gt_id leader;       /* GT_NONE for a purely elementwise group */
  gt_program program; /* epilogue, prologue or the whole; for a lone leader it has no instructions and
                         (epilogue leaders) one output, the leader itself */
  gt_id input[GT_PROGRAM_INPUTS];   /* node read as program input k */
  gt_id output[GT_PROGRAM_OUTPUTS]; /* node written by program output k */
  gt_shape shape;                   /* iteration space of the program */
  uint32_t row;                     /* GT_LOAD_ROW/COLUMN row length */
  uint32_t width; /* of a row program: its rows' length, which is also `row`; of any other 0 */
  /* Nodes that join the columns of outputs, output k's by joins[k] or GT_NONE, as `columns` says
   * (GT_COLUMNS_… but for the bit, 0: none does). The leader's kernel may do that tile by tile, beside its
   * own work: gt_lower_joins. passing: bits of outputs that nobody reads but who joins them, among them the
   * second. */
  gt_id joins[GT_JOINING]; /* followers: all of them, as whole sums (GT_COLUMNS_WHOLE) */
  uint32_t columns, passing;
  /* Nodes of the group whose values follow its only output row by row (gt_op.follows). Who lowers the leader
   * may make them beside (gt_lower_follows); the others have kernels of their own behind. */
  gt_id follower[GT_FOLLOWERS];
  int followers;
  /* GT_MEASURED_…: what readers of the only output that is written ask of its lines: gt_lower_measures. */
  uint32_t measured;
  /* 1 + a node whose value is a flag that the group's kernels are to clear if the only output is not finite
   * somewhere, if they can (gt_lower_check); 0: none. */
  uint32_t flag;
  gt_id clock;       /* clock node if the program draws random numbers, else GT_NONE */
  const gt_id *node; /* all nodes of the group, in index order */
  int nodes;
} gt_group;

typedef struct gt_lowering gt_lowering;

const gt_graph *gt_lowering_graph(const gt_lowering *lowering);
const gt_target *gt_lowering_target(const gt_lowering *lowering);

/* Which of n > 0 candidates the step to come is: the one that was found best by timing, if the plan was given
 * such answers (step/tuned.h) and it is among them, else the first of those of the least cost. The key says
 * what is asked, all that candidates and costs depend on: equal keys have equal answers in a plan, and
 * `gtrain check --choices` lists them. */
const gt_candidate *gt_lower_choice(gt_lowering *lowering, const char *key, gt_candidate_text *text,
                                    const gt_candidate *candidates, uint32_t n);
/* The same answer, if this has been asked before in the plan; else NULL, and nothing is chosen. */
const gt_candidate *gt_lower_known_choice(gt_lowering *lowering, const char *key);
/* Starts a step; args is copied, its addresses are filled in later. The returned step may be edited (spec,
 * tiles, grid) until the next gt_lower_step. */
gt_step *gt_lower_step(gt_lowering *lowering, const gt_kernel *kernel, const void *args, size_t args_size);
/* The address at byte `argument` of the current step's args is that of a node's value / scratch / variable.
 * Each result of a node is a value of its own (gt_result). */
void gt_lower_read(gt_lowering *lowering, size_t argument, gt_id node);
void gt_lower_write(gt_lowering *lowering, size_t argument, gt_id node);
/* A write to a part of the node's value disjoint from the parts other steps of this lowering write. */
void gt_lower_write_part(gt_lowering *lowering, size_t argument, gt_id node);
/* All that the current step writes is such a part. */
void gt_lower_writes_part(gt_lowering *lowering);
/* True if the input that is the leader's initial value (gt_op.begins_as) already lies where that value will
 * be. */
bool gt_lower_begins_there(const gt_lowering *lowering);
uint32_t gt_lower_scratch(gt_lowering *lowering, uint64_t bytes);
/* The same, but nothing else ever uses its bytes, which are 0 before the first run: what a run leaves there
 * the next one finds. */
uint32_t gt_lower_lasting(gt_lowering *lowering, uint64_t bytes);
void gt_lower_use_scratch(gt_lowering *lowering, size_t argument, uint32_t scratch, bool write);
/* The current step reads so many bytes of scratch memory, from byte `offset` on. */
void gt_lower_read_scratch(gt_lowering *lowering, size_t argument, uint32_t scratch, uint64_t offset,
                           uint64_t bytes);
void gt_lower_update_variable(gt_lowering *lowering, size_t argument,
                              uint32_t variable); /* read and written */
void gt_lower_constants(gt_lowering *lowering, size_t argument, const void *data, size_t size);

/* What the kernel that makes a value has joined of its columns, for another node: [tiles, values a column,
 * columns] of scratch memory from byte `offset` on, for each tile of so many rows, the last of which may have
 * fewer. */
typedef struct gt_joined {
  uint32_t scratch, tiles, rows;
  uint64_t offset;
} gt_joined;
/* Says so of output k; in the lowering of a group that asks for it (gt_group.columns, joins). */
void gt_lower_joins(gt_lowering *lowering, const gt_group *group, int k, gt_joined joined);
/* The current step, whose program has been told, writes none of the group's outputs that are passing. */
void gt_lower_passes(gt_lowering *lowering, const gt_group *group);
/* True if the group's leader was promised it. */
bool gt_lower_joined(const gt_lowering *lowering, const gt_group *group, gt_joined *joined);

/* The current step writes the value of the group's i-th follower as well, at byte `argument`. */
void gt_lower_follows(gt_lowering *lowering, const gt_group *group, int i, size_t argument);
/* True if the node is one of the group's fused consumers. */
bool gt_group_follows(const gt_group *group, gt_id node);

/* What the kernel that writes a value has found of the largest elements of its lines, roots of powers as in
 * shaders/op/matmul/range.h: [ceil(length / depth)][lines, padded] of scratch memory. */
typedef struct gt_measured {
  uint32_t scratch, lines, length; /* of a matrix whose lines are rows, or columns */
  uint32_t depth;                  /* so many neighbours of a line have one root */
} gt_measured;
/* Says so, of rows or of columns; in the lowering of a group that is asked for it (gt_group.measured). */
void gt_lower_measures(gt_lowering *lowering, const gt_group *group, uint32_t which, gt_measured measured);
/* True if it is known of a node's value, or of the value that it is a reshape of. */
bool gt_lower_measured(const gt_lowering *lowering, gt_id value, uint32_t which, gt_measured *measured);
/* A value is left in this form, as all who read it take that. */
void gt_lower_leave(gt_lowering *lowering, gt_id value, gt_form form);
/* The form that a node's value, or the one that it is a reshape of, is left in; NULL: it lies in memory as
 * its dtype says. */
const gt_form *gt_lower_form(const gt_lowering *lowering, gt_id value);
/* The current step, which writes values of the group's only output, clears the group's flag at byte
 * `argument` unless they are finite: GT_SPEC_CHECKED. gt_lower_program says so of what stores by
 * gt_program_store. */
void gt_lower_check(gt_lowering *lowering, const gt_group *group, size_t argument);
/* The current step may clear a flag, at byte `argument`: no other that may waits for it. */
void gt_lower_clear(gt_lowering *lowering, gt_id flag, size_t argument);
/* Elements of a value. */
typedef struct gt_stretch {
  int64_t offset, count;
} gt_stretch;
/* In the lowering of a flag's own group: those of its first input that no other group checks; NULL: all. */
const gt_stretch *gt_lower_unchecked(const gt_lowering *lowering, size_t *n);
/* gt_lower_read of elements of a node's value. */
void gt_lower_read_stretch(gt_lowering *lowering, size_t argument, gt_id node, gt_stretch stretch);

/* The program part of a step: spec constants, inputs at args offset x, outputs at y (of an epilogue the first
 * GT_EPILOGUE_OUTPUTS: who leads tells where the others are), clock and layout
 * (offsets, or -1 if the kernel has none; layout is emitted when an input is GT_LOAD_GENERAL). */
void gt_lower_program(gt_lowering *lowering, const gt_group *group, size_t x, size_t y, long clock,
                      long layout);
/* The workgroup of a kernel: `size`, a power of two, halved while it is too large for the target, but no
 * smaller than `least`. */
uint32_t gt_lower_workgroup(const gt_lowering *lowering, uint32_t size, uint32_t least);
/* A one-dimensional grid of `count` work items in workgroups of `local`, a power of two that is halved as by
 * gt_lower_workgroup, capped at the target's limit (kernels loop): sets spec LOCAL_X and grid. Where the
 * workgroup's size is part of the work, it has to be one that fits. */
void gt_lower_grid(gt_lowering *lowering, uint64_t count, uint32_t local);
/* So many workgroups of `local` for kernels that do not loop: along x and, where they exceed the target's
 * limit, along y. A workgroup is number x + y * (workgroups along x); the last numbers may be too many. Sets
 * spec LOCAL_X and grid. */
void gt_lower_groups(gt_lowering *lowering, uint64_t groups, uint32_t local);
/* True if the target can launch the step. A launch that exceeds a device's limits is undefined behaviour,
 * often without an error. */
bool gt_step_fits(const gt_step *step, const gt_target *target, gt_error *error);
#endif
