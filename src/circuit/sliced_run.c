/* The interpreter's loops for each instruction set, chosen at run time. */
#include "circuit/sliced_internal.h"

/* may_alias: callers access the same memory as uint64_t. */
typedef uint64_t vector __attribute__((vector_size(64), may_alias));
_Static_assert(sizeof(vector) == 8 * GT_BLOCK_WORDS, "a block is one vector");

#define TARGET
#define NAME(x) x##_generic
#include "circuit/sliced_loops.h"
#undef TARGET
#undef NAME

#if defined(__x86_64__) && defined(__GNUC__)
#define TARGET  __attribute__((target("avx2")))
#define NAME(x) x##_avx2
#include "circuit/sliced_loops.h"
#undef TARGET
#undef NAME

#define TARGET  __attribute__((target("avx512f")))
#define NAME(x) x##_avx512
#include "circuit/sliced_loops.h"
#undef TARGET
#undef NAME

gt_sliced_loops *gt_sliced_loops_at(int index) {
  if (__builtin_cpu_supports("avx512f") && index-- == 0) return run_avx512;
  if (__builtin_cpu_supports("avx2") && index-- == 0) return run_avx2;
  return index ? NULL : run_generic;
}
#else
gt_sliced_loops *gt_sliced_loops_at(int index) { return index ? NULL : run_generic; }
#endif
