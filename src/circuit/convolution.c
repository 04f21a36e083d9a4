/* Expands the kernels of a convolution to gates: the same tree at every position of an image. */
#include "circuit/circuit.h"
#include "base/memory.h"
#include <stdlib.h>

static bool check(const gt_circuit *circuit, const gt_circuit_convolution *c, gt_error *error) {
  const uint64_t leaves = UINT64_C(1) << c->depth, places = (uint64_t)c->field * c->field * c->channels;
  const double positions = (double)c->rows * c->columns * c->pool * c->pool * c->kernels;
  if (positions * (double)leaves + circuit->inputs + (double)circuit->gates.count >= GT_CIRCUIT_MAX_SIGNALS)
    return gt_fail(error, GT_ERR_DATA, "the circuit has more than %u inputs and gates",
                   GT_CIRCUIT_MAX_SIGNALS);
  for (uint64_t i = 0; i < c->kernels * leaves; i++)
    if (c->leaf[i] < 0 || (uint64_t)c->leaf[i] >= places)
      return gt_fail(error, GT_ERR_DATA, "a leaf reads place %d, but the field has %llu places", c->leaf[i],
                     (unsigned long long)places);
  return true;
}

/* The signal that a leaf reads at an output position before pooling; `zero` in the padding. */
static uint32_t leaf_signal(const gt_circuit_convolution *c, int32_t leaf, uint32_t row, uint32_t column,
                            const uint32_t *source, uint32_t zero) {
  const uint32_t pixel = (uint32_t)leaf / c->channels, channel = (uint32_t)leaf % c->channels;
  const uint32_t y = row * c->stride + pixel / c->field - c->padding,
                 x = column * c->stride + pixel % c->field - c->padding;
  if (y >= c->height || x >= c->width) return zero;
  return source[((size_t)y * c->width + x) * c->channels + channel];
}

/* Returns the signal of the root. signal: workspace for the signals of the leaves, then of the gates; gate g
 * reads elements 2g and 2g + 1. */
static uint32_t add_tree(gt_circuit *circuit, const gt_circuit_convolution *c, uint32_t kernel, uint32_t row,
                         uint32_t column, const uint32_t *source, uint32_t zero, uint32_t *signal) {
  const size_t leaves = (size_t)1 << c->depth, gates = leaves - 1;
  for (size_t l = 0; l < leaves; l++)
    signal[l] = leaf_signal(c, c->leaf[kernel * leaves + l], row, column, source, zero);
  for (size_t g = 0; g < gates; g++)
    signal[leaves + g] =
        gt_circuit_add(circuit, c->op[kernel * gates + g] & 15u, signal[2 * g], signal[2 * g + 1]);
  return signal[leaves + gates - 1];
}

bool gt_circuit_add_convolution(gt_circuit *circuit, const gt_circuit_convolution *c, const uint32_t *source,
                                uint32_t *out, gt_error *error) {
  if (!check(circuit, c, error)) return false;
  uint32_t *signal = gt_alloc((sizeof *signal << c->depth) * 2);
  const uint32_t zero = c->padding ? gt_circuit_add(circuit, GT_GATE_FALSE, 0, 0) : 0;
  for (uint32_t window = 0; window < c->rows * c->columns; window++)
    for (uint32_t kernel = 0; kernel < c->kernels; kernel++, out++)
      for (uint32_t position = 0; position < c->pool * c->pool; position++) {
        const uint32_t row = window / c->columns * c->pool + position / c->pool,
                       column = window % c->columns * c->pool + position % c->pool;
        const uint32_t root = add_tree(circuit, c, kernel, row, column, source, zero, signal);
        *out = position ? gt_circuit_add(circuit, GT_GATE_OR, *out, root) : root;
      }
  free(signal);
  return true;
}
