/* What a machine can do, as rows of a table: products, memory, launches, and the reference training step. A
 * row that would take too long, or more memory than there is, is left out with a word. Owner of a table: its
 * caller, who frees items. */
#ifndef GT_TRAIN_BENCH_TABLE_H
#define GT_TRAIN_BENCH_TABLE_H
#include "train/bench.h"

typedef struct gt_bench_row {
  const char *device; /* the label that gt_bench_table_device was given */
  char name[48];
  const char *unit;
  bool less_is_better;
  double median, min, max; /* in the unit */
  char skipped[64];        /* why there are no figures; "" if there are */
} gt_bench_row;

typedef struct gt_bench_table {
  gt_bench_row *items;
  size_t count, capacity;
  double seconds;                 /* that a row should take */
  void (*tell)(const char *what); /* is told what is being measured; NULL: nobody */
} gt_bench_table;

/* Measures a device (as in gt_backend_open) under this label. */
bool gt_bench_table_device(gt_bench_table *table, const char *label, const char *device, gt_error *error);
/* Better by so many times than the other one, which has the same unit; 0: one of them was left out. */
double gt_bench_ratio(const gt_bench_row *row, const gt_bench_row *other);
/* Do the spreads of both leave a gap between them? */
bool gt_bench_outside(const gt_bench_row *row, const gt_bench_row *other);

/* What no kernel of a device can beat, measured now: the best rate of a product, the bandwidth of a copy, and
 * how long an empty kernel takes that is waited for. */
typedef struct gt_bench_ceilings {
  double flops, bytes; /* per microsecond */
  double launch;       /* microseconds */
} gt_bench_ceilings;
bool gt_bench_measure_ceilings(gt_backend *backend, gt_bench_ceilings *ceilings, gt_error *error);
typedef enum gt_bench_bound { GT_BOUND_LAUNCH, GT_BOUND_PRODUCTS, GT_BOUND_MEMORY } gt_bench_bound;
/* Microseconds that such work takes at least. */
double gt_bench_floor(const gt_bench_ceilings *ceilings, double flops, double bytes, gt_bench_bound *bound);
#endif
