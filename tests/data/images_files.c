/* The files of an image dataset: a folder per class, CSV files with paths, unreadable images, the cache of
 * decoded images, and a config from an untrusted source. */
#include "pictures_support.h"
#include "base/log.h"
#include <fcntl.h>

enum { SIDE = 4, BYTES = SIDE * SIDE * 3 };
static char root[200];

/* Makes an empty folder and sets `root` to its path. */
static void clear_root(void) {
  char command[500];
  assert_true(snprintf(root, sizeof root, "%s", path_of("root")) < (int)sizeof root);
  snprintf(command, sizeof command, "rm -rf '%s' && mkdir -p '%s'", root, root);
  assert_int_equal(system(command), 0);
}

/* The name, as path_of expects it, of a file below the root; creates its folders. */
static const char *in_root(const char *name) {
  static char out[8][900];
  static int next;
  char *path = out[next++ % 8], command[1000];
  snprintf(path, 900, "root/%s", name);
  snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", path_of(path));
  assert_int_equal(system(command), 0);
  return path;
}

/* All pixels have this value. */
static void write_image(const char *name, int value) {
  uint8_t pixels[BYTES];
  memset(pixels, value, sizeof pixels);
  write_png(in_root(name), SIDE, SIDE, (png_kind){PNG_COLOR_TYPE_RGB, 8, false}, pixels, 3);
}

static int value_of(const gt_split *split, int64_t sample) {
  return ((const uint8_t *)gt_split_input(split, 0)->data)[sample * BYTES];
}

static int label_of(const gt_split *split, int64_t sample) {
  return ((const int32_t *)gt_split_target(split, 0)->data)[sample];
}

/* `labels` and `values` have one digit per sample. */
static void expect_labels(const gt_split *split, const char *labels) {
  for (int i = 0; labels[i]; i++) assert_int_equal(label_of(split, i), labels[i] - '0');
}

static void expect_values(const gt_split *split, const char *values) {
  for (int i = 0; values[i]; i++) assert_int_equal(value_of(split, i), values[i] - '0');
}

static void write_animals(void) {
  clear_root();
  write_image("dog/b.png", 3), write_image("dog/a.PNG", 2), write_image("cat/x.png", 1),
      write_image("eel/deep/er/y.png", 4);
  write_text(in_root("cat/notes.txt"), "no picture");
  write_text(in_root("cat/.hidden.png"), "no picture");
}

static void a_folder_for_each_class(void **state) {
  (void)state;
  opened o;
  write_animals();
  open_data(&o, "{train: %s}", root); /* a folder is read as images */
  expect_open(&o);
  assert_string_equal(o.data.format, "images");
  assert_true(o.data.target[0].classification && o.data.target[0].text_labels);
  assert_int_equal(o.data.target[0].classes, 3);
  assert_string_equal(o.data.target[0].class_names[0], "cat");
  assert_string_equal(o.data.target[0].class_names[2], "eel");
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 4);
  expect_values(&o.data.split[GT_PART_TRAIN], "1234");
  expect_labels(&o.data.split[GT_PART_TRAIN], "0112");
  assert_int_equal(o.data.input[0].scaling.count, 1);
  close_data(&o);
  open_data(&o, "{train: %s, class_names: [eel, dog, cat], per_class: 1, normalize: channel}", root);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 3);
  expect_labels(&o.data.split[GT_PART_TRAIN], "210");
  assert_int_equal(o.data.input[0].scaling.count, 3);
  close_data(&o);
  open_data(&o, "{train: %s, classes: [eel, cat]}", root);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 2);
  assert_int_equal(label_of(&o.data.split[GT_PART_TRAIN], 1), 0);
  close_data(&o);
}

/* Class names that differ only in their Unicode normalization form are equal: e + U+0301, as in file names of
 * macOS, is é. */
static void names_are_normalized(void **state) {
  (void)state;
  opened o;
  clear_root();
  write_image("train/cafe\u0301/1.png", 1), write_image("train/tea/2.png", 2),
      write_image("test/caf\u00e9/3.png", 3);
  open_data(&o, "{train: %s/train, test: %s/test}", root, root);
  expect_open(&o);
  assert_int_equal(o.diagnostics.findings, 0);
  assert_string_equal(o.data.target[0].class_names[0], "caf\u00e9");
  assert_int_equal(label_of(&o.data.split[GT_PART_TEST], 0), 0);
  close_data(&o);
  write_image("train/caf\u00e9/4.png", 4);
  open_data(&o, "{train: %s/train, test: %s/test}", root, root);
  expect_warning(&o, "train has two folders named 'caf\u00e9', in two Unicode forms");
  assert_int_equal(o.data.target[0].classes, 2);
  expect_values(&o.data.split[GT_PART_TRAIN], "142");
  expect_labels(&o.data.split[GT_PART_TRAIN], "001");
  close_data(&o);
}

static void folders_that_do_not_fit(void **state) {
  (void)state;
  opened o;
  char folder[500];
  write_animals();
  open_data(&o, "{train: %s, class_names: [cat, dog]}", root);
  expect_bad_file(&o, "'eel' is not in class_names, which lists the folders: cat, dog");
  open_data(&o, "{train: %s, task: regression}", root);
  expect_bad_config(&o, 0, "a folder per class gives classification targets");
  open_data(&o, "{train: %s, channels: 2}", root);
  expect_bad_config(&o, 0, "images with two channels are not supported");
  open_data(&o, "{train: %s, size: [1, 2, 3]}", root);
  expect_bad_config(&o, 0, "not an image size");
  open_data(&o, "{format: images, train: %s, test: %sx}", root, root);
  expect_bad_config(&o, 0, "not found");
  write_image("loose.png", 9);
  open_data(&o, "{train: %s}", root);
  expect_bad_file(&o, "loose.png is not in the folder of a class");
  snprintf(folder, sizeof folder, "%s/dog", root);
  open_data(&o, "{train: %s}", folder);
  expect_bad_file(&o, "a.PNG is not in the folder of a class");
  clear_root();
  write_image("train/cat/1.png", 1), write_image("train/dog/2.png", 2), write_image("test/dogs/3.png", 3);
  open_data(&o, "{train: %s/train, test: %s/test}", root, root);
  expect_bad_file(&o, "test/dogs: 'dogs' is not one of the 2 classes; did you mean 'dog'?");
  write_image("test/dog/4.png", 4);
  write_text(in_root("test/dogs/3.png"), "text");
  unlink(path_of("root/test/dogs/3.png"));
  gt_log_set_level(GT_LOG_ERROR);
  open_data(&o, "{train: %s/train, test: %s/test}", root, root); /* an empty folder is not a class */
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TEST].samples, 1);
  assert_int_equal(label_of(&o.data.split[GT_PART_TEST], 0), 1);
  close_data(&o);
  clear_root();
  mkdir(path_of("root/empty"), 0777);
  open_data(&o, "{train: %s}", root);
  expect_bad_file(&o, "no folder in it holds pictures");
}

static void csv_of_paths(void **state) {
  (void)state;
  opened o;
  char list[500];
  write_animals();
  write_text(in_root("list.csv"),
             "id,file,kind,age\n1,dog/a.PNG,hund,2\n2,cat/x.png,katze,0.5\n3,dog/b.png,hund,3\n");
  snprintf(list, sizeof list, "%s/list.csv", root);
  open_data(&o, "{format: images, train: %s, path: file, target: kind}", list);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 3);
  assert_string_equal(o.data.target[0].class_names[1], "katze");
  expect_values(&o.data.split[GT_PART_TRAIN], "213");
  expect_labels(&o.data.split[GT_PART_TRAIN], "010");
  close_data(&o);
  open_data(&o, "{format: images, train: %s, test: %s, path: file, target: [age, id]}", list, list);
  expect_open(&o);
  assert_false(o.data.target[0].classification);
  assert_int_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->dim[1], 2);
  assert_true(((float *)gt_split_target(&o.data.split[GT_PART_TEST], 0)->data)[2] == 0.5f);
  assert_string_equal(o.data.target[0].columns[1], "id");
  close_data(&o);
  open_data(&o, "{format: images, train: %s, path: flie}", list);
  assert_string_equal(o.diagnostics.items[0].suggestion, "file");
  expect_bad_config(&o, 0, "there is no column 'flie'");
  open_data(&o, "{format: images, train: %s, path: age}", list);
  expect_bad_file(&o, "would hold both");
  open_data(&o, "{format: images, train: %s, test: %s}", list, root);
  expect_bad_config(&o, 0, "one of train and test is a folder");
  write_text(in_root("list.csv"), "cat/x.png,0\n,1\n");
  open_data(&o, "{format: images, train: %s}", list);
  expect_bad_file(&o, "list.csv:2:1: missing path");
  write_text(in_root("list.csv"), "cat/x.png,0\ndog/none.png,1\n");
  open_data(&o, "{format: images, train: %s}", list);
  assert_int_equal(o.error.status, GT_ERR_IO);
  assert_non_null(strstr(o.error.message, "dog/none.png"));
  close_data(&o);
  open_data(&o, "{format: images, train: %s, on_error: skip}", list);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 1);
  close_data(&o);
}

/* --- images as targets --- */

static float target_of(const gt_split *split, int64_t sample) {
  return ((const float *)gt_split_target(split, 0)->data)[sample * SIDE * SIDE];
}

static void a_folder_of_targets(void **state) {
  (void)state;
  opened o;
  uint8_t pixels[8 * 8] = {0};
  clear_root();
  write_image("in/b.png", 2), write_image("in/a/x.PNG", 1), write_image("in/c.png", 3);
  write_image("out/b.jpg", 51), write_image("out/a/x.PNG", 255), write_image("out/c.png", 0),
      write_image("out/more.png", 9);
  open_data(&o, "{train: %s/in, targets: %s/out, target_channels: 1}", root, root);
  expect_open(&o);
  assert_false(o.data.target[0].classification);
  expect_values(&o.data.split[GT_PART_TRAIN], "123");
  assert_int_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->rank, 4);
  assert_int_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->dim[0], 3);
  assert_int_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->dim[3], 1);
  assert_true(target_of(&o.data.split[GT_PART_TRAIN], 0) == 1 &&
              target_of(&o.data.split[GT_PART_TRAIN], 1) == 0.2f &&
              target_of(&o.data.split[GT_PART_TRAIN], 2) == 0);
  close_data(&o);
  open_data(&o, "{train: %s/in, targets: %s/in, test: %s/in, test_targets: %s/in, cache: %s-c}", root, root,
            root, root, root);
  expect_open(&o);
  const gt_data_fingerprint first = gt_dataset_fingerprint(&o.data);
  close_data(&o);
  open_data(&o, "{train: %s/in, targets: %s/in, test: %s/in, test_targets: %s/in, cache: %s-c}", root, root,
            root, root, root);
  expect_open(&o);
  const gt_data_fingerprint second = gt_dataset_fingerprint(&o.data);
  assert_true(first.split[GT_PART_TRAIN] == second.split[GT_PART_TRAIN] &&
              first.split[GT_PART_TEST] == second.split[GT_PART_TEST]);
  close_data(&o);
  open_data(&o, "{train: %s/in, targets: %s/out, test: %s/in}", root, root, root);
  expect_bad_config(&o, 0, "only one of the training and the test split has target images");
  open_data(&o, "{train: %s/in, targets: %s/out, task: classification}", root, root);
  expect_bad_config(&o, 0, "the targets are images");
  write_png(in_root("out/c.png"), 8, 6, (png_kind){PNG_COLOR_TYPE_GRAY, 8, false}, pixels, 1);
  open_data(&o, "{train: %s/in, targets: %s/out, size: 4}", root, root);
  expect_bad_file(&o, "in/c.png: 4 x 4 pixels, but its target ");
  write_png(in_root("out/c.png"), 8, 8, (png_kind){PNG_COLOR_TYPE_GRAY, 8, false}, pixels, 1);
  unlink(path_of("root/out/b.jpg"));
  open_data(&o, "{train: %s/in, targets: %s/out, size: 4}", root, root);
  assert_int_equal(o.error.status, GT_ERR_IO);
  assert_non_null(strstr(o.error.message, "out/b.png"));
  close_data(&o);
  open_data(&o, "{train: %s/in, targets: %s/out, target_channels: 1, size: 4, on_error: skip}", root, root);
  expect_open(&o);
  expect_values(&o.data.split[GT_PART_TRAIN], "13");
  assert_true(target_of(&o.data.split[GT_PART_TRAIN], 0) == 1 &&
              target_of(&o.data.split[GT_PART_TRAIN], 1) == 0);
  close_data(&o);
  unlink(path_of("root-c"));
}

/* --- the orientation of pictures and their targets --- */

/* Writes a picture of height x width pixels, all different, and their order by EXIF; 0: without EXIF. */
static void write_oriented(const char *name, int height, int width, int orientation) {
  uint8_t pixels[SIDE * SIDE];
  for (int i = 0; i < height * width; i++) pixels[i] = (uint8_t)(10 * i);
  const char *path =
      write_png(in_root(name), height, width, (png_kind){PNG_COLOR_TYPE_GRAY, 8, false}, pixels, 1);
  if (orientation) set_png_orientation(path, orientation, false);
}

/* Which samples have the same pixels in picture and target, as in "100": only the first. */
static const char *equal_pairs(const opened *o) {
  static char text[8];
  const gt_split *split = &o->data.split[GT_PART_TRAIN];
  const int64_t pixels = gt_tensor_features(gt_split_input(split, 0));
  for (int64_t i = 0; i < split->samples; i++) {
    const uint8_t *picture = (const uint8_t *)gt_split_input(split, 0)->data + i * pixels;
    const float *target = (const float *)gt_split_target(split, 0)->data + i * pixels;
    text[i] = '1', text[i + 1] = 0;
    for (int64_t k = 0; k < pixels; k++)
      if ((float)picture[k] / 255 != target[k]) text[i] = '0';
  }
  return text;
}

/* A target without EXIF data, drawn on a picture with them: the size tells whether the pixels are those of
 * the picture as displayed or as stored, also for pairs beside it. If it does not, there is a warning. */
static void targets_are_turned_alike(void **state) {
  (void)state;
  enum { PAIRS = 3 };
  static const struct {
    struct {
      int height, width, orientation;
    } pair[PAIRS][2]; /* picture and target; height 0: none */
    const char *equal, *warning;
  } rows[] = {
      {{{{2, 3, 6}, {2, 3, 0}}}, "1", NULL}, /* drawn on the stored picture */
      {{{{2, 3, 6}, {3, 2, 0}}}, "0", NULL}, /* drawn on the displayed picture */
      {{{{2, 3, 6}, {2, 3, 6}}, {{3, 2, 3}, {3, 2, 3}}}, "11", NULL},
      {{{{2, 2, 8}, {2, 2, 8}}, {{2, 2, 0}, {2, 2, 0}}}, "11", NULL},
      {{{{2, 3, 6}, {2, 3, 0}}, {{3, 2, 3}, {3, 2, 0}}, {{3, 2, 0}, {3, 2, 0}}}, "111", NULL},
      {{{{2, 3, 6}, {3, 2, 0}}, {{3, 2, 3}, {3, 2, 0}}, {{3, 2, 0}, {3, 2, 0}}}, "001", NULL},
      {{{{3, 2, 3}, {3, 2, 0}}, {{3, 2, 0}, {3, 2, 0}}},
       "01",
       "/in/0.png has the EXIF orientation 3 and is turned, but "},
      {{{{2, 2, 0}, {2, 2, 0}}, {{2, 2, 6}, {2, 2, 0}}, {{2, 2, 8}, {2, 2, 0}}},
       "100",
       "/out/1.png has none and is not (2 of 3 pairs of picture and target)"},
      {{{{2, 2, 0}, {2, 2, 8}}}, "0", "/out/0.png has the EXIF orientation 8 and is turned, but "},
      {{{{2, 3, 6}, {2, 3, 0}}, {{2, 3, 6}, {3, 2, 0}}, {{3, 2, 3}, {3, 2, 0}}},
       "100",
       "/in/2.png has the EXIF orientation 3"}, /* the sizes disagree */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    clear_root();
    for (int p = 0; p < PAIRS && rows[i].pair[p][0].height; p++)
      for (int t = 0; t < 2; t++) {
        char name[16];
        snprintf(name, sizeof name, "%s/%d.png", t ? "out" : "in", p);
        write_oriented(name, rows[i].pair[p][t].height, rows[i].pair[p][t].width,
                       rows[i].pair[p][t].orientation);
      }
    for (int again = 0; again < 2; again++) { /* the second time from the cache */
      opened o;
      open_data(&o, "{train: %s/in, targets: %s/out, channels: 1, cache: %s-c}", root, root, root);
      expect_open(&o);
      if (strcmp(equal_pairs(&o), rows[i].equal) != 0) fail_msg("row %zu: %s", i, equal_pairs(&o));
      if (rows[i].warning) expect_warning(&o, rows[i].warning);
      assert_int_equal(o.diagnostics.findings, rows[i].warning != NULL);
      close_data(&o);
    }
  }
  unlink(path_of("root-c"));
}

/* --- unreadable images --- */

/* Writes a PNG file that has only a header and the start of an empty IDAT chunk. */
static void write_png_header(const char *name, uint32_t width, uint32_t height) {
  uint8_t file[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0,   0,   0, 13, 'I', 'H', 'D',
                    'R',  0,   0,   0,   0,    0,    0,    0,    0,   8,   2, 0,  0,   0,   0,
                    0,    0,   0,   0,   0,    0,    'I',  'D',  'A', 'T', 0, 0,  0,   0};
  for (int i = 0; i < 4; i++) file[16 + i] = (uint8_t)(width >> (24 - 8 * i));
  for (int i = 0; i < 4; i++) file[20 + i] = (uint8_t)(height >> (24 - 8 * i));
  const uint32_t crc = (uint32_t)crc32(0, file + 12, 17);
  for (int i = 0; i < 4; i++) file[29 + i] = (uint8_t)(crc >> (24 - 8 * i));
  write_bytes(in_root(name), file, sizeof file);
}

/* Writes the first `percent` percent of the file `whole`. */
static void write_truncated(const char *name, const char *whole, size_t percent) {
  static uint8_t bytes[1 << 16];
  const size_t size = read_whole(path_of(whole), bytes, sizeof bytes);
  write_bytes(in_root(name), bytes, size * percent / 100);
}

/* Writes an image that cannot be read. Its name tells what is wrong with it. */
static void write_bad_image(const char *name) {
  static uint8_t pixels[32 * 32 * 4 * 2];
  paint(pixels, 32, 32, 4);
  if (strstr(name, "broken")) {
    write_png("whole.png", 32, 32, (png_kind){PNG_COLOR_TYPE_RGB, 8, false}, pixels, 3);
    static uint8_t bytes[1 << 16];
    const size_t size = read_whole(path_of("whole.png"), bytes, sizeof bytes);
    bytes[size / 2] ^= 0x55;
    write_bytes(in_root(name), bytes, size);
  } else if (strstr(name, "cut.png")) {
    write_png("whole.png", 32, 32, (png_kind){PNG_COLOR_TYPE_RGB, 8, true}, pixels, 3);
    write_truncated(name, "whole.png", 60);
  } else if (strstr(name, "cut")) {
    write_jpeg("whole.jpg", 32, 32, (jpeg_kind){JCS_RGB, 3, strstr(name, "prog") != NULL, 0}, pixels);
    write_truncated(name, "whole.jpg", 60);
  } else if (strstr(name, "text")) {
    write_text(in_root(name), "this is no picture\n");
  } else if (strstr(name, "cmyk")) {
    write_jpeg(in_root(name), 32, 32, (jpeg_kind){JCS_CMYK, 4, false, 0}, pixels);
  } else if (strstr(name, "sixteen")) {
    write_png(in_root(name), 16, 16, (png_kind){PNG_COLOR_TYPE_RGB, 16, false}, pixels, 3);
  } else if (strstr(name, "huge")) {
    write_png_header(name, 100000, 100000);
  } else if (strstr(name, "long")) {
    write_png_header(name, 90000000, 1); /* a single row would take 270 MB */
  } else {
    write_text(in_root(name), "");
  }
}

static const struct {
  const char *name, *message;
} bad[] = {
    {"cat/broken.png", "broken.png: damaged PNG file: "},
    {"cat/cut.png", "cut.png: damaged PNG file: it is truncated"},
    {"cat/cut.jpg", "cut.jpg: damaged JPEG file: Premature end of JPEG file"},
    {"cat/cut-prog.jpg", "cut-prog.jpg: damaged JPEG file: Premature end of JPEG file"},
    {"cat/text.png", "text.png is neither a PNG nor a JPEG file"},
    {"cat/cmyk.jpg", "cmyk.jpg: expected an RGB or grayscale JPEG file"},
    {"cat/sixteen.png", "sixteen.png: 16 bits per channel are not supported"},
    {"cat/huge.png", "huge.png: the header says 100000 x 100000 pixels, more than max_pixels: 100000000"},
    {"cat/long.png", "long.png: the header says 90000000 x 1 pixels; at most 1000000 per side are supported"},
    {"cat/empty.png", "empty.png is neither a PNG nor a JPEG file"},
    {"eel/other.png", "other.png: 7 x 5 pixels; the others have 4 x 4"},
};
enum { BAD = sizeof bad / sizeof *bad };

/* write_bad_image, or, for a name with "other", an image of another size than that of write_image. */
static void write_bad_file(const char *name) {
  uint8_t pixels[7 * 5 * 3] = {0};
  if (!strstr(name, "other"))
    write_bad_image(name);
  else
    write_png(in_root(name), 5, 7, (png_kind){PNG_COLOR_TYPE_RGB, 8, false}, pixels, 3);
}

static void bad_images_are_named(void **state) {
  (void)state;
  opened o;
  char path[600];
  write_animals();
  for (int i = 0; i < BAD; i++) {
    write_bad_file(bad[i].name);
    snprintf(path, sizeof path, "%s/%s", root, bad[i].name);
    open_data(&o, "{train: %s, %s}", root, strstr(path, "other") ? "on_error: stop" : "size: 4");
    const bool skips = strstr(o.error.message, "on_error: skip to leave such images out");
    /* The hint is for images that cannot be read. */
    assert_true(skips != (strstr(bad[i].message, "the others have") != NULL));
    expect_bad_file(&o, bad[i].message);
    unlink(path);
  }
}

static void bad_images_are_skipped(void **state) {
  (void)state;
  opened o;
  gt_log_set_level(GT_LOG_ERROR);
  write_animals();
  for (int i = 0; i < BAD; i++) write_bad_file(bad[i].name);
  open_data(&o, "{train: %s, on_error: skip, validation: 0.25}", root);
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples + o.data.split[GT_PART_VALIDATION].samples, 4);
  close_data(&o);
  open_data(&o, "{train: %s, on_error: skip}", root);
  expect_open(&o);
  expect_values(&o.data.split[GT_PART_TRAIN], "1234");
  expect_labels(&o.data.split[GT_PART_TRAIN], "0112");
  close_data(&o);
  clear_root();
  for (int i = 0; i < BAD - 1; i++) write_bad_file(bad[i].name);
  open_data(&o, "{train: %s, size: 4, on_error: skip}", root);
  expect_bad_file(&o, "none of the 10 images can be read");
  open_data(&o, "{train: %s, on_error: skip}", root);
  assert_false(o.ok);
  close_data(&o);
}

/* --- the cache of decoded images --- */

static uint64_t dataset_hash(const char *options) {
  opened o;
  open_data(&o, "{train: %s, test: %s, %s}", root, root, options);
  expect_open(&o);
  const gt_data_fingerprint fingerprint = gt_dataset_fingerprint(&o.data);
  close_data(&o);
  return fingerprint.split[GT_PART_TRAIN] ^ 3 * fingerprint.split[GT_PART_TEST];
}

/* A number that changes when the file is replaced or written; 0: there is no file. */
static time_t file_version(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 ? (time_t)(s.st_ino + (unsigned long)s.st_mtim.tv_nsec) : 0;
}

/* Sets the file's times to those of `like`, as tar and `cp -p` do. */
static void set_times(const char *path, const struct stat *like) {
  const struct timespec times[2] = {like->st_atim, like->st_mtim};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Two images of equal size and modification time swap their names, then their contents: the cache must not be
 * used. */
static void swapped_images_are_noticed(void **state) {
  (void)state;
  static uint8_t first[4096], second[4096];
  char cached[700], a[600], b[600], aside[600];
  struct stat like;
  clear_root();
  write_image("cat/a.png", 10), write_image("dog/b.png", 11);
  snprintf(a, sizeof a, "%s/cat/a.png", root);
  snprintf(b, sizeof b, "%s/dog/b.png", root);
  snprintf(aside, sizeof aside, "%s/aside", root);
  assert_int_equal(stat(a, &like), 0);
  set_times(b, &like);
  const size_t size = read_whole(a, first, sizeof first);
  assert_int_equal(read_whole(b, second, sizeof second), size);
  snprintf(cached, sizeof cached, "size: 3, cache: %s-traded", root);
  const uint64_t before = dataset_hash(cached);
  assert_int_equal(rename(a, aside), 0);
  assert_int_equal(rename(b, a), 0);
  assert_int_equal(rename(aside, b), 0);
  const uint64_t renamed = dataset_hash("size: 3");
  assert_true(renamed != before && dataset_hash(cached) == renamed);
  usleep(20000); /* longer than the resolution of file times */
  write_bytes("root/cat/a.png", first, size);
  write_bytes("root/dog/b.png", second, size);
  set_times(a, &like);
  set_times(b, &like);
  assert_true(dataset_hash(cached) == before);
}

static void cached_images(void **state) {
  (void)state;
  char cached[700], cache[600];
  gt_log_set_level(GT_LOG_ERROR);
  write_animals();
  write_bad_image("dog/text.png");
  snprintf(cache, sizeof cache, "%s-made/below/cache", root);
  snprintf(cached, sizeof cached, "on_error: skip, size: 3, cache: %s", cache);
  unlink(cache);
  const uint64_t plain = dataset_hash("on_error: skip, size: 3");
  assert_true(dataset_hash(cached) == plain);
  const time_t created = file_version(cache);
  assert_true(created != 0);
  char leftover[640]; /* as left by a killed writer */
  snprintf(leftover, sizeof leftover, "%s.tmp-4194303", cache);
  fclose(fopen(leftover, "w"));
  assert_true(dataset_hash(cached) == plain);
  assert_true(file_version(cache) == created); /* the cache was used */
  assert_int_not_equal(access(leftover, F_OK), 0);
  write_image("dog/c.png", 77);
  const uint64_t more = dataset_hash("on_error: skip, size: 3");
  assert_true(more != plain && dataset_hash(cached) == more && file_version(cache) != created);
  write_image("dog/c.png", 78); /* the same name and size */
  const uint64_t other = dataset_hash("on_error: skip, size: 3");
  assert_true(other != more && dataset_hash(cached) == other);
  strcat(cached, ", channels: 1");
  assert_true(dataset_hash(cached) == dataset_hash("on_error: skip, size: 3, channels: 1"));
  /* A cache that is damaged anywhere after "gtimage", or truncated anywhere, never changes the dataset. If i
   * < size, byte i is damaged; otherwise the file ends after i - size bytes. */
  static uint8_t bytes[4096];
  const uint64_t grey = dataset_hash(cached);
  const size_t size = read_whole(cache, bytes, sizeof bytes);
  for (size_t i = sizeof "gtimage"; i < 2 * size; i++) {
    const int fd = open(cache, O_WRONLY | O_TRUNC);
    const size_t length = i < size ? size : i - size;
    if (i < size) bytes[i] ^= 0x10;
    assert_int_equal(write(fd, bytes, length), length);
    if (i < size) bytes[i] ^= 0x10;
    close(fd);
    assert_true(dataset_hash(cached) == grey);
  }
  unlink(cache);
  opened o;
  write_text(in_root("table.csv"), "precious\n");
  open_data(&o, "{train: %s, cache: %s/table.csv}", root, root);
  expect_bad_config(&o, 0, "is not an image cache");
  assert_int_equal(read_whole(path_of("root/table.csv"), bytes, sizeof bytes), 9);
}

static void an_untrusted_config_writes_nothing(void **state) {
  (void)state;
  static const gt_data_requirements from_model = {.untrusted = "test.yaml"};
  opened o;
  char cache[600];
  write_animals();
  snprintf(cache, sizeof cache, "%s-cache", root);
  requirements = &from_model;
  open_data(&o, "{train: %s, format: images, cache: %s}", root, cache);
  expect_open(&o);
  close_data(&o);
  assert_int_equal(file_version(cache), 0);
  write_bad_image("cat/text.png");
  open_data(&o, "{train: %s, format: images, cache: %s}", root, cache);
  assert_null(strstr(o.error.message, "text.png"));
  expect_bad_file(&o, "to see the details");
  assert_int_equal(mkfifo(path_of("root/cat/pipe.jpg"), 0600), 0);
  unlink(path_of("root/cat/text.png"));
  open_data(&o, "{train: %s, format: images}", root);
  assert_null(strstr(o.error.message, "pipe"));
  expect_bad_file(&o, "to see the details");
  requirements = NULL;
  clear_root();
}

int main(void) {
  gt_log_set_level(GT_LOG_ERROR);
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_folder_for_each_class),
                                     cmocka_unit_test(names_are_normalized),
                                     cmocka_unit_test(folders_that_do_not_fit),
                                     cmocka_unit_test(csv_of_paths),
                                     cmocka_unit_test(targets_are_turned_alike),
                                     cmocka_unit_test(a_folder_of_targets),
                                     cmocka_unit_test(bad_images_are_named),
                                     cmocka_unit_test(bad_images_are_skipped),
                                     cmocka_unit_test(cached_images),
                                     cmocka_unit_test(swapped_images_are_noticed),
                                     cmocka_unit_test(an_untrusted_config_writes_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
