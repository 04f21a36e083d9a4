/* Thread pool over a fixed grid of tiles. The grid does not depend on the number of threads, and a tile's
 * work does not depend on the thread that runs it, so results have the same bits for any number of threads.
 * One pool per process is enough; runs do not nest. The caller takes part in the work. */
#ifndef GT_BASE_POOL_H
#define GT_BASE_POOL_H
#include "base/error.h"
#include <pthread.h>
#include <stdint.h>

typedef struct gt_pool gt_pool;
typedef void (*gt_tile_fn)(void *context, uint32_t tile);

/* threads <= 0: gt_pool_default_threads. */
gt_pool *gt_pool_create(int threads);
/* Fails if GTRAIN_THREADS is not a number of threads, and leaves it to the caller to report this: there is no
 * warning later. */
bool gt_pool_check_environment(gt_error *error);
/* The value of GTRAIN_THREADS (read only here), else gt_host_threads. */
int gt_pool_default_threads(void);
void gt_pool_destroy(gt_pool *pool); /* accepts NULL */
int gt_pool_threads(const gt_pool *pool);
/* Scratch memory of the calling thread, for tiles whose data does not fit on the stack: GT_POOL_SCRATCH
 * bytes, 64-byte aligned, not cleared, valid until the tile ends. Only inside a run of a pool. */
enum { GT_POOL_SCRATCH = 5 << 19 /* 2.5 MiB; the ops assert that their tiles fit */ };
void *gt_pool_scratch(void);
/* Calls fn(context, tile) once for each tile in [0, tiles); returns when all are done. Tiles treat denormals
 * as zero and produce none, like most GPUs: processors are a hundred times slower on them, and the moments
 * of a parameter without gradient would become denormal. */
void gt_pool_run(gt_pool *pool, uint32_t tiles, gt_tile_fn fn, void *context);
/* The same, but tiles compute with denormals, as code outside a pool does. */
void gt_pool_run_ieee(gt_pool *pool, uint32_t tiles, gt_tile_fn fn, void *context);
/* gt_pool_run_ieee with a pool that is created for this run only; a few tiles run on the calling thread
 * instead. */
void gt_pool_run_once(uint32_t tiles, gt_tile_fn fn, void *context);

/* As pthread_create, but the thread blocks all signals, so that only the main thread handles them (thread.c).
 * Returns its error number, 0 on success. */
int gt_thread_start(pthread_t *thread, void *(*function)(void *), void *context);
#endif
