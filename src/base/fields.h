/* A line of fields, of which the least important are left out where it would be too wide. */
#ifndef GT_BASE_FIELDS_H
#define GT_BASE_FIELDS_H
#include <stddef.h>

enum { GT_FIELD_LENGTH = 80, GT_MOST_LINE_FIELDS = 32 };

typedef struct gt_line_field {
  char text[GT_FIELD_LENGTH]; /* "": none */
  int importance;             /* the smallest is left out last; all differ */
  int gap;                    /* columns before it, unless it is the first of the line */
} gt_line_field;

/* Writes those that fit in `room` columns, in their order, none where a more important one did not fit;
 * without blanks at the end. Returns how many columns they take. */
int gt_fit_fields(char *line, size_t size, const gt_line_field *field, int count, int room);
/* Columns that all of them take. */
int gt_fields_width(const gt_line_field *field, int count);
#endif
