/* The inputs of `gtrain predict`: files, folders of images, standard input. */
#ifndef GT_CLI_PREDICT_INPUTS_H
#define GT_CLI_PREDICT_INPUTS_H
#include "cli/common.h"

/* Reads the words after the model and the values of --input into inputs[k], as gt_data_read_inputs does.
 * *names: the file of each sample if each sample is a file, otherwise NULL; in the arena. *skipped: the
 * number of files that were skipped with a warning because they could not be read. */
bool gt_predict_read_inputs(const gt_arguments *arguments, gt_arena *arena,
                            const gt_data_signature *signature, gt_input_rows *rows, gt_split *inputs,
                            const char *const **names, size_t *skipped, gt_error *error);
#endif
