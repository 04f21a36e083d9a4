/* What the files of the plan room share: steps while they are being made, and where values live. */
#ifndef GT_PLAN_INTERNAL_H
#define GT_PLAN_INTERNAL_H
#include "op/core.h"
#include "graph/op.h"
#include "plan/fuse.h"
#include "plan/lowering.h"

typedef enum use_kind { USE_NODE, USE_SCRATCH, USE_VARIABLE, USE_CONSTANT } use_kind;

typedef struct gt_use { /* a buffer argument before memory is laid out */
  uint32_t argument;
  use_kind kind;
  uint32_t id;
  uint64_t offset, bytes; /* within the node's value / scratch / variable / constants */
  bool read, write, part; /* part: disjoint from the other parts that the same item writes */
} gt_use;

typedef struct gt_draft { /* a step and its uses */
  gt_step step;
  gt_use *items;
  size_t count, capacity;
  int item;      /* which group or copy made it */
  size_t number; /* in the order of lowering */
} gt_draft;

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
  bool used;
} gt_root;

struct gt_lowering {
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
  struct {
    gt_draft *items;
    size_t count, capacity;
  } drafts;
  struct {
    uint64_t *items;
    size_t count, capacity;
  } scratch;
  struct {
    uint8_t *items;
    size_t count, capacity;
  } constants;
  gt_root *root; /* per node, then per scratch */
  int current_item;
};

/* Where a use lies: a root of the arena or a variable, and the byte range there. */
typedef struct gt_location {
  bool variable;
  uint32_t id;
  uint64_t offset, bytes;
} gt_location;

gt_location gt_plan_locate(const gt_lowering *lowering, const gt_use *use);
gt_location gt_plan_locate_node(const gt_lowering *lowering, gt_id id);

bool gt_plan_place(gt_lowering *lowering,
                   gt_error *error); /* place.c: packs and assigns in place, or copies; order */
bool gt_plan_lower(gt_lowering *lowering, gt_error *error); /* lowering.c: calls the op rows in that order */
void gt_plan_level(gt_lowering *lowering);                  /* schedule.c: levels from hazards, sorted */
uint64_t gt_plan_memory(gt_lowering *lowering,
                        uint64_t *unaliased); /* memory.c: offsets in the arena; its size */
#endif
