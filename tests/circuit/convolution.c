/* Convolutions as gates: every output bit is compared with a direct evaluation of the definition. */
#include "circuit/circuit.h"
#include "circuit_support.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { MAX_BITS = 4096 };

/* Evaluates node `index` (from the left) of a level of a gate tree. Level 0 has the leaves. (row, column) is
 * the first pixel of the receptive field in the padded image. */
static unsigned evaluate_tree(const gt_circuit_convolution *c, const uint8_t *image, uint32_t kernel, int row,
                              int column, uint32_t level, uint32_t index) {
  const uint32_t leaves = 1u << c->depth;
  if (level == 0) {
    const uint32_t place = (uint32_t)c->leaf[kernel * leaves + index];
    const int y = row + (int)(place / c->channels / c->field) - (int)c->padding,
              x = column + (int)(place / c->channels % c->field) - (int)c->padding;
    if (y < 0 || x < 0 || y >= (int)c->height || x >= (int)c->width) return 0;
    return image[((uint32_t)y * c->width + (uint32_t)x) * c->channels + place % c->channels];
  }
  uint32_t gates_below = 0;
  for (uint32_t l = 1; l < level; l++) gates_below += leaves >> l;
  const unsigned a = evaluate_tree(c, image, kernel, row, column, level - 1, 2 * index),
                 b = evaluate_tree(c, image, kernel, row, column, level - 1, 2 * index + 1);
  return gt_gate_value(c->op[kernel * (leaves - 1) + gates_below + index], a, b);
}

/* Output bit i: the OR over a pooling window. */
static unsigned pooled_output(const gt_circuit_convolution *c, const uint8_t *image, uint32_t i) {
  const uint32_t kernel = i % c->kernels, row = i / c->kernels / c->columns,
                 column = i / c->kernels % c->columns;
  unsigned any = 0;
  for (uint32_t dy = 0; dy < c->pool; dy++)
    for (uint32_t dx = 0; dx < c->pool; dx++)
      any |= evaluate_tree(c, image, kernel, (int)((row * c->pool + dy) * c->stride),
                           (int)((column * c->pool + dx) * c->stride), c->depth, 0);
  return any;
}

static void try_shape(gt_circuit_convolution c, uint64_t seed) {
  draw d = {seed, 0};
  gt_circuit circuit, simple;
  gt_error error = {0};
  static int32_t leaf[MAX_BITS];
  static uint8_t op[MAX_BITS], image[MAX_BITS], got[MAX_BITS];
  static uint32_t source[MAX_BITS], out[MAX_BITS];
  const uint32_t leaves = c.kernels << c.depth, inputs = c.height * c.width * c.channels,
                 results = c.rows * c.columns * c.kernels;
  for (uint32_t i = 0; i < leaves; i++)
    leaf[i] = (int32_t)draw_below(&d, c.field * c.field * c.channels), op[i] = (uint8_t)draw_below(&d, 16);
  c.leaf = leaf;
  c.op = op;
  gt_circuit_init(&circuit, inputs);
  for (uint32_t i = 0; i < inputs; i++) source[i] = i;
  assert_true(gt_circuit_add_convolution(&circuit, &c, source, out, &error));
  for (uint32_t i = 0; i < results; i++) gt_circuit_add_output(&circuit, out[i]);
  gt_circuit_simplify(&circuit, &simple);
  for (int sample = 0; sample < 20; sample++) {
    random_bits(&d, image, inputs);
    gt_circuit_evaluate(&circuit, image, got);
    for (uint32_t i = 0; i < results; i++) assert_int_equal(got[i], pooled_output(&c, image, i));
    gt_circuit_evaluate(&simple, image, got);
    for (uint32_t i = 0; i < results; i++) assert_int_equal(got[i], pooled_output(&c, image, i));
  }
  gt_circuit_finish(&simple);
  gt_circuit_finish(&circuit);
}

/* Columns: height, width, channels; field, stride, padding; pool; rows, columns; kernels, depth; leaf and op,
 * which try_shape sets. */
static void every_bit(void **unused) {
  (void)unused;
  try_shape((gt_circuit_convolution){1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, NULL, NULL}, 1);
  try_shape((gt_circuit_convolution){5, 4, 2, 3, 1, 0, 1, 3, 2, 3, 2, NULL, NULL}, 2);
  try_shape((gt_circuit_convolution){6, 7, 3, 3, 1, 1, 2, 3, 3, 5, 3, NULL, NULL}, 3);
  try_shape((gt_circuit_convolution){7, 5, 1, 3, 2, 2, 2, 2, 2, 4, 4, NULL, NULL}, 4);
}

/* A leaf beyond the receptive field, a negative one, and a circuit with too many gates. */
static void wrong_convolutions_are_rejected(void **unused) {
  (void)unused;
  gt_circuit circuit;
  gt_error error = {0};
  int32_t leaf[2] = {0, 9};
  const uint8_t op[1] = {GT_GATE_AND};
  uint32_t source[9] = {0}, out[1];
  gt_circuit_convolution c = {3, 3, 1, 3, 1, 0, 1, 1, 1, 1, 1, leaf, op};
  gt_circuit_init(&circuit, 9);
  assert_false(gt_circuit_add_convolution(&circuit, &c, source, out, &error));
  assert_int_equal(error.status, GT_ERR_DATA);
  leaf[1] = -1;
  assert_false(gt_circuit_add_convolution(&circuit, &c, source, out, &error));
  c.rows = c.columns = c.kernels = 1 << 20;
  assert_false(gt_circuit_add_convolution(&circuit, &c, source, out, &error));
  gt_circuit_finish(&circuit);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_bit),
                                     cmocka_unit_test(wrong_convolutions_are_rejected)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
