/* CSV: the words that spreadsheets and databases write for a boolean: no and yes, false and true, n and y, f
 * and t, off and on, 0 and 1, in lower or upper case. */
#ifndef GT_DATA_CSV_BOOLEAN_H
#define GT_DATA_CSV_BOOLEAN_H
#include "data/table/csv.h"

/* The value of the cell, 0 or 1; -1 if it is not one of these words. */
int gt_csv_boolean(const gt_cell *cell);
/* True if all cells of a target column are booleans, except missing ones. */
bool gt_csv_is_boolean_target(const gt_csv *csv, int target);
/* For target `index`, whose columns begin at `first` and must be numbers: replaces the cells of boolean
 * columns by 0 and 1, and logs which word is 1. Columns of the numbers 0 and 1 are boolean if the loss needs
 * this (gt_data_loss_needs.bits). training: this is the training file, which decides which columns are
 * boolean (sets gt_data_target.words). */
void gt_csv_convert_boolean_targets(gt_data_reader *reader, gt_csv *csv, int index, int first, bool training);
#endif
