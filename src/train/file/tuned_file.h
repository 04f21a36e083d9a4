/* Tuned candidates (step/tuned.h) as a JSON file: {"format": "gtrain-tuned-2", "device": NAME, "ways": {KEY:
 * CANDIDATE, …}}. NAME is gt_backend.name, which includes the driver version. The cache has a file per
 * device. A run that starts with tuned candidates writes a copy, tuned.json, and uses it when it is resumed,
 * because other candidates give other bits. */
#ifndef GT_TRAIN_TUNED_FILE_H
#define GT_TRAIN_TUNED_FILE_H
#include "backend/backend.h"

#define GT_TUNED_FILE "tuned.json"

/* The path of the device's file in the cache, to be freed; NULL: there is no cache folder. */
char *gt_tuned_path(const gt_backend *backend);
/* Adds the candidates in a file; ignores a file of another device, with a warning. GT_ERR_DATA if it is not
 * such a file. */
bool gt_tuned_read(gt_tuned *tuned, const char *path, const gt_backend *backend, gt_error *error);
/* Adds the candidates in the device's file in the cache, if it exists. Errors become warnings. */
void gt_tuned_read_cache(gt_tuned *tuned, const gt_backend *backend);
/* Writes a file; creates its folder if necessary. */
bool gt_tuned_write(const gt_tuned *tuned, const char *path, const gt_backend *backend, gt_error *error);
#endif
