#include "automaton/experiment.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

bool gt_experiment_open(gt_experiment *e, const gt_circuit_ca *ca, const gt_ca_boards *boards, int64_t height,
                        int64_t width, double fire_rate, uint64_t seed, gt_error *error) {
  *e = (gt_experiment){.ca = ca, .boards = boards, .height = height, .width = width, .cells = height * width};
  return gt_simulation_init(&e->simulation, ca, (uint32_t)height, (uint32_t)width, fire_rate, seed, error);
}

void gt_experiment_close(gt_experiment *e) {
  free(e->seen);
  gt_simulation_finish(&e->simulation);
  *e = (gt_experiment){0};
}

static bool start_centre(gt_experiment *e, gt_error *error) {
  void *cells = NULL;
  const size_t channels = e->ca->channels;
  if (!gt_try_alloc(&cells, (uint64_t)e->cells, channels, "the first board", error)) return false;
  memset(cells, 0, (size_t)e->cells * channels);
  memset((uint8_t *)cells + (size_t)gt_ca_centre(e->height, e->width) * channels, 1, channels);
  gt_board_write(&e->simulation.board, cells);
  free(cells);
  return true;
}

bool gt_experiment_start(gt_experiment *e, gt_ca_start start, gt_error *error) {
  if (start == GT_CA_START_RANDOM) return gt_simulation_randomize(&e->simulation, error);
  return start != GT_CA_START_CENTRE || start_centre(e, error);
}

bool gt_experiment_enable_comparison(gt_experiment *e, gt_error *error) {
  void *memory = NULL;
  e->compare = e->boards && gt_ca_fits(e->boards, e->height, e->width);
  if (!e->compare) return true;
  const size_t seen = (size_t)e->boards->target_channels;
  if (!gt_try_alloc(&memory, (uint64_t)e->cells, 2 * seen + 1, "the target", error)) return false;
  e->seen = memory;
  e->target = e->seen + (size_t)e->cells * seen;
  e->before = e->target + (size_t)e->cells * seen;
  if (!gt_experiment_has_rule(e)) gt_ca_target_of(e->boards, NULL, e->height, e->width, e->target);
  return true;
}

bool gt_experiment_has_rule(const gt_experiment *e) { return e->compare && e->boards->target == GT_CA_LIFE; }

/* Number of cells that differ from the target. With a rule, only cells that fired can be wrong. */
static void count_errors(gt_experiment *e) {
  const int64_t seen = e->boards->target_channels;
  const uint8_t *fires = gt_experiment_has_rule(e) ? e->simulation.fires : NULL;
  for (int64_t c = 0; c < seen; c++)
    gt_board_channel(&e->simulation.board, (uint32_t)c, e->seen + c, (size_t)seen);
  e->errors = 0;
  for (int64_t i = 0; i < e->cells; i++)
    e->errors += memcmp(e->seen + i * seen, e->target + i * seen, (size_t)seen) && (!fires || fires[i]);
  if (e->errors) e->since = e->simulation.step + 1;
  if (e->simulation.step) e->total += e->errors;
}

void gt_experiment_step(gt_experiment *e) {
  const bool rule = gt_experiment_has_rule(e);
  if (rule) {
    gt_board_channel(&e->simulation.board, 0, e->before, 1);
    gt_ca_target_of(e->boards, e->before, e->height, e->width, e->target);
  }
  gt_simulation_step(&e->simulation);
  if (rule) count_errors(e);
}

void gt_experiment_damage(gt_experiment *e) {
  gt_simulation_damage(&e->simulation);
  if (e->compare && !gt_experiment_has_rule(e)) count_errors(e);
}

double gt_experiment_mean_errors(const gt_experiment *e) {
  const int64_t steps = e->simulation.step;
  return steps ? (double)e->total / (double)steps : (double)e->errors;
}
