/* Reads the settings of metrics in a config, for config.c. */
#ifndef GT_TRAIN_CONFIG_METRICS_H
#define GT_TRAIN_CONFIG_METRICS_H
#include "train/config/config.h"

/* Reads `metrics:`, once the losses are known. */
void gt_config_read_metrics(gt_config *config, const gt_strings *names);
/* Reports settings that need a single target if there are several. */
void gt_config_check_several_targets(const gt_config *config, gt_diagnostics *diagnostics);
#endif
