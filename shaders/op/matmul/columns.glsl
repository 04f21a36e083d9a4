/* Column reductions in a GEMM epilogue: sums, means and moments of the result's columns, per tile of rows, in
 * shared memory.
 *
 * What is joined of the columns of a product's result, a tile of rows at a time, from the values that its invocations
 * write (GT_FACTOR_SPEC_COLUMNS): each joins what it has of a quad of columns, and puts it into a slot of shared
 * memory, those with the same columns into slots of their own; then the slots are joined, column by column, always
 * in the same order. Deviations are taken from the mean of those joined so far (Welford, "Note on a method for
 * calculating corrected sums of squares and products", 1962), then from the mean of all slots (Chan, Golub and
 * LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979).
 *
 * For a kernel that has the arguments of matmul.h and LOCAL_X, and that gives room in shared memory by the functions
 * declared here: words [slots, columns] and one a slot behind them, and words [slots, columns] more. */
layout(constant_id = GT_FACTOR_SPEC_COLUMNS) const uint COLUMNS = 0u;
const uint JOINED = COLUMNS & 3u;
const bool ONE_SUM = JOINED == GT_COLUMNS_SUM, TWO_SUMS = JOINED == GT_COLUMNS_SUMS, MOMENTS = JOINED == GT_COLUMNS_MOMENTS;

void columns_put(uint word, float value);
float columns_get(uint word);
void columns_put_more(uint word, float value);
float columns_get_more(uint word);

/* True if the epilogue's whole result is written to memory. */
const bool ALONE = OUTPUT_COUNT == 1u, PASSING = (COLUMNS & GT_COLUMNS_PASSING) != 0u;
const bool WHOLE_SUMS = (COLUMNS & GT_COLUMNS_WHOLE) != 0u;
const bool NONE_JOINED = COLUMNS == 0u, STORES_ALL = NONE_JOINED || (ALONE && !PASSING);

struct gt_column_sums {
  float rows;
  vec4 sum;     /* of moments, the mean */
  vec4 squares; /* of two sums, the second */
};

gt_column_sums columns_none() { return gt_column_sums(0.0, vec4(0.0), vec4(0.0)); }

/* Stores what the epilogue has given for neighbours, unless nobody reads it but who joins it, and adds it to the sums. */
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

/* Runs the epilogue for neighbours, and returns the first of what it gives. */
vec4 columns_write(gt_place at, vec4 leader, inout gt_column_sums s) {
  vec4 result[GT_PROGRAM_OUTPUTS];
  gt_program(at, leader, result);
  columns_keep(at, result, s);
  return result[0];
}

/* Into a slot of `slots`: columns `first` … of `wide`, so many of the four. */
void columns_leave(gt_column_sums s, uint slot, uint slots, uint wide, uint first, uint lanes) {
  for (uint l = 0u; l < lanes; l++) {
    columns_put(slot * wide + first + l, s.sum[l]);
    if (MOMENTS || TWO_SUMS) columns_put_more(slot * wide + first + l, s.squares[l]);
  }
  if (MOMENTS && first == 0u) columns_put(slots * wide + slot, s.rows);
}

void columns_write_whole(uint column, float sum, float other) {
  vec4 both = vec4(sum, TWO_SUMS ? other : 0.0, 0.0, 0.0);
  y[1].at[column] = sum;
  if (TWO_SUMS) y[0].at[column] = other;
  if (CHECKED != 0u) gt_check(GT_CAST(GT_WORDS, x[GT_COLUMNS_WHOLE_FLAG]), gt_place(0u, 2u), both);
}

/* Joins the slots, and writes what comes out as that of the tile of `high` rows from m0 on. All invocations call it, when
 * they have left theirs. Column c of the slots is number n0 + c / run * apart + c % run of the result. */
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
