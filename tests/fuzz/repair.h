/* Mutators for formats whose checksums no chance would meet: libFuzzer mutates, then the checksums are made
 * right, mostly; now and then the input stays as it came, so that the checks themselves are searched too. */
#ifndef GT_TESTS_FUZZ_REPAIR_H
#define GT_TESTS_FUZZ_REPAIR_H
#include <stddef.h>
#include <stdint.h>

/* The checksum of every chunk of a PNG file. */
void repair_png(uint8_t *data, size_t size);
/* The length of the header and the hash of a model file or checkpoint; returns the size, at most `most`. */
size_t repair_safetensors(uint8_t *data, size_t size, size_t most);
/* Mutates one: the header as text, one of its metadata values (the config inside, say), or the bytes behind
 * it. */
size_t mutate_safetensors(uint8_t *data, size_t size, size_t most, unsigned int seed);
#endif
