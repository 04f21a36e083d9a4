/* CSV: files with one text per line, optionally after a label and a tab. No cell is quoted, no line is a
 * header or a comment, and further tabs belong to the text. */
#include "base/log.h"
#include "base/memory.h"
#include "data/table/csv_layout.h"
#include <inttypes.h>

#define EXPECTED "expected a label, a tab and a text"

static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
static bool is_blank(char c) { return c == ' ' || c == '\t'; }

typedef struct line_count {
  int64_t lines, with_tab;
} line_count;

static line_count count_lines(const gt_csv *csv) {
  line_count n = {0};
  bool has_tab = false;
  for (const char *at = csv->at; at < csv->end; at++) {
    if (*at == '\t') has_tab = true;
    if (!is_line_end(*at)) continue;
    n.lines++, n.with_tab += has_tab;
    if (*at == '\r' && csv->end - at > 1 && at[1] == '\n') at++;
    has_tab = false;
  }
  return (line_count){n.lines + 1, n.with_tab + has_tab};
}

/* For predictions: logs which parts of the lines are read as texts. */
static void log_parts(const gt_csv *csv, line_count n) {
  if (n.with_tab == n.lines)
    gt_info("%s: treating the text before the tab as a label", csv->path);
  else if (n.with_tab)
    gt_warn("%s: %" PRId64 " of %" PRId64
            " lines have a tab; treating the text before it as text, not as a label",
            csv->path, n.with_tab, n.lines);
  else if (gt_data_has_suffix(csv->path, ".csv"))
    gt_warn("%s: each line, also the first, is read as a text without columns, as the model was trained on "
            "lines (text: {labels: true})",
            csv->path);
}

bool gt_csv_open_lines(gt_csv *csv, const gt_csv_form *form) {
  static const char *const names[] = {"label", "text"};
  if (!gt_csv_check_encoding(csv)) return false;
  while (csv->end > csv->at && is_line_end(csv->end[-1])) csv->end--;
  if (csv->at == csv->end)
    return gt_fail(csv->error, GT_ERR_DATA, "%s is empty; expected a text on each line", csv->path);
  bool labelled = form->lines == GT_CSV_LABELLED;
  if (!labelled) {
    const line_count n = count_lines(csv);
    labelled = n.with_tab == n.lines;
    log_parts(csv, n);
  }
  csv->lines = true;
  csv->header = true; /* no line has been read yet: gt_table_read_with must not store csv->record */
  csv->decimal = '.';
  csv->columns = labelled ? 2 : 1;
  csv->names = gt_arena_copy(&csv->arena, names + !labelled, (size_t)csv->columns * sizeof *names);
  gt_csv_set_delimiter(csv, '\t');
  return true;
}

static gt_cell cell_of(const gt_cell *line, const char *from, const char *to) {
  gt_cell cell = *line;
  cell.column += (uint32_t)(from - line->text);
  cell.text = from;
  cell.length = (uint32_t)(to - from);
  return cell;
}

/* Splits a line into the label, without the blanks around it, and the text after the tab. */
static bool split_line(gt_csv *csv, const gt_cell *line) {
  const char *from = line->text, *end = from + line->length, *tab = memchr(from, '\t', line->length);
  if (!tab) return gt_csv_fail(csv, line, "this line has no tab; " EXPECTED);
  const char *to = tab;
  while (from < to && is_blank(*from)) from++;
  while (to > from && is_blank(to[-1])) to--;
  if (from == to) return gt_csv_fail(csv, line, "this line has no label before its tab; " EXPECTED);
  *GT_PUSH(&csv->record) = cell_of(line, from, to);
  *GT_PUSH(&csv->record) = cell_of(line, tab + 1, end);
  return true;
}

int gt_csv_read_line(gt_csv *csv) {
  csv->record.count = 0;
  if (csv->at >= csv->end) return 0;
  const char *start = csv->at;
  gt_cell line = {.text = start, .column = (uint32_t)(start - csv->line_start + 1), .line = csv->line};
  gt_csv_skip_line(csv);
  const char *end = csv->at;
  while (end > start && is_line_end(end[-1])) end--;
  if (end - start > GT_CSV_MAX_CELL) {
    gt_csv_fail(csv, &line, "this line is longer than 1 MiB");
    return -1;
  }
  line.length = (uint32_t)(end - start);
  if (csv->columns > 1) {
    if (!split_line(csv, &line)) return -1;
  } else {
    *GT_PUSH(&csv->record) = line;
  }
  const gt_cell *text = &csv->record.items[csv->columns - 1];
  uint32_t blanks = 0;
  while (blanks < text->length && is_blank(text->text[blanks])) blanks++;
  if (blanks < text->length) return 1;
  gt_csv_fail(csv, text, "the text of this line is empty");
  return -1;
}
