/* Diagnostics: the errors and warnings of one config, each at a position, collected so that one pass shows
 * them all. Printed sorted by position as
 *   config.yaml:7:5: error: unknown key 'unitz' in layer 'linear'
 *        7 |   - linear: {unitz: 10}
 *          |              ^~~~~
 *     expected one of: units, bias, … ; did you mean 'units'?
 * A position with line 0 means the file as a whole. Owner: whoever reads the config. */
#ifndef GT_SPEC_DIAGNOSTICS_H
#define GT_SPEC_DIAGNOSTICS_H
#include "base/arena.h"
#include <stdbool.h>
#include <stdio.h>

typedef struct gt_position {
  const char *file;        /* as the user named it; "--set" for an override */
  const char *line_text;   /* the source line, without its newline; NULL if there is none */
  int line, column, width; /* from 1; width of the marked text */
} gt_position;

typedef struct gt_diagnostic {
  gt_position at;
  const char *message, *expected, *suggestion; /* the last two may be NULL */
  bool warning;
} gt_diagnostic;

typedef struct gt_diagnostics {
  gt_arena *arena;
  gt_diagnostic *items;
  int count;
  int errors, warnings; /* those not kept too */
} gt_diagnostics;

void gt_diagnostics_init(gt_diagnostics *diagnostics, gt_arena *arena);
/* Adds an error; expected and suggestion may be NULL. Returns it for further filling. At most 100 are
 * kept, of warnings 20, lest they leave no room for errors. */
gt_diagnostic *gt_error_at(gt_diagnostics *diagnostics, gt_position at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
gt_diagnostic *gt_warning_at(gt_diagnostics *diagnostics, gt_position at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Are there more errors than are kept? Then what would be said of the last one is said in vain. */
bool gt_diagnostics_full(const gt_diagnostics *diagnostics);
void gt_diagnostics_print(const gt_diagnostics *diagnostics, FILE *stream);
#endif
