/* gt_sliced: a circuit prepared for bit-sliced evaluation. Bit s of a word belongs to sample s, so one
 * machine instruction on a 64-, 256- or 512-bit word evaluates a gate for that many samples. No code is
 * generated: gates are sorted by level and function, so the interpreter runs a tight loop over each row of
 * gates with the same function. A place in memory is reused once its signal is no longer read.
 *
 * Bits of samples are stored feature by feature: bit s%64 of word [feature*words + s/64], words =
 * gt_bit_words(samples). A gt_sliced is immutable: several threads may run it. Owner: the caller of
 * create. */
#ifndef GT_CIRCUIT_SLICED_H
#define GT_CIRCUIT_SLICED_H
#include "circuit/circuit.h"

enum { GT_BLOCK_WORDS = 8, GT_BLOCK_BITS = 64 * GT_BLOCK_WORDS };

typedef struct gt_sliced gt_sliced;

gt_sliced *gt_sliced_create(const gt_circuit *circuit);
void gt_sliced_destroy(gt_sliced *sliced);       /* accepts NULL */
size_t gt_sliced_slots(const gt_sliced *sliced); /* number of places for signals */
/* The instruction set in use: "avx512", "avx2" or "generic". */
const char *gt_sliced_isa(const gt_sliced *sliced);

static inline size_t gt_bit_words(size_t samples) { return (samples + 63) / 64; }
/* Converts bytes[samples][features] (0 is 0, anything else 1) to bits and back. */
void gt_bits_pack(const uint8_t *bytes, size_t samples, size_t features, uint64_t *bits);
void gt_bits_unpack(const uint64_t *bits, size_t samples, size_t features, uint8_t *bytes);

/* Evaluates the circuit on `words` words of samples: in [inputs*words], out [outputs*words]. */
void gt_sliced_run(const gt_sliced *sliced, const uint64_t *in, uint64_t *out, size_t words);
/* For a circuit with groups: writes the class of each sample, classes [samples]. */
void gt_sliced_classify(const gt_sliced *sliced, const uint64_t *in, size_t samples, uint32_t *classes);
/* For a circuit with groups: writes the number of ones in each group, counts [samples, groups]. */
void gt_sliced_count(const gt_sliced *sliced, const uint64_t *in, size_t samples, int32_t *counts);

/* Evaluates one block of GT_BLOCK_BITS samples, for callers that provide the memory: gt_sliced_memory bytes,
 * 64-byte aligned. Before each call the caller writes input k to GT_BLOCK_WORDS words from k*GT_BLOCK_WORDS
 * on; the evaluation may overwrite them. Output k is then at gt_sliced_output. */
size_t gt_sliced_memory(const gt_sliced *sliced);
void gt_sliced_block(const gt_sliced *sliced, uint64_t *memory);
const uint64_t *gt_sliced_output(const gt_sliced *sliced, const uint64_t *memory, size_t k);
#endif
