/* The forward cell (cell.glsl). Its product is h before the step times W_hh. */
const uint DEPTH = HIDDEN, WEIGHT_ROW = WIDTH; /* the depth of the product; the length of a row of the weight */
/* The product's columns are divided into ALL_SETS sets of neighboring columns. A set has the sums of UNITS units, SUMS
 * per unit; units from HIDDEN on do not exist. */
const uint SUMS = GATES, UNITS = GATES == 1u ? 4u : 1u, COLUMNS = SUMS * UNITS;
const uint ALL_SETS = (HIDDEN + UNITS - 1u) / UNITS;
const uint FEEDBACK = 1u; /* values per unit that are operands of the next step's product */

struct gt_cell_inputs {
  float x[4], old; /* the input product per gate; c or h before the step */
  bool within;     /* is_within */
};

gt_cell_inputs load_cell(uint s, uint row, uint unit) {
  gt_cell_inputs b;
  b.within = is_within(s, row);
  b.old = 0.0;
  for (uint g = 0u; g < 4u; g++) b.x[g] = 0.0;
  if (!b.within) return b;
  for (uint g = 0u; g < GATES; g++) b.x[g] = gates.at[gate_of(s, row, unit) + g * HIDDEN];
  if (s == 0u) return b;
  if (CELL == GT_LSTM) b.old = extra.at[extra_of(s - 1u, row, unit)];
  if (CELL == GT_GRU) b.old = y.at[before(s, row, unit)];
  return b;
}

/* Returns what this unit of the row contributes to the next step's product (.x): h. */
vec4 finish_cell(uint s, uint row, uint unit, gt_cell_inputs b, float sum[4]) {
  float h = 0.0, kept_value = 0.0, gate[4]; /* kept_value: stored to `extra` */
  for (uint g = 0u; g < 4u; g++) gate[g] = 0.0;
  if (b.within) {
    if (CELL == GT_LSTM) {
      for (uint g = 0u; g < 4u; g++) gate[g] = g == 2u ? gt_tanh(b.x[g] + sum[g]) : gt_sigmoid(b.x[g] + sum[g]);
      kept_value = gate[1] * b.old + gate[0] * gate[2];
      h = gate[3] * gt_tanh(kept_value);
    } else if (CELL == GT_GRU) {
      if (BIASED != 0u)
        for (uint g = 0u; g < 3u; g++) sum[g] += bias.at[g * HIDDEN + unit];
      gate[0] = gt_sigmoid(b.x[0] + sum[0]);
      gate[1] = gt_sigmoid(b.x[1] + sum[1]);
      kept_value = sum[2];
      gate[2] = gt_tanh(b.x[2] + gate[0] * kept_value);
      h = (1.0 - gate[1]) * gate[2] + gate[1] * b.old;
    } else if (CELL == GT_RNN_TANH) {
      h = gt_tanh(b.x[0] + sum[0]);
    } else {
      h = gt_relu(b.x[0] + sum[0]);
    }
  }
  if (row < batch) {
    if (CELL == GT_LSTM || CELL == GT_GRU) {
      for (uint g = 0u; g < GATES; g++) saved.at[gate_of(s, row, unit) + g * HIDDEN] = gate[g];
      extra.at[extra_of(s, row, unit)] = kept_value;
    }
    y.at[after(s, row, unit)] = h;
    if (s == 0u) y.at[before(s, row, unit)] = 0.0;
  }
  return vec4(h, 0.0, 0.0, 0.0);
}

/* The product's left operand, and the index of its element (row, k). The first step has no product. */
GT_FLOATS left_values() { return y; }
uint left_at(uint s, uint row, uint k) { return before(s, row, k); }
bool has_product(uint s) { return s > 0u; }
/* The n-th step that a dispatch computes. */
uint step_of(uint n) { return first + n; }
