/* Tables: facts about the cells of each column. */
#include "base/fingerprint.h"
#include "base/memory.h"
#include "data/table/table.h"
#include <float.h>
#include <stdlib.h>

const gt_column_facts gt_no_cells = {.least = DBL_MAX, .largest = -DBL_MAX, .whole = true, .counts = true};

void gt_facts_start(gt_table_file *file) {
  for (int i = 0; i < file->columns; i++) file->column[i].facts = gt_no_cells;
}

void gt_facts_finish(gt_column_facts *facts) {
  free(facts->dictionary.text);
  free(facts->dictionary.slot);
  free(facts->dictionary.cells);
  free(facts->dictionary.value);
  facts->dictionary = (gt_texts){0};
}

/* --- texts --- */

enum {
  SHORT = 12,      /* bytes of the longest text that fits into a slot */
  LONG = SHORT + 1 /* gt_text_slot.length of a longer text */
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
static gt_text_slot slot_for(const gt_cell *cell) {
  const char *at = cell->text, *end = at + cell->length;
  const uint32_t n = cell->length;
  if (n > SHORT) return (gt_text_slot){gt_fingerprint(0, at, n), n, 0, LONG};
  if (n >= 8) return (gt_text_slot){load8(at), load4(end - 4), 0, n & 15};
  if (n >= 4) return (gt_text_slot){load4(at), load4(end - 4), 0, n & 15};
  return (gt_text_slot){(unsigned char)*at, (uint32_t)(unsigned char)at[n / 2] << 8 | (unsigned char)end[-1],
                        0, n & 15};
}

static bool is_same(const gt_texts *texts, const gt_text_slot *slot, const gt_text_slot *key,
                    const gt_cell *cell) {
  return slot->head == key->head && slot->tail == key->tail && slot->length == key->length &&
         (slot->length < LONG || gt_cell_is_same(&texts->text[slot->text], cell));
}

/* The slot of the text, or the empty slot for it. The number of slots is a power of two. cell: NULL if the
 * text is known to be new. */
static gt_text_slot *find_slot(const gt_texts *texts, const gt_text_slot *key, const gt_cell *cell) {
  const size_t mask = 2 * (size_t)texts->capacity - 1;
  uint64_t hash = (key->head + key->length) * 0x9E3779B97F4A7C15 ^ key->tail * 0xC2B2AE3D27D4EB4F;
  hash ^= hash >> 32;
  size_t i = hash & mask;
  while (texts->slot[i].length && !(cell && is_same(texts, &texts->slot[i], key, cell))) i = (i + 1) & mask;
  return &texts->slot[i];
}

/* Makes room for another text. *bytes: size of the memory for texts, which the limit for a compressed file
 * includes. */
static void grow_texts(gt_texts *texts, uint64_t *bytes) {
  gt_text_slot *before = texts->slot;
  const size_t count = 2 * (size_t)texts->capacity;
  texts->capacity = texts->capacity ? 2 * texts->capacity : 2;
  texts->text = gt_realloc(texts->text, (size_t)texts->capacity * sizeof *texts->text);
  texts->slot = gt_alloc(2 * (size_t)texts->capacity * sizeof *texts->slot);
  *bytes += ((uint64_t)texts->capacity - count / 2) * (sizeof *texts->text + 2 * sizeof *texts->slot);
  for (size_t i = 0; i < count; i++)
    if (before[i].length) *find_slot(texts, &before[i], NULL) = before[i];
  free(before);
}

uint32_t gt_text_code(gt_table_column *column, const gt_cell *cell, uint64_t *bytes) {
  gt_texts *texts = &column->facts.dictionary;
  gt_text_slot key = slot_for(cell);
  const gt_text_slot *known = texts->capacity ? find_slot(texts, &key, cell) : NULL;
  if (known && known->length) return GT_CELL_TEXT + known->text;
  if (texts->distinct == (column->reading == GT_READ_CODES ? GT_TABLE_MAX_CODES : GT_TABLE_MAX_TEXTS)) {
    column->facts.more = true;
    return GT_CELL_MORE;
  }
  if (texts->distinct == texts->capacity) grow_texts(texts, bytes);
  texts->text[texts->distinct] = *cell;
  key.text = (uint32_t)texts->distinct++ & 0xFFFFFFF;
  *find_slot(texts, &key, NULL) = key;
  return GT_CELL_TEXT + key.text;
}

/* --- cells --- */

int gt_cell_digits(const gt_cell *cell) {
  int value = 0;
  if (!cell->length || cell->length > 3) return -1;
  for (uint32_t i = 0; i < cell->length; i++) {
    if (cell->text[i] < '0' || cell->text[i] > '9') return -1;
    value = value * 10 + (cell->text[i] - '0');
  }
  return value;
}

uint32_t gt_facts_text(gt_table_file *file, gt_table_column *column, const gt_cell *cell) {
  gt_column_facts *f = &column->facts;
  const bool is_missing = column->reading != GT_READ_CODES && gt_csv_is_missing(&file->csv, cell);
  f->counts = false;
  f->empty += !cell->length;
  f->missing += is_missing && cell->length;
  f->texts += !is_missing && cell->length;
  if (!cell->length) return GT_CELL_EMPTY;
  if (is_missing && (column->use != GT_USE_TARGET || file->csv.missing)) return GT_CELL_MISSING;
  return gt_text_code(column, cell, &file->text_bytes);
}

/* Returns the codes in `to` of the texts of `from`; NULL if they are the same in both. */
static uint32_t *merge_texts(gt_table_column *to, const gt_texts *from) {
  uint64_t bytes = 0;
  bool same = true;
  uint32_t *code = gt_alloc((size_t)from->distinct * sizeof *code + 1);
  for (int i = 0; i < from->distinct; i++) {
    code[i] = gt_text_code(to, &from->text[i], &bytes);
    same &= code[i] == GT_CELL_TEXT + (uint32_t)i;
  }
  if (!same) return code;
  free(code);
  return NULL;
}

uint32_t *gt_facts_merge(gt_table_column *column, gt_table_column *part) {
  gt_column_facts *to = &column->facts, *from = &part->facts;
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
  if (to->dictionary.distinct) {
    code = merge_texts(column, &from->dictionary);
    gt_facts_finish(from);
  } else {
    to->dictionary = from->dictionary;
    from->dictionary = (gt_texts){0};
  }
  return code;
}
