/* CPU GEMM tile for AVX-512: matmul_vector.h, with blocks of 12 x 32 or 6 x 64 sums in 24 of 32 registers. */
#if defined __x86_64__
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define GT_TARGET __attribute__((target("avx512f,avx2,fma")))
enum { LANES = 16, ROWS = 12 };
#define VECTORS 4
typedef __m512 vector;
typedef __mmask16 mask;
#define zero()                 _mm512_setzero_ps()
#define load(p)                _mm512_loadu_ps(p)
#define store(p, x)            _mm512_storeu_ps(p, x)
#define broadcast(p)           _mm512_set1_ps(*(p))
#define fused(x, y, z)         _mm512_fmadd_ps(x, y, z)
#define sum(x, y)              _mm512_add_ps(x, y)
#define mask_of(n)             ((__mmask16)((1u << (n)) - 1))
#define load_part(p, part)     _mm512_maskz_loadu_ps(part, p)
#define store_part(p, part, x) _mm512_mask_storeu_ps(p, part, x)
#define COMMA                  ,
#define EACH_ROWS(X, S)        X(1) S X(2) S X(3) S X(4) S X(5) S X(6) S X(7) S X(8) S X(9) S X(10) S X(11) S X(12)
#define EACH_HALF(X, S)        X(1) S X(2) S X(3) S X(4) S X(5) S X(6)
#define TILE                   gt_matmul_tile_avx512
#include "op/matmul/matmul_vector.h"
#endif
