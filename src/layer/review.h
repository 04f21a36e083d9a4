/* The review of a model: a build whose only purpose is to find probable mistakes (findings,
 * spec/diagnostics.h). Layers receive facts about the data, and warn about settings that do not suit it.
 * Other builds have no review and report no findings. */
#ifndef GT_LAYER_REVIEW_H
#define GT_LAYER_REVIEW_H
#include "layer/layer.h"

/* Facts about the samples of one input of the model, as the network receives them (normalized). Owned by the
 * caller that runs the review. */
typedef struct gt_sample_facts {
  gt_shape sample; /* without the batch, as in the data */
  /* Returns the fraction of values outside [low, high] in the training samples, or, if `test`, in the test
   * samples (0 if these have no file of their own). If columns have names, the result is the largest fraction
   * of any column, and *column is set to its name; otherwise the fraction of all values. Columns that are
   * constant in training are ignored, because nothing is learned from them. */
  double (*outside)(const struct gt_sample_facts *facts, bool test, double low, double high,
                    const char **column);
  /* The smallest and the largest value in the training samples. False: they are unknown, or augmentation
   * changes the values. */
  bool (*range)(const struct gt_sample_facts *facts, double *low, double *high);
  /* Sets used[k] for each k from 1 to count - 1 if a value of the training samples is above level[k - 1] and
   * at most level[k]. level: ascending. Must be called after `range` has returned true. */
  void (*separate)(const struct gt_sample_facts *facts, const double *level, int count, bool *used);
} gt_sample_facts;

typedef struct gt_review {
  int64_t rows;        /* samples per batch: batch_size, or a part of it with train.accumulate */
  int64_t last_rows;   /* samples in the last batch of an epoch, at least 1 */
  gt_position rows_at; /* the setting of a phase that determines both; line 0: there is none */
  /* Describes a token, as in "the character 'a'", if the integers of input 0 are tokens of a text. NULL:
   * padding, or no token. */
  const char *(*token)(const struct gt_review *review, int64_t id, gt_arena *arena);
  const struct gt_vocabulary *vocabulary; /* for `token`; or NULL */
  const gt_sample_facts *const *input;    /* of each input of the model; NULL: unknown */
  const int32_t *length; /* [samples] of the training samples of input 0, which have lengths; else NULL */
  int64_t samples;
  bool next_tokens; /* the targets are the tokens of input 0, shifted by one position */
  int phase;        /* number from 1 if there are several phases (findings name it from 2 on), else 0 */
  bool has_short;   /* gt_build_set_lengths has warned of short samples */
  bool not_bits;    /* gt_review_bits has warned; it does not repeat the finding for later layers */
} gt_review;

/* Returns the facts about the layer's first input if its values are those of the data, possibly rearranged
 * (gt_layer_type.moves); else NULL. */
const gt_sample_facts *gt_review_facts(const gt_build *build);
/* Adds a finding at the key of the layer, or at the layer if it has no such key or key is NULL, as "layer
 * 'NAME' …"; in a later phase only if no earlier phase has added it. Without a review the result
 * is not printed. Never NULL. */
gt_diagnostic *gt_review_add_finding(gt_build *build, gt_finding finding, const char *key, const char *format,
                                     ...) __attribute__((format(printf, 4, 5)));
/* Warns if a layer normalizes over a single value, which is its own mean. values: number of values that it
 * normalizes over; over_batch: the batch axis is one of the axes; help: the suggested fix. */
void gt_review_norm(gt_build *build, int64_t values, bool over_batch, const char *help);
/* Warns if the values of input[0], which the gates read, may differ from 0 and 1. */
void gt_review_bits(gt_build *build, const gt_id *input);
/* Warns, for a language model, that the layer reads later positions than the one whose next token it
 * predicts. key: the setting that causes this. */
void gt_review_order(gt_build *build, const char *key, const char *help);
/* True if a sample's axes look like channels, height and width, in this order. */
bool gt_is_channels_first(gt_shape sample);
/* "; channels come last: …" if images [batch, …] look channels-first, else "": for an error message. */
const char *gt_channels_first_hint(gt_shape images);
/* Warns if input[0], which the layer reads as images with channels last, looks channels-first. */
void gt_review_picture(gt_build *build, const gt_id *input);
#endif
