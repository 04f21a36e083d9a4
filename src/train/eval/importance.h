/* Permutation importance of the columns of a table (Breiman, "Random Forests", Machine Learning 45, 2001;
 * scikit-learn's permutation_importance): how much the loss and the main metric of a trained model on a split
 * get worse if the values of one column are shuffled over its rows. This breaks the column's relation to the
 * target and keeps its distribution. A column that several inputs read is shuffled in the same way in all of
 * them. */
#ifndef GT_TRAIN_IMPORTANCE_H
#define GT_TRAIN_IMPORTANCE_H
#include "train/eval/evaluator.h"

typedef struct gt_importance_score {
  double mean, deviation; /* over the repeats; deviation: the population standard deviation */
} gt_importance_score;

typedef struct gt_importance_column {
  const char *name;
  gt_importance_score loss, metric; /* with the column shuffled; metric: 0 if there is no metric */
  double rise;                      /* increase of the loss: shuffled minus unshuffled */
} gt_importance_column;

typedef struct gt_importance {
  double loss, value; /* loss, and value of the metric, of the unshuffled split */
  const char *metric; /* the main metric: the first result besides the loss; NULL: none */
  int64_t samples;    /* number of samples evaluated */
  int repeats, columns;
  gt_importance_column *column; /* the largest rise first */
} gt_importance;

/* Evaluates the whole split `repeats` times for each column. The permutations depend only on the seed of the
 * config, the column and the repeat. Shuffles the values in the dataset and restores them, also after an
 * error. GT_ERR_DATA if the data is not a table. */
bool gt_importance_measure(gt_session *session, gt_evaluator *evaluator, int repeats, gt_arena *arena,
                           gt_importance *out, gt_error *error);
/* Estimates the increase of the loss with one repeat, on as many batches as can be evaluated in `seconds`.
 * False, with no columns in *out, if these are too few, if the data has too few or too many columns to rank,
 * is streamed or is a series, or after an error. */
bool gt_importance_estimate(gt_session *session, gt_evaluator *evaluator, double seconds, gt_arena *arena,
                            gt_importance *out);
#endif
