/* Output of `gtrain eval` and `gtrain simulate` on the stability of boards (automaton/lasting.h). */
#ifndef GT_CLI_LASTING_H
#define GT_CLI_LASTING_H
#include "automaton/lasting.h"
#include "train/file/model_file.h"
#include <jansson.h>

/* Measures a trained automaton on the boards of its config; out->known is 0 for any other model. False after
 * an error. */
bool gt_cli_measure_lasting(gt_lasting *out, const gt_model_file *file, const gt_dataset *dataset,
                            gt_error *error);
void gt_cli_print_lasting(const gt_lasting *lasting);
/* Adds "lasting", a list of the known results, to an object. */
void gt_cli_add_lasting(json_t *object, const gt_lasting *lasting);
#endif
