/* Benchmarks of a machine as rows of a table: GEMM, memory, launches, and the reference training step. Rows
 * that would take too long or too much memory are skipped and contain the reason. Owner of a table: its
 * caller, who frees `items`. */
#ifndef GT_TRAIN_BENCH_TABLE_H
#define GT_TRAIN_BENCH_TABLE_H
#include "train/bench/bench.h"

typedef struct gt_bench_row {
  const char *device; /* the label that gt_bench_table_device was given */
  char name[48];
  const char *unit;
  bool less_is_better;
  double median, min, max; /* in the unit */
  char skipped[64];        /* reason; "" if the row was measured */
} gt_bench_row;

typedef struct gt_bench_table {
  gt_bench_row *items;
  size_t count, capacity;
  double seconds;                 /* time for one row */
  void (*tell)(const char *what); /* called before each row with its name; NULL: not called */
} gt_bench_table;

/* Measures a device (as in gt_backend_open) under this label. */
bool gt_bench_table_device(gt_bench_table *table, const char *label, const char *device, gt_error *error);
/* The factor by which the row is better than `other`, which has the same unit; 0: one of them was skipped. */
double gt_bench_ratio(const gt_bench_row *row, const gt_bench_row *other);
/* True if the ranges from min to max do not overlap. */
bool gt_bench_ranges_differ(const gt_bench_row *row, const gt_bench_row *other);

/* Limits of a device, measured: the best rate of a GEMM, the bandwidth of a copy, and the time of a kernel
 * on one value with a barrier. */
typedef struct gt_bench_ceilings {
  double flops, bytes; /* per microsecond */
  double launch;       /* microseconds */
} gt_bench_ceilings;
bool gt_bench_measure_ceilings(gt_backend *backend, gt_bench_ceilings *ceilings, gt_error *error);
typedef enum gt_bench_bound { GT_BOUND_LAUNCH, GT_BOUND_PRODUCTS, GT_BOUND_MEMORY } gt_bench_bound;
/* The shortest possible time for this work, in microseconds, and which limit determines it. */
double gt_bench_min_time(const gt_bench_ceilings *ceilings, double flops, double bytes,
                         gt_bench_bound *bound);
#endif
