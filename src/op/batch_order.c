/* The order of samples, computed for many rows at once: the rounds of one index are a chain of dependent
 * multiplications, and a processor overlaps the chains of several. */
#include "base/count.h"
#include "base/philox.h"
#include "op/batch.h"
#include "step/math.h"

enum { ABREAST = 64 };

int64_t gt_batch_steps(const gt_batch_attribute *attribute) {
  return attribute->steps ? attribute->steps : gt_ceil_div(attribute->samples, attribute->batch);
}

GT_CLONES static void round_of(uint32_t *restrict left, uint32_t *restrict right, uint32_t count,
                               uint32_t mask, uint64_t seed, uint32_t epoch, uint32_t round) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t mixed = left[i] ^ (gt_feistel_round(right[i], seed, epoch, round) & mask);
    left[i] = right[i];
    right[i] = mixed;
  }
}

/* gt_feistel_index of each index; those that fall outside of [0, n) are iterated together. */
static void feistel(uint32_t *index, uint32_t count, uint32_t n, uint64_t seed, uint32_t epoch) {
  const uint32_t half = gt_feistel_half(n), mask = (1u << half) - 1, rounds = gt_shuffle_rounds(n);
  uint32_t left[ABREAST], right[ABREAST], which[ABREAST];
  for (uint32_t i = 0; i < count; i++) which[i] = i;
  while (count) {
    uint32_t outside = 0;
    for (uint32_t i = 0; i < count; i++) left[i] = index[which[i]] >> half, right[i] = index[which[i]] & mask;
    for (uint32_t round = 0; round < rounds; round++) round_of(left, right, count, mask, seed, epoch, round);
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t w = which[i];
      index[w] = left[i] << half | right[i];
      which[outside] = w;
      outside += index[w] >= n;
    }
    count = outside;
  }
}

/* gt_shuffle_index of each index. */
static void shuffle(uint32_t *index, uint32_t count, uint32_t n, uint64_t seed, uint32_t epoch) {
  if (n > GT_SHUFFLE_SWAPS) {
    feistel(index, count, n, seed, epoch);
    return;
  }
  for (uint32_t i = 0; i < count; i++) index[i] = gt_shuffle_index(index[i], n, seed, epoch);
}

static uint32_t balanced_sample(const int32_t *members, uint32_t classes, uint32_t index, uint64_t seed,
                                uint32_t epoch) {
  const gt_philox bits = gt_philox_block(seed, GT_PURPOSE_BALANCE, epoch, index);
  const uint32_t class = (uint32_t)((uint64_t)bits.v[0] * classes >> 32);
  const uint32_t start = (uint32_t)members[class], count = (uint32_t)members[class + 1] - start;
  const uint32_t place = (uint32_t)((uint64_t)bits.v[1] * count >> 32);
  return (uint32_t)members[classes + 1 + start + place];
}

void gt_batch_samples(const gt_batch_attribute *attribute, const int32_t *members, uint64_t seed,
                      uint32_t step, uint32_t first, uint32_t rows, uint32_t *sample) {
  const uint32_t samples = (uint32_t)attribute->samples, steps = (uint32_t)gt_batch_steps(attribute);
  step -= attribute->first_step;
  const uint64_t begin = (uint64_t)(step % steps) * (uint32_t)attribute->batch + first;
  const uint32_t there = begin < samples ? (uint32_t)gt_least(rows, samples - begin) : 0;
  for (uint32_t i = 0; i < rows; i++) sample[i] = i < there ? (uint32_t)begin + i : GT_NONE;
  const uint32_t epoch = step / steps + attribute->first_epoch;
  for (uint32_t i = 0; members && i < there; i++)
    sample[i] = balanced_sample(members, attribute->classes, sample[i], seed, epoch);
  for (uint32_t done = 0; done < there && !members && !attribute->sequential; done += ABREAST)
    shuffle(sample + done, gt_least_u32(there - done, ABREAST), samples, seed, epoch);
}
