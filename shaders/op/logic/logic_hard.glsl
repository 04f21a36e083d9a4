/* What a gate is when it is no mixture. */
#ifndef GT_LOGIC_HARD_GLSL
#define GT_LOGIC_HARD_GLSL
/* The number of the first largest of a gate's 16 logits. */
uint gt_first_largest(GT_FLOATS from, uint gate) {
  uint best = 0u;
  for (uint k = 1u; k < 16u; k++)
    if (from.at[16u * gate + k] > from.at[16u * gate + best]) best = k;
  return best;
}
#endif
