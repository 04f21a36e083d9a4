/* The order of samples, computed for many rows at once: the rounds of one index are a chain of dependent
 * multiplications, and a processor can overlap the chains of several indices. */
#include "base/count.h"
#include "base/philox.h"
#include "op/batch_order.h"
#include "shaders/op/batch_args.h"
#include "step/math.h"
#include <inttypes.h>
#include <string.h>

enum { CHUNK = 64 }; /* indices that are permuted at once */

int64_t gt_batch_steps(const gt_batch_attribute *attribute) {
  return attribute->steps ? attribute->steps : gt_ceil_div(attribute->samples, attribute->batch);
}

/* One round of the Feistel network for each index, split into its left and right half. */
GT_CLONES static void round_of(uint32_t *restrict left, uint32_t *restrict right, uint32_t count,
                               uint32_t mask, uint64_t seed, uint32_t epoch, uint32_t round) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t mixed = left[i] ^ (gt_feistel_round(right[i], seed, epoch, round) & mask);
    left[i] = right[i];
    right[i] = mixed;
  }
}

/* Replaces each index by gt_feistel_index of it; results outside [0, n) are permuted again, together. */
static void feistel(uint32_t *index, uint32_t count, uint32_t n, uint64_t seed, uint32_t epoch) {
  const uint32_t half = gt_feistel_half(n), mask = (1u << half) - 1, rounds = gt_shuffle_rounds(n);
  uint32_t left[CHUNK], right[CHUNK], unfinished[CHUNK];
  for (uint32_t i = 0; i < count; i++) unfinished[i] = i;
  while (count) {
    uint32_t outside = 0;
    for (uint32_t i = 0; i < count; i++)
      left[i] = index[unfinished[i]] >> half, right[i] = index[unfinished[i]] & mask;
    for (uint32_t round = 0; round < rounds; round++) round_of(left, right, count, mask, seed, epoch, round);
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t w = unfinished[i];
      index[w] = left[i] << half | right[i];
      unfinished[outside] = w;
      outside += index[w] >= n;
    }
    count = outside;
  }
}

/* Replaces each index by gt_shuffle_index of it. */
static void shuffle(uint32_t *index, uint32_t count, uint32_t n, uint64_t seed, uint32_t epoch) {
  if (n > GT_SHUFFLE_SWAPS) {
    feistel(index, count, n, seed, epoch);
    return;
  }
  for (uint32_t i = 0; i < count; i++) index[i] = gt_shuffle_index(index[i], n, seed, epoch);
}

/* The sample at an index of the epoch, in balanced order. */
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
  const uint32_t valid = begin < samples ? (uint32_t)gt_min_i64(rows, samples - begin) : 0;
  for (uint32_t i = 0; i < rows; i++) sample[i] = i < valid ? (uint32_t)begin + i : GT_NONE;
  const uint32_t epoch = step / steps + attribute->first_epoch;
  for (uint32_t i = 0; members && i < valid; i++)
    sample[i] = balanced_sample(members, attribute->classes, sample[i], seed, epoch);
  for (uint32_t done = 0; done < valid && !members && !attribute->sequential; done += CHUNK)
    shuffle(sample + done, gt_min_u32(valid - done, CHUNK), samples, seed, epoch);
}

void gt_batch_find(const gt_batch_attribute *attribute, uint32_t order, const uint32_t *clock,
                   const int32_t *members, uint32_t first, uint32_t rows, uint32_t *sample) {
  gt_batch_attribute ordered = *attribute;
  ordered.sequential = order == GT_BATCH_SEQUENTIAL;
  if (order != GT_BATCH_WINDOW) {
    gt_batch_samples(&ordered, order == GT_BATCH_BALANCED ? members : NULL,
                     clock[1] | (uint64_t)clock[2] << 32, clock[0], first, rows, sample);
    return;
  }
  const uint32_t batch_begin = clock[0] % attribute->window * (uint32_t)attribute->batch;
  for (uint32_t i = 0; i < rows; i++) sample[i] = batch_begin + first + i;
}

uint32_t gt_batch_order_of(const gt_batch_attribute *attribute) {
  return attribute->window       ? GT_BATCH_WINDOW
         : attribute->sequential ? GT_BATCH_SEQUENTIAL
         : attribute->classes    ? GT_BATCH_BALANCED
                                 : GT_BATCH_SHUFFLED;
}

bool gt_batch_check(const gt_batch_attribute *attribute, gt_error *error) {
  if (attribute->batch >= 1 && attribute->samples >= 1 && attribute->samples < UINT32_MAX &&
      (!attribute->steps || attribute->steps >= gt_ceil_div(attribute->samples, attribute->batch)))
    return true;
  return gt_fail(error, GT_ERR_CONFIG, "cannot draw batches of %" PRId64 " from %" PRId64 " samples",
                 attribute->batch, attribute->samples);
}

gt_batch_attribute gt_batch_clean(gt_batch_attribute attribute) {
  gt_batch_attribute copy;
  memset(&copy, 0, sizeof copy);
  copy.batch = attribute.batch;
  copy.samples = attribute.samples;
  copy.sequential = attribute.sequential;
  copy.steps = attribute.steps;
  copy.first_step = attribute.first_step;
  copy.first_epoch = attribute.first_epoch;
  copy.window = attribute.window;
  copy.classes = attribute.classes;
  copy.even = attribute.even;
  copy.bytes = attribute.bytes;
  return copy;
}
