/* Cases (op/case.h) of the automaton of hard gates, on words of 32 boards. */
#include "op/logic/logic_ca_bits.h"
#include "base/philox.h"
#include "op/case.h"
#include "op/core.h"
#include "op/logic/logic_bits.h"
#include "tests/support/automaton.h"
#include <stdlib.h>
#include <string.h>

GT_REGISTER(opcase, logic_ca_bits)

/* Inputs: the clock's state and table, boards (a cell's bit tells whether its number is above a half),
 * logits, wiring. p: tests/support/automaton.h. */
enum { X_BOARDS = 2, X_LOGITS, X_WIRING };

static gt_logic_ca_attribute attribute_of(const gt_case_view *v) { return automaton_of(v->c->p); }

static void fill(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const gt_logic_ca_attribute a = attribute_of(v);
  const int64_t wires = gt_logic_ca_wires(&a);
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS] = {{0}};
  (void)input, (void)x;
  gt_logic_ca_layers(&a, (uint32_t)v->shape[X_BOARDS].dim[3], layer);
  for (uint32_t l = 0; l < a.perceptions + a.updates; l++)
    for (uint32_t o = 0; o < layer[l].width; o++)
      for (uint32_t side = 0; side < 2; side++)
        out[side * wires + layer[l].wire + o] = (int32_t)(gt_random_bits(7, l, side, o) % layer[l].inputs);
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_logic_ca_attribute a = attribute_of(v);
  const gt_shape s = v->shape[X_BOARDS];
  const int64_t values = gt_shape_count(s) / s.dim[0];
  const gt_shape packed = {.rank = 4, .dim = {gt_logic_words(s.dim[0]), s.dim[1], s.dim[2], s.dim[3]}};
  const gt_id clock = a.fire_rate < 1 ? gt_clock(g, v->variable[0], v->variable[1]) : GT_NONE;
  gt_id words = gt_logic_pack(g, gt_reshape(g, x[X_BOARDS], gt_shape_2(s.dim[0], values)), GT_WORDS_BY_WORD);
  words = gt_logic_ca_bits(g, gt_reshape(g, words, packed), gt_logic_codes(g, x[X_LOGITS]), x[X_WIRING],
                           clock, &a);
  words = gt_reshape(g, words, gt_shape_2(packed.dim[0], values));
  return gt_reshape(g, gt_logic_unpack(g, words, s.dim[0], GT_WORDS_BY_WORD), s);
}

/* --- the automaton, board by board and cell by cell ----------------------------------------------------- */

typedef struct rule {
  gt_logic_ca_attribute a;
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS];
  int *gate; /* the function of each gate */
  const double *wiring;
  int64_t wires, height, width, channels;
} rule;

/* The gate's number is its truth table: bits 0 to 3 for (1,1), (1,0), (0,1), (0,0). */
static void run_layer(const rule *r, uint32_t l, uint32_t kernel, bool *values) {
  const gt_logic_ca_layer *layer = &r->layer[l];
  bool out[1024];
  for (uint32_t o = 0; o < layer->width; o++) {
    const bool a = values[(int)r->wiring[layer->wire + o]],
               b = values[(int)r->wiring[r->wires + layer->wire + o]];
    out[o] = r->gate[layer->gate + kernel * layer->width + o] >> ((a ? 0 : 2) + (b ? 0 : 1)) & 1;
  }
  memcpy(values, out, layer->width * sizeof *out);
}

static void new_cell(const rule *r, const bool *board, int64_t y, int64_t x, bool *out) {
  bool in[4096], seen[1024];
  const uint32_t K = r->a.kernels, bits = r->layer[r->a.perceptions - 1].width;
  for (int64_t c = 0; c < r->channels; c++) {
    in[c] = board[(y * r->width + x) * r->channels + c];
    for (uint32_t k = 0; k < K; k++) {
      for (int64_t j = 0; j < 9; j++) {
        const int64_t ny = y + j / 3 - 1, nx = x + j % 3 - 1;
        const bool inside = ny >= 0 && ny < r->height && nx >= 0 && nx < r->width;
        const int64_t cell = (ny + r->height) % r->height * r->width + (nx + r->width) % r->width;
        seen[j] = (inside || r->a.periodic) && board[cell * r->channels + c];
      }
      for (uint32_t l = 0; l < r->a.perceptions; l++) run_layer(r, l, k, seen);
      for (uint32_t o = 0; o < bits; o++) in[r->channels + (c * bits + o) * K + k] = seen[o];
    }
  }
  for (uint32_t l = r->a.perceptions; l < r->a.perceptions + r->a.updates; l++) run_layer(r, l, 0, in);
  memcpy(out, in, (size_t)r->channels * sizeof *out);
}

static void run_board(const rule *r, const int64_t *clock, bool *board, bool *next) {
  const int64_t cells = r->height * r->width, size = cells * r->channels;
  const uint64_t seed = (uint64_t)clock[1] | (uint64_t)clock[2] << 32;
  for (uint32_t t = 0; t < r->a.steps; t++) {
    memcpy(next, board, (size_t)size * sizeof *next);
    for (int64_t cell = 0; cell < cells; cell++)
      if (gt_random_uniform(seed, GT_PURPOSE_GRAPH, (uint32_t)clock[0], (uint32_t)(t * cells + cell)) <=
          r->a.fire_rate)
        new_cell(r, board, cell / r->width, cell % r->width, next + cell * r->channels);
    memcpy(board, next, (size_t)size * sizeof *next);
  }
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape s = v->shape[X_BOARDS];
  const int64_t size = gt_shape_count(s) / s.dim[0];
  if (!y) return s;
  rule r = {.a = attribute_of(v),
            .wiring = x[X_WIRING],
            .height = s.dim[1],
            .width = s.dim[2],
            .channels = s.dim[3]};
  r.wires = gt_logic_ca_wires(&r.a);
  gt_logic_ca_layers(&r.a, (uint32_t)r.channels, r.layer);
  const int64_t gates = gt_logic_ca_gates(&r.a);
  bool *board = calloc((size_t)size, 2 * sizeof *board);
  r.gate = calloc((size_t)gates, sizeof *r.gate);
  for (int64_t i = 0; i < 16 * gates; i++)
    if (x[X_LOGITS][i] > x[X_LOGITS][i / 16 * 16 + r.gate[i / 16]]) r.gate[i / 16] = (int)(i % 16);
  for (int64_t b = 0; b < s.dim[0]; b++) {
    for (int64_t i = 0; i < size; i++) board[i] = x[X_BOARDS][b * size + i] > 0.5;
    run_board(&r, v->c->p, board, board + size);
    for (int64_t i = 0; i < size; i++) y[b * size + i] = board[i];
  }
  free(board);
  free(r.gate);
  return s;
}

static const gt_case_rule bits = {.name = "logic_ca_bits",
                                  .build = build,
                                  .reference = reference,
                                  .fill = fill,
                                  .tolerance = 0,
                                  .reason = "bits"};

/* Clock, boards, gates, twice the wires; steps, kernels, periodic, percentage of cells that fire, layers of
 * perception, widths. */
static const gt_case cases[] = {
    {&bits, "w4 v1,1 g1,1,1,1 2,16 c2,2", {5, 77, 3, 0, 2, 1, 1, 100, 1, 1, 1}},
    {&bits, "w4 v1,1 g31,3,3,1 g45,16 c2,30", {5, 77, 3, 0, 1, 2, 1, 100, 4, 8, 4, 2, 1, 8, 4, 2, 1}},
    {&bits, "w4 v1,1 g32,4,5,3 69,16 c2,41", {5, 77, 3, 0, 3, 3, 0, 100, 3, 8, 4, 2, 16, 8, 3}},
    {&bits, "w4 v1,1 g33,5,4,2 36,16 c2,26", {9, 1, 2, 0, 4, 2, 1, 60, 2, 8, 2, 10, 4, 2}},
    {&bits, "w4 v1,1 g67,2,2,3 20,16 c2,15", {5, 77, 3, 0, 5, 2, 1, 50, 1, 5, 7, 3}},
    {&bits,
     "w4 v1,1 g40,3,7,8 984,16 c2,774",
     {5, 77, 3, 0, 2, 16, 0, 100, 3, 8, 4, 2, 256, 256, 128, 64, 32, 16, 8}},
    {&bits, "w4 v1,1 g3,3,4,40 912,16 c2,867", {5, 77, 3, 0, 1, 4, 1, 100, 4, 8, 4, 2, 1, 512, 300, 40}},
    {&bits, "w4 v1,1 g64,9,8,4 184,16 c2,114", {5, 77, 3, 0, 3, 6, 0, 70, 3, 8, 4, 2, 64, 32, 4}},
};
GT_CASES(logic_ca_bits, cases);
