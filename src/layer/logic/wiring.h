/* Which two inputs each gate of a layer reads, chosen once from a stream of random numbers. wiring: [2,
 * gates], all first inputs, then all second ones. Both gt_wiring_random and gt_wiring_unique use every input,
 * so 2 * gates >= inputs must hold. Sources: Petersen et al. (NeurIPS 2022) for random, Miotti et al. (2025)
 * for unique. */
#ifndef GT_LAYER_WIRING_H
#define GT_LAYER_WIRING_H
#include "layer/init.h"

/* A permutation of 0 … n-1 (Durstenfeld 1964). `draw` distinguishes several permutations of one stream. */
void gt_wiring_permutation(const gt_init_stream *stream, uint32_t draw, int64_t n, int32_t *out);
/* Random inputs: each is read floor(2 * gates / inputs) times or once more. A gate may read one twice. */
void gt_wiring_random(const gt_init_stream *stream, int64_t inputs, int64_t gates, int32_t *wiring);
/* Pairs (0,1), (2,3), …, then (1,2), (3,4), …, then (i, i+2), (i, i+3), … until there are enough; in random
 * order. No pair occurs twice. False if there are fewer pairs than gates. */
bool gt_wiring_unique(const gt_init_stream *stream, int64_t inputs, int64_t gates, int32_t *wiring);
#endif
