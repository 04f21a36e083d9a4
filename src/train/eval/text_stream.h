/* gt_text_stream: converts tokens to readable text, which it writes to a gt_text_sink in whole UTF-8
 * characters. Invalid bytes become U+FFFD. It buffers the bytes of an incomplete character, and text that may
 * be the start of the stop text. */
#ifndef GT_TRAIN_TEXT_STREAM_H
#define GT_TRAIN_TEXT_STREAM_H
#include "train/eval/generate.h"

typedef struct gt_text_stream {
  const gt_vocabulary *vocabulary;
  const char *stop;
  gt_text_sink sink;
  void *context;
  uint8_t *items; /* buffered bytes, on the heap */
  size_t count, capacity;
  bool stopped; /* the stop text was found */
} gt_text_stream;

/* stop: the stop text; NULL or "": none. */
void gt_text_stream_open(gt_text_stream *stream, const gt_vocabulary *vocabulary, const char *stop,
                         gt_text_sink sink, void *context);
/* Adds a token. previous: the previous token, or -1. */
bool gt_text_stream_add(gt_text_stream *stream, int32_t previous, int32_t id, gt_error *error);
/* Writes the buffered text. An incomplete character becomes U+FFFD. */
bool gt_text_stream_end(gt_text_stream *stream, gt_error *error);
void gt_text_stream_close(gt_text_stream *stream);
#endif
