/* Reading one value by its schema row. Internal to spec/: schema.c walks the maps, schema_value.c reads the
 * values. */
#ifndef GT_SPEC_SCHEMA_VALUE_H
#define GT_SPEC_SCHEMA_VALUE_H
#include "spec/schema.h"

typedef struct gt_schema_reader {
  const gt_schema *schema, *extra;
  const char *where;
  gt_arena *arena;
  gt_diagnostics *diagnostics;
} gt_schema_reader;

/* Reads a value that is not a MAP into its place at `to`; false: reported, and the place is untouched. */
bool gt_schema_read_value(const gt_schema_reader *reader, const gt_field *field, void *to,
                          const gt_spec *value);
/* The default of a field as a tree, or NULL. */
gt_spec *gt_schema_fallback(gt_arena *arena, const gt_field *field, gt_position at);
/* The range of a numeric field; infinite where there is no end. */
void gt_field_bounds(const gt_field *field, double *min, double *max);
/* Does the field take a list? */
bool gt_field_is_list(const gt_field *field);
/* " in layer 'linear'", with a space before it unless there is nothing to say. */
const char *gt_schema_where(gt_arena *arena, const char *where);
/* Is the text "key:value", without the space, of a key of the schema? Then "key: value", else NULL. */
const char *gt_schema_missing_space(const gt_schema_reader *reader, const char *text);
/* The nearest existing path to one that is missing, or NULL. */
const char *gt_nearest_path(gt_arena *arena, const char *path);
#endif
