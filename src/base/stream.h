/* A stream into memory. If memory runs out, the handler of base/memory.h is called; open_memstream would
 * silently truncate the text. */
#ifndef GT_BASE_STREAM_H
#define GT_BASE_STREAM_H
#include <stddef.h>
#include <stdio.h>

typedef struct gt_text {
  char *items; /* heap, freed by the owner of the text */
  size_t count, capacity;
} gt_text;

/* text: zeroed by the caller; after the stream is closed, it contains what was written. */
FILE *gt_text_open(gt_text *text);
#endif
