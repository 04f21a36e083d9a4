/* Fingerprints: 64-bit hashes at memory speed (XXH3 of libxxhash, about 20 GB/s). They detect changes, not
 * attacks. They are the same on every machine. A file that stores a fingerprint also stores its kind,
 * GT_FINGERPRINT, so that different kinds are not compared. */
#ifndef GT_BASE_FINGERPRINT_H
#define GT_BASE_FINGERPRINT_H
#include "base/file.h"

#define GT_FINGERPRINT "xxh3"

/* before: the fingerprint of the previous piece, to chain pieces; 0 for the first. */
uint64_t gt_fingerprint(uint64_t before, const void *data, size_t size);
/* The fingerprint of the concatenated pieces; it does not depend on how they are split. */
uint64_t gt_fingerprint_of(const gt_span *pieces, size_t count);
#endif
