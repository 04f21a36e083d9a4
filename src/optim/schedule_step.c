#include "optim/schedule.h"
#include <math.h>
#include <string.h>

typedef struct step_config {
  int64_t step_size;
  double gamma;
  const char *by;
} step_config;

static const gt_field fields[] = {
    GT_ROW(step_config, step_size, GT_FIELD_INT, .min = 1, .max = 1e15,
           .help = "epochs (or steps) between reductions", .flags = GT_FIELD_REQUIRED),
    GT_ROW(step_config, gamma, GT_FIELD_FLOAT, .fallback = "0.1", .min = 0, .max = 1e6,
           .help = "factor of each reduction"),
    GT_ROW(step_config, by, GT_FIELD_CHOICE, .fallback = "epoch", .choices = gt_schedule_units,
           .help = "unit: epochs or steps"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "step", .help = "multiply by gamma every step_size epochs (or steps)", .fields = fields};

static double factor(const void *config, const gt_schedule_time *time) {
  const step_config *c = config;
  return pow(c->gamma, (double)(gt_schedule_units_passed(c->by, time) / (uint64_t)c->step_size));
}

static gt_schedule_reach reach(const void *config) {
  const step_config *c = config;
  return (gt_schedule_reach){"step_size", c->step_size + 1, strcmp(c->by, "step") ? "epochs" : "steps"};
}

GT_DEFINE(schedule, step) = {
    .name = "step", .schema = &schema, .config_size = sizeof(step_config), .factor = factor, .reach = reach};
