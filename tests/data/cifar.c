/* The binary files of CIFAR: the order of labels and pixels in a record, and errors. */
#include "data_support.h"

enum { PLANE = 1024, RECORD_10 = 1 + 3 * PLANE, RECORD_100 = 2 + 3 * PLANE }; /* bytes */
static uint8_t file[3 * RECORD_100];

/* Channel c of pixel i of record n; differs by record, position and channel. */
static uint8_t value(int n, int i, int c) { return (uint8_t)(n * 50 + i % 101 + c * 13); }

/* Writes records first to first + count - 1. `labels` is the number of labels per record: with one, as in
 * CIFAR-10, record n has the label 3 + n; with two, as in CIFAR-100, the coarse label 10 + n and the fine
 * label 90 + n. */
static const char *write_records(const char *name, int first, int count, int labels) {
  uint8_t *at = file;
  for (int n = first; n < first + count; n++) {
    for (int l = 0; l < labels; l++) *at++ = (uint8_t)(labels == 1 ? n + 3 : l ? 90 + n : 10 + n);
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < PLANE; i++) *at++ = value(n, i, c);
  }
  return write_bytes(name, file, (size_t)(at - file));
}

/* Expects the pixels of record n as this sample of the split. */
static void expect_sample(const gt_split *split, int sample, int n) {
  const uint8_t *pixels = (const uint8_t *)gt_split_input(split, 0)->data + (size_t)sample * PLANE * 3;
  for (int i = 0; i < PLANE; i++)
    for (int c = 0; c < 3; c++) assert_int_equal(*pixels++, value(n, i, c));
}

static void cifar_10(void **state) {
  (void)state;
  opened o;
  const char *a = write_records("a.bin", 0, 2, 1), *b = write_records("b.bin", 2, 1, 1),
             *t = write_records("t.bin", 1, 1, 1);
  open_data(&o, "{format: cifar, train: [%s, %s], test: %s}", a, b, t);
  expect_open(&o);
  assert_int_equal(o.data.target[0].classes, 10);
  assert_string_equal(o.data.target[0].class_names[9], "truck");
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 3);
  assert_int_equal(o.data.input[0].rank, 3);
  assert_int_equal(o.data.input[0].dim[2], 3);
  assert_int_equal(o.data.input[0].element, GT_ELEMENT_U8);
  for (int n = 0; n < 3; n++) {
    expect_sample(&o.data.split[GT_PART_TRAIN], n, n);
    assert_int_equal(((int32_t *)gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data)[n], n + 3);
  }
  expect_sample(&o.data.split[GT_PART_TEST], 0, 1);
  close_data(&o);
  open_data(&o, "{format: cifar, train: [%s, %s], classes: [deer, dog]}", a, b);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 2);
  expect_sample(&o.data.split[GT_PART_TRAIN], 1, 2);
  assert_int_equal(((int32_t *)gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data)[1], 1);
  close_data(&o);
  open_data(&o, "{format: cifar, train: [%s, %sx]}", a, b);
  expect_bad_config(&o, 0, "b.binx' not found");
  open_data(&o, "{format: cifar, train: %s, task: regression}", a);
  expect_bad_config(&o, 0, "the targets are class labels");
  open_data(&o, "{format: cifar, train: []}");
  assert_false(o.ok);
  close_data(&o);
  write_bytes("a.bin", file, RECORD_10 - 1);
  open_data(&o, "{format: cifar, train: %s, classes: 10}", a);
  expect_bad_file(&o, "a.bin holds 3072 bytes, which is not a multiple of the record size");
  memset(file, 10, RECORD_10);
  write_bytes("a.bin", file, RECORD_10);
  open_data(&o, "{format: cifar, train: %s}", a);
  expect_bad_file(&o, "sample 0 has the label 10");
  unlink(a), unlink(b), unlink(t);
}

static void cifar_100(void **state) {
  (void)state;
  opened o;
  const char *a = write_records("a.bin", 0, 3, 2);
  open_data(&o, "{format: cifar, train: %s}", a);
  expect_open(&o);
  assert_int_equal(o.data.target[0].classes, 100);
  for (int n = 0; n < 3; n++) {
    expect_sample(&o.data.split[GT_PART_TRAIN], n, n);
    assert_int_equal(((int32_t *)gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data)[n], 90 + n);
  }
  close_data(&o);
  open_data(&o, "{format: cifar, train: %s, labels: coarse}", a);
  expect_open(&o);
  assert_int_equal(o.data.target[0].classes, 20);
  assert_int_equal(((int32_t *)gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data)[1], 11);
  close_data(&o);
  unlink(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cifar_10), cmocka_unit_test(cifar_100)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
