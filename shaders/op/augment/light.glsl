/* Grayscale value of an RGB color, with the weights of torchvision. */
float gt_gray(float red, float green, float blue) { return 0.2989 * red + 0.587 * green + 0.114 * blue; }

/* Rotates the hue by `turn` revolutions. The largest and the smallest component are unchanged, and with them the value
 * and the saturation of HSV. */
vec3 gt_turn_hue(vec3 v, float turn) {
  float largest = max(v.x, max(v.y, v.z)), chroma = largest - min(v.x, min(v.y, v.z));
  if (chroma <= 0.0) return v;
  vec3 gap = (largest - v) / chroma;
  float hue = v.x == largest ? gap.z - gap.y : v.y == largest ? 2.0 + gap.x - gap.z : 4.0 + gap.y - gap.x;
  vec3 k = mod(vec3(5.0, 3.0, 1.0) + hue + 6.0 * turn, 6.0);
  return largest - chroma * clamp(min(k, 4.0 - k), 0.0, 1.0);
}
