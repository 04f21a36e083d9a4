/* gt_exporter_type: writes a trained model in another language. Each exporter is a constant row: a file
 * src/export/NAME.c with GT_DEFINE(exporter, NAME) = {…} adds one, which `gtrain export --format NAME` uses
 * and `gtrain export --help` describes; no other file needs a change. */
#ifndef GT_EXPORT_EXPORT_H
#define GT_EXPORT_EXPORT_H
#include "base/register.h"
#include "train/file/model_file.h"
#include <stdio.h>

typedef struct gt_export {
  const gt_model_file *model;
  const char *name;  /* name of the function or module, a valid identifier: gt_export_name */
  char summary[128]; /* short description of what was written; set by the exporter */
} gt_export;

typedef struct gt_exporter_type {
  const char *name;
  const char *help; /* lines of --help; the first one is printed after the name */
  /* Writes the whole text. GT_ERR_DATA if this exporter does not support the model. */
  bool (*write)(gt_export *export, FILE *file, gt_error *error);
} gt_exporter_type;

int gt_exporter_count(void);
extern const char *const gt_exporter_names[];      /* sorted, ends with NULL */
const gt_exporter_type *gt_exporter_at(int index); /* sorted by name */
const gt_exporter_type *gt_exporter_find(const char *name);

/* "life_circuit" for "life", "n3x3_circuit" for "3x3": valid in all languages for any text. The ending keeps
 * it apart from the words of every language and from what the exported file declares. Heap memory. */
char *gt_export_name(const char *text, size_t length);
#endif
