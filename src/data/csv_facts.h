/* What the cells of each column of a CSV are, collected in the one pass that reads the file
 * (gt_csv_read). Decisions about columns (csv_typed.c: numbers, categories, dates, left out, refused) are
 * made from these facts after the pass, when all cells are known, and messages quote them.
 *
 * csv->facts has one entry per column that the file is read for, by its role: the inputs, then the targets.
 * For each of them, once gt_csv_read has returned true:
 *   cells == numbers + unfit + empty + missing + texts
 * A cell that is not a number in its column is a NaN in csv->values whose payload says what it is
 * (gt_csv_cell_code). Cells point into the file's bytes and are valid until gt_csv_close. Cost: a few
 * operations for a number; memory for cells that are not numbers is allocated at the first of them. */
#ifndef GT_DATA_CSV_FACTS_H
#define GT_DATA_CSV_FACTS_H
#include "data/csv.h"

enum {
  GT_CSV_FIRST_BAD =
      3, /* number of cells that are kept although they are not numbers: the first of the file */
  /* What a cell that is not a number is. */
  GT_CSV_CELL_UNFIT = 0, /* a number that does not fit its column */
  GT_CSV_CELL_EMPTY,
  GT_CSV_CELL_MISSING, /* a word for a missing value */
  GT_CSV_CELL_MORE,    /* a text beyond GT_CSV_MAX_TEXTS */
  GT_CSV_CELL_TEXT,    /* GT_CSV_CELL_TEXT + i: text i of the column (gt_csv_odd.text), not a missing value */
  GT_CSV_MAX_TEXTS = (1 << 22) - GT_CSV_CELL_TEXT /* distinct texts of a column that are kept */
};

typedef struct gt_csv_slot { /* of the hash table of a column's texts */
  uint64_t head;
  uint32_t tail;
  uint32_t text : 22, length : 10; /* length 0: empty */
} gt_csv_slot;

typedef struct gt_csv_odd { /* the cells of a column that are not numbers; its size grows with their number */
  gt_cell bad[GT_CSV_FIRST_BAD];
  int bads;
  gt_cell gap;   /* the first missing value; line 0: there is none */
  gt_cell *text; /* [distinct] where each text occurs first, in order of appearance; heap */
  int distinct, capacity;
  bool more;         /* there are further distinct texts */
  gt_csv_slot *slot; /* [slots] hash table; heap */
  size_t slots;
} gt_csv_odd;

typedef struct gt_csv_facts {
  uint64_t numbers;      /* cells that are numbers and fit the column */
  uint64_t unfit;        /* numbers too large for a float, or not a whole number where the input needs one */
  uint64_t empty;        /* cells without text */
  uint64_t missing;      /* words for a missing value (gt_cell_is_missing) */
  uint64_t texts;        /* all other cells */
  double least, largest; /* of numbers; least > largest if there is none */
  bool whole;            /* all numbers are whole */
  bool counts;           /* every cell is a number, one more than the cell above it */
  gt_csv_odd *odd;       /* heap; NULL while all cells are numbers */
} gt_csv_facts;

void gt_csv_facts_finish(gt_csv_facts *facts);
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
/* True if the numbers count the rows: 0, 1, 2, … or 1, 2, 3, … or from 10,000 on, as the ids of a survey or a
 * database do. Between, they may be years. */
static inline bool gt_csv_facts_count_rows(const gt_csv_facts *f) {
  return f->counts && f->numbers > 1 && (f->least == 0 || f->least == 1 || f->least >= 10000);
}
/* Adds a cell that is not a number, or does not fit. Returns what it is: GT_CSV_CELL_UNFIT, … */
uint32_t gt_csv_facts_odd(gt_csv *csv, gt_csv_facts *f, const gt_cell *cell, bool unfit);

/* Adds the facts of the cells below, which are taken apart. Returns the code in `to` of each text i of
 * `from`, whose code there is GT_CSV_CELL_TEXT + i; NULL if they are the same. Heap. */
uint32_t *gt_csv_facts_merge(gt_csv_facts *to, gt_csv_facts *from);

/* A quiet NaN with the code of a cell as its payload. */
static inline float gt_csv_boxed(uint32_t code) {
  const uint32_t bits = 0x7FC00000u | code;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint32_t gt_csv_cell_code(float boxed) { /* of a NaN in csv->values */
  uint32_t bits;
  memcpy(&bits, &boxed, sizeof bits);
  return bits & 0x3FFFFFu;
}

/* Creates the facts of csv->inputs and csv->targets, without any cell. */
void gt_csv_facts_start(gt_csv *csv);
/* Sets the facts of a target from csv->target_cells, when all are read. */
void gt_csv_facts_of_target(gt_csv *csv, int target);
/* True if all cells of the target columns that are to be numbers are. Else an error that names the columns
 * with other cells. */
bool gt_csv_check_targets(const gt_csv *csv, const bool *are_numbers);
enum { GT_CSV_DROP_HELP = 192 };
/* How the config leaves out the rows without a value of this target, for the end of a message; "" where it
 * cannot. */
const char *gt_csv_drop_help(const gt_csv *csv, int target, char out[GT_CSV_DROP_HELP]);
/* Reports why the cell is not a number that its column can hold; `more` follows in the message. False. */
bool gt_csv_fail_number(const gt_csv *csv, const gt_cell *cell, const char *column, const char *more);
#endif
