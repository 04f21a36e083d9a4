/* Boards of automata as data: start states, targets, and errors in the config or the image. */
#include "data/ca.h"
#include "draw/png.h"
#include "data_support.h"

static void boards_are_made(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{format: ca, target: checkerboard, square: 1, grid: [3, 4], channels: 2, start: centre}");
  expect_open(&o);
  const float *start = gt_split_input(&o.data.split[GT_PART_TRAIN], 0)->data,
              *target = gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data;
  assert_true(o.data.split[GT_PART_TRAIN].samples == 1 && o.data.split[GT_PART_TEST].samples == 1);
  for (int i = 0; i < 24; i++) assert_true(start[i] == (i / 2 == gt_ca_centre(3, 4)));
  for (int i = 0; i < 12; i++) assert_true(target[i] == (float)((i / 4 + i % 4) % 2));
  close_data(&o);
  open_data(&o, "{format: ca, target: life, grid: [3, 3], start: boards}");
  expect_open(&o);
  assert_int_equal(o.data.split[GT_PART_TRAIN].samples, 512);
  close_data(&o);
}

static void bad_keys_are_rejected(void **state) {
  (void)state;
  opened o;
  open_data(&o, "{format: ca}");
  expect_bad_config(&o, 1, "exactly one target must be given");
  open_data(&o, "{format: ca, grid: [4, 4]}");
  expect_bad_config(&o, 1, "exactly one target must be given");
  open_data(&o, "{format: ca, target: checkerboard}");
  expect_bad_config(&o, 1, "the size of the board is missing");
  open_data(&o, "{format: ca, target: life, image: a.png, grid: [4, 4]}");
  expect_bad_config(&o, 35, "exactly one target must be given");
  open_data(&o, "{format: ca, target: checkerboard, grid: [4, 4, 4]}");
  expect_bad_config(&o, 42, "not a board size");
  open_data(&o, "{format: ca, target: checkerboard, grid: 4}");
  expect_bad_config(&o, 42, "not a board size");
  open_data(&o, "{format: ca, target: checkerboard, grid: [0, 4]}");
  expect_bad_config(&o, 0, "too small");
  open_data(&o, "{format: ca, target: life, grid: [4, 4], start: random}");
  expect_bad_config(&o, 0, "target 'life' needs a fixed start board");
  open_data(&o, "{format: ca, target: checkerboard, grid: [5, 5], start: boards}");
  expect_bad_config(&o, 0, "too many possible boards");
  open_data(&o, "{format: ca, image: absent.png}");
  expect_bad_config(&o, 0, "absent.png");
  assert_int_equal(o.error.status, GT_OK);
}

static void pictures_are_targets(void **state) {
  (void)state;
  opened o;
  gt_error error = {0};
  uint8_t pixels[2 * 3 * 3];
  for (int i = 0; i < 18; i++) pixels[i] = i % 2 ? 255 : 0;
  const gt_picture picture = {.height = 2, .width = 3, .channels = 3, .data = pixels};
  const char *path = path_of("t.png");
  assert_true(gt_png_write(path, &picture, &error));
  open_data(&o, "{format: ca, image: %s, channels: 4}", path);
  expect_open(&o);
  assert_int_equal(gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->dim[3], 3);
  assert_true(((const float *)gt_split_target(&o.data.split[GT_PART_TRAIN], 0)->data)[1] == 1);
  close_data(&o);
  open_data(&o, "{format: ca, image: %s, channels: 2}", path);
  expect_bad_config(&o, 0, "fewer channels");
  open_data(&o, "{format: ca, image: %s, channels: 4, grid: [3, 3]}", path);
  expect_bad_config(&o, 0, "the grid and the image have different sizes");
  write_text("t.png", "no picture");
  open_data(&o, "{format: ca, image: %s, channels: 4}", path);
  expect_bad_file(&o, "t.png: ");
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(boards_are_made),
                                     cmocka_unit_test(bad_keys_are_rejected),
                                     cmocka_unit_test(pictures_are_targets)};
  return cmocka_run_group_tests_name("data: automata", tests, NULL, NULL);
}
