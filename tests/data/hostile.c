/* Malicious files: small files of each format are truncated at every length and changed at random thousands
 * of times. Each result is either read or rejected with GT_ERR_DATA and a message that names the file or a
 * sample. Should also be run under AddressSanitizer. */
#include "data_support.h"
#include <math.h>

enum { CHANGES = 3000 }; /* number of files with random changes */
static int opened_count, rejected_count;

static uint32_t next_random(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static void check_split(const gt_dataset *data, const gt_split *split) {
  if (!split->samples) return;
  assert_int_equal(gt_split_input(split, 0)->dim[0], split->samples);
  assert_int_equal(gt_split_target(split, 0)->dim[0], split->samples);
  const int64_t values = split->samples * gt_tensor_features(gt_split_input(split, 0));
  for (int64_t i = 0; i < values && gt_split_input(split, 0)->element == GT_ELEMENT_F32; i++)
    assert_true(isfinite(((const float *)gt_split_input(split, 0)->data)[i]));
  for (int64_t i = 0; i < split->samples && data->target[0].classification; i++) {
    const int32_t label = ((const int32_t *)gt_split_target(split, 0)->data)[i];
    assert_true(label >= 0 && label < data->target[0].classes);
  }
}

static void try_config(const char *config, const char *path) {
  opened o;
  open_data(&o, config, path);
  if (o.ok) {
    check_split(&o.data, &o.data.split[GT_PART_TRAIN]);
    check_split(&o.data, &o.data.split[GT_PART_TEST]);
    opened_count++;
  } else {
    if (o.diagnostics.errors)
      fail_msg("a file's fault is blamed on the config: %s", o.diagnostics.items[0].message);
    if (o.error.status != GT_ERR_DATA) fail_msg("status %d: %s", (int)o.error.status, o.error.message);
    if (!strstr(o.error.message, path)) assert_non_null(strstr(o.error.message, "sample"));
    rejected_count++;
  }
  close_data(&o);
  gt_data_signature signature = {
      .inputs = 1, .input = {{.name = "input", .rank = 1, .dim = {3}, .element = GT_ELEMENT_F32}}};
  gt_split inputs;
  gt_error error = {0};
  if (gt_data_read_inputs(&(gt_input_file){NULL, path}, 1, &signature, NULL, &inputs, &error))
    gt_split_finish(&inputs);
  else
    assert_int_equal(error.status, GT_ERR_DATA);
}

/* `config` contains one %s, for the file under attack. */
static void attack(const char *config, const char *name, const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size + 8);
  const char *path = write_bytes(name, data, size);
  try_config(config, path);
  assert_int_equal(rejected_count, 0);
  assert_int_equal(opened_count, 1);
  for (size_t n = 0; n < size; n++) try_config(config, write_bytes(name, data, n));
  uint32_t random = 12345;
  for (int i = 0; i < CHANGES; i++) {
    memcpy(copy, data, size);
    const int changed_bytes = 1 + (int)(next_random(&random) % 3);
    for (int k = 0; k < changed_bytes; k++) {
      const uint32_t r = next_random(&random), where = next_random(&random);
      /* Half of the changed bytes are at the front, where the header is; in half of them one bit flips. */
      copy[where % (r & 256 && size > 128 ? 128 : size)] ^= (uint8_t)(r & 512 ? 1u << (r & 7) : r);
    }
    try_config(config, write_bytes(name, copy, size));
  }
  memcpy(copy, data, size);
  memcpy(copy + size, "\0\0\0\0garbage", 8);
  try_config(config, write_bytes(name, copy, size + 8));
  unlink(path_of(name));
  free(copy);
  assert_true(rejected_count > 10);
  print_message("%s: %d opened, %d refused\n", name, opened_count, rejected_count);
  opened_count = rejected_count = 0;
}

static size_t make_idx(uint8_t *out, int samples, int features) {
  const uint8_t head[] = {0, 0, 8, 2, 0, 0, 0, (uint8_t)samples, 0, 0, 0, (uint8_t)features};
  memcpy(out, head, sizeof head);
  for (int i = 0; i < samples * features; i++) out[sizeof head + (size_t)i] = (uint8_t)(i * 37);
  return sizeof head + (size_t)(samples * features);
}

static const char *make_labels(void) {
  uint8_t file[8 + 40] = {0, 0, 8, 1, 0, 0, 0, 40};
  for (int i = 0; i < 40; i++) file[8 + i] = (uint8_t)(i % 4);
  return write_bytes("labels-ubyte", file, sizeof file);
}

static void idx(void **state) {
  (void)state;
  uint8_t file[512], packed[1024];
  char config[1024];
  const size_t size = make_idx(file, 40, 3);
  snprintf(config, sizeof config, "{format: idx, train: {inputs: %%s, targets: %s}, normalize: standard}",
           make_labels());
  attack(config, "raw-ubyte", file, size);
  attack(config, "packed-ubyte.gz", packed, gzip_bytes(file, size, packed, sizeof packed));
  /* The same format, with labels under attack. */
  const uint8_t labels[] = {0, 0, 8, 1, 0, 0, 0, 5, 0, 1, 2, 0, 1};
  const size_t five = make_idx(file, 5, 3);
  const char *inputs = write_bytes("inputs-ubyte", file, five);
  snprintf(config, sizeof config, "{format: idx, train: {inputs: %s, targets: %%s}, task: classification}",
           inputs);
  attack(config, "attacked-ubyte", labels, sizeof labels);
  unlink(path_of("inputs-ubyte"));
  unlink(path_of("labels-ubyte"));
}

static size_t read_file(const char *path, uint8_t *out, size_t capacity) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t n = fread(out, 1, capacity, file);
  fclose(file);
  return n;
}

static void npy(void **state) {
  (void)state;
  gt_error error = {0};
  float values[120];
  uint8_t file[2048];
  char config[1024];
  for (int i = 0; i < 120; i++) values[i] = (float)i * 0.37f;
  gt_tensor tensor = {.element = GT_ELEMENT_F32, .rank = 2, .dim = {40, 3}, .data = values};
  assert_true(gt_data_write_npy(path_of("whole.npy"), &tensor, &error));
  const size_t size = read_file(path_of("whole.npy"), file, sizeof file);
  snprintf(config, sizeof config, "{format: npy, train: {inputs: %%s, targets: %s}}", path_of("whole.npy"));
  attack(config, "attacked.npy", file, size);
  /* Integers, with a header of version 2 that is not padded. */
  static const char dict[] = "{'descr': '<i8', 'fortran_order': False, 'shape': (40, 1), }\n";
  uint8_t small[512] = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, sizeof dict - 1};
  memcpy(small + 12, dict, sizeof dict - 1);
  for (int i = 0; i < 40; i++) small[12 + sizeof dict - 1 + 8 * (size_t)i] = (uint8_t)(i % 3);
  snprintf(config, sizeof config, "{format: npy, train: {inputs: %s, targets: %%s}, task: classification}",
           path_of("whole.npy"));
  attack(config, "labels.npy", small, 12 + sizeof dict - 1 + 320);
  unlink(path_of("whole.npy"));
}

static void csv(void **state) {
  (void)state;
  static const char numbers[] = "a,b,c\r\n1,2.5,-3e2\r\n4,\"5\",.6\r\n7,8,9\r\n1,2,3\n4,5,6\n";
  static const char text[] =
      "x;\"y \"\"z\"\"\r\n\";label\n1;2;rose\n3;4;\"tulip;red\"\n5;6;r\xC3\xB6schen\n7;8;rose\n";
  uint8_t packed[512];
  attack("{format: csv, train: %s, normalize: standard}", "numbers.csv", (const uint8_t *)numbers,
         sizeof numbers - 1);
  attack("{format: csv, train: %s, task: classification, delimiter: ';'}", "text.csv", (const uint8_t *)text,
         sizeof text - 1);
  attack("{format: csv, train: %s}", "packed.csv.gz", packed,
         gzip_bytes(numbers, sizeof numbers - 1, packed, sizeof packed));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(idx), cmocka_unit_test(npy), cmocka_unit_test(csv)};
  return cmocka_run_group_tests_name("data: hostile files", tests, NULL, NULL);
}
