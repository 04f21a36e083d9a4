/* A stream into memory. Running out of it calls the handler of base/memory.h, where open_memstream would
 * leave out a part of the text without a word. */
#ifndef GT_BASE_STREAM_H
#define GT_BASE_STREAM_H
#include <stddef.h>
#include <stdio.h>

typedef struct gt_text {
  char *items; /* heap, freed by whoever has the text */
  size_t count, capacity;
} gt_text;

/* *text, zeroed, holds what was written once the stream is closed. */
FILE *gt_text_open(gt_text *text);
#endif
