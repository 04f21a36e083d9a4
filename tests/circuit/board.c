/* Automata: compares the circuit of a cell with its layers, and the bit-sliced board with a loop over
 * cells. */
#include "circuit/board.h"
#include "circuit_support.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static uint8_t cell_at(const gt_circuit_ca *ca, const uint8_t *cells, int64_t h, int64_t w, int64_t y,
                       int64_t x, uint32_t c) {
  if (ca->periodic) {
    y = (y + h) % h;
    x = (x + w) % w;
  } else if (y < 0 || x < 0 || y >= h || x >= w) {
    return 0;
  }
  return cells[((size_t)(y * w + x)) * ca->channels + c];
}

static void step_each_cell(const gt_circuit_ca *ca, const uint8_t *cells, uint8_t *next, int64_t h,
                           int64_t w) {
  uint8_t *in = gt_alloc(9 * ca->channels);
  for (int64_t y = 0; y < h; y++)
    for (int64_t x = 0; x < w; x++) {
      for (uint32_t p = 0; p < 9; p++)
        for (uint32_t c = 0; c < ca->channels; c++)
          in[p * ca->channels + c] = cell_at(ca, cells, h, w, y + p / 3 - 1, x + p % 3 - 1, c);
      gt_circuit_evaluate(&ca->cell, in, next + (size_t)(y * w + x) * ca->channels);
    }
  free(in);
}

/* Compares `steps` steps of a board with step_each_cell, then clears a rectangle. masked: only random cells
 * change in a step. */
static void check_board(uint32_t channels, bool periodic, uint32_t h, uint32_t w, int steps, uint64_t seed,
                        bool masked) {
  gt_circuit_ca ca = {.channels = channels, .periodic = periodic};
  gt_board board;
  gt_error error = {0};
  draw d = {seed, 0};
  random_circuit(&ca.cell, seed, 9 * channels, 40 * channels, channels);
  const size_t size = (size_t)h * w * channels;
  uint8_t *cells = gt_alloc(size), *next = gt_alloc(size), *got = gt_alloc(size),
          *fires = gt_alloc((size_t)h * w);
  random_bits(&d, cells, size);
  assert_true(gt_board_init(&board, &ca, h, w, &error));
  uint64_t *mask = gt_alloc(board.words * sizeof *mask);
  gt_board_write(&board, cells);
  gt_board_read(&board, got);
  assert_memory_equal(cells, got, size);
  for (int s = 0; s < steps; s++) {
    step_each_cell(&ca, cells, next, h, w);
    random_bits(&d, fires, (size_t)h * w);
    gt_board_mask(&board, fires, mask);
    gt_board_step(&board, masked ? mask : NULL);
    for (size_t i = 0; i < size; i++)
      if (!masked || fires[i / channels]) cells[i] = next[i];
    gt_board_read(&board, got);
    assert_memory_equal(cells, got, size);
  }
  gt_board_clear(&board, -1, 1, 3, w); /* begins above the board and ends to the right of it */
  gt_board_read(&board, got);
  for (size_t i = 0; i < size; i++) {
    const size_t y = i / channels / w, x = i / channels % w;
    assert_int_equal(got[i], y < 2 && x >= 1 ? 0 : cells[i]);
  }
  gt_board_finish(&board);
  gt_circuit_finish(&ca.cell);
  free(cells);
  free(next);
  free(got);
  free(fires);
  free(mask);
}

static void boards_match_a_loop_over_cells(void **unused) {
  (void)unused;
  /* Height and width. A row of a board has two more bits, so width 62 fills one word, 126 two. */
  static const uint32_t sizes[][2] = {{1, 1},  {1, 70}, {70, 1},  {3, 3},   {16, 16}, {14, 14}, {2, 62},
                                      {5, 63}, {7, 64}, {9, 126}, {30, 31}, {3, 500}, {20, 20}};
  uint64_t seed = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int periodic = 0; periodic < 2; periodic++) {
      check_board(1, periodic, sizes[i][0], sizes[i][1], 5, seed++, false);
      check_board(3, periodic, sizes[i][0], sizes[i][1], 5, seed++, periodic);
    }
}

/* Conway's Game of Life as a circuit that counts the neighbors: ones and twos are the low bits of the count,
 * `many` is true from 4 on. */
static void init_life_circuit(gt_circuit_ca *ca) {
  gt_circuit *c = &ca->cell;
  *ca = (gt_circuit_ca){.channels = 1, .periodic = true};
  gt_circuit_init(c, 9);
  uint32_t ones = gt_circuit_add(c, GT_GATE_FALSE, 0, 0), twos = ones, many = ones;
  for (uint32_t p = 0; p < 9; p++) {
    if (p == GT_CA_CENTRE) continue;
    const uint32_t carry = gt_circuit_add(c, GT_GATE_AND, ones, p);
    ones = gt_circuit_add(c, GT_GATE_XOR, ones, p);
    many = gt_circuit_add(c, GT_GATE_OR, many, gt_circuit_add(c, GT_GATE_AND, twos, carry));
    twos = gt_circuit_add(c, GT_GATE_XOR, twos, carry);
  }
  const uint32_t alive = gt_circuit_add(c, GT_GATE_OR, ones, GT_CA_CENTRE);
  const uint32_t two_or_three = gt_circuit_add(c, GT_GATE_A_NOT_B, twos, many);
  gt_circuit_add_output(c, gt_circuit_add(c, GT_GATE_AND, alive, two_or_three));
}

static void game_of_life(void **unused) {
  (void)unused;
  enum { SIZE = 128, STEPS = 300 };
  gt_circuit_ca ca;
  gt_circuit simple;
  gt_board board;
  gt_error error = {0};
  draw d = {5, 0};
  static uint8_t cells[SIZE][SIZE], next[SIZE][SIZE], got[SIZE][SIZE];
  init_life_circuit(&ca);
  gt_circuit_simplify(&ca.cell, &simple);
  gt_circuit_finish(&ca.cell);
  ca.cell = simple;
  random_bits(&d, &cells[0][0], sizeof cells);
  assert_true(gt_board_init(&board, &ca, SIZE, SIZE, &error));
  gt_board_write(&board, &cells[0][0]);
  for (int s = 0; s < STEPS; s++) {
    gt_board_step(&board, NULL);
    for (int y = 0; y < SIZE; y++)
      for (int x = 0; x < SIZE; x++) {
        int sum = 0;
        for (int p = 0; p < 9; p++)
          if (p != GT_CA_CENTRE) sum += cells[(y + p / 3 + SIZE - 1) % SIZE][(x + p % 3 + SIZE - 1) % SIZE];
        next[y][x] = sum == 3 || (sum == 2 && cells[y][x]);
      }
    memcpy(cells, next, sizeof cells);
  }
  gt_board_read(&board, &got[0][0]);
  assert_memory_equal(cells, got, sizeof cells);
  gt_board_finish(&board);
  gt_circuit_ca_finish(&ca);
}

/* The order of signals: the inputs of the circuit are [cell of the patch][channel]; the inputs of the update
 * are the cell's own channels, then the perceived bits [channel][output][kernel]. For each input i of the
 * update, a circuit is built whose two output channels both copy it, one as operand a, one as operand b. */
static void signals_are_in_order(void **unused) {
  (void)unused;
  enum { C = 2, K = 3, BITS = 2, PERCEIVED = C + C * BITS * K };
  static const int32_t first_a[] = {0, 1, 2}, first_b[] = {4, 5, 8}, second_a[] = {0, 1}, second_b[] = {1, 2};
  uint8_t first_op[K * 3], second_op[K * BITS], in[9 * C], out[C];
  draw d = {9, 0};
  for (int i = 0; i < K * 3; i++) first_op[i] = (uint8_t)draw_below(&d, 16);
  for (int i = 0; i < K * BITS; i++) second_op[i] = (uint8_t)draw_below(&d, 16);
  const gt_circuit_layer perception[] = {{3, first_a, first_b, first_op},
                                         {BITS, second_a, second_b, second_op}};
  for (int32_t i = 0; i < PERCEIVED; i++) {
    const int32_t a[] = {i, 0}, b[] = {0, i};
    const uint8_t op[] = {GT_GATE_A, GT_GATE_B};
    const gt_circuit_layer update[] = {{C, a, b, op}};
    const gt_ca_parts parts = {C, K, false, perception, update, 2, 1};
    gt_circuit_ca ca;
    gt_error error = {0};
    assert_true(gt_circuit_ca_build(&ca, &parts, &error));
    for (int round = 0; round < 20; round++) {
      unsigned perceived[PERCEIVED]; /* the expected inputs of the update */
      random_bits(&d, in, sizeof in);
      for (int c = 0; c < C; c++) {
        perceived[c] = in[GT_CA_CENTRE * C + c];
        for (int k = 0; k < K; k++) {
          unsigned hidden[3]; /* outputs of the first layer */
          for (int g = 0; g < 3; g++)
            hidden[g] = gt_gate_value(first_op[k * 3 + g], in[first_a[g] * C + c], in[first_b[g] * C + c]);
          for (int o = 0; o < BITS; o++)
            perceived[C + (c * BITS + o) * K + k] =
                gt_gate_value(second_op[k * BITS + o], hidden[second_a[o]], hidden[second_b[o]]);
        }
      }
      gt_circuit_evaluate(&ca.cell, in, out);
      assert_int_equal(out[0], perceived[i]);
      assert_int_equal(out[1], perceived[i]);
    }
    gt_circuit_ca_finish(&ca);
  }
}

/* Wrong wiring of the perception, of the update, and an update with two outputs for one channel. */
static void wrong_parts_are_rejected(void **unused) {
  (void)unused;
  static const int32_t inside[] = {0, 0}, outside[] = {9, 0};
  static const uint8_t op[] = {1, 1};
  const gt_circuit_layer good = {1, inside, inside, op}, bad = {1, outside, inside, op},
                         two_gates = {2, inside, inside, op};
  const gt_circuit_layer *const wrong[][2] = {{&bad, &good}, {&good, &bad}, {&good, &two_gates}};
  for (int i = 0; i < 3; i++) {
    const gt_ca_parts parts = {1, 1, false, wrong[i][0], wrong[i][1], 1, 1};
    gt_circuit_ca ca;
    gt_error error = {0};
    assert_false(gt_circuit_ca_build(&ca, &parts, &error));
    assert_int_equal(error.status, GT_ERR_DATA);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boards_match_a_loop_over_cells),
      cmocka_unit_test(game_of_life),
      cmocka_unit_test(signals_are_in_order),
      cmocka_unit_test(wrong_parts_are_rejected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
