/* The GEMM engines: each offers candidates for a shape; gt_matmul_choose (matmul_config.h) takes the fastest.
 *
 * The engines of products: kernels, each with the ways in which it can make a product, if it is one of its
 * kind, and how one of them is cut. Ways are offered to gt_matmul_choose (matmul_config.h). */
#ifndef GT_OP_MATMUL_ENGINES_H
#define GT_OP_MATMUL_ENGINES_H
#include "op/matmul/matmul_config.h"
#include "lib/measured.h"
#include "lib/spec.h"

typedef struct gt_matmul_cut { /* a kernel of products, and how it is cut for it */
  const gt_kernel *kernel;
  bool scalar;                    /* it finds roots of lines as matmul.h says, not as product_matrix.h does */
  uint32_t bm, bn;                /* tile of a workgroup */
  uint32_t threads;               /* of a workgroup */
  uint32_t split, k_chunk;        /* as in gt_matmul_config */
  bool arrives;                   /* gt_matmul_arrives */
  bool columns;                   /* it can reduce columns of the result, GT_FACTOR_SPEC_COLUMNS */
  bool rows;                      /* a workgroup holds full rows, with shared memory for them:
                                   * GT_FACTOR_SPEC_FOLLOWED */
  uint32_t spec[GT_SPEC_ALIGNED]; /* its own specialization constants, by their numbers */
  uint32_t measures;              /* GT_MEASURED_…: the rows or columns of its result whose amax it can
                                   * find */
  const gt_kernel *range;         /* what has to run before, or NULL: shaders/op/matmul/range.h */
  uint64_t powers_a, powers_b;    /* that it writes */
  uint64_t blocks_a;              /* of GT_RANGE_LINES that it measures of A */
  bool makes_a;          /* of packed factors A is none, but made in the kernel: its powers are measured */
  const gt_kernel *pack; /* of other factors instead of it, or NULL; it writes their powers, if there are
                            some, and … */
  uint64_t packed, pack_groups; /* … so many bytes (shaders/op/matmul/packed.h), in so many workgroups */
} gt_matmul_cut;

/* True if a workgroup holds full rows of the result with room for a row program (GT_FOLLOWED_BY_ROWS), or
 * full columns for their sums (GT_COLUMNS_WHOLE), where the shape requires it. */
bool gt_matmul_has_whole(const gt_matmul_config *config, const gt_matmul_shape *shape,
                         const gt_target *target);
/* On scalar units, tile by tile, and on the CPU; its ways are gt_matmul_choose's own. */
gt_matmul_cut gt_matmul_cut_scalar(const gt_matmul_config *config, const gt_matmul_shape *shape,
                                   const gt_target *target);

/* The ways to make the product on matrix units: none where there are none, or its node's precision forbids
 * it. */
void gt_matmul_offer_matrix(const gt_matmul_shape *shape, const gt_target *target, gt_precision precision,
                            gt_matmul_offer *offer, void *context);
/* True if the scales of an im2col operand are best derived from those of blocks of its images
 * (patches_blocks.h). */
bool gt_matmul_by_blocks(const gt_matmul_shape *shape, const gt_target *target);
/* shared_a, shared_b: one dense factor serves all entries of the batch. */
gt_matmul_cut gt_matmul_cut_matrix(const gt_matmul_config *config, const gt_matmul_shape *shape,
                                   bool shared_a, bool shared_b, const gt_target *target);

/* Engines on scalar units for some products. */
typedef void gt_matmul_offer_ways(const gt_matmul_shape *shape, const gt_target *target,
                                  gt_matmul_offer *offer, void *context);
typedef gt_matmul_cut gt_matmul_cut_way(const gt_matmul_config *config, const gt_matmul_shape *shape);
/* True for a product with few columns that both kernels support. */
bool gt_matmul_has_few_columns(const gt_matmul_shape *shape);
/* True if product_outer supports it. */
bool gt_matmul_is_outer(const gt_matmul_shape *shape);
/* True if a tile of so many neighbouring rows or columns may share one scale (shaders/op/matmul/range.h). */
bool gt_matmul_is_part_of_depth(uint32_t tile);
/* GT_MATMUL_QUADS_OF_… */
uint32_t gt_matmul_quads_of(const gt_matmul_shape *shape);
gt_matmul_offer_ways gt_matmul_offer_narrow, gt_matmul_offer_shallow, gt_matmul_offer_edges,
    gt_matmul_offer_few, gt_matmul_offer_thin, gt_matmul_offer_outer, gt_matmul_offer_slopes;
gt_matmul_cut_way gt_matmul_cut_narrow, gt_matmul_cut_shallow, gt_matmul_cut_edges, gt_matmul_cut_few,
    gt_matmul_cut_thin, gt_matmul_cut_slopes;
gt_matmul_cut gt_matmul_cut_outer(const gt_matmul_config *config, const gt_matmul_shape *shape,
                                  const gt_target *target);
#endif
