/* Choice of a GEMM's kernel and launch configuration ("cut"): a pure function of its shape and the target, so
 * that a plan never depends on what ran before, and results never depend on the number of threads. On the CPU
 * only bm and bn (the grid of tiles) and split-K are used. A "line" is a row or column along the contiguous
 * axis of an operand in memory. */
#ifndef GT_OP_MATMUL_CONFIG_H
#define GT_OP_MATMUL_CONFIG_H
#include "shaders/op/matmul/factor.h"
#include "step/lowering.h"

/* What the choice depends on in addition to the target and the precision: X(type, name). These lists generate
 * the struct and the key under which a choice is stored (gt_matmul_choose), so that the key is complete. The
 * sizes are in every key. */
#define GT_MATMUL_SIZES(X)                \
  X(uint32_t, m)                          \
  X(uint32_t, n)                          \
  X(uint32_t, k)                          \
  X(uint32_t, batch)                      \
  X(bool, trans_a)                        \
  X(bool, trans_b)                        \
  X(uint32_t, kind_a) /* GT_FACTOR_… */ \
  X(uint32_t, kind_b)
/* The traits are in a key, by name, if they are not 0:
 * run: this many neighbours in a line of a computed operand are neighbours in memory, too; 0: none
 * even_a: one scale serves a whole line of A (shaders/op/matmul/range.h)
 * known_a: no element of A has a larger magnitude, so that no amax is computed; 0: unknown
 * inputs_a: A holds functions of this many inputs, and the amax of these is computed (range_basis.glsl);
 *   0: the amax of A is computed
 * plain_a: the functions in A, or of a segment, depend only on the input and the number of the function
 * heavy_a: the functions in A take many instructions
 * apart_a: the last function in A reads inputs of its own (GT_BASIS_APART)
 * whole_k: K must not be split
 * segment: length of a K segment (GT_FACTOR_SPEC_SEGMENT); split-K parts are whole segments; devices only
 * outputs: elements of a segment that are not padding
 * shifted: the numbers that a byte operand represents have a shift (gt_byte_form)
 * shares: the product should use half of the device (gt_matmul_side_by_side)
 * whole_rows: on a device each workgroup must hold full rows of the result
 * whole_columns: the same for full columns */
#define GT_MATMUL_TRAITS(X) \
  X(uint32_t, run)          \
  X(bool, even_a)           \
  X(float, known_a)         \
  X(uint32_t, inputs_a)     \
  X(bool, plain_a)          \
  X(bool, heavy_a)          \
  X(bool, apart_a)          \
  X(bool, whole_k)          \
  X(uint32_t, segment)      \
  X(uint32_t, outputs)      \
  X(bool, shifted)          \
  X(bool, shares)           \
  X(bool, whole_rows)       \
  X(bool, whole_columns)

typedef struct gt_matmul_shape {
#define GT_MATMUL_FIELD(type, name) type name;
  GT_MATMUL_SIZES(GT_MATMUL_FIELD) GT_MATMUL_TRAITS(GT_MATMUL_FIELD)
#undef GT_MATMUL_FIELD
} gt_matmul_shape;

/* True if an operand is a plain matrix in memory, of floats or bytes. */
static inline bool gt_matmul_is_dense(uint32_t kind) {
  return kind == GT_FACTOR_DENSE || kind == GT_FACTOR_BYTES;
}
static inline bool gt_matmul_has_bytes(const gt_matmul_shape *shape) {
  return shape->kind_a == GT_FACTOR_BYTES || shape->kind_b == GT_FACTOR_BYTES;
}

/* True if an operand consists of rows of a table. */
static inline bool gt_matmul_has_rows(const gt_matmul_shape *shape) {
  return shape->kind_a == GT_FACTOR_ROWS || shape->kind_b == GT_FACTOR_ROWS;
}

typedef enum gt_engine {
  GT_ENGINE_SCALAR, /* scalar units, tile by tile; and the CPU */
  GT_ENGINE_HALF,   /* matrix units; operands are rounded to 16 bits */
  GT_ENGINE_HALVES, /* matrix units; operands are sums of two float16, which is as exact as float32 */
  /* The others use scalar units; each is for the case that shaders/op/matmul/product_NAME.h describes. */
  GT_ENGINE_NARROW,  /* wgrad of a convolution with few channels */
  GT_ENGINE_SHALLOW, /* forward convolution with few channels */
  GT_ENGINE_EDGES,   /* dgrad of a KAN layer with few outputs */
  GT_ENGINE_FEW      /* skinny-N GEMM, without staging */
} gt_engine;

typedef struct gt_matmul_config {
  uint16_t bm, bn;         /* workgroup tile */
  uint16_t bk;             /* depth of the K tile in shared memory; SHALLOW: lines staged at a time */
  uint16_t tm, tn;         /* tile of a thread; on matrix units of a subgroup */
  uint16_t teams;          /* slice-K: groups of threads that share a K tile; scalar engine on devices only.
                              EDGES, FEW: invocations per row of the result */
  uint16_t engine;         /* gt_engine */
  bool packed;             /* matrix units: a kernel packs the operands before (shaders/op/matmul/packed.h) */
  uint32_t split, k_chunk; /* split-K: number of parts, and length of each; the last may be shorter */
} gt_matmul_config;

enum {
  GT_MATMUL_SPLITS = 32, /* most split-K parts of the scalar engine, and of a last-block reduction */
  GT_MATMUL_MOST_PARTIAL = 1 << 23 /* most elements of all partial results of split-K, on a device */
};
/* Workgroups of a product with this configuration. */
uint64_t gt_matmul_groups(const gt_matmul_shape *shape, const gt_matmul_config *config);
/* Costs of candidates are estimated in cycles of a multiprocessor. This one is the cost of `groups`
 * workgroups of cycles_of_group each, and of the split-K reduction. */
double gt_matmul_cycles(const gt_matmul_shape *shape, const gt_matmul_config *config, uint32_t units,
                        double groups, double cycles_of_group);
/* Cycles of the split-K reduction; 0 without split-K. */
double gt_matmul_ending_cycles(const gt_matmul_shape *shape, const gt_matmul_config *config, uint32_t units);
/* True if split-K partial sums are added by the last workgroup of a tile (last-block reduction), not by a
 * second kernel. */
bool gt_matmul_arrives(const gt_matmul_shape *shape, const gt_matmul_config *config, uint32_t units);
/* Receives a candidate and its cost. */
typedef void gt_matmul_offer(void *context, gt_matmul_config config, double cycles);

/* For two concurrent products on matrix units: true if each should use half of the device's SMs instead of
 * all of them. An SM holds one workgroup of a large tile, so others wait for it, and small tiles take longer
 * for the same work. */
bool gt_matmul_side_by_side(const gt_target *target, const gt_matmul_shape *one, const gt_matmul_shape *other,
                            gt_precision precision);

/* True if a product with a byte operand is fastest on matrix units, and faster than with that operand as
 * floats. */
bool gt_matmul_gains_by_bytes(const gt_target *target, const gt_matmul_shape *shape, gt_precision precision);
/* True if full-row or full-column tiles, as the shape requires them, make the step faster by saving a later
 * kernel. */
bool gt_matmul_gains_by_whole(const gt_target *target, const gt_matmul_shape *shape, gt_precision precision);
/* True if reading rows of a table by index (fused embedding) is no slower than gathering them first. */
bool gt_matmul_gains_by_rows(const gt_target *target, const gt_matmul_shape *shape, gt_precision precision);
/* The candidate that tuning found fastest, otherwise the cheapest one. */
gt_matmul_config gt_matmul_choose(gt_lowering *lowering, const gt_matmul_shape *shape,
                                  gt_precision precision);
#endif
