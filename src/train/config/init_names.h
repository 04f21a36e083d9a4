/* Fine-tuning matches classes, columns and tokens by name: the data of the config and the model file both
 * have lists of them, and layers have axes that count them (model/named_axes.h). If the lists of an input or
 * a target differ, the rows of those axes are taken by name, and rows without a counterpart keep their
 * initial values. Where a layer has no such axis, its parameters are taken by place; a finding says so. */
#ifndef GT_TRAIN_INIT_NAMES_H
#define GT_TRAIN_INIT_NAMES_H
#include "model/named_axes.h"
#include "train/config/init_from.h"

typedef struct gt_init_list {   /* the names of an input or a target, which differ from those of the file */
  int number;                   /* of the list (gt_named_axis.list) */
  const char *what, *one;       /* "columns", "column" */
  const char *of;               /* " of input 'wide'", "": there is only one */
  const char *examples;         /* some names of the file */
  int64_t here;                 /* number of names */
  int matched;                  /* names that the file has, too */
  const char *taken, *by_place; /* layers that are matched by name, and by place; NULL: none */
  const char *layer;            /* the first of these layers */
  const char *name[2];          /* only one name here and there: these; weights are taken by place */
} gt_init_list;

typedef struct gt_init_names {
  gt_transfer transfer; /* that of the config, with the axes that are matched by name */
  gt_init_list list[GT_NAME_LISTS];
  int lists;
  /* [targets] if only one of data and file has names of the classes: the other one, for a message. */
  const char *unnamed[GT_DATA_MAX_TARGETS];
  bool other_inputs; /* some of these lists belong to inputs */
} gt_init_names;

/* Everything is in the arena. */
gt_init_names *gt_init_names_of(const gt_init_from *from, const gt_dataset *dataset, const gt_model *model,
                                gt_arena *arena);
/* Adds the finding lost_weights where names differ and nothing can be taken by name. */
void gt_init_names_review(const gt_init_names *names, const gt_init_from *from, gt_diagnostics *diagnostics);
/* Logs what is taken by name. */
void gt_init_names_log(const gt_init_names *names);
#endif
