#include "optim/schedule.h"
#include <math.h>

typedef struct linear_config {
  double start, end;
  int64_t steps;
} linear_config;

static const gt_field fields[] = {
    GT_ROW_NAMED("start_factor", linear_config, start, GT_FIELD_FLOAT, .fallback = "1", .min = 0, .max = 1e6,
                 .help = "initial factor on the learning rate"),
    GT_ROW_NAMED("end_factor", linear_config, end, GT_FIELD_FLOAT, .fallback = "0", .min = 0, .max = 1e6,
                 .help = "final factor on the learning rate"),
    GT_ROW(linear_config, steps, GT_FIELD_INT, .fallback = "0", .min = 0, .max = 1e15,
           .help = "length in steps; 0: until the end of the run"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "linear", .help = "linear change from start_factor to end_factor", .fields = fields};

static double factor(const void *config, const gt_schedule_time *time) {
  const linear_config *c = config;
  return c->start + (c->end - c->start) * gt_schedule_progress(c->steps, time);
}

static gt_schedule_reach reach(const void *config) {
  return (gt_schedule_reach){"steps", ((const linear_config *)config)->steps, "steps"};
}

GT_DEFINE(schedule, linear) = {.name = "linear",
                               .schema = &schema,
                               .config_size = sizeof(linear_config),
                               .factor = factor,
                               .reach = reach};
