/* Text from a language model (`gtrain generate`): the evaluation's graph on one window. The window begins
 * with the prompt and the text generated so far; the logits at the last token give the next one; when the
 * window is full, its last tokens move to the front. Correct only for causal models: values after the last
 * token must not affect its logits. */
#ifndef GT_TRAIN_GENERATE_H
#define GT_TRAIN_GENERATE_H
#include "tokens/tokens.h"
#include "train/session.h"

typedef struct gt_draw_options { /* how a token is drawn from its probabilities, in this order */
  double temperature;            /* of the logits; 0: the most probable token */
  int64_t top_k;                 /* from the most probable ones; 0: from all */
  double top_p;                  /* from the fewest whose probabilities reach this sum; 1: from all */
  uint64_t seed;
} gt_draw_options;

/* The token drawn for place `place` of sample `sample`; among equally probable ones the first counts as more
 * probable. Ids below `first` are never drawn. p: [count], at least 0, not all 0 from `first` on. */
int32_t gt_draw_token(const float *p, int32_t count, int32_t first, const gt_draw_options *options,
                      uint32_t sample, uint32_t place);

/* Receives text as it is generated, in whole characters. False ends the text, after gt_fail. */
typedef bool (*gt_text_sink)(void *context, const uint8_t *text, size_t length, gt_error *error);

typedef struct gt_generate_options {
  int64_t tokens;   /* at most */
  const char *stop; /* the text ends before it; NULL or "": never */
  gt_draw_options draw;
} gt_generate_options;

typedef struct gt_generated {
  int64_t tokens; /* that were drawn */
  bool stopped;   /* by options.stop */
} gt_generated;

typedef struct gt_generator {
  const gt_model_file *file;
  const gt_vocabulary *vocabulary;
  gt_config config;
  gt_session session;
  gt_evaluator evaluator;
  gt_arena arena;
  int32_t *window; /* [length], the variable of the input */
  int64_t length;
  int32_t *prompt; /* [prompt_count] */
  int64_t prompt_count;
  bool begins;                /* there is no prompt */
  const char *input, *output; /* variables */
  float *p;                   /* [vocabulary->size], of the next token */
} gt_generator;

/* GT_ERR_DATA if the model is not a language model. device, memory_limit: as in gt_predict. */
bool gt_generator_open(gt_generator *generator, const gt_model_file *file, const char *device,
                       uint64_t memory_limit, gt_error *error);
void gt_generator_close(gt_generator *generator);
/* Sets the prompt, clean text (gt_text_clean); empty: the model begins a line. False if it is not in the
 * vocabulary. */
bool gt_generator_prompt(gt_generator *generator, const gt_text_view *prompt, gt_error *error);
/* Continues the prompt, as sample number `sample`; the same options give the same text. */
bool gt_generate(gt_generator *generator, const gt_generate_options *options, uint32_t sample,
                 gt_text_sink sink, void *context, gt_generated *out, gt_error *error);
#endif
