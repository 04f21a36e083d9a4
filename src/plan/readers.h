/* gt_readers: the readers of each byte of the graph's variables. The ranges of queries are declared first. A
 * query then takes time only for the readers that it finds, which matters if each of a thousand layers writes
 * its part of one variable. Owner: the caller of init. */
#ifndef GT_PLAN_READERS_H
#define GT_PLAN_READERS_H
#include "plan/internal.h"

/* An item (a group or a copy, as in gt_layout.order) that reads bytes of a variable. */
typedef struct gt_reader {
  uint32_t item;
  uint64_t offset, bytes;
  bool element;    /* it reads each element before it overwrites that element, as an input of its program */
  uint32_t search; /* the number of the last query that found it */
} gt_reader;

typedef struct gt_readers {
  uint32_t variables;
  struct gt_read_variable *variable; /* [variables] */
  struct {
    gt_reader *items;
    size_t count, capacity;
  } all;
  struct {
    struct gt_read_entry *items;
    size_t count, capacity;
  } entries;
  struct {
    size_t *items; /* numbers of the readers found by the last query */
    size_t count, capacity;
  } found;
  uint32_t search; /* the number of the last query */
} gt_readers;

void gt_readers_init(gt_readers *readers, uint32_t variables);
void gt_readers_finish(gt_readers *readers);
/* Declares the range of a query. */
void gt_readers_expect(gt_readers *readers, gt_location range);
void gt_readers_ready(gt_readers *readers); /* call after all ranges have been declared */
/* Adds a reader, unless it reads no byte of a declared range. */
void gt_readers_add(gt_readers *readers, uint32_t variable, gt_reader reader);
/* Fills readers->found with the readers of any byte of a declared range, each once. */
void gt_readers_find(gt_readers *readers, gt_location range);
#endif
