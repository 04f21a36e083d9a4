/* A contact sheet of the samples of the first training steps, each with its label: after batching,
 * augmentation and normalization, converted back to colours. */
#ifndef GT_TRAIN_SHEET_H
#define GT_TRAIN_SHEET_H
#include "train/config/config.h"

/* Writes the sheet as a PNG. *shown: the number of samples on it. */
bool gt_sheet_write(gt_config *config, const char *path, int64_t *shown, gt_error *error);
#endif
