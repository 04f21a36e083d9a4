/* Cases (op/case.h) of the op that copies windows of a text or series into a batch. */
#include "op/window.h"
#include "base/philox.h"
#include "op/case.h"
#include "op/core.h"

GT_REGISTER(opcase, window)

/* Inputs: the clock's state (words p[0..2]: step, seed), its table, the data, members of the classes if p[11]
 * is not 0. p[4] rows of a batch, p[5] samples, p[6] sequential, p[7] steps of an epoch, p[8] and p[9] the
 * first step and epoch, p[10] batches in the ring, p[11] classes of the balanced order; p[12] width of a
 * window, p[13] stride, p[14] where the first window begins. */
static gt_window_attribute attribute_of(const gt_case_view *v) {
  const int64_t *p = v->c->p;
  return (gt_window_attribute){.order = {.batch = p[4],
                                         .samples = p[5],
                                         .sequential = (uint32_t)p[6],
                                         .steps = (uint32_t)p[7],
                                         .first_step = (uint32_t)p[8],
                                         .first_epoch = (uint32_t)p[9],
                                         .window = (uint32_t)p[10],
                                         .classes = (uint32_t)p[11]},
                               .width = p[12],
                               .stride = p[13],
                               .begin = p[14]};
}

/* A single class, whose members are all samples in reverse order: every draw is from all samples, with
 * replacement. */
static void fill_members(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const int32_t samples = (int32_t)v->c->p[5];
  (void)input, (void)x;
  out[0] = 0, out[1] = samples;
  for (int32_t i = 0; i < samples; i++) out[2 + i] = samples - 1 - i;
}

/* The integer of the data at which a row starts; rows past the end of the epoch read sample 0. */
static int64_t start_of(const gt_case_view *v, int64_t row) {
  const int64_t *p = v->c->p, steps = p[7] ? p[7] : (p[5] + p[4] - 1) / p[4], step = p[0] - p[8];
  const int64_t place = step % steps * p[4] + row;
  const uint64_t seed = (uint32_t)p[1] | (uint64_t)p[2] << 32;
  const uint32_t epoch = (uint32_t)(step / steps + p[9]);
  if (p[10]) return (p[0] % p[10] * p[4] + row) * v->shape[2].dim[1] + p[14];
  if (place >= p[5]) return p[14];
  if (p[6]) return place * p[13] + p[14];
  if (p[11]) {
    const gt_philox bits = gt_philox_block(seed, GT_PURPOSE_BALANCE, epoch, (uint32_t)place);
    return (p[5] - 1 - (int64_t)(bits.v[1] * (double)p[5] * 0x1p-32)) * p[13] + p[14];
  }
  return gt_shuffle_index((uint32_t)place, (uint32_t)p[5], seed, epoch) * p[13] + p[14];
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t rows = v->c->p[4], width = v->c->p[12];
  for (int64_t i = 0; y && i < rows * width; i++) y[i] = x[2][start_of(v, i / width) + i % width];
  return gt_shape_2(rows, width);
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id clock = gt_clock(g, v->variable[0], v->variable[1]);
  return gt_window(g, x[2], clock, v->c->p[11] ? x[3] : GT_NONE, attribute_of(v));
}

static const gt_case_rule plain = {
    .name = "window", .build = build, .reference = reference, .fill = fill_members, .reason = "a copy"};

static const gt_case cases[] = {
    {&plain, "w4 v1,1 u50", {0, 7, 0, 0, 4, 33, 0, 0, 0, 0, 0, 0, 17, 1, 0}},
    {&plain, "w4 v1,1 u50", {0, 7, 0, 0, 4, 33, 0, 0, 0, 0, 0, 0, 17, 1, 1}},
    {&plain, "w4 v1,1 u50", {3, 7, 9, 0, 4, 33, 0, 0, 0, 0, 0, 0, 17, 1, 1}},
    {&plain, "w4 v1,1 i50", {3, 7, 9, 0, 4, 33, 0, 0, 0, 0, 0, 0, 17, 1, 1}, 1000},
    {&plain, "w4 v1,1 i50", {1, 7, 9, 0, 2, 3, 1, 0, 0, 0, 0, 0, 16, 16, 1}, 1000}, /* an evaluation */
    {&plain, "w4 v1,1 u9", {2, 7, 9, 0, 3, 8, 0, 0, 0, 0, 0, 0, 1, 1, 1}},          /* a window of 1 */
    {&plain, "w4 v1,1 u5003", {70000, 3, 1, 0, 7, 1225, 0, 0, 0, 0, 0, 0, 100, 4, 1}},
    {&plain, "w4 v1,1 i3000", {5, 3, 1, 0, 33, 100, 0, 9, 3, 2, 0, 0, 1999, 10, 3}, 70000},
    {&plain, "w4 v1,1 u90000", {1, 3, 1, 0, 2, 300, 0, 0, 0, 0, 0, 0, 66000, 77, 1}},
    {&plain, "w4 v1,1 u12,14", {7, 7, 9, 0, 4, 1000, 0, 0, 0, 0, 3, 0, 13, 1, 0}}, /* a ring */
    {&plain, "w4 v1,1 u12,14", {8, 7, 9, 0, 4, 1000, 0, 0, 0, 0, 3, 0, 13, 1, 1}},
    {&plain, "w4 v1,1 i6,5", {4, 7, 9, 0, 2, 1000, 1, 0, 0, 0, 3, 0, 4, 4, 1}, 1000},
    {&plain, "w4 v1,1 u50 c35", {1, 7, 9, 0, 4, 33, 0, 0, 0, 0, 0, 1, 17, 1, 0}}, /* balanced */
};
GT_CASES(window, cases);
