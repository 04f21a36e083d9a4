/* CSV: reads the rows of a table on several threads. */
#include "base/memory.h"
#include "base/pool.h"
#include "data/table/csv_chunks.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct part { /* the rows of one chunk */
  gt_csv csv;         /* its arrays are slices of those of the table */
  gt_error error;
  bool ok;
  uint32_t **code; /* [inputs] from the part's codes of texts to the table's, NULL: the same; heap */
} part;

typedef struct reading reading;
typedef void (*step)(reading *r, uint32_t index);
struct reading {
  gt_csv *csv;
  gt_pool *pool;
  gt_csv_chunks chunks;
  part *part; /* [chunks]; heap */
  step step;
  _Atomic uint32_t failed; /* the first part with an error so far; UINT32_MAX: none */
};

static void run_tile(void *context, uint32_t index) {
  reading *r = context;
  r->step(r, index);
}

/* Runs a step for the indices 0 … count - 1 on the pool. */
static void run(reading *r, step function, size_t count) {
  r->step = function;
  gt_pool_run_ieee(r->pool, (uint32_t)count, run_tile, r);
}

/* --- before reading --- */

static void count_lines(reading *r, uint32_t index) {
  gt_csv_chunk *chunk = &r->chunks.items[index];
  chunk->lines = gt_csv_count_lines(chunk->at, chunk->end);
}

/* An upper bound for the rows of a chunk: each row has a line end (or the end of the file) and at least one
 * byte per column. */
static size_t max_rows(const gt_csv *csv, const gt_csv_chunk *chunk) {
  const size_t lines = chunk->lines + 1,
               by_size = (size_t)(chunk->end - chunk->at + 1) / (size_t)csv->columns;
  return lines < by_size ? lines : by_size;
}

/* Allocates arrays for the rows of all chunks. Pages that are never written need no memory. */
static void make_room(gt_csv *csv, size_t rows) {
  csv->capacity = rows;
  csv->values = gt_realloc(csv->values, rows * (size_t)csv->inputs * sizeof *csv->values + 1);
  gt_cells *targets = &csv->target_cells;
  targets->capacity = rows * (size_t)csv->targets;
  targets->items = gt_realloc(targets->items, targets->capacity * sizeof *targets->items + 1);
  for (int k = 0; k < GT_CSV_ROLES; k++) {
    if (csv->role_column[k] < 0) continue;
    csv->role_cells[k].capacity = rows;
    csv->role_cells[k].items = gt_realloc(csv->role_cells[k].items, rows * sizeof(gt_cell) + 1);
  }
}

/* Prepares a part: it reads chunk `index`, which begins in line `line`, into the table's arrays from row
 * `row`. */
static void start_part(reading *r, size_t index, size_t row, uint32_t line) {
  const gt_csv *csv = r->csv;
  const gt_csv_chunk *chunk = &r->chunks.items[index];
  part *p = &r->part[index];
  const size_t rows = max_rows(csv, chunk), targets = (size_t)csv->targets;
  p->csv = *csv;
  p->csv.error = &p->error;
  p->csv.at = p->csv.line_start = chunk->at;
  p->csv.end = chunk->end;
  p->csv.line = line;
  p->csv.comment = 0;
  p->csv.record = (gt_cells){0};
  p->csv.rows = 0;
  p->csv.capacity = rows;
  p->csv.values = csv->values + row * (size_t)csv->inputs;
  p->csv.target_cells = (gt_cells){csv->target_cells.items + row * targets, 0, rows * targets};
  for (int k = 0; k < GT_CSV_ROLES; k++)
    if (csv->role_column[k] >= 0) p->csv.role_cells[k] = (gt_cells){csv->role_cells[k].items + row, 0, rows};
}

static void start_parts(reading *r) {
  size_t rows = r->csv->rows;
  uint32_t line = r->csv->line;
  for (size_t i = 0; i < r->chunks.count; i++) rows += max_rows(r->csv, &r->chunks.items[i]);
  make_room(r->csv, rows);
  r->part = gt_alloc(r->chunks.count * sizeof *r->part);
  rows = r->csv->rows;
  for (size_t i = 0; i < r->chunks.count; i++) {
    start_part(r, i, rows, line);
    rows += max_rows(r->csv, &r->chunks.items[i]);
    line += (uint32_t)r->chunks.items[i].lines;
  }
}

/* --- reading --- */

/* Only the first error of the file is reported, so parts after a failed one are not read. */
static void read_part(reading *r, uint32_t index) {
  part *p = &r->part[index];
  uint32_t failed = atomic_load(&r->failed);
  gt_csv_facts_start(&p->csv);
  p->ok = index < failed && gt_csv_read_rows(&p->csv);
  free(p->csv.record.items);
  while (!p->ok && index < failed && !atomic_compare_exchange_weak(&r->failed, &failed, index)) continue;
}

/* --- after reading --- */

/* Merges the facts of a column from all parts. */
static void merge_column(reading *r, uint32_t role) {
  for (size_t i = 0; i < r->chunks.count; i++)
    r->part[i].code[role] = gt_csv_facts_merge(&r->csv->facts[role], &r->part[i].csv.facts[role]);
}

static void recode_column(gt_csv *csv, int role, const uint32_t *code) {
  float *value = csv->values + role;
  for (size_t row = 0; row < csv->rows; row++, value += csv->inputs) {
    const uint32_t old = isnan(*value) ? gt_csv_cell_code(*value) : 0;
    if (old >= GT_CSV_CELL_TEXT) *value = gt_csv_boxed(code[old - GT_CSV_CELL_TEXT]);
  }
}

/* Replaces a part's codes of texts by those of the table, one block of rows at a time, so that the block
 * stays in the cache. */
static void recode_part(reading *r, uint32_t index) {
  enum { BLOCK = 64 << 10 }; /* bytes */
  const part *p = &r->part[index];
  /* Rows of a block. inputs + 1, because a list of images has no inputs. */
  const size_t block = BLOCK / (sizeof(float) * ((size_t)p->csv.inputs + 1)) + 1;
  for (size_t row = 0; row < p->csv.rows; row += block) {
    gt_csv rows = p->csv;
    rows.values += row * (size_t)rows.inputs;
    rows.rows = p->csv.rows - row < block ? p->csv.rows - row : block;
    for (int role = 0; role < rows.inputs; role++)
      if (p->code[role]) recode_column(&rows, role, p->code[role]);
  }
}

static void append_cells(gt_cells *to, const gt_cells *from) {
  if (!from->count) return;
  memmove(to->items + to->count, from->items, from->count * sizeof *from->items);
  to->count += from->count;
}

/* Moves the rows of a part to the end of the table's: a part may have fewer rows than lines, which leaves a
 * gap. */
static void append_rows(gt_csv *csv, const gt_csv *from) {
  const size_t inputs = (size_t)csv->inputs;
  float *to = csv->values + csv->rows * inputs;
  if (to != from->values) memmove(to, from->values, from->rows * inputs * sizeof *to);
  csv->rows += from->rows;
  append_cells(&csv->target_cells, &from->target_cells);
  for (int k = 0; k < GT_CSV_ROLES; k++)
    if (csv->role_column[k] >= 0) append_cells(&csv->role_cells[k], &from->role_cells[k]);
}

/* Joins the parts. After an error: reports the first error, and keeps a comment line before it. */
static bool join(reading *r) {
  gt_csv *csv = r->csv;
  const uint32_t failed = atomic_load(&r->failed);
  for (size_t i = 0; i < r->chunks.count && i <= failed && !csv->comment; i++)
    csv->comment = r->part[i].csv.comment;
  if (failed < r->chunks.count)
    return gt_fail(csv->error, r->part[failed].error.status, "%s", r->part[failed].error.message);
  for (size_t i = 0; i < r->chunks.count; i++)
    r->part[i].code = gt_alloc((size_t)csv->inputs * sizeof *r->part[i].code + 1);
  run(r, merge_column, (size_t)csv->inputs);
  run(r, recode_part, r->chunks.count);
  for (size_t i = 0; i < r->chunks.count; i++) append_rows(csv, &r->part[i].csv);
  csv->at = csv->end;
  return true;
}

static void finish(reading *r) {
  for (size_t i = 0; r->part && i < r->chunks.count; i++) {
    part *p = &r->part[i];
    for (int k = 0; k < p->csv.fact_count; k++) gt_csv_facts_finish(&p->csv.facts[k]);
    for (int k = 0; p->code && k < p->csv.inputs; k++) free(p->code[k]);
    free(p->csv.facts);
    free(p->code);
  }
  free(r->part);
  free(r->chunks.items);
  gt_pool_destroy(r->pool);
}

/* True if no column of a chunk can have more texts than are kept: others would have no code to translate. */
static bool fits_codes(const reading *r) {
  for (size_t i = 0; i < r->chunks.count; i++)
    if (max_rows(r->csv, &r->chunks.items[i]) > GT_CSV_MAX_TEXTS) return false;
  return true;
}

/* A compressed file is read on one thread, because its memory limit is checked row by row. */
bool gt_csv_read_chunks(gt_csv *csv, int threads, size_t chunk) {
  reading r = {.csv = csv, .failed = UINT32_MAX};
  const int max_threads = threads ? threads : gt_pool_default_threads();
  const bool large = (size_t)(csv->end - csv->at) >= 2 * chunk;
  if (!large || max_threads < 2 || csv->memory < UINT64_MAX) return gt_csv_read_rows(csv);
  gt_csv_cut(csv, chunk, &r.chunks);
  r.pool = gt_pool_create(threads);
  run(&r, count_lines, r.chunks.count);
  bool ok = false;
  if (r.chunks.count < 2 || !fits_codes(&r)) {
    ok = gt_csv_read_rows(csv);
  } else {
    start_parts(&r);
    run(&r, read_part, r.chunks.count);
    ok = join(&r);
  }
  finish(&r);
  return ok;
}
