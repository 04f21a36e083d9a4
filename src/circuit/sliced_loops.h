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
