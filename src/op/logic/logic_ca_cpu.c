/* The automaton on the CPU: a tile is a group of cells; all values of the circuit are rows with one number
 * per cell, so that every gate is vector code over the group. In the backward pass a tile keeps the rows of
 * its forward pass, but the gradients of only two adjacent layers, so that they stay in the L1 cache;
 * perception is differentiated kernel by kernel. Sums over the tile's cells are partial sums, which another
 * kernel adds. */
#include "op/logic/logic_ca_cpu.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/philox.h"
#include "op/logic/logic_ca.h"
#include "shaders/op/logic/logic_ca.h"
#include "shaders/op/logic/logic_ca_gradient.h"
#include "shaders/op/logic/logic_ca_sum.h"
#include "step/math.h"
#include <stdlib.h>
#include <string.h>

enum { LANES = GT_CA_LANES, PATCH = GT_LOGIC_CA_PATCH, CENTRE = 4, VECTOR = 8, PARTS = LANES / VECTOR };
typedef float row[LANES];
/* A part of a row: one vector register on most machines. Compilers generate poor code for wider vectors. */
typedef float lanes __attribute__((vector_size(4 * VECTOR), aligned(4), may_alias));
typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
#define PART_AT(rows, index, part) (*(lanes *)((rows)[index] + VECTOR * (part)))

typedef struct circuit { /* the data of one tile in one step */
  uint32_t channels, kernels, height, width, perceptions, updates, wires;
  uint32_t cells, count; /* cells of all boards, and of the tile */
  bool periodic;
  const uint32_t *layer; /* the argument `shape` */
  const float *coefficients;
  const int32_t *wiring;
  uint32_t cell[LANES], patch[PATCH][LANES]; /* the cells and their neighborhoods; or GT_NONE */
  bool fires[LANES], any_fires;
  /* First row of each layer's inputs, then of the last layer's outputs. */
  uint32_t first_row[GT_LOGIC_CA_LAYERS + 1];
  uint32_t update, rows; /* first row of the update's inputs; number of all rows */
  /* Rows of gradients: those of the patches from row 0 on, of the update's inputs from d_update on, and two
   * areas that the layers use alternately; number of all rows. */
  uint32_t d_update, d_area[2], d_rows;
} circuit;

/* Assigns the rows of values. */
static void place_rows(circuit *c) {
  uint32_t row_count = PATCH * c->channels;
  for (uint32_t l = 0; l < c->perceptions; l++) {
    c->first_row[l] = l ? row_count : 0;
    const uint32_t width = c->layer[l * GT_CA_WORDS + CA_WIDTH];
    if (l) row_count += c->kernels * c->channels * c->layer[l * GT_CA_WORDS + CA_INPUTS];
    if (l == c->perceptions - 1) {
      c->update = row_count;
      row_count += c->channels * (1 + width * c->kernels);
    }
  }
  c->first_row[c->perceptions] = c->update;
  for (uint32_t l = c->perceptions; l < c->perceptions + c->updates; l++) {
    c->first_row[l + 1] = row_count;
    row_count += c->layer[l * GT_CA_WORDS + CA_WIDTH];
  }
  c->rows = row_count;
}

/* Assigns the rows of gradients; perception needs those of one kernel at a time. */
static void place_gradient_rows(circuit *c) {
  uint32_t widest = 0;
  for (uint32_t l = 1; l < c->perceptions; l++)
    widest = gt_max_u32(widest, c->channels * c->layer[l * GT_CA_WORDS + CA_INPUTS]);
  for (uint32_t l = c->perceptions; l < c->perceptions + c->updates; l++)
    widest = gt_max_u32(widest, c->layer[l * GT_CA_WORDS + CA_WIDTH]);
  c->d_update = PATCH * c->channels;
  c->d_area[0] = c->d_update + c->layer[c->perceptions * GT_CA_WORDS + CA_INPUTS];
  c->d_area[1] = c->d_area[0] + widest;
  c->d_rows = c->d_area[1] + widest;
}

/* First row of the gradient of a layer's inputs, for one kernel. */
static uint32_t gradient_at(const circuit *c, uint32_t l) {
  return l == 0 ? 0 : l == c->perceptions ? c->d_update : c->d_area[l % 2];
}

/* Lists the cells of a board, first those that fire; returns their number. */
static uint32_t list_cells(uint32_t *list, uint32_t board, const uint32_t *clock, uint32_t step,
                           uint32_t purpose, float fire_rate) {
  const uint64_t seed = clock[1] | (uint64_t)clock[2] << 32;
  uint32_t front = 0, back = board;
  for (uint32_t cell = 0; cell < board; cell++) {
    const bool fires = gt_random_uniform(seed, purpose, clock[0], step * board + cell) <= fire_rate;
    list[fires ? front++ : --back] = cell;
  }
  return front;
}

/* Chooses the cells of the tile. If cells fire at random, the first tiles have the firing cells of all
 * boards, so that at most one tile computes states that are discarded; every tile computes this list. */
static void choose_cells(circuit *c, bool at_random, uint32_t tile, const uint32_t *clock, uint32_t step,
                         uint32_t purpose, float fire_rate) {
  const uint32_t board = c->height * c->width, boards = c->cells / board, first = tile * LANES;
  uint32_t *list = at_random ? gt_realloc(NULL, board * sizeof *list) : NULL, firing = board;
  if (list) firing = list_cells(list, board, clock, step, purpose, fire_rate);
  c->count = gt_min_u32(LANES, c->cells - first);
  c->any_fires = first < firing * boards;
  for (uint32_t i = 0; i < LANES; i++) {
    uint32_t n = first + i;
    c->fires[i] = n < firing * boards;
    if (i >= c->count)
      n = GT_NONE;
    else if (list && c->fires[i])
      n = n / firing * board + list[n % firing];
    else if (list)
      n -= firing * boards, n = n / (board - firing) * board + list[firing + n % (board - firing)];
    c->cell[i] = n;
  }
  free(list);
}

static void init_circuit(circuit *c, const uint32_t *spec, uint32_t tile, const uint32_t *clock,
                         uint32_t step, uint32_t purpose, float fire_rate) {
  c->channels = spec[GT_CA_SPEC_CHANNELS];
  c->kernels = spec[GT_CA_SPEC_KERNELS];
  c->height = spec[GT_CA_SPEC_HEIGHT];
  c->width = spec[GT_CA_SPEC_WIDTH];
  c->periodic = spec[GT_CA_SPEC_PERIODIC];
  c->perceptions = spec[GT_CA_SPEC_PERCEPTIONS];
  c->updates = spec[GT_CA_SPEC_UPDATES];
  choose_cells(c, spec[GT_CA_SPEC_FIRE], tile, clock, step, purpose, fire_rate);
  for (uint32_t i = 0; i < LANES; i++)
    for (uint32_t j = 0; j < PATCH; j++)
      c->patch[j][i] = c->cell[i] == GT_NONE
                           ? GT_NONE
                           : gt_logic_ca_neighbour(c->cell[i], j, c->height, c->width, c->periodic);
  place_rows(c);
}

/* --- forward --- */

/* How a layer is applied to channels that share its gates. Distances in rows: between the inputs and between
 * the outputs of two channels, and between the outputs of two gates. */
typedef struct span {
  uint32_t channels, inputs, x_step, y_step, stride;
} span;

/* Evaluates a layer of gates. Indices are clamped, because the wiring of a damaged file may be out of
 * range. */
GT_CLONES static void run_gates(const float *restrict c, const int32_t *restrict wa,
                                const int32_t *restrict wb, uint32_t n, const span *s, const row *restrict x,
                                row *restrict y) {
  const uint32_t channels = s->channels, last = s->inputs - 1, x_step = s->x_step, y_step = s->y_step;
  for (uint32_t o = 0; o < n; o++, c += 4, y += s->stride) {
    const row *a = x + gt_min_u32((uint32_t)wa[o], last), *b = x + gt_min_u32((uint32_t)wb[o], last);
    row *to = y;
    for (uint32_t channel = 0; channel < channels; channel++, a += x_step, b += x_step, to += y_step)
      for (int part = 0; part < PARTS; part++) {
        const lanes xa = PART_AT(a, 0, part), xb = PART_AT(b, 0, part);
        PART_AT(to, 0, part) = (c[0] + c[1] * xa) + xb * (c[2] + c[3] * xa);
      }
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

/* The span of a layer, for kernel k of the perception, and the first rows that it reads and writes. */
static span span_of(const circuit *c, uint32_t l, uint32_t k, uint32_t *from, uint32_t *to) {
  const uint32_t width = c->layer[l * GT_CA_WORDS + CA_WIDTH], inputs = c->layer[l * GT_CA_WORDS + CA_INPUTS];
  const bool last = l == c->perceptions - 1;
  *from = c->first_row[l];
  *to = c->first_row[l + 1];
  if (l >= c->perceptions) return (span){.channels = 1, .inputs = inputs, .stride = 1};
  if (l) *from += k * c->channels * inputs;
  *to = last ? c->update + c->channels + k : *to + k * c->channels * width;
  const uint32_t stride = last ? c->kernels : 1;
  return (span){c->channels, inputs, inputs, width * stride, stride};
}

static void run_layer(const circuit *c, uint32_t l, uint32_t k, row *v) {
  const uint32_t *w = c->layer + (size_t)l * GT_CA_WORDS;
  const int32_t *a = c->wiring + w[CA_WIRE], *b = a + c->wires;
  uint32_t from, to;
  const span s = span_of(c, l, k, &from, &to);
  run_gates(c->coefficients + 4 * ((size_t)w[CA_GATE] + k * w[CA_WIDTH]), a, b, w[CA_WIDTH], &s, v + from,
            v + to);
}

static void run_circuit(const circuit *c, const float *state, row *v) {
  load_patches(c, state, v);
  for (uint32_t k = 0; k < c->kernels; k++)
    for (uint32_t l = 0; l < c->perceptions; l++) run_layer(c, l, k, v);
  for (uint32_t l = c->perceptions; l < c->perceptions + c->updates; l++) run_layer(c, l, 0, v);
}

/* Allocates uninitialized rows that are aligned to cache lines; the caller frees `block`. */
static row *alloc_rows(size_t count, void **block) {
  *block = gt_realloc(NULL, (count + 1) * sizeof(row));
  return (row *)(((uintptr_t)*block + sizeof(row) - 1) / sizeof(row) * sizeof(row));
}

/* The state that the next step reads: clamped, rounded or sampled. */
static float next_state(const struct gt_logic_ca_args *a, float value, uint32_t element, uint32_t channels) {
  if (a->flags & CA_BOUNDED) value = value < 0 ? 0 : value > 1 ? 1 : value;
  if (a->rounding > 0) value += a->rounding * ((value > 0.5f ? 1.0f : 0.0f) - value);
  if (a->sampling <= 0) return value;
  const uint32_t *clock = GT_PTR(const uint32_t, a->clock), block = element + a->step * a->cells * channels;
  const gt_philox draw =
      gt_philox_block(clock[1] | (uint64_t)clock[2] << 32, a->sampling_purpose, clock[0], block);
  if ((float)(draw.v[0] >> 8) * 0x1p-24f >= a->sampling) return value;
  return (float)(draw.v[1] >> 8) * 0x1p-24f < value ? 1.0f : 0.0f;
}

void gt_logic_ca_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_ca_args *a = args;
  circuit c = {.cells = a->cells,
               .wires = a->wires,
               .layer = GT_PTR(const uint32_t, a->shape),
               .coefficients = GT_PTR(const float, a->coefficients),
               .wiring = GT_PTR(const int32_t, a->wiring)};
  init_circuit(&c, spec, tile, GT_PTR(const uint32_t, a->clock), a->step, a->purpose, a->fire_rate);
  const float *from = GT_PTR(const float, a->from) + a->from_offset;
  float *states = GT_PTR(float, a->states), *to = states + a->to_offset;
  void *block;
  row *v = alloc_rows(c.rows, &block);
  if (c.any_fires) run_circuit(&c, from, v);
  const row *out = v + c.first_row[c.perceptions + c.updates];
  for (uint32_t i = 0; i < c.count; i++) {
    const size_t cell = (size_t)c.cell[i] * c.channels;
    for (uint32_t channel = 0; channel < c.channels; channel++) {
      float value = from[cell + channel];
      if (a->flags & CA_COPY) states[cell + channel] = value;
      if (c.fires[i]) value = next_state(a, out[channel][i], (uint32_t)(cell + channel), c.channels);
      to[cell + channel] = value;
    }
  }
  free(block);
}

/* --- backward --- */

/* Reduces four vectors to four sums, which are added to `sum` or stored there: adds halves, then quarters,
 * then pairs. */
GT_MATH void reduce_vectors(const lanes s[4], float *sum, bool add) {
#define HALVES(a, b)                                         \
  (__builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) + \
   __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15))
  const lanes x = HALVES(s[0], s[2]), y = HALVES(s[1], s[3]);
#undef HALVES
  lanes z = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13) +
            __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
  z += __builtin_shufflevector(z, z, 1, 0, 3, 2, 5, 4, 7, 6);
  four total = __builtin_shufflevector(z, z, 0, 2, 4, 6);
  if (add) total += *(four *)sum;
  *(four *)sum = total;
}

/* Adds to the gradients of the gates' inputs, dx; adds or stores the gradients of the four coefficients of
 * each gate, over all cells and channels, in `sum`. */
GT_CLONES static void gates_gradient(const float *restrict c, const int32_t *restrict wa,
                                     const int32_t *restrict wb, uint32_t n, const span *s,
                                     const row *restrict x, row *restrict dx, const row *restrict dy,
                                     float *restrict sum, bool add) {
  const uint32_t channels = s->channels, last = s->inputs - 1, x_step = s->x_step, y_step = s->y_step;
  for (uint32_t o = 0; o < n; o++, c += 4, sum += 4, dy += s->stride) {
    const uint32_t a = gt_min_u32((uint32_t)wa[o], last), b = gt_min_u32((uint32_t)wb[o], last);
    const row *from = x, *g_row = dy;
    row *to = dx;
    lanes total[4] = {{0}, {0}, {0}, {0}};
    for (uint32_t channel = 0; channel < channels; channel++, from += x_step, to += x_step, g_row += y_step)
      for (int part = 0; part < PARTS; part++) {
        const lanes xa = PART_AT(from, a, part), xb = PART_AT(from, b, part);
        const lanes g = PART_AT(g_row, 0, part), ga = g * xa;
        total[0] += g;
        total[1] += ga;
        total[2] += g * xb;
        total[3] += ga * xb;
        PART_AT(to, a, part) += g * (c[1] + c[3] * xb); /* a and b may be the same input */
        PART_AT(to, b, part) += c[2] * g + c[3] * ga;
      }
    reduce_vectors(total, sum, add);
  }
}

/* Propagates the gradient of a layer's outputs to its inputs. The gradient of the patches, which all kernels
 * read, is the sum over the kernels. */
static void layer_gradient(const circuit *c, uint32_t l, uint32_t k, const row *v, row *d, float *partial,
                           bool add) {
  const uint32_t *w = c->layer + (size_t)l * GT_CA_WORDS;
  const int32_t *a = c->wiring + w[CA_WIRE], *b = a + c->wires;
  uint32_t from, to;
  const span s = span_of(c, l, k, &from, &to);
  const size_t gate = w[CA_GATE] + k * w[CA_WIDTH];
  const uint32_t output_offset = l + 1 == c->perceptions ? c->channels + k : 0;
  row *dx = d + gradient_at(c, l);
  if (l) memset(dx, 0, (size_t)s.channels * w[CA_INPUTS] * sizeof *dx);
  gates_gradient(c->coefficients + 4 * gate, a, b, w[CA_WIDTH], &s, v + from, dx,
                 d + gradient_at(c, l + 1) + output_offset, partial + 4 * gate, add);
}

static void circuit_gradient(const circuit *c, const row *v, row *d, float *partial, bool add) {
  memset(d, 0, PATCH * c->channels * sizeof *d);
  for (uint32_t l = c->perceptions + c->updates; l-- > c->perceptions;)
    layer_gradient(c, l, 0, v, d, partial, add);
  for (uint32_t k = 0; k < c->kernels; k++)
    for (uint32_t l = c->perceptions; l-- > 0;) layer_gradient(c, l, k, v, d, partial, add);
}

/* The gradient of a channel of a cell: the sum over the patches that contain the cell, in the order of
 * positions. */
static float gather_gradient(const float *d_patch, uint32_t cell, uint32_t channel, uint32_t channels,
                             uint32_t height, uint32_t width, bool periodic) {
  float sum = 0;
  for (uint32_t j = 0; j < PATCH; j++) { /* the cell is at position j of the opposite neighbor's patch */
    const uint32_t other = gt_logic_ca_neighbour(cell, PATCH - 1 - j, height, width, periodic);
    if (other != GT_NONE) sum += d_patch[((size_t)other * PATCH + j) * channels + channel];
  }
  return sum;
}

/* Loads the gradient of the new states: into the rows of the outputs for cells that fire, else (they keep
 * their states) into `kept`. */
static void load_gradient(const circuit *c, const struct gt_logic_ca_gradient_args *a, row *d, row *kept) {
  const float *d_patch = GT_PTR(const float, a->d_patch),
              *d_states = GT_PTR(const float, a->d_states) + a->d_offset;
  row *out = d + gradient_at(c, c->perceptions + c->updates);
  for (uint32_t channel = 0; channel < c->channels; channel++)
    for (uint32_t i = 0; i < LANES; i++) {
      float g = 0;
      const uint32_t cell = c->cell[i];
      if (i < c->count && a->flags & CA_HAS_D_PATCH)
        g = gather_gradient(d_patch, cell, channel, c->channels, c->height, c->width, c->periodic);
      if (i < c->count && a->flags & CA_HAS_D_STATES) g += d_states[(size_t)cell * c->channels + channel];
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
  init_circuit(&c, spec, tile, GT_PTR(const uint32_t, a->clock), a->step, a->purpose, a->fire_rate);
  place_gradient_rows(&c);
  void *block;
  row *v = alloc_rows(c.rows + c.d_rows + c.channels, &block), *d = v + c.rows, *kept = d + c.d_rows;
  load_gradient(&c, a, d, kept);
  float *partial = GT_PTR(float, a->partial) + (size_t)tile * spec[GT_CA_SPEC_SLOTS] * 4;
  if (c.any_fires) {
    run_circuit(&c, GT_PTR(const float, a->from) + a->from_offset, v);
    circuit_gradient(&c, v, d, partial, a->flags & CA_HAS_D_PATCH);
  } else {
    memset(d, 0, c.d_rows * sizeof *d);
    if (!(a->flags & CA_HAS_D_PATCH)) memset(partial, 0, spec[GT_CA_SPEC_SLOTS] * 4 * sizeof *partial);
  }
  float *out = GT_PTR(float, a->d_patch_out);
  for (uint32_t i = 0; i < c.count; i++)
    for (uint32_t channel = 0; channel < c.channels; channel++)
      for (uint32_t j = 0; j < PATCH; j++) {
        float g = d[channel * PATCH + j][i];
        if (j == CENTRE) g += d[c.d_update + channel][i] + kept[channel][i];
        out[((size_t)c.cell[i] * PATCH + j) * c.channels + channel] = g;
      }
  free(block);
}

/* --- sums of partial results --- */

static void sum_coefficients(const struct gt_logic_ca_sum_args *a, uint32_t from, uint32_t to) {
  const float *partial = GT_PTR(const float, a->partial);
  float *y = GT_PTR(float, a->y);
  for (uint32_t i = 4 * from; i < 4 * to; i++) y[i] = partial[i]; /* one slot per gate, in the same order */
  for (uint32_t g = 1; g < a->groups; g++)
    for (uint32_t i = 4 * from; i < 4 * to; i++) y[i] += partial[(size_t)g * a->slots * 4 + i];
}

void gt_logic_ca_sum_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_ca_sum_args *a = args;
  const uint32_t from = tile * CA_SUM_TILE;
  if (spec[GT_CA_SUM_SPEC_MODE] == GT_CA_SUM_COEFFICIENTS) {
    sum_coefficients(a, from, gt_min_u32(a->gates, from + CA_SUM_TILE));
    return;
  }
  const float *d_patch = GT_PTR(const float, a->d_patch), *d_states = GT_PTR(const float, a->d_states);
  float *y = GT_PTR(float, a->y);
  for (uint32_t cell = from; cell < gt_min_u32(a->cells, from + CA_SUM_TILE); cell++)
    for (uint32_t channel = 0; channel < a->channels; channel++) {
      const size_t i = (size_t)cell * a->channels + channel;
      y[i] = gather_gradient(d_patch, cell, channel, a->channels, a->height, a->width, a->periodic);
      if (a->d_states_given) y[i] += d_states[i];
    }
}
