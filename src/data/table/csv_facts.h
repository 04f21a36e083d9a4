/* Statistics about the cells of each column of a CSV, collected in the pass that reads the file
 * (gt_csv_read). csv_typed.c decides from them after the pass whether a column is numbers, categories, dates,
 * left out or an error; messages quote them.
 *
 * csv->facts has one entry per used column, by its role: the inputs, then the targets. After gt_csv_read has
 * returned true, for each of them:
 *   cells == numbers + unfit + empty + missing + texts
 * In csv->values, a cell that is not a number is a NaN whose payload says what it is (gt_csv_cell_code).
 * Cells point into the file's bytes and are valid until gt_csv_close. Memory is allocated only for columns
 * with cells that are not numbers. */
#ifndef GT_DATA_CSV_FACTS_H
#define GT_DATA_CSV_FACTS_H
#include "data/table/csv.h"

enum {
  GT_CSV_FIRST_BAD = 3, /* this many of the first cells that are not numbers are kept for messages */
  /* Codes of cells that are not numbers. */
  GT_CSV_CELL_UNFIT = 0, /* a number that does not fit its column */
  GT_CSV_CELL_EMPTY,
  GT_CSV_CELL_MISSING, /* a word for a missing value */
  GT_CSV_CELL_MORE,    /* a text beyond GT_CSV_MAX_TEXTS */
  GT_CSV_CELL_TEXT,    /* GT_CSV_CELL_TEXT + i: text i of the column (gt_csv_odd.text) */
  GT_CSV_MAX_TEXTS = (1 << 22) - GT_CSV_CELL_TEXT /* distinct texts of a column that are kept */
};

typedef struct gt_csv_slot { /* of the hash table of a column's texts (slot_for in csv_facts.c) */
  uint64_t head;
  uint32_t tail;
  uint32_t text : 22, length : 10; /* text: index; length 0: the slot is empty */
} gt_csv_slot;

typedef struct gt_csv_odd { /* the cells of a column that are not numbers; its size grows with their number */
  gt_cell bad[GT_CSV_FIRST_BAD]; /* [bads] the first cells of the file that are not numbers */
  int bads;
  gt_cell gap;   /* the first missing value; line 0: none */
  gt_cell *text; /* [distinct] the first cell with each text, in order of appearance; heap */
  int distinct, capacity;
  bool more;         /* there are more than GT_CSV_MAX_TEXTS distinct texts */
  gt_csv_slot *slot; /* [slots] hash table; heap */
  size_t slots;
} gt_csv_odd;

typedef struct gt_csv_facts {
  uint64_t numbers;      /* cells that are numbers and fit the column */
  uint64_t unfit;        /* numbers too large for a float, or not a whole number where the input needs one */
  uint64_t empty;        /* cells without text */
  uint64_t missing;      /* words for a missing value (gt_cell_is_missing) */
  uint64_t texts;        /* all other cells */
  double least, largest; /* of numbers; least > largest: no number yet */
  bool whole;            /* all numbers are whole */
  bool counts;           /* every cell is a number that is the cell above it plus 1 */
  gt_csv_odd *odd;       /* heap; NULL while all cells are numbers */
} gt_csv_facts;

void gt_csv_facts_finish(gt_csv_facts *facts);
/* Number of cells that are not numbers of the column. */
static inline uint64_t gt_csv_facts_bad(const gt_csv_facts *f) {
  return f->unfit + f->empty + f->missing + f->texts;
}
/* Adds a number. */
static inline void gt_csv_facts_number(gt_csv_facts *f, double value) {
  if (f->counts && f->numbers) f->counts = value - f->largest == 1;
  if (value < f->least) f->least = value;
  if (value > f->largest) f->largest = value;
  if (f->whole && value >= -9e15 && value <= 9e15) f->whole = (double)(int64_t)value == value;
  f->numbers++;
}
/* True if the numbers count the rows: 0, 1, 2, … or 1, 2, 3, … or consecutive numbers from 10,000 or more, as
 * ids of a survey or a database. Smaller ones may be years. */
static inline bool gt_csv_facts_count_rows(const gt_csv_facts *f) {
  return f->counts && f->numbers > 1 && (f->least == 0 || f->least == 1 || f->least >= 10000);
}
/* Adds a cell that is not a number, or a number that does not fit (unfit). Returns its code,
 * GT_CSV_CELL_…. */
uint32_t gt_csv_facts_odd(gt_csv *csv, gt_csv_facts *f, const gt_cell *cell, bool unfit);

/* Adds the facts `from` of the rows that follow, and frees `from`. Returns [from's texts] the code in `to` of
 * each text i, whose code in `from` was GT_CSV_CELL_TEXT + i; NULL if all codes are the same. Heap. */
uint32_t *gt_csv_facts_merge(gt_csv_facts *to, gt_csv_facts *from);

/* A quiet NaN with the code of a cell as its payload. */
static inline float gt_csv_boxed(uint32_t code) {
  const uint32_t bits = 0x7FC00000u | code;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
/* The code of a NaN in csv->values. */
static inline uint32_t gt_csv_cell_code(float boxed) {
  uint32_t bits;
  memcpy(&bits, &boxed, sizeof bits);
  return bits & 0x3FFFFFu;
}

/* Allocates empty facts for csv->inputs and csv->targets. */
void gt_csv_facts_start(gt_csv *csv);
/* Computes the facts of a target from csv->target_cells, after all rows are read. */
void gt_csv_facts_of_target(gt_csv *csv, int target);
/* True if all cells of the target columns marked in are_numbers are numbers. Else an error that names the
 * columns with other cells. */
bool gt_csv_check_targets(const gt_csv *csv, const bool *are_numbers);
enum { GT_CSV_DROP_HELP = 192 };
/* For the end of a message: how the config can drop the rows without a value of this target; "" if it
 * cannot. */
const char *gt_csv_drop_help(const gt_csv *csv, int target, char out[GT_CSV_DROP_HELP]);
/* Reports why the cell is not a valid number of its column; `more` is appended to the message. Returns
 * false. */
bool gt_csv_fail_number(const gt_csv *csv, const gt_cell *cell, const char *column, const char *more);
#endif
