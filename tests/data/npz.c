/* NPY arrays in every order of elements and bytes, and NPZ archives of them. */
#include "data_support.h"
#include <zip.h>

static const float *floats(const gt_tensor *t) { return t->data; }
static const int32_t *ints(const gt_tensor *t) { return t->data; }

/* Writes an NPY file of one array to *out; returns its size in bytes. */
static size_t npy(uint8_t *out, const char *descr, bool fortran, const char *shape, const void *data,
                  size_t size) {
  memcpy(out, "\x93NUMPY\1\0", 8);
  const int n = sprintf((char *)out + 10, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr,
                        fortran ? "True" : "False", shape);
  out[8] = (uint8_t)n;
  out[9] = 0;
  memcpy(out + 10 + n, data, size);
  return 10 + (size_t)n + size;
}

static const char *write_npy(const char *name, const char *descr, bool fortran, const char *shape,
                             const void *data, size_t size) {
  uint8_t file[1024];
  return write_bytes(name, file, npy(file, descr, fortran, shape, data, size));
}

static void fortran_order(void **state) {
  (void)state;
  opened o;
  const double x[] = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}; /* [4, 3], column by column */
  const uint8_t cube[] = {0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15}; /* [4, 2, 2] */
  const float y[] = {1, 2, 3, 4};
  const char *a = write_npy("x.npy", "<f8", true, "(4, 3)", x, sizeof x);
  const char *b = write_npy("y.npy", "<f4", true, "(4,)", y, sizeof y);
  open_data(&o, "{train: {inputs: %s, targets: %s}}", a, b);
  expect_open(&o);
  for (int i = 0; i < 12; i++)
    assert_true(floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[i] == (float)i);
  assert_true(floats(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[3] == 4);
  close_data(&o);
  a = write_npy("x.npy", "|u1", true, "(4, 2, 2)", cube, sizeof cube);
  open_data(&o, "{train: {inputs: %s, targets: %s}}", a, b);
  expect_open(&o);
  for (int i = 0; i < 16; i++)
    assert_int_equal(((uint8_t *)gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->data)[i], i);
  close_data(&o);
}

static void big_endian(void **state) {
  (void)state;
  opened o;
  const uint8_t x[] = {0x3F, 0x80, 0, 0, 0xC0, 0x20, 0, 0}; /* 1, -2.5 */
  const uint8_t y[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, b[] = {1, 0};
  const char *a = write_npy("x.npy", ">f4", false, "(2, 1)", x, sizeof x);
  open_data(&o, "{train: {inputs: %s, targets: %s}}", a,
            write_npy("y.npy", ">i8", false, "(2,)", y, sizeof y));
  expect_open(&o);
  assert_true(floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[0] == 1 &&
              floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[1] == -2.5f);
  assert_true(ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0] == 1 &&
              ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[1] == 0);
  close_data(&o);
  open_data(&o, "{train: {inputs: %s, targets: %s}}", a,
            write_npy("y.npy", "|b1", false, "(2,)", b, sizeof b));
  expect_open(&o);
  assert_true(o.data.target[0].classification &&
              ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0] == 1);
  close_data(&o);
}

/* --- archives --- */

static uint8_t arrays[8][1024]; /* libzip reads them when it closes the archive */
static int arrays_used;

static zip_t *create_archive(const char *name) {
  unlink(path_of(name));
  arrays_used = 0;
  zip_t *zip = zip_open(path_of(name), ZIP_CREATE | ZIP_TRUNCATE, NULL);
  assert_non_null(zip);
  return zip;
}

static void add(zip_t *zip, const char *name, const char *descr, const char *shape, const void *data,
                size_t size) {
  uint8_t *file = arrays[arrays_used++];
  zip_source_t *source = zip_source_buffer(zip, file, npy(file, descr, false, shape, data, size), 0);
  assert_true(zip_file_add(zip, name, source, 0) >= 0);
}

static const float four[] = {1, 2, 3, 4};
static const uint8_t labels[] = {0, 1, 1, 0};

static void archives_are_read(void **state) {
  (void)state;
  opened o;
  zip_t *zip = create_archive("a.npz");
  add(zip, "x.npy", "<f4", "(4, 1)", four, sizeof four);
  add(zip, "y.npy", "|u1", "(4,)", labels, sizeof labels);
  add(zip, "z.npy", "<f4", "(2, 2)", four, sizeof four);
  assert_int_equal(zip_close(zip), 0);
  open_data(&o, "{train: %s, validation: 0.25, split: last}", path_of("a.npz"));
  expect_open(&o);
  assert_string_equal(o.data.format, "npz");
  assert_true(o.data.target[0].classification && o.data.split[GT_PART_TRAIN].samples == 3 &&
              o.data.split[GT_PART_VALIDATION].samples == 1);
  assert_true(floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[2] == 3 &&
              ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[2] == 1);
  close_data(&o);
  open_data(&o, "{train: %s, inputs: {a: x, b: x}, targets: x}", path_of("a.npz"));
  expect_open(&o);
  assert_int_equal(o.data.inputs, 2);
  close_data(&o);
  open_data(&o, "{train: %s, inputs: X}", path_of("a.npz"));
  expect_bad_file(&o, "there is no array 'X'; it has: x, y, z");
  open_data(&o, "{train: %s, inputs: z}", path_of("a.npz"));
  expect_bad_file(&o, "array 'z' holds 2 samples, but");
  open_data(&o, "{train: %s, inputs: [x, z]}", path_of("a.npz"));
  expect_bad_config(&o, 0, "an input is one array");
}

static void keras_names_are_known(void **state) {
  (void)state;
  opened o;
  zip_t *zip = create_archive("a.npz");
  add(zip, "x_train.npy", "<f4", "(4, 1)", four, sizeof four);
  add(zip, "y_train.npy", "|u1", "(4,)", labels, sizeof labels);
  add(zip, "x_test.npy", "<f4", "(2, 1)", four, 8);
  add(zip, "y_test.npy", "|u1", "(2,)", labels, 2);
  assert_int_equal(zip_close(zip), 0);
  open_data(&o, "{train: %s}", path_of("a.npz"));
  expect_open(&o);
  assert_true(o.data.split[GT_PART_TRAIN].samples == 4 && o.data.split[GT_PART_TEST].samples == 2);
  close_data(&o);
  open_data(&o, "{train: %s, test_fraction: 0.5}", path_of("a.npz"));
  expect_open(&o);
  assert_true(o.data.split[GT_PART_TRAIN].samples == 2 && o.data.split[GT_PART_TEST].samples == 2);
  close_data(&o);
}

/* Reads x_test of the archive that the test before has left. */
static void predictions_read_archives(void **state) {
  (void)state;
  static const gt_data_signature one = {
      .inputs = 1, .input = {{.name = "input", .rank = 1, .dim = {1}, .element = GT_ELEMENT_F32}}};
  gt_error error = {0};
  gt_split out;
  assert_true(gt_data_read_inputs(&(gt_input_file){NULL, path_of("a.npz")}, 1, &one, NULL, &out, &error));
  assert_true(gt_split_input(&out, 0)->dim[0] == 2 && floats(gt_split_input(&out, 0))[1] == 2);
  gt_split_finish(&out);
}

static void damaged_archives_are_rejected(void **state) {
  (void)state;
  opened o;
  uint8_t file[4096];
  zip_t *zip = create_archive("a.npz");
  add(zip, "x.npy", "<f4", "(4, 1)", four, sizeof four);
  add(zip, "y.npy", "|u1", "(4,)", labels, sizeof labels);
  assert_int_equal(zip_close(zip), 0);
  FILE *from = fopen(path_of("a.npz"), "rb");
  const size_t size = fread(file, 1, sizeof file, from);
  fclose(from);
  open_data(&o, "{train: %s}", write_bytes("a.npz", file, size / 2));
  expect_bad_file(&o, "is not a whole NPZ archive");
  for (size_t i = 0; i < size; i++) { /* a damaged byte gives data or an error */
    file[i] ^= 0x55;
    if (!open_data(&o, "{train: %s}", write_bytes("a.npz", file, size)))
      assert_int_equal(o.error.status, GT_ERR_DATA);
    close_data(&o);
    file[i] ^= 0x55;
  }
  open_data(&o, "{train: %s}", write_text("a.npz", "no archive"));
  expect_bad_file(&o, "is not a whole NPZ archive");
}

static int remove_files(void **state) {
  (void)state;
  unlink(path_of("x.npy"));
  unlink(path_of("y.npy"));
  unlink(path_of("a.npz"));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fortran_order),
      cmocka_unit_test(big_endian),
      cmocka_unit_test(archives_are_read),
      cmocka_unit_test(keras_names_are_known),
      cmocka_unit_test(predictions_read_archives),
      cmocka_unit_test(damaged_archives_are_rejected),
  };
  return cmocka_run_group_tests_name("data: npy and npz", tests, NULL, remove_files);
}
