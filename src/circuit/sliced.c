#include "circuit/sliced_internal.h"
#include "base/memory.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- places in memory --- */

typedef struct placing {
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
static uint32_t *sort_by(const placing *p, const uint32_t *key, size_t first, size_t signals,
                         uint32_t *start) {
  for (size_t s = first; s < signals; s++)
    if (key[s] <= p->levels) start[key[s] + 1]++;
  for (uint32_t l = 0; l <= p->levels; l++) start[l + 1] += start[l];
  uint32_t *next = gt_alloc((p->levels + 2) * sizeof *next),
           *sorted = gt_alloc((signals + 1) * sizeof *sorted);
  memcpy(next, start, (p->levels + 2) * sizeof *next);
  for (size_t s = first; s < signals; s++)
    if (key[s] <= p->levels) sorted[next[key[s]]++] = (uint32_t)s;
  free(next);
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
  p->level_start = gt_alloc((p->levels + 2) * sizeof *p->level_start);
  p->expiry_start = gt_alloc((p->levels + 2) * sizeof *p->expiry_start);
  p->order = sort_by(p, p->level, c->inputs, signals, p->level_start);
  p->expiring = sort_by(p, p->last, 0, signals, p->expiry_start);
  p->free_place = gt_alloc((signals + 1) * sizeof *p->free_place);
  ranked *rank = gt_alloc((c->gates.count + 1) * sizeof *rank);
  for (uint32_t i = 0; i < c->inputs; i++) p->place[i] = i;
  p->places = c->inputs;
  for (uint32_t level = 1; level <= p->levels; level++) place_level(p, sliced, level, rank);
  free(rank);
  free(p->free_place);
  free(p->expiring);
  free(p->order);
  free(p->expiry_start);
  free(p->level_start);
}

gt_sliced *gt_sliced_create(const gt_circuit *circuit) {
  const size_t signals = circuit->inputs + circuit->gates.count;
  gt_sliced *sliced = gt_alloc(sizeof *sliced);
  sliced->inputs = circuit->inputs;
  sliced->groups = circuit->groups;
  sliced->outputs = circuit->outputs.count;
  sliced->code = gt_alloc((circuit->gates.count + 1) * sizeof *sliced->code);
  sliced->output = gt_alloc((sliced->outputs + 1) * sizeof *sliced->output);
  sliced->loops = gt_sliced_best_loops();
  placing p = {.circuit = circuit,
               .level = gt_alloc((signals + 1) * sizeof *p.level),
               .place = gt_alloc((signals + 1) * sizeof *p.place),
               .last = gt_alloc((signals + 1) * sizeof *p.last)};
  find_levels(&p);
  place_all(&p, sliced, signals);
  for (size_t i = 0; i < sliced->outputs; i++) sliced->output[i] = p.place[circuit->outputs.items[i]];
  sliced->slots = p.places ? p.places : 1;
  if (sliced->groups)
    for (size_t max_count = sliced->outputs / sliced->groups; max_count >> sliced->planes; sliced->planes++)
      continue;
  free(p.level);
  free(p.place);
  free(p.last);
  return sliced;
}

void gt_sliced_destroy(gt_sliced *sliced) {
  if (!sliced) return;
  free(sliced->code);
  free(sliced->rows.items);
  free(sliced->output);
  free(sliced);
}

size_t gt_sliced_slots(const gt_sliced *sliced) { return sliced->slots; }
const char *gt_sliced_isa(const gt_sliced *sliced) { return sliced->loops->isa; }

/* --- one block, many blocks --- */

size_t gt_sliced_memory(const gt_sliced *sliced) { return sliced->slots * GT_BLOCK_WORDS * sizeof(uint64_t); }

void gt_sliced_block(const gt_sliced *sliced, uint64_t *memory) { sliced->loops->run(sliced, memory); }

const uint64_t *gt_sliced_output(const gt_sliced *sliced, const uint64_t *memory, size_t k) {
  return memory + (size_t)sliced->output[k] * GT_BLOCK_WORDS;
}

static uint64_t *block_memory(const gt_sliced *sliced) {
  void *memory = NULL;
  gt_error error = {0};
  const size_t size = gt_sliced_memory(sliced);
  return gt_try_alloc(&memory, size, 1, "a circuit's signals", &error)
             ? memory
             : gt_alloc(SIZE_MAX); /* calls the out-of-memory handler */
}

static size_t words_in_block(size_t words, size_t at) {
  return words - at < GT_BLOCK_WORDS ? words - at : GT_BLOCK_WORDS;
}

/* Runs the circuit on the block of samples from word `at` on; samples beyond the last word are zero. */
static void run_block(const gt_sliced *sliced, const uint64_t *in, size_t words, size_t at,
                      uint64_t *memory) {
  const size_t block_words = words_in_block(words, at);
  for (uint32_t i = 0; i < sliced->inputs; i++) {
    uint64_t *to = memory + (size_t)i * GT_BLOCK_WORDS;
    memcpy(to, in + i * words + at, block_words * sizeof *to);
    for (size_t w = block_words; w < GT_BLOCK_WORDS; w++) to[w] = 0;
  }
  sliced->loops->run(sliced, memory);
}

void gt_sliced_run(const gt_sliced *sliced, const uint64_t *in, uint64_t *out, size_t words) {
  uint64_t *memory = block_memory(sliced);
  for (size_t at = 0; at < words; at += GT_BLOCK_WORDS) {
    run_block(sliced, in, words, at, memory);
    const size_t block_words = words_in_block(words, at);
    for (size_t k = 0; k < sliced->outputs; k++)
      memcpy(out + k * words + at, gt_sliced_output(sliced, memory, k), block_words * sizeof *out);
  }
  free(memory);
}

/* The number that the planes hold for one sample. */
static uint32_t from_planes(const uint64_t *planes, int count, size_t sample) {
  uint32_t value = 0;
  for (int p = 0; p < count; p++)
    value |= (uint32_t)(planes[(size_t)p * GT_BLOCK_WORDS + sample / 64] >> sample % 64 & 1) << p;
  return value;
}

typedef struct planes {
  _Alignas(64) uint64_t word[GT_COUNT_PLANES * GT_BLOCK_WORDS];
} planes;

void gt_sliced_classify(const gt_sliced *sliced, const uint64_t *in, size_t samples, uint32_t *classes) {
  const size_t words = gt_bit_words(samples);
  uint64_t *memory = block_memory(sliced);
  int bits = 0;
  assert(sliced->groups);
  while ((sliced->groups - 1) >> bits) bits++;
  for (size_t at = 0; at < words; at += GT_BLOCK_WORDS) {
    planes count, best, class_of = {{0}};
    run_block(sliced, in, words, at, memory);
    sliced->loops->count(sliced, memory, 0, best.word);
    for (uint32_t k = 1; k < sliced->groups; k++) {
      sliced->loops->count(sliced, memory, k, count.word);
      sliced->loops->choose(sliced->planes, count.word, best.word, class_of.word, k);
    }
    for (size_t s = 0; s < GT_BLOCK_BITS && 64 * at + s < samples; s++)
      classes[64 * at + s] = from_planes(class_of.word, bits, s);
  }
  free(memory);
}

void gt_sliced_count(const gt_sliced *sliced, const uint64_t *in, size_t samples, int32_t *counts) {
  const size_t words = gt_bit_words(samples);
  uint64_t *memory = block_memory(sliced);
  for (size_t at = 0; at < words; at += GT_BLOCK_WORDS) {
    run_block(sliced, in, words, at, memory);
    for (uint32_t k = 0; k < sliced->groups; k++) {
      planes count;
      sliced->loops->count(sliced, memory, k, count.word);
      for (size_t s = 0; s < GT_BLOCK_BITS && 64 * at + s < samples; s++)
        counts[(64 * at + s) * sliced->groups + k] = (int32_t)from_planes(count.word, sliced->planes, s);
    }
  }
  free(memory);
}

/* --- bytes and bits --- */

void gt_bits_pack(const uint8_t *bytes, size_t samples, size_t features, uint64_t *bits) {
  const size_t words = gt_bit_words(samples);
  memset(bits, 0, words * features * sizeof *bits);
  for (size_t s = 0; s < samples; s++)
    for (size_t f = 0; f < features; f++)
      bits[f * words + s / 64] |= (uint64_t)(bytes[s * features + f] != 0) << s % 64;
}

void gt_bits_unpack(const uint64_t *bits, size_t samples, size_t features, uint8_t *bytes) {
  const size_t words = gt_bit_words(samples);
  for (size_t s = 0; s < samples; s++)
    for (size_t f = 0; f < features; f++) bytes[s * features + f] = bits[f * words + s / 64] >> s % 64 & 1;
}
