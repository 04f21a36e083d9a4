/* Boards of automata as text (or as images): a parsed board contains only bits, and has the size that it
 * reports. */
#include "fuzz.h"
#include "automaton/board_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint32_t channels[] = {1, 2, 3, 16, 65535};
  const char *path = fuzz_input(data, size, "input.txt");
  for (int i = 0; i < 5; i++) {
    gt_board_file board;
    gt_error error = {0};
    if (!gt_board_file_read(path, channels[i], &board, &error)) {
      fuzz_expect_bad_file(&error);
      continue;
    }
    const size_t bits = (size_t)board.height * board.width * channels[i];
    fuzz_expect(bits, "a board without cells");
    for (size_t k = 0; k < bits; k++) fuzz_expect(board.cells[k] <= 1, "bit %zu is %d", k, board.cells[k]);
    gt_board_file_finish(&board);
  }
  return 0;
}
