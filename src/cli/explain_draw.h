/* `gtrain explain --svg FILE --png FILE`: draws the networks of the model files and, if it was found, the
 * formula of the last one. */
#ifndef GT_CLI_EXPLAIN_DRAW_H
#define GT_CLI_EXPLAIN_DRAW_H
#include "cli/explain_model.h"

/* svg, png: paths of the files to write, or NULL. */
bool gt_explained_draw(const gt_explained *models, int count, const char *svg, const char *png,
                       gt_error *error);
#endif
