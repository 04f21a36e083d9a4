/* im2col on the CPU ("patches"), and its geometry, whose words shaders/op/matmul/patches.h describes. */
#include "op/matmul/patches.h"
#include "base/count.h"
#include "base/memory.h"
#include "step/math.h"
#include <assert.h>
#include <string.h>

enum { QUAD = 4 };

/* --- geometry ------------------------------------------------------------------------------------------- */

static uint32_t group_channels(const gt_patches *p) { return p->channels / p->groups; }

/* True if patches at positions of the axis' phase contain this filter tap; without by_phase they have all. */
static bool hits(const gt_patches *p, const gt_patches_axis *axis, uint32_t tap) {
  const uint64_t along = (uint64_t)tap * axis->dilation;
  return !p->by_phase || along % axis->stride == (axis->phase + axis->before) % axis->stride;
}

static uint32_t taps_along(const gt_patches *p, const gt_patches_axis *axis) {
  uint32_t count = 0;
  for (uint32_t tap = 0; tap < axis->kernel; tap++) count += hits(p, axis, tap);
  return count;
}

static uint32_t positions_along(const gt_patches *p, const gt_patches_axis *axis) {
  if (!p->by_phase) return axis->positions;
  return axis->positions > axis->phase ? (axis->positions - axis->phase - 1) / axis->stride + 1 : 0;
}

uint32_t gt_patches_length(const gt_patches *p) {
  uint32_t count = group_channels(p);
  for (uint32_t a = 0; a < p->rank; a++) count *= taps_along(p, &p->axis[a]);
  return count;
}

uint32_t gt_patches_lines(const gt_patches *p) {
  uint32_t count = 1;
  for (uint32_t a = 0; a < p->rank; a++) count *= positions_along(p, &p->axis[a]);
  return count;
}

/* Sets magic and shift so that (2 n * magic >> 32) >> shift is n / d for all n below 2^31. */
static void set_divisor(uint32_t d, uint32_t *magic, uint32_t *shift) {
  *shift = 0;
  while ((UINT64_C(1) << *shift) < d) ++*shift;
  *magic = (uint32_t)((UINT64_C(1) << (31 + *shift)) / d + 1);
}

static void set_axis(const gt_patches *p, const gt_patches_axis *axis, uint32_t step, uint32_t row,
                     uint32_t *word) {
  word[GT_PATCHES_SIZE] = axis->size;
  word[GT_PATCHES_STEP] = step;
  word[GT_PATCHES_POSITIONS] = positions_along(p, axis);
  set_divisor(word[GT_PATCHES_POSITIONS], &word[GT_PATCHES_MAGIC], &word[GT_PATCHES_SHIFT]);
  word[GT_PATCHES_EACH] = p->back ? 1 : axis->stride;
  word[GT_PATCHES_LIFT] = p->by_phase ? (axis->before + axis->phase) / axis->stride
                          : p->back   ? axis->before
                                      : 0;
  word[GT_PATCHES_LOW] = p->back ? 0 : axis->before;
  word[GT_PATCHES_HOLES] = p->back && !p->by_phase ? axis->stride : 1;
  word[GT_PATCHES_APART] = p->by_phase ? axis->stride : 1;
  word[GT_PATCHES_FIRST] = p->by_phase ? axis->phase : 0;
  word[GT_PATCHES_ROW] = row;
}

/* Fills the table entry of a channel of a tap, whose number along each axis is given. */
static void set_entry(const gt_patches *p, const uint32_t *tap, uint32_t channel, const uint32_t *geometry,
                      uint32_t *entry) {
  entry[0] = channel;
  for (uint32_t a = 0; a < p->rank; a++) {
    const gt_patches_axis *axis = &p->axis[a];
    const uint32_t along = tap[a] * axis->dilation;
    entry[1 + a] = p->back ? 0 - along / axis->stride : along;
    entry[0] += entry[1 + a] * geometry[GT_PATCHES_AXIS + a * GT_PATCHES_OF_AXIS + GT_PATCHES_STEP];
    if (p->back && !p->by_phase) entry[4] |= along % axis->stride << a * GT_PATCHES_PHASE;
  }
}

/* Advances to the next tap that hits; false after the last one. */
static bool next_tap(const gt_patches *p, uint32_t *tap) {
  for (uint32_t a = 0; a < p->rank; a++) {
    const gt_patches_axis *axis = &p->axis[a];
    while (++tap[a] < axis->kernel)
      if (hits(p, axis, tap[a])) return true;
    tap[a] = 0;
    while (!hits(p, axis, tap[a])) tap[a]++;
  }
  return false;
}

/* Fills the table with the entries of all taps that hit, and the list with the numbers of their weights'
 * lines, one for each channel. each: channels of an entry. */
static void set_taps(const gt_patches *p, uint32_t each, uint32_t *geometry, uint32_t *list) {
  const uint32_t group = group_channels(p);
  uint32_t tap[GT_PATCHES_AXES] = {0}, *entry = geometry + GT_PATCHES_TABLE;
  if (!gt_patches_length(p)) return;
  for (uint32_t a = 0; a < p->rank; a++)
    while (!hits(p, &p->axis[a], tap[a])) tap[a]++;
  do {
    uint32_t number = 0;
    for (uint32_t a = p->rank; a-- > 0;) number = number * p->axis[a].kernel + tap[a];
    for (uint32_t c = 0; c < group; c++) *list++ = number * group + c;
    for (uint32_t c = 0; c < group; c += each, entry += GT_PATCHES_ENTRY)
      set_entry(p, tap, c, geometry, entry);
  } while (next_tap(p, tap));
}

/* By how many places of the image a later position can lie before an earlier one (GT_PATCHES_SLACK): when it
 * advances along an axis, it returns to the start of all inner axes. */
static uint32_t slack_of(const gt_patches *p) {
  int64_t slack = 0, inner_extent = 0, places = 1;
  for (uint32_t a = 0; a < p->rank; a++) {
    const gt_patches_axis *axis = &p->axis[a];
    inner_extent += (int64_t)axis->stride * (axis->positions - 1) * places;
    places *= axis->size;
    slack = gt_max_i64(slack, inner_extent - (a + 1 < p->rank ? p->axis[a + 1].stride * places : places));
  }
  return (uint32_t)slack;
}

uint32_t *gt_patches_geometry(const gt_patches *p, size_t *words, uint32_t *own) {
  const uint32_t group = group_channels(p), each = group % QUAD ? 1 : QUAD, length = gt_patches_length(p);
  const uint32_t entries = gt_max_u32(length / each, 1), listed = gt_max_u32(length, 1);
  const uint32_t list = GT_PATCHES_TABLE + entries * GT_PATCHES_ENTRY;
  *words = (size_t)list + listed;
  uint32_t *geometry = gt_alloc(*words * sizeof *geometry);
  uint32_t step = p->channels, row = 1, holes = 0;
  memset(geometry, 0, *words * sizeof *geometry);
  for (uint32_t a = 0; a < p->rank; a++) {
    assert(p->axis[a].stride < 1u << GT_PATCHES_PHASE);
    set_axis(p, &p->axis[a], step, row, geometry + GT_PATCHES_AXIS + a * GT_PATCHES_OF_AXIS);
    step *= p->axis[a].size;
    row *= p->axis[a].positions;
    holes |= p->back && !p->by_phase && p->axis[a].stride > 1;
  }
  geometry[GT_PATCHES_ENTRIES] = entries;
  geometry[GT_PATCHES_IMAGE] = step;
  geometry[GT_PATCHES_CHANNELS] = group;
  geometry[GT_PATCHES_RUN] = !p->back && p->groups == 1 && p->axis[0].dilation == 1 ? p->axis[0].kernel : 1;
  geometry[GT_PATCHES_LIST] = list;
  geometry[GT_PATCHES_LISTED] = listed;
  geometry[GT_PATCHES_ROWS] = row;
  geometry[GT_PATCHES_SLACK] = slack_of(p);
  set_taps(p, each, geometry, geometry + list);
  own[GT_PATCHES_SPEC_RANK - GT_FACTOR_SPEC_OWN] = p->rank;
  own[GT_PATCHES_SPEC_QUADS - GT_FACTOR_SPEC_OWN] = each == QUAD;
  own[GT_PATCHES_SPEC_HOLES - GT_FACTOR_SPEC_OWN] = holes;
  return geometry;
}

/* --- elements on the CPU -------------------------------------------------------------------------------- */

/* Lines of one image whose positions differ only along the innermost axis. */
typedef struct segment {
  const uint32_t *geometry, *axis[GT_PATCHES_AXES];
  uint32_t rank, at[GT_PATCHES_AXES], image; /* at, image: position of the first line */
  uint32_t lines;
  /* Of the first line: its element in the image, its place along each axis, and the phases of the axes as in
   * a table entry, without that of the innermost one. */
  uint32_t offset, place[GT_PATCHES_AXES], phase;
} segment;

static void find_places(segment *s) {
  s->offset = s->image * s->geometry[GT_PATCHES_IMAGE];
  s->phase = 0;
  for (uint32_t a = 0; a < s->rank; a++) {
    const uint32_t *axis = s->axis[a], holes = axis[GT_PATCHES_HOLES];
    const uint32_t at = s->at[a] * axis[GT_PATCHES_EACH] + axis[GT_PATCHES_LIFT];
    if (a) s->phase |= at % holes << a * GT_PATCHES_PHASE;
    s->place[a] = at / holes - axis[GT_PATCHES_LOW];
    s->offset += s->place[a] * axis[GT_PATCHES_STEP];
  }
}

/* The segment that starts with this line, of at most `lines` lines. */
static segment begin_at(const gt_factor *factor, uint32_t line, uint32_t lines) {
  segment s = {.geometry = factor->geometry, .rank = factor->spec[GT_PATCHES_SPEC_RANK]};
  for (uint32_t a = 0; a < s.rank; a++) {
    s.axis[a] = s.geometry + GT_PATCHES_AXIS + a * GT_PATCHES_OF_AXIS;
    s.at[a] = line % s.axis[a][GT_PATCHES_POSITIONS];
    line /= s.axis[a][GT_PATCHES_POSITIONS];
  }
  s.image = line;
  s.lines = gt_min_u32(lines, s.axis[0][GT_PATCHES_POSITIONS] - s.at[0]);
  find_places(&s);
  return s;
}

/* Advances to the next segment, of at most `lines` lines. */
static void go_on(segment *s, uint32_t lines) {
  uint32_t a = 1;
  s->at[0] = 0;
  while (a < s->rank && ++s->at[a] == s->axis[a][GT_PATCHES_POSITIONS]) s->at[a++] = 0;
  s->image += a >= s->rank;
  s->lines = gt_min_u32(lines, s->axis[0][GT_PATCHES_POSITIONS]);
  find_places(s);
}

/* Elements [first, first + count) of a run: elements of a line that are neighbours in the image. The piece is
 * written to `to` for each line, with `step` floats from line to line. */
typedef struct piece {
  const float *from;     /* elements of the image */
  const uint32_t *entry; /* table entry with which the run starts */
  uint32_t first, count;
  float *to;
  size_t step;
} piece;

#define FIXED(size)                                                     \
  if (n == size) {                                                      \
    for (uint32_t i = 0; i < lines; i++, to += step, from += from_step) \
      for (int k = 0; k < size; k++) to[k] = from[k];                   \
    return;                                                             \
  }
/* Copies n elements of each line. Most pieces are short, so frequent lengths are copied without a call. */
GT_CLONES static void copy_lines(float *to, size_t step, const float *from, size_t from_step, uint32_t lines,
                                 uint32_t n) {
  FIXED(1)
  FIXED(2)
  FIXED(3)
  FIXED(4)
  FIXED(5)
  FIXED(6)
  FIXED(7)
  FIXED(8)
  FIXED(12)
  FIXED(16)
  FIXED(24)
  FIXED(32)
  for (uint32_t i = 0; i < lines; i++, to += step, from += from_step) memcpy(to, from, n * sizeof *to);
}

static void clear_lines(float *to, size_t step, uint32_t lines, uint32_t n) {
  for (uint32_t i = 0; i < lines; i++, to += step)
    for (uint32_t k = 0; k < n; k++) to[k] = 0;
}

/* One line, whose run starts at `place` of the innermost axis: elements outside of the image are 0. */
static void make_clipped(const segment *s, const piece *p, int64_t place, uint32_t offset, float *to) {
  const int64_t size = s->axis[0][GT_PATCHES_SIZE], each = s->geometry[GT_PATCHES_CHANNELS];
  const int64_t first = gt_max_i64(place < 0 ? -place * each : 0, p->first);
  const int64_t end = gt_min_i64((size - place) * each, p->first + p->count);
  if (first >= end) {
    clear_lines(to, 0, 1, p->count);
    return;
  }
  clear_lines(to, 0, 1, (uint32_t)(first - p->first));
  copy_lines(to + first - p->first, 0, p->from + (uint32_t)(offset + first), 0, 1, (uint32_t)(end - first));
  clear_lines(to + end - p->first, 0, 1, (uint32_t)(p->first + p->count - end));
}

/* The innermost axis has holes (the image is the output of a convolution with strides), so each line has a
 * phase of its own. */
static void make_with_holes(const segment *s, const piece *p, uint32_t offset) {
  const uint32_t *axis = s->axis[0], holes = axis[GT_PATCHES_HOLES];
  const uint32_t phase = p->entry[4] & ((1u << GT_PATCHES_PHASE) - 1);
  const uint32_t first = s->at[0] * axis[GT_PATCHES_EACH] + axis[GT_PATCHES_LIFT];
  for (uint32_t i = 0; i < s->lines; i++) {
    const uint32_t at = first + i * axis[GT_PATCHES_EACH], moved = at / holes - first / holes;
    float *to = p->to + i * p->step;
    if (at % holes == phase)
      make_clipped(s, p, (int32_t)(s->place[0] + moved + p->entry[1]), offset + moved * axis[GT_PATCHES_STEP],
                   to);
    else
      clear_lines(to, 0, 1, p->count);
  }
}

/* Writes a piece for all lines of the segment. Those whose run is inside the image are copied together. */
static void make_piece(const segment *s, const piece *p, uint32_t run) {
  const uint32_t *axis = s->axis[0], each = axis[GT_PATCHES_EACH], offset = s->offset + p->entry[0];
  bool inside = s->phase >> GT_PATCHES_PHASE == p->entry[4] >> GT_PATCHES_PHASE;
  for (uint32_t a = 1; a < s->rank; a++)
    inside = inside && s->place[a] + p->entry[1 + a] < s->axis[a][GT_PATCHES_SIZE];
  if (!inside) {
    clear_lines(p->to, p->step, s->lines, p->count);
    return;
  }
  if (axis[GT_PATCHES_HOLES] > 1) {
    make_with_holes(s, p, offset);
    return;
  }
  const int64_t place = (int32_t)(s->place[0] + p->entry[1]),
                last = (int64_t)axis[GT_PATCHES_SIZE] - run - place;
  const int64_t begin = gt_min_i64(place < 0 ? gt_ceil_div(-place, each) : 0, s->lines);
  const int64_t end = gt_max_i64(begin, last < 0 ? 0 : gt_min_i64(last / each + 1, s->lines));
  const uint32_t hop = each * axis[GT_PATCHES_STEP];
  for (int64_t i = 0; i < begin; i++)
    make_clipped(s, p, place + i * each, offset + (uint32_t)i * hop, p->to + i * (int64_t)p->step);
  if (begin < end)
    copy_lines(p->to + begin * (int64_t)p->step, p->step,
               p->from + (uint32_t)(offset + (uint32_t)begin * hop + p->first), hop, (uint32_t)(end - begin),
               p->count);
  for (int64_t i = end; i < s->lines; i++)
    make_clipped(s, p, place + i * each, offset + (uint32_t)i * hop, p->to + i * (int64_t)p->step);
}

void gt_patches_make(const gt_factor *factor, uint32_t line, uint32_t lines, uint32_t position,
                     uint32_t positions, float *to, size_t step) {
  const uint32_t *geometry = factor->geometry, run = geometry[GT_PATCHES_RUN];
  const uint32_t length = run * geometry[GT_PATCHES_CHANNELS];
  const uint32_t entries = length / (factor->spec[GT_PATCHES_SPEC_QUADS] ? QUAD : 1);
  segment s = begin_at(factor, line, lines);
  for (;;) {
    piece p = {.from = factor->from + factor->entry * geometry[GT_PATCHES_CHANNELS], .to = to, .step = step};
    uint32_t number = position / length;
    p.first = position % length;
    for (uint32_t done = 0; done < positions; done += p.count, number++, p.first = 0) {
      p.count = gt_min_u32(positions - done, length - p.first);
      p.entry = geometry + GT_PATCHES_TABLE + (size_t)number * entries * GT_PATCHES_ENTRY;
      p.to = to + done;
      make_piece(&s, &p, run);
    }
    lines -= s.lines;
    to += s.lines * step;
    if (!lines) return;
    go_on(&s, lines);
  }
}

void gt_taps_make(const gt_factor *factor, uint32_t line, uint32_t lines, uint32_t position,
                  uint32_t positions, float *to, size_t step) {
  const uint32_t *list = factor->geometry + factor->geometry[GT_PATCHES_LIST] + line;
  const float *from = factor->from + (size_t)factor->entry * factor->stride + position;
  for (uint32_t i = 0; i < lines; i++, to += step)
    memcpy(to, from + (size_t)list[i] * factor->wide, positions * sizeof *to);
}

/* --- rows of the result --------------------------------------------------------------------------------- */

uint32_t gt_patches_rows(const uint32_t *geometry, uint32_t rank, uint32_t line, uint32_t lines,
                         uint32_t *row, uint32_t *apart) {
  const uint32_t *axis = geometry + GT_PATCHES_AXIS;
  const uint32_t at = line % axis[GT_PATCHES_POSITIONS];
  const uint32_t together = gt_min_u32(lines, axis[GT_PATCHES_POSITIONS] - at);
  *row = 0;
  *apart = axis[GT_PATCHES_APART] * axis[GT_PATCHES_ROW];
  for (uint32_t a = 0; a < rank; a++, axis += GT_PATCHES_OF_AXIS) {
    const uint32_t place =
        line % axis[GT_PATCHES_POSITIONS] * axis[GT_PATCHES_APART] + axis[GT_PATCHES_FIRST];
    *row += place * axis[GT_PATCHES_ROW];
    line /= axis[GT_PATCHES_POSITIONS];
  }
  *row += line * geometry[GT_PATCHES_ROWS];
  return together;
}
