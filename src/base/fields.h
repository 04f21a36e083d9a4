/* A line of fields that drops the least important fields if it would be too wide. */
#ifndef GT_BASE_FIELDS_H
#define GT_BASE_FIELDS_H
#include <stddef.h>

enum { GT_FIELD_LENGTH = 80, GT_MAX_LINE_FIELDS = 64 /* maximum of `count` below */ };

typedef struct gt_line_field {
  char text[GT_FIELD_LENGTH]; /* "" if absent */
  int rank;                   /* 0: the most important; larger numbers are dropped first; all differ */
  int gap;                    /* blanks before the field, unless it is the first on the line */
} gt_line_field;

/* Writes the fields that fit into `columns` terminal columns, in order; a field is dropped if a more
 * important one did not fit. No trailing spaces. Returns the number of columns written. */
int gt_fit_fields(char *line, size_t size, const gt_line_field *field, int count, int columns);
/* Columns that are needed to show all fields. */
int gt_fields_width(const gt_line_field *field, int count);
#endif
