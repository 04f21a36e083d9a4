/* Text from a language model (`gtrain generate`), with the evaluation's graph on one window. The window
 * starts with the prompt and the text generated so far; the logits at its last token give the next token.
 * When the window is full, its tokens move one place to the front. Correct only for causal models: values
 * after the last token must not affect its logits. */
#ifndef GT_TRAIN_GENERATE_H
#define GT_TRAIN_GENERATE_H
#include "tokens/tokens.h"
#include "train/eval/evaluator.h"

typedef struct gt_draw_options { /* how a token is drawn, applied in this order */
  double temperature;            /* divides the logits; 0: draws the most probable token */
  int64_t top_k;                 /* draws from this many of the most probable tokens; 0: from all */
  double top_p; /* draws from the fewest tokens whose probabilities reach this sum; 1: from all */
  uint64_t seed;
} gt_draw_options;

/* Draws the token number `place` of text number `sample`; of equally probable tokens, the one with the
 * smaller id counts as more probable. Ids below `first` are never drawn. p: probabilities [count], not all 0
 * from `first` on. */
int32_t gt_draw_token(const float *p, int32_t count, int32_t first, const gt_draw_options *options,
                      uint32_t sample, uint32_t place);

/* Receives the generated text piece by piece, in whole characters. Returns false after gt_fail; the text then
 * ends. */
typedef bool (*gt_text_sink)(void *context, const uint8_t *text, size_t length, gt_error *error);

typedef struct gt_generate_options {
  int64_t tokens;   /* largest number of tokens */
  const char *stop; /* the text ends before this text; NULL or "": no such text */
  gt_draw_options draw;
} gt_generate_options;

typedef struct gt_generated {
  int64_t tokens; /* number of tokens drawn */
  bool stopped;   /* options.stop ended the text */
} gt_generated;

typedef struct gt_generator {
  const gt_model_file *file;
  const gt_vocabulary *vocabulary;
  gt_config config;
  gt_session session;
  gt_evaluator evaluator;
  gt_arena arena;
  int32_t *window; /* [length], which is uploaded to the variable of the input */
  int64_t length;
  int32_t *prompt; /* [prompt_count] */
  int64_t prompt_count;
  bool prompt_is_empty;       /* the prompt is then a new line, which is not part of the text */
  const char *input, *output; /* names of variables */
  float *p;                   /* [vocabulary->size], the probabilities of the next token */
} gt_generator;

/* GT_ERR_DATA if the model is not a language model. device, memory_limit: as in gt_predict. */
bool gt_generator_open(gt_generator *generator, const gt_model_file *file, const char *device,
                       uint64_t memory_limit, gt_error *error);
void gt_generator_close(gt_generator *generator);
/* Sets the prompt, which gt_text_clean has cleaned; empty: the text starts a new line. False if it cannot be
 * written with the vocabulary. */
bool gt_generator_prompt(gt_generator *generator, const gt_text_view *prompt, gt_error *error);
/* Generates text number `sample`, which continues the prompt; the same options give the same text. */
bool gt_generate(gt_generator *generator, const gt_generate_options *options, uint32_t sample,
                 gt_text_sink sink, void *context, gt_generated *out, gt_error *error);
#endif
