#include "optim/schedule.h"
#include <math.h>

static const gt_field fields[] = {
    {.name = NULL},
};
static const gt_schema schema = {.name = "constant", .help = "constant learning rate", .fields = fields};

static double factor(const void *config, const gt_schedule_time *time) {
  (void)config, (void)time;
  return 1;
}

GT_DEFINE(schedule, constant) = {.name = "constant", .schema = &schema, .factor = factor};
