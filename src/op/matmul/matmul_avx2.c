/* CPU GEMM tile for AVX2 and FMA: matmul_vector.h with blocks of 6 x 16 sums in 12 of the 16 registers. */
#if defined __x86_64__
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define GT_TARGET __attribute__((target("avx2,fma")))
enum { LANES = 8, ROWS = 6 };
#define VECTORS 2
typedef __m256 vector;
typedef __m256i mask;
#define zero()                 _mm256_setzero_ps()
#define load(p)                _mm256_loadu_ps(p)
#define store(p, x)            _mm256_storeu_ps(p, x)
#define broadcast(p)           _mm256_broadcast_ss(p)
#define fused(x, y, z)         _mm256_fmadd_ps(x, y, z)
#define sum(x, y)              _mm256_add_ps(x, y)
#define mask_of(n)             lanes_below(n)
#define load_part(p, part)     _mm256_maskload_ps(p, part)
#define store_part(p, part, x) _mm256_maskstore_ps(p, part, x)
#define COMMA                  ,
#define EACH_ROWS(X, S)        X(1) S X(2) S X(3) S X(4) S X(5) S X(6)
#define TILE                   gt_matmul_tile_avx2
#include "op/matmul/matmul_vector.h"
#endif
