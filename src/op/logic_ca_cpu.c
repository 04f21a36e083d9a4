/* The automaton on the CPU: a tile is a group of cells, all values of the circuit lie in rows of one number a
 * cell, so that every gate is a loop over the group which becomes vector code. Backward, a tile keeps the
 * rows of its forward pass and adds to the gradients' rows as it goes back; sums over its cells go to the
 * tile's own partial sums. */
#include "op/logic_ca_cpu.h"
#include "base/memory.h"
#include "base/philox.h"
#include "op/logic_ca.h"
#include "op/math.h"
#include "shaders/op/logic_ca.h"
#include "shaders/op/logic_ca_gradient.h"
#include "shaders/op/logic_ca_sum.h"
#include <stdlib.h>
#include <string.h>

enum { LANES = GT_CA_LANES, PATCH = GT_LOGIC_CA_PATCH, CENTRE = 4 };
typedef float row[LANES];
/* A row as one value: compilers make of it as many registers as the instruction set needs. */
typedef float lanes __attribute__((vector_size(sizeof(row)), aligned(4), may_alias));
#define ROW_AT(rows, index)       (*(lanes *)((rows) + (size_t)(index)*LANES))
#define CONST_ROW_AT(rows, index) (*(const lanes *)((rows) + (size_t)(index)*LANES))

typedef struct circuit { /* one tile's view of a step */
  uint32_t channels, kernels, height, width, perceptions, updates, cells, wires, first, count;
  bool periodic;
  const uint32_t *layer;
  const float *coefficients;
  const int32_t *wiring;
  uint32_t patch[PATCH][LANES]; /* cell that lies there, or GT_NONE */
  bool fires[LANES];
  uint32_t
      at[GT_LOGIC_CA_LAYERS + 1]; /* first row of each layer's inputs, then of the last layer's outputs */
  uint32_t update, rows;          /* first row of the update's inputs, and of all there are */
} circuit;

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The cell that lies at place j of this cell's neighbourhood, GT_NONE beyond the border. */
static uint32_t neighbour(uint32_t cell, int j, uint32_t height, uint32_t width, bool periodic) {
  const uint32_t board = height * width, inside = cell % board;
  uint32_t y = inside / width + (uint32_t)(j / 3) + height - 1,
           x = inside % width + (uint32_t)(j % 3) + width - 1;
  if (!periodic && (y < height || y >= 2 * height || x < width || x >= 2 * width)) return GT_NONE;
  return cell - inside + y % height * width + x % width;
}

static void place_rows(circuit *c) {
  uint32_t row_count = PATCH * c->channels;
  for (uint32_t l = 0; l < c->perceptions; l++) {
    c->at[l] = l ? row_count : 0;
    const uint32_t width = c->layer[l * GT_CA_WORDS + CA_WIDTH];
    if (l) row_count += c->kernels * c->channels * c->layer[l * GT_CA_WORDS + CA_INPUTS];
    if (l == c->perceptions - 1) {
      c->update = row_count;
      row_count += c->channels * (1 + width * c->kernels);
    }
  }
  c->at[c->perceptions] = c->update;
  for (uint32_t l = c->perceptions; l < c->perceptions + c->updates; l++) {
    c->at[l + 1] = row_count;
    row_count += c->layer[l * GT_CA_WORDS + CA_WIDTH];
  }
  c->rows = row_count;
}

static void open_circuit(circuit *c, const uint32_t *spec, uint32_t tile, const uint32_t *clock,
                         uint32_t step, uint32_t purpose, float fire_rate) {
  c->channels = spec[SPEC_CA_CHANNELS];
  c->kernels = spec[SPEC_CA_KERNELS];
  c->height = spec[SPEC_CA_HEIGHT];
  c->width = spec[SPEC_CA_WIDTH];
  c->periodic = spec[SPEC_CA_PERIODIC];
  c->perceptions = spec[SPEC_CA_PERCEPTIONS];
  c->updates = spec[SPEC_CA_UPDATES];
  c->first = tile * LANES;
  c->count = least(LANES, c->cells - c->first);
  const uint32_t board = c->height * c->width;
  for (uint32_t i = 0; i < LANES; i++) {
    const uint32_t cell = c->first + i;
    for (int j = 0; j < PATCH; j++)
      c->patch[j][i] = i < c->count ? neighbour(cell, j, c->height, c->width, c->periodic) : GT_NONE;
    c->fires[i] = true;
    if (!spec[SPEC_CA_FIRE] || i >= c->count) continue;
    const uint64_t seed = clock[1] | (uint64_t)clock[2] << 32;
    c->fires[i] = gt_random_uniform(seed, purpose, clock[0], step * board + cell % board) <= fire_rate;
  }
  place_rows(c);
}

/* --- forward
 * --------------------------------------------------------------------------------------------------- */

/* Gates of one layer: outputs go to every stride-th row of y. Indices are held inside the layer's inputs,
 * whatever the wiring of a damaged file says. */
GT_CLONES static void gates(const float *restrict c, const int32_t *restrict a, const int32_t *restrict b,
                            uint32_t n, uint32_t inputs, const float *restrict x, float *restrict y,
                            uint32_t stride) {
  for (uint32_t o = 0; o < n; o++, c += 4) {
    const lanes xa = CONST_ROW_AT(x, least((uint32_t)a[o], inputs - 1));
    const lanes xb = CONST_ROW_AT(x, least((uint32_t)b[o], inputs - 1));
    ROW_AT(y, o * stride) = (c[0] + c[1] * xa) + xb * (c[2] + c[3] * xa);
  }
}

static void load_patches(const circuit *c, const float *state, row *v) {
  for (uint32_t channel = 0; channel < c->channels; channel++)
    for (int j = 0; j < PATCH; j++)
      for (int i = 0; i < LANES; i++) {
        const uint32_t cell = c->patch[j][i];
        v[channel * PATCH + (uint32_t)j][i] =
            cell == GT_NONE ? 0 : state[(size_t)cell * c->channels + channel];
      }
  for (uint32_t channel = 0; channel < c->channels; channel++)
    memcpy(v[c->update + channel], v[channel * PATCH + CENTRE], sizeof(row));
}

/* First row of what a perception layer reads and makes, for one kernel and channel, and the step between
 * outputs. */
static uint32_t reads(const circuit *c, uint32_t l, uint32_t k, uint32_t channel) {
  if (l == 0) return channel * PATCH;
  return c->at[l] + (k * c->channels + channel) * c->layer[l * GT_CA_WORDS + CA_INPUTS];
}

static uint32_t makes(const circuit *c, uint32_t l, uint32_t k, uint32_t channel, uint32_t *stride) {
  const uint32_t width = c->layer[l * GT_CA_WORDS + CA_WIDTH];
  const bool last = l == c->perceptions - 1;
  *stride = last ? c->kernels : 1;
  return last ? c->update + c->channels + channel * width * c->kernels + k
              : c->at[l + 1] + (k * c->channels + channel) * width;
}

static void run_circuit(const circuit *c, const float *state, row *v) {
  load_patches(c, state, v);
  for (uint32_t l = 0; l < c->perceptions + c->updates; l++) {
    const uint32_t *w = c->layer + (size_t)l * GT_CA_WORDS;
    const int32_t *a = c->wiring + w[CA_WIRE], *b = a + c->wires;
    const float *coefficients = c->coefficients + 4 * (size_t)w[CA_GATE];
    if (l >= c->perceptions) {
      gates(coefficients, a, b, w[CA_WIDTH], w[CA_INPUTS], v[c->at[l]], v[c->at[l + 1]], 1);
      continue;
    }
    for (uint32_t k = 0; k < c->kernels; k++)
      for (uint32_t channel = 0; channel < c->channels; channel++) {
        uint32_t stride;
        const uint32_t to = makes(c, l, k, channel, &stride);
        gates(coefficients + 4 * (size_t)(k * w[CA_WIDTH]), a, b, w[CA_WIDTH], w[CA_INPUTS],
              v[reads(c, l, k, channel)], v[to], stride);
      }
  }
}

void gt_logic_ca_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_ca_args *a = args;
  circuit c = {.cells = a->cells,
               .wires = a->wires,
               .layer = GT_PTR(const uint32_t, a->shape),
               .coefficients = GT_PTR(const float, a->coefficients),
               .wiring = GT_PTR(const int32_t, a->wiring)};
  open_circuit(&c, spec, tile, GT_PTR(const uint32_t, a->clock), a->step, a->purpose, a->fire_rate);
  const float *from = GT_PTR(const float, a->from) + a->from_offset;
  float *states = GT_PTR(float, a->states), *to = states + a->to_offset;
  row *v = gt_alloc(c.rows * sizeof *v);
  run_circuit(&c, from, v);
  const row *out = v + c.at[c.perceptions + c.updates];
  for (uint32_t i = 0; i < c.count; i++) {
    const size_t cell = (size_t)(c.first + i) * c.channels;
    for (uint32_t channel = 0; channel < c.channels; channel++) {
      const float made = a->round ? (float)(out[channel][i] > 0.5f) : out[channel][i];
      to[cell + channel] = c.fires[i] ? made : from[cell + channel];
      if (a->copy) states[cell + channel] = from[cell + channel];
    }
  }
  free(v);
}

/* --- backward
 * -------------------------------------------------------------------------------------------------- */

typedef struct span { /* gates that several channels share: rows for the first channel, and the step to the
                         next */
  const float *x;
  float *dx;
  const float *dy;
  uint32_t channels, inputs, x_step, y_step, stride; /* steps in rows; stride: between gates' outputs */
} span;

/* The totals of four rows: halves, quarters, then within quarters. */
GT_MATH void totals(const lanes s[4], float sum[4], bool add) {
#define HALVES(a, b)                                                                       \
  (__builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) + \
   __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
  const lanes x = HALVES(s[0], s[1]), y = HALVES(s[2], s[3]);
#undef HALVES
  lanes z = __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
            __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  z += __builtin_shufflevector(z, z, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  z += __builtin_shufflevector(z, z, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
  for (int k = 0; k < 4; k++) sum[k] = add ? sum[k] + z[4 * k] : z[4 * k];
}

/* Adds to the gradients of the gates' inputs; the four sums of each over all cells and channels go to `sum`.
 */
GT_CLONES static void gates_back(const float *restrict c, const int32_t *restrict wa,
                                 const int32_t *restrict wb, uint32_t n, const span *s, float *restrict sum,
                                 bool add) {
  for (uint32_t o = 0; o < n; o++, c += 4, sum += 4) {
    const uint32_t a = least((uint32_t)wa[o], s->inputs - 1), b = least((uint32_t)wb[o], s->inputs - 1);
    lanes part[4] = {{0}, {0}, {0}, {0}};
    for (uint32_t channel = 0; channel < s->channels; channel++) {
      const uint32_t from = channel * s->x_step;
      const lanes xa = CONST_ROW_AT(s->x, from + a), xb = CONST_ROW_AT(s->x, from + b);
      const lanes g = CONST_ROW_AT(s->dy, channel * s->y_step + o * s->stride), ga = g * xa;
      part[0] += g;
      part[1] += ga;
      part[2] += g * xb;
      part[3] += ga * xb;
      ROW_AT(s->dx, from + a) += g * (c[1] + c[3] * xb); /* a and b may be the same input */
      ROW_AT(s->dx, from + b) += c[2] * g + c[3] * ga;
    }
    totals(part, sum, add);
  }
}

static void layer_back(const circuit *c, uint32_t l, row *v, row *d, float *partial, bool add) {
  const uint32_t *w = c->layer + (size_t)l * GT_CA_WORDS, width = w[CA_WIDTH];
  const int32_t *a = c->wiring + w[CA_WIRE], *b = a + c->wires;
  const bool perceives = l < c->perceptions;
  for (uint32_t k = 0; k < (perceives ? c->kernels : 1); k++) {
    uint32_t from = c->at[l], to = c->at[l + 1], stride = 1;
    if (perceives) from = reads(c, l, k, 0), to = makes(c, l, k, 0, &stride);
    const span s = {.x = v[from],
                    .dx = d[from],
                    .dy = d[to],
                    .channels = perceives ? c->channels : 1,
                    .inputs = w[CA_INPUTS],
                    .x_step = w[CA_INPUTS],
                    .y_step = width * stride,
                    .stride = stride};
    const size_t gate = w[CA_GATE] + k * width;
    gates_back(c->coefficients + 4 * gate, a, b, width, &s, partial + 4 * gate, add);
  }
}

/* The gradient of a cell's channel: what all cells computed for it, in the order of their places. */
static float gathered(const float *d_patch, uint32_t cell, uint32_t channel, uint32_t channels,
                      uint32_t height, uint32_t width, bool periodic) {
  float sum = 0;
  for (int j = 0; j < PATCH; j++) { /* it lies at place j of the neighbour on the other side */
    const uint32_t other = neighbour(cell, PATCH - 1 - j, height, width, periodic);
    if (other != GT_NONE) sum += d_patch[((size_t)other * PATCH + (size_t)j) * channels + channel];
  }
  return sum;
}

/* Gradient of the outputs; what cells that kept their state pass on goes to `kept`. */
static void load_gradient(const circuit *c, const struct gt_logic_ca_gradient_args *a, row *d, row *kept) {
  const float *d_patch = GT_PTR(const float, a->d_patch),
              *given = GT_PTR(const float, a->d_states) + a->d_offset;
  row *out = d + c->at[c->perceptions + c->updates];
  for (uint32_t channel = 0; channel < c->channels; channel++)
    for (uint32_t i = 0; i < LANES; i++) {
      float g = 0;
      const uint32_t cell = c->first + i;
      if (i < c->count && a->flags & CA_HAS_PATCH)
        g = gathered(d_patch, cell, channel, c->channels, c->height, c->width, c->periodic);
      if (i < c->count && a->flags & CA_HAS_GIVEN) g += given[(size_t)cell * c->channels + channel];
      out[channel][i] = c->fires[i] ? g : 0;
      kept[channel][i] = c->fires[i] ? 0 : g;
    }
}

void gt_logic_ca_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_ca_gradient_args *a = args;
  circuit c = {.cells = a->cells,
               .wires = a->wires,
               .layer = GT_PTR(const uint32_t, a->shape),
               .coefficients = GT_PTR(const float, a->coefficients),
               .wiring = GT_PTR(const int32_t, a->wiring)};
  open_circuit(&c, spec, tile, GT_PTR(const uint32_t, a->clock), a->step, a->purpose, a->fire_rate);
  row *v = gt_alloc((2 * c.rows + c.channels) * sizeof *v), *d = v + c.rows, *kept = d + c.rows;
  memset(d, 0, c.rows * sizeof *d);
  run_circuit(&c, GT_PTR(const float, a->from) + a->from_offset, v);
  load_gradient(&c, a, d, kept);
  float *partial = GT_PTR(float, a->partial) + (size_t)tile * spec[SPEC_CA_SLOTS] * 4;
  for (uint32_t l = c.perceptions + c.updates; l-- > 0;)
    layer_back(&c, l, v, d, partial, a->flags & CA_HAS_PATCH);
  float *out = GT_PTR(float, a->d_patch_out);
  for (uint32_t i = 0; i < c.count; i++)
    for (uint32_t channel = 0; channel < c.channels; channel++)
      for (uint32_t j = 0; j < PATCH; j++) {
        float g = d[channel * PATCH + j][i];
        if (j == CENTRE) g += d[c.update + channel][i] + kept[channel][i];
        out[((size_t)(c.first + i) * PATCH + j) * c.channels + channel] = g;
      }
  free(v);
}

/* --- the end
 * --------------------------------------------------------------------------------------------------- */

static void sum_coefficients(const struct gt_logic_ca_sum_args *a, uint32_t from, uint32_t to) {
  const float *partial = GT_PTR(const float, a->partial);
  float *y = GT_PTR(float, a->y);
  for (uint32_t i = 4 * from; i < 4 * to; i++) y[i] = partial[i]; /* a slot a gate, in their order */
  for (uint32_t g = 1; g < a->groups; g++)
    for (uint32_t i = 4 * from; i < 4 * to; i++) y[i] += partial[(size_t)g * a->slots * 4 + i];
}

void gt_logic_ca_sum_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_ca_sum_args *a = args;
  const uint32_t from = tile * CA_SUM_TILE;
  if (spec[SPEC_CA_SUM_MODE] == CA_SUM_COEFFICIENTS) {
    sum_coefficients(a, from, least(a->gates, from + CA_SUM_TILE));
    return;
  }
  const float *d_patch = GT_PTR(const float, a->d_patch), *given = GT_PTR(const float, a->d_states);
  float *y = GT_PTR(float, a->y) + a->offset;
  for (uint32_t cell = from; cell < least(a->cells, from + CA_SUM_TILE); cell++)
    for (uint32_t channel = 0; channel < a->channels; channel++) {
      const size_t i = (size_t)cell * a->channels + channel;
      y[i] = gathered(d_patch, cell, channel, a->channels, a->height, a->width, a->periodic);
      if (a->d_states_given) y[i] += given[i];
    }
}
