#include "op/logic/logic_bits_cpu.h"
#include "base/count.h"
#include "shaders/op/logic/logic_bits.h"
#include "shaders/op/logic/logic_bits_sum.h"
#include "shaders/op/logic/logic_codes.h"
#include "shaders/op/logic/logic_pack.h"
#include "step/math.h"

enum { TILE_WORDS = 16384, PIECE = 64 /* words that are counted at once */, LEVELS = 32 };

/* The algebraic normal form (op/logic/logic_bits.h) of one of the 16 functions, from its number: bits 0, 1, 2
 * and 3 are its values on (1,1), (1,0), (0,1) and (0,0). */
static uint32_t code_of(uint32_t function) {
  const uint32_t f11 = function & 1, f10 = function >> 1 & 1, f01 = function >> 2 & 1, f00 = function >> 3;
  return f00 | (f00 ^ f10) << 1 | (f00 ^ f01) << 2 | (f00 ^ f10 ^ f01 ^ f11) << 3;
}

void gt_logic_codes_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_codes_args *t = args;
  uint32_t *codes = GT_PTR(uint32_t, t->codes);
  const uint32_t end = gt_min_u32((tile + 1) * GT_BITS_CODE_TILE, t->gates);
  (void)spec;
  for (uint32_t gate = tile * GT_BITS_CODE_TILE; gate < end; gate++) {
    const float *z = GT_PTR(const float, t->logits) + 16 * (size_t)gate;
    uint32_t best = 0;
    for (uint32_t k = 1; k < 16; k++) best = z[k] > z[best] ? k : best;
    codes[gate] = code_of(best);
  }
}

/* --- words from samples, and back ----------------------------------------------------------------------- */

GT_CLONES static void pack(const float *x, size_t row, uint32_t samples, uint32_t n,
                           uint32_t bits[restrict GT_BITS_VALUE_TILE]) {
  for (uint32_t i = 0; i < n; i++) bits[i] = 0;
  for (uint32_t s = 0; s < samples; s++, x += row)
    for (uint32_t i = 0; i < n; i++) bits[i] |= (uint32_t)(x[i] > 0.5f) << s;
}

GT_CLONES static void unpack(const uint32_t *bits, uint32_t s, float *restrict x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) x[i] = (float)(int32_t)(bits[i] >> s & 1);
}

/* What a tile processes: `count` values from `first` on, for the samples of word number `word`. */
typedef struct block {
  uint32_t word, first, count, samples;
  size_t offset, stride; /* index of the word of the first value, and the distance to the next value */
} block;

static block block_of(const struct gt_logic_pack_args *t, const uint32_t *spec, uint32_t tile) {
  const uint32_t chunks = gt_ceil_div(t->values, GT_BITS_VALUE_TILE);
  block b = {.word = tile / chunks, .first = tile % chunks * GT_BITS_VALUE_TILE};
  const bool by_word = spec[GT_LOGIC_PACK_SPEC_BY_WORD];
  b.count = gt_min_u32(GT_BITS_VALUE_TILE, t->values - b.first);
  b.samples = gt_min_u32(32, t->batch - 32 * b.word);
  b.stride = by_word ? 1 : t->words;
  b.offset = by_word ? (size_t)b.word * t->values + b.first : (size_t)b.first * t->words + b.word;
  return b;
}

void gt_logic_pack_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_pack_args *t = args;
  const block b = block_of(t, spec, tile);
  uint32_t bits[GT_BITS_VALUE_TILE], *words = GT_PTR(uint32_t, t->packed) + b.offset;
  pack(GT_PTR(const float, t->x) + (size_t)b.word * 32 * t->values + b.first, t->values, b.samples, b.count,
       bits);
  for (uint32_t i = 0; i < b.count; i++) words[i * b.stride] = bits[i];
}

void gt_logic_unpack_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_pack_args *t = args;
  const block b = block_of(t, spec, tile);
  const uint32_t *words = GT_PTR(const uint32_t, t->packed) + b.offset;
  uint32_t bits[GT_BITS_VALUE_TILE];
  for (uint32_t i = 0; i < b.count; i++) bits[i] = words[i * b.stride];
  float *x = GT_PTR(float, t->x) + (size_t)b.word * 32 * t->values + b.first;
  for (uint32_t s = 0; s < b.samples; s++) unpack(bits, s, x + (size_t)s * t->values, b.count);
}

/* --- gates ---------------------------------------------------------------------------------------------- */

uint32_t gt_logic_bits_tile_gates(uint32_t words) { return words >= TILE_WORDS ? 1 : TILE_WORDS / words; }

/* Indices are clamped to the inputs of the layer, because the wiring of a damaged file may be out of
 * range. */
GT_CLONES static void run_layer(const struct gt_logic_bits_args *t, uint32_t first, uint32_t end) {
  const uint32_t *codes = GT_PTR(const uint32_t, t->codes), *wiring = GT_PTR(const uint32_t, t->wiring);
  const size_t n = t->words;
  for (uint32_t gate = first; gate < end; gate++) {
    const uint32_t *a = GT_PTR(const uint32_t, t->x) + n * gt_min_u32(wiring[gate], t->inputs - 1),
                   *b = GT_PTR(const uint32_t, t->x) + n * gt_min_u32(wiring[t->gates + gate], t->inputs - 1);
    const uint32_t code = codes[gate], c0 = -(code & 1), c1 = -(code >> 1 & 1), c2 = -(code >> 2 & 1),
                   c3 = -(code >> 3 & 1);
    uint32_t *restrict y = GT_PTR(uint32_t, t->y) + n * gate;
    for (size_t i = 0; i < n; i++) y[i] = c0 ^ (a[i] & c1) ^ (b[i] & (c2 ^ (a[i] & c3)));
  }
}

void gt_logic_bits_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  const struct gt_logic_bits_args *t = args;
  const uint32_t per_tile = gt_logic_bits_tile_gates(t->words), first = tile * per_tile;
  (void)spec;
  run_layer(t, first, gt_min_u32(first + per_tile, t->gates));
}

/* --- sums ----------------------------------------------------------------------------------------------- */

/* Bit-sliced counters of ones with carry-save adders: two rows of bits per level (power of two), so that each
 * level is updated half as often as the one below (Harley and Seal; Knuth, "The Art of Computer Programming",
 * 4A, 7.1.3). Level k uses `pending` only if bit k of the number of rows is set. */
typedef struct counter {
  uint32_t rows, sum[LEVELS][PIECE], pending[LEVELS][PIECE];
} counter;

GT_CLONES static void add_row(counter *c, const uint32_t *row, uint32_t n) {
  uint32_t carry[PIECE];
  uint32_t level = 0;
  for (uint32_t i = 0; i < n; i++) carry[i] = row[i];
  for (; c->rows >> level & 1; level++) {
    uint32_t *restrict sum = c->sum[level];
    const uint32_t *pending = c->pending[level];
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t half_sum = sum[i] ^ pending[i], out = (sum[i] & pending[i]) | (half_sum & carry[i]);
      sum[i] = half_sum ^ carry[i];
      carry[i] = out;
    }
  }
  if (!(c->rows & (c->rows + 1)))
    for (uint32_t i = 0; i < n; i++) c->sum[level][i] = 0; /* first use of the level */
  for (uint32_t i = 0; i < n; i++) c->pending[level][i] = carry[i];
  c->rows++;
}

/* The counts for the 32 samples of word i. */
GT_CLONES static void count_word(const counter *c, uint32_t i, uint32_t count[restrict 32]) {
  for (uint32_t bit = 0; bit < 32; bit++) count[bit] = 0;
  for (uint32_t level = 0; c->rows >> level; level++) {
    const uint32_t sum = c->sum[level][i], pending = c->rows >> level & 1 ? c->pending[level][i] : 0;
    for (uint32_t bit = 0; bit < 32; bit++) count[bit] += ((sum >> bit & 1) + (pending >> bit & 1)) << level;
  }
}

void gt_logic_bits_sum_cpu(const void *args, const uint32_t *spec, uint32_t group) {
  const struct gt_logic_bits_sum_args *t = args;
  const uint32_t *x = GT_PTR(const uint32_t, t->x) + (size_t)group * t->group_size * t->words;
  float *y = GT_PTR(float, t->y);
  counter c;
  (void)spec;
  for (uint32_t first = 0; first < t->words; first += PIECE) {
    const uint32_t n = gt_min_u32(PIECE, t->words - first);
    c.rows = 0;
    for (size_t row = 0; row < t->group_size; row++) add_row(&c, x + row * t->words + first, n);
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t sample = 32 * (first + i);
      uint32_t count[32];
      count_word(&c, i, count);
      for (uint32_t bit = 0; bit < 32 && sample + bit < t->batch; bit++)
        y[(size_t)(sample + bit) * t->groups + group] = (float)count[bit] * t->scale;
    }
  }
}
