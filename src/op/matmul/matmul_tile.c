/* CPU GEMM tiles: chooses our AVX2 or AVX-512 kernel, or OpenBLAS ("portable"). */
#include "op/matmul/matmul_tile.h"
#include "base/log.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef enum level { UNKNOWN, PORTABLE, AVX2, AVX512, LEVELS } level;

static const char *const names[LEVELS] = {[PORTABLE] = "portable", [AVX2] = "avx2", [AVX512] = "avx512"};

static level of_processor(void) {
#if defined __x86_64__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return PORTABLE;
  return __builtin_cpu_supports("avx512f") ? AVX512 : AVX2;
#else
  return PORTABLE;
#endif
}

/* GTRAIN_CPU can lower the level, but not raise it above that of the processor. */
static level chosen(void) {
  const level best = of_processor();
  const char *text = getenv("GTRAIN_CPU");
  if (!text || !*text) return best;
  for (level l = PORTABLE; l < LEVELS; l++)
    if (!strcmp(text, names[l])) return l < best ? l : best;
  gt_warn("GTRAIN_CPU=%s ignored: expected portable, avx2 or avx512", text);
  return best;
}

static level present_level(void) {
  static _Atomic level known; /* all threads compute the same value, so any of them may store it */
  level now = atomic_load_explicit(&known, memory_order_relaxed);
  if (now == UNKNOWN) atomic_store_explicit(&known, now = chosen(), memory_order_relaxed);
  return now;
}

const char *gt_matmul_instructions(void) { return names[present_level()]; }

gt_matmul_tile *gt_matmul_own_tile(uint32_t m) {
  enum { FEW_ROWS = 8 }; /* with fewer OpenBLAS is faster */
  const level now = present_level();
#if defined __x86_64__
  if (m >= FEW_ROWS) return now == AVX512 ? gt_matmul_tile_avx512 : now == AVX2 ? gt_matmul_tile_avx2 : NULL;
#endif
  (void)m;
  return NULL;
}
