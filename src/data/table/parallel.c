/* CSV: reads the rows of a table on several threads. */
#include "base/memory.h"
#include "base/pool.h"
#include "data/table/csv_chunks.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct part { /* the rows of one chunk */
  gt_table_file file; /* its arrays are slices of those of the table */
  gt_error error;
  bool ok;
  uint32_t **code; /* [columns] from the part's codes of texts to the table's, NULL: the same; heap */
} part;

typedef struct reading reading;
typedef void (*step)(reading *r, uint32_t index);
struct reading {
  gt_table_file *file;
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

/* Prepares a part: it reads chunk `index`, which begins in line `line`, into the table's arrays from row
 * `row`. */
static void start_part(reading *r, size_t index, size_t row, uint32_t line) {
  const gt_table_file *file = r->file;
  const gt_csv_chunk *chunk = &r->chunks.items[index];
  part *p = &r->part[index];
  gt_csv *csv = &p->file.csv;
  p->file = *file;
  csv->error = &p->error;
  csv->at = csv->line_start = chunk->at;
  csv->end = chunk->end;
  csv->line = line;
  csv->record = (gt_cells){0};
  csv->unescaped = (gt_csv_unescaped_cells){0};
  p->file.comment = 0;
  p->file.rows = 0;
  p->file.capacity = max_rows(csv, chunk);
  p->file.column = NULL;
  p->file.values += row * (size_t)file->inputs;
  p->file.other += row * (size_t)file->others;
  p->file.cells += row * (size_t)file->cell_columns;
  p->file.line += row;
}

/* Allocates arrays for the rows of all chunks. Pages that are never written need no memory. */
static void start_parts(reading *r) {
  const gt_csv *csv = &r->file->csv;
  size_t rows = r->file->rows;
  uint32_t line = csv->line;
  for (size_t i = 0; i < r->chunks.count; i++) rows += max_rows(csv, &r->chunks.items[i]);
  gt_table_make_room(r->file, rows);
  r->part = gt_alloc(r->chunks.count * sizeof *r->part);
  rows = r->file->rows;
  for (size_t i = 0; i < r->chunks.count; i++) {
    start_part(r, i, rows, line);
    rows += max_rows(csv, &r->chunks.items[i]);
    line += (uint32_t)r->chunks.items[i].lines;
  }
}

/* --- reading --- */

/* Only the first error of the file is reported, so parts after a failed one are not read. */
static void read_part(reading *r, uint32_t index) {
  part *p = &r->part[index];
  uint32_t failed = atomic_load(&r->failed);
  const size_t columns = (size_t)p->file.columns;
  p->file.column = gt_alloc(columns * sizeof *p->file.column + 1);
  if (columns) memcpy(p->file.column, r->file->column, columns * sizeof *p->file.column);
  gt_facts_start(&p->file);
  p->ok = index < failed && gt_table_read_rows(&p->file);
  free(p->file.csv.record.items);
  while (!p->ok && index < failed && !atomic_compare_exchange_weak(&r->failed, &failed, index)) continue;
}

/* --- after reading --- */

/* Merges the facts of a column from all parts. */
static void merge_column(reading *r, uint32_t column) {
  for (size_t i = 0; i < r->chunks.count; i++)
    r->part[i].code[column] = gt_facts_merge(&r->file->column[column], &r->part[i].file.column[column]);
}

/* Replaces the codes of texts by those of the table in `rows` values of a column, `stride` apart. */
static void recode_column(const gt_table_column *column, float *value, size_t rows, int stride,
                          const uint32_t *code) {
  for (size_t row = 0; row < rows; row++, value += stride) {
    const uint32_t old = gt_value_code(column, *value);
    if (old < GT_CELL_TEXT || old == GT_CELL_NUMBER) continue;
    if (column->reading == GT_READ_CODES)
      memcpy(value, &code[old - GT_CELL_TEXT], sizeof *value);
    else
      *value = gt_cell_boxed(code[old - GT_CELL_TEXT]);
  }
}

/* Replaces a part's codes of texts by those of the table, one block of rows at a time, so that the block
 * stays in the cache. */
static void recode_part(reading *r, uint32_t index) {
  enum { BLOCK = 64 << 10 }; /* bytes */
  const part *p = &r->part[index];
  const gt_table_file *file = &p->file;
  const size_t block = BLOCK / (sizeof(float) * (size_t)(file->inputs + file->others + 1)) + 1; /* rows */
  for (size_t row = 0; row < file->rows; row += block) {
    const size_t rows = file->rows - row < block ? file->rows - row : block;
    for (int i = 0; i < file->columns; i++) {
      const gt_table_column *c = &file->column[i];
      const int stride = c->use == GT_USE_INPUT ? file->inputs : file->others;
      float *value = (c->use == GT_USE_INPUT ? file->values : file->other) + row * (size_t)stride + c->place;
      if (p->code[i]) recode_column(c, value, rows, stride, p->code[i]);
    }
  }
}

/* Moves the rows of a part to the end of the table's: a part may have fewer rows than lines, which leaves a
 * gap. */
static void append_rows(gt_table_file *to, const gt_table_file *from) {
  gt_table_move_rows(to, to->rows, from, 0, from->rows);
  for (size_t i = 0; i < from->csv.unescaped.count; i++)
    *GT_PUSH(&to->csv.unescaped) = from->csv.unescaped.items[i];
  to->rows += from->rows;
}

/* Joins the parts. After an error: reports the first error, and keeps a comment line before it. */
static bool join(reading *r) {
  gt_table_file *file = r->file;
  const uint32_t failed = atomic_load(&r->failed);
  for (size_t i = 0; i < r->chunks.count && i <= failed && !file->comment; i++)
    file->comment = r->part[i].file.comment;
  if (failed < r->chunks.count)
    return gt_fail(file->csv.error, r->part[failed].error.status, "%s", r->part[failed].error.message);
  for (size_t i = 0; i < r->chunks.count; i++)
    r->part[i].code = gt_alloc((size_t)file->columns * sizeof *r->part[i].code + 1);
  run(r, merge_column, (size_t)file->columns);
  run(r, recode_part, r->chunks.count);
  for (size_t i = 0; i < r->chunks.count; i++) append_rows(file, &r->part[i].file);
  file->csv.at = file->csv.end;
  return true;
}

static void finish(reading *r) {
  for (size_t i = 0; r->part && i < r->chunks.count; i++) {
    part *p = &r->part[i];
    for (int k = 0; k < p->file.columns && p->file.column; k++) gt_facts_finish(&p->file.column[k].facts);
    for (int k = 0; p->code && k < p->file.columns; k++) free(p->code[k]);
    free(p->file.column);
    free(p->file.csv.unescaped.items);
    free(p->code);
  }
  free(r->part);
  free(r->chunks.items);
  gt_pool_destroy(r->pool);
}

/* A compressed file is read on one thread, because its memory limit is checked row by row. */
bool gt_table_read_chunks(gt_table_file *file, int threads, size_t chunk) {
  reading r = {.file = file, .failed = UINT32_MAX};
  const int max_threads = threads ? threads : gt_pool_default_threads();
  const bool large = (size_t)(file->csv.end - file->csv.at) >= 2 * chunk;
  if (!large || max_threads < 2 || file->memory < UINT64_MAX) return gt_table_read_rows(file);
  gt_csv_cut(&file->csv, chunk, &r.chunks);
  r.pool = gt_pool_create(threads);
  run(&r, count_lines, r.chunks.count);
  bool ok = false;
  if (r.chunks.count < 2) {
    ok = gt_table_read_rows(file);
  } else {
    start_parts(&r);
    run(&r, read_part, r.chunks.count);
    ok = join(&r);
  }
  finish(&r);
  return ok;
}
