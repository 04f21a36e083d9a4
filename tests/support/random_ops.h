/* The building blocks of random graphs (support/random_graph.h): pools of values by shape, and ops that read
 * some values and add others. */
#ifndef GT_TESTS_RANDOM_OPS_H
#define GT_TESTS_RANDOM_OPS_H
#include "support/random_graph.h"

/* Kinds of values, by shape: MATRIX [rows, width], SQUARE [width, width], PER_COLUMN [width], PER_ROW [rows,
 * 1], SCALAR [1], TABLE [RANDOM_TABLE_ROWS, width]. */
enum { MATRIX, SQUARE, PER_COLUMN, PER_ROW, SCALAR, TABLE, KINDS };
/* Indices of the variables that are inputs. */
enum { INDEX = RANDOM_GRAPH_INPUT, LABELS, DATA, SCALING, KERNEL, CLOCK_STATE, CLOCK_TABLE };
/* Bounds of magnitudes. SMALL: of states; TINY, SMALL or MEDIUM: of operands of ops that multiply or sum up;
 * LARGEST: of all values. */
enum { TINY = 4, SMALL = 16, MEDIUM = 64, LARGEST = 1 << 22 };
/* RANDOM_BYTE_CENTER: what the batch op subtracts from the bytes of DATA, which are less than SMALL. */
enum { RANDOM_TABLE_ROWS = 24, RANDOM_BYTE_CENTER = 8 };

/* A value, and an upper bound of the magnitudes of its elements. */
typedef struct value {
  gt_id id;
  double limit;
} value;

typedef struct drawing { /* a random graph under construction */
  gt_graph *g;
  uint32_t dice;       /* state of the random number generator */
  int64_t rows, width; /* of a MATRIX */
  gt_id clock;
  uint32_t next_fused;     /* selects the op after the product in the next call of random_ops_draw_fused */
  bool pick_newest_matrix; /* the next pick of a MATRIX returns the newest one */
  value pool[KINDS][128];
  uint32_t count[KINDS];
} drawing;

uint32_t random_ops_roll(drawing *d, uint32_t below); /* a random number from 0 to below - 1 */
gt_shape random_ops_shape(const drawing *d, int kind);
/* Adds a value to the pool of its kind. */
void random_ops_add(drawing *d, int kind, gt_id id, double limit);
/* Returns a value from the pool of this kind, usually a recent one. If its limit is above `largest`,
 * returns it modulo min(largest, SMALL). */
value random_ops_pick(drawing *d, int kind, double largest);
value random_ops_modulo(drawing *d, gt_id x, int n); /* x modulo n */
/* Adds a product and an op that devices may fuse into its epilogue. Successive calls go through the list of
 * these ops. */
void random_ops_draw_fused(drawing *d);
void random_ops_draw_any(drawing *d); /* adds an op of any kind */
#endif
