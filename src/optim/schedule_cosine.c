#include "optim/schedule.h"
#include <math.h>

typedef struct cosine_config {
  double least;
  int64_t steps;
} cosine_config;

static const gt_field fields[] = {
    GT_ROW_NAMED("min_factor", cosine_config, least, GT_FIELD_FLOAT, .fallback = "0", .min = 0, .max = 1,
                 .help = "final factor on the learning rate"),
    GT_ROW(cosine_config, steps, GT_FIELD_INT, .fallback = "0", .min = 0, .max = 1e15,
           .help = "length in steps; 0: until the end of the run"),
    {.name = NULL},
};
static const gt_schema schema = {.name = "cosine", .help = "cosine decay", .fields = fields};

static double factor(const void *config, const gt_schedule_time *time) {
  const cosine_config *c = config;
  const double annealed = (1 + cos(3.14159265358979323846 * gt_schedule_progress(c->steps, time))) / 2;
  return c->least + (1 - c->least) * annealed;
}

static gt_schedule_reach reach(const void *config) {
  return (gt_schedule_reach){"steps", ((const cosine_config *)config)->steps, "steps"};
}

GT_DEFINE(schedule, cosine) = {.name = "cosine",
                               .schema = &schema,
                               .config_size = sizeof(cosine_config),
                               .factor = factor,
                               .reach = reach};
