#include "op/matmul/patches.h"
#include "base/memory.h"
#include <assert.h>
#include <string.h>

enum { QUAD = 4 };

/* --- geometry ------------------------------------------------------------------------------------------- */

static uint32_t group_channels(const gt_patches *p) { return p->channels / p->groups; }

static uint32_t taps(const gt_patches *p) {
  uint32_t count = 1;
  for (uint32_t a = 0; a < p->rank; a++) count *= p->axis[a].kernel;
  return count;
}

uint32_t gt_patches_length(const gt_patches *p) { return taps(p) * group_channels(p); }

/* So that (2 n * magic >> 32) >> shift is n / d for all n below 2^31. */
static void set_divisor(uint32_t d, uint32_t *magic, uint32_t *shift) {
  *shift = 0;
  while ((UINT64_C(1) << *shift) < d) ++*shift;
  *magic = (uint32_t)((UINT64_C(1) << (31 + *shift)) / d + 1);
}

static void set_axis(const gt_patches *p, const gt_patches_axis *axis, uint32_t step, uint32_t *word) {
  word[GT_PATCHES_SIZE] = axis->size;
  word[GT_PATCHES_STEP] = step;
  word[GT_PATCHES_POSITIONS] = axis->positions;
  set_divisor(axis->positions, &word[GT_PATCHES_MAGIC], &word[GT_PATCHES_SHIFT]);
  word[GT_PATCHES_EACH] = p->back ? 1 : axis->stride;
  word[GT_PATCHES_LIFT] = p->back ? axis->before : 0;
  word[GT_PATCHES_LOW] = p->back ? 0 : axis->before;
  word[GT_PATCHES_HOLES] = p->back ? axis->stride : 1;
}

/* What tap number `tap` adds, and its channel `channel`. */
static void set_entry(const gt_patches *p, uint32_t tap, uint32_t channel, const uint32_t *geometry,
                      uint32_t *entry) {
  memset(entry, 0, GT_PATCHES_ENTRY * sizeof *entry);
  entry[0] = channel;
  for (uint32_t a = 0; a < p->rank; a++) {
    const gt_patches_axis *axis = &p->axis[a];
    const uint32_t along = tap % axis->kernel * axis->dilation;
    const uint32_t place = p->back ? 0 - along / axis->stride : along;
    tap /= axis->kernel;
    entry[0] += place * geometry[GT_PATCHES_AXIS + a * GT_PATCHES_OF_AXIS + GT_PATCHES_STEP];
    entry[1 + a] = place;
    if (p->back) entry[4] |= along % axis->stride << a * GT_PATCHES_PHASE;
  }
}

uint32_t *gt_patches_geometry(const gt_patches *p, size_t *words, uint32_t *spec) {
  const uint32_t group = group_channels(p), each = group % QUAD ? 1 : QUAD, count = taps(p) * (group / each);
  *words = GT_PATCHES_TABLE + (size_t)count * GT_PATCHES_ENTRY;
  uint32_t *geometry = gt_alloc(*words * sizeof *geometry);
  uint32_t step = p->channels, holes = 0;
  memset(geometry, 0, *words * sizeof *geometry);
  for (uint32_t a = 0; a < p->rank; a++) {
    assert(p->axis[a].stride < 1u << GT_PATCHES_PHASE);
    set_axis(p, &p->axis[a], step, geometry + GT_PATCHES_AXIS + a * GT_PATCHES_OF_AXIS);
    step *= p->axis[a].size;
    holes |= p->back && p->axis[a].stride > 1;
  }
  geometry[GT_PATCHES_ENTRIES] = count;
  geometry[GT_PATCHES_IMAGE] = step;
  geometry[GT_PATCHES_CHANNELS] = group;
  geometry[GT_PATCHES_RUN] = !p->back && p->groups == 1 && p->axis[0].dilation == 1 ? p->axis[0].kernel : 1;
  for (uint32_t i = 0; i < count; i++)
    set_entry(p, i * each / group, i * each % group, geometry,
              geometry + GT_PATCHES_TABLE + (size_t)i * GT_PATCHES_ENTRY);
  spec[GT_PATCHES_SPEC_RANK - GT_FACTOR_SPEC_OWN] = p->rank;
  spec[GT_PATCHES_SPEC_QUADS - GT_FACTOR_SPEC_OWN] = each == QUAD;
  spec[GT_PATCHES_SPEC_HOLES - GT_FACTOR_SPEC_OWN] = holes;
  return geometry;
}

/* --- elements on the CPU -------------------------------------------------------------------------------- */

typedef struct walker { /* from line to line */
  const uint32_t *geometry, *axis[GT_PATCHES_AXES];
  uint32_t rank, at[GT_PATCHES_AXES], image; /* the window's position in this image */
  /* of the line, as in the kernel */
  uint32_t offset, place[GT_PATCHES_AXES], phase;
} walker;

static void find_line(walker *w) {
  w->offset = w->image * w->geometry[GT_PATCHES_IMAGE];
  w->phase = 0;
  for (uint32_t a = 0; a < w->rank; a++) {
    const uint32_t *axis = w->axis[a], holes = axis[GT_PATCHES_HOLES];
    const uint32_t at = w->at[a] * axis[GT_PATCHES_EACH] + axis[GT_PATCHES_LIFT],
                   whole = holes > 1 ? at / holes : at;
    if (holes > 1) w->phase |= at % holes << a * GT_PATCHES_PHASE;
    w->place[a] = whole - axis[GT_PATCHES_LOW];
    w->offset += w->place[a] * axis[GT_PATCHES_STEP];
  }
}

static walker walk_from(const gt_factor *factor, uint32_t line) {
  walker w = {.geometry = factor->geometry, .rank = factor->spec[GT_PATCHES_SPEC_RANK]};
  for (uint32_t a = 0; a < w.rank; a++) {
    w.axis[a] = w.geometry + GT_PATCHES_AXIS + a * GT_PATCHES_OF_AXIS;
    w.at[a] = line % w.axis[a][GT_PATCHES_POSITIONS];
    line /= w.axis[a][GT_PATCHES_POSITIONS];
  }
  w.image = line;
  find_line(&w);
  return w;
}

static void next_line(walker *w) {
  uint32_t a = 0;
  while (a < w->rank && ++w->at[a] == w->axis[a][GT_PATCHES_POSITIONS]) w->at[a++] = 0;
  w->image += a == w->rank;
  find_line(w);
}

/* Does the tap of this entry lie in the image, along all axes from the given one on? */
static bool is_inside(const walker *w, const uint32_t *entry, uint32_t from) {
  for (uint32_t a = from; a < w->rank; a++)
    if (w->place[a] + entry[1 + a] >= w->axis[a][GT_PATCHES_SIZE]) return false;
  return w->phase == entry[4];
}

/* Short runs are many: no calls for them. */
static inline void copy(float *to, const float *from, uint32_t n) {
  enum { SHORT = 16 };
  if (n > SHORT)
    memcpy(to, from, n * sizeof *to);
  else
    for (uint32_t i = 0; i < n; i++) to[i] = from[i];
}

static inline void clear(float *to, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) to[i] = 0;
}

/* Which of a run's elements are in the image: [*begin, *end). */
static void clip_run(const walker *w, const uint32_t *entry, uint32_t run, uint32_t *begin, uint32_t *end) {
  const int64_t place = (int32_t)(w->place[0] + entry[1]), size = w->axis[0][GT_PATCHES_SIZE];
  const int64_t first = place < 0 ? -place : 0, last = size - place < run ? size - place : run;
  *begin = *end = 0;
  if (first >= last || !is_inside(w, entry, 1)) return;
  *begin = (uint32_t)first * w->geometry[GT_PATCHES_CHANNELS];
  *end = (uint32_t)last * w->geometry[GT_PATCHES_CHANNELS];
}

typedef struct span { /* elements of a line */
  uint32_t first, count;
} span;

static void make_line(const gt_factor *factor, const walker *w, span s, float *to) {
  const uint32_t *geometry = factor->geometry, run = geometry[GT_PATCHES_RUN];
  const uint32_t length = run * geometry[GT_PATCHES_CHANNELS],
                 each = factor->spec[GT_PATCHES_SPEC_QUADS] ? QUAD : 1;
  const float *from = factor->from + factor->entry * geometry[GT_PATCHES_CHANNELS];
  uint32_t number = s.first / length, skip = s.first % length;
  for (uint32_t done = 0; done < s.count; number++, skip = 0) {
    const uint32_t *entry = geometry + GT_PATCHES_TABLE + (size_t)number * (length / each) * GT_PATCHES_ENTRY;
    const uint32_t stop = s.count - done < length - skip ? skip + s.count - done : length;
    uint32_t begin, end;
    clip_run(w, entry, run, &begin, &end);
    begin = begin < skip ? skip : begin > stop ? stop : begin;
    end = end < begin ? begin : end > stop ? stop : end;
    clear(to + done, begin - skip);
    if (begin < end)
      copy(to + done + begin - skip, from + (uint32_t)(w->offset + entry[0] + begin), end - begin);
    clear(to + done + end - skip, stop - end);
    done += stop - skip;
  }
}

void gt_patches_make(const gt_factor *factor, uint32_t line, uint32_t lines, uint32_t position,
                     uint32_t positions, float *to, size_t step) {
  walker w = walk_from(factor, line);
  for (uint32_t i = 0; i < lines; i++, to += step) {
    make_line(factor, &w, (span){position, positions}, to);
    if (i + 1 < lines) next_line(&w);
  }
}
