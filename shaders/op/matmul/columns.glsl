/* Column reductions in a GEMM epilogue (GT_FACTOR_SPEC_COLUMNS): sums or moments of the result's columns, per tile of
 * rows. Each invocation reduces the values that it writes for a quad of columns, and stores the result to a slot in
 * shared memory; invocations with the same columns have different slots. Then the slots are reduced column by column,
 * always in the same order. Deviations are taken from the running mean (Welford, "Note on a method for calculating
 * corrected sums of squares and products", 1962), then from the mean of all slots (Chan, Golub and LeVeque, "Updating
 * formulae and a pairwise algorithm for computing sample variances", 1979).
 *
 * Include after the arguments of matmul.h, lib/program.glsl and LOCAL_X. The kernel defines the functions declared
 * below, which access shared memory: columns_put and columns_get for words [slots, columns] and one more word per slot,
 * columns_put_more and columns_get_more for another [slots, columns]. */
layout(constant_id = GT_FACTOR_SPEC_COLUMNS) const uint COLUMNS = 0u;
const uint JOINED = COLUMNS & 3u;
const bool ONE_SUM = JOINED == GT_COLUMNS_SUM, TWO_SUMS = JOINED == GT_COLUMNS_SUMS, MOMENTS = JOINED == GT_COLUMNS_MOMENTS;

void columns_put(uint word, float value);
float columns_get(uint word);
void columns_put_more(uint word, float value);
float columns_get_more(uint word);

/* ALONE: the epilogue has one output. PASSING: the matrix is not stored. STORES_ALL: all outputs of the epilogue are
 * stored. */
const bool ALONE = OUTPUT_COUNT == 1u, PASSING = (COLUMNS & GT_COLUMNS_PASSING) != 0u;
const bool WHOLE_SUMS = (COLUMNS & GT_COLUMNS_WHOLE) != 0u;
const bool NONE_JOINED = COLUMNS == 0u, STORES_ALL = NONE_JOINED || (ALONE && !PASSING);

struct gt_column_sums {
  float rows;   /* for moments: the number of values so far */
  vec4 sum;     /* for moments: the mean */
  vec4 squares; /* for moments: the squared deviations; for two sums: the second sum */
};

gt_column_sums columns_none() { return gt_column_sums(0.0, vec4(0.0), vec4(0.0)); }

/* Stores the epilogue's results for up to four neighboring elements (unless PASSING), and adds them to the sums. */
void columns_keep(gt_place at, vec4 result[GT_PROGRAM_OUTPUTS], inout gt_column_sums s) {
  vec4 v = result[0];
  if (STORES_ALL) gt_program_store(at, result);
  else if (!PASSING) gt_store(y[0], at, v);
  if (ONE_SUM && !ALONE) v = result[1];
  if (ONE_SUM || TWO_SUMS) s.sum += v;
  if (TWO_SUMS) s.squares += result[1];
  if (MOMENTS) {
    vec4 off = v - s.sum;
    s.rows += 1.0;
    s.sum += off / s.rows;
    s.squares += off * (v - s.sum);
  }
}

/* Runs the epilogue for up to four neighboring elements, stores and sums its results, and returns the first output. */
vec4 columns_write(gt_place at, vec4 leader, inout gt_column_sums s) {
  vec4 result[GT_PROGRAM_OUTPUTS];
  gt_program(at, leader, result);
  columns_keep(at, result, s);
  return result[0];
}

/* Stores an invocation's sums of `lanes` columns from column `first` on to slot number `slot`; there are `slots` slots
 * of `wide` columns each. */
void columns_leave(gt_column_sums s, uint slot, uint slots, uint wide, uint first, uint lanes) {
  for (uint l = 0u; l < lanes; l++) {
    columns_put(slot * wide + first + l, s.sum[l]);
    if (MOMENTS || TWO_SUMS) columns_put_more(slot * wide + first + l, s.squares[l]);
  }
  if (MOMENTS && first == 0u) columns_put(slots * wide + slot, s.rows);
}

/* Stores complete sums of a column (GT_COLUMNS_WHOLE). */
void columns_write_whole(uint column, float sum, float second_sum) {
  vec4 both = vec4(sum, TWO_SUMS ? second_sum : 0.0, 0.0, 0.0);
  y[1].at[column] = sum;
  if (TWO_SUMS) y[0].at[column] = second_sum;
  if (CHECKED != 0u) gt_check(GT_CAST(GT_WORDS, x[GT_COLUMNS_WHOLE_FLAG]), gt_place(0u, 2u), both);
}

/* Reduces the slots and writes the results for the tile of `high` rows from m0 on. All invocations call it after
 * columns_leave. Column c of the slots is column n0 + c / run * apart + c % run of the result. */
void columns_join(uint slots, uint wide, uint m0, uint high, uint n0, uint run, uint apart) {
  uint tile = m0 / high, tiles = (m + high - 1u) / high;
  barrier();
  for (uint c = gl_LocalInvocationIndex; c < wide; c += LOCAL_X) {
    uint column = n0 + c / run * apart + c % run;
    float rows = 0.0, sum = 0.0, squares = 0.0;
    for (uint s = 0u; s < slots; s++) {
      float weight = 1.0;
      if (MOMENTS) weight = columns_get(slots * wide + s);
      rows += weight;
      sum = fma(weight, columns_get(s * wide + c), sum);
      if (TWO_SUMS) squares += columns_get_more(s * wide + c);
    }
    if (MOMENTS) {
      sum /= rows;
      for (uint s = 0u; s < slots; s++) {
        float off = columns_get(s * wide + c) - sum;
        squares += fma(columns_get(slots * wide + s), off * off, columns_get_more(s * wide + c));
      }
    }
    if (WHOLE_SUMS && column < n) columns_write_whole(column, sum, squares);
    else if (column < n) {
      uint to = (MOMENTS ? 2u : 1u) * tile * n + column;
      y[1].at[to] = sum;
      if (MOMENTS) y[1].at[to + n] = squares;
      if (TWO_SUMS) y[1].at[to + tiles * n] = squares;
    }
  }
  barrier();
}
