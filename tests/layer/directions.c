/* The neighbors that the kernels of an automaton read initially. */
#include "layer/logic/logic_init.h"
#include "layer/logic/wiring.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { CHANNELS = 3, MAX_WIRES = 64, CENTRE = 4 };

typedef struct automaton {
  gt_logic_ca_attribute a;
  gt_logic_ca_layer layer[GT_LOGIC_CA_LAYERS];
  int32_t wiring[2 * MAX_WIRES];
  int64_t wires;
  gt_arena arena;
  const uint8_t *chosen; /* what gt_directions returns: the function of each perception gate */
} automaton;

/* A perception with layers of 8, 4, 2 and possibly 1 gates, wired as by layer logic_ca. */
static automaton make(uint32_t kernels, uint32_t layers, uint64_t seed) {
  automaton m = {.a = {.kernels = kernels, .perceptions = layers, .updates = 1, .width = {8, 4, 2, 1}}};
  m.a.width[layers] = CHANNELS;
  gt_logic_ca_layers(&m.a, CHANNELS, m.layer);
  m.wires = gt_logic_ca_wires(&m.a);
  for (uint32_t l = 0; l < layers; l++) {
    const gt_init_stream stream = {.seed = seed, .purpose = (1 << 20) + l};
    int32_t pair[16], *first = m.wiring + m.layer[l].wire;
    const uint32_t width = m.layer[l].width;
    if (l)
      assert_true(gt_wiring_unique(&stream, m.layer[l].inputs, width, pair));
    else
      gt_wiring_permutation(&stream, 0, 8, pair);
    for (uint32_t o = 0; o < width; o++) {
      first[o] = l ? pair[o] : pair[o] + (pair[o] >= CENTRE);
      first[m.wires + o] = l ? pair[width + o] : CENTRE;
    }
  }
  gt_arena_init(&m.arena);
  m.chosen = gt_directions(&m.arena, &m.a, CHANNELS, m.wiring);
  return m;
}

/* The position in the patch whose value an output passes on: follows the pass-through gates from the output
 * down. */
static int32_t position_read(const automaton *m, uint32_t kernel, uint32_t output) {
  int32_t at = (int32_t)output;
  for (uint32_t l = m->a.perceptions; l-- > 0;) {
    const gt_logic_ca_layer *layer = &m->layer[l];
    const uint8_t function = m->chosen[layer->gate + kernel * layer->width + (uint32_t)at];
    assert_true(function == GT_LOGIC_FIRST || function == GT_LOGIC_SECOND);
    at = m->wiring[(function == GT_LOGIC_SECOND ? m->wires : 0) + layer->wire + at];
  }
  return at;
}

static void kernels_read_different_neighbors(void **state) {
  /* Positions in the patch of 3 x 3 cells, row by row. */
  static const int32_t beside[] = {1, 7, 3, 5}, diagonal_first[] = {0, 8, 2, 6, 1, 7, 3, 5};
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    automaton few = make(4, 4, seed), many = make(11, 4, seed);
    for (uint32_t k = 0; k < 4; k++) assert_int_equal(position_read(&few, k, 0), beside[k]);
    for (uint32_t k = 0; k < 11; k++) assert_int_equal(position_read(&many, k, 0), diagonal_first[k % 8]);
    gt_arena_finish(&few.arena);
    gt_arena_finish(&many.arena);
  }
}

/* Two outputs reach four neighbors each: four kernels read all eight. */
static void outputs_read_all_neighbors(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    automaton m = make(4, 3, seed);
    int times[9] = {0};
    for (uint32_t k = 0; k < 4; k++)
      for (uint32_t o = 0; o < 2; o++) times[position_read(&m, k, o)]++;
    for (int32_t position = 0; position < 9; position++)
      assert_int_equal(times[position], position != CENTRE);
    gt_arena_finish(&m.arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_read_different_neighbors),
                                     cmocka_unit_test(outputs_read_all_neighbors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
