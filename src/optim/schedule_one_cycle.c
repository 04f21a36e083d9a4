#include "optim/schedule.h"
#include <math.h>
#include <string.h>

typedef struct one_cycle_config {
  double max_lr, share, div, final_div;
  const char *anneal;
} one_cycle_config;

static const char *const anneals[] = {"cos", "linear", NULL};
static const gt_field fields[] = {
    GT_ROW(one_cycle_config, max_lr, GT_FIELD_FLOAT, .fallback = "0", .min = 0, .max = 1e6,
           .help = "highest learning rate; 0: the optimizer's lr"),
    GT_ROW_NAMED("pct_start", one_cycle_config, share, GT_FIELD_FLOAT, .fallback = "0.3", .min = 0, .max = 1,
                 .help = "fraction of the run in which the learning rate increases"),
    GT_ROW_NAMED("div_factor", one_cycle_config, div, GT_FIELD_FLOAT, .fallback = "25", .min = 1, .max = 1e12,
                 .help = "initial learning rate is max_lr / div_factor"),
    GT_ROW_NAMED("final_div_factor", one_cycle_config, final_div, GT_FIELD_FLOAT, .fallback = "1e4", .min = 1,
                 .max = 1e12, .help = "final learning rate is the initial one / final_div_factor"),
    GT_ROW(one_cycle_config, anneal, GT_FIELD_CHOICE, .fallback = "cos", .choices = anneals,
           .help = "annealing: cosine or linear"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "one_cycle",
    .help = "one-cycle policy, as PyTorch's OneCycleLR with cycle_momentum=False: the learning "
            "rate rises to max_lr and then falls far below its start; momentum and betas stay "
            "constant (PyTorch cycles them between 0.95 and 0.85 by default)",
    .fields = fields};

/* The learning rate at `progress` (0 to 1) on the way from `from` to `to`. */
static double anneal(const one_cycle_config *c, double from, double to, double progress) {
  if (!strcmp(c->anneal, "linear")) return from + (to - from) * progress;
  return to + (from - to) / 2 * (1 + cos(3.14159265358979323846 * progress));
}

/* The rate peaks at step share * total - 1 and ends at step total - 1, as in PyTorch. */
static double factor(const void *config, const gt_schedule_time *time) {
  const one_cycle_config *c = config;
  const double top = c->max_lr > 0 ? c->max_lr : time->base, start = top / c->div, end = start / c->final_div;
  const double up = c->share * (double)time->total - 1, last = (double)time->total - 1;
  const double t = time->step < time->total ? (double)time->step : last;
  if (t <= up) return anneal(c, start, top, up > 0 ? t / up : 1) / time->base;
  const double from = up > 0 ? up : 0;
  return anneal(c, top, end, last > from ? (t - from) / (last - from) : 1) / time->base;
}

GT_DEFINE(schedule, one_cycle) = {.name = "one_cycle",
                                  .help = "one-cycle policy: up to max_lr, then far below the start",
                                  .schema = &schema,
                                  .config_size = sizeof(one_cycle_config),
                                  .factor = factor};
