/* Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3",
 * SC 2011). shaders/lib/philox.glsl computes the same bits. A value depends only on (seed, purpose, step,
 * element): no state is stored, and order, threads and device do not matter. */
#ifndef GT_BASE_PHILOX_H
#define GT_BASE_PHILOX_H
#include <stdint.h>

typedef struct gt_philox {
  uint32_t v[4];
} gt_philox;

static inline gt_philox gt_philox4x32(const uint32_t counter[4], uint32_t key0, uint32_t key1) {
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  for (int round = 0; round < 10; round++) {
    uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
    c0 = (uint32_t)(p1 >> 32) ^ c1 ^ key0;
    c1 = (uint32_t)p1;
    c2 = (uint32_t)(p0 >> 32) ^ c3 ^ key1;
    c3 = (uint32_t)p0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return (gt_philox){{c0, c1, c2, c3}};
}

/* Four words for elements 4*block … 4*block+3 of draw (seed, purpose, step). */
static inline gt_philox gt_philox_block(uint64_t seed, uint32_t purpose, uint32_t step, uint32_t block) {
  const uint32_t counter[4] = {block, step, purpose, 0x67747261u}; /* "gtra" in ASCII */
  return gt_philox4x32(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
}

static inline uint32_t gt_random_bits(uint64_t seed, uint32_t purpose, uint32_t step, uint32_t element) {
  return gt_philox_block(seed, purpose, step, element / 4).v[element % 4];
}

/* Uniform in [0, 1): the top 24 bits, exact in float. */
static inline float gt_random_uniform(uint64_t seed, uint32_t purpose, uint32_t step, uint32_t element) {
  return (float)(gt_random_bits(seed, purpose, step, element) >> 8) * 0x1p-24f;
}

/* Purposes separate the streams of one seed. Below 16: fixed uses (4 to 6: automaton/simulation.c); from 16
 * on: `random` nodes, numbered by the graph; from 1u<<16 on: initial values of parameters, by a hash of the
 * parameter's name. */
enum {
  GT_PURPOSE_SHUFFLE = 1,
  GT_PURPOSE_SPLIT = 2,
  GT_PURPOSE_SAMPLE = 3,
  GT_PURPOSE_AUGMENT = 7,
  GT_PURPOSE_BALANCE = 8,
  GT_PURPOSE_IMPORTANCE = 9,
  GT_PURPOSE_GENERATE = 10,
  GT_PURPOSE_GRAPH = 16
};

/* Half the number of bits of gt_feistel_index. */
static inline uint32_t gt_feistel_half(uint32_t n) {
  uint32_t half = 1;
  while (half < 16 && (1ull << (2 * half)) < n) half++;
  return half;
}

/* The value that a round adds to one half of an index, given the other half. */
static inline uint32_t gt_feistel_round(uint32_t other, uint64_t seed, uint32_t epoch, uint32_t round) {
  const uint32_t counter[4] = {other, epoch, GT_PURPOSE_SHUFFLE, round};
  return gt_philox4x32(counter, (uint32_t)seed, (uint32_t)(seed >> 32)).v[0];
}

/* A permutation of [0, n) keyed by (seed, epoch), without a table: a Feistel network over the smallest even
 * number of bits that holds n, repeated until the result is below n (cycle walking: Black and Rogaway,
 * "Ciphers with Arbitrary Finite Domains", CT-RSA 2002). With few bits and few rounds the distribution is
 * uneven. */
static inline uint32_t gt_feistel_index(uint32_t index, uint32_t n, uint64_t seed, uint32_t epoch,
                                        uint32_t rounds) {
  if (n < 2) return index;
  const uint32_t half = gt_feistel_half(n), mask = (1u << half) - 1;
  do {
    uint32_t left = index >> half, right = index & mask;
    for (uint32_t round = 0; round < rounds; round++) {
      const uint32_t mixed = left ^ (gt_feistel_round(right, seed, epoch, round) & mask);
      left = right;
      right = mixed;
    }
    index = left << half | right;
  } while (index >= n);
  return index;
}

/* Fisher-Yates shuffle, in which every order is equally likely: for j = n-1 … 1 the items at j and at a
 * position drawn from 0 … j are swapped. Returns the item at position `place`, found by undoing the swaps. */
static inline uint32_t gt_swapped_index(uint32_t place, uint32_t n, uint64_t seed, uint32_t epoch) {
  gt_philox words = {{0, 0, 0, 0}};
  for (uint32_t j = 0; j < n; j++) {
    if (j % 4 == 0) words = gt_philox_block(seed, GT_PURPOSE_SHUFFLE, epoch, j / 4);
    const uint32_t drawn = (uint32_t)((uint64_t)words.v[j % 4] * (j + 1) >> 32);
    place = place == j ? drawn : place == drawn ? j : place;
  }
  return place;
}

enum { GT_SHUFFLE_SWAPS = 16 }; /* largest n that uses swaps */
static inline uint32_t gt_shuffle_rounds(uint32_t n) { return n <= 256 ? 8 : 4; } /* for larger n */

/* The sample at position `index` of an epoch of n samples. Swaps for small n, at which the Feistel network
 * would be uneven; the network for larger n, because its cost does not grow with n. Same bits on the device
 * (shaders/lib/philox.glsl). */
static inline uint32_t gt_shuffle_index(uint32_t index, uint32_t n, uint64_t seed, uint32_t epoch) {
  return n <= GT_SHUFFLE_SWAPS ? gt_swapped_index(index, n, seed, epoch)
                               : gt_feistel_index(index, n, seed, epoch, gt_shuffle_rounds(n));
}
#endif
