#include "op/reduce_cpu.h"
#include "base/count.h"
#include "shaders/op/reduce.h"
#include "step/math.h"
#include "step/program.h"

enum {
  LANES = GT_REDUCE_LANES, /* a sum has this number of partial sums at any vector width: the same bits */
  BUFFER = 1024,           /* values of the program that are computed at once */
  TILE_ELEMENTS = 16384,
  RUN = 128 /* values per partial sum */
};

typedef struct job {
  const struct gt_reduce_args *args;
  gt_program_context context;
  uint32_t kind;
  const float *direct; /* the program's values if they are already in memory, else NULL */
  float *y;
} job;

static uint32_t segments(const struct gt_reduce_args *a) {
  return a->inner / GT_REDUCE_SEGMENT + (a->inner % GT_REDUCE_SEGMENT != 0);
}

/* A unit is one chunk of one outer index; a tile has several short units. */
static uint32_t units_per_tile(const struct gt_reduce_args *a) {
  const uint64_t work = (uint64_t)a->chunk * gt_min_u32(a->inner, GT_REDUCE_SEGMENT);
  return segments(a) > 1 || work >= TILE_ELEMENTS ? 1 : (uint32_t)(TILE_ELEMENTS / work);
}

uint32_t gt_reduce_tiles(const struct gt_reduce_args *args) {
  const uint32_t units = args->outer * args->chunks, per_tile = units_per_tile(args);
  return (units / per_tile + (units % per_tile != 0)) * segments(args);
}

float gt_reduce_neutral(uint32_t kind) {
  return kind == GT_REDUCE_MAX ? -INFINITY : kind == GT_REDUCE_MIN ? INFINITY : 0.0f;
}

/* Combines from[i] into to[i]; NaN is propagated. */
GT_CLONES static void combine(uint32_t kind, float *restrict to, const float *restrict from, uint32_t n) {
  if (kind == GT_REDUCE_SUM)
    for (uint32_t i = 0; i < n; i++) to[i] += from[i];
  else if (kind == GT_REDUCE_MAX)
    for (uint32_t i = 0; i < n; i++) to[i] = gt_pick((from[i] <= to[i]) | (to[i] != to[i]), to[i], from[i]);
  else
    for (uint32_t i = 0; i < n; i++) to[i] = gt_pick((from[i] >= to[i]) | (to[i] != to[i]), to[i], from[i]);
}

GT_CLONES static void sum_lanes(float *restrict lane, const float *restrict from, uint32_t n) {
  float sum[LANES];
  for (int l = 0; l < LANES; l++) sum[l] = lane[l];
  for (uint32_t i = 0; i < n; i += LANES)
    for (int l = 0; l < LANES; l++) sum[l] += from[i + (uint32_t)l];
  for (int l = 0; l < LANES; l++) lane[l] = sum[l];
}

void gt_reduce_accumulate(uint32_t kind, float *lane, const float *from, uint32_t n) {
  const uint32_t vector_end = n / LANES * LANES;
  if (kind == GT_REDUCE_SUM)
    sum_lanes(lane, from, vector_end);
  else
    for (uint32_t i = 0; i < vector_end; i += LANES) combine(kind, lane, from + i, LANES);
  combine(kind, lane, from + vector_end, n - vector_end);
}

float gt_reduce_fold(uint32_t kind, float *lane) {
  for (uint32_t half = LANES / 2; half > 0; half /= 2) combine(kind, lane, lane + half, half);
  return lane[0];
}

/* The program's values first … first + n - 1: in memory, or computed into `buffer`. */
static const float *values(const job *j, uint32_t first, uint32_t n, float *buffer) {
  if (j->direct) return j->direct + first;
  gt_program_evaluate(&j->context, first, n, NULL, &buffer);
  return buffer;
}

static float reduce_values(uint32_t kind, const float *from, uint32_t n) {
  float lane[LANES];
  for (int l = 0; l < LANES; l++) lane[l] = gt_reduce_neutral(kind);
  gt_reduce_accumulate(kind, lane, from, n);
  return gt_reduce_fold(kind, lane);
}

/* --- finite --------------------------------------------------------------------------------------------- */

GT_CLONES static uint32_t count_not_finite(const float *from, uint32_t n) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++) count += (gt_bits(from[i]) & 0x7f800000u) == 0x7f800000u;
  return count;
}

/* Several tiles may clear the flag at the same time: they write the same word. */
static void clear_unless_finite(const job *j, uint32_t unit, uint32_t end) {
  const struct gt_reduce_args *a = j->args;
  const uint32_t end_value = gt_min_u32(end * a->chunk, a->reduced);
  float buffer[BUFFER];
  for (uint32_t begin = unit * a->chunk; begin < end_value; begin += BUFFER) {
    const uint32_t n = gt_min_u32(end_value - begin, BUFFER);
    if (count_not_finite(values(j, begin, n, buffer), n))
      __atomic_store_n(GT_PTR(uint32_t, a->flag), 0, __ATOMIC_RELAXED);
  }
}

/* --- inner == 1: rows ----------------------------------------------------------------------------------- */

static float reduce_row(const job *j, uint32_t first, uint32_t n) {
  float total[LANES], lane[LANES], buffer[BUFFER];
  const uint32_t max_values = j->direct ? LANES * RUN : BUFFER;
  for (int l = 0; l < LANES; l++) total[l] = gt_reduce_neutral(j->kind);
  for (uint32_t done = 0; done < n;) {
    const uint32_t end = n - done < LANES * RUN ? n : done + LANES * RUN;
    for (int l = 0; l < LANES; l++) lane[l] = gt_reduce_neutral(j->kind);
    for (uint32_t count; done < end; done += count) {
      count = gt_min_u32(end - done, max_values);
      gt_reduce_accumulate(j->kind, lane, values(j, first + done, count, buffer), count);
    }
    combine(j->kind, total, lane, LANES);
  }
  return gt_reduce_fold(j->kind, total);
}

/* Short rows are contiguous in memory: as many as fit the buffer are evaluated together. */
static void reduce_short_rows(const job *j, uint32_t unit, uint32_t end) {
  const uint32_t length = j->args->reduced, at_once = BUFFER / length;
  float buffer[BUFFER];
  while (unit < end) {
    const uint32_t count = gt_min_u32(at_once, end - unit);
    const float *from = values(j, unit * length, count * length, buffer);
    for (uint32_t u = 0; u < count; u++, from += length)
      j->y[unit + u] = reduce_values(j->kind, from, length) * j->args->scale;
    unit += count;
  }
}

static void reduce_rows(const job *j, uint32_t unit, uint32_t end) {
  const struct gt_reduce_args *a = j->args;
  if (a->chunks == 1 && a->reduced <= BUFFER / 2) {
    reduce_short_rows(j, unit, end);
    return;
  }
  for (; unit < end; unit++) {
    const uint32_t begin = unit % a->chunks * a->chunk;
    j->y[unit] =
        reduce_row(j, unit / a->chunks * a->reduced + begin, gt_min_u32(a->chunk, a->reduced - begin)) *
        a->scale;
  }
}

/* --- inner > 1: columns --------------------------------------------------------------------------------- */

/* Reduces columns n0 … n0 + n - 1 of one unit. If these are all columns, several rows are evaluated at
 * once. */
static void reduce_columns(const job *j, uint32_t unit, uint32_t n0, uint32_t n) {
  const struct gt_reduce_args *a = j->args;
  const uint32_t begin = unit % a->chunks * a->chunk, count = gt_min_u32(a->chunk, a->reduced - begin);
  const uint32_t first = (unit / a->chunks * a->reduced + begin) * a->inner + n0;
  const uint32_t at_once = n == a->inner ? BUFFER / n : 1;
  float total[GT_REDUCE_SEGMENT], run[GT_REDUCE_SEGMENT], buffer[BUFFER];
  for (uint32_t i = 0; i < n; i++) total[i] = gt_reduce_neutral(j->kind);
  for (uint32_t r = 0; r < count;) {
    const uint32_t end = gt_min_u32(r + RUN, count);
    for (uint32_t i = 0; i < n; i++) run[i] = gt_reduce_neutral(j->kind);
    for (uint32_t rows; r < end; r += rows) {
      rows = gt_min_u32(at_once, end - r);
      const float *from = values(j, first + r * a->inner, rows * n, buffer);
      for (uint32_t k = 0; k < rows; k++) combine(j->kind, run, from + k * n, n);
    }
    combine(j->kind, total, run, n);
  }
  float *y = j->y + (uint64_t)unit * a->inner + n0;
  for (uint32_t i = 0; i < n; i++) y[i] = total[i] * a->scale;
}

void gt_reduce_cpu(const void *arguments, const uint32_t *spec, uint32_t tile) {
  const struct gt_reduce_args *args = arguments;
  gt_program program;
  gt_program_from_spec(spec, &program);
  job j = {.args = args, .kind = spec[GT_REDUCE_SPEC_KIND], .y = GT_PTR(float, args->y)};
  j.context = (gt_program_context){.program = &program,
                                   .clock = GT_PTR(const uint32_t, args->clock),
                                   .layout = GT_PTR(const uint32_t, args->layout_),
                                   .row_length = args->row_length};
  for (uint32_t k = 0; k < program.inputs; k++) j.context.x[k] = GT_PTR(const float, args->x[k]);
  const uint32_t output = program.output[0];
  if (output < program.inputs && program.load[output] == GT_LOAD_SAME) j.direct = j.context.x[output];
  const uint32_t segment_count = segments(args), per_tile = units_per_tile(args),
                 units = args->outer * args->chunks;
  const uint32_t unit = tile / segment_count * per_tile, end = gt_min_u32(units, unit + per_tile);
  const uint32_t n0 = tile % segment_count * GT_REDUCE_SEGMENT,
                 n = gt_min_u32(GT_REDUCE_SEGMENT, args->inner - n0);
  if (j.kind == GT_REDUCE_FINITE) {
    clear_unless_finite(&j, unit, end);
    return;
  }
  if (args->inner == 1) {
    reduce_rows(&j, unit, end);
    return;
  }
  for (uint32_t u = unit; u < end; u++) reduce_columns(&j, u, n0, n);
}
