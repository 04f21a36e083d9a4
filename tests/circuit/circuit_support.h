/* Random circuits for the tests in this folder. */
#ifndef TESTS_CIRCUIT_SUPPORT_H
#define TESTS_CIRCUIT_SUPPORT_H
#include "base/memory.h"
#include "base/philox.h"
#include "circuit/sliced.h"
#include <stdlib.h>
#include <string.h>

/* A random number generator. */
typedef struct draw {
  uint64_t seed;
  uint32_t next; /* how many numbers have been drawn */
} draw;

/* The next random number from 0 to limit - 1. */
static inline uint32_t draw_below(draw *d, uint32_t limit) {
  return gt_random_bits(d->seed, 77, 0, d->next++) % limit; /* 77: any purpose */
}

/* Gates that read any earlier signals. About half of the operands are among the last eight signals, so gates
 * often have equal operands and there is much to simplify. At least two thirds of the outputs come from the
 * second half of the signals. */
static inline void random_circuit(gt_circuit *c, uint64_t seed, uint32_t inputs, uint32_t gates,
                                  uint32_t outputs) {
  draw d = {seed, 0};
  gt_circuit_init(c, inputs);
  for (uint32_t g = 0; g < gates; g++) {
    const uint32_t before = inputs + g,
                   recent = before < 8 ? before : 8; /* numbers of all and of recent signals */
    const uint32_t a = draw_below(&d, 2) ? draw_below(&d, before) : before - 1 - draw_below(&d, recent);
    const uint32_t b = draw_below(&d, 2) ? draw_below(&d, before) : before - 1 - draw_below(&d, recent);
    gt_circuit_add(c, draw_below(&d, 16), a, b);
  }
  for (uint32_t k = 0; k < outputs; k++) {
    const uint32_t signals = inputs + gates;
    gt_circuit_add_output(c, k % 3 == 2 ? draw_below(&d, signals)
                                        : signals - 1 - draw_below(&d, signals / 2 + 1));
  }
}

/* Layers of `width` gates with random wiring; `groups` as in gt_circuit. */
static inline void layered_circuit(gt_circuit *c, uint64_t seed, uint32_t inputs, uint32_t width, int layers,
                                   uint32_t groups) {
  draw d = {seed, 0};
  uint32_t first = 0, count = inputs; /* the signals that the next layer reads */
  gt_circuit_init(c, inputs);
  for (int l = 0; l < layers; l++) {
    const uint32_t start = c->inputs + (uint32_t)c->gates.count;
    for (uint32_t g = 0; g < width; g++) {
      const uint32_t op = draw_below(&d, 16), a = draw_below(&d, count), b = draw_below(&d, count);
      gt_circuit_add(c, op, first + a, first + b);
    }
    first = start;
    count = width;
  }
  for (uint32_t g = 0; g < width; g++) gt_circuit_add_output(c, first + g);
  c->groups = groups;
}

/* Fills the bytes with random zeros and ones. */
static inline void random_bits(draw *d, uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)draw_below(d, 2);
}
#endif
