/* The function that a hard gate computes: the one with the largest logit. */
#ifndef GT_LOGIC_HARD_GLSL
#define GT_LOGIC_HARD_GLSL
/* The index of the largest of a gate's 16 logits, the first one if several are equal. */
uint gt_first_largest(GT_FLOATS from, uint gate) {
  uint best = 0u;
  for (uint k = 1u; k < 16u; k++)
    if (from.at[16u * gate + k] > from.at[16u * gate + best]) best = k;
  return best;
}
#endif
