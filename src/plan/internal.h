/* Shared by the files of src/plan: a plan under construction, and the locations of values. */
#ifndef GT_PLAN_INTERNAL_H
#define GT_PLAN_INTERNAL_H
#include "graph/op.h"
#include "op/core.h"
#include "plan/fuse.h"
#include "plan/order.h"
#include "step/draft.h"

/* A value that could not be computed in place: a part of a pack, or the new content of a variable. */
typedef struct gt_value_copy {
  gt_id source, target;          /* target: the pack or assign node */
  int64_t offset;                /* in elements, within the target */
  uint32_t to_saved, from_saved; /* 1 + the saved value that it writes or reads, or 0: see place_assigns */
} gt_value_copy;

/* Where a value is computed if it has no memory of its own. */
typedef struct gt_place {
  bool placed;
  bool variable;   /* in a variable's buffer; otherwise in the value of another node (a pack) */
  uint32_t into;   /* the variable or the node */
  uint64_t offset; /* bytes */
} gt_place;

/* An allocation in the arena: the memory of a node's value or of scratch. */
typedef struct gt_allocation {
  uint64_t bytes, offset;
  uint32_t first, last; /* the levels in which it is in use */
  uint32_t again;       /* the level in which the overlapping next replay recomputes it; or 0 */
  bool used;
  bool twice;      /* still in use in level `again`, so it has two addresses, which replays alternate */
  bool persistent; /* keeps its content between runs; initially zeros */
} gt_allocation;

/* A plan under construction. */
typedef struct gt_layout {
  gt_arena *arena;
  const gt_graph *graph;
  const gt_plan_options *options;
  gt_fusion fusion;
  gt_place *place; /* per node */
  struct {
    gt_value_copy *items;
    size_t count, capacity;
  } copies;
  uint32_t saved; /* number of saved values of variables, which are in scratch 0 … saved-1 (place_assigns) */
  uint32_t *order; /* items (groups, then copies) in execution order */
  uint32_t ordered;
  gt_lowering lowering; /* the steps, without memory yet */
  uint32_t levels;
  uint32_t ahead;            /* number of first levels that overlap the last levels of the previous replay */
  gt_allocation *allocation; /* per node, then per scratch; unused if the node's value is placed elsewhere */
} gt_layout;

/* The location of a value or of a use: a byte range in a variable or in an allocation of the arena. */
typedef struct gt_location {
  bool variable;
  uint32_t id; /* the variable, or the index in gt_layout.allocation */
  uint64_t offset, bytes;
} gt_location;

gt_location gt_plan_locate(const gt_layout *layout, const gt_use *use);
gt_location gt_plan_locate_node(const gt_layout *layout, gt_id id);

void gt_plan_leave_forms(gt_layout *layout); /* forms.c: chooses storage formats */
/* forms.c: true if the value is not computed, because its consumers read its inputs instead. */
bool gt_plan_is_left_out(const gt_layout *layout, gt_id value);
/* place.c: decides which parts of packs and which assigns are computed in place and which are copied, and the
 * order of items. */
bool gt_plan_place(gt_layout *layout, gt_error *error);
/* checks.c: gt_plan_find_checks marks the groups that may clear a flag (gt_group.flag); call it when `order`
 * has all data dependencies. gt_plan_list_unchecked lists the parts of the flag's input that none of them
 * checks (gt_lower_unchecked_ranges); call it after these groups were lowered. */
void gt_plan_find_checks(gt_layout *layout, gt_order *order);
void gt_plan_list_unchecked(gt_layout *layout, const gt_group *flag);
bool gt_plan_lower(gt_layout *layout, gt_error *error); /* lower.c: lowers the items in layout->order */
void gt_plan_level(gt_layout *layout); /* schedule.c: assigns levels by hazards, sorts the steps by level */
/* schedule.c: assigns the earliest levels; steps marked in `not_ahead` run after the overlapped levels. NULL:
 * no step is marked. */
void gt_plan_assign_levels(gt_layout *layout, const bool *not_ahead);
enum { GT_MAX_AHEAD = 8 };
/* overlap.c: chooses how many levels overlap the previous replay, at most `most`, and assigns levels. */
void gt_plan_overlap(gt_layout *layout, uint32_t most);
void gt_plan_reduce_overlap(gt_layout *layout); /* overlap.c: reduces the overlap if levels have changed */
/* overlap.c: true if the arena is much larger than without overlap. */
bool gt_plan_overlap_is_expensive(gt_layout *layout);
/* overlap.c: the cost of waiting in a replay, in bytes that a device could move in that time, up to a
 * constant that does not depend on the overlap. */
double gt_plan_waiting(const gt_layout *layout);
/* overlap.c: true if the allocation may have two addresses, which replays alternate. */
bool gt_plan_may_lie_twice(const gt_layout *layout, const gt_allocation *allocation);
/* delay.c: moves steps to later levels to shorten lifetimes. keeps_overlapped: short overlapped steps stay
 * overlapped. */
void gt_plan_delay(gt_layout *layout, bool keeps_overlapped);
void gt_plan_lifetimes(gt_layout *layout); /* memory.c: the levels in which each allocation is in use */
void gt_plan_memory(gt_layout *layout, gt_plan *plan);    /* memory.c: offsets in the arena; its size */
uint64_t gt_plan_stride(const gt_allocation *allocation); /* memory.c: distance of its two addresses, or 0 */
#endif
