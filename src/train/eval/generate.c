#include "train/eval/generate.h"
#include "base/memory.h"
#include "base/philox.h"
#include "train/eval/model_use.h"
#include "train/eval/text_stream.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- drawing --- */

typedef struct candidate {
  double weight; /* relative to the most probable token */
  int32_t id;
} candidate;

static int heaviest_first(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
  return (x->id > y->id) - (x->id < y->id);
}

static int32_t largest(const float *p, int32_t count, int32_t first) {
  int32_t best = first;
  for (int32_t i = first; i < count; i++)
    if (p[i] > p[best]) best = i;
  return best;
}

/* The number of candidates, sorted, whose weights reach the fraction `top_p` of their sum. */
static int32_t nucleus(const candidate *c, int32_t count, double sum, double top_p) {
  double reached = 0;
  for (int32_t i = 0; i < count; i++)
    if ((reached += c[i].weight) >= top_p * sum) return i + 1;
  return count;
}

static double sum_of(const candidate *c, int32_t count) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) sum += c[i].weight;
  return sum;
}

int32_t gt_draw_token(const float *p, int32_t count, int32_t first, const gt_draw_options *options,
                      uint32_t sample, uint32_t place) {
  const int32_t best = largest(p, count, first);
  if (options->temperature <= 0) return best;
  candidate *c = gt_alloc((size_t)count * sizeof *c);
  int32_t n = 0;
  for (int32_t i = first; i < count; i++)
    c[n++] = (candidate){pow((double)p[i] / (double)p[best], 1 / options->temperature), i};
  qsort(c, (size_t)n, sizeof *c, heaviest_first);
  if (options->top_k && options->top_k < n) n = (int32_t)options->top_k;
  if (options->top_p < 1) n = nucleus(c, n, sum_of(c, n), options->top_p);
  const gt_philox bits = gt_philox_block(options->seed, GT_PURPOSE_GENERATE, sample, place);
  const double uniform = (double)((uint64_t)bits.v[0] << 21 | bits.v[1] >> 11) * 0x1p-53;
  double left = uniform * sum_of(c, n);
  int32_t i = 0;
  while (i < n - 1 && (left -= c[i].weight) >= 0) i++;
  const int32_t id = c[i].id;
  free(c);
  return id;
}

/* --- the model --- */

/* Makes g->window the only sample of the test split. */
static bool read_config(gt_generator *g, gt_error *error) {
  gt_dataset *data = &g->config.dataset;
  const gt_input *input = &g->file->signature.input[0];
  g->vocabulary = input->vocabulary;
  if (g->file->signature.inputs != 1 || g->file->signature.targets != 1 || !g->vocabulary)
    return gt_fail(error, GT_ERR_DATA,
                   "%s has no vocabulary: it was not trained on text, so it cannot generate any",
                   g->file->path);
  if (!gt_model_file_config(&g->config, &g->arena, g->file, error)) return false;
  g->length = input->dim[0];
  g->window = GT_NEW_N(&g->arena, int32_t, g->length);
  g->p = GT_NEW_N(&g->arena, float, g->vocabulary->size);
  data->split[GT_PART_TEST].samples = 1;
  gt_split_add(&data->split[GT_PART_TEST], GT_SAMPLE_INPUT, 0,
               (gt_tensor){.element = GT_ELEMENT_I32, .rank = 2, .dim = {1, g->length}, .data = g->window});
  g->config.train.eval_batch_size = 1;
  return true;
}

/* Checks that the model outputs a probability of each token at each place. */
static bool check_output(gt_generator *g, gt_error *error) {
  const gt_net *net = g->evaluator.net;
  const gt_shape shape = gt_node_at(net->stage[0].graph, net->target[0].output)->shape;
  char text[128];
  if (shape.rank == 3 && shape.dim[1] == g->length && shape.dim[2] == g->vocabulary->size) return true;
  return gt_fail(error, GT_ERR_DATA,
                 "%s is not a language model: its output is %s; expected [1, %" PRId64
                 ", %d], a score of each token "
                 "at each place",
                 g->file->path, gt_shape_text(shape, text), g->length, g->vocabulary->size);
}

bool gt_generator_open(gt_generator *g, const gt_model_file *file, const char *device, uint64_t memory_limit,
                       gt_error *error) {
  *g = (gt_generator){.file = file};
  gt_arena_init(&g->arena);
  if (!read_config(g, error) ||
      !gt_evaluator_open_model(&g->session, &g->evaluator, &g->config, file, device, memory_limit, error))
    return false;
  const gt_net *net = g->evaluator.net;
  const gt_samples samples = gt_net_samples(net, &g->config.dataset);
  g->input = gt_samples_variable(&samples, GT_SAMPLE_INPUT, 0, &g->arena);
  g->output = gt_net_output_variable(net, 0, &g->arena);
  return check_output(g, error) && gt_session_load_weights(&g->session, net->model->store, file, error);
}

void gt_generator_close(gt_generator *g) {
  gt_session_close(&g->session);
  gt_arena_finish(&g->arena);
  *g = (gt_generator){0};
}

/* Sets g->p to the probabilities of the token that follows the first `count` of the window. */
static bool predict(gt_generator *g, int64_t count, gt_error *error) {
  const uint64_t row = (uint64_t)g->vocabulary->size * sizeof *g->p;
  uint64_t ticket;
  if (!gt_tensor_upload(gt_split_input(&g->config.dataset.split[GT_PART_TEST], 0), g->input,
                        &g->session.buffers, error) ||
      !gt_session_set_clock(&g->session, g->evaluator.net, 0, error) ||
      !gt_net_run(g->evaluator.net, g->session.backend, g->evaluator.executable, 1, &ticket, error) ||
      !gt_buffers_download(&g->session.buffers, g->output, (uint64_t)(count - 1) * row, g->p, row, error))
    return false;
  for (int32_t i = 0; i < g->vocabulary->size; i++)
    if (!isfinite(g->p[i])) return gt_fail(error, GT_ERR_DATA, "%s: its output is not finite", g->file->path);
  return true;
}

/* --- text --- */

bool gt_generator_prompt(gt_generator *g, const gt_text_view *prompt, gt_error *error) {
  static const uint8_t line[] = "\n";
  const gt_vocabulary *v = g->vocabulary;
  gt_ids ids = {gt_alloc((prompt->size + 1) * sizeof(int32_t)), 0};
  gt_error ignored = {0};
  const bool ok = gt_vocabulary_encode(v, prompt, &ids, error);
  g->prompt_is_empty = !ids.count;
  if (g->prompt_is_empty && !gt_vocabulary_encode(v, &(gt_text_view){line, 1, "", NULL}, &ids, &ignored))
    ids.count = 0;
  g->prompt = GT_NEW_N(&g->arena, int32_t, ids.count + 1);
  for (int64_t i = 0; i < ids.count; i++)
    g->prompt[i] =
        gt_vocabulary_is_narrow(v) ? ((const uint8_t *)ids.data)[i] : ((const int32_t *)ids.data)[i];
  g->prompt_count = ids.count ? ids.count : 1; /* token 0 if this vocabulary has no new line */
  free(ids.data);
  return ok;
}

/* Copies the last tokens of the prompt, as many as fit, into the window; returns their number. */
static int64_t fill_window(gt_generator *g) {
  const int64_t count = g->prompt_count < g->length ? g->prompt_count : g->length;
  memset(g->window, 0, (size_t)g->length * sizeof *g->window);
  memcpy(g->window, g->prompt + g->prompt_count - count, (size_t)count * sizeof *g->prompt);
  return count;
}

static void append(gt_generator *g, int64_t *filled, int32_t id) {
  if (*filled == g->length) memmove(g->window, g->window + 1, (size_t)-- * filled * sizeof *g->window);
  g->window[(*filled)++] = id;
}

bool gt_generate(gt_generator *g, const gt_generate_options *options, uint32_t sample, gt_text_sink sink,
                 void *context, gt_generated *out, gt_error *error) {
  /* Draws neither the unknown token nor those before it. */
  const int32_t first = g->vocabulary->unknown >= 0 ? g->vocabulary->unknown + 1 : 0;
  int64_t filled = fill_window(g);
  int32_t previous = g->prompt_is_empty ? -1 : g->prompt[g->prompt_count - 1];
  *out = (gt_generated){0};
  gt_text_stream stream;
  gt_text_stream_open(&stream, g->vocabulary, options->stop, sink, context);
  bool ok = true;
  while (ok && out->tokens < options->tokens && !stream.stopped) {
    if (!(ok = predict(g, filled, error))) break;
    const int32_t id =
        gt_draw_token(g->p, g->vocabulary->size, first, &options->draw, sample, (uint32_t)out->tokens++);
    append(g, &filled, id);
    ok = gt_text_stream_add(&stream, previous, id, error);
    previous = id;
  }
  ok = ok && gt_text_stream_end(&stream, error);
  out->stopped = stream.stopped;
  gt_text_stream_close(&stream);
  return ok;
}
