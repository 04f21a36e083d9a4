/* Opening datasets of every format: values, splits, classes, scaling, and error messages. */
#include "data/table/csv.h"
#include "data/format.h"
#include "data/column.h"
#include "data_support.h"
#include <math.h>
#include <sys/resource.h>

/* IDX files: three images of 2 x 2 pixels, and their labels. */
static const uint8_t images[] = {0, 0, 8, 3,   0,  0,   0, 3, 0, 0, 0, 2, 0, 0,
                                 0, 2, 0, 255, 51, 102, 1, 2, 3, 4, 9, 8, 7, 6};
static const uint8_t labels[] = {0, 0, 8, 1, 0, 0, 0, 3, 2, 0, 1};

static const float *floats(const gt_tensor *t) { return t->data; }
static const int32_t *ints(const gt_tensor *t) { return t->data; }

static long peak_memory(void) { /* KiB */
  struct rusage usage;
  assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
  return usage.ru_maxrss;
}

/* What the network gets for `value` as feature f, computed as the kernels do, with a center, a scale and a
 * shift (gt_scaling). */
static float scaled(const gt_dataset *data, int64_t f, float value) {
  const int64_t n = data->input[0].scaling.count;
  const float *center = data->input[0].scaling.values + f % n;
  return (value - center[0]) * center[n] + center[2 * n];
}

static void idx_is_read(void **state) {
  (void)state;
  opened o;
  uint8_t packed[256];
  const char *x = write_bytes("x-ubyte.gz", packed, gzip_bytes(images, sizeof images, packed, sizeof packed));
  const char *y = write_bytes("y-ubyte", labels, sizeof labels);
  open_data(&o, "{train: {inputs: %s, targets: %s}, normalize: {mean: 0.5, std: 0.25}}", x, y);
  expect_open(&o);
  const gt_tensor *in = gt_split_input(&o.data.split[GT_PART_TRAIN], 0);
  assert_string_equal(o.data.format, "idx");
  assert_int_equal(in->element, GT_ELEMENT_U8);
  assert_int_equal(in->rank, 3);
  assert_int_equal(in->dim[0], 3);
  assert_int_equal(gt_tensor_features(in), 4);
  assert_memory_equal(in->data, images + 16, 12);
  assert_true(o.data.target[0].classification);
  assert_int_equal(o.data.target[0].classes, 3);
  assert_int_equal(ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0], 2);
  assert_int_equal(o.data.input[0].scaling.count, 1);
  assert_true(fabsf(scaled(&o.data, 0, 255) - 2) < 1e-6f);
  assert_int_equal(o.data.split[GT_PART_TEST].samples, 0);
  close_data(&o);
}

static void classes_are_checked(void **state) {
  (void)state;
  opened o;
  const char *x = write_bytes("x-ubyte", images, sizeof images),
             *y = write_bytes("y-ubyte", labels, sizeof labels);
  open_data(&o, "{train: {inputs: %s, targets: %s}, classes: 2}", x, y);
  expect_bad_file(&o, "sample 0 has the label 2");
  open_data(&o, "{train: {inputs: %s, targets: %s}, classes: 2, class_names: [a, b, c]}", x, y);
  expect_bad_config(&o, 0, "class_names");
  open_data(&o, "{train: {inputs: %s, targets: %s}, class_names: [a, b, a]}", x, y);
  expect_bad_config(&o, 0, "there is more than one class named 'a'");
  open_data(&o, "{train: {inputs: %s, targets: %s}, task: regression}", x, y);
  expect_open(&o);
  assert_int_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->rank, 2);
  assert_true(floats(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0] == 2);
  close_data(&o);
  open_data(&o, "{train: {inputs: %s, targets: %s}}", y, x);
  expect_open(&o); /* targets of rank 3 are quantities, although they are bytes */
  assert_false(o.data.target[0].classification);
  assert_int_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->dim[1], 4);
  close_data(&o);
}

static void counts_must_match(void **state) {
  (void)state;
  opened o;
  static const uint8_t two[] = {0, 0, 8, 1, 0, 0, 0, 2, 0, 1};
  const char *x = write_bytes("x-ubyte", images, sizeof images), *y = write_bytes("y-ubyte", two, sizeof two);
  open_data(&o, "{train: {inputs: %s, targets: %s}}", x, y);
  expect_bad_file(&o, "holds 3 samples, but");
  open_data(&o, "{train: {inputs: %s, targets: %s.missing}}", x, y);
  expect_bad_config(&o, 0, "not found");
  open_data(&o, "{format: idx, trian: 1, train: {inputs: %s, targets: %s.missing}}", x, y);
  assert_int_equal(o.diagnostics.errors, 2); /* the key and the file, in one pass */
  close_data(&o);
  open_data(&o, "{format: idx, train: {inputs: %s}}", x);
  expect_bad_config(&o, 0, "targets");
}

static void csv_is_read(void **state) {
  (void)state;
  opened o;
  const char *path = write_text("a.csv", "\xEF\xBB\xBFid,len, \"wid\"\"th\" ,kind\r\n"
                                         "7,1.5,-2e-1,rose\r\n\r\n8,0x,3,tulip\n");
  open_data(&o, "{train: %s, ignore: id}", path);
  expect_bad_file(&o, ":4:3: column 'len' has 1 number and 1 text ('0x' at 4:3)");
  path = write_text("a.csv", "id,len, \"wid\"\"th\" ,kind\r\n7,1.5,-2e-1,tulip\r\n\r\n8,\"2\",3,\"a, b\"\n");
  open_data(&o, "{train: %s, ignore: id}", path);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 2);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->dim[1], 2);
  assert_string_equal(o.data.input[0].columns[1], "wid\"th");
  assert_true(floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[1] == -0.2f);
  assert_true(floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[2] == 2);
  assert_int_equal(o.data.target[0].classes, 2);
  assert_string_equal(o.data.target[0].class_names[0], "a, b");
  assert_int_equal(ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0], 1);
  close_data(&o);
}

static void csv_mistakes(void **state) {
  (void)state;
  opened o;
  const char *train = write_text("t.csv", "a,b,label\n1,2,cat\n3,4,dog\n");
  const char *ragged = write_text("r.csv", "a,b\n1,2\n3\n"), *nan = write_text("n.csv", "a,b\n1,2\nnan,1\n");
  const char *huge = write_text("h.csv", "a,b\n1e39,2\n"),
             *open_quote = write_text("q.csv", "a,b\n1,\"2\n3,4\n");
  const char *empty = write_text("e.csv", ""), *header_only = write_text("b.csv", "a,b\n");
  open_data(&o, "{train: %s, target: lable}", train);
  assert_string_equal(o.diagnostics.items[0].suggestion, "label");
  assert_null(o.diagnostics.items[0].help);
  expect_bad_config(&o, 0, "no column 'lable'");
  /* A column name that is not found, because the first line is read as a header or is not. */
  const char *no_header = write_text("v.csv", "1,2,30\n2,3,50\n"), *text = write_text("x.csv", "p,q\nr,s\n");
  const char *sample = "its first line is read as a sample, not as a header",
             *first = "its first line is read as the header";
  open_data(&o, "{train: %s, target: price}", no_header);
  assert_non_null(strstr(o.diagnostics.items[0].help, "from 1 to 3, or set `header: true`"));
  expect_bad_config(&o, 0, sample);
  open_data(&o, "{train: %s, target: 3, ignore: [a]}", no_header);
  expect_bad_config(&o, 0, sample);
  open_data(&o, "{train: %s, target: label, header: false}", train);
  expect_bad_config(&o, 0, sample);
  open_data(&o, "{train: %s, target: 2}", text);
  assert_non_null(strstr(o.diagnostics.items[0].help, "set `header: false`"));
  expect_bad_config(&o, 0, first);
  open_data(&o, "{train: %s, target: price, header: true}", no_header);
  expect_bad_config(&o, 0, first);
  open_data(&o, "{train: %s, test: %s}", train, text);
  expect_bad_file(&o, first);
  open_data(&o, "{train: %s, test: %s}", train, write_text("u.csv", "a,b,labels\n1,2,cat\n"));
  expect_bad_file(&o, "there is no column 'label'; did you mean 'labels'?");
  open_data(&o, "{train: %s, test: %s}", train, write_text("u.csv", "label,a,b\ncat,1,2\ndgo,1,2\n"));
  expect_bad_file(&o, ":3:1: 'dgo' is not one of the 2 classes; did you mean 'dog'?");
  open_data(&o, "{train: %s}", ragged);
  expect_bad_file(&o, ":3:1: this row has 1 cells; expected 2");
  open_data(&o, "{train: %s}", nan);
  expect_open(&o); /* filled with the median */
  assert_true(o.data.input[0].table->column[0].fills &&
              floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[1] == 1);
  close_data(&o);
  open_data(&o, "{train: %s}", huge);
  expect_bad_file(&o, "too large for a 32-bit float");
  open_data(&o, "{train: %s}", open_quote);
  expect_bad_file(&o, ":2:3: this quote is never closed");
  open_data(&o, "{train: %s}", empty);
  expect_bad_file(&o, "is empty");
  open_data(&o, "{train: %s}", header_only);
  expect_bad_file(&o, "no rows");
  open_data(&o, "{train: %s, tset: x.csv}", train);
  expect_bad_config(&o, 0, "tset");
  open_data(&o, "{train: %s, delimiter: abc}", train);
  expect_bad_config(&o, 0, "delimiter");
}

static void csv_targets_decide_the_task(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{train: %s}", write_text("t.csv", "1,0\n2,1\n3,1\n"));
  expect_open(&o);
  assert_true(o.data.target[0].classification && o.data.target[0].classes == 2 &&
              o.data.split[GT_PART_TRAIN].samples == 3);
  close_data(&o);
  open_data(&o, "{train: %s}", write_text("t.csv", "1,1\n2,3\n3,1\n"));
  expect_open(&o); /* no class 0: quantities */
  assert_false(o.data.target[0].classification);
  close_data(&o);
  open_data(&o, "{train: %s, task: classification}", write_text("t.csv", "1,1\n2,3.5\n"));
  expect_bad_file(&o, ":2:3: '3.5' is not a label");
  open_data(&o, "{train: %s, target: [b, a], test_fraction: 0.5, split: last}",
            write_text("t.csv", "a,b,c\n1,2,3\n4,5,6\n"));
  expect_open(&o);
  assert_true(floats(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0] == 2 &&
              floats(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[1] == 1);
  assert_true(floats(gt_split_input(&o.data.split[GT_PART_TEST], 0))[0] == 6);
  close_data(&o);
  open_data(&o, "{train: %s, class_names: [no, yes]}", write_text("t.csv", "1,yes\n2,no\n"));
  expect_open(&o);
  assert_true(ints(gt_split_target(&o.data.split[GT_PART_TRAIN], 0))[0] == 1 &&
              o.data.target[0].classes == 2);
  close_data(&o);
}

static void numbers_are_parsed(void **state) {
  (void)state;
  static const char *const good[] = {"0",
                                     "-0.0",
                                     "1",
                                     "+1.5",
                                     ".5",
                                     "5.",
                                     "1e10",
                                     "1E-10",
                                     "123456789012345678901234567890",
                                     "0.00000000000000000000000000000000000001",
                                     "3.4028235e38",
                                     "1.17549435e-38",
                                     "0.1",
                                     "2.2250738585072011e-308",
                                     "9007199254740993",
                                     "1e-45",
                                     "1e99999999999"};
  static const char *const bad[] = {"",    "-",   ".",   "e5",  "1e",  "1e+",  "0x10",
                                    "1,5", "nan", "inf", "1 2", "--1", "1.2.3"};
  double value;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_true(gt_parse_number(good[i], strlen(good[i]), '.', &value));
    assert_true((float)value == strtof(good[i], NULL));
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(gt_parse_number(bad[i], strlen(bad[i]), '.', &value));
  uint32_t random = 1;
  for (int i = 0; i < 200000; i++) {
    char text[40];
    random = random * 1664525u + 1013904223u;
    float expected;
    memcpy(&expected, &random, 4);
    if (!isfinite(expected)) continue;
    snprintf(text, sizeof text, "%.9g", (double)expected);
    assert_true(gt_parse_number(text, strlen(text), '.', &value));
    assert_true((float)value == expected);
  }
}

static void npy_round_trip(void **state) {
  (void)state;
  opened o;
  gt_error error = {0};
  float x[] = {1, 2, 3, 4, 5, 6, 7, 8};
  int32_t y[] = {0, 1, 1, 0};
  gt_tensor in = {.element = GT_ELEMENT_F32, .rank = 2, .dim = {4, 2}, .data = x};
  gt_tensor out = {.element = GT_ELEMENT_I32, .rank = 1, .dim = {4}, .data = y};
  const char *a = path_of("x.npy"), *b = path_of("y.npy");
  assert_true(gt_data_write_npy(a, &in, &error) && gt_data_write_npy(b, &out, &error));
  open_data(&o, "{train: {inputs: %s, targets: %s}, normalize: standard}", a, b);
  expect_open(&o);
  assert_string_equal(o.data.format, "npy");
  assert_true(o.data.target[0].classification && o.data.target[0].classes == 2);
  assert_memory_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->data, x, sizeof x);
  assert_int_equal(o.data.input[0].scaling.count, 2);
  assert_true(fabsf(scaled(&o.data, 0, x[0]) + 1.3416408f) < 1e-6f);
  close_data(&o);
  open_data(&o, "{train: {inputs: %s, targets: %s}, normalize: {mean: [1, 2, 3]}}", a, b);
  expect_bad_config(&o, 0, "3 values of 'mean'");
  open_data(&o, "{train: {inputs: %s, targets: %s}, shape: [1, 2, 1]}", a, b);
  expect_open(&o);
  assert_int_equal(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->rank, 4);
  close_data(&o);
  open_data(&o, "{train: {inputs: %s, targets: %s}, shape: [3]}", a, b);
  expect_bad_config(&o, 0, "shape");
  x[5] = NAN;
  const char *c = path_of("nan.npy"); /* not a: no output replaces a file that was read */
  assert_true(gt_data_write_npy(c, &in, &error));
  open_data(&o, "{train: {inputs: %s, targets: %s}}", c, b);
  expect_bad_file(&o, "value 1 of sample 2 is NaN");
}

/* Expects an NPY file of this header and 16 bytes of data to be rejected with a message that contains the
 * text. */
static void expect_bad_npy(const char *header, const char *text) {
  opened o;
  uint8_t file[256] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  const size_t length = strlen(header);
  file[8] = (uint8_t)length;
  memcpy(file + 10, header, length);
  const char *a = write_bytes("bad.npy", file, 10 + length + 16);
  open_data(&o, "{train: {inputs: %s, targets: %s}}", a, a);
  expect_bad_file(&o, text);
}

static void npy_headers_are_strict(void **state) {
  (void)state;
  expect_bad_npy("{'descr': '<f2', 'fortran_order': True, 'shape': (2, 2), }", "'<f2' are not supported");
  expect_bad_npy("{'descr': '|f4', 'fortran_order': False, 'shape': (2, 2), }", "'|f4' are not supported");
  expect_bad_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                 "truncated: its NPY header asks for 24");
  expect_bad_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }", "too long");
  expect_bad_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4), }", "',' after the only");
  expect_bad_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "a single number");
  expect_bad_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4), }", "no samples");
  expect_bad_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 4), }",
                 "dimension");
  expect_bad_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
                 "too many elements for any");
  expect_bad_npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", "once");
  expect_bad_npy("{'descr': '<f4', 'shape': (2, 2), }", "'fortran_order'");
  expect_bad_npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,), }", "structured arrays");
  expect_bad_npy("__import__('os')", "expected '{'");
}

static void tables_are_read(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{inputs: [[0, 0], [0, 1], [1, 0], [1, 1]], targets: [[0], [1], [1], [0]]}");
  expect_open(&o);
  assert_false(o.data.target[0].classification);
  assert_int_equal(o.data.split[GT_PART_TEST].samples, 4);
  assert_memory_equal(gt_split_input(&o.data.split[GT_PART_TEST], 0)->data,
                      gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->data, 8 * sizeof(float));
  close_data(&o);
  open_data(&o, "{inputs: [1, 2, 3], targets: [0, 1, 1]}");
  expect_open(&o);
  assert_true(o.data.target[0].classification && o.data.target[0].classes == 2);
  close_data(&o);
  open_data(&o, "{inputs: [[1, 2], [3]], targets: [0, 1]}");
  expect_bad_config(&o, 19, "and the first one have different lengths");
  open_data(&o, "{inputs: [[1, 2], [3, .inf]], targets: [0, 1]}");
  expect_bad_config(&o, 23, "not a number");
  open_data(&o, "{inputs: [[1, 2]], targets: [0, 1]}");
  expect_bad_config(&o, 29, "the numbers of samples and targets differ");
  open_data(&o, "{format: tabel, inputs: [1], targets: [0]}");
  expect_bad_config(&o, 10, "tabel");
  open_data(&o, "{inptus: [1]}");
  expect_bad_config(&o, 2, "unknown key 'inptus' in 'data'");
}

static void bits_are_detected(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{inputs: [[0, 1], [1, 1], [0, 0]], targets: [[1], [0], [2]]}");
  expect_open(&o);
  assert_true(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->bits);
  close_data(&o);
  open_data(&o, "{inputs: [[0, 1], [1, 1], [0, 0.5]], targets: [[1], [0], [2]]}");
  expect_open(&o);
  assert_false(gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->bits);
  close_data(&o);
  uint8_t bytes[2] = {0, 1};
  const gt_tensor tensor = {.element = GT_ELEMENT_U8, .rank = 2, .dim = {1, 2}, .data = bytes};
  assert_false(gt_data_is_bits(NULL, &tensor));
}

/* Every sample is in exactly one split; splits keep the order of the file; the same seed gives the same
 * splits. */
static void splits_are_partitions(void **state) {
  (void)state;
  opened o, again;
  enum { N = 1000 };
  char *text = malloc(N * 16);
  size_t at = 0;
  for (int i = 0; i < N; i++) at += (size_t)sprintf(text + at, "%d,%d.5\n", i, i);
  const char *path = write_bytes("s.csv", text, at);
  free(text);
  open_data(&o, "{train: %s, validation: 0.1, test_fraction: 0.25, normalize: standard}", path);
  expect_open(&o);
  open_data(&again, "{train: %s, validation: 0.1, test_fraction: 0.25, normalize: standard}", path);
  expect_open(&again);
  const gt_split *splits[] = {&o.data.split[GT_PART_TRAIN], &o.data.split[GT_PART_VALIDATION],
                              &o.data.split[GT_PART_TEST]};
  const int64_t counts[] = {650, 100, 250};
  bool seen[N] = {0};
  for (int s = 0; s < 3; s++) {
    assert_int_equal(splits[s]->samples, counts[s]);
    for (int64_t i = 0; i < counts[s]; i++) {
      const float x = floats(gt_split_input(splits[s], 0))[i];
      assert_true(floats(gt_split_target(splits[s], 0))[i] == x + 0.5f && !seen[(int)x]);
      assert_true(i == 0 || x > floats(gt_split_input(splits[s], 0))[i - 1]);
      seen[(int)x] = true;
    }
  }
  assert_memory_equal(gt_split_input(&o.data.split[GT_PART_TEST], 0)->data,
                      gt_split_input(&again.data.split[GT_PART_TEST], 0)->data, 250 * sizeof(float));
  double sum = 0, squares = 0;
  for (int i = 0; i < 650; i++) {
    const double z = (double)scaled(&o.data, 0, floats(gt_split_input(&o.data.split[GT_PART_TRAIN], 0))[i]);
    sum += z, squares += z * z;
  }
  assert_true(fabs(sum / 650) < 1e-5 && fabs(squares / 650 - 1) < 1e-4);
  close_data(&o);
  close_data(&again);
  open_data(&o, "{train: %s, validation: 0.6, test_fraction: 0.6}", path);
  expect_bad_config(&o, 0, "no samples are left");
  open_data(&o, "{train: %s, test: %s, test_fraction: 0.1}", path, path);
  expect_bad_config(&o, 0, "already has a test split");
}

static void inputs_for_predictions(void **state) {
  (void)state;
  gt_error error = {0};
  gt_split out;
  const char *const names[] = {"b", "a"};
  gt_data_signature signature = {
      .inputs = 1,
      .input = {{.name = "input", .rank = 1, .dim = {2}, .element = GT_ELEMENT_F32, .columns = names}}};
  const char *path = write_text("p.csv", "a,x,b\n1,no,2\n3,no,4\n");
  assert_true(gt_data_read_inputs(&(gt_input_file){NULL, path}, 1, &signature, NULL, &out, &error));
  assert_true(gt_split_input(&out, 0)->dim[0] == 2 && floats(gt_split_input(&out, 0))[0] == 2 &&
              floats(gt_split_input(&out, 0))[1] == 1);
  gt_split_finish(&out);
  gt_data_signature square = {
      .inputs = 1, .input = {{.name = "input", .rank = 2, .dim = {2, 2}, .element = GT_ELEMENT_F32}}};
  assert_true(gt_data_read_inputs(&(gt_input_file){NULL, write_bytes("i-ubyte", images, sizeof images)}, 1,
                                  &square, NULL, &out, &error));
  assert_true(gt_split_input(&out, 0)->rank == 3 && gt_split_input(&out, 0)->element == GT_ELEMENT_F32 &&
              floats(gt_split_input(&out, 0))[1] == 255);
  gt_split_finish(&out);
  gt_data_signature wide = signature; /* with more columns than any file has */
  wide.input[0].dim[0] = 2147483647;
  wide.input[0].columns = NULL;
  const long before = peak_memory();
  assert_false(gt_data_read_inputs(&(gt_input_file){NULL, path}, 1, &wide, NULL, &out, &error));
  assert_non_null(strstr(error.message, "this file has 3 columns; the model expects 2147483647"));
  assert_true(peak_memory() - before < 8 << 10);
  error = (gt_error){0};
  assert_false(
      gt_data_read_inputs(&(gt_input_file){NULL, path_of("i-ubyte")}, 1, &signature, NULL, &out, &error));
  assert_int_equal(error.status, GT_ERR_DATA);
  error = (gt_error){0};
  assert_false(
      gt_data_read_inputs(&(gt_input_file){NULL, path_of("nothing.bin")}, 1, &signature, NULL, &out, &error));
  assert_int_equal(error.status, GT_ERR_IO);
}

/* A gzip file that decompresses to `size` bytes, which repeat this text, or are zeros if it is empty. */
static const char *pack(const char *name, const char *text, size_t size, size_t *packed) {
  char *bytes = calloc(1, size); /* untouched zeros take no memory */
  uint8_t *out = malloc(size / 20);
  for (size_t i = 0, length = strlen(text); i < size && length; i++) bytes[i] = text[i % length];
  *packed = gzip_bytes(bytes, size, out, size / 20);
  const char *path = write_bytes(name, out, *packed);
  free(bytes);
  free(out);
  return path;
}

/* A file that decompresses to more than gt_inflate_limit, 64 MiB plus 200 times its size, is an error, which
 * is found without keeping the output. */
static void gzip_bombs_are_rejected(void **state) {
  (void)state;
  opened o;
  size_t packed;
  const char *path = pack("bomb-ubyte.gz", "", 80 << 20, &packed);
  const long before = peak_memory();
  open_data(&o, "{train: {inputs: %s, targets: %s}}", path, path);
  expect_bad_file(&o, "MiB once inflated, the limit");
  assert_true(peak_memory() - before < 8 << 10);
  assert_int_equal(truncate(path, (off_t)packed / 2), 0);
  open_data(&o, "{train: {inputs: %s, targets: %s}}", path, path);
  expect_bad_file(&o, "truncated");
  /* The text is smaller than the limit, but rows of four bytes take three times as much memory. */
  path = pack("bomb.csv.gz", "1,2\n", 20 << 20, &packed);
  open_data(&o, "{train: %s}", path);
  expect_bad_file(&o, "decompress it first (gunzip)");
}

static int remove_files(void **state) {
  (void)state;
  static const char *const names[] = {
      "x-ubyte.gz", "y-ubyte", "x-ubyte", "a.csv",         "t.csv",       "r.csv",  "n.csv",   "h.csv",
      "q.csv",      "e.csv",   "b.csv",   "u.csv",         "x.npy",       "y.npy",  "bad.npy", "s.csv",
      "p.csv",      "w.csv",   "i-ubyte", "bomb-ubyte.gz", "bomb.csv.gz", "nan.npy"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(path_of(names[i]));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(idx_is_read),
      cmocka_unit_test(classes_are_checked),
      cmocka_unit_test(counts_must_match),
      cmocka_unit_test(csv_is_read),
      cmocka_unit_test(csv_mistakes),
      cmocka_unit_test(csv_targets_decide_the_task),
      cmocka_unit_test(numbers_are_parsed),
      cmocka_unit_test(npy_round_trip),
      cmocka_unit_test(npy_headers_are_strict),
      cmocka_unit_test(tables_are_read),
      cmocka_unit_test(bits_are_detected),
      cmocka_unit_test(splits_are_partitions),
      cmocka_unit_test(inputs_for_predictions),
      cmocka_unit_test(gzip_bombs_are_rejected),
  };
  return cmocka_run_group_tests_name("data: open", tests, NULL, remove_files);
}
