/* Included by sliced_run.c once for each instruction set, with NAME(x) and TARGET defined. The compiler
 * lowers vectors before it inlines functions, so each set needs its own functions. */

TARGET static void NAME(run)(const gt_sliced *sliced, uint64_t *memory) {
  vector *v = (vector *)memory;
  const instruction *i = sliced->code;
#define ROW(expression)                    \
  for (; i < end; i++) {                   \
    const vector a = v[i->a], b = v[i->b]; \
    v[i->to] = expression;                 \
  }                                        \
  break
#define UNARY_ROW(source, expression) \
  for (; i < end; i++) {              \
    const vector x = v[i->source];    \
    v[i->to] = expression;            \
  }                                   \
  break
  for (size_t r = 0; r < sliced->rows.count; r++) {
    const instruction *const end = i + sliced->rows.items[r].count;
    switch (sliced->rows.items[r].op) {
    case GT_GATE_AND: ROW(a & b);
    case GT_GATE_A_NOT_B: ROW(a & ~b);
    case GT_GATE_NOT_A_B: ROW(~a & b);
    case GT_GATE_XOR: ROW(a ^ b);
    case GT_GATE_OR: ROW(a | b);
    case GT_GATE_NOR: ROW(~(a | b));
    case GT_GATE_XNOR: ROW(~(a ^ b));
    case GT_GATE_A_OR_NOT_B: ROW(a | ~b);
    case GT_GATE_NOT_A_OR_B: ROW(~a | b);
    case GT_GATE_NAND: ROW(~(a & b));
    case GT_GATE_A: UNARY_ROW(a, x);
    case GT_GATE_B: UNARY_ROW(b, x);
    case GT_GATE_NOT_A: UNARY_ROW(a, ~x);
    case GT_GATE_NOT_B: UNARY_ROW(b, ~x);
    case GT_GATE_FALSE:
      for (; i < end; i++) v[i->to] = (vector){0};
      break;
    default:
      for (; i < end; i++) v[i->to] = ~(vector){0};
      break;
    }
  }
#undef ROW
#undef UNARY_ROW
}

/* Carry-save adders: eight bits at a time produce a carry of weight eight, so the carry must ripple through
 * the higher planes only once per eight bits. */
TARGET static void NAME(count)(const gt_sliced *sliced, const uint64_t *memory, size_t k, uint64_t *planes) {
  const vector *v = (const vector *)memory;
  const size_t size = sliced->outputs / sliced->groups;
  const uint32_t *o = sliced->output + k * size, *const end = o + size;
  const int plane_count = sliced->planes;
  vector *plane = (vector *)planes, ones = {0}, twos = {0}, fours = {0};
  for (int p = 0; p < plane_count; p++) plane[p] = (vector){0};
#define ADD(high, low, x, y)                        \
  do {                                              \
    const vector x_ = (x), y_ = (y), u_ = low ^ x_; \
    high = (low & x_) | (u_ & y_);                  \
    low = u_ ^ y_;                                  \
  } while (0)
  for (; end - o >= 8; o += 8) {
    vector two_a, two_b, four_a, four_b, carry;
    ADD(two_a, ones, v[o[0]], v[o[1]]);
    ADD(two_b, ones, v[o[2]], v[o[3]]);
    ADD(four_a, twos, two_a, two_b);
    ADD(two_a, ones, v[o[4]], v[o[5]]);
    ADD(two_b, ones, v[o[6]], v[o[7]]);
    ADD(four_b, twos, two_a, two_b);
    ADD(carry, fours, four_a, four_b);
    for (int p = 3; p < plane_count; p++) {
      const vector old = plane[p];
      plane[p] = old ^ carry;
      carry &= old;
    }
  }
#undef ADD
  plane[0] = ones;
  if (plane_count > 1) plane[1] = twos;
  if (plane_count > 2) plane[2] = fours;
  for (; o < end; o++) {
    vector carry = v[*o];
    for (int p = 0; p < plane_count; p++) {
      const vector old = plane[p];
      plane[p] = old ^ carry;
      carry &= old;
    }
  }
}

TARGET static void NAME(choose)(int planes, const uint64_t *count, uint64_t *best, uint64_t *class_planes,
                                uint32_t k) {
  const vector *c = (const vector *)count;
  vector *b = (vector *)best, *to = (vector *)class_planes, more = {0};
  /* more: a bit for each sample with count > best, compared from the lowest bit up. */
  for (int p = 0; p < planes; p++) more = (c[p] & ~b[p]) | (~(c[p] ^ b[p]) & more);
  for (int p = 0; p < planes; p++) b[p] = (more & c[p]) | (~more & b[p]);
  for (int p = 0; p < GT_COUNT_PLANES; p++) to[p] = k >> p & 1 ? to[p] | more : to[p] & ~more;
}
