/* Shared by the files of src/plan: a plan under construction, and the locations of values. */
#ifndef GT_PLAN_INTERNAL_H
#define GT_PLAN_INTERNAL_H
#include "graph/op.h"
#include "op/core.h"
#include "plan/fuse.h"
#include "plan/order.h"
#include "step/draft.h"

/* A value that could not be computed in place: a part of a pack, or the new content of a variable. */
typedef struct gt_copy {
  gt_id source, target;          /* target: the pack or assign node */
  int64_t offset;                /* in elements, within the target */
  uint32_t to_saved, from_saved; /* 1 + the saved value that it writes or reads, or 0: see place_assigns */
} gt_copy;

typedef struct gt_place { /* a value placed inside another: node `into` (a pack), or a variable's buffer */
  bool placed;
  bool variable;
  uint32_t into;
  uint64_t offset; /* bytes */
} gt_place;

typedef struct gt_root { /* an allocation in the arena: the memory of a node or of scratch */
  uint64_t bytes, offset;
  uint32_t first, last; /* levels */
  uint32_t again;       /* the level in which the overlapping next replay recomputes it; or 0 */
  bool used;
  bool twice;   /* still in use in level `again`, so it has two addresses, which replays alternate */
  bool lasting; /* its content persists between runs; initially zeros */
} gt_root;

/* A plan under construction. */
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
  uint32_t ahead; /* number of first levels that overlap the last levels of the previous replay */
  gt_root *root;  /* per node, then per scratch */
} gt_layout;

/* The location of a use: a root of the arena or a variable, and a byte range in it. */
typedef struct gt_location {
  bool variable;
  uint32_t id;
  uint64_t offset, bytes;
} gt_location;

gt_location gt_plan_locate(const gt_layout *layout, const gt_use *use);
gt_location gt_plan_locate_node(const gt_layout *layout, gt_id id);

void gt_plan_leave_forms(gt_layout *layout); /* forms.c: chooses storage formats */
/* forms.c: true if the value is not computed, as its consumers read its inputs instead */
bool gt_plan_is_left_out(const gt_layout *layout, gt_id value);
/* place.c: decides which parts of packs and which assigns are computed in place and which are copied, and the
 * order of items. */
bool gt_plan_place(gt_layout *layout, gt_error *error);
/* checks.c: gt_plan_find_checks marks the groups that may clear a flag (gt_group.flag), after the edges for
 * data were added to `order`. gt_plan_list_unchecked, called after these groups were lowered, lists the parts
 * of the flag's input that none of them checks (gt_lower_unchecked_ranges). */
void gt_plan_find_checks(gt_layout *layout, gt_order *order);
void gt_plan_list_unchecked(gt_layout *layout, const gt_group *flag);
bool gt_plan_lower(gt_layout *layout, gt_error *error); /* lower.c: lowers the items in layout->order */
void gt_plan_level(gt_layout *layout); /* schedule.c: assigns levels by hazards, sorts the steps by level */
/* schedule.c: assigns the earliest levels; steps marked in `stays` come after the overlapped levels. NULL:
 * none. */
void gt_plan_assign_levels(gt_layout *layout, const bool *stays);
enum { GT_MAX_AHEAD = 8 };
/* overlap.c: chooses how many levels overlap the previous replay, at most `most`, and assigns levels. */
void gt_plan_overlap(gt_layout *layout, uint32_t most);
void gt_plan_settle_overlap(gt_layout *layout); /* overlap.c: reduces the overlap if levels have changed */
bool gt_plan_overlap_is_expensive(gt_layout *layout); /* overlap.c: it uses much memory bandwidth */
/* overlap.c: the cost of waiting in a replay, in bytes that a device could move meanwhile, without the part
 * that does not depend on the overlap. */
double gt_plan_waiting(const gt_layout *layout);
/* overlap.c: true if the root may have two addresses, which replays alternate. */
bool gt_plan_may_lie_twice(const gt_layout *layout, const gt_root *root);
/* delay.c: moves steps to later levels to shorten lifetimes; holds: overlapped steps stay overlapped. */
void gt_plan_delay(gt_layout *layout, bool holds);
void gt_plan_lifetimes(gt_layout *layout);             /* memory.c: the levels in which each root is in use */
void gt_plan_memory(gt_layout *layout, gt_plan *plan); /* memory.c: offsets in the arena; its size */
uint64_t gt_plan_stride(const gt_root *root);          /* memory.c: distance of its two addresses, or 0 */
#endif
