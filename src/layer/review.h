/* The review of a model: a build whose only purpose is to find probable mistakes (findings,
 * spec/diagnostics.h). Layers get facts about the data, and warn about settings that do not suit it. Other
 * builds have no review and add no findings. */
#ifndef GT_LAYER_REVIEW_H
#define GT_LAYER_REVIEW_H
#include "layer/layer.h"

/* Facts about the samples of one input of the model, as the network receives them (normalized). Owned by the
 * caller that runs the review. */
typedef struct gt_sample_facts {
  gt_shape sample; /* without the batch, as the data has it */
  /* Returns the fraction of values outside [low, high] in the training samples, or, if `test`, in the test
   * samples (0 if these have no file of their own). If columns have names, it is that of the column with the
   * largest fraction, and *column is set to its name; otherwise that of all values. Columns that are constant
   * in training do not count: nothing is learned from them. */
  double (*outside)(const struct gt_sample_facts *facts, bool test, double low, double high,
                    const char **column);
} gt_sample_facts;

typedef struct gt_review {
  int64_t rows;        /* samples of a batch, as a kernel sees them */
  int64_t last_rows;   /* of the last batch of an epoch, at least 1 */
  gt_position rows_at; /* the key of a phase that decides both; else line 0 */
  /* "the character 'a'": what a number stands for if the integers of input 0 are tokens of a text. NULL:
   * padding, or no token. */
  const char *(*token)(const struct gt_review *review, int64_t id, gt_arena *arena);
  const struct gt_vocabulary *vocabulary; /* for `token`; or NULL */
  const gt_sample_facts *const *input;    /* of each input of the model; NULL: unknown */
  bool next_tokens;                       /* the targets are the tokens of input 0, one place on */
  int phase;     /* number from 1 if there are several phases (findings name it from 2 on), else 0 */
  bool not_bits; /* gt_review_bits has warned; for layers after that one it would only repeat the finding */
} gt_review;

/* Returns the facts about the layer's first input if its values are those of the data, perhaps rearranged
 * (gt_layer_type.moves); else NULL. */
const gt_sample_facts *gt_review_facts(const gt_build *build);
/* Adds a finding at the key of the layer, or at the layer if it has no such key or key is NULL, as "layer
 * 'NAME' …"; in a later phase only if no earlier phase has added it. Without a review the result
 * is not printed. Never NULL. */
gt_diagnostic *gt_review_find(gt_build *build, gt_finding finding, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Warns if a layer normalizes over a single value, which is its own mean. values: how many it normalizes
 * over; rows: the batch axis is among them; help: the suggested fix. */
void gt_review_norm(gt_build *build, int64_t values, bool rows, const char *help);
/* Warns, in a hard build, if the values of input[0], which the gates read, may differ from 0 and 1. */
void gt_review_bits(gt_build *build, const gt_id *input);
/* Warns, for a language model, that the layer reads later places than the one whose next token it predicts.
 * key: the setting that makes it do so. */
void gt_review_order(gt_build *build, const char *key, const char *help);
/* True if a sample's axes look like channels, height and width, in this order. */
bool gt_is_channels_first(gt_shape sample);
/* "; channels come last: …" for an error about images [batch, …] that look channels-first, else "". */
const char *gt_channels_first_hint(gt_shape images);
/* Warns if input[0], which the layer takes as images with channels last, looks channels-first. */
void gt_review_picture(gt_build *build, const gt_id *input);
#endif
