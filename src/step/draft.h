/* gt_lowering: the steps of a plan before memory is assigned. Ops add steps to it through the functions of
 * step/lowering.h, where it is an opaque type; the plan owns it and turns its drafts into the final steps. */
#ifndef GT_STEP_DRAFT_H
#define GT_STEP_DRAFT_H
#include "base/names.h"
#include "step/lowering.h"
#include "step/tuned.h"

typedef enum gt_use_kind { GT_USE_NODE, GT_USE_SCRATCH, GT_USE_VARIABLE, GT_USE_CONSTANT } gt_use_kind;

typedef struct gt_use { /* a buffer argument before memory is assigned */
  uint32_t argument;
  gt_use_kind kind;
  uint32_t id;
  uint64_t offset, bytes; /* within the node's value / scratch / variable / constants */
  /* part: the step writes only a part of the buffer, and no other step of the same gt_draft.item writes it */
  bool read, write, part;
  uint32_t flag; /* 1 + the node of a flag that the step may clear, in any order with other steps; or 0 */
} gt_use;

typedef struct gt_draft { /* a step and its uses */
  gt_step step;
  gt_use *items;
  size_t count, capacity;
  int item;      /* the group or copy that emitted it */
  size_t number; /* in order of lowering */
} gt_draft;

/* Bytes that the step reads and writes. */
static inline uint64_t gt_draft_bytes(const gt_draft *draft) {
  uint64_t bytes = 0;
  for (size_t u = 0; u < draft->count; u++)
    bytes += draft->items[u].bytes * (uint64_t)(draft->items[u].read + draft->items[u].write);
  return bytes;
}

struct gt_lowering {
  const gt_graph *graph;
  const gt_target *target;
  const gt_tuned *tuned; /* or NULL */
  gt_arena *arena;       /* the plan's arena, for the texts and candidates of choices */
  int item;              /* the group or copy that is being lowered */
  bool begins_there;     /* the result of gt_lower_is_in_place for the item's leader */
  uint32_t followed;     /* bit i: gt_lower_follows was called for follower i of the item */
  struct {
    gt_draft *items;
    size_t count, capacity;
  } drafts;
  struct {
    struct gt_scratch {
      uint64_t bytes;
      bool persistent; /* gt_lower_persistent: not shared, kept between runs, and 0 before the first */
    } * items;
    size_t count, capacity;
  } scratch;
  struct {
    uint8_t *items;
    size_t count, capacity;
  } constants;
  struct {
    gt_choice *items;
    size_t count, capacity;
  } choices;
  struct {
    struct gt_joined_for {
      gt_id node; /* the node that reduces the columns */
      gt_joined joined;
    } * items;
    size_t count, capacity;
  } joined;
  struct {
    struct gt_measured_of {
      gt_id value;    /* not a reshape */
      uint32_t which; /* GT_MEASURED_ROWS or _COLUMNS */
      gt_measured measured;
    } * items;
    size_t count, capacity;
  } measured;
  struct {
    struct gt_form_of {
      gt_id value; /* not a reshape */
      gt_form form;
    } * items;
    size_t count, capacity;
  } forms;
  struct {
    gt_element_range *items;
    size_t count, capacity;
  } unchecked;     /* for a flag's group: the ranges of its input that no other group checks */
  bool checked;    /* true if other groups check a part of that input; otherwise `unchecked` is not used */
  gt_names keys;   /* the keys of the choices */
  uint32_t chosen; /* 1 + the index of the choice for the next step, or 0 */
};

gt_draft *gt_lowering_current(gt_lowering *lowering); /* the step of the last call of gt_lower_step */
void gt_lowering_finish(gt_lowering *lowering);
#endif
