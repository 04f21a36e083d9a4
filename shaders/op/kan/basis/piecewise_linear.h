/* Linear interpolation between G + 1 points low + i h, i = 0 … G, h = (high - low) / G, with linear extrapolation
 * outside the grid. With j the cell of x, or the nearest cell, and t = u - j: B_j = 1 - t, B_{j+1} = t, all others are
 * 0. */
GT_BASIS(gt_basis_piecewise_linear) {
  REAL cell = GT_FLOOR(u), last = GT_EACH(GT_NUMBER(GT_TERMS - 2u));
  cell = GT_PICK(GT_BELOW(cell, 0.0f), 0.0f, GT_PICK(GT_BELOW(last, cell), last, cell));
  REAL t = u - cell, left = 1.0f - t, right = t;
  if (GT_ORDER == 1u) left = GT_EACH(-1.0f), right = GT_EACH(1.0f);
  if (GT_ORDER >= 2u) left = right = GT_EACH(0.0f);
  REAL y = GT_PICK(GT_SAME(cell, GT_NUMBER(term) - 1.0f), right, 0.0f);
  return GT_PICK(GT_SAME(cell, GT_NUMBER(term)), left, y);
}
/* At most 1 on the grid; outside it the first and the last function grow linearly. */
GT_BASIS_PEAK(gt_basis_piecewise_linear_peak) {
  return GT_LARGER(GT_EACH(1.0f), GT_LARGER(1.0f - least, most - GT_NUMBER(GT_TERMS - 2u)));
}
