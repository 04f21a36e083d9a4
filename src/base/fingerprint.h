/* Fingerprints: 64 bits that tell pieces of memory apart as fast as they can be read, several GB a second;
 * any change of a single 8-byte word changes them for certain. For noticing that something is not what it
 * was, not for defending against anybody. The same on every machine of the same byte order; never in a file
 * that other programs read. */
#ifndef GT_BASE_FINGERPRINT_H
#define GT_BASE_FINGERPRINT_H
#include <stddef.h>
#include <stdint.h>

/* `before` chains several pieces; 0 for the first. */
uint64_t gt_fingerprint(uint64_t before, const void *data, size_t size);
#endif
