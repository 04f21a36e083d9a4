/* Shared by the kernels of reduce.h. Include after lib/program.glsl and the constant KIND; values have type V. */
V neutral() {
  V value = V(0.0);
  if (KIND == GT_REDUCE_MAX) value = V(-gt_infinity());
  if (KIND == GT_REDUCE_MIN) value = V(gt_infinity());
  return value;
}

V combine(V a, V b) {
  V value = a + b;
  if (KIND == GT_REDUCE_FINITE) value = max(a, b);
  if (KIND == GT_REDUCE_MAX) value = gt_max(a, b);
  if (KIND == GT_REDUCE_MIN) value = gt_min(a, b);
  return value;
}

/* The value at (o, r, n), defined by the kernel. */
V element(uint o, uint r, uint n);

/* Reduces the values at (o, r, n), (o, r + step, n), … below (o, end, n), in this order, with four loads in flight: one
 * load per invocation does not saturate memory. */
V reduce_range(uint o, uint r, uint n, uint end, uint step) {
  V value = neutral();
  for (; r + 3u * step < end; r += 4u * step) {
    V a = element(o, r, n), b = element(o, r + step, n);
    V c = element(o, r + 2u * step, n), d = element(o, r + 3u * step, n);
    value = combine(combine(combine(combine(value, a), b), c), d);
  }
  for (; r < end; r += step) value = combine(value, element(o, r, n));
  return value;
}
