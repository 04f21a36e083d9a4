/* Boards of automata as files: PNG pictures, or text of digits 0 and 1, a row a line, the channels of a cell
 * together, as the programs read and write them that `gtrain export --format c` makes. */
#ifndef GT_AUTOMATON_BOARD_FILE_H
#define GT_AUTOMATON_BOARD_FILE_H
#include "base/error.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct gt_board_file {
  uint32_t height, width;
  uint8_t *cells; /* [height][width][channels] of 0 and 1; heap */
} gt_board_file;

/* A picture's bits (128 or more) are the first one or three channels of the cells, the others are 0. Blanks
 * in text are passed over. GT_ERR_DATA, with line and column, if it is not a board of such cells. */
bool gt_board_file_read(const char *path, uint32_t channels, gt_board_file *out, gt_error *error);
void gt_board_file_finish(gt_board_file *file); /* accepts a zeroed one */
/* As text. */
bool gt_board_file_write(const char *path, const gt_board_file *file, uint32_t channels, gt_error *error);
#endif
