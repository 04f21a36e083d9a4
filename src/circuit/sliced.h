/* gt_sliced: a circuit prepared for bit-sliced evaluation. Bit s of a word belongs to sample s, so one
 * machine instruction on a 64-, 256- or 512-bit word evaluates a gate for that many samples. No code is
 * generated: gates are sorted by level and function, so the interpreter runs a tight loop over each row of
 * gates with the same function. A place in memory is reused once its signal is no longer read.
 *
 * A gt_sliced is immutable: several threads may run it. Owner: the caller of create. */
#ifndef GT_CIRCUIT_SLICED_H
#define GT_CIRCUIT_SLICED_H
#include "circuit/circuit.h"

enum { GT_BLOCK_WORDS = 8, GT_BLOCK_BITS = 64 * GT_BLOCK_WORDS };

typedef struct gt_sliced gt_sliced;

gt_sliced *gt_sliced_create(const gt_circuit *circuit);
void gt_sliced_destroy(gt_sliced *sliced); /* accepts NULL */

/* Evaluates one block of GT_BLOCK_BITS samples in the caller's memory: gt_sliced_memory bytes, 64-byte
 * aligned. Before each call the caller writes input k to GT_BLOCK_WORDS words from k*GT_BLOCK_WORDS
 * on; the evaluation may overwrite them. Output k is then at gt_sliced_output. */
size_t gt_sliced_memory(const gt_sliced *sliced);
void gt_sliced_block(const gt_sliced *sliced, uint64_t *memory);
const uint64_t *gt_sliced_output(const gt_sliced *sliced, const uint64_t *memory, size_t k);
#endif
