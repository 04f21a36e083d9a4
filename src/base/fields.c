#include "base/fields.h"
#include "base/text.h"
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The field that follows rank `after` in order of importance; NULL: there is none. */
static const gt_line_field *next_in_rank(const gt_line_field *field, int count, int after) {
  const gt_line_field *next = NULL;
  for (int i = 0; i < count; i++)
    if (field[i].rank > after && (!next || field[i].rank < next->rank)) next = &field[i];
  return next;
}

/* Width of the shown fields, gaps included, in terminal columns. */
static int width_of(const gt_line_field *field, int count, const bool *shown) {
  int width = 0;
  for (int i = 0; i < count; i++)
    if (shown[i] && *field[i].text) width += (width ? field[i].gap : 0) + gt_text_width(field[i].text);
  return width;
}

int gt_fields_width(const gt_line_field *field, int count) {
  bool all[GT_MAX_LINE_FIELDS];
  memset(all, true, sizeof all);
  return width_of(field, count, all);
}

int gt_fit_fields(char *line, size_t size, const gt_line_field *field, int count, int columns) {
  bool shown[GT_MAX_LINE_FIELDS] = {false};
  int after = INT_MIN;
  for (const gt_line_field *next; (next = next_in_rank(field, count, after)); after = next->rank) {
    shown[next - field] = true;
    if (width_of(field, count, shown) <= columns) continue;
    shown[next - field] = false;
    break;
  }
  size_t used = 0;
  *line = 0;
  for (int i = 0; i < count; i++) {
    if (!shown[i] || !*field[i].text) continue;
    const int wrote = snprintf(line + used, size - used, "%*s%s", used ? field[i].gap : 0, "", field[i].text);
    used += (size_t)wrote < size - used ? (size_t)wrote : size - used - 1;
  }
  while (used && line[used - 1] == ' ') line[--used] = 0;
  return gt_text_width(line);
}
