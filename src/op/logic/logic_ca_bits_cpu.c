/* The automaton on bits on the CPU: a tile is a group of cells; a row has one word per cell, and a gate is a
 * loop over two rows. Perception evaluates one kernel of one channel at a time and keeps only its outputs. */
#include "base/count.h"
#include "base/memory.h"
#include "base/philox.h"
#include "op/logic/logic_ca.h"
#include "op/logic/logic_ca_bits_cpu.h"
#include "op/logic/logic_ca_cpu.h"
#include "shaders/op/logic/logic_ca_bits.h"
#include "step/math.h"
#include <stdlib.h>
#include <string.h>

enum { LANES = GT_CA_BITS_LANES, PATCH = GT_LOGIC_CA_PATCH, CENTRE = 4 };
typedef uint32_t row[LANES];

typedef struct circuit { /* the data of one tile in one step */
  const struct gt_logic_ca_bits_args *args;
  const uint32_t *layer, *codes, *wiring; /* layer: the argument `shape` */
  uint32_t channels, kernels, height, width, perceptions, updates;
  uint32_t first, count; /* first cell of the tile, and number of its cells */
  bool periodic;
  uint32_t neighbor_word[PATCH][LANES]; /* index of the first channel's word of the neighbor, or GT_NONE */
  row *perceived[2], *state[2]; /* outputs of the perception's and of the update's layers, alternating */
  row *patch;                   /* the neighborhoods of the cells, for one channel */
} circuit;

static void find_neighbors(circuit *c) {
  for (uint32_t j = 0; j < PATCH; j++)
    for (uint32_t i = 0; i < LANES; i++) {
      uint32_t cell = GT_NONE;
      if (i < c->count) cell = gt_logic_ca_neighbour(c->first + i, j, c->height, c->width, c->periodic);
      c->neighbor_word[j][i] = cell == GT_NONE ? GT_NONE : cell * c->channels;
    }
}

/* Allocates all rows in one block, which the caller frees. */
static row *place_rows(circuit *c) {
  uint32_t perceived = 1, state = c->layer[c->perceptions * GT_CA_BITS_WORDS + LAYER_INPUTS];
  for (uint32_t l = 0; l < c->perceptions; l++)
    perceived = gt_max_u32(perceived, c->layer[l * GT_CA_BITS_WORDS + LAYER_WIDTH]);
  for (uint32_t l = 0; l < c->updates; l++)
    state = gt_max_u32(state, c->layer[(c->perceptions + l) * GT_CA_BITS_WORDS + LAYER_WIDTH]);
  row *rows = gt_alloc((PATCH + 2 * (size_t)perceived + 2 * (size_t)state) * sizeof *rows);
  c->patch = rows;
  for (int i = 0; i < 2; i++) {
    c->perceived[i] = rows + PATCH + (size_t)i * perceived;
    c->state[i] = rows + PATCH + 2 * (size_t)perceived + (size_t)i * state;
  }
  return rows;
}

/* Evaluates the gates of one layer; outputs are written to every stride-th row of y. Indices are clamped,
 * because the wiring of a damaged file may be out of range. */
GT_CLONES static void run_gates(const uint32_t *restrict codes, const uint32_t *restrict a,
                                const uint32_t *restrict b, uint32_t n, uint32_t inputs,
                                const row *restrict x, row *restrict y, size_t stride) {
  for (uint32_t o = 0; o < n; o++) {
    const uint32_t *xa = x[gt_min_u32(a[o], inputs - 1)], *xb = x[gt_min_u32(b[o], inputs - 1)],
                   code = codes[o];
    const uint32_t c0 = -(code & 1), c1 = -(code >> 1 & 1), c2 = -(code >> 2 & 1), c3 = -(code >> 3 & 1);
    uint32_t *restrict out = y[o * stride];
    for (uint32_t i = 0; i < LANES; i++) out[i] = c0 ^ (xa[i] & c1) ^ (xb[i] & (c2 ^ (xa[i] & c3)));
  }
}

static void run_layer(const circuit *c, uint32_t l, uint32_t kernel, const row *x, row *y, size_t stride) {
  const uint32_t *w = c->layer + (size_t)l * GT_CA_BITS_WORDS, *a = c->wiring + w[LAYER_WIRE];
  run_gates(c->codes + w[LAYER_GATE] + (size_t)kernel * w[LAYER_WIDTH], a, a + c->args->wires, w[LAYER_WIDTH],
            w[LAYER_INPUTS], x, y, stride);
}

/* Perception of one channel by all kernels; the update's inputs have the order (channel, output, kernel). */
static void perceive(const circuit *c, const uint32_t *from, uint32_t channel) {
  const uint32_t width = c->layer[(c->perceptions - 1) * GT_CA_BITS_WORDS + LAYER_WIDTH];
  for (int j = 0; j < PATCH; j++)
    for (int i = 0; i < LANES; i++)
      c->patch[j][i] = c->neighbor_word[j][i] == GT_NONE ? 0 : from[c->neighbor_word[j][i] + channel];
  memcpy(c->state[0][channel], c->patch[CENTRE], sizeof(row));
  for (uint32_t k = 0; k < c->kernels; k++) {
    const row *x = c->patch;
    for (uint32_t l = 0; l + 1 < c->perceptions; l++) {
      run_layer(c, l, k, x, c->perceived[l % 2], 1);
      x = c->perceived[l % 2];
    }
    run_layer(c, c->perceptions - 1, k, x,
              c->state[0] + c->channels + (size_t)channel * width * c->kernels + k, c->kernels);
  }
}

static bool fires(const circuit *c, uint32_t cell) {
  const struct gt_logic_ca_bits_args *t = c->args;
  const uint32_t *clock = GT_PTR(const uint32_t, t->clock), board = c->height * c->width;
  const uint64_t seed = clock[1] | (uint64_t)clock[2] << 32;
  return gt_random_uniform(seed, t->purpose, clock[0], t->step * board + cell % board) <= t->fire_rate;
}

void gt_logic_ca_bits_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_ca_bits_args *t = args;
  const uint32_t *from = GT_PTR(const uint32_t, t->from);
  circuit c = {.args = t,
               .layer = GT_PTR(const uint32_t, t->shape),
               .codes = GT_PTR(const uint32_t, t->codes),
               .wiring = GT_PTR(const uint32_t, t->wiring),
               .channels = spec[GT_CA_SPEC_CHANNELS],
               .kernels = spec[GT_CA_SPEC_KERNELS],
               .height = spec[GT_CA_SPEC_HEIGHT],
               .width = spec[GT_CA_SPEC_WIDTH],
               .perceptions = spec[GT_CA_SPEC_PERCEPTIONS],
               .updates = spec[GT_CA_SPEC_UPDATES],
               .periodic = spec[GT_CA_SPEC_PERIODIC],
               .first = tile * LANES,
               .count = gt_min_u32(LANES, t->cells - tile * LANES)};
  find_neighbors(&c);
  row *rows = place_rows(&c);
  for (uint32_t channel = 0; channel < c.channels; channel++) perceive(&c, from, channel);
  for (uint32_t l = 0; l < c.updates; l++)
    run_layer(&c, c.perceptions + l, 0, c.state[l % 2], c.state[(l + 1) % 2], 1);
  for (uint32_t i = 0; i < c.count; i++) {
    const uint32_t cell = c.first + i;
    const bool updates_cell = !spec[GT_CA_BITS_SPEC_FIRE] || fires(&c, cell);
    uint32_t *to = GT_PTR(uint32_t, t->to) + (size_t)cell * c.channels;
    for (uint32_t channel = 0; channel < c.channels; channel++)
      to[channel] =
          updates_cell ? c.state[c.updates % 2][channel][i] : from[(size_t)cell * c.channels + channel];
  }
  free(rows);
}
