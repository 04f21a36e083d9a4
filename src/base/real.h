/* Real functions that C lacks, in double: the reference semantics of instructions
 * (shaders/lib/opcodes.h). */
#ifndef GT_BASE_REAL_H
#define GT_BASE_REAL_H
#include <math.h>

static inline double gt_real_sigmoid(double x) { return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)); }

static inline double gt_real_mod(double a, double b) { /* has the sign of the divisor */
  const double r = fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
#endif
