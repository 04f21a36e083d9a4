/* Cases (op/case.h) of the ops batch and batch_weight. */
#include "op/batch.h"
#include "base/philox.h"
#include "op/case.h"
#include "op/core.h"
#include "op/elementwise.h"
#include <math.h>

GT_REGISTER(opcase, batch)

/* Inputs: the clock's state (words p[0..3]: step, seed), its table, the data, then optionally the scaling.
 * p[4] rows of a batch, p[5] samples, p[6] sequential, p[7] steps of an epoch (0: the smallest number), p[8]
 * and p[9] the first step and epoch, p[10] batches in the window (0: the data has all samples), p[11] classes
 * of the balanced order (0: another order), whose members are the last input. */
static gt_batch_attribute attribute_of(const gt_case_view *v) {
  const int64_t *p = v->c->p;
  return (gt_batch_attribute){.batch = p[4],
                              .samples = p[5],
                              .sequential = (uint32_t)p[6],
                              .steps = (uint32_t)p[7],
                              .first_step = (uint32_t)p[8],
                              .first_epoch = (uint32_t)p[9],
                              .window = (uint32_t)p[10],
                              .classes = (uint32_t)p[11]};
}

static bool has_scaling(const gt_case_view *v) { return v->inputs == 4 + (v->c->p[11] > 0); }

/* The sample of a row, -1 past the end: an epoch is a permutation of all samples, cut into batches. */
static int64_t sample_of(const gt_case_view *v, int64_t row) {
  const int64_t *p = v->c->p, steps = p[7] ? p[7] : (p[5] + p[4] - 1) / p[4], step = p[0] - p[8];
  const int64_t turn = step % steps * p[4] + row; /* position in the order of the epoch */
  if (turn >= p[5]) return -1;
  if (p[6]) return turn;
  const uint64_t seed = (uint32_t)p[1] | (uint64_t)p[2] << 32;
  return gt_shuffle_index((uint32_t)turn, (uint32_t)p[5], seed, (uint32_t)(step / steps + p[9]));
}

/* The position of the row in the data; rows without a sample read sample 0. */
static int64_t place_of(const gt_case_view *v, int64_t row) {
  const int64_t *p = v->c->p;
  if (p[10]) return p[0] % p[10] * p[4] + row;
  const int64_t sample = sample_of(v, row);
  return sample < 0 ? 0 : sample;
}

/* Sample i is of class i² mod 2 p[11], which makes classes of different sizes; the first p[11] classes that
 * have samples are used. out: the p[11] + 1 limits of the classes in the list of samples, then that list. */
static void fill_members(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const int64_t classes = v->c->p[11], samples = v->c->p[5];
  int32_t *sorted = out + classes + 1, count = 0, found = 0;
  (void)input, (void)x;
  out[0] = 0;
  for (int64_t k = 0; found < classes; k++) {
    for (int64_t i = 0; i < samples; i++)
      if (i * i % (2 * classes) == k) sorted[count++] = (int32_t)i;
    if (count > out[found]) out[++found] = count;
  }
  while (count < samples) sorted[count++] = -1; /* never read */
}

/* The position in the data of a row in the balanced order: a random class, then one of its samples. */
static int64_t balanced_place_of(const gt_case_view *v, int64_t row, const double *members) {
  const int64_t *p = v->c->p, steps = p[7] ? p[7] : (p[5] + p[4] - 1) / p[4], step = p[0] - p[8];
  const int64_t turn = step % steps * p[4] + row;
  if (turn >= p[5]) return 0;
  const gt_philox bits = gt_philox_block((uint32_t)p[1] | (uint64_t)p[2] << 32, GT_PURPOSE_BALANCE,
                                         (uint32_t)(step / steps + p[9]), (uint32_t)turn);
  const int64_t class = (int64_t)((uint64_t)bits.v[0] * (uint64_t)p[11] >> 32);
  const double start = members[class], count = members[class + 1] - start;
  return (int64_t)members[p[11] + 1 + (int64_t)start + (int64_t)floor(bits.v[1] * count * 0x1p-32)];
}

static gt_shape reference_batch(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape out = v->shape[2];
  const int64_t features = gt_shape_count(out) / out.dim[0];
  out.dim[0] = v->c->p[4];
  for (int64_t i = 0; y && i < gt_shape_count(out); i++) {
    const int64_t f = i % features;
    const int64_t place =
        v->c->p[11] ? balanced_place_of(v, i / features, x[v->inputs - 1]) : place_of(v, i / features);
    y[i] = x[2][place * features + f];
    if (has_scaling(v)) {
      const int64_t period = v->shape[3].dim[1];
      const double *scaling = x[3] + f % period; /* rows: center, scale, shift */
      y[i] = (y[i] - scaling[0]) * scaling[period] + scaling[2 * period];
    }
  }
  return out;
}

static gt_id build_batch(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id clock = gt_clock(g, v->variable[0], v->variable[1]);
  const gt_id members = v->c->p[11] ? x[v->inputs - 1] : GT_NONE;
  return gt_batch_balanced(g, x[2], clock, has_scaling(v) ? x[3] : GT_NONE, members, attribute_of(v));
}

/* With a fused epilogue: x^2 + x. */
static gt_shape reference_epilogue(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape out = reference_batch(v, x, y);
  for (int64_t i = 0; y && i < gt_shape_count(out); i++) y[i] += y[i] * y[i];
  return out;
}

static gt_id build_epilogue(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id batch = build_batch(g, v, x);
  return gt_add(g, gt_mul(g, batch, batch), batch);
}

static gt_shape reference_weight(const gt_case_view *v, const double *const *x, double *y) {
  (void)x;
  for (int64_t i = 0; y && i < v->c->p[4]; i++) y[i] = sample_of(v, i) >= 0;
  return gt_shape_1(v->c->p[4]);
}

static gt_id build_weight(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)x;
  return gt_batch_weight(g, gt_clock(g, v->variable[0], v->variable[1]), attribute_of(v));
}

static const gt_case_rule plain = {.name = "batch",
                                   .build = build_batch,
                                   .reference = reference_batch,
                                   .fill = fill_members,
                                   .tolerance = 0,
                                   .reason = "a copy"};
static const gt_case_rule scaled = {.name = "batch",
                                    .build = build_batch,
                                    .reference = reference_batch,
                                    .fill = fill_members,
                                    .tolerance = 1e-6,
                                    .reason = "a difference, a product and a sum"};
static const gt_case_rule with_epilogue = {.name = "batch",
                                           .build = build_epilogue,
                                           .reference = reference_epilogue,
                                           .tolerance = 2e-6,
                                           .reason = "scaled, a product and a sum"};
static const gt_case_rule weight = {.name = "batch_weight",
                                    .build = build_weight,
                                    .reference = reference_weight,
                                    .tolerance = 0,
                                    .reason = "0 or 1"};

static const gt_case cases[] = {
    {&plain, "w4 v1,1 10,3", {0, 7, 0, 0, 4, 10, 1}},
    {&plain, "w4 v1,1 10,3", {2, 7, 0, 0, 4, 10, 1}},
    {&plain, "w4 v1,1 10,3", {2, 7, 0, 0, 4, 10, 0}},
    {&plain, "w4 v1,1 10,3", {7, 7, 9, 0, 4, 10, 0}},
    {&plain, "w4 v1,1 u10,3", {1, 7, 0, 0, 4, 10, 0}},
    {&plain, "w4 v1,1 u101,28,28", {3, 5, 0, 0, 32, 101, 0}},
    {&plain, "w4 v1,1 u50,13", {11, 5, 1, 0, 7, 50, 0}},
    {&plain, "w4 v1,1 i257", {1, 3, 3, 0, 128, 257, 0}, 100},
    {&plain, "w4 v1,1 i257,2", {2, 3, 3, 0, 128, 257, 1}, 100},
    /* Longer epochs, whose last batches are empty, and epochs that start later. */
    {&plain, "w4 v1,1 10,3", {3, 7, 0, 0, 4, 10, 0, 4}},
    {&plain, "w4 v1,1 10,3", {6, 7, 0, 0, 4, 10, 0, 4}},
    {&plain, "w4 v1,1 u50,13", {1000, 5, 1, 0, 7, 50, 0, 16, 990, 3}},
    {&plain, "w4 v1,1 u50,13", {1000, 5, 1, 0, 7, 50, 1, 0, 997, 3}},
    /* The data is a window of batches. */
    {&plain, "w4 v1,1 12,3", {7, 7, 9, 0, 4, 10, 0, 0, 0, 0, 3}},
    {&plain, "w4 v1,1 u7,13", {12, 5, 1, 0, 7, 50, 1, 0, 0, 0, 1}},
    {&plain, "w4 v1,1 u35,13", {1003, 5, 1, 0, 7, 50, 0, 16, 990, 3, 5}},
    {&plain, "w4 v1,1 i256,2", {3, 3, 3, 0, 128, 100000, 0, 0, 0, 0, 2}, 100},
    /* Balanced order; the members of the classes are the last input. */
    {&plain, "w4 v1,1 10,3 c13", {2, 7, 9, 0, 4, 10, 0, 0, 0, 0, 0, 2}},
    {&plain, "w4 v1,1 u101,28,28 c105", {3, 5, 0, 0, 32, 101, 0, 0, 0, 0, 0, 3}},
    {&plain, "w4 v1,1 i257 c260", {1000, 3, 3, 0, 128, 257, 0, 5, 990, 3, 0, 2}, 100},
    {&scaled, "w4 v1,1 40,7 3,7 c43", {1, 5, 0, 0, 16, 40, 0, 0, 0, 0, 0, 2}},
    {&scaled, "w4 v1,1 u24,4,3 3,3", {6, 5, 0, 0, 6, 20, 0, 0, 0, 0, 4}},
    {&weight, "w4 v1,1", {3, 1, 1, 0, 4, 10, 0, 4, 0, 0, 2}},
    {&weight, "w4 v1,1", {3, 1, 1, 0, 4, 10, 0, 4}},
    {&weight, "w4 v1,1", {2, 1, 1, 0, 4, 10, 0, 4}},
    {&weight, "w4 v1,1", {4000000, 1, 1, 0, 4000, 10, 0, 4000001}},
    {&plain, "w4 v1,1 1,1", {5, 1, 1, 0, 1, 1, 0}},
    {&plain, "w4 v1,1 3", {5, 1, 1, 0, 8, 3, 0}},
    {&plain, "w4 v1,1 2", {9, 4, 1, 0, 2, 2, 0}},
    {&plain, "w4 v1,1 16", {3, 4, 1, 0, 16, 16, 0}},
    {&plain, "w4 v1,1 17", {3, 4, 1, 0, 17, 17, 0}},
    {&plain, "w4 v1,1 256", {3, 4, 1, 0, 256, 256, 0}},
    {&plain, "w4 v1,1 1000,1", {70000, 1, 1, 0, 7, 999, 0}},
    {&plain, "w4 v1,1 5,40000", {1, 1, 1, 0, 2, 5, 0}},
    {&plain, "w4 v1,1 u3,700033", {1, 3, 1, 0, 3, 3, 0}}, /* several vec4 per invocation */
    {&plain, "w4 v1,1 4,2,1,2,1,2,1,3", {1, 1, 1, 0, 2, 4, 0}},
    {&scaled, "w4 v1,1 u101,28,28 3,1", {3, 5, 0, 0, 32, 101, 0}},
    {&scaled, "w4 v1,1 u20,4,3 3,3", {1, 5, 0, 0, 6, 20, 0}},
    {&scaled, "w4 v1,1 u20,15 3,15", {3, 5, 0, 0, 6, 20, 1}},
    {&scaled, "w4 v1,1 40,7 3,7", {1, 5, 0, 0, 16, 40, 0}},
    {&scaled, "w4 v1,1 40,6 3,2", {4, 5, 0, 0, 16, 40, 0}},
    /* Values that differ only in their last digits: no cancellation. */
    {&scaled, "w4 v1,1 40,6 3,6", {4, 5, 0, 0, 16, 40, 0}, 0, 999996, 1000004},
    {&scaled, "w4 v1,1 40,6 3,1", {4, 5, 0, 0, 16, 40, 0}, 0, 999996, 1000004},
    {&with_epilogue, "w4 v1,1 1,1", {5, 1, 1, 0, 1, 1, 0}},
    {&with_epilogue, "w4 v1,1 40,7 3,7", {1, 5, 0, 0, 16, 40, 0}},
    {&with_epilogue, "w4 v1,1 u50,13", {11, 5, 1, 0, 7, 50, 0}},
    {&with_epilogue, "w4 v1,1 u20,4,3 3,3", {1, 5, 0, 0, 6, 20, 0}},
    {&with_epilogue, "w4 v1,1 12,3", {7, 7, 9, 0, 4, 10, 0, 0, 0, 0, 3}},
    {&with_epilogue, "w4 v1,1 5,9000 3,9000", {1, 1, 1, 0, 2, 5, 0}}, /* several pieces on the CPU */
    {&with_epilogue, "w4 v1,1 5,9000 3,4500", {1, 1, 1, 0, 2, 5, 0}},
    {&weight, "w4 v1,1", {0, 1, 1, 0, 4, 10, 0}},
    {&weight, "w4 v1,1", {2, 1, 1, 0, 4, 10, 0}},
    {&weight, "w4 v1,1", {5, 1, 1, 0, 300, 1000, 1}},
    {&weight, "w4 v1,1", {3, 1, 1, 0, 300, 1000, 1}},
};
GT_CASES(batch, cases);
