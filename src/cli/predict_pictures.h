/* Predictions that are pictures: a PNG file for each sample. */
#ifndef GT_CLI_PREDICT_PICTURES_H
#define GT_CLI_PREDICT_PICTURES_H
#include "data/data.h"

/* Writes outputs, [n, height, width] or [n, height, width, 1 or 3], into a folder, which is made if need be;
 * 0 is black, 1 white. Each is called as the file of its sample in `names` is, in folders of its own
 * where samples of several folders have one name, or, without these, by its number. */
bool gt_predict_write_pictures(const char *folder, const gt_tensor *outputs, const char *const *names,
                               gt_error *error);
#endif
