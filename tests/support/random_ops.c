#include "support/random_ops.h"
#include "op/batch.h"
#include "op/conv/conv.h"
#include "op/core.h"
#include "op/cross_entropy.h"
#include "op/autodiff.h"
#include "op/elementwise.h"
#include "op/gather.h"
#include "op/matmul/matmul.h"
#include "op/moments.h"
#include "op/move.h"
#include "op/pool.h"
#include "op/reduce.h"
#include "op/softmax.h"
#include "support/random_step.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Convolution and pooling read a matrix as images of SIDE x SIDE pixels; each row of it is a pixel. */
enum { SIDE = 4, PIXELS = SIDE * SIDE };
static const int transposed[] = {1, 0};

uint32_t random_ops_roll(drawing *d, uint32_t below) { return random_step_roll(&d->dice, below); }

gt_shape random_ops_shape(const drawing *d, int kind) {
  switch (kind) {
  case MATRIX: return gt_shape_2(d->rows, d->width);
  case SQUARE: return gt_shape_2(d->width, d->width);
  case PER_COLUMN: return gt_shape_1(d->width);
  case PER_ROW: return gt_shape_2(d->rows, 1);
  case SCALAR: return gt_shape_1(1);
  default: return gt_shape_2(RANDOM_TABLE_ROWS, d->width);
  }
}

static gt_shape image_of(const drawing *d) { return (gt_shape){4, {d->rows / PIXELS, SIDE, SIDE, d->width}}; }

static gt_id constant(drawing *d, double x) { return gt_constant(d->g, x); }

void random_ops_add(drawing *d, int kind, gt_id id, double limit) {
  if (id == GT_NONE) fail_msg("%s", d->g->error.message);
  assert_true(limit <= LARGEST);
  d->pool[kind][d->count[kind]++] = (value){id, limit};
}

value random_ops_modulo(drawing *d, gt_id x, int n) { return (value){gt_mod(d->g, x, constant(d, n)), n}; }

value random_ops_pick(drawing *d, int kind, double largest) {
  const uint32_t count = d->count[kind];
  uint32_t recent = count < 4 || !random_ops_roll(d, 4) ? count : 4;
  if (kind == MATRIX && d->pick_newest_matrix) d->pick_newest_matrix = false, recent = 1;
  const value x = d->pool[kind][count - 1 - random_ops_roll(d, recent)];
  return x.limit > largest ? random_ops_modulo(d, x.id, largest < SMALL ? (int)largest : SMALL) : x;
}

static gt_id round_down(drawing *d, gt_id x) { return gt_sub(d->g, x, gt_mod(d->g, x, constant(d, 1))); }

/* --- elementwise --------------------------------------------------------------------------------------- */

static void draw_unary(drawing *d) {
  gt_graph *g = d->g;
  const int kind = (int)random_ops_roll(d, KINDS);
  const value x = random_ops_pick(d, kind, MEDIUM);
  switch (random_ops_roll(d, 5)) {
  case 0: random_ops_add(d, kind, gt_abs(g, x.id), x.limit); break;
  case 1: random_ops_add(d, kind, gt_relu(g, x.id), x.limit); break;
  case 2: random_ops_add(d, kind, gt_less(g, x.id, constant(d, 3)), 1); break;
  case 3: random_ops_add(d, kind, gt_sub(g, constant(d, 5), x.id), x.limit + 5); break;
  default: random_ops_add(d, kind, random_ops_modulo(d, x.id, SMALL).id, SMALL);
  }
}

/* An op on a matrix and a second operand: a matrix, or one value per column, one per row or a scalar, which
 * is broadcast. */
static void draw_binary(drawing *d) {
  static const int kinds[] = {MATRIX, MATRIX, PER_COLUMN, PER_ROW, SCALAR};
  gt_graph *g = d->g;
  const value a = random_ops_pick(d, MATRIX, MEDIUM),
              b = random_ops_pick(d, kinds[random_ops_roll(d, 5)], MEDIUM);
  switch (random_ops_roll(d, 5)) {
  case 0: random_ops_add(d, MATRIX, gt_add(g, a.id, b.id), a.limit + b.limit); break;
  case 1: random_ops_add(d, MATRIX, gt_sub(g, a.id, b.id), a.limit + b.limit); break;
  case 2: random_ops_add(d, MATRIX, gt_mul(g, a.id, b.id), a.limit * b.limit); break;
  case 3: random_ops_add(d, MATRIX, gt_max(g, a.id, b.id), a.limit + b.limit); break;
  default: random_ops_add(d, MATRIX, gt_where(g, gt_less(g, a.id, b.id), a.id, constant(d, 2)), a.limit + 2);
  }
}

static void draw_random(drawing *d) {
  const gt_id uniform = gt_random(d->g, random_ops_shape(d, MATRIX), d->clock);
  random_ops_add(d, MATRIX, round_down(d, gt_mul(d->g, uniform, constant(d, SMALL))), SMALL);
}

/* --- products ------------------------------------------------------------------------------------------ */

static void draw_product(drawing *d) {
  static const int limits[] = {TINY, TINY, SMALL, MEDIUM};
  const double largest = limits[random_ops_roll(d, 4)];
  const value a = random_ops_pick(d, MATRIX, largest), b = random_ops_pick(d, SQUARE, largest);
  const double limit = a.limit * b.limit * (double)d->width;
  random_ops_add(d, MATRIX, gt_matmul(d->g, a.id, b.id, false, random_ops_roll(d, 2)), limit);
}

/* The product of a transposed matrix and a matrix, as in the gradient of a weight. */
static void draw_transposed_product(drawing *d) {
  const value a = random_ops_pick(d, MATRIX, MEDIUM), b = random_ops_pick(d, MATRIX, MEDIUM);
  random_ops_add(d, SQUARE, gt_matmul(d->g, a.id, b.id, true, false), a.limit * b.limit * (double)d->rows);
}

/* Batched products, as in attention over sequences of PIXELS rows. */
static void draw_batched_product(drawing *d) {
  gt_graph *g = d->g;
  const gt_shape shape = {3, {d->rows / PIXELS, PIXELS, d->width}};
  const value a = random_ops_pick(d, MATRIX, MEDIUM), b = random_ops_pick(d, MATRIX, MEDIUM);
  const gt_id x = gt_reshape(g, a.id, shape), y = gt_reshape(g, b.id, shape);
  const value scores = random_ops_modulo(d, gt_matmul(g, x, y, false, true), SMALL);
  const gt_id mixed = gt_matmul(g, scores.id, y, random_ops_roll(d, 2), false);
  random_ops_add(d, MATRIX, gt_reshape(g, mixed, random_ops_shape(d, MATRIX)),
                 scores.limit * b.limit * PIXELS);
}

static void draw_convolution(drawing *d) {
  gt_graph *g = d->g;
  const gt_conv_attribute a = {.rank = 2,
                               .groups = 1,
                               .kernel = {3, 3},
                               .stride = {1, 1},
                               .dilation = {1, 1},
                               .before = {1, 1},
                               .in = {SIDE, SIDE},
                               .out = {SIDE, SIDE}};
  const value x = random_ops_pick(d, MATRIX, SMALL);
  const gt_id image = gt_reshape(g, x.id, image_of(d)), w = gt_variable_read(g, KERNEL);
  const gt_id y = random_ops_roll(d, 2) ? gt_conv(g, image, w, &a) : gt_conv_input(g, image, w, &a);
  random_ops_add(d, MATRIX, gt_reshape(g, y, random_ops_shape(d, MATRIX)),
                 x.limit * SMALL * 9 * (double)d->width);
}

/* --- rows ---------------------------------------------------------------------------------------------- */

static void draw_row_reduction(drawing *d) {
  const value x = random_ops_pick(d, MATRIX, MEDIUM);
  switch (random_ops_roll(d, 3)) {
  case 0: random_ops_add(d, PER_ROW, gt_reduce_max(d->g, x.id, 2, true), x.limit); break;
  case 1: random_ops_add(d, PER_ROW, gt_reduce_min(d->g, x.id, 2, true), x.limit); break;
  default: random_ops_add(d, PER_ROW, gt_sum(d->g, x.id, 2, true), x.limit * (double)d->width);
  }
}

/* The sum of each row of a square matrix whose columns were scaled. As there are as many rows as columns, the
 * sums can be used as one value per column, which may then scale the matrix again. */
static void draw_square_rows(drawing *d) {
  gt_graph *g = d->g;
  const value s = random_ops_pick(d, SQUARE, SMALL), state = d->pool[PER_COLUMN][0],
              scale = random_ops_roll(d, 2) ? state : random_ops_pick(d, PER_COLUMN, SMALL);
  const value sum = random_ops_modulo(d, gt_sum(g, gt_mul(g, s.id, scale.id), 2, false), SMALL);
  random_ops_add(d, PER_COLUMN, sum.id, sum.limit);
  if (random_ops_roll(d, 2)) random_ops_add(d, SQUARE, gt_mul(g, s.id, sum.id), s.limit * sum.limit);
}

/* Softmax of rows, or of pairs of rows joined to one. Inputs are multiples of 256, so an exponential is 1 or
 * 0, and the softmax of each of n equal maxima is 1/n. 8/n + 1/4 is at least 1/50 from any integer for n up
 * to 80, the largest number of columns, so rounding it down is safe. */
static void draw_softmax(drawing *d) {
  gt_graph *g = d->g;
  const int64_t joined_rows = random_ops_roll(d, 3) ? 1 : 2;
  const gt_id scaled = gt_mul(g, random_ops_pick(d, MATRIX, MEDIUM).id, constant(d, 256)),
              x = gt_reshape(g, scaled, gt_shape_2(d->rows / joined_rows, joined_rows * d->width));
  gt_id softmax;
  if (random_ops_roll(d, 2)) {
    softmax = gt_softmax(g, x, 1);
  } else {
    const gt_id e = gt_exp(g, gt_sub(g, x, gt_reduce_max(g, x, 2, true)));
    softmax = gt_div(g, e, gt_sum(g, e, 2, true));
  }
  const gt_id rounded = round_down(d, gt_add(g, gt_mul(g, softmax, constant(d, 8)), constant(d, 0.25)));
  random_ops_add(d, MATRIX, gt_reshape(g, rounded, random_ops_shape(d, MATRIX)), 8);
}

/* The ops of a layer norm. To keep integers, the shift is the sum of the row modulo SMALL, not its mean, and
 * the scale is 2 if the sum of squares is below 2000, otherwise 1. */
static void draw_norm(drawing *d) {
  gt_graph *g = d->g;
  const value x = random_ops_pick(d, MATRIX, SMALL), gain = random_ops_pick(d, PER_COLUMN, SMALL),
              bias = random_ops_pick(d, PER_COLUMN, MEDIUM);
  const gt_id shift = random_ops_modulo(d, gt_sum(g, x.id, 2, true), SMALL).id,
              centered = gt_sub(g, x.id, shift);
  const gt_id squares = gt_sum(g, gt_mul(g, centered, centered), 2, true);
  const gt_id scale = gt_add(g, gt_less(g, squares, constant(d, 2000)), constant(d, 1));
  random_ops_add(d, PER_ROW, shift, SMALL);
  random_ops_add(d, MATRIX, gt_add(g, gt_mul(g, gt_mul(g, centered, scale), gain.id), bias.id),
                 (x.limit + SMALL) * 2 * gain.limit + bias.limit);
}

/* Cross-entropy, with rows, or pairs of rows joined to one, as logits. Before rounding to the nearest
 * integer, a loss is a multiple of 256 plus the logarithm of an integer up to 80, which is at least 1/300
 * from any integer plus 1/2. Its gradient is a softmax as in draw_softmax, minus 1 at the label; it is 0 in
 * rows whose loss has the gradient 0. */
static void draw_cross_entropy(drawing *d) {
  gt_graph *g = d->g;
  const int64_t joined_rows = random_ops_roll(d, 3) ? 1 : 2, rows = d->rows / joined_rows;
  const gt_id labels = gt_view(g, gt_variable_read(g, LABELS), 0, gt_shape_1(rows)),
              x = random_ops_modulo(d, random_ops_pick(d, MATRIX, LARGEST).id, SMALL).id,
              scaled = gt_mul(g, x, constant(d, 256)),
              logits = gt_reshape(g, scaled, gt_shape_2(rows, joined_rows * d->width)),
              loss = gt_cross_entropy(g, logits, labels, 0, NULL);
  if (random_ops_roll(d, 2)) {
    const gt_id weight = gt_view(g, random_ops_pick(d, PER_ROW, LARGEST).id, 0, gt_shape_1(rows));
    gt_id gradient;
    gt_pull_back(g, loss, gt_less(g, weight, constant(d, 9)), &scaled, 1, &gradient);
    gradient = gt_add(g, gt_mul(g, gradient, constant(d, 8)), constant(d, 0.25));
    random_ops_add(d, MATRIX, round_down(d, gradient), 9);
  }
  const gt_id rounded = round_down(d, gt_add(g, loss, constant(d, 0.5)));
  const gt_id per_row = joined_rows == 1 ? rounded : gt_pack(g, (gt_id[]){rounded, rounded}, 2);
  random_ops_add(d, PER_ROW, gt_reshape(g, per_row, random_ops_shape(d, PER_ROW)), 256 * SMALL + 5);
}

/* --- columns and whole values -------------------------------------------------------------------------- */

/* Sums or maxima of the columns of a matrix; or of the matrix reshaped to half as many rows of twice the
 * length, whose first half of results is used. */
static void draw_column_reduction(drawing *d) {
  gt_graph *g = d->g;
  const value x = random_ops_pick(d, MATRIX, LARGEST / (double)d->rows);
  const gt_shape folded = gt_shape_2(d->rows / 2, 2 * d->width);
  const bool is_folded = random_ops_roll(d, 3) == 0;
  const gt_id operand = is_folded ? gt_reshape(g, x.id, folded) : x.id;
  const bool is_sum = random_ops_roll(d, 4) > 0;
  const gt_id y = is_sum ? gt_sum(g, operand, 1, false) : gt_reduce_max(g, operand, 1, false);
  random_ops_add(d, PER_COLUMN, is_folded ? gt_view(g, y, 0, random_ops_shape(d, PER_COLUMN)) : y,
                 x.limit * (is_sum ? (double)d->rows : 1));
}

/* Sums of the columns of a matrix, and of its elementwise product with another one, as in the gradients of a
 * norm's bias and weight. */
static void draw_column_sums(drawing *d) {
  gt_graph *g = d->g;
  const value x = random_ops_pick(d, MATRIX, LARGEST / MEDIUM / (double)d->rows),
              y = random_ops_pick(d, MATRIX, MEDIUM);
  random_ops_add(d, PER_COLUMN, gt_sum(g, x.id, 1, false), x.limit * (double)d->rows);
  random_ops_add(d, PER_COLUMN, gt_sum(g, gt_mul(g, x.id, y.id), 1, false),
                 x.limit * y.limit * (double)d->rows);
}

/* The integer nearest to factor * x. For a mean and the number of rows, the product is an integer up to
 * rounding errors, and so it is for a variance and the square of this number. The products are below 2^18:
 * 192 times means of up to 640, 192^2 times variances of up to 4. An error of x of at most 20 units in the
 * last place then changes them by less than 1/2, so the result is exact. */
static gt_id nearest_integer(drawing *d, gt_id x, double factor) {
  return round_down(d, gt_add(d->g, gt_mul(d->g, x, constant(d, factor)), constant(d, 0.5)));
}

/* The means of the columns of a matrix or of a product; of a matrix also the variances. */
static void draw_moments(drawing *d) {
  gt_graph *g = d->g;
  const double n = (double)d->rows;
  value x = random_ops_pick(d, MATRIX, TINY);
  if (random_ops_roll(d, 2)) {
    const value w = random_ops_pick(d, SQUARE, TINY);
    x = (value){gt_matmul(g, x.id, w.id, false, false), x.limit * w.limit * (double)d->width};
    random_ops_add(d, MATRIX, x.id, x.limit);
  }
  const gt_id mean = gt_column_moments(g, x.id, GT_NONE, 1);
  random_ops_add(d, PER_COLUMN, nearest_integer(d, mean, n), n * x.limit + 1);
  if (x.limit <= TINY)
    random_ops_add(d, PER_COLUMN, nearest_integer(d, gt_result(g, mean, 1), n * n), 9 * n * n);
}

static void draw_sum(drawing *d) {
  const value x = random_ops_pick(d, MATRIX, MEDIUM);
  random_ops_add(d, SCALAR, gt_reshape(d->g, gt_sum(d->g, x.id, 0, false), gt_shape_1(1)),
                 x.limit * (double)(d->rows * d->width));
}

/* The sum of a matrix in stages: first of each row; then, if `width` divides the number of rows, of each
 * group of `width` of these sums; then of the remaining values. */
static void draw_repeated_sum(drawing *d) {
  gt_graph *g = d->g;
  const value x = random_ops_pick(d, MATRIX, MEDIUM);
  gt_id sum = gt_sum(g, x.id, 2, false);
  if (d->rows % d->width == 0)
    sum = gt_sum(g, gt_reshape(g, sum, gt_shape_2(d->rows / d->width, d->width)), 2, false);
  random_ops_add(d, SCALAR, gt_reshape(g, gt_sum(g, sum, 0, false), gt_shape_1(1)),
                 x.limit * (double)(d->rows * d->width));
}

/* gt_all_finite of a pack of a matrix and another value, which may overflow. The result if all elements are
 * finite is a scalar that may depend on the same matrix. */
static void draw_flag(drawing *d) {
  gt_graph *g = d->g;
  const value matrix = random_ops_pick(d, MATRIX, MEDIUM), scalar = random_ops_pick(d, SCALAR, MEDIUM);
  const gt_id source = random_ops_roll(d, 2) ? gt_sum(g, matrix.id, 0, false) : scalar.id;
  const value if_finite =
      random_ops_modulo(d, gt_add(g, gt_reshape(g, source, gt_shape_1(1)), constant(d, 1)), SMALL);
  gt_id parts[] = {matrix.id, random_ops_pick(d, PER_COLUMN, LARGEST).id};
  if (random_ops_roll(d, 2)) parts[1] = gt_mul(g, gt_mul(g, parts[1], constant(d, 1e38)), constant(d, 1e38));
  const gt_id flag = gt_all_finite(g, gt_pack(g, parts, 2), if_finite.id);
  random_ops_add(d, SCALAR, gt_reshape(g, flag, gt_shape_1(1)), if_finite.limit);
  if (random_ops_roll(d, 2)) random_ops_add(d, SCALAR, gt_abs(g, if_finite.id), if_finite.limit);
}

/* --- loads and movement -------------------------------------------------------------------------------- */

/* The product of each half of each row with the first quarter of w's elements, which are read as a matrix
 * [width / 2, width / 2]. */
static gt_id product_of_halves(drawing *d, gt_id rows, gt_id w) {
  const int64_t half = d->width / 2;
  const gt_id x = gt_reshape(d->g, rows, gt_shape_2(2 * d->rows, half));
  return gt_reshape(d->g, gt_matmul(d->g, x, gt_view(d->g, w, 0, gt_shape_2(half, half)), false, false),
                    random_ops_shape(d, MATRIX));
}

/* A matrix gathered from a table: each row is a row of the table, or two half rows. Adds products of this
 * matrix, whose kernels may load the rows by index, and sometimes the matrix itself. */
static void draw_gather(drawing *d) {
  gt_graph *g = d->g;
  const value table = random_ops_pick(d, TABLE, MEDIUM), w = random_ops_pick(d, SQUARE, MEDIUM),
              x = random_ops_pick(d, MATRIX, MEDIUM);
  gt_id index = gt_variable_read(g, INDEX), source = table.id;
  if (random_ops_roll(d, 3))
    index = gt_view(g, index, 0, gt_shape_1(d->rows));
  else
    source = gt_reshape(g, source, gt_shape_2(2 * RANDOM_TABLE_ROWS, d->width / 2));
  const gt_id rows = gt_reshape(g, gt_gather(g, source, index, -1), random_ops_shape(d, MATRIX));
  const double product_limit = table.limit * w.limit * (double)d->width;
  if (random_ops_roll(d, 3) == 0) random_ops_add(d, MATRIX, rows, table.limit);
  if (random_ops_roll(d, 3))
    random_ops_add(d, MATRIX, gt_matmul(g, rows, w.id, false, random_ops_roll(d, 2)), product_limit);
  if (random_ops_roll(d, 4) == 0)
    random_ops_add(d, MATRIX, gt_permute(g, gt_matmul(g, w.id, rows, false, true), transposed),
                   product_limit);
  if (random_ops_roll(d, 4) == 0) random_ops_add(d, MATRIX, product_of_halves(d, rows, w.id), product_limit);
  const bool rows_first = random_ops_roll(d, 2);
  if (random_ops_roll(d, 2))
    random_ops_add(d, SQUARE, gt_matmul(g, rows_first ? rows : x.id, rows_first ? x.id : rows, true, false),
                   x.limit * table.limit * (double)d->rows);
}

static void draw_gather_gradient(drawing *d) {
  const value x = random_ops_pick(d, MATRIX, MEDIUM);
  const gt_id index = gt_view(d->g, gt_variable_read(d->g, INDEX), d->rows, gt_shape_1(d->rows));
  random_ops_add(d, TABLE, gt_gather_sum(d->g, x.id, index, RANDOM_TABLE_ROWS, -1),
                 x.limit * (double)d->rows);
}

static void draw_batch(drawing *d) {
  gt_graph *g = d->g;
  static const float scaling[] = {RANDOM_BYTE_CENTER, 1, 0};
  const gt_batch_attribute a = {.batch = d->rows,
                                .samples = 2 * d->rows,
                                .even = gt_batch_even_bytes(scaling, 1),
                                .bytes = gt_batch_byte_form(RANDOM_BYTE_CENTER, 1, 0)};
  random_ops_add(d, MATRIX, gt_batch(g, gt_variable_read(g, DATA), d->clock, gt_variable_read(g, SCALING), a),
                 SMALL);
}

/* Ops on two matrices that are reshaped to rows of twice the length. */
static void draw_reshape(drawing *d) {
  gt_graph *g = d->g;
  const gt_shape folded = gt_shape_2(d->rows / 2, 2 * d->width);
  const value a = random_ops_pick(d, MATRIX, MEDIUM), b = random_ops_pick(d, MATRIX, MEDIUM);
  const gt_id x = gt_reshape(g, a.id, folded);
  gt_id y = gt_add(g, gt_relu(g, x), gt_reshape(g, b.id, folded));
  if (random_ops_roll(d, 2)) y = gt_sub(g, y, gt_reduce_max(g, x, 2, true));
  random_ops_add(d, MATRIX, gt_reshape(g, y, random_ops_shape(d, MATRIX)), 2 * a.limit + b.limit);
}

/* A transposed square matrix, and a product with a transposed matrix. */
static void draw_transpose(drawing *d) {
  gt_graph *g = d->g;
  const value s = random_ops_pick(d, SQUARE, LARGEST), x = random_ops_pick(d, MATRIX, MEDIUM),
              w = random_ops_pick(d, SQUARE, MEDIUM);
  random_ops_add(d, SQUARE, gt_permute(g, s.id, transposed), s.limit);
  const gt_id y = gt_matmul(g, gt_relu(g, gt_permute(g, x.id, transposed)), w.id, true, false);
  random_ops_add(d, MATRIX, y, x.limit * w.limit * (double)d->width);
}

/* A pack of the two halves of a matrix, in order or swapped; or of one half of a matrix and relu of the other
 * half of another matrix. */
static void draw_pack(drawing *d) {
  gt_graph *g = d->g;
  const gt_shape half = gt_shape_2(d->rows / 2, d->width);
  const int64_t second_half = gt_shape_count(half);
  const value a = random_ops_pick(d, MATRIX, LARGEST),
              b = random_ops_roll(d, 2) ? a : random_ops_pick(d, MATRIX, LARGEST);
  const bool in_order = random_ops_roll(d, 2);
  gt_id parts[] = {gt_view(g, a.id, in_order ? 0 : second_half, half),
                   gt_view(g, b.id, in_order ? second_half : 0, half)};
  if (a.id != b.id) parts[1] = gt_relu(g, parts[1]);
  random_ops_add(d, MATRIX, gt_reshape(g, gt_pack(g, parts, 2), random_ops_shape(d, MATRIX)),
                 a.limit > b.limit ? a.limit : b.limit);
}

/* Pooling after relu: the maximum or the sum of 3 x 3 pixels around each pixel; sometimes their gradient. */
static void draw_pool(drawing *d) {
  gt_graph *g = d->g;
  const gt_pool_attribute a = {
      .axes = 2, .window = {3, 3}, .stride = {1, 1}, .padding = {1, 1}, .dilation = {1, 1}, .divisor = 1};
  const value x = random_ops_pick(d, MATRIX, MEDIUM), output_gradient = random_ops_pick(d, MATRIX, MEDIUM);
  const gt_id image = gt_reshape(g, x.id, image_of(d));
  const bool is_sum = random_ops_roll(d, 3) == 0;
  const gt_id y =
      is_sum ? gt_avg_pool(g, gt_relu(g, image), &a) : gt_max_pool(g, gt_relu(g, image), &a, true);
  random_ops_add(d, MATRIX, gt_reshape(g, y, random_ops_shape(d, MATRIX)), (is_sum ? 9 : 1) * x.limit);
  if (random_ops_roll(d, 2)) return;
  gt_id gradient;
  gt_pull_back(g, y, gt_reshape(g, output_gradient.id, image_of(d)), &image, 1, &gradient);
  random_ops_add(d, MATRIX, gt_reshape(g, gradient, random_ops_shape(d, MATRIX)), 9 * output_gradient.limit);
}

void random_ops_draw_fused(drawing *d) {
  static void (*const fused_op[])(drawing *) = {draw_column_sums,
                                                draw_column_reduction,
                                                draw_column_reduction,
                                                draw_moments,
                                                draw_norm,
                                                draw_softmax,
                                                draw_cross_entropy,
                                                draw_product,
                                                draw_transposed_product,
                                                draw_reshape};
  if (random_ops_roll(d, 4))
    draw_product(d);
  else
    draw_convolution(d);
  if (random_ops_roll(d, 3) == 0) d->pick_newest_matrix = true, draw_binary(d);
  d->pick_newest_matrix = true;
  fused_op[d->next_fused++ % (sizeof fused_op / sizeof *fused_op)](d);
  d->pick_newest_matrix = false;
}

static void (*const any_op[])(drawing *) = {draw_unary,
                                            draw_unary,
                                            draw_binary,
                                            draw_binary,
                                            draw_binary,
                                            draw_random,
                                            draw_product,
                                            draw_product,
                                            draw_transposed_product,
                                            draw_batched_product,
                                            draw_convolution,
                                            draw_softmax,
                                            draw_row_reduction,
                                            draw_square_rows,
                                            draw_norm,
                                            draw_cross_entropy,
                                            draw_column_sums,
                                            draw_column_reduction,
                                            draw_moments,
                                            draw_sum,
                                            draw_flag,
                                            draw_flag,
                                            draw_repeated_sum,
                                            draw_gather,
                                            draw_gather,
                                            draw_gather_gradient,
                                            draw_batch,
                                            draw_reshape,
                                            draw_transpose,
                                            draw_pack,
                                            draw_pool};

void random_ops_draw_any(drawing *d) { any_op[random_ops_roll(d, sizeof any_op / sizeof *any_op)](d); }
