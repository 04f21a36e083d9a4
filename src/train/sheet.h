/* A sheet of what the network will see: the samples of the first training steps, as they are batched, changed
 * and normalised, brought back to colours, each with its label. */
#ifndef GT_TRAIN_SHEET_H
#define GT_TRAIN_SHEET_H
#include "train/config.h"

enum { GT_SHEET_COLUMNS = 8, GT_SHEET_SAMPLES = 64 };

/* Writes it as a PNG; shown: how many samples are on it. */
bool gt_sheet_write(gt_config *config, const char *path, int64_t *shown, gt_error *error);
#endif
