/* The task that a config's model learns, as gtrain check and gtrain train print it: "binary classification:
 * 'no' 96.5 %, 'yes' 3.5 %". */
#ifndef GT_TRAIN_TASK_H
#define GT_TRAIN_TASK_H
#include "train/config/config.h"

typedef struct gt_task {
  const char *kind;     /* such as "binary classification", "regression" or "forecast";
                           NULL: no task (a loss that does not use targets, an automaton) */
  const char *about;    /* follows the kind: ": 10 classes", " of 'y'"; may be empty */
  const char *positive; /* name of the positive class of a binary task; else NULL */
  const char *why;      /* why the task was inferred; NULL: the config or the format determines it */
} gt_task;

/* The task of a target. Shares are fractions of the training samples' labels. Texts are in the arena. */
gt_task gt_task_of(const gt_config *config, int target, gt_arena *arena);
/* "classification: 10 classes (inferred: the targets are integers counting from 0; set data.task to change
 * it)" */
const char *gt_task_text(const gt_task *task, gt_arena *arena);
#endif
