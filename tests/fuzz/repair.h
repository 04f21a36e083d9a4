/* Mutators for formats with checksums, which random changes would never match. Usually the checksums are
 * corrected after libFuzzer's mutation; sometimes they are not, so that the checks themselves are tested
 * too. */
#ifndef GT_TESTS_FUZZ_REPAIR_H
#define GT_TESTS_FUZZ_REPAIR_H
#include <stddef.h>
#include <stdint.h>

/* Corrects the checksum of every chunk of a PNG file. */
void repair_png(uint8_t *data, size_t size);
/* Corrects the header length and the hash of a model file or checkpoint; returns the size, at most
 * `max_size`. */
size_t repair_safetensors(uint8_t *data, size_t size, size_t max_size);
/* Mutates a model file or checkpoint: the header as text, one of its metadata values (such as the config), or
 * the bytes after the header. */
size_t mutate_safetensors(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
#endif
