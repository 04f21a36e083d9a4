/* CSV: the words that stand for a boolean, as spreadsheets and databases write it: no and yes, false and
 * true, n and y, f and t, off and on, 0 and 1, in lower or upper case. The only table of them. */
#ifndef GT_DATA_CSV_BOOLEAN_H
#define GT_DATA_CSV_BOOLEAN_H
#include "data/csv.h"

/* 0 or 1; -1 if the cell is not such a word. */
int gt_csv_boolean(const gt_cell *cell);
/* True if all cells of a target column are booleans, except missing ones. */
bool gt_csv_is_boolean_target(const gt_csv *csv, int target);
/* For target `index`, whose columns begin with `first` and are to be numbers: turns the cells of boolean
 * columns into 0 and 1, and says which word is 1. Columns of the numbers 0 and 1 count as boolean if the loss
 * needs them (gt_data_demand.bits). The training file decides which columns are boolean:
 * gt_data_target.words. */
void gt_csv_convert_boolean_targets(gt_data_reader *reader, gt_csv *csv, int index, int first, bool training);
#endif
