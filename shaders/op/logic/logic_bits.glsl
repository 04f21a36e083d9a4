/* Evaluates a gate on words of bits from the code of its algebraic normal form (src/op/logic/logic_bits.h). Define
 * GT_LOGIC_WORDS, the type of the words, before the inclusion; default uint. */
#ifndef GT_LOGIC_BITS_GLSL
#define GT_LOGIC_BITS_GLSL
#ifndef GT_LOGIC_WORDS
#define GT_LOGIC_WORDS uint
#endif

/* A word whose bits are all equal to bit k of the code. */
uint gt_logic_term(uint code, int k) { return uint(bitfieldExtract(int(code), k, 1)); }

/* The gate's outputs for 32 pairs of input bits. */
GT_LOGIC_WORDS gt_logic_of_bits(uint code, GT_LOGIC_WORDS a, GT_LOGIC_WORDS b) {
  uint c0 = gt_logic_term(code, 0), c1 = gt_logic_term(code, 1);
  uint c2 = gt_logic_term(code, 2), c3 = gt_logic_term(code, 3);
  return c0 ^ a & c1 ^ b & (c2 ^ a & c3);
}
#endif
