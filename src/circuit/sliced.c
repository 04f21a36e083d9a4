#include "circuit/sliced_internal.h"
#include "base/arena.h"
#include "base/memory.h"
#include <stdlib.h>

/* --- places in memory --- */

typedef struct placing {
  gt_arena arena;
  const gt_circuit *circuit;
  uint32_t *level, *place;              /* level and place of each signal; inputs have level 0 */
  uint32_t *last;                       /* the last level that reads each signal; UINT32_MAX for outputs */
  uint32_t *order, *expiring;           /* gates by level; signals by last level */
  uint32_t *level_start, *expiry_start; /* where each level starts in order and in expiring */
  uint32_t levels;                      /* number of the last level */
  /* A stack with the lowest place on top, so that consecutive writes go to adjacent places. */
  uint32_t *free_place;
  size_t free_places, places; /* places on the stack; places allocated in total */
} placing;

static bool reads_a(unsigned op) { return (op >> 2 & 3) != (op & 3); }
static bool reads_b(unsigned op) { return (op & 5) != (op >> 1 & 5); }

static void find_levels(placing *p) {
  const gt_circuit *c = p->circuit;
  for (size_t g = 0; g < c->gates.count; g++) {
    const gt_circuit_gate *gate = &c->gates.items[g];
    uint32_t level = 0;
    if (reads_a(gate->op)) level = p->level[gate->a];
    if (reads_b(gate->op) && p->level[gate->b] > level) level = p->level[gate->b];
    p->level[c->inputs + g] = ++level;
    if (reads_a(gate->op) && p->last[gate->a] < level) p->last[gate->a] = level;
    if (reads_b(gate->op) && p->last[gate->b] < level) p->last[gate->b] = level;
    if (level > p->levels) p->levels = level;
  }
  for (size_t i = 0; i < c->outputs.count; i++) p->last[c->outputs.items[i]] = UINT32_MAX;
}

/* Counting sort of the signals from `first` on by key, without those whose key is above p->levels. start[k],
 * zeroed by the caller, becomes the index of the first signal with key k. */
static uint32_t *sort_by(placing *p, const uint32_t *key, size_t first, size_t signals, uint32_t *start) {
  for (size_t s = first; s < signals; s++)
    if (key[s] <= p->levels) start[key[s] + 1]++;
  for (uint32_t l = 0; l <= p->levels; l++) start[l + 1] += start[l];
  uint32_t *next = gt_arena_copy(&p->arena, start, (p->levels + 2) * sizeof *next),
           *sorted = GT_NEW_N(&p->arena, uint32_t, signals);
  for (size_t s = first; s < signals; s++)
    if (key[s] <= p->levels) sorted[next[key[s]]++] = (uint32_t)s;
  return sorted;
}

typedef struct ranked {
  /* Function, then place of a: equal functions are adjacent and read memory in ascending order. */
  uint64_t key;
  uint32_t gate;
} ranked;

static int by_key(const void *x, const void *y) {
  const ranked *a = x, *b = y;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->gate < b->gate ? -1 : a->gate > b->gate;
}

static uint32_t allocate_place(placing *p) {
  return p->free_places ? p->free_place[--p->free_places] : (uint32_t)p->places++;
}

static int compare_descending(const void *x, const void *y) {
  const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return a > b ? -1 : a < b;
}

/* Adds the instructions of a level and allocates their places. Then frees the places of the signals that this
 * level reads last. */
static void place_level(placing *p, gt_sliced *sliced, uint32_t level, ranked *rank) {
  const gt_circuit *c = p->circuit;
  const uint32_t first = p->level_start[level], count = p->level_start[level + 1] - first;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t g = p->order[first + i] - c->inputs;
    const gt_circuit_gate *gate = &c->gates.items[g];
    const uint32_t a = reads_a(gate->op) ? p->place[gate->a] : 0;
    rank[i] = (ranked){(uint64_t)gate->op << 32 | a, g};
  }
  qsort(rank, count, sizeof *rank, by_key);
  for (uint32_t i = 0; i < count; i++) {
    const gt_circuit_gate *gate = &c->gates.items[rank[i].gate];
    const uint32_t a = reads_a(gate->op) ? p->place[gate->a] : 0,
                   b = reads_b(gate->op) ? p->place[gate->b] : 0;
    const uint32_t to = p->place[c->inputs + rank[i].gate] = allocate_place(p);
    sliced->code[sliced->gates++] = (instruction){to, a, b};
    row *current = sliced->rows.count ? &sliced->rows.items[sliced->rows.count - 1] : NULL;
    if (!current || current->op != gate->op) {
      current = GT_PUSH(&sliced->rows);
      *current = (row){gate->op, 0};
    }
    current->count++;
  }
  for (uint32_t i = p->expiry_start[level]; i < p->expiry_start[level + 1]; i++)
    p->free_place[p->free_places++] = p->place[p->expiring[i]];
  qsort(p->free_place, p->free_places, sizeof *p->free_place, compare_descending);
}

static void place_all(placing *p, gt_sliced *sliced, size_t signals) {
  const gt_circuit *c = p->circuit;
  p->level_start = GT_NEW_N(&p->arena, uint32_t, p->levels + 2);
  p->expiry_start = GT_NEW_N(&p->arena, uint32_t, p->levels + 2);
  p->order = sort_by(p, p->level, c->inputs, signals, p->level_start);
  p->expiring = sort_by(p, p->last, 0, signals, p->expiry_start);
  p->free_place = GT_NEW_N(&p->arena, uint32_t, signals);
  ranked *rank = GT_NEW_N(&p->arena, ranked, c->gates.count);
  for (uint32_t i = 0; i < c->inputs; i++) p->place[i] = i;
  p->places = c->inputs;
  for (uint32_t level = 1; level <= p->levels; level++) place_level(p, sliced, level, rank);
}

gt_sliced *gt_sliced_create(const gt_circuit *circuit) {
  const size_t signals = circuit->inputs + circuit->gates.count, outputs = circuit->outputs.count;
  gt_sliced *sliced = gt_alloc(sizeof *sliced);
  sliced->code = gt_alloc((circuit->gates.count + 1) * sizeof *sliced->code);
  sliced->output = gt_alloc((outputs + 1) * sizeof *sliced->output);
  sliced->loops = gt_sliced_loops_at(0);
  placing p = {.circuit = circuit};
  p.level = GT_NEW_N(&p.arena, uint32_t, signals);
  p.place = GT_NEW_N(&p.arena, uint32_t, signals);
  p.last = GT_NEW_N(&p.arena, uint32_t, signals);
  find_levels(&p);
  place_all(&p, sliced, signals);
  for (size_t i = 0; i < outputs; i++) sliced->output[i] = p.place[circuit->outputs.items[i]];
  sliced->slots = p.places ? p.places : 1;
  gt_arena_finish(&p.arena);
  return sliced;
}

void gt_sliced_destroy(gt_sliced *sliced) {
  if (!sliced) return;
  free(sliced->code);
  free(sliced->rows.items);
  free(sliced->output);
  free(sliced);
}

size_t gt_sliced_memory(const gt_sliced *sliced) { return sliced->slots * GT_BLOCK_WORDS * sizeof(uint64_t); }

void gt_sliced_block(const gt_sliced *sliced, uint64_t *memory) { sliced->loops(sliced, memory); }

const uint64_t *gt_sliced_output(const gt_sliced *sliced, const uint64_t *memory, size_t k) {
  return memory + (size_t)sliced->output[k] * GT_BLOCK_WORDS;
}
