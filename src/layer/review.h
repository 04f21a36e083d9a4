/* The review of a model: a build whose only purpose is what it finds (spec/diagnostics.h). Layers are told
 * what is known of the data, and say what can hardly be meant. Other builds have no review, and find
 * nothing. */
#ifndef GT_LAYER_REVIEW_H
#define GT_LAYER_REVIEW_H
#include "layer/layer.h"

/* What is known of the samples of one input of the model, as the network sees them. Belongs to whoever
 * reviews. */
typedef struct gt_sample_facts {
  gt_shape sample; /* without the batch, as the data has it */
  /* Share of the training samples' values outside [low, high], from 0 to 1: of the column where it is
   * largest, whose name is then given, or of all values where columns have no meaning of their own. Columns
   * that never change in training do not count: nothing is learned from them. test: of the test samples, if
   * they have a file of their own; else 0. */
  double (*outside)(const struct gt_sample_facts *facts, bool test, double low, double high,
                    const char **column);
} gt_sample_facts;

typedef struct gt_review {
  int64_t rows;                        /* samples of a batch, as a kernel sees them */
  int64_t last_rows;                   /* of the last batch of an epoch, at least 1 */
  gt_position rows_at;                 /* the key of a phase that decides both; else line 0 */
  const gt_sample_facts *const *input; /* of each input of the model, or NULL where nothing is known */
  int phase;     /* of several phases from 1, which findings name from the second on; else 0 */
  bool not_bits; /* said already: layers behind it read what that layer makes */
} gt_review;

/* What is known of what the layer's first input holds: samples as they are in the data, or moved; NULL:
 * nothing. */
const gt_sample_facts *gt_review_facts(const gt_build *build);
/* Adds a finding at the key of the layer, or at the layer if it has no such key or key is NULL, as "layer
 * 'NAME' …"; of a later phase only if no phase before has it. Without a review it is one that nobody sees.
 * Never NULL.
 */
gt_diagnostic *gt_review_find(gt_build *build, gt_finding finding, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A layer that normalises over so many values: one of them is its own mean. `rows`: the batch is among them.
 * help: the way out. */
void gt_review_norm(gt_build *build, int64_t values, bool rows, const char *help);
/* A layer whose gates read input[0], whose values may be other than 0 and 1; in a hard build. */
void gt_review_bits(gt_build *build, const gt_id *input);
/* True if a sample's axes look like channels, height and width, in this order. */
bool gt_is_channels_first(gt_shape sample);
/* "; channels come last: …" for an error about images [batch, …] that look so, else "". */
const char *gt_channels_first_hint(gt_shape images);
/* A layer that takes input[0] as pictures, channels last. */
void gt_review_picture(gt_build *build, const gt_id *input);
#endif
