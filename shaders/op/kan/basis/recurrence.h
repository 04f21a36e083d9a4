/* Orthogonal polynomials: P_0 = 1, P_{n+1} = (A u + B) P_n - C P_{n-1}, with A, B and C given as expressions in
 * n; C counts from n = 1 on. */
#define GT_RECURRENCE(A, B, C)                                                                      \
  REAL last[3], now[3], next[3]; /* of P_{n-1}, P_n, P_{n+1}: value, first and second derivative */ \
  now[0] = GT_EACH(1.0f);                                                                           \
  now[1] = now[2] = last[0] = last[1] = last[2] = GT_EACH(0.0f);                                    \
  GT_UNROLL for (uint n = 0u; n < term; n++) {                                                      \
    float a = A, b = B, c = n == 0u ? 0.0f : C;                                                     \
    REAL line = a * u + b;                                                                          \
    next[0] = line * now[0] - c * last[0];                                                          \
    next[1] = a * now[0] + line * now[1] - c * last[1];                                             \
    next[2] = 2.0f * a * now[1] + line * now[2] - c * last[2];                                      \
    last[0] = now[0];                                                                               \
    last[1] = now[1];                                                                               \
    last[2] = now[2];                                                                               \
    now[0] = next[0];                                                                               \
    now[1] = next[1];                                                                               \
    now[2] = next[2];                                                                               \
  }                                                                                                 \
  return GT_ORDER == 0u ? now[0] : GT_ORDER == 1u ? now[1] : now[2];
