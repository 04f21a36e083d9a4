/* What the files of the plan room share: a plan while it is being made, and where values live. */
#ifndef GT_PLAN_INTERNAL_H
#define GT_PLAN_INTERNAL_H
#include "graph/op.h"
#include "op/core.h"
#include "plan/fuse.h"
#include "plan/order.h"
#include "step/draft.h"

/* A value that could not be computed in place: a pack's part, or a variable's new contents. */
typedef struct gt_copy {
  gt_id source, target; /* target: the pack or assign node */
  int64_t offset;       /* in elements, within the target */
  uint32_t to_saved,
      from_saved; /* 1 + which of the saved values it makes or is made from, or 0: see place_assigns */
} gt_copy;

typedef struct gt_place { /* a value laid inside another: node `into` (a pack), or a variable's buffer */
  bool placed;
  bool variable;
  uint32_t into;
  uint64_t offset; /* bytes */
} gt_place;

typedef struct gt_root { /* a piece of the arena: a node's or scratch's memory */
  uint64_t bytes, offset;
  uint32_t first, last; /* levels */
  uint32_t again;       /* the level at which the replay behind makes it anew, ahead; or 0 */
  bool used;
  bool twice;   /* it is in use then: it has two places, which replays take in turn */
  bool lasting; /* keeps what it holds from run to run: zeros at first */
} gt_root;

/* A plan in the making. */
typedef struct gt_layout {
  gt_arena *arena;
  const gt_graph *graph;
  const gt_plan_options *options;
  gt_fusion fusion;
  gt_place *place; /* per node */
  struct {
    gt_copy *items;
    size_t count, capacity;
  } copies;
  uint32_t saved;  /* values of variables saved before they are overwritten; scratch numbers 0 … saved-1 */
  uint32_t *order; /* items (groups, then copies) in execution order */
  uint32_t ordered;
  gt_lowering lowering; /* the steps, without memory yet */
  uint32_t levels;
  uint32_t ahead; /* of them, that run beside the last ones of the replay before */
  gt_root *root;  /* per node, then per scratch */
} gt_layout;

/* Where a use lies: a root of the arena or a variable, and the byte range there. */
typedef struct gt_location {
  bool variable;
  uint32_t id;
  uint64_t offset, bytes;
} gt_location;

gt_location gt_plan_locate(const gt_layout *layout, const gt_use *use);
gt_location gt_plan_locate_node(const gt_layout *layout, gt_id id);

void gt_plan_leave_forms(gt_layout *layout); /* forms.c: what is left to its readers in another form */
/* forms.c: true if the value is not computed, as its consumers read its inputs instead */
bool gt_plan_is_left_out(const gt_layout *layout, gt_id value);
bool gt_plan_place(gt_layout *layout,
                   gt_error *error); /* place.c: packs and assigns in place, or copies; order */
/* checks.c: who writes what a flag tells of may clear it. Groups are marked, behind the edges of the data;
 * and, when they are lowered, what none of them checks is listed. */
void gt_plan_find_checks(gt_layout *layout, gt_order *order);
void gt_plan_list_unchecked(gt_layout *layout, const gt_group *flag);
bool gt_plan_lower(gt_layout *layout, gt_error *error); /* lower.c: calls the op rows in that order */
void gt_plan_level(gt_layout *layout);                  /* schedule.c: levels from hazards, sorted */
/* schedule.c: the earliest levels; of steps that stay, behind those that run ahead. NULL: none do. */
void gt_plan_assign_levels(gt_layout *layout, const bool *stays);
enum { GT_MOST_AHEAD = 8 };
/* overlap.c: how many levels run ahead, at most so many, and levels for that. */
void gt_plan_overlap(gt_layout *layout, uint32_t most);
void gt_plan_settle_overlap(gt_layout *layout);  /* overlap.c: fewer of them, if levels have changed */
bool gt_plan_overlap_is_dear(gt_layout *layout); /* overlap.c: it uses much memory bandwidth */
/* overlap.c: what a replay waits for, in bytes that a device would move meanwhile, but for what is the same
 * however much runs ahead. */
double gt_plan_waiting(const gt_layout *layout);
bool gt_plan_may_lie_twice(const gt_layout *layout, const gt_root *root);
/* delay.c: later levels for what would live long for nothing; holds: what runs ahead goes on to do so. */
void gt_plan_delay(gt_layout *layout, bool holds);
void gt_plan_lifetimes(gt_layout *layout);             /* memory.c: the levels at which each root is in use */
void gt_plan_memory(gt_layout *layout, gt_plan *plan); /* memory.c: offsets in the arena; its size */
uint64_t gt_plan_stride(const gt_root *root); /* memory.c: from its first place to its second, or 0 */
#endif
