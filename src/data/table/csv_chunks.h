/* Reads a table on several threads: the text is cut into chunks at line ends outside quotes (csv_chunks.c),
 * each chunk is read by a gt_table_file of its own, and their rows and facts are joined in the order of the
 * file (parallel.c). Only src/data/table includes this header. */
#ifndef GT_DATA_CSV_CHUNKS_H
#define GT_DATA_CSV_CHUNKS_H
#include "data/table/table.h"

typedef struct gt_csv_chunk {
  char *at, *end; /* whole records; of the last chunk up to the end of the file */
  size_t lines;   /* line ends in it */
} gt_csv_chunk;

typedef struct gt_csv_chunks {
  gt_csv_chunk *items; /* heap */
  size_t count, capacity;
} gt_csv_chunks;

/* Cuts the text from csv->at, the beginning of a record, into chunks of about `size` bytes; `lines` is not
 * set. After a cell with wrong quotes, a cut may be inside quotes, but reading stops with an error at that
 * cell. */
void gt_csv_cut(const gt_csv *csv, size_t size, gt_csv_chunks *out);
/* Counts the line ends (LF, CR, CRLF) from `at` to `end`, neither of which may be inside a CRLF. */
size_t gt_csv_count_lines(const char *at, const char *end);

/* Reads the records from csv->at to csv->end: values, cells and facts. The result and the error are those of
 * gt_table_read_rows for all `threads` (0: the default of gt_pool) and `chunk` sizes (bytes). */
bool gt_table_read_chunks(gt_table_file *file, int threads, size_t chunk);
/* Reads the records on this thread. */
bool gt_table_read_rows(gt_table_file *file);
/* gt_table_read with a choice of threads and chunk size, for tests. */
bool gt_table_read_with(gt_table_file *file, int threads, size_t chunk);
/* Allocates arrays for this many rows. */
void gt_table_make_room(gt_table_file *file, size_t rows);
#endif
