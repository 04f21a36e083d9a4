/* The thread pool: each tile runs once, on any number of threads; workers sleep and wake; denormals become
 * zero. */
#include "base/pool.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <float.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_TILES = 1000 };

typedef struct job {
  _Atomic int calls[MAX_TILES];
  uint32_t salt; /* makes the sums of each run different */
  double sum[MAX_TILES];
} job;

static void sum_tile(void *context, uint32_t i) {
  job *j = context;
  assert_true(i < MAX_TILES);
  atomic_fetch_add(&j->calls[i], 1);
  double s = 0;
  for (uint32_t k = 1; k < 20 + i % 7; k++) s += 1.0 / (k + i + j->salt);
  j->sum[i] = s;
}

static void check_run(gt_pool *pool, job *j, uint32_t tiles, uint32_t salt) {
  memset(j, 0, sizeof *j);
  j->salt = salt;
  gt_pool_run(pool, tiles, sum_tile, j);
  for (uint32_t i = 0; i < MAX_TILES; i++) assert_int_equal(j->calls[i], i < tiles ? 1 : 0);
}

/* For many tile and thread counts, each tile runs exactly once, and the caller sees what the tiles wrote. */
static void test_every_tile_once(void **state) {
  (void)state;
  static job j, reference;
  for (int threads = 1; threads <= 9; threads += threads < 3 ? 1 : 2) {
    gt_pool *pool = gt_pool_create(threads);
    assert_int_equal(gt_pool_threads(pool), threads);
    for (uint32_t run = 0; run < 300; run++) {
      const uint32_t tiles = run % 5 == 0 ? run % 3 : 1 + run * 7 % MAX_TILES;
      check_run(pool, &j, tiles, run);
      memset(&reference, 0, sizeof reference);
      reference.salt = run;
      gt_pool_run(NULL, tiles, sum_tile, &reference);
      assert_memory_equal(j.sum, reference.sum, sizeof j.sum);
    }
    gt_pool_destroy(pool);
  }
}

static void increment(void *context, uint32_t i) { ((uint32_t *)context)[i]++; }

/* Many tiny runs one after another: a thread that wakes late must not run a tile a second time. */
static void test_tiny_runs(void **state) {
  (void)state;
  for (int threads = 2; threads <= 5; threads++) {
    uint32_t counters[8] = {0};
    gt_pool *pool = gt_pool_create(threads);
    for (uint32_t run = 0; run < 20000; run++) gt_pool_run(pool, 2 + run % 7, increment, counters);
    uint32_t sum = 0, expected = 0;
    for (int i = 0; i < 8; i++) sum += counters[i];
    for (uint32_t run = 0; run < 20000; run++) expected += 2 + run % 7;
    assert_int_equal(sum, expected);
    gt_pool_destroy(pool);
  }
}

/* Pauses let the workers go to sleep, so that waking them is tested too. */
static void test_sleep_and_wake(void **state) {
  (void)state;
  uint32_t counters[8] = {0};
  gt_pool *pool = gt_pool_create(3);
  for (int run = 0; run < 200; run++) {
    gt_pool_run(pool, 8, increment, counters);
    const struct timespec pause = {0, run % 4 * 30000};
    nanosleep(&pause, NULL);
  }
  for (int i = 0; i < 8; i++) assert_int_equal(counters[i], 200);
  gt_pool_destroy(pool);
}

static void increment_slowly(void *context, uint32_t i) {
  const struct timespec pause = {0, i % 2 ? 1000000 : 0};
  nanosleep(&pause, NULL);
  increment(context, i);
}

/* The caller finds no more tiles long before the last one is done, and sleeps. */
static void test_slow_last_tile(void **state) {
  (void)state;
  uint32_t counters[4] = {0};
  gt_pool *pool = gt_pool_create(4);
  for (int run = 0; run < 50; run++) gt_pool_run(pool, 4, increment_slowly, counters);
  for (int i = 0; i < 4; i++) assert_int_equal(counters[i], 50);
  gt_pool_destroy(pool);
}

static void check_scratch(void *context, uint32_t i) {
  uint32_t *scratch = gt_pool_scratch();
  const size_t n = GT_POOL_SCRATCH / sizeof *scratch;
  for (size_t k = 0; k < n; k++) scratch[k] = i;
  for (size_t k = 0; k < n; k++) ((uint32_t *)context)[i] += scratch[k] != i;
}

/* Every thread has scratch memory of its own, also if there is only one thread. */
static void test_scratch(void **state) {
  (void)state;
  for (int threads = 1; threads <= 4; threads++) {
    uint32_t wrong[64] = {0};
    gt_pool *pool = gt_pool_create(threads);
    gt_pool_run(pool, 64, check_scratch, wrong);
    for (int i = 0; i < 64; i++) assert_int_equal(wrong[i], 0);
    gt_pool_destroy(pool);
  }
}

static void test_environment(void **state) {
  (void)state;
  setenv("GTRAIN_THREADS", "3", 1);
  gt_pool *pool = gt_pool_create(0);
  assert_int_equal(gt_pool_threads(pool), 3);
  gt_pool_destroy(pool);
  pool = gt_pool_create(2); /* an explicit number of threads is used */
  assert_int_equal(gt_pool_threads(pool), 2);
  gt_pool_destroy(pool);
  unsetenv("GTRAIN_THREADS");
  gt_pool_destroy(NULL);
}

static void halve(void *context, uint32_t i) {
  volatile float *value = (float *)context + i;
  *value /= 2;
}

/* Denormals become zero in tiles, except with gt_pool_run_ieee and gt_pool_run_once. */
static void test_denormals(void **state) {
  (void)state;
  enum { TILES = 64 };
  float value[TILES];
  gt_pool *pool = gt_pool_create(3);
  for (int run = 0; run < 3; run++) {
    for (int i = 0; i < TILES; i++) value[i] = FLT_MIN;
    if (run == 0) gt_pool_run(pool, TILES, halve, value);
    if (run == 1) gt_pool_run_ieee(pool, TILES, halve, value);
    if (run == 2) gt_pool_run_once(TILES, halve, value);
    for (int i = 0; i < TILES; i++) assert_true((value[i] > 0) == (run > 0));
  }
  gt_pool_destroy(pool);
}

int main(void) {
  unsetenv("GTRAIN_THREADS");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_tile_once), cmocka_unit_test(test_tiny_runs),
      cmocka_unit_test(test_sleep_and_wake),  cmocka_unit_test(test_slow_last_tile),
      cmocka_unit_test(test_environment),     cmocka_unit_test(test_scratch),
      cmocka_unit_test(test_denormals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
