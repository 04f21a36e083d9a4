/* Fingerprints: 64 bits that tell pieces of memory apart as fast as they can be read (XXH3 of libxxhash, some
 * 20 GB/s). For noticing that something is not what it was, not for defending against anybody. The same on
 * every machine; files that hold one name it GT_FINGERPRINT, so that one of another kind is not compared. */
#ifndef GT_BASE_FINGERPRINT_H
#define GT_BASE_FINGERPRINT_H
#include "base/file.h"

#define GT_FINGERPRINT "xxh3"

/* `before` chains several pieces; 0 for the first. */
uint64_t gt_fingerprint(uint64_t before, const void *data, size_t size);
/* That of the pieces one behind another, however they are cut. */
uint64_t gt_fingerprint_of(const gt_span *pieces, size_t count);
#endif
