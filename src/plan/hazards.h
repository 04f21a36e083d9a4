/* gt_hazards: when the bytes of each piece of memory were last read and written, in levels. Which ranges
 * there will be is said first; then each question and each note takes time that grows with the logarithm of
 * their number, as when a thousand layers read their parts of one variable. Owner: whoever calls init. */
#ifndef GT_PLAN_HAZARDS_H
#define GT_PLAN_HAZARDS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gt_range {
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
  uint64_t *bounds;
  uint32_t *levels;
} gt_hazards;

void gt_hazards_init(gt_hazards *hazards, size_t pieces);
void gt_hazards_expect(gt_hazards *hazards, gt_range range);
void gt_hazards_ready(gt_hazards *hazards); /* all ranges are known */
void gt_hazards_finish(gt_hazards *hazards);
/* The first level at which the range may be touched: after all who write it and, to write it, after all who
 * read it. */
uint32_t gt_hazards_after(const gt_hazards *hazards, gt_range range, bool write);
void gt_hazards_touch(gt_hazards *hazards, gt_range range, bool write, uint32_t level);
#endif
