#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "op/cross_entropy.h"
#define GT_SCALAR
#include "lib/math.glsl"
#include "lib/row.glsl"
#include "op/cross_entropy.glsl"
layout(constant_id = GT_CROSS_ENTROPY_SPEC_MODE) const uint MODE = 0u;
layout(constant_id = GT_CROSS_ENTROPY_SPEC_WEIGHTED) const uint WEIGHTED = 0u;

float weight_of(uint c) { return WEIGHTED != 0u ? weights.at[c] : 1.0; }

float row_max(uint base) {
  float largest = -gt_infinity();
  for (uint c = gt_first_column(); c < columns; c += gt_column_stride())
    largest = max(largest, logits.at[base + c]);
  return gt_row_max(largest);
}

float row_exp_sum(uint base, float largest) {
  float sum = 0.0;
  for (uint c = gt_first_column(); c < columns; c += gt_column_stride())
    sum += gt_exp(logits.at[base + c] - largest);
  return gt_row_sum(sum);
}

/* The loss is -sum of target * log softmax(z), with z shifted by its maximum. With label smoothing s and without class
 * weights this is log sum exp z - (1 - s) z[label] - s mean z. */
void loss(uint r, uint label) {
  uint base = r * columns;
  float largest = row_max(base);
  float normalizer = gt_log(row_exp_sum(base, largest)), label_weight = 1.0, value = normalizer;
  if (WEIGHTED != 0u) {
    label_weight = label < columns ? weights.at[label] : gt_nan();
    value *= (1.0 - smoothing) * label_weight + smoothing / float(columns) * total;
  }
  if (smoothing != 0.0) {
    float sum = 0.0;
    for (uint c = gt_first_column(); c < columns; c += gt_column_stride())
      sum += weight_of(c) * (logits.at[base + c] - largest);
    value -= smoothing / float(columns) * gt_row_sum(sum);
  }
  if (gt_row_leader())
    y.at[r] = label < columns ? value - (1.0 - smoothing) * label_weight * (logits.at[base + label] - largest)
                              : gt_no_label(label);
}

/* The target of class c is smoothing / columns, plus 1 - smoothing for the label, times the weight of class c. */
void gradient(uint r, uint label) {
  uint base = r * columns;
  float largest = row_max(base), sum = row_exp_sum(base, largest), factor = row_gradient.at[r];
  float background = smoothing / float(columns), label_weight = 1.0, target_sum = 1.0;
  if (label >= columns) factor = gt_no_label(label);
  if (WEIGHTED != 0u) {
    label_weight = label < columns ? weights.at[label] : 0.0;
    target_sum = (1.0 - smoothing) * label_weight + background * total;
  }
  for (uint c = gt_first_column(); c < columns; c += gt_column_stride()) {
    float target = background * weight_of(c) + (c == label ? (1.0 - smoothing) * label_weight : 0.0);
    y.at[base + c] = gt_cross_entropy_slope(logits.at[base + c], largest, sum, target_sum, target, factor);
  }
}

/* Writes 1 if the label is the first of the largest logits: its logit is larger than all before it and at least as
 * large as all after it. A label whose logit is NaN or -infinity is not correct. */
void correct(uint r, uint label) {
  uint base = r * columns;
  float is_correct = label < columns ? 1.0 : 0.0;
  if (label < columns) {
    float label_logit = logits.at[base + label];
    if (!gt_finite(label_logit) && label_logit != gt_infinity()) is_correct = 0.0;
    for (uint c = gt_first_column(); c < columns; c += gt_column_stride()) {
      float other = logits.at[base + c];
      if (c < label ? other >= label_logit : other > label_logit) is_correct = 0.0;
    }
  }
  is_correct = gt_row_min(is_correct);
  if (gt_row_leader()) y.at[r] = is_correct;
}

void main() {
  for (uint r = gt_first_row(); r < rows; r += gt_row_stride()) {
    uint label = labels.at[r];
    if (MODE == GT_CROSS_ENTROPY_LOSS) loss(r, label);
    else if (MODE == GT_CROSS_ENTROPY_GRADIENT) gradient(r, label);
    else if (MODE == GT_CROSS_ENTROPY_CORRECT) correct(r, label);
    else y.at[r] = label < columns ? weights.at[label] : gt_no_label(label);
  }
}
