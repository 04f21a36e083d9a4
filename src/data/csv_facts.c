/* CSV: facts about the cells of each column. */
#include "data/csv_facts.h"
#include "base/memory.h"
#include "base/text.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

static const gt_csv_facts no_cells = {.least = DBL_MAX, .largest = -DBL_MAX, .whole = true, .counts = true};

void gt_csv_facts_start(gt_csv *csv) {
  const size_t count = (size_t)csv->inputs + (size_t)csv->targets;
  csv->fact_count = (int)count;
  csv->facts = gt_alloc((count + 1) * sizeof *csv->facts);
  for (size_t i = 0; i < count; i++) csv->facts[i] = no_cells;
}

void gt_csv_facts_finish(gt_csv_facts *facts) {
  if (!facts->odd) return;
  free(facts->odd->text);
  free(facts->odd->slot);
  free(facts->odd);
  facts->odd = NULL;
}

enum { FEW = 8 };

/* The slot of the text, or the empty one where it belongs. The number of slots is a power of two. */
static int32_t *slot_of(const gt_csv_odd *odd, const gt_cell *cell) {
  const size_t mask = odd->slots - 1;
  size_t i = gt_hash(GT_HASH_START, cell->text, cell->length) & mask;
  while (odd->slot[i] >= 0 && !gt_cell_is_same(&odd->text[odd->slot[i]].first, cell)) i = (i + 1) & mask;
  return &odd->slot[i];
}

static int find_text(const gt_csv_odd *odd, const gt_cell *cell) {
  if (odd->slot) return *slot_of(odd, cell);
  for (int i = 0; i < odd->distinct; i++)
    if (gt_cell_is_same(&odd->text[i].first, cell)) return i;
  return -1;
}

static void add_slots(gt_csv_odd *odd) {
  odd->slots = 4 * (size_t)odd->capacity;
  free(odd->slot);
  odd->slot = gt_alloc(odd->slots * sizeof *odd->slot);
  for (size_t i = 0; i < odd->slots; i++) odd->slot[i] = -1;
  for (int i = 0; i < odd->distinct; i++) *slot_of(odd, &odd->text[i].first) = i;
}

/* Makes room for another text. The texts count against the memory limit of a compressed file. */
static void grow_texts(gt_csv *csv, gt_csv_odd *odd) {
  const int before = odd->capacity;
  odd->capacity = before ? 2 * before : 2;
  odd->text = gt_realloc(odd->text, (size_t)odd->capacity * sizeof *odd->text);
  csv->text_bytes += (uint64_t)(odd->capacity - before) * (sizeof *odd->text + 4 * sizeof *odd->slot);
  if (odd->capacity > FEW) add_slots(odd);
}

static uint32_t add_text(gt_csv *csv, gt_csv_odd *odd, const gt_cell *cell) {
  const int known = find_text(odd, cell);
  if (known >= 0) {
    odd->text[known].count++;
    return GT_CSV_CELL_TEXT + (uint32_t)known;
  }
  if (odd->distinct == GT_CSV_MAX_TEXTS) {
    odd->more = true;
    return GT_CSV_CELL_MORE;
  }
  if (odd->distinct == odd->capacity) grow_texts(csv, odd);
  odd->text[odd->distinct] = (gt_csv_text){*cell, 1};
  if (odd->slot) *slot_of(odd, cell) = odd->distinct;
  return GT_CSV_CELL_TEXT + (uint32_t)odd->distinct++;
}

uint32_t gt_csv_facts_odd(gt_csv *csv, gt_csv_facts *f, const gt_cell *cell, bool unfit) {
  if (!f->odd) f->odd = gt_alloc(sizeof *f->odd);
  if (f->odd->bads < GT_CSV_FIRST_BAD) f->odd->bad[f->odd->bads++] = *cell;
  f->counts = false;
  if (unfit) {
    f->unfit++;
    return GT_CSV_CELL_UNFIT;
  }
  if (gt_csv_is_missing(csv, cell)) {
    f->empty += !cell->length;
    f->missing += cell->length > 0;
    return cell->length ? GT_CSV_CELL_MISSING : GT_CSV_CELL_EMPTY;
  }
  f->texts++;
  return add_text(csv, f->odd, cell);
}

void gt_csv_facts_of_target(gt_csv *csv, int target) {
  double value;
  gt_csv_facts *f = &csv->facts[csv->inputs + target];
  gt_csv_facts_finish(f);
  *f = no_cells;
  for (size_t row = 0; row < csv->rows; row++) {
    const gt_cell *cell = &csv->target_cells.items[row * (size_t)csv->targets + (size_t)target];
    if (!gt_csv_parse(csv, cell, &value))
      gt_csv_facts_odd(csv, f, cell, false);
    else if (!isfinite((float)value))
      gt_csv_facts_odd(csv, f, cell, true);
    else
      gt_csv_facts_number(f, value, row);
  }
}
