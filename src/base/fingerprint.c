#include "base/fingerprint.h"
#include "base/memory.h"
#include <xxhash.h>

uint64_t gt_fingerprint(uint64_t before, const void *data, size_t size) {
  return XXH3_64bits_withSeed(data, size, before);
}

uint64_t gt_fingerprint_of(const gt_span *pieces, size_t count) {
  XXH3_state_t *state = XXH3_createState();
  if (!state) gt_out_of_memory(0);
  XXH3_64bits_reset(state);
  for (size_t i = 0; i < count; i++) XXH3_64bits_update(state, pieces[i].data, pieces[i].size);
  const uint64_t print = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  return print;
}
