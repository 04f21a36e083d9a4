/* gt_split: the samples of one split, as tensors by role. Owner: the dataset, until gt_dataset_close. */
#ifndef GT_DATA_SPLIT_H
#define GT_DATA_SPLIT_H
#include "base/arena.h"
#include "data/tensor.h"

enum { GT_DATA_MAX_INPUTS = 16, GT_DATA_MAX_TARGETS = 8 };

/* The splits. GT_PART_NONE: of a sample that is in no split. */
enum { GT_PART_TRAIN, GT_PART_VALIDATION, GT_PART_TEST, GT_PARTS, GT_PART_NONE = GT_PARTS };
extern const char *const gt_part_keys[GT_PARTS]; /* "train", "validation", "test" */

/* What a tensor of a split contains. */
typedef enum gt_sample_role {
  GT_SAMPLE_INPUT,
  GT_SAMPLE_LENGTH, /* of an input: how many of its dim[1] steps are valid; the others are padding; I32 */
  GT_SAMPLE_START,  /* of a series: the first row of each window; I32 */
  GT_SAMPLE_TARGET,
  GT_SAMPLE_WEIGHT,
  GT_SAMPLE_ROLES
} gt_sample_role;
typedef enum gt_sample_of { GT_OF_INPUT, GT_OF_TARGET, GT_OF_SAMPLE } gt_sample_of;
typedef struct gt_sample_role_type {
  gt_sample_of of;      /* what a tensor describes */
  const char *variable; /* end of its variable's name (gt_split_variable); "": the input or target itself */
  bool is_streamed;     /* gathered into a window if the split is streamed; false: not needed there */
  bool is_compared;     /* two samples are compared by it (repeated.c) */
} gt_sample_role_type;
extern const gt_sample_role_type gt_sample_role_types[GT_SAMPLE_ROLES];

typedef struct gt_split_item {
  gt_sample_role role;
  int of;           /* index of the input or target that it describes; 0 for GT_OF_SAMPLE */
  gt_tensor tensor; /* its data is owned by the split */
} gt_split_item;
enum { GT_SPLIT_ITEMS = 2 * GT_DATA_MAX_INPUTS + GT_DATA_MAX_TARGETS + 2 };

/* Two naive forecasts of a series: the last value of the window, or the last known value whose distance is a
 * multiple of the season. */
enum { GT_NAIVE_LAST, GT_NAIVE_SEASON, GT_NAIVES };

/* The target of a text is input 0 shifted by one token: a tensor with the same windows and without data. */
typedef struct gt_split {
  int64_t samples; /* 0: the split is absent */
  int items;
  gt_split_item item[GT_SPLIT_ITEMS]; /* sorted by role, then by `of` */
  /* For a series: the mean absolute errors of the naive forecasts, for each target value of a sample. For
   * labels and booleans: the fraction of wrong forecasts. In the arena; NULL: none. */
  const double *naive[GT_NAIVES];
} gt_split;

/* The tensor of a role; `of` as in gt_split_item. Rank 0: there is none. */
const gt_tensor *gt_split_tensor(const gt_split *split, gt_sample_role role, int of);
/* The same, to change it. The split has the tensor. */
gt_tensor *gt_split_edit(gt_split *split, gt_sample_role role, int of);
/* Adds a tensor that the split does not have; its data then belongs to the split. The result is valid until
 * the next call. */
gt_tensor *gt_split_add(gt_split *split, gt_sample_role role, int of, gt_tensor tensor);
static inline gt_tensor *gt_split_new(gt_split *split, gt_sample_role role, int of) { /* an empty tensor */
  return gt_split_add(split, role, of, (gt_tensor){0});
}
/* Of an input: [samples, …]; F32 are finite. */
static inline const gt_tensor *gt_split_input(const gt_split *split, int input) {
  return gt_split_tensor(split, GT_SAMPLE_INPUT, input);
}
/* Of a target. Classification: labels I32 [samples], or [samples, axes…] with a label per pixel or token,
 * each in [0, classes), or -1: does not count (`ignore_index`). Regression: F32 [samples, t], or [samples,
 * axes…]. Rank 0: the data has no targets. */
static inline const gt_tensor *gt_split_target(const gt_split *split, int target) {
  return gt_split_tensor(split, GT_SAMPLE_TARGET, target);
}
/* Weights of the samples in loss and metrics, F32 [samples]: finite, >= 0, not all 0. Rank 0: all are 1. */
static inline const gt_tensor *gt_split_weights(const gt_split *split) {
  return gt_split_tensor(split, GT_SAMPLE_WEIGHT, 0);
}

/* Moves sample i of split[GT_PART_TRAIN] to split[part[i]]; GT_PART_NONE drops it. count: samples of each
 * split; where it is 0, that split is left as it is. part: NULL if no tensor has data. */
bool gt_split_divide(gt_split split[GT_PARTS], const uint8_t *part, const int64_t count[GT_PARTS],
                     gt_error *error);
/* The name of a tensor's variable: BEGIN.PART.inputs.NAME, with ".lengths" for the lengths of an input;
 * BEGIN.PART.targets.NAME; BEGIN.PART.weights. begin: "data" or "window". In the arena. */
struct gt_dataset;
const char *gt_split_variable(const struct gt_dataset *data, const char *begin, int part, gt_sample_role role,
                              int of, gt_arena *arena);
/* For evaluation: selects windows of a text that do not overlap, or as little as the stride permits, so that
 * each token is predicted once; at most `most` of them (0: all), evenly spread. Other splits are returned
 * unchanged. The result borrows the tensors. */
gt_split gt_split_without_overlap(const gt_split *split, int64_t most);
double gt_split_weight(const gt_split *split); /* sum of the samples' weights; without weights their number */
void gt_split_finish(gt_split *split);         /* frees the tensors */
#endif
