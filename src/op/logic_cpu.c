#include "op/logic_cpu.h"
#include "op/half.h"
#include "shaders/op/logic.h"
#include "shaders/op/logic_coefficients.h"
#include "shaders/op/logic_slices.h"

/* Sums run in LANES partial sums whatever the vector width: every instruction set gives the same bits. */
enum { LANES = 16, PIECE = 512, TILE_ELEMENTS = 16384 };

uint32_t gt_logic_tile_rows(uint32_t batch) { return batch >= TILE_ELEMENTS ? 1 : TILE_ELEMENTS / batch; }

static uint32_t last_row(uint32_t first, uint32_t batch, uint32_t rows) {
  const uint32_t each = gt_logic_tile_rows(batch);
  return rows - first < each ? rows : first + each;
}

/* --- rows of the batch, in pieces; 16-bit values are worked on as floats ----------------------------------
 */

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

/* Elements at … of a tensor: where they lie, or widened in the buffer. */
static const float *read_piece(uint64_t tensor, uint32_t type, size_t at, uint32_t n, float buffer[PIECE]) {
  if (type == GT_LOGIC_F32) return GT_PTR(const float, tensor) + at;
  widen(GT_PTR(const uint16_t, tensor) + at, type, buffer, n);
  return buffer;
}

/* Where the elements are to be computed, and the end of that. */
static float *begin_piece(uint64_t tensor, uint32_t type, size_t at, float buffer[PIECE]) {
  return type == GT_LOGIC_F32 ? GT_PTR(float, tensor) + at : buffer;
}

static void end_piece(uint64_t tensor, uint32_t type, size_t at, const float *from, uint32_t n) {
  if (type != GT_LOGIC_F32) narrow(from, type, GT_PTR(uint16_t, tensor) + at, n);
}

static uint32_t piece_at(uint32_t from, uint32_t batch) {
  return batch - from < PIECE ? batch - from : PIECE;
}

/* --- kernels ----------------------------------------------------------------------------------------------
 */

GT_CLONES static void forward(const float *c, const float *a, const float *b, float *restrict y, uint32_t n) {
  const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  GT_VECTOR_LOOP
  for (uint32_t i = 0; i < n; i++) y[i] = (c0 + c1 * a[i]) + b[i] * (c2 + c3 * a[i]);
}

void gt_logic_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_args *t = args;
  const uint32_t *wiring = GT_PTR(const uint32_t, t->wiring), type = spec[GT_LOGIC_SPEC_X];
  const size_t n = t->batch;
  const uint32_t first = tile * gt_logic_tile_rows(t->batch), end = last_row(first, t->batch, t->gates);
  float buffer[3][PIECE];
  for (uint32_t gate = first; gate < end; gate++)
    for (uint32_t s = 0; s < t->batch; s += PIECE) {
      const uint32_t count = piece_at(s, t->batch);
      const size_t at = gate * n + s;
      const float *a = read_piece(t->x, type, wiring[gate] * n + s, count, buffer[0]);
      const float *b = read_piece(t->x, type, wiring[t->gates + gate] * n + s, count, buffer[1]);
      float *y = begin_piece(t->y, spec[GT_LOGIC_SPEC_Y], at, buffer[2]);
      forward(GT_PTR(const float, t->coefficients) + 4 * (size_t)gate, a, b, y, count);
      end_piece(t->y, spec[GT_LOGIC_SPEC_Y], at, y, count);
    }
}

GT_CLONES static void add_slopes(float slope, float c3, const float *g, const float *other, float *restrict y,
                                 uint32_t n) {
  GT_VECTOR_LOOP
  for (uint32_t i = 0; i < n; i++) y[i] += g[i] * (slope + c3 * other[i]);
}

static void input_piece(const struct gt_logic_args *t, const uint32_t *spec, uint32_t feature, uint32_t s) {
  const uint32_t *start = GT_PTR(const uint32_t, t->wiring), *pin = start + t->inputs + 1;
  const uint32_t count = piece_at(s, t->batch);
  const size_t n = t->batch, at = feature * n + s;
  float buffer[3][PIECE], *y = begin_piece(t->y, spec[GT_LOGIC_SPEC_Y], at, buffer[0]);
  memset(y, 0, count * sizeof *y);
  for (uint32_t k = start[feature]; k < start[feature + 1]; k++) {
    const size_t gate = pin[2 * k] / 2, side = pin[2 * k] % 2, other = pin[2 * k + 1];
    const float *c = GT_PTR(const float, t->coefficients) + 4 * gate;
    const float *g = read_piece(t->g, spec[GT_LOGIC_SPEC_G], gate * n + s, count, buffer[1]);
    const float *x = read_piece(t->x, spec[GT_LOGIC_SPEC_X], other * n + s, count, buffer[2]);
    add_slopes(c[1 + side], c[3], g, x, y, count);
  }
  end_piece(t->y, spec[GT_LOGIC_SPEC_Y], at, y, count);
}

void gt_logic_inputs_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_args *t = args;
  const uint32_t first = tile * gt_logic_tile_rows(t->batch), end = last_row(first, t->batch, t->inputs);
  for (uint32_t feature = first; feature < end; feature++)
    for (uint32_t s = 0; s < t->batch; s += PIECE) input_piece(t, spec, feature, s);
}

typedef struct gate_sums {
  float of_1[LANES], of_a[LANES], of_b[LANES], of_ab[LANES];
} gate_sums;

/* Adds n samples, sample i in lane i % LANES. */
GT_CLONES static void add_samples(gate_sums *sums, const float *g, const float *a, const float *b,
                                  uint32_t n) {
  gate_sums s = *sums;
  const uint32_t whole = n / LANES * LANES;
  for (uint32_t i = 0; i < whole; i += LANES)
    for (uint32_t l = 0; l < LANES; l++) {
      const float slope = g[i + l], slope_a = slope * a[i + l], of_b = b[i + l];
      s.of_1[l] += slope;
      s.of_a[l] += slope_a;
      s.of_b[l] += slope * of_b;
      s.of_ab[l] += slope_a * of_b;
    }
  for (uint32_t i = whole; i < n; i++) {
    const float slope_a = g[i] * a[i];
    s.of_1[i - whole] += g[i];
    s.of_a[i - whole] += slope_a;
    s.of_b[i - whole] += g[i] * b[i];
    s.of_ab[i - whole] += slope_a * b[i];
  }
  *sums = s;
}

static float fold_lanes(float lane[LANES]) {
  for (uint32_t half = LANES / 2; half > 0; half /= 2)
    for (uint32_t l = 0; l < half; l++) lane[l] += lane[l + half];
  return lane[0];
}

void gt_logic_coefficient_sums_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_args *t = args;
  const uint32_t *wiring = GT_PTR(const uint32_t, t->wiring), type = spec[GT_LOGIC_SPEC_X];
  const size_t n = t->batch;
  const uint32_t first = tile * gt_logic_tile_rows(t->batch), end = last_row(first, t->batch, t->gates);
  float buffer[3][PIECE];
  for (uint32_t gate = first; gate < end; gate++) {
    gate_sums sums = {0};
    for (uint32_t s = 0; s < t->batch; s += PIECE) {
      const uint32_t count = piece_at(s, t->batch);
      add_samples(&sums, read_piece(t->g, spec[GT_LOGIC_SPEC_G], gate * n + s, count, buffer[0]),
                  read_piece(t->x, type, wiring[gate] * n + s, count, buffer[1]),
                  read_piece(t->x, type, wiring[t->gates + gate] * n + s, count, buffer[2]), count);
    }
    float *y = GT_PTR(float, t->y) + 4 * (size_t)gate;
    y[0] = fold_lanes(sums.of_1);
    y[1] = fold_lanes(sums.of_a);
    y[2] = fold_lanes(sums.of_b);
    y[3] = fold_lanes(sums.of_ab);
  }
}

/* Slice by slice, so that the loop over values is vector code. */
GT_CLONES static void add_slice(float *restrict y, const float *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) y[i] += x[i];
}

void gt_logic_slices_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_slices_args *t = args;
  const float *x = GT_PTR(const float, t->x);
  float *y = GT_PTR(float, t->y);
  (void)spec, (void)tile;
  memcpy(y, x, t->count * sizeof *y);
  for (size_t slice = 1; slice < t->slices; slice++) add_slice(y, x + slice * t->count, t->count);
}

/* --- coefficients --------------------------------------------------------------------------------------- */

/* f: the values on (0,0), (1,0), (0,1), (1,1). */
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

GT_MATH void shares(const float *z, float p[16]) {
  float largest = z[0], sum[16];
  for (int k = 1; k < 16; k++) largest = z[k] > largest ? z[k] : largest;
  for (int k = 0; k < 16; k++) sum[k] = p[k] = gt_expf(z[k] - largest);
  const float inverse = 1 / fold16(sum);
  for (int k = 0; k < 16; k++) p[k] *= inverse;
}

GT_CLONES static void mixture(const float *z, float *y) {
  float p[16], f[4] = {0};
  shares(z, p);
  for (int k = 0; k < 8; k++) f[0] += p[8 + k];
  for (int k = 0; k < 16; k += 4) f[1] += p[k + 2] + p[k + 3];
  for (int k = 0; k < 4; k++) f[2] += p[4 + k] + p[12 + k];
  for (int k = 0; k < 16; k += 2) f[3] += p[k + 1];
  from_table(f, y);
}

/* The slope in the table's values, then in each share; softmax's own slope is p (d - Σ p d). */
GT_CLONES static void gradient(const float *z, const float *g, float *y) {
  float p[16], d[16], products[16];
  const float f11 = g[3], f01 = g[2] - g[3], f10 = g[1] - g[3], f00 = (g[0] - g[1]) - f01;
  shares(z, p);
  for (int k = 0; k < 16; k++) {
    d[k] = (k & 1 ? f11 : 0) + (k & 2 ? f10 : 0) + (k & 4 ? f01 : 0) + (k & 8 ? f00 : 0);
    products[k] = p[k] * d[k];
  }
  const float mean = fold16(products);
  for (int k = 0; k < 16; k++) y[k] = p[k] * (d[k] - mean);
}

void gt_logic_coefficients_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_coefficients_args *t = args;
  const float *z = GT_PTR(const float, t->logits), *g = GT_PTR(const float, t->g);
  float *y = GT_PTR(float, t->y);
  for (size_t gate = (size_t)tile * GT_LOGIC_GATE_TILE;
       gate < ((size_t)tile + 1) * GT_LOGIC_GATE_TILE && gate < t->gates; gate++) {
    if (spec[GT_LOGIC_SPEC_MODE] == GT_LOGIC_MIXTURE)
      mixture(z + 16 * gate, y + 4 * gate);
    else if (spec[GT_LOGIC_SPEC_MODE] == GT_LOGIC_HARD)
      hard(z + 16 * gate, y + 4 * gate);
    else
      gradient(z + 16 * gate, g + 4 * gate, y + 16 * gate);
  }
}
