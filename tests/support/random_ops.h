/* The building blocks of random graphs (support/random_graph.h): pools of values by shape, and ops that read
 * some values and add others. */
#ifndef GT_TESTS_RANDOM_OPS_H
#define GT_TESTS_RANDOM_OPS_H
#include "support/random_graph.h"

/* Shapes: MATRIX [rows, width], SQUARE [width, width], COLUMN [width], ROW [rows, 1], SCALAR [1], TABLE
 * [RANDOM_TABLE_ROWS, width]. */
enum { MATRIX, SQUARE, COLUMN, ROW, SCALAR, TABLE, KINDS };
/* Variables that are inputs. */
enum { INDEX = RANDOM_GRAPH_INPUT, LABELS, DATA, SCALING, KERNEL, CLOCK_STATE, CLOCK_TABLE };
/* Bounds of magnitudes: of states, of factors, and of any value. */
enum { TINY = 4, SMALL = 16, MOST = 64, LARGEST = 1 << 22 };
enum { RANDOM_TABLE_ROWS = 24, RANDOM_BYTE_CENTER = 8 };

/* A value, and the largest magnitude of its elements. */
typedef struct value {
  gt_id id;
  double limit;
} value;

typedef struct drawing {
  gt_graph *g;
  uint32_t dice;
  int64_t rows, width;
  gt_id clock;
  uint32_t behind; /* the next op to put after a product */
  bool last;       /* the next matrix to be picked is the last one */
  value pool[KINDS][128];
  uint32_t count[KINDS];
} drawing;

uint32_t random_ops_roll(drawing *d, uint32_t below);
gt_shape random_ops_shape(const drawing *d, int kind);
void random_ops_add(drawing *d, int kind, gt_id id, double limit);
/* A value of the kind, usually a recent one, with no element larger than `most`. */
value random_ops_pick(drawing *d, int kind, double most);
value random_ops_modulo(drawing *d, gt_id x, int n);
/* A product followed by one of the ops that devices may fuse into its epilogue, each in turn. */
void random_ops_behind_product(drawing *d);
void random_ops_any(drawing *d);
#endif
