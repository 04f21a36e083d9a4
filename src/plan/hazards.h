/* gt_hazards: the levels in which the bytes of each piece of memory (a variable or an allocation) are last
 * read and written. All ranges are declared first (expect). Each query and each update then takes time
 * logarithmic in their number, which matters if a thousand layers read parts of one variable. Owner: the
 * caller of init. */
#ifndef GT_PLAN_HAZARDS_H
#define GT_PLAN_HAZARDS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gt_range { /* bytes of a piece of memory */
  size_t piece;
  uint64_t offset, bytes;
} gt_range;

typedef struct gt_hazards {
  size_t pieces;
  struct gt_hazard_tree *tree; /* per piece */
  struct {
    gt_range *items;
    size_t count, capacity;
  } expected;
  uint64_t *bounds; /* memory of the trees */
  uint32_t *levels;
} gt_hazards;

void gt_hazards_init(gt_hazards *hazards, size_t pieces);
void gt_hazards_expect(gt_hazards *hazards, gt_range range);
void gt_hazards_ready(gt_hazards *hazards); /* call after all ranges have been declared */
void gt_hazards_finish(gt_hazards *hazards);
/* The first level in which the range may be accessed: after all writes and, for a write, after all reads. */
uint32_t gt_hazards_after(const gt_hazards *hazards, gt_range range, bool write);
/* Records that the range is read or written in this level. */
void gt_hazards_touch(gt_hazards *hazards, gt_range range, bool write, uint32_t level);
#endif
