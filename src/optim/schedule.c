#include "optim/schedule.h"
#include "spec/typed.h"
#include <string.h>

#define GT_KIND schedule
#include "base/registered.h"

typedef struct common {
  const char *type;
  int64_t warmup;
} common;

static const gt_field common_fields[] = {
    GT_ROW(common, type, GT_FIELD_CHOICE, .choices = type_names,
           .help = "name of the schedule (default: " GT_SCHEDULE_STANDARD ")"),
    GT_ROW(common, warmup, GT_FIELD_INT, .fallback = "0", .min = 0, .max = 1e15,
           .help = "number of steps of linear warmup from near 0"),
    {.name = NULL},
};
const gt_schema gt_schedule_common_schema = {
    .name = "schedule", .help = "learning rate schedule", .fields = common_fields};

const gt_schedule *gt_schedule_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics) {
  const gt_spec *node = gt_spec_find(root, "schedule");
  if (gt_spec_is_null(node)) node = gt_spec_text(arena, GT_SCHEDULE_STANDARD);
  gt_typed_choice choices[TYPES + 1];
  for (int i = 0; i < TYPES; i++)
    choices[i] = (gt_typed_choice){types[i]->name, types[i]->schema, types[i]->config_size};
  void *config;
  common shared = {0};
  const int chosen = gt_typed_read(node, "schedule", choices, TYPES, GT_SCHEDULE_STANDARD,
                                   &gt_schedule_common_schema, &shared, &config, arena, diagnostics);
  if (chosen < 0) return NULL;
  gt_schedule *schedule = GT_NEW(arena, gt_schedule);
  *schedule = (gt_schedule){.type = types[chosen], .config = config, .warmup = shared.warmup};
  return schedule;
}

gt_schedule_state gt_schedule_start(void) { return (gt_schedule_state){.best = 0, .bad = -1, .factor = 1}; }

double gt_schedule_factor(const gt_schedule *schedule, const gt_schedule_state *state, uint64_t step,
                          uint64_t total, uint64_t steps_per_epoch, double base) {
  const uint64_t warmup = (uint64_t)schedule->warmup;
  if (!steps_per_epoch) steps_per_epoch = 1;
  const gt_schedule_time time = {.step = step > warmup ? step - warmup : 0,
                                 .total = total > warmup ? total - warmup : 1,
                                 .steps_per_epoch = steps_per_epoch,
                                 .epoch = step / steps_per_epoch,
                                 .base = base};
  double factor = schedule->type->factor(schedule->config, &time) * (state ? state->factor : 1);
  if (step < warmup) factor *= (double)(step + 1) / (double)(warmup + 1);
  return factor;
}

void gt_schedule_observe(const gt_schedule *schedule, double base, double loss, gt_schedule_state *state) {
  if (schedule->type->observe) schedule->type->observe(schedule->config, base, loss, state);
}

const char *const gt_schedule_units[] = {"epoch", "step", NULL};

uint64_t gt_schedule_units_passed(const char *by, const gt_schedule_time *time) {
  return !strcmp(by, "step") ? time->step : time->epoch;
}

double gt_schedule_progress(int64_t steps, const gt_schedule_time *time) {
  const uint64_t all = steps > 0 ? (uint64_t)steps : time->total;
  return time->step < all ? (double)time->step / (double)all : 1;
}
