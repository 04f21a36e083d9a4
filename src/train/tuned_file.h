/* Ways that were found best (step/tuned.h) as a file: {"format": "gtrain-tuned-2", "device": NAME, "ways":
 * {KEY: WAY, …}} as JSON, NAME being gt_backend.name, which tells the driver's version, too. One lies in the
 * cache for each device; a run that begins with some keeps a copy of them, tuned.json, by which it goes on
 * when it is resumed: other ways would give other bits. */
#ifndef GT_TRAIN_TUNED_FILE_H
#define GT_TRAIN_TUNED_FILE_H
#include "backend/backend.h"

#define GT_TUNED_FILE "tuned.json"

/* The device's file in the cache, to be freed; NULL: there is no place for it. */
char *gt_tuned_path(const gt_backend *backend);
/* Adds the ways of a file; of another device's none, with a warning. GT_ERR_DATA if it is no such file. */
bool gt_tuned_read(gt_tuned *tuned, const char *path, const gt_backend *backend, gt_error *error);
/* Adds those of the cache, if it has some. What is wrong with it is a warning. */
void gt_tuned_read_cache(gt_tuned *tuned, const gt_backend *backend);
/* Makes the folder, too. */
bool gt_tuned_write(const gt_tuned *tuned, const char *path, const gt_backend *backend, gt_error *error);
#endif
