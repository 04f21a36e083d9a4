/* Writing PNG files: images are read back unchanged, and an animated PNG has the chunks, sequence numbers and
 * rows that the PNG specification (third edition) requires. */
#include "draw/png.h"
#include "pictures_support.h"
#include "support/read_png.h"
#include "base/file.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { H = 5, W = 7, FRAMES = 4 };

static void paint_picture(gt_picture *p, uint32_t channels, unsigned seed) {
  *p = (gt_picture){H, W, channels, malloc((size_t)H * W * channels)};
  for (size_t i = 0; i < (size_t)H * W * channels; i++)
    p->data[i] = (uint8_t)((i * 37 + 11) * (seed + 1) >> 1);
}

/* A device that is always full; NULL if it cannot be opened. Root could damage /dev/full and therefore
 * creates another device node. */
static const char *full_device(void) {
  static char path[600];
  snprintf(path, sizeof path, "%s", geteuid() ? "/dev/full" : path_of("full"));
  if (!geteuid()) mknod(path, S_IFCHR | 0600, makedev(1, 7));
  const int fd = open(path, O_WRONLY);
  if (fd >= 0) close(fd);
  return fd >= 0 ? path : NULL;
}

static void pictures_are_read_back(void **unused) {
  (void)unused;
  for (uint32_t channels = 1; channels <= 3; channels += 2) {
    gt_picture p, back;
    gt_error error = {0};
    const char *path = path_of("picture.png");
    paint_picture(&p, channels, channels);
    assert_true(gt_png_write(path, &p, &error));
    assert_true(read_png(path, &back, &error));
    assert_int_equal(back.height, H);
    assert_int_equal(back.width, W);
    assert_int_equal(back.channels, channels);
    assert_memory_equal(back.data, p.data, (size_t)H * W * channels);
    gt_picture_finish(&p);
    gt_picture_finish(&back);
    unlink(path);
  }
  gt_picture p;
  gt_error error = {0};
  paint_picture(&p, 1, 0);
  assert_false(gt_png_write("/absent/picture.png", &p, &error));
  assert_int_equal(error.status, GT_ERR_IO);
  error = (gt_error){0};
  const char *full = full_device();
  if (full) assert_false(gt_png_write(full, &p, &error));
  if (full) assert_int_equal(error.status, GT_ERR_IO);
  gt_picture_finish(&p);
}

/* Orientation is applied as in datasets (tests/data/images.c tests all orientations). */
static void orientation_is_applied(void **unused) {
  (void)unused;
  gt_picture p, back;
  gt_error error = {0};
  const char *path = path_of("turned.png");
  paint_picture(&p, 1, 0);
  assert_true(gt_png_write(path, &p, &error));
  set_png_orientation(path, 6, true);
  assert_true(read_png(path, &back, &error));
  assert_true(back.height == W && back.width == H);
  for (uint32_t y = 0; y < W; y++)
    for (uint32_t x = 0; x < H; x++) assert_int_equal(back.data[y * H + x], p.data[(H - 1 - x) * W + y]);
  gt_picture_finish(&p);
  gt_picture_finish(&back);
  unlink(path);
}

/* An image for a board may have 16 bits per channel, unlike one of a dataset. Transparent pixels are mixed
 * with black. */
static void boards_from_images(void **unused) {
  (void)unused;
  static const uint8_t deep[2 * 2 * 2] = {0x7f, 0x00, 0xff, 0xff, 0x80, 0x80, 0xff, 0xff}, /* gray, alpha */
      half[2 * 4] = {200, 100, 50, 128, 255, 255, 255, 0};
  static const uint8_t row[GT_PNG_MAX_SIDE + 1];
  gt_picture p;
  gt_error error = {0};
  const char *path = write_png("deep.png", 1, 2, (png_kind){PNG_COLOR_TYPE_GRAY_ALPHA, 16, false}, deep, 2);
  assert_true(read_png(path, &p, &error) && p.channels == 1);
  assert_true(p.data[0] == 0x7f && p.data[1] == 0x80);
  gt_picture_finish(&p);
  path = write_png("half.png", 1, 2, (png_kind){PNG_COLOR_TYPE_RGB_ALPHA, 8, true}, half, 4);
  assert_true(read_png(path, &p, &error) && p.channels == 3);
  assert_memory_equal(p.data, "\x64\x32\x19\0\0\0", 6);
  gt_picture_finish(&p);
  path = write_png("wide.png", 1, GT_PNG_MAX_SIDE + 1, (png_kind){PNG_COLOR_TYPE_GRAY, 1, false}, row, 1);
  assert_false(read_png(path, &p, &error) || p.data);
  assert_true(error.status == GT_ERR_DATA &&
              strstr(error.message, "16385 x 1 pixels; at most 16384 per side"));
  unlink(path), unlink(path_of("deep.png")), unlink(path_of("half.png"));
}

/* --- a reader of chunks --- */

typedef struct chunk {
  char type[5];
  const uint8_t *data;
  uint32_t size;
} chunk;

static uint32_t get32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The next chunk of the file, with a correct checksum. */
static chunk next_chunk(const gt_bytes *file, size_t *at) {
  assert_true(*at + 12 <= file->size);
  chunk c = {.size = get32(file->data + *at), .data = file->data + *at + 8};
  memcpy(c.type, file->data + *at + 4, 4);
  assert_true(c.size <= file->size - *at - 12);
  assert_int_equal(get32(c.data + c.size), crc32(0, c.data - 4, c.size + 4));
  *at += c.size + 12;
  return c;
}

static chunk expect_chunk(const gt_bytes *file, size_t *at, const char *type) {
  const chunk c = next_chunk(file, at);
  assert_string_equal(c.type, type);
  return c;
}

/* Inflates the data of a frame and compares its rows with the picture. */
static void check_rows(const uint8_t *packed, uint32_t size, const gt_picture *picture) {
  const size_t row = (size_t)W * picture->channels;
  uint8_t rows[H * (W * 3 + 1)];
  uLongf length = sizeof rows;
  assert_int_equal(uncompress(rows, &length, packed, size), Z_OK);
  assert_int_equal(length, H * (row + 1));
  for (size_t y = 0; y < H; y++) {
    assert_int_equal(rows[y * (row + 1)], 0); /* no filter */
    assert_memory_equal(rows + y * (row + 1) + 1, picture->data + y * row, row);
  }
}

/* fcTL: its sequence number, the whole image, its delay in ms, no blending with the frame before. */
static void check_control(const chunk *c, uint32_t sequence, unsigned delay) {
  assert_int_equal(c->size, 26);
  assert_int_equal(get32(c->data), sequence);
  assert_int_equal(get32(c->data + 4), W);
  assert_int_equal(get32(c->data + 8), H);
  assert_int_equal(get32(c->data + 12), 0);
  assert_int_equal(get32(c->data + 16), 0);
  const unsigned numerator = (unsigned)c->data[20] << 8 | c->data[21],
                 denominator = (unsigned)c->data[22] << 8 | c->data[23];
  assert_int_equal(numerator * 1000, delay * denominator);
  assert_int_equal(c->data[24], 0);
  assert_int_equal(c->data[25], 0);
}

static void check_animation(const char *path, const gt_picture *frame, unsigned delay) {
  gt_bytes file;
  gt_error error = {0};
  size_t at = 8;
  uint32_t sequence = 0;
  assert_true(gt_read_file(path, 1 << 20, &file, &error));
  assert_memory_equal(file.data, "\x89PNG\r\n\x1a\n", 8);
  const chunk header = expect_chunk(&file, &at, "IHDR"), animation = expect_chunk(&file, &at, "acTL");
  assert_int_equal(header.size, 13);
  assert_int_equal(get32(header.data), W);
  assert_int_equal(get32(header.data + 4), H);
  assert_int_equal(header.data[8], 8);
  assert_int_equal(header.data[9], frame->channels == 3 ? 2 : 0);
  assert_int_equal(animation.size, 8);
  assert_int_equal(get32(animation.data), FRAMES);
  assert_int_equal(get32(animation.data + 4), 0); /* repeats forever */
  for (int i = 0; i < FRAMES; i++) {
    const chunk control = expect_chunk(&file, &at, "fcTL");
    check_control(&control, sequence++, delay);
    const chunk data = expect_chunk(&file, &at, i ? "fdAT" : "IDAT");
    if (i) assert_int_equal(get32(data.data), sequence++);
    check_rows(data.data + (i ? 4 : 0), data.size - (i ? 4 : 0), &frame[i]);
  }
  expect_chunk(&file, &at, "IEND");
  assert_int_equal(at, file.size);
  gt_bytes_finish(&file);
}

static void animations(void **unused) {
  (void)unused;
  for (uint32_t channels = 1; channels <= 3; channels += 2) {
    gt_picture frame[FRAMES], first;
    gt_animation a;
    gt_error error = {0};
    const char *path = path_of("animation.png");
    assert_true(gt_animation_open(&a, path, FRAMES, 40 * channels, &error));
    for (unsigned i = 0; i < FRAMES; i++) {
      paint_picture(&frame[i], channels, i);
      assert_true(gt_animation_add(&a, &frame[i], &error));
    }
    assert_true(gt_animation_close(&a, &error));
    check_animation(path, frame, 40 * channels);
    /* Readers without APNG support show the first frame. */
    assert_true(read_png(path, &first, &error));
    assert_memory_equal(first.data, frame[0].data, (size_t)H * W * channels);
    gt_picture_finish(&first);
    for (int i = 0; i < FRAMES; i++) gt_picture_finish(&frame[i]);
    unlink(path);
  }
}

static void failures_are_reported(void **unused) {
  (void)unused;
  gt_animation a = {0};
  gt_picture p;
  gt_error error = {0};
  assert_true(gt_animation_close(&a, &error)); /* never opened */
  assert_false(gt_animation_open(&a, "/absent/animation.png", 1, 40, &error));
  assert_int_equal(error.status, GT_ERR_IO);
  paint_picture(&p, 1, 0);
  const char *path = path_of("short.png");
  error = (gt_error){0};
  assert_true(gt_animation_open(&a, path, 2, 40, &error));
  assert_true(gt_animation_add(&a, &p, &error));
  assert_false(gt_animation_close(&a, &error)); /* one frame is missing */
  error = (gt_error){0};
  const char *full = full_device();
  if (full) {
    assert_true(gt_animation_open(&a, full, 1, 40, &error));
    const bool added = gt_animation_add(&a, &p, &error);
    assert_false(gt_animation_close(&a, &error) && added);
    assert_int_equal(error.status, GT_ERR_IO);
  }
  unlink(path);
  gt_picture_finish(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pictures_are_read_back),
                                     cmocka_unit_test(orientation_is_applied),
                                     cmocka_unit_test(boards_from_images), cmocka_unit_test(animations),
                                     cmocka_unit_test(failures_are_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
