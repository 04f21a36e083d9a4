/* Philox4x32-10: the same bits as src/base/philox.h, which explains the use of key and counter. */
#ifndef GT_PHILOX_GLSL
#define GT_PHILOX_GLSL
const uint GT_PURPOSE_SHUFFLE = 1u, GT_PURPOSE_AUGMENT = 7u, GT_PURPOSE_BALANCE = 8u;

uvec4 gt_philox4x32(uvec4 counter, uvec2 key) {
  for (int i = 0; i < 10; i++) {
    uint high0, low0, high1, low1;
    umulExtended(0xD2511F53u, counter.x, high0, low0);
    umulExtended(0xCD9E8D57u, counter.z, high1, low1);
    counter = uvec4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key += uvec2(0x9E3779B9u, 0xBB67AE85u);
  }
  return counter;
}

/* Uniform in [0, 1): the random numbers 4 * block … 4 * block + 3 of a step for this purpose. */
vec4 gt_random_block(uvec2 seed, uint purpose, uint step, uint block) {
  uvec4 bits = gt_philox4x32(uvec4(block, step, purpose, 0x67747261u), seed);
  return vec4(bits >> 8u) * 5.9604644775390625e-8; /* 2^-24 */
}

/* Permutation of 0 … n - 1 by a Feistel network with `rounds` rounds: the image of `index`. Images from n on are
 * permuted again until one is less than n. */
uint gt_feistel_index(uint index, uint n, uvec2 seed, uint epoch, uint rounds) {
  uint bits = uint(findMSB(n - 1u)) + 1u;
  uint half_bits = max((bits + 1u) / 2u, 1u);
  uint mask = (1u << half_bits) - 1u;
  do {
    uint left = index >> half_bits, right = index & mask;
    for (uint i = 0u; i < rounds; i++) {
      uvec4 draw = gt_philox4x32(uvec4(right, epoch, GT_PURPOSE_SHUFFLE, i), seed);
      uint mixed = left ^ (draw.x & mask);
      left = right;
      right = mixed;
    }
    index = left << half_bits | right;
  } while (index >= n);
  return index;
}

/* Another permutation of 0 … n - 1, by n random swaps (Fisher and Yates), for small n: the image of `place`. */
uint gt_swapped_index(uint place, uint n, uvec2 seed, uint epoch) {
  uvec4 words = uvec4(0u);
  for (uint j = 0u; j < n; j++) {
    if (j % 4u == 0u) words = gt_philox4x32(uvec4(j / 4u, epoch, GT_PURPOSE_SHUFFLE, 0x67747261u), seed);
    uint drawn, low;
    umulExtended(words[j % 4u], j + 1u, drawn, low);
    place = place == j ? drawn : place == drawn ? j : place;
  }
  return place;
}

/* The position in the data of the index-th sample of an epoch. The same permutation as gt_shuffle_index in C. */
uint gt_shuffle_index(uint index, uint n, uvec2 seed, uint epoch) {
  if (n <= 16u) return gt_swapped_index(index, n, seed, epoch);
  return gt_feistel_index(index, n, seed, epoch, n <= 256u ? 8u : 4u);
}
#endif
