#include "optim/schedule.h"
#include <math.h>
#include <string.h>

typedef struct exponential_config {
  double gamma;
  const char *by;
} exponential_config;

static const gt_field fields[] = {
    GT_ROW(exponential_config, gamma, GT_FIELD_FLOAT, .min = 0, .max = 1e6,
           .help = "factor per epoch (or step)", .flags = GT_FIELD_REQUIRED),
    GT_ROW(exponential_config, by, GT_FIELD_CHOICE, .fallback = "epoch", .choices = gt_schedule_units,
           .help = "unit: epochs or steps"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "exponential", .help = "multiply by gamma every epoch (or step)", .fields = fields};

static double factor(const void *config, const gt_schedule_time *time) {
  const exponential_config *c = config;
  return pow(c->gamma, (double)gt_schedule_units_passed(c->by, time));
}

static gt_schedule_reach reach(const void *config) {
  const exponential_config *c = config;
  return (gt_schedule_reach){"gamma", 2, strcmp(c->by, "step") ? "epochs" : "steps"};
}

GT_DEFINE(schedule, exponential) = {.name = "exponential",
                                    .schema = &schema,
                                    .config_size = sizeof(exponential_config),
                                    .factor = factor,
                                    .reach = reach};
