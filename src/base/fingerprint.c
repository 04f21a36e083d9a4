#include "base/fingerprint.h"
#include <string.h>

/* Four lanes take a word each in turn: their chains of rotations and products run side by side, and each step
 * is a permutation of the lane, so that lanes that differ once stay different. */
enum { LANES = 4 };
static const uint64_t odd = 0xb5297a4d3f84d5b5u, other_odd = 0x9fb21c651e98df25u;

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 32) * odd;
  x = (x ^ x >> 29) * other_odd;
  return x ^ x >> 32;
}

static uint64_t take(uint64_t lane, uint64_t word) {
  lane ^= word;
  return (lane << 27 | lane >> 37) * odd;
}

static uint64_t word_at(const uint8_t *bytes, size_t size) {
  uint64_t word = 0;
  memcpy(&word, bytes, size);
  return word;
}

uint64_t gt_fingerprint(uint64_t before, const void *data, size_t size) {
  const uint8_t *at = data;
  uint64_t lane[LANES], result = mix(before ^ size);
  for (int l = 0; l < LANES; l++) lane[l] = mix(before + (uint64_t)l + 1);
  size_t left = size;
  for (; left >= 8 * LANES; left -= 8 * LANES, at += 8 * LANES)
    for (size_t l = 0; l < LANES; l++) lane[l] = take(lane[l], word_at(at + 8 * l, 8));
  for (int l = 0; left > 0; l++) {
    const size_t n = left < 8 ? left : 8;
    lane[l] = take(lane[l], word_at(at, n));
    left -= n;
    at += n;
  }
  for (int l = 0; l < LANES; l++) result = mix(result ^ lane[l]);
  return result;
}
