/* Boards of automata as files: PNG images, or text of digits 0 and 1: a line per row, with the channels of a
 * cell next to each other. Programs from `gtrain export --format c` read and write the same text. */
#ifndef GT_AUTOMATON_BOARD_FILE_H
#define GT_AUTOMATON_BOARD_FILE_H
#include "base/error.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct gt_board_file {
  uint32_t height, width;
  uint8_t *cells; /* [height][width][channels] of 0 and 1; heap */
} gt_board_file;

/* Reads a board whose cells have this number of channels. A gray image gives the first channel and a color
 * image the first three: 1 where the pixel's value is 128 or more; other channels are 0. Blanks in text are
 * skipped. GT_ERR_DATA if the file is not such a board; for text, the message names line and column. */
bool gt_board_file_read(const char *path, uint32_t channels, gt_board_file *out, gt_error *error);
void gt_board_file_finish(gt_board_file *file); /* accepts a zeroed one */
/* Writes the board as text. */
bool gt_board_file_write(const char *path, const gt_board_file *file, uint32_t channels, gt_error *error);
#endif
