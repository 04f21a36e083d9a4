/* What configs are made of: everything that has a schema, and the JSON Schema of all of it, in which every
 * map names the keys that it may have. */
#ifndef GT_CLI_SCHEMA_H
#define GT_CLI_SCHEMA_H
#include "train/config.h"
#include <jansson.h>

typedef struct gt_schema_thing {
  const char *kind; /* "section", "data", "augmentation", "layer", "block", "init", "loss", "optimizer",
                       "schedule", "warning" */
  const char *name, *help;
  const gt_schema *schema, *common; /* common: rows that all of its kind have, too, or NULL */
} gt_schema_thing;
enum { GT_SCHEMA_MOST_THINGS = 256 };

int gt_schema_things(gt_schema_thing *list); /* into room for GT_SCHEMA_MOST_THINGS; their number */
json_t *gt_schema_of_configs(void);          /* the caller owns it */
#endif
