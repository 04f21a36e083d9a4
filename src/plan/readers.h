/* gt_readers: who reads which bytes of the graph's variables. The ranges that will be asked for are said
 * first; then a question takes time only for whom it finds, as when each of a thousand layers writes its part
 * of one variable. Owner: whoever calls init. */
#ifndef GT_PLAN_READERS_H
#define GT_PLAN_READERS_H
#include "plan/internal.h"

/* An item (a group, or a copy) reads these bytes of a variable. */
typedef struct gt_reader {
  uint32_t item;
  uint64_t offset, bytes;
  bool element;    /* not as an operand of its leader: element by element, if the bytes are those it writes */
  uint32_t search; /* the last that found it */
} gt_reader;

typedef struct gt_readers {
  uint32_t variables;
  struct gt_read_variable *of; /* per variable */
  struct {
    gt_reader *items;
    size_t count, capacity;
  } all;
  struct {
    struct gt_read_entry *items;
    size_t count, capacity;
  } entries;
  struct {
    size_t *items; /* numbers of readers: what the last question found */
    size_t count, capacity;
  } found;
  uint32_t search;
} gt_readers;

void gt_readers_init(gt_readers *readers, uint32_t variables);
void gt_readers_finish(gt_readers *readers);
void gt_readers_expect(gt_readers *readers, gt_location range);
void gt_readers_ready(gt_readers *readers); /* all ranges are known */
/* Whom no question could find is left out. */
void gt_readers_add(gt_readers *readers, uint32_t variable, gt_reader reader);
/* Fills `found` with the readers of some byte of an expected range, each once. */
void gt_readers_find(gt_readers *readers, gt_location range);
#endif
