/* Results of `gtrain eval` per class: a table, JSON, and the confusion matrix as a file. */
#ifndef GT_CLI_EVAL_CLASSES_H
#define GT_CLI_EVAL_CLASSES_H
#include "base/error.h"
#include "train/config/config.h"
#include "train/config/class_table.h"
#include <jansson.h>
#include <stdbool.h>

/* Prints precision, recall and F1 of each class and their means. */
void gt_classes_print(const gt_confusion_matrix *matrix);
/* Adds "macro" and "classes" to an object. */
void gt_classes_add(json_t *object, const gt_confusion_matrix *matrix);
/* Adds "positive", the name of the positive class of a binary task; with several targets, a map of theirs. */
void gt_classes_add_positive(json_t *object, const gt_config *config);
/* True if a matrix can be written in the format of the file's extension; otherwise GT_ERR_USAGE. */
bool gt_confusion_check_path(const char *path, gt_error *error);
/* Writes FILE.json, FILE.csv or FILE.png. */
bool gt_confusion_write(const gt_confusion_matrix *matrix, const char *path, gt_error *error);
#endif
