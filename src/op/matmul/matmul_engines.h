/* The GEMM engines, one per kernel: each offers candidates ("ways") for a shape if it supports it, of which
 * gt_matmul_choose (matmul_config.h) chooses one, and derives the launch configuration ("cut") of a
 * candidate. */
#ifndef GT_OP_MATMUL_ENGINES_H
#define GT_OP_MATMUL_ENGINES_H
#include "op/matmul/matmul_config.h"
#include "lib/measured.h"
#include "lib/spec.h"
#include "step/occupancy.h"

typedef struct gt_matmul_cut { /* a GEMM kernel and its launch configuration */
  const gt_kernel *kernel;
  bool scalar;                    /* it writes scales of its result as shaders/op/matmul/matmul.h says, not
                                   * as product_matrix.h there */
  uint32_t bm, bn;                /* tile of a workgroup */
  uint32_t threads;               /* of a workgroup */
  uint32_t split, k_chunk;        /* as in gt_matmul_config */
  bool arrives;                   /* gt_matmul_arrives */
  bool columns;                   /* it can reduce columns of the result, GT_FACTOR_SPEC_COLUMNS */
  bool rows;                      /* a workgroup holds full rows, with shared memory for them:
                                   * GT_FACTOR_SPEC_FOLLOWED */
  uint32_t spec[GT_SPEC_ALIGNED]; /* its specialization constants, by their ids */
  uint32_t measures;              /* GT_MEASURED_…: the rows or columns of its result whose amax it can
                                   * find */
  const gt_kernel *range;         /* kernel that computes the scales of the operands before, or NULL:
                                   * shaders/op/matmul/range.h */
  uint64_t powers_a, powers_b;    /* number of scales of each operand */
  uint64_t blocks_a;              /* workgroups that compute amax of A, each of GT_RANGE_LINES lines */
  bool makes_a;          /* packed: only B is packed, the kernel computes A, whose scales `range` computes */
  const gt_kernel *pack; /* kernel that packs operands before (shaders/op/matmul/packed.h) and computes their
                          * scales; NULL: none */
  uint64_t packed, pack_groups; /* bytes that `pack` writes, and its workgroups */
} gt_matmul_cut;

/* True if a workgroup holds full rows of the result with room for a row program (GT_FOLLOWED_BY_ROWS), or
 * full columns for their sums (GT_COLUMNS_WHOLE), where the shape requires it. */
bool gt_matmul_has_whole(const gt_matmul_config *config, const gt_matmul_shape *shape,
                         const gt_target *target);
/* Scalar units, tile by tile, and the CPU; gt_matmul_choose itself generates the candidates. */
gt_matmul_cut gt_matmul_cut_scalar(const gt_matmul_config *config, const gt_matmul_shape *shape,
                                   const gt_target *target);

/* Candidates on matrix units: none if the device has none, or if the node's precision forbids them. */
void gt_matmul_offer_matrix(const gt_matmul_shape *shape, const gt_target *target, gt_precision precision,
                            gt_matmul_offer *offer, void *context);
/* True if the scales of an im2col operand are best derived from those of blocks of its images
 * (patches_blocks.h). */
bool gt_matmul_by_blocks(const gt_matmul_shape *shape, const gt_target *target);
/* shared_a, shared_b: one dense operand serves all entries of the batch. */
gt_matmul_cut gt_matmul_cut_matrix(const gt_matmul_config *config, const gt_matmul_shape *shape,
                                   bool shared_a, bool shared_b, const gt_target *target);

/* The other engines, on scalar units, for special shapes. */
typedef void gt_matmul_offer_ways(const gt_matmul_shape *shape, const gt_target *target,
                                  gt_matmul_offer *offer, void *context);
typedef gt_matmul_cut gt_matmul_cut_way(const gt_matmul_config *config, const gt_matmul_shape *shape);
/* GT_MATMUL_QUADS_OF_…: the operands whose lines are whole vec4s. */
uint32_t gt_matmul_quads_of(const gt_matmul_shape *shape);
gt_matmul_offer_ways gt_matmul_offer_narrow, gt_matmul_offer_shallow, gt_matmul_offer_edges,
    gt_matmul_offer_few;
gt_matmul_cut_way gt_matmul_cut_narrow, gt_matmul_cut_shallow, gt_matmul_cut_edges, gt_matmul_cut_few;
#endif
