#include "layer/logic/wiring.h"
#include "base/memory.h"
#include "base/philox.h"
#include <stdlib.h>

void gt_wiring_permutation(const gt_init_stream *stream, uint32_t draw, int64_t n, int32_t *out) {
  for (int64_t i = 0; i < n; i++) out[i] = (int32_t)i;
  for (int64_t i = n - 1; i > 0; i--) {
    const uint32_t bits = gt_random_bits(stream->seed, stream->purpose, draw, (uint32_t)i);
    const int64_t j = (int64_t)((uint64_t)bits * (uint64_t)(i + 1) >> 32);
    const int32_t previous = out[i];
    out[i] = out[j];
    out[j] = previous;
  }
}

void gt_wiring_random(const gt_init_stream *stream, int64_t inputs, int64_t gates, int32_t *wiring) {
  int32_t *feature = gt_alloc((size_t)inputs * sizeof *feature);
  gt_wiring_permutation(stream, 0, 2 * gates, wiring);
  gt_wiring_permutation(stream, 1, inputs, feature);
  for (int64_t i = 0; i < 2 * gates; i++) wiring[i] = feature[wiring[i] % inputs];
  free(feature);
}

bool gt_wiring_unique(const gt_init_stream *stream, int64_t inputs, int64_t gates, int32_t *wiring) {
  if (gates > inputs * (inputs - 1) / 2) return false;
  int32_t *pair = gt_alloc((size_t)gates * 3 * sizeof *pair), *order = pair + 2 * gates;
  int64_t count = 0;
  for (int64_t start = 0; start < 2; start++)
    for (int64_t i = start; i + 1 < inputs && count < gates; i += 2, count++)
      pair[2 * count] = (int32_t)i, pair[2 * count + 1] = (int32_t)(i + 1);
  for (int64_t offset = 2; count < gates; offset++)
    for (int64_t i = 0; i + offset < inputs && count < gates; i++, count++)
      pair[2 * count] = (int32_t)i, pair[2 * count + 1] = (int32_t)(i + offset);
  gt_wiring_permutation(stream, 0, gates, order);
  for (int64_t gate = 0; gate < gates; gate++)
    for (int side = 0; side < 2; side++) wiring[side * gates + gate] = pair[2 * order[gate] + side];
  free(pair);
  return true;
}
