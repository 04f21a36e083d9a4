/* The keys of a config's top level and of the sections that this room reads: what the schema rows fill. */
#ifndef GT_TRAIN_CONFIG_KEYS_H
#define GT_TRAIN_CONFIG_KEYS_H
#include "train/config/config.h"
#include "train/config/threshold.h"

typedef struct gt_precision_keys {
  const char *products;
} gt_precision_keys;

typedef struct gt_eval_keys {
  bool flip;
  gt_threshold_config threshold;
} gt_eval_keys;

typedef struct gt_config_top {
  int64_t seed;
  gt_precision_keys precision;
  gt_eval_keys eval;
  gt_strings quiet, metrics;
  const gt_spec *data, *augment, *model, *init_from, *loss, *optimizer, *schedule, *train;
} gt_config_top;

/* The precision of this name; NULL and unknown names (an error that is already reported): the default. */
gt_precision gt_precision_named(const char *products);
#endif
