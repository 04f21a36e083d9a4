/* CSV: decides whether the first line is a header, by comparing it with the rows below it. */
#include "data/table/csv_layout.h"
#include "base/log.h"
#include "base/memory.h"
#include <math.h>

enum { MAX_COMPARED = 1000 }; /* columns that are compared */

static bool is_number(const gt_csv *csv, const gt_cell *cell) {
  double value;
  return gt_csv_parse(csv, cell, &value);
}

static bool is_text(const gt_csv *csv, const gt_cell *cell) {
  return cell->length && !is_number(csv, cell) && !gt_cell_is_missing(cell);
}

static bool is_number_text(const char *text) {
  double value;
  return gt_parse_number(text, strlen(text), '.', &value);
}

/* True if the line contains a name from the list that is not a number, or if all names are numbers and the
 * line contains all of them. A single number may match by chance. */
static bool has_known_name(const gt_csv *csv, gt_strings known) {
  int found = 0;
  for (int i = 0; i < known.count; i++) {
    if (gt_csv_find(csv, known.items[i]) < 0) continue;
    if (!is_number_text(known.items[i])) return true;
    found++;
  }
  return found > 1 && found == known.count &&
         !gt_csv_are_column_numbers(known.items, known.count, csv->columns);
}

/* --- a first line of numbers --- */

/* True if the numbers of the row look like years, column numbers or wavelengths: whole and increasing (if
 * there are only two, consecutive), or at equal distances. */
static bool is_progression(const gt_csv *csv, const gt_csv_sample *sample, size_t row) {
  double first = 0, last = 0, step = 0, value;
  int numbers = 0;
  bool whole = true, increasing = true, equidistant = true;
  for (int c = 0; c < sample->columns; c++) {
    const gt_cell *cell = gt_csv_sample_cell(sample, row, c);
    if (!cell || !gt_csv_parse(csv, cell, &value)) continue;
    whole &= value == floor(value) && value >= 0;
    increasing &= !numbers || value > last;
    if (numbers == 1) step = value - last;
    equidistant &= numbers < 2 || fabs(value - last - step) <= 0.01 * fabs(step);
    if (!numbers++) first = value;
    last = value;
  }
  if (numbers == 2) return whole && last == first + 1;
  return numbers > 2 && ((whole && increasing) || (equidistant && step != 0));
}

/* --- a first line with texts --- */

typedef struct evidence {
  bool numbers;      /* the first line has numbers */
  int texts;         /* number of its cells that are text; of these: */
  int above_numbers; /* with only numbers below them */
  int repeated;      /* whose text occurs again in the column */
  int unique;        /* whose text occurs once, while all texts below occur more than once */
  int mostly_unique; /* whose text occurs once, while some texts below occur more than once */
} evidence;

/* True if a row other than 0 and `row` has the same cell in this column. */
static bool occurs(const gt_csv_sample *sample, const gt_cell *cell, size_t row, int column) {
  for (size_t i = 1; i < sample->rows.count; i++) {
    const gt_cell *other = gt_csv_sample_cell(sample, i, column);
    if (i != row && other && gt_cell_is_same(other, cell)) return true;
  }
  return false;
}

/* Adds the text in this column of the first line to the evidence. */
static void add_text(const gt_csv *csv, const gt_csv_sample *sample, int column, evidence *e) {
  int numbers = 0, texts = 0, repeated = 0;
  for (size_t i = 1; i < sample->rows.count; i++) {
    const gt_cell *cell = gt_csv_sample_cell(sample, i, column);
    if (!cell || !cell->length || gt_cell_is_missing(cell)) continue;
    if (is_number(csv, cell)) {
      numbers++;
      continue;
    }
    texts++;
    repeated += occurs(sample, cell, i, column);
  }
  e->texts++;
  e->above_numbers += numbers && !texts;
  if (!texts) return;
  if (occurs(sample, gt_csv_sample_cell(sample, 0, column), 0, column))
    e->repeated++;
  else if (texts > 2 && repeated == texts)
    e->unique++;
  else if (texts > 2 && repeated)
    e->mostly_unique++;
}

static evidence evidence_of(const gt_csv *csv, const gt_csv_sample *sample) {
  evidence e = {0};
  for (int c = 0; c < sample->columns && c < MAX_COMPARED; c++) {
    const gt_cell *cell = gt_csv_sample_cell(sample, 0, c);
    if (is_number(csv, cell))
      e.numbers = true;
    else if (is_text(csv, cell))
      add_text(csv, sample, c, &e);
  }
  for (int c = MAX_COMPARED; c < sample->columns && !e.numbers; c++)
    e.numbers = is_number(csv, gt_csv_sample_cell(sample, 0, c));
  return e;
}

static void set_doubt(gt_csv *csv, const gt_csv_sample *sample, const char *what) {
  csv->doubt = gt_arena_printf(&csv->arena, "%s:%u:1: %s; set data.header to true or false to decide",
                               csv->path, sample->rows.items[0].line, what);
}

bool gt_csv_has_header(gt_csv *csv, const gt_csv_form *form, const gt_csv_sample *sample) {
  if (sample->row_names) return true;
  if (!sample->rows.count || (form->header != GT_CSV_AUTO && !form->is_trained))
    return form->header == GT_CSV_HEADER;
  if (form->header == GT_CSV_NO_HEADER) return false;
  for (int i = 0; i < GT_CSV_KNOWN; i++)
    if (has_known_name(csv, form->known[i])) return true;
  const evidence e = evidence_of(csv, sample);
  if (form->header == GT_CSV_HEADER) return !e.numbers;
  if (!e.texts) {
    if (e.numbers && is_progression(csv, sample, 0) &&
        (sample->rows.count < 2 || !is_progression(csv, sample, 1)))
      set_doubt(csv, sample, "this line of rising numbers is read as a sample, not as a header");
    return false;
  }
  if (!e.numbers) {
    if (e.above_numbers || e.repeated < e.texts) return true;
    set_doubt(csv, sample,
              "this line is read as a sample, not as a header, because its texts occur again below");
    return false;
  }
  if (e.above_numbers && !e.repeated) {
    gt_info("%s:%u:1: this line is the header, because it has text above numbers", csv->path,
            sample->rows.items[0].line);
    return true;
  }
  if (e.unique && !e.repeated) {
    set_doubt(csv, sample, "this line is read as a header, because its text occurs only once in its column");
    return true;
  }
  if (e.above_numbers || (e.mostly_unique && !e.repeated))
    set_doubt(csv, sample, "this line is read as a sample, but it may be a header");
  return false;
}
