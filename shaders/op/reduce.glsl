/* Shared by the kernels of reduce.h. Include after lib/program.glsl and KIND; values have type V. */
V start() {
  V value = V(0.0);
  if (KIND == GT_REDUCE_MAX) value = V(-gt_infinity());
  if (KIND == GT_REDUCE_MIN) value = V(gt_infinity());
  return value;
}

V join(V a, V b) {
  V value = a + b;
  if (KIND == GT_REDUCE_FINITE) value = max(a, b);
  if (KIND == GT_REDUCE_MAX) value = gt_max(a, b);
  if (KIND == GT_REDUCE_MIN) value = gt_min(a, b);
  return value;
}

V element(uint o, uint n, uint r);

/* Reduces r, r + step, … below `end` for output row o, inner element n, in this order, with four loads in flight: one
 * load per invocation does not saturate memory. */
V reduce_range(uint o, uint n, uint r, uint end, uint step) {
  V value = start();
  for (; r + 3u * step < end; r += 4u * step) {
    V a = element(o, n, r), b = element(o, n, r + step);
    V c = element(o, n, r + 2u * step), d = element(o, n, r + 3u * step);
    value = join(join(join(join(value, a), b), c), d);
  }
  for (; r < end; r += step) value = join(value, element(o, n, r));
  return value;
}
