/* The boards of a cellular automaton, as a config of format `ca` describes them: start and target. A dataset
 * of this format has the description, so that the same start and target can be built on a grid of another
 * size. Owner: the dataset's arena. */
#ifndef GT_DATA_CA_H
#define GT_DATA_CA_H
#include "data/data.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum gt_ca_start {
  GT_CA_START_CENTRE,
  GT_CA_START_RANDOM,
  GT_CA_START_ZEROS,
  GT_CA_START_ALL
} gt_ca_start;
typedef enum gt_ca_target {
  GT_CA_CHECKERBOARD,
  GT_CA_LIFE, /* the next board of the Game of Life on a torus: depends on the start board */
  GT_CA_PICTURE
} gt_ca_target;

typedef struct gt_ca_boards {
  gt_ca_start start;
  gt_ca_target target;
  int64_t height, width, channels; /* on the training grid */
  int64_t target_channels;         /* the target has only the first ones of each cell */
  int64_t square;                  /* side of the checkerboard's squares */
  /* [height][width][target_channels] of 0 and 1; NULL if the target is not an image. */
  const uint8_t *picture;
} gt_ca_boards;

/* The description of a dataset's boards; NULL if the dataset has another format. */
const gt_ca_boards *gt_ca_boards_of(const gt_dataset *dataset);
/* True if the target can be built on a grid of this size. An image has only one size. */
bool gt_ca_fits(const gt_ca_boards *boards, int64_t height, int64_t width);
/* Writes target[height][width][target_channels] of 0 and 1. before: the start board [height][width], used
 * only for GT_CA_LIFE. */
void gt_ca_target_of(const gt_ca_boards *boards, const uint8_t *before, int64_t height, int64_t width,
                     uint8_t *target);
/* Index of the cell that is 1 when a board starts from the centre. */
int64_t gt_ca_centre(int64_t height, int64_t width);
#endif
