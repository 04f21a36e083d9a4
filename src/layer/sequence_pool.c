/* sequence_pool: one vector for each sequence, from the steps that count. */
#include "layer/sequence.h"
#include <string.h>

typedef struct pool_config {
  const char *pooling;
} pool_config;

/* In the order of gt_sequence_pooling. */
static const char *const poolings[] = {"mean", "max", "last", NULL};

static const gt_field fields[] = {
    GT_ROW(pool_config, pooling, GT_FIELD_CHOICE, .choices = poolings, .flags = GT_FIELD_REQUIRED,
           .help = "mean or maximum over the steps, or the last step"),
    {.name = NULL},
};

static gt_id build_sequence_pool(gt_build *build, const void *config, const gt_id *input) {
  const pool_config *c = config;
  if (!gt_sequence_check(build, input)) return GT_NONE;
  int pooling = 0;
  while (strcmp(c->pooling, poolings[pooling])) pooling++;
  return gt_sequence_pool(build->graph, input[0], gt_build_lengths(build, 0), (gt_sequence_pooling)pooling,
                          false);
}

GT_DEFINE(layer, sequence_pool) = {
    .name = "sequence_pool",
    .help = "mean, maximum or last step of a sequence, over the steps of each "
            "sample",
    .schema = GT_SCHEMA("sequence_pool", "pool a sequence over its steps", fields, "pooling"),
    .config_size = sizeof(pool_config),
    .family = GT_LAYER_SEQUENCE,
    .features = GT_FEATURES_KEPT,
    .build = build_sequence_pool};
