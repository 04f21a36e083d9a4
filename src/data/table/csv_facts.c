/* CSV: facts about the cells of each column. */
#include "data/table/csv_facts.h"
#include "base/fingerprint.h"
#include "base/memory.h"
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

/* --- texts --- */

enum {
  SHORT = 12,      /* bytes of the longest text that fits into a slot */
  LONG = SHORT + 1 /* gt_csv_slot.length of a longer text */
};

static uint64_t load8(const char *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static uint32_t load4(const char *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

/* The key of a text as a slot without an index: for a short text its bytes (the two loads may overlap), which
 * identify it; for a long text its hash. */
static gt_csv_slot slot_for(const gt_cell *cell) {
  const char *at = cell->text, *end = at + cell->length;
  const uint32_t n = cell->length;
  if (n > SHORT) return (gt_csv_slot){gt_fingerprint(0, at, n), n, 0, LONG};
  if (n >= 8) return (gt_csv_slot){load8(at), load4(end - 4), 0, n};
  if (n >= 4) return (gt_csv_slot){load4(at), load4(end - 4), 0, n};
  return (gt_csv_slot){(unsigned char)*at, (uint32_t)(unsigned char)at[n / 2] << 8 | (unsigned char)end[-1],
                       0, n};
}

static bool is_same(const gt_csv_odd *odd, const gt_csv_slot *slot, const gt_csv_slot *key,
                    const gt_cell *cell) {
  return slot->head == key->head && slot->tail == key->tail && slot->length == key->length &&
         (slot->length < LONG || gt_cell_is_same(&odd->text[slot->text], cell));
}

/* The slot of the text, or the empty slot for it. The number of slots is a power of two. cell: NULL if the
 * text is known to be new. */
static gt_csv_slot *find_slot(const gt_csv_odd *odd, const gt_csv_slot *key, const gt_cell *cell) {
  const size_t mask = odd->slots - 1;
  uint64_t hash = (key->head + key->length) * 0x9E3779B97F4A7C15 ^ key->tail * 0xC2B2AE3D27D4EB4F;
  hash ^= hash >> 32;
  size_t i = hash & mask;
  while (odd->slot[i].length && !(cell && is_same(odd, &odd->slot[i], key, cell))) i = (i + 1) & mask;
  return &odd->slot[i];
}

static void add_slots(gt_csv_odd *odd) {
  gt_csv_slot *before = odd->slot;
  const size_t count = odd->slots;
  odd->slots = 2 * (size_t)odd->capacity;
  odd->slot = gt_alloc(odd->slots * sizeof *odd->slot);
  for (size_t i = 0; i < count; i++)
    if (before[i].length) *find_slot(odd, &before[i], NULL) = before[i];
  free(before);
}

/* Makes room for another text. *bytes: size of the memory for texts, which the limit for a compressed file
 * includes. */
static void grow_texts(gt_csv_odd *odd, uint64_t *bytes) {
  const int before = odd->capacity;
  odd->capacity = before ? 2 * before : 2;
  odd->text = gt_realloc(odd->text, (size_t)odd->capacity * sizeof *odd->text);
  *bytes += (uint64_t)(odd->capacity - before) * (sizeof *odd->text + 2 * sizeof *odd->slot);
  add_slots(odd);
}

/* The code of a text; adds a new text. */
static uint32_t code_of(gt_csv_odd *odd, const gt_cell *cell, uint64_t *bytes) {
  gt_csv_slot key = slot_for(cell);
  const gt_csv_slot *known = odd->slots ? find_slot(odd, &key, cell) : NULL;
  if (known && known->length) return GT_CSV_CELL_TEXT + known->text;
  if (odd->distinct == GT_CSV_MAX_TEXTS) {
    odd->more = true;
    return GT_CSV_CELL_MORE;
  }
  if (odd->distinct == odd->capacity) grow_texts(odd, bytes);
  odd->text[odd->distinct] = *cell;
  key.text = (uint32_t)odd->distinct++;
  *find_slot(odd, &key, NULL) = key;
  return GT_CSV_CELL_TEXT + key.text;
}

/* --- cells --- */

uint32_t gt_csv_facts_odd(gt_csv *csv, gt_csv_facts *f, const gt_cell *cell, bool unfit) {
  if (!f->odd) f->odd = gt_alloc(sizeof *f->odd);
  if (f->odd->bads < GT_CSV_FIRST_BAD) f->odd->bad[f->odd->bads++] = *cell;
  f->counts = false;
  if (unfit) {
    f->unfit++;
    return GT_CSV_CELL_UNFIT;
  }
  if (gt_csv_is_missing(csv, cell)) {
    if (!f->odd->gap.line) f->odd->gap = *cell;
    f->empty += !cell->length;
    f->missing += cell->length > 0;
    return cell->length ? GT_CSV_CELL_MISSING : GT_CSV_CELL_EMPTY;
  }
  f->texts++;
  return code_of(f->odd, cell, &csv->text_bytes);
}

/* Returns the codes in `to` of the texts of `from`; NULL if they are the same in both. */
static uint32_t *merge_texts(gt_csv_odd *to, const gt_csv_odd *from) {
  uint64_t bytes = 0;
  bool same = true;
  uint32_t *code = gt_alloc((size_t)from->distinct * sizeof *code + 1);
  for (int i = 0; i < from->distinct; i++) {
    code[i] = code_of(to, &from->text[i], &bytes);
    same &= code[i] == GT_CSV_CELL_TEXT + (uint32_t)i;
  }
  for (int i = 0; i < from->bads && to->bads < GT_CSV_FIRST_BAD; i++) to->bad[to->bads++] = from->bad[i];
  if (!to->gap.line) to->gap = from->gap;
  if (!same) return code;
  free(code);
  return NULL;
}

uint32_t *gt_csv_facts_merge(gt_csv_facts *to, gt_csv_facts *from) {
  uint32_t *code = NULL;
  to->counts &= from->counts && !(to->numbers && from->numbers && from->least - to->largest != 1);
  to->whole &= from->whole;
  if (from->least < to->least) to->least = from->least;
  if (from->largest > to->largest) to->largest = from->largest;
  to->numbers += from->numbers;
  to->unfit += from->unfit;
  to->empty += from->empty;
  to->missing += from->missing;
  to->texts += from->texts;
  if (to->odd && from->odd) {
    code = merge_texts(to->odd, from->odd);
    gt_csv_facts_finish(from);
  } else if (from->odd) {
    to->odd = from->odd;
    from->odd = NULL;
  }
  return code;
}

void gt_csv_facts_of_target(gt_csv *csv, int target) {
  double value;
  gt_csv_facts *f = &csv->facts[csv->inputs + target];
  gt_csv_facts_finish(f);
  *f = no_cells;
  for (size_t row = 0; row < csv->rows; row++) {
    const gt_cell *cell = &csv->target_cells.items[row * (size_t)csv->targets + (size_t)target];
    if (gt_csv_lacks_target(csv, cell) || !gt_csv_parse(csv, cell, &value))
      gt_csv_facts_odd(csv, f, cell, false);
    else if (!isfinite((float)value))
      gt_csv_facts_odd(csv, f, cell, true);
    else
      gt_csv_facts_number(f, value);
  }
}
