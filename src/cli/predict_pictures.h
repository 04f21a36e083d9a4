/* Predictions that are images: a PNG file for each sample. */
#ifndef GT_CLI_PREDICT_PICTURES_H
#define GT_CLI_PREDICT_PICTURES_H
#include "data/data.h"

/* Writes outputs, [n, height, width] or [n, height, width, 1 or 3], into a folder, which is created if
 * needed; 0 is black, 1 white. Each file is named after that of its sample in `names`, in subfolders if
 * samples of several folders have the same name; without `names`, by its number. */
bool gt_predict_write_pictures(const char *folder, const gt_tensor *outputs, const char *const *names,
                               gt_error *error);
#endif
