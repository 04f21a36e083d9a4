#define _GNU_SOURCE /* fopencookie */
#include "base/stream.h"
#include "base/memory.h"
#include <string.h>

static ssize_t append(void *context, const char *data, size_t size) {
  gt_text *text = context;
  if (text->capacity - text->count < size) {
    text->capacity = 2 * text->capacity + size;
    text->items = gt_realloc(text->items, text->capacity);
  }
  memcpy(text->items + text->count, data, size);
  text->count += size;
  return (ssize_t)size;
}

FILE *gt_text_open(gt_text *text) {
  FILE *stream = fopencookie(text, "w", (cookie_io_functions_t){.write = append});
  if (!stream) gt_out_of_memory(0);
  return stream;
}
