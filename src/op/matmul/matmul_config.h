/* Choice of a GEMM's kernel and launch configuration.
 *
 * How a product is cut: a pure function of its shape and the target, so that a plan never depends on what ran
 * before, nor bits on the number of threads. On the CPU bm and bn count (the grid of tiles), and the parts of
 * k, where there are any. */
#ifndef GT_OP_MATMUL_CONFIG_H
#define GT_OP_MATMUL_CONFIG_H
#include "shaders/op/matmul/factor.h"
#include "step/lowering.h"

/* What a product's choice depends on, beside the target and the precision: X(type, name). The struct and the
 * key that the choice is remembered by (gt_matmul_choose) are made of these lists, so that the key leaves
 * nothing out. The first ones are in every key, in the words of the field. */
#define GT_MATMUL_SIZES(X)                \
  X(uint32_t, m)                          \
  X(uint32_t, n)                          \
  X(uint32_t, k)                          \
  X(uint32_t, batch)                      \
  X(bool, trans_a)                        \
  X(bool, trans_b)                        \
  X(uint32_t, kind_a) /* GT_FACTOR_… */ \
  X(uint32_t, kind_b)
/* The others are in a key by name where they are not 0:
 * run: of a factor's line that is not dense, so many neighbours are neighbours in memory, too; 0: none
 * even_a: one power of two does for all of a line of A: shaders/op/matmul/range.h
 * known_a: not 0: and none of its elements is larger: nothing of A is measured
 * inputs_a: of A's functions, all that is measured: shaders/op/matmul/range_basis.glsl; 0: A itself is
 * plain_a: A's functions, or a segment's, depend on nothing but the input and which one it is
 * heavy_a: … and take many instructions
 * apart_a: the last of them reads inputs of its own: GT_BASIS_APART
 * whole_k: not to be cut into parts of k
 * segment: GT_FACTOR_SPEC_SEGMENT; devices only, and parts of k are whole segments; …
 * outputs: … and how many elements of one are not padding
 * shifted: what a factor of bytes stands for has a shift
 * shares: it is to leave half of the device to another: gt_matmul_side_by_side
 * whole_rows: of devices: a workgroup is to have all of a row of the result, …
 * whole_columns: … or all of a column */
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

static inline bool gt_matmul_has_rows(const gt_matmul_shape *shape) {
  return shape->kind_a == GT_FACTOR_ROWS || shape->kind_b == GT_FACTOR_ROWS;
}

typedef enum gt_engine {
  GT_ENGINE_SCALAR,
  GT_ENGINE_HALF,   /* matrix units; factors are rounded to 16 bits */
  GT_ENGINE_HALVES, /* matrix units; factors are sums of two float16, which is as exact as float32 */
  /* Scalar units, and patches: */
  GT_ENGINE_NARROW,  /* few columns: shaders/op/matmul/product_narrow.h */
  GT_ENGINE_SHALLOW, /* few elements in a line: shaders/op/matmul/product_shallow.h */
  /* Scalar units, and segments of few elements: shaders/op/matmul/product_edges.h */
  GT_ENGINE_EDGES,
  /* Scalar units, and few columns of any factors: shaders/op/matmul/product_few.h */
  GT_ENGINE_FEW,
  GT_ENGINE_THIN, /* and many lines: shaders/op/matmul/product_thin.h */
  /* Scalar units, and few columns of sums over many lines: shaders/op/matmul/product_outer.h */
  GT_ENGINE_OUTER,
  /* Scalar units, segments of few elements, and many lines: shaders/op/matmul/product_slopes.h */
  GT_ENGINE_SLOPES
} gt_engine;

typedef struct gt_matmul_config {
  uint16_t bm, bn, bk;     /* workgroup tile, depth of a slice in shared memory */
  uint16_t tm, tn;         /* tile of a thread, on matrix units of a subgroup */
  uint16_t teams;          /* of a workgroup, that share the depth of a slice; scalar units of devices only.
                              Of EDGES, FEW and THIN, invocations that share a line; of OUTER and SLOPES,
                              lines that are gone through at once */
  uint16_t engine;         /* gt_engine */
  bool packed;             /* matrix units; factors are packed before: shaders/op/matmul/packed.h */
  uint32_t split, k_chunk; /* parts of k and the length of each, a multiple of bk */
} gt_matmul_config;

enum {
  GT_MATMUL_SPLITS = 32,           /* parts of k, at most */
  GT_MATMUL_MANY = 8,              /* workgroups of a multiprocessor: it never waits for the last ones */
  GT_MATMUL_MOST_PARTIAL = 1 << 23 /* elements of all parts' sums, at most, on a device */
};
/* Workgroups of a product that is cut so. */
uint64_t gt_matmul_groups(const gt_matmul_shape *shape, const gt_matmul_config *config);
/* So many of a device's `groups` workgroups come to one of its units; where they are many, no unit waits. */
double gt_matmul_groups_of_unit(double groups, double units);
/* In how many waves of `at_once` a multiprocessor goes through so many workgroups. */
double gt_matmul_waves(double of_unit, double at_once);
/* How many workgroups that take so much shared memory each a multiprocessor has at once, of `most` at most.
 * Drivers give them together an eighth more than what they promise one, and keep something of it for each. */
double gt_matmul_together(uint32_t shared_bytes, uint32_t most, const gt_target *target);
/* What a way to cut a product costs is reckoned in cycles of a multiprocessor. Of `groups` workgroups of so
 * many each, with what adding up the parts of k takes. */
double gt_matmul_cycles(const gt_matmul_shape *shape, const gt_matmul_config *config, uint32_t units,
                        double groups, double cycles_of_group);
/* Of what comes when the parts of k are done, if there are several. */
double gt_matmul_ending_cycles(const gt_matmul_shape *shape, const gt_matmul_config *config, uint32_t units);
/* True if split-K partial sums are added by the last workgroup of a tile (last-block reduction), not by a
 * second kernel. */
bool gt_matmul_arrives(const gt_matmul_shape *shape, const gt_matmul_config *config, uint32_t units);
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
gt_matmul_config gt_matmul_choose(gt_lowering *lowering, const gt_matmul_shape *shape,
                                  gt_precision precision);
#endif
