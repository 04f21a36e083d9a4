/* One 64-bit word, `ticket`, holds the run's number (high half) and the number of its unclaimed tiles (low
 * half). A thread claims a tile by decrementing it with compare-and-swap. A run cannot end while a claimed
 * tile is unfinished, so fn, context and tiles may be read after the claim. A thread that wakes late finds no
 * tile to claim, so no run waits for sleeping threads. */
#include "base/pool.h"
#include "base/host.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pool.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SPIN_NS = 40000 /* how long a waiting thread spins before it sleeps */, MAX_THREADS = 1024 };

struct gt_pool {
  int threads, started;
  uint8_t *scratch; /* for the caller, then for each worker */
  bool crowded;     /* more threads than processors: do not spin, others need the processor */
  pthread_t *worker;
  alignas(64) _Atomic uint64_t ticket;
  alignas(64) _Atomic uint32_t done;   /* finished tiles of this run */
  _Atomic uint32_t waiting;            /* the caller sleeps until the last tile is done */
  alignas(64) _Atomic uint32_t wakeup; /* futex word, changed before sleeping threads are woken */
  _Atomic uint32_t sleepers;
  _Atomic bool quit;
  _Atomic uint32_t begun; /* number of workers that have started */
  gt_tile_fn fn;
  void *context;
  uint32_t tiles;
};

static _Thread_local bool in_tile;
static _Thread_local void *scratch;

void *gt_pool_scratch(void) { return scratch; }

static void futex_wait(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, uint32_t count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count > INT_MAX ? INT_MAX : count, NULL, NULL, 0);
}

/* Tells the processor that this thread spins. */
static void relax(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#elif defined __aarch64__
  __asm__ volatile("yield");
#endif
}

/* Sets whether this thread treats denormals as zero and produces none (flush) or computes with them. Returns
 * the previous mode. */
static uint32_t set_denormals(bool flush) {
#if defined __x86_64__
  enum { ZERO_RESULTS = 1 << 15, ZERO_OPERANDS = 1 << 6, ZERO_BOTH = ZERO_RESULTS | ZERO_OPERANDS };
  const uint32_t before = __builtin_ia32_stmxcsr(), wanted = flush ? ZERO_BOTH : 0;
  if ((before & ZERO_BOTH) != wanted) __builtin_ia32_ldmxcsr((before & ~(uint32_t)ZERO_BOTH) | wanted);
  return before;
#elif defined __aarch64__
  const uint64_t zero_both = 1u << 24, wanted = flush ? zero_both : 0; /* FPCR.FZ */
  uint64_t before;
  __asm__ volatile("mrs %0, fpcr" : "=r"(before));
  if ((before & zero_both) != wanted)
    __asm__ volatile("msr fpcr, %0" : : "r"((before & ~zero_both) | wanted));
  return (uint32_t)before;
#else
  (void)flush;
  return 0;
#endif
}

static void restore_denormals(uint32_t before) {
#if defined __x86_64__
  __builtin_ia32_ldmxcsr(before);
#elif defined __aarch64__
  __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)before));
#else
  (void)before;
#endif
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Claims and runs tiles until none is left. */
static void work(gt_pool *pool) {
  uint64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
  while ((uint32_t)ticket) {
    if (!atomic_compare_exchange_weak_explicit(&pool->ticket, &ticket, ticket - 1, memory_order_acquire,
                                               memory_order_acquire))
      continue;
    const uint32_t tiles = pool->tiles;
    in_tile = true;
    pool->fn(pool->context, tiles - (uint32_t)ticket);
    in_tile = false;
    if (atomic_fetch_add(&pool->done, 1) + 1 == tiles && atomic_load(&pool->waiting))
      futex_wake(&pool->done, 1);
    ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
  }
}

/* True if there is no tile to claim and the pool is not being destroyed. */
static bool idle(gt_pool *pool) {
  return !(uint32_t)atomic_load_explicit(&pool->ticket, memory_order_acquire) &&
         !atomic_load_explicit(&pool->quit, memory_order_relaxed);
}

static void wait_for_work(gt_pool *pool) {
  if (!pool->crowded) {
    const uint64_t end = now_ns() + SPIN_NS;
    do {
      for (int i = 0; i < 16; i++) {
        if (!idle(pool)) return;
        relax();
      }
    } while (now_ns() < end);
  }
  /* The caller publishes work, then reads `sleepers`; a worker increments `sleepers`, then looks for work.
   * These four accesses have one total order, so at least one side sees the other. */
  const uint32_t seen = atomic_load(&pool->wakeup);
  atomic_fetch_add(&pool->sleepers, 1);
  if (!(uint32_t)atomic_load(&pool->ticket) && !atomic_load(&pool->quit)) futex_wait(&pool->wakeup, seen);
  atomic_fetch_sub(&pool->sleepers, 1);
}

static void *worker_main(void *argument) {
  gt_pool *pool = argument;
  set_denormals(true);
  scratch = pool->scratch + (size_t)(1 + atomic_fetch_add(&pool->begun, 1)) * GT_POOL_SCRATCH;
  while (!atomic_load(&pool->quit)) {
    work(pool);
    wait_for_work(pool);
  }
  return NULL;
}

static int usable_processors(void) {
  gt_host host;
  gt_host_read_processors(&host, "");
  return gt_host_threads(&host);
}

static atomic_bool was_reported; /* that GTRAIN_THREADS is invalid */

/* *threads: the value of GTRAIN_THREADS; 0 if it is not set or invalid. */
static bool read_environment(int *threads, gt_error *error) {
  const char *text = getenv("GTRAIN_THREADS");
  *threads = 0;
  if (!text || !*text) return true;
  char *end;
  errno = 0;
  const long n = strtol(text, &end, 10);
  if (*end || errno || n < 1 || n > MAX_THREADS)
    return gt_fail(error, GT_ERR_USAGE, "GTRAIN_THREADS=%s ignored: expected a number from 1 to %d", text,
                   MAX_THREADS);
  *threads = (int)n;
  return true;
}

bool gt_pool_check_environment(gt_error *error) {
  int threads;
  const bool valid = read_environment(&threads, error);
  if (!valid) atomic_store(&was_reported, true);
  return valid;
}

static int threads_of_environment(void) {
  int threads;
  gt_error error = {0};
  if (!read_environment(&threads, &error) && !atomic_exchange(&was_reported, true))
    gt_warn("%s", error.message);
  return threads;
}

static int wanted_threads(int threads, int usable) {
  if (threads <= 0) threads = threads_of_environment();
  if (threads <= 0) threads = usable;
  return threads > MAX_THREADS ? MAX_THREADS : threads;
}

int gt_pool_default_threads(void) { return wanted_threads(0, usable_processors()); }

gt_pool *gt_pool_create(int threads) {
  gt_pool *pool = aligned_alloc(64, sizeof *pool);
  if (!pool) gt_out_of_memory(sizeof *pool);
  const int usable = usable_processors();
  *pool = (gt_pool){.threads = wanted_threads(threads, usable)};
  pool->crowded = pool->threads > usable;
  pool->worker = gt_alloc(sizeof *pool->worker * (size_t)pool->threads);
  pool->scratch = aligned_alloc(64, (size_t)pool->threads * GT_POOL_SCRATCH);
  if (!pool->scratch) gt_out_of_memory((size_t)pool->threads * GT_POOL_SCRATCH);
  while (pool->started < pool->threads - 1 &&
         !gt_thread_start(&pool->worker[pool->started], worker_main, pool))
    pool->started++;
  if (pool->started < pool->threads - 1) {
    gt_warn("only %d of %d threads could be started", pool->started + 1, pool->threads);
    pool->threads = pool->started + 1;
  }
  return pool;
}

void gt_pool_destroy(gt_pool *pool) {
  if (!pool) return;
  atomic_store(&pool->quit, true);
  atomic_fetch_add(&pool->wakeup, 1);
  futex_wake(&pool->wakeup, INT_MAX);
  for (int i = 0; i < pool->started; i++) pthread_join(pool->worker[i], NULL);
  free(pool->scratch);
  free(pool->worker);
  free(pool);
}

int gt_pool_threads(const gt_pool *pool) { return pool ? pool->threads : 1; }

static void wait_for_done(gt_pool *pool) {
  uint32_t done = atomic_load(&pool->done);
  if (!pool->crowded) {
    const uint64_t end = now_ns() + SPIN_NS;
    while (done != pool->tiles && now_ns() < end) {
      for (int i = 0; i < 16 && (done = atomic_load(&pool->done)) != pool->tiles; i++) relax();
    }
  }
  if (done == pool->tiles) return;
  atomic_store(&pool->waiting, 1);
  while ((done = atomic_load(&pool->done)) != pool->tiles) futex_wait(&pool->done, done);
  atomic_store(&pool->waiting, 0);
}

static void run_with_workers(gt_pool *pool, uint32_t tiles, gt_tile_fn fn, void *context) {
  pool->fn = fn;
  pool->context = context;
  pool->tiles = tiles;
  atomic_store(&pool->done, 0);
  const uint64_t run = (atomic_load_explicit(&pool->ticket, memory_order_relaxed) >> 32) + 1;
  atomic_store(&pool->ticket, run << 32 | tiles);
  if (atomic_load(&pool->sleepers)) {
    atomic_fetch_add(&pool->wakeup, 1);
    futex_wake(&pool->wakeup, tiles - 1);
  }
  work(pool);
  wait_for_done(pool);
}

void gt_pool_run(gt_pool *pool, uint32_t tiles, gt_tile_fn fn, void *context) {
  if (pool && !in_tile) scratch = pool->scratch;
  const uint32_t before = set_denormals(true);
  if (!pool || pool->threads == 1 || tiles <= 1 || in_tile)
    for (uint32_t tile = 0; tile < tiles; tile++) fn(context, tile);
  else
    run_with_workers(pool, tiles, fn, context);
  restore_denormals(before);
}

typedef struct ieee_tiles {
  gt_tile_fn fn;
  void *context;
} ieee_tiles;

static void ieee_tile(void *context, uint32_t tile) {
  const ieee_tiles *t = context;
  const uint32_t before = set_denormals(false);
  t->fn(t->context, tile);
  restore_denormals(before);
}

void gt_pool_run_ieee(gt_pool *pool, uint32_t tiles, gt_tile_fn fn, void *context) {
  ieee_tiles t = {fn, context};
  gt_pool_run(pool, tiles, ieee_tile, &t);
}

void gt_pool_run_once(uint32_t tiles, gt_tile_fn fn, void *context) {
  enum { FEW = 4 /* starting threads would cost more than it saves */ };
  gt_pool *pool = tiles > FEW ? gt_pool_create(0) : NULL;
  gt_pool_run_ieee(pool, tiles, fn, context);
  gt_pool_destroy(pool);
}
