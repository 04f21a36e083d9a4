/* Reads one value according to its schema row. Internal to spec/: schema.c reads maps, schema_value.c single
 * values. */
#ifndef GT_SPEC_SCHEMA_VALUE_H
#define GT_SPEC_SCHEMA_VALUE_H
#include "spec/schema.h"

typedef struct gt_schema_reader {
  const gt_schema *schema, *extra;
  const char *where;
  gt_arena *arena;
  gt_diagnostics *diagnostics;
  const char *shown; /* name of the value in messages, such as "'data.normalize'"; NULL: the field's */
} gt_schema_reader;

/* Reads a value whose type is not MAP into *to. False after reporting an error; then *to is unchanged. */
bool gt_schema_read_value(const gt_schema_reader *reader, const gt_field *field, void *to,
                          const gt_spec *value);
/* The default of a field as a tree, or NULL. */
gt_spec *gt_schema_fallback(gt_arena *arena, const gt_field *field, gt_position at);
/* The range of a numeric field; infinite if unbounded. */
void gt_field_bounds(const gt_field *field, double *min, double *max);
/* True if the field accepts a list. */
bool gt_field_is_list(const gt_field *field);
/* The name of the field's value in messages: "'units' in layer 'linear'". */
const char *gt_schema_subject(const gt_schema_reader *reader, const gt_field *field);
/* " in layer 'linear'", with a leading space, or "". */
const char *gt_schema_where(gt_arena *arena, const char *where);
/* For text "key:value" (no space) with a key of the schema: "key: value"; else NULL. */
const char *gt_schema_missing_space(const gt_schema_reader *reader, const char *text);
/* The existing path most similar to a missing one, or NULL. */
const char *gt_nearest_path(gt_arena *arena, const char *path);
#endif
