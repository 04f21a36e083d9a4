/* Simulations: damage clears the requested cells at the requested steps, cells are updated (fire) at random,
 * and the same seed gives the same result. */
#include "automaton/simulation.h"
#include "circuit/circuit_support.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { H = 20, W = 30, C = 2, CELLS = H * W };

/* Each step negates all channels of a cell, so cells that fire change and others do not. */
static void init_negating_rule(gt_circuit_ca *ca) {
  *ca = (gt_circuit_ca){.channels = C, .periodic = true};
  gt_circuit_init(&ca->cell, GT_CA_PATCH * C);
  for (uint32_t c = 0; c < C; c++)
    gt_circuit_add_output(&ca->cell, gt_circuit_add(&ca->cell, GT_GATE_NOT_A, GT_CA_CENTRE * C + c, 0));
}

static void start(gt_simulation *s, gt_circuit_ca *ca, double rate, uint64_t seed) {
  gt_error error = {0};
  init_negating_rule(ca);
  assert_true(gt_simulation_init(s, ca, H, W, rate, seed, &error));
}

static void finish(gt_simulation *s, gt_circuit_ca *ca) {
  gt_simulation_finish(s);
  gt_circuit_ca_finish(ca);
}

static bool is_inside(const gt_damage *d, int64_t y, int64_t x) {
  return y >= d->y && y < d->y + d->height && x >= d->x && x < d->x + d->width;
}

/* Two rectangles at fixed positions: one on boards 0 to 3, one on boards 2, 5, 8, … */
static void damage_at_fixed_positions(void **unused) {
  (void)unused;
  static const gt_damage damage[] = {
      {.height = 3, .width = 4, .y = 2, .x = 5, .count = 1, .first = 0, .last = 3, .every = 1},
      {.height = 1, .width = 30, .y = 19, .x = 0, .count = 1, .first = 2, .last = INT64_MAX, .every = 3}};
  gt_simulation s;
  gt_circuit_ca ca;
  uint8_t ones[CELLS * C], got[CELLS * C];
  memset(ones, 1, sizeof ones);
  start(&s, &ca, 1, 1);
  gt_board_write(&s.board, ones);
  s.damage = damage;
  s.damages = 2;
  uint8_t expected[CELLS];
  memset(expected, 1, sizeof expected);
  for (int step = 0; step < 12; step++) {
    if (step) gt_simulation_step(&s);
    gt_simulation_damage(&s);
    gt_board_read(&s.board, got);
    for (int i = 0; i < CELLS; i++) {
      if (step) expected[i] = !expected[i];
      if (step <= 3 && is_inside(&damage[0], i / W, i % W)) expected[i] = 0;
      if (step >= 2 && (step - 2) % 3 == 0 && is_inside(&damage[1], i / W, i % W)) expected[i] = 0;
      for (int c = 0; c < C; c++) assert_int_equal(got[i * C + c], expected[i]);
    }
  }
  assert_int_equal(s.step, 11);
  finish(&s, &ca);
}

/* On each damaged board, which was all ones, the zeros form one whole rectangle, and over many boards every
 * cell is hit. */
static void damage_at_random_positions(void **unused) {
  (void)unused;
  static const gt_damage damage = {
      .height = 3, .width = 5, .random = true, .count = 1, .first = 2, .last = INT64_MAX, .every = 2};
  static const int BOARDS = 4000;
  gt_simulation s;
  gt_circuit_ca ca;
  uint8_t ones[CELLS * C], got[CELLS * C];
  int hits[CELLS] = {0};
  memset(ones, 1, sizeof ones);
  start(&s, &ca, 1, 7);
  s.damage = &damage;
  s.damages = 1;
  for (int n = 0; n < BOARDS; n++) {
    if (n) gt_simulation_step(&s);
    gt_board_write(&s.board, ones);
    gt_simulation_damage(&s);
    gt_board_read(&s.board, got);
    int first = -1, zeros = 0;
    for (int i = 0; i < CELLS; i++)
      if (!got[i * C]) {
        if (first < 0) first = i;
        zeros++;
        hits[i]++;
        assert_int_equal(got[i * C + 1], 0);
        assert_true(i / W - first / W < 3 && i % W >= first % W && i % W < first % W + 5);
      }
    assert_int_equal(zeros, n >= 2 && n % 2 == 0 ? 15 : 0);
  }
  for (int i = 0; i < CELLS; i++) assert_true(hits[i] > 0);
  finish(&s, &ca);
}

/* The fraction of updates in which a cell fires is close to the rate, for all cells together and for each
 * one. Cells that do not fire keep their state. The limits are more than 5 standard deviations. */
static void cells_fire_at_the_rate(void **unused) {
  (void)unused;
  enum { STEPS = 400 };
  gt_simulation s;
  gt_circuit_ca ca;
  gt_error error = {0};
  uint8_t before[CELLS * C], after[CELLS * C];
  int fired[CELLS] = {0}, total = 0;
  start(&s, &ca, 0.25, 3);
  assert_true(gt_simulation_randomize(&s, &error));
  gt_board_read(&s.board, before);
  for (int n = 0; n < STEPS; n++) {
    gt_simulation_step(&s);
    gt_board_read(&s.board, after);
    for (int i = 0; i < CELLS; i++) {
      for (int c = 0; c < C; c++) assert_int_equal(before[i * C + c] ^ after[i * C + c], s.fires[i]);
      fired[i] += s.fires[i];
      total += s.fires[i];
    }
    memcpy(before, after, sizeof before);
  }
  assert_true(abs(total - CELLS * STEPS / 4) < CELLS * STEPS / 200);
  for (int i = 0; i < CELLS; i++) assert_true(abs(fired[i] - STEPS / 4) < 50);
  finish(&s, &ca);
}

/* Returns the last board of a simulation that fires and is damaged at random. */
static void simulate(uint64_t seed, uint8_t *cells) {
  static const gt_damage damage = {
      .height = 2, .width = 2, .random = true, .count = 3, .first = 1, .last = INT64_MAX, .every = 1};
  gt_simulation s;
  gt_circuit_ca ca;
  gt_error error = {0};
  start(&s, &ca, 0.5, seed);
  s.damage = &damage;
  s.damages = 1;
  assert_true(gt_simulation_randomize(&s, &error));
  for (int n = 0; n < 20; n++) {
    gt_simulation_step(&s);
    gt_simulation_damage(&s);
  }
  gt_board_read(&s.board, cells);
  finish(&s, &ca);
}

/* The boards of one seed are equal. Those of two seeds differ in about half of the 1200 bits, and about half
 * of the bits are ones. */
static void seed_determines_the_board(void **unused) {
  (void)unused;
  uint8_t a[CELLS * C], b[CELLS * C];
  simulate(5, a);
  simulate(5, b);
  assert_memory_equal(a, b, sizeof a);
  simulate(6, b);
  int different = 0, ones = 0;
  for (int i = 0; i < CELLS * C; i++) different += a[i] != b[i], ones += a[i];
  assert_true(different > 400 && different < 800);
  assert_true(ones > 400 && ones < 750);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damage_at_fixed_positions), cmocka_unit_test(damage_at_random_positions),
      cmocka_unit_test(cells_fire_at_the_rate), cmocka_unit_test(seed_determines_the_board)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
