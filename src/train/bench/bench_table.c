#include "train/bench/bench_table.h"
#include "base/memory.h"
#include "base/time.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A row is skipped if a single replay would take longer than gt_bench_table.seconds times this. */
static const double max_ratio = 1.5;
/* KERNELS: of a chain; VALUES: of an elementwise kernel; GROWTH: of the work, from one size to the next. */
enum { KERNELS = 256, VALUES = 32 << 20, GROWTH = 8 };
static const int64_t product_sizes[] = {512, 1024, 2048, 4096, 8192};
enum { PRODUCT_SIZES = sizeof product_sizes / sizeof *product_sizes };

typedef struct bench {
  gt_bench_table *table;
  gt_backend *backend;
  const char *label;
} bench;

__attribute__((format(printf, 3, 4))) static gt_bench_row *start_row(const bench *b, const char *unit,
                                                                     const char *format, ...) {
  gt_bench_row *row = GT_PUSH(b->table);
  *row = (gt_bench_row){.device = b->label, .unit = unit};
  va_list list;
  va_start(list, format);
  vsnprintf(row->name, sizeof row->name, format, list);
  va_end(list);
  if (b->table->tell) b->table->tell(row->name);
  return row;
}

/* Sets the row to work per microsecond. Work in thousands of FLOPs or bytes gives GFLOP/s or GB/s. */
static void set_rate(gt_bench_row *row, double work, const gt_bench_time *time) {
  row->median = work / time->median;
  row->min = work / time->max;
  row->max = work / time->min;
}

/* Sets the row to microseconds per kernel. */
static void set_time(gt_bench_row *row, double count, const gt_bench_time *time) {
  row->less_is_better = true;
  row->median = time->median / count;
  row->min = time->min / count;
  row->max = time->max / count;
}

/* False after an error other than a lack of memory, for which it marks the row as skipped. */
static bool ok_or_skipped(gt_bench_row *row, bool ok, gt_error *error) {
  if (ok || error->status != GT_ERR_MEMORY) return ok;
  snprintf(row->skipped, sizeof row->skipped, "not enough memory");
  *error = (gt_error){0};
  return true;
}

/* True if the next size, with GROWTH times the work, would take too long; marks its row as skipped. *last:
 * microseconds of the previous size, measured or, if it was skipped, estimated; 0: unknown. */
static bool too_slow(const bench *b, gt_bench_row *row, double *last) {
  const double seconds = 1e-6 * GROWTH * *last;
  if (seconds <= max_ratio * b->table->seconds) return false;
  char each[32];
  snprintf(row->skipped, sizeof row->skipped, "skipped, about %s each", gt_duration(seconds, each));
  *last *= GROWTH;
  return true;
}

static bool bench_product(const bench *b, const gt_bench_precision *precision, gt_error *error) {
  double last = 0;
  for (int i = 0; i < PRODUCT_SIZES; i++) {
    const int64_t n = product_sizes[i];
    gt_bench_row *row = start_row(b, "GFLOP/s", "product %lld, %s", (long long)n, precision->name);
    gt_bench_time time = {0};
    if (too_slow(b, row, &last)) continue;
    if (!ok_or_skipped(row, gt_bench_gemm(b->backend, precision, n, n, n, b->table->seconds, &time, error),
                       error))
      return false;
    if (*row->skipped) continue;
    set_rate(row, 2e-3 * (double)(n * n * n), &time);
    last = time.median;
  }
  return true;
}

static bool bench_products(const bench *b, gt_error *error) {
  const gt_bench_precision *precision;
  const int count = gt_bench_precisions(&b->backend->target, &precision);
  for (int i = 0; i < count; i++)
    if (!bench_product(b, &precision[i], error)) return false;
  return true;
}

static bool bench_memory(const bench *b, gt_error *error) {
  static const char *const name[] = {"copy", "2x + 1", "gelu"};
  for (gt_bench_map map = GT_BENCH_COPY; map <= GT_BENCH_GELU; map++) {
    gt_bench_row *row = start_row(b, "GB/s", "%s, %d M values", name[map], VALUES >> 20);
    gt_bench_time time = {1, 1, 1, 1, 1}; /* set_rate divides by it even if the row is skipped */
    if (!ok_or_skipped(row, gt_bench_elementwise(b->backend, map, VALUES, b->table->seconds, &time, error),
                       error))
      return false;
    set_rate(row, 8e-3 * VALUES, &time); /* a read and a write of 4 bytes per value */
  }
  return true;
}

static bool bench_launches(const bench *b, gt_error *error) {
  gt_bench_time independent, chain, single;
  gt_bench_row *row = start_row(b, "us", "dispatch, independent kernels");
  if (!gt_bench_chain(b->backend, KERNELS, false, b->table->seconds, &independent, error)) return false;
  set_time(row, KERNELS, &independent);
  row = start_row(b, "us", "dispatch and barrier, dependent kernels");
  if (!gt_bench_chain(b->backend, KERNELS, true, b->table->seconds, &chain, error)) return false;
  set_time(row, KERNELS, &chain);
  if (b->backend->target.device) {
    row = start_row(b, "us", "barrier (the difference)");
    const gt_bench_time difference = {chain.median - independent.median, chain.min - independent.max,
                                      chain.max - independent.min};
    set_time(row, KERNELS, &difference);
  }
  row = start_row(b, "us", "submit one kernel and wait");
  if (!gt_bench_submission(b->backend, &single, error)) return false;
  set_time(row, 1, &single);
  return true;
}

/* Opens a session on the device of the other rows. */
static bool open_session(gt_session *session, gt_config *config, const char *device, gt_error *error) {
  gt_session_begin(session, config);
  gt_backend *backend = gt_backend_open(device, 0, error);
  if (backend) gt_session_start(session, backend);
  return backend;
}

static bool bench_reference(const char *device, int64_t batch, double seconds, gt_bench_time *time,
                            gt_error *error) {
  gt_arena arena;
  gt_config config;
  gt_session session = {0};
  gt_executable *executable;
  gt_arena_init(&arena);
  const bool ok = gt_bench_reference(&config, &arena, batch, error) &&
                  open_session(&session, &config, device, error) &&
                  gt_bench_open(&session, &executable, error) &&
                  gt_bench_within(session.backend, executable, seconds, time, error);
  gt_session_close(&session);
  gt_config_finish(&config);
  gt_arena_finish(&arena);
  return ok;
}

static bool bench_references(const bench *b, const char *device, gt_error *error) {
  double last = 0;
  for (int64_t batch = 128; batch <= 8192; batch *= GROWTH) {
    gt_bench_row *row = start_row(b, "us", "MLP 784-512-256-10 step, batch %lld", (long long)batch);
    gt_bench_time time = {0};
    row->less_is_better = true;
    if (too_slow(b, row, &last)) continue;
    if (!ok_or_skipped(row, bench_reference(device, batch, b->table->seconds, &time, error), error))
      return false;
    set_time(row, 1, &time);
    last = time.median;
  }
  return true;
}

bool gt_bench_table_device(gt_bench_table *table, const char *label, const char *device, gt_error *error) {
  bench b = {.table = table, .label = label};
  b.backend = gt_backend_open(device, 0, error);
  const bool ok =
      b.backend && bench_products(&b, error) && bench_memory(&b, error) && bench_launches(&b, error);
  gt_backend_close(b.backend); /* a session opens its own */
  return ok && bench_references(&b, device, error);
}

double gt_bench_ratio(const gt_bench_row *row, const gt_bench_row *other) {
  if (*row->skipped || *other->skipped || !(row->median > 0) || !(other->median > 0)) return 0;
  return row->less_is_better ? other->median / row->median : row->median / other->median;
}

bool gt_bench_ranges_differ(const gt_bench_row *row, const gt_bench_row *other) {
  return row->min > other->max || row->max < other->min;
}

/* --- ceilings --- */

static const double ceiling_seconds = 0.25;

/* The best rate over all precisions and sizes that take at most a tenth of a second each. */
static bool best_product(gt_backend *backend, double *best, gt_error *error) {
  static const double max_seconds = 0.1;
  const gt_bench_precision *precision;
  const int count = gt_bench_precisions(&backend->target, &precision);
  for (int p = 0; p < count; p++) {
    gt_bench_time time = {0};
    for (int i = 0; i < PRODUCT_SIZES && 1e-6 * GROWTH * time.median <= max_seconds; i++) {
      const int64_t n = product_sizes[i];
      if (!gt_bench_gemm(backend, &precision[p], n, n, n, ceiling_seconds, &time, error)) {
        if (error->status != GT_ERR_MEMORY || *best == 0) return false;
        *error = (gt_error){0};
        break;
      }
      const double rate = 2.0 * (double)(n * n * n) / time.min;
      if (rate > *best) *best = rate;
    }
  }
  return true;
}

/* Copies VALUES values or, while memory is short, half as many (at least 2^20): more than caches hold. */
static bool best_copy(gt_backend *backend, double *best, gt_error *error) {
  for (int64_t values = VALUES; values >= 1 << 20; values /= 2) {
    gt_bench_time time;
    if (gt_bench_elementwise(backend, GT_BENCH_COPY, values, ceiling_seconds, &time, error)) {
      *best = 8.0 * (double)values / time.min;
      return true;
    }
    if (error->status != GT_ERR_MEMORY) return false;
    *error = (gt_error){0};
  }
  return gt_fail(error, GT_ERR_MEMORY, "out of memory: cannot measure the bandwidth of a copy");
}

bool gt_bench_measure_ceilings(gt_backend *backend, gt_bench_ceilings *ceilings, gt_error *error) {
  gt_bench_time chain;
  *ceilings = (gt_bench_ceilings){0};
  if (!best_product(backend, &ceilings->flops, error) || !best_copy(backend, &ceilings->bytes, error) ||
      !gt_bench_chain(backend, KERNELS, true, ceiling_seconds, &chain, error))
    return false;
  ceilings->launch = chain.min / KERNELS;
  return true;
}

double gt_bench_min_time(const gt_bench_ceilings *ceilings, double flops, double bytes,
                         gt_bench_bound *bound) {
  const double least[] = {[GT_BOUND_LAUNCH] = ceilings->launch,
                          [GT_BOUND_PRODUCTS] = flops / ceilings->flops,
                          [GT_BOUND_MEMORY] = bytes / ceilings->bytes};
  *bound = GT_BOUND_LAUNCH;
  for (gt_bench_bound b = GT_BOUND_PRODUCTS; b <= GT_BOUND_MEMORY; b++)
    if (least[b] > least[*bound]) *bound = b;
  return least[*bound];
}
