#include "optim/schedule.h"
#include <math.h>

typedef struct plateau_config {
  double factor, threshold, min_lr;
  int64_t patience;
} plateau_config;

static const gt_field fields[] = {
    GT_ROW(plateau_config, factor, GT_FIELD_FLOAT, .fallback = "0.1", .min = 0, .max = 1,
           .help = "factor of each reduction", .flags = GT_FIELD_OPEN_MIN | GT_FIELD_OPEN_MAX),
    GT_ROW(plateau_config, patience, GT_FIELD_INT, .fallback = "10", .min = 0, .max = 1e9,
           .help = "number of evaluations without improvement before a reduction"),
    GT_ROW(plateau_config, threshold, GT_FIELD_FLOAT, .fallback = "1e-4", .min = 0, .max = 1,
           .help = "smallest relative improvement that counts"),
    GT_ROW(plateau_config, min_lr, GT_FIELD_FLOAT, .fallback = "0", .min = 0, .max = 1e6,
           .help = "lower bound of the learning rate"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "plateau",
    .help = "multiply by `factor` when the validation loss stops improving (logic gates: soft_loss)",
    .fields = fields};

static void observe(const void *config, double base, double loss, gt_schedule_state *state) {
  const plateau_config *c = config;
  if (state->bad < 0 || loss < state->best * (1 - c->threshold)) {
    state->best = loss;
    state->bad = 0;
  } else if (++state->bad > c->patience) {
    state->factor = fmax(state->factor * c->factor, fmin(c->min_lr / base, state->factor));
    state->bad = 0;
  }
}

static double factor(const void *config, const gt_schedule_time *time) {
  (void)config, (void)time;
  return 1; /* gt_schedule_factor applies state->factor */
}

/* The first evaluation sets `best`; the next patience + 1 without improvement reduce the rate. */
static gt_schedule_reach reach(const void *config) {
  return (gt_schedule_reach){"patience", ((const plateau_config *)config)->patience + 2, "evaluations"};
}

GT_DEFINE(schedule, plateau) = {.name = "plateau",
                                .schema = &schema,
                                .config_size = sizeof(plateau_config),
                                .factor = factor,
                                .observe = observe,
                                .reach = reach};
