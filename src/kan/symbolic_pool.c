#include "kan/symbolic_pool.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of formulas with more than MANY_EDGES edges, only the best MAX_OF_MANY are fitted again. */
enum { FIT_STEPS = 300, MANY_EDGES = 20, MAX_OF_MANY = 2 };
/* Bits by which a formula may be longer than the best one before rounding: about what rounding can save. */
static const double max_excess = 40;

static bool has_same_functions(const gt_symbolic *a, const gt_symbolic *b) {
  if (a->edges != b->edges) return false;
  for (int e = 0; e < a->edges; e++)
    if (a->edge[e].row != b->edge[e].row || a->edge[e].symbol != b->edge[e].symbol) return false;
  return true;
}

static void remove_at(gt_symbolic_pool *pool, int index) {
  gt_symbolic_finish(&pool->formula[index]);
  pool->count--;
  memmove(pool->formula + index, pool->formula + index + 1,
          (size_t)(pool->count - index) * sizeof *pool->formula);
  memmove(pool->cost + index, pool->cost + index + 1, (size_t)(pool->count - index) * sizeof *pool->cost);
}

void gt_symbolic_pool_add(gt_symbolic_pool *pool, const gt_symbolic *symbolic, double cost) {
  if (!isfinite(cost)) return;
  for (int i = 0; i < pool->count; i++) {
    if (!has_same_functions(&pool->formula[i], symbolic)) continue;
    if (pool->cost[i] <= cost) return;
    remove_at(pool, i--);
  }
  int at = pool->count;
  while (at && pool->cost[at - 1] > cost) at--;
  if (at == GT_POOL_MAX) return;
  if (pool->count == GT_POOL_MAX) remove_at(pool, GT_POOL_MAX - 1);
  memmove(pool->formula + at + 1, pool->formula + at, (size_t)(pool->count - at) * sizeof *pool->formula);
  memmove(pool->cost + at + 1, pool->cost + at, (size_t)(pool->count - at) * sizeof *pool->cost);
  gt_arena arena;
  gt_arena_init(&arena);
  pool->formula[at] = gt_symbolic_copy(&arena, symbolic);
  pool->formula[at].arena = arena;
  pool->cost[at] = cost;
  pool->count++;
}

void gt_symbolic_pool_choose(gt_symbolic_pool *pool, gt_symbolic *out, const gt_symbolic_data *data,
                             bool as_fitted, gt_symbolic_verdict *verdict) {
  double length[GT_POOL_MAX];
  int rounded[GT_POOL_MAX], fitted[GT_POOL_MAX], best = 0, next = -1;
  for (int i = 0; i < pool->count; i++) {
    gt_symbolic *s = &pool->formula[i];
    length[i] = INFINITY;
    if (pool->cost[i] > pool->cost[0] + max_excess || (i >= MAX_OF_MANY && s->edges > MANY_EDGES) ||
        (i && gt_symbolic_is_exhausted(data)))
      continue;
    gt_symbolic_fit(s, data, FIT_STEPS);
    rounded[i] = 0;
    do { /* a factor rounded to zero removes an edge */
      gt_symbolic_normalize(s);
      if (!rounded[i]) fitted[i] = gt_symbolic_free_constants(s, NULL);
      if (!as_fitted) rounded[i] += gt_symbolic_round_constants(s, data);
    } while (gt_symbolic_drop_loose_ends(s));
    length[i] = gt_symbolic_length(s, data, gt_symbolic_fit(s, data, FIT_STEPS));
    if (length[i] < length[best]) best = i;
  }
  for (int i = 0; i < pool->count; i++)
    if (isfinite(length[i]) && (next < 0 || length[i] < length[next]) &&
        gt_symbolic_distance(&pool->formula[best], &pool->formula[i], data) > data->rounding)
      next = i;
  gt_arena *arena = &out->arena;
  verdict->constants = fitted[best];
  verdict->rounded = rounded[best];
  gt_symbolic chosen = gt_symbolic_copy(arena, &pool->formula[best]);
  if (next >= 0) {
    const gt_symbolic rival = gt_symbolic_copy(arena, &pool->formula[next]);
    verdict->rival = gt_arena_copy(arena, &rival, sizeof rival);
    verdict->lead = length[next] - length[best];
  }
  chosen.arena = *arena;
  *out = chosen;
}

void gt_symbolic_pool_finish(gt_symbolic_pool *pool) {
  while (pool->count) remove_at(pool, pool->count - 1);
}
