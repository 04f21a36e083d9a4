/* The grey of red, green and blue, as torchvision has it. */
float gt_grey(float red, float green, float blue) { return 0.2989 * red + 0.587 * green + 0.114 * blue; }

/* The hue turned, 1 is once around; the largest and the least of the three values stay (HSV). */
vec3 gt_turn_hue(vec3 v, float turn) {
  float most = max(v.x, max(v.y, v.z)), chroma = most - min(v.x, min(v.y, v.z));
  if (chroma <= 0.0) return v;
  vec3 part = (most - v) / chroma;
  float hue = v.x == most ? part.z - part.y : v.y == most ? 2.0 + part.x - part.z : 4.0 + part.y - part.x;
  vec3 k = mod(vec3(5.0, 3.0, 1.0) + hue + 6.0 * turn, 6.0);
  return most - chroma * clamp(min(k, 4.0 - k), 0.0, 1.0);
}
