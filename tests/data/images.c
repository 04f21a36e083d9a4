/* Images as samples: pixel values for every file format, color type, orientation and size. */
#include "pictures_support.h"
#include <math.h>

enum { MAX_BYTES = 64 * 64 * 4 };
static uint8_t pixels[MAX_BYTES];

/* Opens a dataset of one image, listed in a CSV file, with these options of `data`. Returns its pixels. */
static const uint8_t *open_one(opened *o, const char *path, const char *options) {
  const char *slash = strrchr(path, '/');
  char line[600];
  snprintf(line, sizeof line, "path,label\n%s,0\n", slash + 1);
  const char *list = write_text("list.csv", line);
  open_data(o, "{format: images, train: %s, %s}", list, options);
  expect_open(o);
  assert_int_equal(o->data.split[GT_PART_TRAIN].samples, 1);
  assert_int_equal(gt_split_input(&o->data.split[GT_PART_TRAIN], 0)->element, GT_ELEMENT_U8);
  assert_int_equal(gt_split_input(&o->data.split[GT_PART_TRAIN], 0)->rank, 4);
  return gt_split_input(&o->data.split[GT_PART_TRAIN], 0)->data;
}

static void expect_shape(const opened *o, int height, int width, int channels) {
  const gt_input *input = &o->data.input[0];
  assert_int_equal(input->rank, 3);
  assert_int_equal(input->dim[0], height);
  assert_int_equal(input->dim[1], width);
  assert_int_equal(input->dim[2], channels);
}

static void every_kind_of_png(void **state) {
  (void)state;
  enum { H = 11, W = 13 };
  opened o;
  const uint8_t *found;
  for (int interlaced = 0; interlaced <= 1; interlaced++) {
    paint(pixels, H, W, 3);
    found = open_one(&o, write_png("p.png", H, W, (png_kind){PNG_COLOR_TYPE_RGB, 8, interlaced}, pixels, 3),
                     "channels: 3");
    expect_shape(&o, H, W, 3);
    assert_memory_equal(found, pixels, H * W * 3);
    close_data(&o);
    found = open_one(&o, path_of("p.png"), "channels: 1");
    expect_shape(&o, H, W, 1);
    for (int i = 0; i < H * W; i++) {
      const double luma = 0.299 * pixels[3 * i] + 0.587 * pixels[3 * i + 1] + 0.114 * pixels[3 * i + 2];
      assert_true(fabs(luma - found[i]) <= 0.5001);
    }
    close_data(&o);
    paint(pixels, H, W, 4);
    found =
        open_one(&o, write_png("p.png", H, W, (png_kind){PNG_COLOR_TYPE_RGB_ALPHA, 8, interlaced}, pixels, 4),
                 "channels: 3");
    for (int i = 0; i < H * W * 3; i++)
      assert_true(fabs(pixels[i / 3 * 4 + i % 3] * pixels[i / 3 * 4 + 3] / 255.0 - found[i]) <= 0.5001);
    close_data(&o);
    paint(pixels, H, W, 1);
    found = open_one(&o, write_png("p.png", H, W, (png_kind){PNG_COLOR_TYPE_GRAY, 8, interlaced}, pixels, 1),
                     "channels: 3");
    for (int i = 0; i < H * W * 3; i++) assert_int_equal(found[i], pixels[i / 3]);
    close_data(&o);
    paint(pixels, H, W, 2);
    found = open_one(
        &o, write_png("p.png", H, W, (png_kind){PNG_COLOR_TYPE_GRAY_ALPHA, 8, interlaced}, pixels, 2),
        "channels: 1");
    for (int i = 0; i < H * W; i++)
      assert_true(fabs(pixels[2 * i] * pixels[2 * i + 1] / 255.0 - found[i]) <= 0.5001);
    close_data(&o);
  }
  /* The palette's indices 0 1 2 3, of 2 bits each; the gray values 1 0 1 0, of 1 bit each. */
  static const uint8_t indices[] = {0x1b}, bits[] = {0xa0},
                       colour[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7};
  found = open_one(&o, write_png("p.png", 1, 4, (png_kind){PNG_COLOR_TYPE_PALETTE, 2, false}, indices, 1),
                   "channels: 3");
  assert_memory_equal(found, colour, 12);
  close_data(&o);
  found = open_one(&o, write_png("p.png", 1, 4, (png_kind){PNG_COLOR_TYPE_GRAY, 1, false}, bits, 1),
                   "channels: 1");
  for (int i = 0; i < 4; i++) assert_int_equal(found[i], i % 2 ? 0 : 255);
  close_data(&o);
}

static void every_kind_of_jpeg(void **state) {
  (void)state;
  enum { H = 17, W = 23 };
  static const jpeg_kind kinds[] = {
      {JCS_RGB, 3, false, 0}, {JCS_RGB, 3, true, 1}, {JCS_GRAYSCALE, 1, false, 0}};
  opened o;
  for (int k = 0; k < 3; k++) {
    const int channels = kinds[k].channels;
    paint(pixels, H, W, channels);
    const char *path = write_jpeg("p.jpg", H, W, kinds[k], pixels);
    const uint8_t *found = open_one(&o, path, "channels: 3");
    expect_shape(&o, H, W, 3);
    for (int i = 0; i < H * W * 3; i++) assert_true(abs(found[i] - pixels[channels == 3 ? i : i / 3]) <= 3);
    close_data(&o);
    found = open_one(&o, path, "channels: 1");
    expect_shape(&o, H, W, 1);
    for (int i = 0; i < H * W; i++) {
      const double luma = channels == 1
                              ? pixels[i]
                              : 0.299 * pixels[3 * i] + 0.587 * pixels[3 * i + 1] + 0.114 * pixels[3 * i + 2];
      assert_true(fabs(luma - found[i]) <= 3);
    }
    close_data(&o);
  }
}

/* The position in the file of the value at (y, x) of the displayed image, by EXIF's orientation. */
static void stored_at(int orientation, int height, int width, int y, int x, int *row, int *column) {
  const int from_bottom = height - 1, from_right = width - 1; /* of the file */
  switch (orientation) {
  case 2: *row = y, *column = from_right - x; break;
  case 3: *row = from_bottom - y, *column = from_right - x; break;
  case 4: *row = from_bottom - y, *column = x; break;
  case 5: *row = x, *column = y; break;
  case 6: *row = from_bottom - x, *column = y; break;
  case 7: *row = from_bottom - x, *column = from_right - y; break;
  case 8: *row = x, *column = from_right - y; break;
  default: *row = y, *column = x; break;
  }
}

/* Compares the image with `pixels`; stored_height and stored_width are its size in the file. */
static void expect_oriented(const char *path, int orientation, int stored_height, int stored_width,
                            int tolerance) {
  opened o;
  const int height = orientation >= 5 ? stored_width : stored_height,
            width = orientation >= 5 ? stored_height : stored_width;
  const uint8_t *found = open_one(&o, path, "channels: 1");
  expect_shape(&o, height, width, 1);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      int row, column;
      stored_at(orientation, stored_height, stored_width, y, x, &row, &column);
      assert_true(abs(found[y * width + x] - pixels[row * stored_width + column]) <= tolerance);
    }
  close_data(&o);
}

static void exif_orientation_is_applied(void **state) {
  (void)state;
  enum { H = 16, W = 24 };
  paint(pixels, H, W, 1);
  for (int orientation = 1; orientation <= 8; orientation++) {
    expect_oriented(write_jpeg("p.jpg", H, W, (jpeg_kind){JCS_GRAYSCALE, 1, false, orientation}, pixels),
                    orientation, H, W, 2);
    for (int after_pixels = 0; after_pixels < 2; after_pixels++) {
      const char *path =
          write_png("p.png", H, W, (png_kind){PNG_COLOR_TYPE_GRAY, 8, after_pixels == 1}, pixels, 1);
      set_png_orientation(path, orientation, after_pixels);
      expect_oriented(path, orientation, H, W, 0);
    }
  }
}

/* An EXIF chunk with a wrong checksum does not turn the image. */
static void damaged_exif_is_ignored(void **state) {
  (void)state;
  enum { H = 4, W = 6, CHUNK = 33 }; /* CHUNK: offset of the EXIF chunk */
  static uint8_t file[4096];
  paint(pixels, H, W, 1);
  const char *path = write_png("p.png", H, W, (png_kind){PNG_COLOR_TYPE_GRAY, 8, false}, pixels, 1);
  set_png_orientation(path, 6, false);
  const size_t size = read_whole(path, file, sizeof file);
  for (int at = 8; at < 8 + EXIF - EXIF_HEAD; at += 3) {
    file[CHUNK + at] ^= 64; /* the checksum no longer matches */
    expect_oriented(write_bytes("p.png", file, size), 1, H, W, 0);
    file[CHUNK + at] ^= 64;
  }
}

/* --- resizing, compared with a direct implementation --- */

static double triangle(double x) { return fabs(x) < 1 ? 1 - fabs(x) : 0; }

/* The weight of source position i for the output centered at `middle`. `reach`: the radius of the filter. */
static double weight(int i, int length, double middle, double reach) {
  double total = 0;
  for (int j = 0; j < length; j++) total += triangle((j + 0.5 - middle) / reach);
  return triangle((i + 0.5 - middle) / reach) / total;
}

static double resized(const uint8_t *from, int height, int width, int channels, int y, int x, int c,
                      int scaled_height, int scaled_width) {
  const double down = (double)height / scaled_height, across = (double)width / scaled_width;
  double value = 0;
  for (int i = 0; i < height; i++) {
    const double row = weight(i, height, (y + 0.5) * down, fmax(down, 1));
    for (int j = 0; j < width && row > 0; j++)
      value +=
          row * weight(j, width, (x + 0.5) * across, fmax(across, 1)) * from[(i * width + j) * channels + c];
  }
  return value;
}

typedef struct resize_case {
  int height, width, channels; /* in the file */
  int scaled_height, scaled_width, top,
      left; /* resized size, and the corner at which the sample is cropped */
  int sample[2];
  const char *fit;
} resize_case;

static void images_are_resized(void **state) {
  (void)state;
  static const resize_case cases[] = {
      {30, 30, 1, 10, 10, 0, 0, {10, 10}, "crop"},  {7, 9, 3, 20, 25, 0, 2, {20, 20}, "crop"},
      {40, 17, 3, 28, 12, 8, 0, {12, 12}, "crop"},  {17, 40, 1, 12, 28, 0, 8, {12, 12}, "crop"},
      {40, 17, 3, 9, 20, 0, 0, {9, 20}, "stretch"}, {12, 16, 3, 12, 16, 0, 2, {12, 12}, "crop"},
      {20, 20, 3, 20, 20, 5, 0, {10, 20}, "crop"},  {1, 50, 1, 8, 400, 0, 196, {8, 8}, "crop"},
      {16, 31, 3, 16, 31, 0, 4, {16, 24}, "crop"},  {33, 63, 1, 11, 21, 0, 5, {11, 11}, "crop"},
  };
  opened o;
  char options[100];
  uint32_t random = 1;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const resize_case *t = &cases[k];
    for (int i = 0; i < t->height * t->width * t->channels; i++) {
      random = random * 1664525 + 1013904223;
      pixels[i] = (uint8_t)(random >> 24);
    }
    const png_kind form = {t->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, 8, k % 2};
    const char *path = write_png("p.png", t->height, t->width, form, pixels, t->channels);
    snprintf(options, sizeof options, "channels: %d, size: [%d, %d], fit: %s", t->channels, t->sample[0],
             t->sample[1], t->fit);
    const uint8_t *found = open_one(&o, path, options);
    expect_shape(&o, t->sample[0], t->sample[1], t->channels);
    for (int y = 0; y < t->sample[0]; y++)
      for (int x = 0; x < t->sample[1]; x++)
        for (int c = 0; c < t->channels; c++) {
          const double want = resized(pixels, t->height, t->width, t->channels, y + t->top, x + t->left, c,
                                      t->scaled_height, t->scaled_width);
          if (fabs(want - *found++) > 0.501) fail_msg("case %zu, %d %d %d: %g", k, y, x, c, want);
        }
    close_data(&o);
  }
}

static void one_number_is_a_square(void **state) {
  (void)state;
  opened o;
  paint(pixels, 20, 30, 3);
  write_png("p.png", 20, 30, (png_kind){PNG_COLOR_TYPE_RGB, 8, false}, pixels, 3);
  open_one(&o, path_of("p.png"), "size: 12");
  expect_shape(&o, 12, 12, 3);
  close_data(&o);
  unlink(path_of("p.png")), unlink(path_of("p.jpg")), unlink(path_of("list.csv"));
}

/* --- predictions --- */

static void inputs_for_prediction(void **state) {
  (void)state;
  gt_data_signature model = {
      .inputs = 1, .input = {{.name = "input", .rank = 3, .dim = {8, 6, 3}, .element = GT_ELEMENT_U8}}};
  gt_split inputs;
  gt_error error = {0};
  paint(pixels, 8, 6, 3);
  const gt_input_file file[] = {
      {NULL, write_png("a.png", 8, 6, (png_kind){PNG_COLOR_TYPE_RGB, 8, false}, pixels, 3)},
      {NULL, write_jpeg("b.jpeg", 8, 6, (jpeg_kind){JCS_RGB, 3, false, 0}, pixels)},
      {NULL, path_of("a.png")}};
  assert_true(gt_data_read_inputs(file, 3, &model, NULL, &inputs, &error));
  assert_int_equal(gt_split_input(&inputs, 0)->dim[0], 3);
  assert_int_equal(gt_split_input(&inputs, 0)->rank, 4);
  assert_memory_equal(gt_split_input(&inputs, 0)->data, pixels, 144);
  assert_memory_equal((uint8_t *)gt_split_input(&inputs, 0)->data + 288, pixels, 144);
  for (int i = 0; i < 144; i++)
    assert_true(abs(((uint8_t *)gt_split_input(&inputs, 0)->data)[144 + i] - pixels[i]) <= 3);
  gt_split_finish(&inputs);
  assert_true(gt_data_is_sample(file[0].path) && gt_data_is_sample(file[1].path));
  assert_false(gt_data_is_sample(write_text("x.csv", "1,2\n")));
  model.input[0].rank = 2; /* shaped like IDX images */
  assert_true(gt_data_read_inputs(file, 1, &model, NULL, &inputs, &error));
  assert_int_equal(gt_split_input(&inputs, 0)->rank, 3);
  gt_split_finish(&inputs);
  model.input[0].element = GT_ELEMENT_F32;
  assert_false(gt_data_read_inputs(file, 1, &model, NULL, &inputs, &error));
  assert_non_null(strstr(error.message, "not trained on image bytes"));
  error = (gt_error){0};
  model.input[0] = (gt_input){.name = "input", .rank = 1, .dim = {144}, .element = GT_ELEMENT_U8};
  assert_false(gt_data_read_inputs(file, 1, &model, NULL, &inputs, &error));
  assert_non_null(strstr(error.message, "are not [height, width]"));
  error = (gt_error){0};
  const gt_input_file mixed[] = {file[0], {NULL, path_of("x.csv")}};
  model.input[0] = (gt_input){.name = "input", .rank = 3, .dim = {8, 6, 3}, .element = GT_ELEMENT_U8};
  assert_false(gt_data_read_inputs(mixed, 2, &model, NULL, &inputs, &error));
  assert_non_null(strstr(error.message, "x.csv is neither a PNG nor a JPEG file"));
  for (int i = 0; i < 2; i++) unlink(file[i].path);
  unlink(path_of("x.csv"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_png),           cmocka_unit_test(every_kind_of_jpeg),
      cmocka_unit_test(exif_orientation_is_applied), cmocka_unit_test(damaged_exif_is_ignored),
      cmocka_unit_test(images_are_resized),          cmocka_unit_test(one_number_is_a_square),
      cmocka_unit_test(inputs_for_prediction)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
