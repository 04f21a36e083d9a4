/* PNG images: read as images, as boards, and as the target of an automaton's data. */
#include "fuzz.h"
#include "automaton/board_file.h"
#include "data/images/images.h"
#include "repair.h"
#include "support/read_png.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8) repair_png(data, size);
  return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_input(data, size, "input.png");
  gt_picture picture;
  gt_error error = {0};
  if (read_png(path, &picture, &error)) {
    const size_t values = (size_t)picture.height * picture.width * picture.channels;
    unsigned int sum = 0;
    for (size_t i = 0; i < values; i++) sum += picture.data[i];
    fuzz_expect(values && sum <= 255 * values, "a picture without pixels");
    gt_picture_finish(&picture);
  } else {
    fuzz_expect_bad_file(&error);
  }
  for (uint32_t channels = 1; channels <= 4; channels += 3) {
    gt_board_file board;
    error = (gt_error){0};
    if (gt_board_file_read(path, channels, &board, &error))
      gt_board_file_finish(&board);
    else
      fuzz_expect_bad_file(&error);
  }
  fuzz_data("{format: ca, image: input.png, channels: 4}", 0);
  return 0;
}
