/* CSV: the words that stand for a boolean, as spreadsheets and databases write it: no and yes, false and
 * true, n and y, f and t, off and on, 0 and 1, in lower or upper case. The only table of them. */
#ifndef GT_DATA_CSV_BOOLEAN_H
#define GT_DATA_CSV_BOOLEAN_H
#include "data/csv.h"

/* 0 or 1; -1 if the cell is not such a word. */
int gt_csv_boolean(const gt_cell *cell);
#endif
