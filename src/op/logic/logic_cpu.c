#include "op/logic/logic_cpu.h"
#include "shaders/op/logic/logic.h"
#include "shaders/op/logic/logic_coefficients.h"
#include "shaders/op/logic/logic_walk.h"
#include "step/half.h"

enum {
  LANES = 16,  /* partial sums of each sum, at any vector width, so that the result has the same bits */
  PIECE = 512, /* samples that are processed at once */
  TILE_ELEMENTS = 16384 /* elements of the result per tile */
};

uint32_t gt_logic_tile_rows(uint32_t batch) { return batch >= TILE_ELEMENTS ? 1 : TILE_ELEMENTS / batch; }

static uint32_t end_row(uint32_t first, uint32_t batch, uint32_t rows) {
  const uint32_t per_tile = gt_logic_tile_rows(batch);
  return rows - first < per_tile ? rows : first + per_tile;
}

/* --- rows of the batch, in pieces; 16-bit values are converted to float --------------------------------- */

GT_CLONES static void widen(const uint16_t *from, uint32_t type, float *restrict to, uint32_t n) {
  if (type == GT_LOGIC_F16)
    for (uint32_t i = 0; i < n; i++) to[i] = gt_from_f16(from[i]);
  else
    for (uint32_t i = 0; i < n; i++) to[i] = gt_from_bf16(from[i]);
}

GT_CLONES static void narrow(const float *from, uint32_t type, uint16_t *restrict to, uint32_t n) {
  if (type == GT_LOGIC_F16)
    for (uint32_t i = 0; i < n; i++) to[i] = gt_to_f16(from[i]);
  else
    for (uint32_t i = 0; i < n; i++) to[i] = gt_to_bf16(from[i]);
}

/* n elements of a tensor from `offset` on: in place, or converted to float in the buffer. */
static const float *read_piece(uint64_t tensor, uint32_t type, size_t offset, uint32_t n,
                               float buffer[PIECE]) {
  if (type == GT_LOGIC_F32) return GT_PTR(const float, tensor) + offset;
  widen(GT_PTR(const uint16_t, tensor) + offset, type, buffer, n);
  return buffer;
}

/* begin_piece returns the memory for the results: the tensor or, for 16-bit values, the buffer, which
 * end_piece converts and stores. */
static float *begin_piece(uint64_t tensor, uint32_t type, size_t offset, float buffer[PIECE]) {
  return type == GT_LOGIC_F32 ? GT_PTR(float, tensor) + offset : buffer;
}

static void end_piece(uint64_t tensor, uint32_t type, size_t offset, const float *from, uint32_t n) {
  if (type != GT_LOGIC_F32) narrow(from, type, GT_PTR(uint16_t, tensor) + offset, n);
}

static uint32_t piece_length(uint32_t from, uint32_t batch) {
  return batch - from < PIECE ? batch - from : PIECE;
}

/* --- kernels -------------------------------------------------------------------------------------------- */

GT_CLONES static void forward(const float *c, const float *a, const float *b, float *restrict y, uint32_t n) {
  const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  GT_VECTOR_LOOP
  for (uint32_t i = 0; i < n; i++) y[i] = (c0 + c1 * a[i]) + b[i] * (c2 + c3 * a[i]);
}

void gt_logic_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_args *t = args;
  const uint32_t *wiring = GT_PTR(const uint32_t, t->wiring), type = spec[GT_LOGIC_SPEC_X];
  const size_t n = t->batch;
  const uint32_t first = tile * gt_logic_tile_rows(t->batch), end = end_row(first, t->batch, t->gates);
  float buffer[3][PIECE];
  for (uint32_t gate = first; gate < end; gate++)
    for (uint32_t s = 0; s < t->batch; s += PIECE) {
      const uint32_t count = piece_length(s, t->batch);
      const size_t offset = gate * n + s;
      const float *a = read_piece(t->x, type, wiring[gate] * n + s, count, buffer[0]);
      const float *b = read_piece(t->x, type, wiring[t->gates + gate] * n + s, count, buffer[1]);
      float *y = begin_piece(t->y, spec[GT_LOGIC_SPEC_Y], offset, buffer[2]);
      forward(GT_PTR(const float, t->coefficients) + 4 * (size_t)gate, a, b, y, count);
      end_piece(t->y, spec[GT_LOGIC_SPEC_Y], offset, y, count);
    }
}

/* Adds a gate's contribution to the gradient of one input: g times c[1 or 2] + c[3] times the other input. */
GT_CLONES static void add_input_gradient(float slope, float c3, const float *g, const float *other,
                                         float *restrict y, uint32_t n) {
  GT_VECTOR_LOOP
  for (uint32_t i = 0; i < n; i++) y[i] += g[i] * (slope + c3 * other[i]);
}

static void input_piece(const struct gt_logic_args *t, const uint32_t *spec, uint32_t feature, uint32_t s) {
  const uint32_t *start = GT_PTR(const uint32_t, t->wiring), *reader = start + t->inputs + 1;
  const uint32_t count = piece_length(s, t->batch);
  const size_t n = t->batch, offset = feature * n + s;
  float buffer[3][PIECE], *y = begin_piece(t->y, spec[GT_LOGIC_SPEC_Y], offset, buffer[0]);
  memset(y, 0, count * sizeof *y);
  for (uint32_t k = start[feature]; k < start[feature + 1]; k++) {
    const size_t gate = reader[2 * k] / 2, side = reader[2 * k] % 2, other = reader[2 * k + 1];
    const float *c = GT_PTR(const float, t->coefficients) + 4 * gate;
    const float *g = read_piece(t->g, spec[GT_LOGIC_SPEC_G], gate * n + s, count, buffer[1]);
    const float *x = read_piece(t->x, spec[GT_LOGIC_SPEC_X], other * n + s, count, buffer[2]);
    add_input_gradient(c[1 + side], c[3], g, x, y, count);
  }
  end_piece(t->y, spec[GT_LOGIC_SPEC_Y], offset, y, count);
}

void gt_logic_inputs_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_args *t = args;
  const uint32_t first = tile * gt_logic_tile_rows(t->batch), end = end_row(first, t->batch, t->inputs);
  for (uint32_t feature = first; feature < end; feature++)
    for (uint32_t s = 0; s < t->batch; s += PIECE) input_piece(t, spec, feature, s);
}

typedef struct gate_sums { /* sums of g, g a, g b, g a b: the gradients of the coefficients */
  float of_1[LANES], of_a[LANES], of_b[LANES], of_ab[LANES];
} gate_sums;

/* Adds n samples; sample i goes to lane i % LANES. */
GT_CLONES static void add_samples(gate_sums *sums, const float *g, const float *a, const float *b,
                                  uint32_t n) {
  gate_sums s = *sums;
  const uint32_t vector_end = n / LANES * LANES;
  for (uint32_t i = 0; i < vector_end; i += LANES)
    for (uint32_t l = 0; l < LANES; l++) {
      const float g_value = g[i + l], g_a = g_value * a[i + l], b_value = b[i + l];
      s.of_1[l] += g_value;
      s.of_a[l] += g_a;
      s.of_b[l] += g_value * b_value;
      s.of_ab[l] += g_a * b_value;
    }
  for (uint32_t i = vector_end; i < n; i++) {
    const float g_a = g[i] * a[i];
    s.of_1[i - vector_end] += g[i];
    s.of_a[i - vector_end] += g_a;
    s.of_b[i - vector_end] += g[i] * b[i];
    s.of_ab[i - vector_end] += g_a * b[i];
  }
  *sums = s;
}

static float fold_lanes(float lane[LANES]) {
  for (uint32_t half = LANES / 2; half > 0; half /= 2)
    for (uint32_t l = 0; l < half; l++) lane[l] += lane[l + half];
  return lane[0];
}

static void write_sums(gate_sums *sums, float *y) {
  y[0] = fold_lanes(sums->of_1);
  y[1] = fold_lanes(sums->of_a);
  y[2] = fold_lanes(sums->of_b);
  y[3] = fold_lanes(sums->of_ab);
}

/* --- along a walk; the words of a run: shaders/op/logic/logic_walk.h ------------------------------------ */

enum { RUN = GT_LOGIC_RUN };

static uint32_t tile_runs(uint32_t batch) {
  const uint32_t per_tile = gt_logic_tile_rows(batch) / RUN;
  return per_tile ? per_tile : 1;
}

uint32_t gt_logic_walk_tiles(uint32_t runs, uint32_t batch) {
  return (runs + tile_runs(batch) - 1) / tile_runs(batch);
}

GT_CLONES static void add_row(const float *x, float *restrict sum, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) sum[i] += x[i];
}

/* Computes the gates of a run at some samples; stores the values in y or, if `sums` is given, adds each to
 * the row of its group there. */
static void walk_forward(const struct gt_logic_walk_args *t, const uint32_t *spec, const uint32_t *word,
                         uint32_t s, float *sums) {
  const uint32_t count = piece_length(s, t->batch), type = spec[GT_LOGIC_SPEC_X];
  float buffer[3][PIECE];
  const float *v[2];
  v[0] = read_piece(t->x, type, (size_t)word[4 + RUN] * t->batch + s, count, buffer[0]);
  for (uint32_t j = 0; j < word[2]; j++) {
    const size_t gate = word[4 + j] / 2, offset = gate * t->batch + s;
    const size_t next = word[j + 1 < RUN ? 5 + RUN + j : 3];
    const uint32_t a = (j + word[4 + j]) % 2;
    v[1 - j % 2] = read_piece(t->x, type, next * t->batch + s, count, buffer[1 - j % 2]);
    float *y = sums ? buffer[2] : begin_piece(t->y, spec[GT_LOGIC_SPEC_Y], offset, buffer[2]);
    forward(GT_PTR(const float, t->coefficients) + 4 * gate, v[a], v[1 - a], y, count);
    if (sums)
      add_row(y, sums + gate / t->gates_per_row * t->chunks * t->batch + s, count);
    else
      end_piece(t->y, spec[GT_LOGIC_SPEC_Y], offset, y, count);
  }
}

static const uint32_t *run_words(const struct gt_logic_walk_args *t, uint32_t run) {
  return GT_PTR(const uint32_t, t->walk) + (size_t)run * GT_LOGIC_WALK_WORDS;
}

void gt_logic_walk_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_walk_args *t = args;
  const uint32_t per_tile = tile_runs(t->batch);
  for (uint32_t run = tile * per_tile; run < (tile + 1) * per_tile && run < t->runs; run++)
    for (uint32_t s = 0; s < t->batch; s += PIECE) walk_forward(t, spec, run_words(t, run), s, NULL);
}

void gt_logic_walk_sum_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_walk_args *t = args;
  float *sums = GT_PTR(float, t->y) + (size_t)tile * t->batch;
  for (uint32_t group = 0; group < t->gates / t->gates_per_row; group++)
    memset(sums + (size_t)group * t->chunks * t->batch, 0, t->batch * sizeof *sums);
  for (uint32_t s = 0; s < t->batch; s += PIECE)
    for (uint32_t run = tile * t->chunk_runs; run < (tile + 1) * t->chunk_runs && run < t->runs; run++)
      walk_forward(t, spec, run_words(t, run), s, sums);
}

/* The gradient of the input that a gate shares with the gate before: y = carried + g (slope[0] + c3 right).
 * The gate's contribution to its other input is carried to the next gate: g (slope[1] + c3 left). */
GT_CLONES static void propagate(const float slope[2], float c3, const float *g, const float *left,
                                const float *right, float *restrict carried, float *restrict y, uint32_t n) {
  const float to_left = slope[0], to_right = slope[1];
  GT_VECTOR_LOOP
  for (uint32_t i = 0; i < n; i++) {
    y[i] = carried[i] + g[i] * (to_left + c3 * right[i]);
    carried[i] = g[i] * (to_right + c3 * left[i]);
  }
}

/* The gradient of a gate's value at some samples. */
static const float *read_gradient(const struct gt_logic_walk_args *t, uint32_t type, size_t gate, uint32_t s,
                                  uint32_t n, float buffer[PIECE]) {
  const float *g = read_piece(t->g, type, gate / t->gates_per_row * t->batch + s, n, buffer);
  if (t->scale == 1) return g;
  for (uint32_t i = 0; i < n; i++) buffer[i] = t->scale * g[i];
  return buffer;
}

/* Backward pass of a run over some samples; adds to the sums of its gates. */
static void walk_piece(const struct gt_logic_walk_args *t, const uint32_t *spec, const uint32_t *word,
                       uint32_t s, gate_sums sums[RUN]) {
  const uint32_t n = piece_length(s, t->batch), type = spec[GT_LOGIC_SPEC_X], type_g = spec[GT_LOGIC_SPEC_G];
  float carried[PIECE], buffer[4][PIECE];
  const float *v[2], *c = GT_PTR(const float, t->coefficients);
  v[1] = read_piece(t->x, type, (size_t)word[0] * t->batch + s, n, buffer[1]);
  v[0] = read_piece(t->x, type, (size_t)word[4 + RUN] * t->batch + s, n, buffer[0]);
  const float *g = read_gradient(t, type_g, word[1] / 2, s, n, buffer[2]);
  memset(carried, 0, n * sizeof *carried);
  add_input_gradient(c[4 * (size_t)(word[1] / 2) + 2 - word[1] % 2], c[4 * (size_t)(word[1] / 2) + 3], g,
                     v[1], carried, n);
  for (uint32_t j = 0; j < word[2]; j++) {
    const uint32_t side = word[4 + j] % 2, left = j % 2, a = (left + side) % 2;
    const size_t gate = word[4 + j] / 2, offset = (size_t)word[4 + RUN + j] * t->batch + s;
    const size_t next = word[j + 1 < RUN ? 5 + RUN + j : 3];
    const float slope[2] = {c[4 * gate + 1 + side], c[4 * gate + 2 - side]};
    v[1 - left] = read_piece(t->x, type, next * t->batch + s, n, buffer[1 - left]);
    g = read_gradient(t, type_g, gate, s, n, buffer[2]);
    float *y = begin_piece(t->y, spec[GT_LOGIC_SPEC_Y], offset, buffer[3]);
    propagate(slope, c[4 * gate + 3], g, v[left], v[1 - left], carried, y, n);
    end_piece(t->y, spec[GT_LOGIC_SPEC_Y], offset, y, n);
    add_samples(&sums[j], g, v[a], v[1 - a], n);
  }
}

void gt_logic_walk_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_walk_args *t = args;
  const uint32_t per_tile = tile_runs(t->batch);
  for (uint32_t run = tile * per_tile; run < (tile + 1) * per_tile && run < t->runs; run++) {
    const uint32_t *word = run_words(t, run);
    gate_sums sums[RUN] = {0};
    for (uint32_t s = 0; s < t->batch; s += PIECE) walk_piece(t, spec, word, s, sums);
    for (uint32_t j = 0; j < word[2]; j++)
      write_sums(&sums[j], GT_PTR(float, t->d_coefficients) + 4 * (size_t)(word[4 + j] / 2));
  }
}

/* --- coefficients --------------------------------------------------------------------------------------- */

/* Writes the coefficients of the function with the values f on (0,0), (1,0), (0,1), (1,1). */
GT_MATH void from_table(const float f[4], float *y) {
  y[0] = f[0];
  y[1] = f[1] - f[0];
  y[2] = f[2] - f[0];
  y[3] = (f[3] - f[1]) - (f[2] - f[0]);
}

static void hard(const float *z, float *y) {
  uint32_t best = 0;
  for (uint32_t k = 1; k < 16; k++) best = z[k] > z[best] ? k : best;
  from_table((const float[4]){(float)(best >> 3 & 1), (float)(best >> 1 & 1), (float)(best >> 2 & 1),
                              (float)(best & 1)},
             y);
}

GT_MATH float fold16(float v[16]) {
  for (int half = 8; half > 0; half /= 2)
    for (int l = 0; l < half; l++) v[l] += v[l + half];
  return v[0];
}

/* p = softmax(z). */
GT_MATH void softmax(const float *z, float p[16]) {
  float largest = z[0], sum[16];
  for (int k = 1; k < 16; k++) largest = z[k] > largest ? z[k] : largest;
  for (int k = 0; k < 16; k++) sum[k] = p[k] = gt_expf(z[k] - largest);
  const float inverse = 1 / fold16(sum);
  for (int k = 0; k < 16; k++) p[k] *= inverse;
}

GT_CLONES static void mixture(const float *z, float *y) {
  float p[16], f[4] = {0};
  softmax(z, p);
  for (int k = 0; k < 8; k++) f[0] += p[8 + k];
  for (int k = 0; k < 16; k += 4) f[1] += p[k + 2] + p[k + 3];
  for (int k = 0; k < 4; k++) f[2] += p[4 + k] + p[12 + k];
  for (int k = 0; k < 16; k += 2) f[3] += p[k + 1];
  from_table(f, y);
}

/* The gradients with respect to the function's values (f11, …), then to the weights p of the 16 functions
 * (d), then to the logits: p (d - Σ p d). */
GT_CLONES static void gradient(const float *z, const float *g, float *y) {
  float p[16], d[16], products[16];
  const float f11 = g[3], f01 = g[2] - g[3], f10 = g[1] - g[3], f00 = (g[0] - g[1]) - f01;
  softmax(z, p);
  for (int k = 0; k < 16; k++) {
    d[k] = (k & 1 ? f11 : 0) + (k & 2 ? f10 : 0) + (k & 4 ? f01 : 0) + (k & 8 ? f00 : 0);
    products[k] = p[k] * d[k];
  }
  const float mean = fold16(products);
  for (int k = 0; k < 16; k++) y[k] = p[k] * (d[k] - mean);
}

void gt_logic_coefficient_sums_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_args *t = args;
  const uint32_t *wiring = GT_PTR(const uint32_t, t->wiring), type = spec[GT_LOGIC_SPEC_X];
  const size_t n = t->batch;
  const uint32_t first = tile * gt_logic_tile_rows(t->batch), end = end_row(first, t->batch, t->gates);
  float buffer[3][PIECE];
  for (uint32_t gate = first; gate < end; gate++) {
    gate_sums sums = {0};
    for (uint32_t s = 0; s < t->batch; s += PIECE) {
      const uint32_t count = piece_length(s, t->batch);
      add_samples(&sums, read_piece(t->g, spec[GT_LOGIC_SPEC_G], gate * n + s, count, buffer[0]),
                  read_piece(t->x, type, wiring[gate] * n + s, count, buffer[1]),
                  read_piece(t->x, type, wiring[t->gates + gate] * n + s, count, buffer[2]), count);
    }
    float c[4], *y = GT_PTR(float, t->y);
    write_sums(&sums, spec[GT_LOGIC_SPEC_TO_LOGITS] ? c : y + 4 * (size_t)gate);
    if (spec[GT_LOGIC_SPEC_TO_LOGITS])
      gradient(GT_PTR(const float, t->coefficients) + 16 * (size_t)gate, c, y + 16 * (size_t)gate);
  }
}

void gt_logic_coefficients_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_coefficients_args *t = args;
  const float *z = GT_PTR(const float, t->logits), *g = GT_PTR(const float, t->g);
  float *y = GT_PTR(float, t->y);
  for (size_t gate = (size_t)tile * GT_LOGIC_GATE_TILE;
       gate < ((size_t)tile + 1) * GT_LOGIC_GATE_TILE && gate < t->gates; gate++) {
    if (spec[GT_LOGIC_COEFFICIENTS_SPEC_MODE] == GT_LOGIC_MIXTURE)
      mixture(z + 16 * gate, y + 4 * gate);
    else if (spec[GT_LOGIC_COEFFICIENTS_SPEC_MODE] == GT_LOGIC_HARD)
      hard(z + 16 * gate, y + 4 * gate);
    else
      gradient(z + 16 * gate, g + 4 * gate, y + 16 * gate);
  }
}
