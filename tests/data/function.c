/* Formulas as data: their sample points, values and errors. */
#include "data_support.h"
#include <math.h>

static const float *floats(const gt_tensor *t) { return t->data; }

/* How many points of both splits are in one cell of a four by four grid over the range [0, 1] x [-2, 6]. */
static int points_in(const opened *o, int column, int row) {
  int count = 0;
  const gt_split *const splits[] = {&o->data.split[GT_PART_TRAIN], &o->data.split[GT_PART_TEST]};
  for (int s = 0; s < 2; s++) {
    const float *x = floats(gt_split_input(splits[s], 0));
    for (int64_t i = 0; i < splits[s]->samples; i++)
      count += (int)(x[2 * i] * 4) == column && (int)((x[2 * i + 1] + 2) / 2) == row;
  }
  return count;
}

static void even_points_fill_their_range(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{formula: x0*x1, range: [[0, 1], [-2, 6]], points: even, samples: 100, test_samples: 60}");
  expect_open(&o);
  for (int cell = 0; cell < 16; cell++) {
    const int count = points_in(&o, cell % 4, cell / 4); /* 10 on average */
    if (count < 7 || count > 13) fail_msg("%d of 160 points in cell %d", count, cell);
  }
  close_data(&o);
}

static void functions_are_sampled(void **state) {
  (void)state;
  opened o, again;
  const char *text =
      "{formula: 'exp(sin(pi*x0) + x1^2)', range: [[0, 1], [-2, 2]], samples: 50, test_samples: 10}";
  open_data(&o, "%s", text);
  expect_open(&o);
  open_data(&again, "%s", text);
  expect_open(&again);
  assert_memory_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data,
                      gt_split_target(&again.data.split[GT_PART_TRAIN], 0)->data, 50 * sizeof(float));
  const float *x = floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)),
              *y = floats(gt_split_target(&o.data.split[GT_PART_TRAIN], 0));
  for (int i = 0; i < 50; i++) {
    const double expected = exp(sin(M_PI * (double)x[2 * i]) + pow((double)x[2 * i + 1], 2));
    assert_true(x[2 * i] >= 0 && x[2 * i] <= 1 && fabs((double)y[i] - expected) < 1e-5 * expected);
  }
  assert_int_equal(o.data.split[GT_PART_TEST].samples, 10);
  close_data(&o);
  close_data(&again);
  open_data(&o, "{formula: 'sim(x)'}");
  expect_bad_config(&o, 12, "sim");
  open_data(&o, "{formula: 'log(x)'}");
  expect_bad_config(&o, 0, "not a number at x0 = -");
  open_data(&o, "{formula: [x, 'x0 < x1'], samples: 5, range: [3]}");
  expect_bad_config(&o, 46, "range");
  open_data(&o, "{formula: 'x0 < x1', samples: 50, task: classification, noise: 0}");
  expect_open(&o);
  assert_int_equal(o.data.target[0].classes, 2);
  close_data(&o);
}

static void fields_are_sampled(void **state) {
  (void)state;
  opened o, again;
  open_data(&o, "{formula: 'x0', field: ['x0 + 2*u', 'v - x1'], grid: [3, 5], samples: 20, test_samples: 4}");
  expect_open(&o);
  const gt_tensor *input = gt_split_input(&o.data.split[GT_PART_TRAIN], 0);
  assert_int_equal(input->rank, 4);
  assert_true(input->dim[0] == 20 && input->dim[1] == 3 && input->dim[2] == 5 && input->dim[3] == 2);
  const float *x = floats(input), *y = floats(gt_split_target(&o.data.split[GT_PART_TRAIN], 0));
  float second[20]; /* x1, which only the field depends on */
  for (int i = 0; i < 20; i++) {
    second[i] = -x[i * 30 + 1];
    for (int n = 0; n < 15; n++) {
      const float u = (float)(n / 5) / 2, v = (float)(n % 5) / 4;
      assert_float_equal(x[(i * 15 + n) * 2], y[i] + 2 * u, 1e-6);
      assert_float_equal(x[(i * 15 + n) * 2 + 1], v - second[i], 1e-6);
    }
  }
  assert_true(second[0] != second[1] && fabs((double)second[0]) <= 1);
  close_data(&o);
  /* Noise is drawn for each position and split; targets have no noise. */
  open_data(&o, "{formula: x, field: '0*x', grid: 1000, field_noise: 2, samples: 2, test_samples: 1}");
  expect_open(&o);
  double sum = 0, squares = 0;
  for (int i = 0; i < 2000; i++) {
    sum += (double)floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[i];
    squares += pow((double)floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[i], 2);
  }
  assert_true(fabs(sum / 2000) < 0.2 && fabs(sqrt(squares / 2000) - 2) < 0.1);
  assert_true(floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[0] !=
              floats(gt_split_input(&o.data.split[GT_PART_TEST], 0))[0]);
  open_data(&again, "{formula: x, samples: 2, test_samples: 1}");
  expect_open(&again);
  assert_memory_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data,
                      gt_split_target(&again.data.split[GT_PART_TRAIN], 0)->data, 2 * sizeof(float));
  close_data(&again);
  close_data(&o);
  open_data(&o, "{formula: x, field: 'u', samples: 2}");
  expect_bad_config(&o, 21, "'field' without 'grid'");
  open_data(&o, "{formula: x, grid: [2, 3]}");
  expect_bad_config(&o, 20, "'grid' without 'field'");
  open_data(&o, "{formula: u, field: u, grid: 3}");
  expect_bad_config(&o, 11, "'u'");
  open_data(&o, "{formula: x, field: 'u*w', grid: [3, 4]}");
  expect_bad_config(&o, 24, "'w'");
  open_data(&o, "{formula: x, field: u, grid: [3, 4, 5, 6]}");
  expect_bad_config(&o, 30, "too large");
  open_data(&o, "{formula: x, field: '1/u', grid: [3]}");
  expect_bad_config(&o, 21, "not finite");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(even_points_fill_their_range),
                                     cmocka_unit_test(functions_are_sampled),
                                     cmocka_unit_test(fields_are_sampled)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
