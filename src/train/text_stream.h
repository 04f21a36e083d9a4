/* gt_text_stream: turns tokens into text for people. It passes on whole UTF-8 characters: bytes of an
 * incomplete character are held back, and invalid bytes become U+FFFD. Text that may begin the stop text is
 * held back, too. */
#ifndef GT_TRAIN_TEXT_STREAM_H
#define GT_TRAIN_TEXT_STREAM_H
#include "train/generate.h"

typedef struct gt_text_stream {
  const gt_vocabulary *vocabulary;
  const char *stop;
  gt_text_sink sink;
  void *context;
  uint8_t *items; /* bytes held back, on the heap */
  size_t count, capacity;
  bool stopped; /* the stop text was found */
} gt_text_stream;

/* stop: NULL or "": none. */
void gt_text_stream_open(gt_text_stream *stream, const gt_vocabulary *vocabulary, const char *stop,
                         gt_text_sink sink, void *context);
/* Adds a token; before: the previous one, or -1. */
bool gt_text_stream_put(gt_text_stream *stream, int32_t before, int32_t id, gt_error *error);
/* Passes on the held-back text. An incomplete character becomes U+FFFD. */
bool gt_text_stream_end(gt_text_stream *stream, gt_error *error);
void gt_text_stream_close(gt_text_stream *stream);
#endif
