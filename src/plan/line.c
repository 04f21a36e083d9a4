/* An ordered list: each item has a label, and labels ascend along the list (line.h). */
#include "plan/line.h"

/* Labels are below 2^LABEL_BITS. A range of 2^i labels counts as full if more than (10/7)^i of them are in
 * use. */
enum { LABEL_BITS = 62 };

/* The list is circular: an additional item with label 0 links its ends. */
void gt_line_init(gt_line *line, gt_arena *arena, uint32_t items) {
  const uint64_t gap = (UINT64_C(1) << LABEL_BITS) / ((uint64_t)items + 1);
  const size_t all = (size_t)items + 1;
  *line = (gt_line){.label = GT_NEW_N(arena, uint64_t, all),
                    .next = GT_NEW_N(arena, uint32_t, all),
                    .last = GT_NEW_N(arena, uint32_t, all)};
  for (uint32_t i = 0; i <= items; i++) {
    line->label[i] = i < items ? (i + 1) * gap : 0;
    line->next[i] = i < items ? i + 1 : 0;
    line->last[i] = i ? i - 1 : items;
  }
}

void gt_line_remove(gt_line *line, uint32_t item) {
  line->next[line->last[item]] = line->next[item];
  line->last[line->next[item]] = line->last[item];
}

/* Relabels evenly the smallest range around the item that is not full. */
static void spread(gt_line *line, uint32_t item) {
  uint32_t first = item, count = 1, after = line->next[item];
  double most = 1;
  for (int i = 1; i <= LABEL_BITS; i++) {
    const uint64_t size = UINT64_C(1) << i, begin = line->label[item] & ~(size - 1);
    most *= 10.0 / 7;
    while (line->label[first] > begin && line->label[line->last[first]] >= begin &&
           line->label[line->last[first]] < line->label[first])
      first = line->last[first], count++;
    while (line->label[after] > line->label[item] && line->label[after] < begin + size)
      after = line->next[after], count++;
    if (count > most || size / count < 4) continue;
    for (uint32_t k = 0, at = first; k < count; k++, at = line->next[at])
      line->label[at] = begin + k * (size / count);
    return;
  }
}

void gt_line_put_behind(gt_line *line, uint32_t item, uint32_t other) {
  gt_line_remove(line, item);
  for (int tries = 0; tries < 2; tries++) {
    const uint32_t next = line->next[other];
    const uint64_t end = line->label[next] ? line->label[next] : UINT64_C(1) << LABEL_BITS;
    const uint64_t gap = end - line->label[other];
    if (gap < 2 && !tries) {
      spread(line, other);
      continue;
    }
    line->label[item] = line->label[other] + gap / 2;
    line->next[item] = next;
    line->last[item] = other;
    line->last[next] = line->next[other] = item;
    return;
  }
}
