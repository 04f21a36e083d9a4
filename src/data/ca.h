/* What a config of format `ca` says of an automaton's boards: how they start and what they are to become. A
 * dataset of the format carries it, so that the same start and target can be made on a
 * grid of another size. Owner: the arena of the dataset. */
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
  GT_CA_LIFE, /* the next board of the Game of Life on a torus: depends on the board before */
  GT_CA_PICTURE
} gt_ca_target;

typedef struct gt_ca_boards {
  gt_ca_start start;
  gt_ca_target target;
  int64_t height, width, channels; /* in training */
  int64_t seen;                    /* channels of the target: a cell's first */
  int64_t square;                  /* side of the checkerboard's squares */
  const uint8_t *picture;          /* [height][width][seen] of 0 and 1; NULL without one */
} gt_ca_boards;

/* What a dataset was made of; NULL if it has another format. */
const gt_ca_boards *gt_ca_boards_of(const gt_dataset *dataset);
/* Is there a target on this grid? A picture has its own size. */
bool gt_ca_fits(const gt_ca_boards *boards, int64_t height, int64_t width);
/* target[height][width][seen] of 0 and 1. before: the board [height][width], for GT_CA_LIFE. */
void gt_ca_target_of(const gt_ca_boards *boards, const uint8_t *before, int64_t height, int64_t width,
                     uint8_t *target);
/* The cell in which a start from the centre has ones. */
int64_t gt_ca_centre(int64_t height, int64_t width);
#endif
