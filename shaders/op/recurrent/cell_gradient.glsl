/* The gradient of the cell (cell.glsl). Its product is the gradient of the hidden product of step s + 1 times W_hh, a
 * term of the gradient of h after step s. */
const uint DEPTH = WIDTH, WEIGHT_ROW = HIDDEN;
/* As in cell_forward.glsl. */
const uint SUMS = 1u, UNITS = 4u, COLUMNS = SUMS * UNITS, ALL_SETS = (HIDDEN + UNITS - 1u) / UNITS;
const uint FEEDBACK = GATES;

struct gt_cell_inputs {
  float gate[4], rest, old; /* rest: c (LSTM), W_hn h + b_hn (GRU) or h (RNN); old: c or h before the step */
  float given, carried;     /* the gradients from `given` and `carry` */
  bool within;
};

gt_cell_inputs load_cell(uint s, uint row, uint unit) {
  gt_cell_inputs b;
  b.within = is_within(s, row);
  b.rest = b.old = b.given = b.carried = 0.0;
  for (uint g = 0u; g < 4u; g++) b.gate[g] = 0.0;
  if (!b.within) return b;
  if (CELL == GT_LSTM || CELL == GT_GRU) {
    for (uint g = 0u; g < GATES; g++) b.gate[g] = saved.at[gate_of(s, row, unit) + g * HIDDEN];
    b.rest = extra.at[extra_of(s, row, unit)];
    if (s + 1u < all_steps) b.carried = carry.at[row * HIDDEN + unit];
    if (CELL == GT_GRU) b.old = y.at[before(s, row, unit)];
    else if (s > 0u) b.old = extra.at[extra_of(s - 1u, row, unit)];
  } else {
    b.rest = y.at[after(s, row, unit)];
  }
  if (LAST == 0u) b.given = given.at[extra_of(s, row, unit)];
  else if (s + 1u == all_steps) b.given = given.at[row * HIDDEN + unit];
  return b;
}

/* The derivatives of the activation functions, from their values y. */
float sigmoid_slope(float y) { return y * (1.0 - y); }
float tanh_slope(float y) { return 1.0 - y * y; }

/* d: the gradient of the gates; inner: that of the hidden product, which differs from d only in a GRU; dh: that of h
 * after the step. Returns inner. */
vec4 finish_cell(uint s, uint row, uint unit, gt_cell_inputs b, float sum[4]) {
  vec4 d = vec4(0.0), inner;
  float dh = b.given + sum[0], carried = 0.0;
  inner = d;
  if (b.within) {
    if (CELL == GT_LSTM) {
      const float t = gt_tanh(b.rest), dc = b.carried + dh * b.gate[3] * tanh_slope(t);
      d = vec4(dc * b.gate[2] * sigmoid_slope(b.gate[0]), dc * b.old * sigmoid_slope(b.gate[1]),
               dc * b.gate[0] * tanh_slope(b.gate[2]), dh * t * sigmoid_slope(b.gate[3]));
      carried = dc * b.gate[1];
      inner = d;
    } else if (CELL == GT_GRU) {
      dh += b.carried;
      const float dn = dh * (1.0 - b.gate[1]) * tanh_slope(b.gate[2]);
      d = vec4(dn * b.rest * sigmoid_slope(b.gate[0]), dh * (b.old - b.gate[2]) * sigmoid_slope(b.gate[1]), dn, 0.0);
      carried = dh * b.gate[1];
      inner = vec4(d.xy, dn * b.gate[0], 0.0);
    } else {
      d.x = CELL == GT_RNN_TANH ? dh * tanh_slope(b.rest) : b.rest > 0.0 ? dh : 0.0;
      inner = d;
    }
  }
  if (row < batch) {
    for (uint g = 0u; g < GATES; g++) d_gates.at[gate_of(s, row, unit) + g * HIDDEN] = d[g];
    if (CELL == GT_GRU)
      for (uint g = 0u; g < GATES; g++) d_hidden.at[gate_of(s, row, unit) + g * HIDDEN] = inner[g];
    if (CELL == GT_LSTM || CELL == GT_GRU) carry.at[row * HIDDEN + unit] = carried;
  }
  return inner;
}

/* As in cell_forward.glsl. */
GT_FLOATS left_values() { return CELL == GT_GRU ? d_hidden : d_gates; }
uint left_at(uint s, uint row, uint k) { return gate_of(s + 1u, row, k); }
bool has_product(uint s) { return s + 1u < all_steps; }
uint step_of(uint n) { return first - n; }
