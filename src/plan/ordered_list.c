/* An ordered list: each item has a label, and labels ascend along the list (ordered_list.h). */
#include "plan/ordered_list.h"

/* Labels are below 2^LABEL_BITS. A range of 2^i labels counts as full if more than (10/7)^i of them are in
 * use. */
enum { LABEL_BITS = 62 };

/* The list is circular: an additional item with label 0 links its ends. */
void gt_ordered_list_init(gt_ordered_list *list, gt_arena *arena, uint32_t items) {
  const uint64_t gap = (UINT64_C(1) << LABEL_BITS) / ((uint64_t)items + 1);
  const size_t all = (size_t)items + 1;
  *list = (gt_ordered_list){.label = GT_NEW_N(arena, uint64_t, all),
                            .next = GT_NEW_N(arena, uint32_t, all),
                            .previous = GT_NEW_N(arena, uint32_t, all)};
  for (uint32_t i = 0; i <= items; i++) {
    list->label[i] = i < items ? (i + 1) * gap : 0;
    list->next[i] = i < items ? i + 1 : 0;
    list->previous[i] = i ? i - 1 : items;
  }
}

void gt_ordered_list_remove(gt_ordered_list *list, uint32_t item) {
  list->next[list->previous[item]] = list->next[item];
  list->previous[list->next[item]] = list->previous[item];
}

/* Relabels evenly the smallest range around the item that is not full. */
static void relabel(gt_ordered_list *list, uint32_t item) {
  uint32_t first = item, count = 1, after = list->next[item];
  double max_used = 1;
  for (int i = 1; i <= LABEL_BITS; i++) {
    const uint64_t size = UINT64_C(1) << i, begin = list->label[item] & ~(size - 1);
    max_used *= 10.0 / 7;
    while (list->label[first] > begin && list->label[list->previous[first]] >= begin &&
           list->label[list->previous[first]] < list->label[first])
      first = list->previous[first], count++;
    while (list->label[after] > list->label[item] && list->label[after] < begin + size)
      after = list->next[after], count++;
    if (count > max_used || size / count < 4) continue; /* full, or no room for gaps between labels */
    for (uint32_t k = 0, at = first; k < count; k++, at = list->next[at])
      list->label[at] = begin + k * (size / count);
    return;
  }
}

void gt_ordered_list_move_after(gt_ordered_list *list, uint32_t item, uint32_t other) {
  gt_ordered_list_remove(list, item);
  for (int tries = 0; tries < 2; tries++) {
    const uint32_t next = list->next[other];
    const uint64_t end = list->label[next] ? list->label[next] : UINT64_C(1) << LABEL_BITS;
    const uint64_t gap = end - list->label[other];
    if (gap < 2 && !tries) {
      relabel(list, other);
      continue;
    }
    list->label[item] = list->label[other] + gap / 2;
    list->next[item] = next;
    list->previous[item] = other;
    list->previous[next] = list->next[other] = item;
    return;
  }
}
