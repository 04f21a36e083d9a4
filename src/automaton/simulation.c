#include "automaton/simulation.h"
#include "base/memory.h"
#include "base/philox.h"
#include <stdlib.h>

/* Random streams, numbered in base/philox.h: the first board, the cells that fire in a step, damage. */
enum { PURPOSE_BOARD = 4, PURPOSE_FIRE, PURPOSE_DAMAGE };

static size_t cells_of(const gt_simulation *s) { return (size_t)s->board.height * s->board.width; }

bool gt_simulation_init(gt_simulation *s, const gt_circuit_ca *ca, uint32_t height, uint32_t width,
                        double fire_rate, uint64_t seed, gt_error *error) {
  void *fires = NULL, *plane = NULL;
  *s = (gt_simulation){.fire_rate = fire_rate, .seed = seed};
  if (!gt_board_init(&s->board, ca, height, width, error)) return false;
  if (fire_rate >= 1) return true;
  const bool ok = gt_try_alloc(&fires, cells_of(s), 1, "the cells that fire", error) &&
                  gt_try_alloc(&plane, s->board.words, sizeof *s->plane, "the cells that fire", error);
  s->fires = fires;
  s->plane = plane;
  if (!ok) gt_simulation_finish(s);
  return ok;
}

void gt_simulation_finish(gt_simulation *s) {
  gt_board_finish(&s->board);
  free(s->fires);
  free(s->plane);
  *s = (gt_simulation){0};
}

/* Each draw gives 128 bits, in the order of cells and channels. */
bool gt_simulation_randomize(gt_simulation *s, gt_error *error) {
  const size_t bits = cells_of(s) * s->board.ca->channels;
  void *memory = NULL;
  if (!gt_try_alloc(&memory, bits, 1, "the first board", error)) return false;
  uint8_t *cells = memory;
  for (size_t at = 0; at < bits; at += 128) {
    const uint32_t low = (uint32_t)(at / 128), high = (uint32_t)(at / 128 >> 32);
    const gt_philox draw = gt_philox_block(s->seed, PURPOSE_BOARD, high, low);
    for (size_t i = 0; i < 128 && at + i < bits; i++) cells[at + i] = draw.v[i / 32] >> i % 32 & 1;
  }
  gt_board_write(&s->board, cells);
  free(memory);
  return true;
}

/* Draws which cells are updated in this step. */
static void draw_fires(gt_simulation *s) {
  const size_t cells = cells_of(s);
  const double limit = s->fire_rate * 0x1p32;
  for (size_t at = 0; at < cells; at += 4) {
    const gt_philox draw = gt_philox_block(s->seed, PURPOSE_FIRE, (uint32_t)s->step, (uint32_t)(at / 4));
    for (size_t i = 0; i < 4 && at + i < cells; i++) s->fires[at + i] = draw.v[i] < limit;
  }
  gt_board_mask(&s->board, s->fires, s->plane);
}

void gt_simulation_step(gt_simulation *s) {
  s->step++;
  if (s->fires) draw_fires(s);
  gt_board_step(&s->board, s->plane);
}

/* A number in [0, count); its bias is negligible for small counts. */
static int64_t draw_below(uint32_t random, int64_t count) {
  return (int64_t)((uint64_t)random * (uint64_t)count >> 32);
}

void gt_simulation_damage(gt_simulation *s) {
  uint32_t drawn = 0;
  for (int i = 0; i < s->damages; i++) {
    const gt_damage *d = &s->damage[i];
    const bool due = s->step >= d->first && s->step <= d->last && (s->step - d->first) % d->every == 0;
    if (due && !d->random) gt_board_clear(&s->board, d->y, d->x, d->height, d->width);
    for (int64_t k = 0; k < d->count && due && d->random; k++) {
      const gt_philox draw = gt_philox_block(s->seed, PURPOSE_DAMAGE, (uint32_t)s->step, drawn++);
      gt_board_clear(&s->board, draw_below(draw.v[0], s->board.height - d->height + 1),
                     draw_below(draw.v[1], s->board.width - d->width + 1), d->height, d->width);
    }
  }
}
