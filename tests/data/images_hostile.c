/* Malicious images: small files of each format are truncated at every length and changed at random thousands
 * of times. Each result is either read or rejected with GT_ERR_DATA and a message that names the file. Should
 * also be run under AddressSanitizer. */
#include "pictures_support.h"

enum { CHANGES = 1000 }; /* number of files with random changes */
enum { SIDE = 12, MAX_FILE = 1 << 14 };
static uint8_t pixels[SIDE * SIDE * 4], bytes[MAX_FILE], copy[MAX_FILE];
static int read_count, rejected_count;

static uint32_t next_random(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/* Reads the image for a model with inputs of side x side pixels. Returns false if it is rejected. */
static bool try(const char *path, int side) {
  gt_data_signature model = {
      .inputs = 1, .input = {{.name = "input", .rank = 3, .dim = {side, side, 3}, .element = GT_ELEMENT_U8}}};
  gt_split inputs;
  gt_error error = {0};
  if (gt_data_read_inputs(&(gt_input_file){NULL, path}, 1, &model, NULL, &inputs, &error)) {
    assert_int_equal(gt_split_input(&inputs, 0)->dim[0], 1);
    gt_split_finish(&inputs);
    read_count++;
    return true;
  }
  if (error.status != GT_ERR_DATA) fail_msg("status %d: %s", (int)error.status, error.message);
  assert_non_null(strstr(error.message, path));
  rejected_count++;
  return false;
}

/* Corrects the checksums of all chunks of a PNG file, but not if `random` is a multiple of 4. Without this,
 * libpng would reject nearly all changes. */
static void fix_checksums(uint8_t *file, size_t size, uint32_t random) {
  for (size_t at = 8; at + 12 <= size && random & 3;) {
    const size_t length =
        (size_t)file[at] << 24 | (size_t)file[at + 1] << 16 | (size_t)file[at + 2] << 8 | file[at + 3];
    if (length > size - at - 12) return;
    const uint32_t crc = (uint32_t)crc32(0, file + at + 4, (uInt)length + 4);
    for (size_t i = 0; i < 4; i++) file[at + 8 + length + i] = (uint8_t)(crc >> (24 - 8 * i));
    at += length + 12;
  }
}

static void attack(const char *path, const char *name) {
  const size_t size = read_whole(path, bytes, sizeof bytes);
  uint32_t random = 4711;
  assert_true(try(path, SIDE));
  for (size_t n = 0; n < size; n++) try(write_bytes(name, bytes, n), SIDE);
  for (int i = 0; i < CHANGES; i++) {
    memcpy(copy, bytes, size);
    const int changed_bytes = 1 + (int)(next_random(&random) % 3);
    for (int k = 0; k < changed_bytes; k++) {
      const uint32_t r = next_random(&random), where = next_random(&random);
      copy[where % (r & 256 && size > 64 ? 64 : size)] ^= (uint8_t)(r & 512 ? 1u << (r & 7) : r);
    }
    /* Clears the upper bytes of width and height, so that no image is large: large ones would only take
     * time. */
    if (bytes[0] == 0x89)
      memset(copy + 16, 0, 3), memset(copy + 20, 0, 3), fix_checksums(copy, size, next_random(&random));
    try(write_bytes(name, copy, size), i % 2 ? SIDE : SIDE / 2 - 1);
  }
  unlink(path), unlink(path_of(name));
  assert_true(read_count > 10 && rejected_count > 10);
  print_message("%s: %d read, %d refused\n", name, read_count, rejected_count);
  read_count = rejected_count = 0;
}

static void png(void **state) {
  (void)state;
  paint(pixels, SIDE, SIDE, 4);
  attack(write_png("whole.png", SIDE, SIDE, (png_kind){PNG_COLOR_TYPE_RGB_ALPHA, 8, false}, pixels, 4),
         "alpha.png");
  const char *path = write_png("whole.png", SIDE, SIDE, (png_kind){PNG_COLOR_TYPE_RGB, 8, true}, pixels, 3);
  set_png_orientation(path, 6, false);
  attack(path, "interlaced.png");
  attack(write_png("whole.png", SIDE, SIDE, (png_kind){PNG_COLOR_TYPE_PALETTE, 2, true}, pixels, 1),
         "palette.png");
}

static void jpeg(void **state) {
  (void)state;
  paint(pixels, SIDE, SIDE, 3);
  attack(write_jpeg("whole.jpg", SIDE, SIDE, (jpeg_kind){JCS_RGB, 3, false, 6}, pixels), "plain.jpg");
  attack(write_jpeg("whole.jpg", SIDE, SIDE, (jpeg_kind){JCS_RGB, 3, true, 0}, pixels), "progressive.jpg");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(png), cmocka_unit_test(jpeg)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
