/* Outline reading, as in `gtrain check`: only shapes, counts and classes are needed, so large data is not
 * generated, read or decoded. Its shapes are the same as in training. */
#include "pictures_support.h"
#include "base/log.h"
#include <fcntl.h>

static const gt_data_requirements outline = {.outline = true};

/* Truncates the file, or extends it with zeros, which take no space on the disk. */
static void set_file_size(const char *path, off_t size) { assert_int_equal(truncate(path, size), 0); }

static void expect_shape(const gt_tensor *tensor, gt_element element, int rank, const int64_t *dim) {
  assert_null(tensor->data);
  assert_int_equal(tensor->element, element);
  assert_int_equal(tensor->rank, rank);
  for (int i = 0; i < rank; i++) assert_int_equal(tensor->dim[i], dim[i]);
}

static void formulas(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{formula: [x0*x1, x1], samples: 2147483647, validation: 0.5, normalize: standard}");
  expect_open(&o);
  expect_shape(gt_split_input(&o.data.split[GT_PART_TRAIN], 0), GT_ELEMENT_F32, 2,
               (int64_t[]){1073741823, 2});
  expect_shape(gt_split_target(&o.data.split[GT_PART_VALIDATION], 0), GT_ELEMENT_F32, 2,
               (int64_t[]){1073741824, 2});
  assert_int_equal(o.data.split[GT_PART_VALIDATION].samples, 1073741824);
  assert_true(o.data.input[0].scaling.count == 2 && !o.data.input[0].scaling.values);
  assert_true(o.data.split[GT_PART_TEST].samples == 1000 &&
              gt_split_input(&o.data.split[GT_PART_TEST], 0)->data); /* small, so it is generated */
  close_data(&o);
  open_data(&o, "{formula: 'sqrt(x0 + 0.9)', samples: 2147483647}"); /* computes only the first samples */
  expect_bad_config(&o, 11, "not a number at x0 = -");
  /* The number of classes needs all labels. */
  open_data(&o, "{formula: 'x0 < x1', field: 'x0*u', grid: 500, task: classification, samples: 20000}");
  expect_open(&o);
  assert_int_equal(o.data.target[0].classes, 2);
  expect_shape(gt_split_input(&o.data.split[GT_PART_TRAIN], 0), GT_ELEMENT_F32, 3,
               (int64_t[]){20000, 500, 1});
  assert_non_null(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data);
  close_data(&o);
}

static void boards(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{format: ca, grid: [1000, 1000], target: checkerboard, samples: 1000000}");
  expect_open(&o);
  expect_shape(gt_split_target(&o.data.split[GT_PART_TRAIN], 0), GT_ELEMENT_F32, 4,
               (int64_t[]){1000000, 1000, 1000, 1});
  close_data(&o);
}

/* An NPY file of which only the header takes space on the disk. */
static const char *write_npy_of_zeros(const char *name, const char *type, const char *shape, off_t bytes) {
  char head[128] = "\x93NUMPY\x01";
  head[8] = 118;
  const int n =
      snprintf(head + 10, 118, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  memset(head + 10 + n, ' ', 118 - (size_t)n);
  head[127] = '\n';
  const char *path = write_bytes(name, head, sizeof head);
  set_file_size(path, bytes + 128);
  return path;
}

static void arrays(void **state) {
  (void)state;
  enum { N = 1 << 20 };
  opened o;
  const char *x = write_npy_of_zeros("x.npy", "<f4", "(1048576, 8, 4)", (off_t)N * 8 * 4 * 4);
  const char *y = write_npy_of_zeros("y.npy", "<i4", "(1048576,)", (off_t)N * 4);
  const char *many = write_npy_of_zeros("many.npy", "<f8", "(1048576, 9)", (off_t)N * 9 * 8);
  open_data(&o, "{train: {inputs: %s, targets: %s}, test_fraction: 0.25, normalize: channel}", x, y);
  expect_open(&o);
  expect_shape(gt_split_input(&o.data.split[GT_PART_TRAIN], 0), GT_ELEMENT_F32, 3,
               (int64_t[]){N / 4 * 3, 8, 4});
  expect_shape(gt_split_input(&o.data.split[GT_PART_TEST], 0), GT_ELEMENT_F32, 3, (int64_t[]){N / 4, 8, 4});
  assert_non_null(gt_split_target(&o.data.split[GT_PART_TEST], 0)->data);
  assert_true(o.data.target[0].classes == 1 && o.data.input[0].scaling.count == 4);
  close_data(&o);
  open_data(&o, "{train: {inputs: %s, targets: %s}}", x, many);
  expect_open(&o);
  expect_shape(gt_split_target(&o.data.split[GT_PART_TRAIN], 0), GT_ELEMENT_F32, 2, (int64_t[]){N, 9});
  close_data(&o);
  /* Integers are read even for an outline, because the largest one determines the input's limit. */
  open_data(&o, "{train: {inputs: %s, targets: %s}, integers: input}", many, y);
  expect_open(&o);
  assert_non_null(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->data);
  close_data(&o);
  set_file_size(x, (off_t)N * 100);
  open_data(&o, "{train: {inputs: %s, targets: %s}}", x, y);
  expect_bad_file(&o, "is truncated: its NPY header asks for 134217728 bytes of data, it has 104857472");
}

static void records(void **state) {
  (void)state;
  enum { N = 6000, RECORD = 3073 };
  opened o;
  /* The first record is a truck, all others are airplanes. */
  const char *path = write_bytes("batch.bin", "\x09", 1);
  set_file_size(path, N * RECORD);
  open_data(&o, "{format: cifar, train: %s, classes: [airplane, truck], per_class: 10}", path);
  expect_open(&o);
  expect_shape(gt_split_input(&o.data.split[GT_PART_TRAIN], 0), GT_ELEMENT_U8, 4, (int64_t[]){11, 32, 32, 3});
  assert_int_equal(((const int32_t *)gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data)[0], 1);
  close_data(&o);
}

/* An image whose pixels are cut off and followed by 20 MB of zeros. */
static void write_truncated_image(const char *name, int height, int width) {
  static uint8_t pixels[64 * 64 * 3];
  const char *path = path_of(name);
  const png_kind k = {PNG_COLOR_TYPE_RGB, 8, false};
  paint(pixels, 64, 64, 3);
  write_png(name, height, width, k, pixels, 3);
  set_file_size(path, 80);
  set_file_size(path, 20000000);
}

static void pictures(void **state) {
  (void)state;
  opened o;
  const char *folder = path_of("pictures");
  assert_true(mkdir(folder, 0700) == 0 && mkdir(path_of("pictures/a"), 0700) == 0 &&
              mkdir(path_of("pictures/b"), 0700) == 0);
  write_truncated_image("pictures/a/1.png", 48, 64);
  write_truncated_image("pictures/b/1.png", 48, 64);
  open_data(&o, "{train: %s, normalize: channel, cache: %s-cache}", folder, folder);
  expect_open(&o);
  expect_shape(gt_split_input(&o.data.split[GT_PART_TRAIN], 0), GT_ELEMENT_U8, 4, (int64_t[]){2, 48, 64, 3});
  assert_int_equal(o.data.target[0].classes, 2);
  assert_int_equal(((const int32_t *)gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data)[1], 1);
  close_data(&o);
  assert_int_not_equal(access(path_of("pictures-cache"), F_OK), 0);
  open_data(&o, "{train: %s/a, targets: %s/b, target_channels: 1, size: 9}", folder, folder);
  expect_open(&o);
  expect_shape(gt_split_target(&o.data.split[GT_PART_TRAIN], 0), GT_ELEMENT_F32, 4, (int64_t[]){1, 9, 9, 1});
  close_data(&o);
  write_truncated_image("pictures/b/2.png", 48, 63);
  open_data(&o, "{train: %s}", folder);
  expect_bad_file(&o, "63 x 48 pixels; the others have 64 x 48");
  /* 48 x 63 pixels are allowed, 48 x 64 are not. */
  open_data(&o, "{train: %s, on_error: skip, size: 48, max_pixels: 3050}", folder);
  expect_open(&o);
  expect_shape(gt_split_input(&o.data.split[GT_PART_TRAIN], 0), GT_ELEMENT_U8, 4, (int64_t[]){1, 48, 48, 3});
  close_data(&o);
  requirements = NULL;
  open_data(&o, "{train: %s, size: 48}", folder);
  expect_bad_file(&o, "damaged PNG file");
}

static int set_up(void **state) {
  (void)state;
  requirements = &outline;
  gt_log_set_level(GT_LOG_ERROR);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(formulas, set_up), cmocka_unit_test_setup(boards, set_up),
      cmocka_unit_test_setup(arrays, set_up), cmocka_unit_test_setup(records, set_up),
      cmocka_unit_test_setup(pictures, set_up)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
