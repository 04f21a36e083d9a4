/* Thread pool over a fixed grid of tiles. The grid never depends on the number of threads, and a tile's work
 * never depends on which thread runs it, so that results have the same bits for any number of threads. One
 * pool per process is enough; runs do not nest. The caller takes part in the work. */
#ifndef GT_BASE_POOL_H
#define GT_BASE_POOL_H
#include <stdint.h>

typedef struct gt_pool gt_pool;
typedef void (*gt_tile_fn)(void *context, uint32_t tile);

/* threads <= 0: as GTRAIN_THREADS says (the only place that reads it), or as many as this process may use. */
gt_pool *gt_pool_create(int threads);
int gt_pool_default_threads(void);   /* that many */
void gt_pool_destroy(gt_pool *pool); /* accepts NULL */
int gt_pool_threads(const gt_pool *pool);
/* Memory of the calling thread, for a tile whose work does not fit the stack: GT_POOL_SCRATCH bytes, aligned
 * to 64 and not cleared, until the tile ends. Only within a run of a pool. */
enum { GT_POOL_SCRATCH = 5 << 19 };
void *gt_pool_scratch(void);
/* Calls fn(context, tile) once for each tile in [0, tiles); returns when all are done. Denormals count as
 * zero in tiles and none come out of them, as on most GPUs: processors work on them a hundred times slower,
 * and the moments of a parameter without gradient end in them. */
void gt_pool_run(gt_pool *pool, uint32_t tiles, gt_tile_fn fn, void *context);
#endif
