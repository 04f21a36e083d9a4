#include "step/arrange.h"
#include "base/count.h"
#include "step/math.h"
#include <string.h>

static void fill(float *out, uint32_t n, float value) {
  for (uint32_t i = 0; i < n; i++) out[i] = value;
}

/* GT_LOAD_ROW: the `row` values of x repeat. */
static const float *load_row(const float *x, uint32_t row, uint32_t first, uint32_t n, float *out) {
  const uint32_t at = first % row;
  if (n <= row - at) return x + at;
  uint32_t done = row - at;
  memcpy(out, x + at, done * sizeof *out);
  if (done < n && row < n) { /* copies one period, then repeatedly doubles what has been copied */
    const uint32_t start = done, whole = gt_min_u32(row, n - done);
    memcpy(out + done, x, whole * sizeof *out);
    for (done += whole; done < n;) {
      const uint32_t more = gt_min_u32((done - start) / row * row, n - done);
      memcpy(out + done, out + start, more * sizeof *out);
      done += more;
    }
  } else {
    memcpy(out + done, x, (n - done) * sizeof *out);
  }
  return out;
}

/* GT_LOAD_COLUMN: each value of x is repeated for the `row` elements of its row. */
static const float *load_column(const float *x, uint32_t row, uint32_t first, uint32_t n, float *out) {
  uint32_t index = first / row, left = row - first % row;
  if (row == 1) return x + first;
  for (uint32_t done = 0; done < n; index++, left = row) {
    const uint32_t run = gt_min_u32(left, n - done);
    fill(out + done, run, x[index]);
    done += run;
  }
  return out;
}

/* Layout words: rank, dim[8], stride[input][8]. Returns the offset of element `element` in input k, and its
 * index along each axis. */
static uint64_t general_offset(const uint32_t *layout, int k, uint32_t element, uint32_t index[8]) {
  const uint32_t *dim = layout + 1, *stride = layout + 9 + 8 * k;
  uint64_t offset = 0;
  for (uint32_t d = layout[0]; d-- > 0; element /= dim[d]) {
    index[d] = element % dim[d];
    offset += (uint64_t)index[d] * stride[d];
  }
  return offset;
}

static void load_general(const uint32_t *layout, int k, const float *x, uint32_t first, uint32_t n,
                         float *out) {
  const uint32_t *dim = layout + 1, *stride = layout + 9 + 8 * k;
  const int last = (int)layout[0] - 1;
  uint32_t index[8];
  uint64_t offset = general_offset(layout, k, first, index);
  if (last < 0) {
    fill(out, n, x[0]);
    return;
  }
  while (n) {
    const uint32_t run = gt_min_u32(n, dim[last] - index[last]), last_stride = stride[last];
    if (last_stride == 0)
      fill(out, run, x[offset]);
    else if (last_stride == 1)
      memcpy(out, x + offset, run * sizeof *out);
    else
      for (uint32_t i = 0; i < run; i++) out[i] = x[offset + (uint64_t)i * last_stride];
    out += run;
    n -= run;
    offset -= (uint64_t)index[last] * last_stride;
    index[last] = 0;
    for (int d = last - 1; d >= 0; d--) {
      offset += stride[d];
      if (++index[d] < dim[d]) break;
      offset -= (uint64_t)dim[d] * stride[d];
      index[d] = 0;
    }
  }
}

/* Position of a pixel in an image that is divided into windows (GT_LOAD_SPREAD, GT_LOAD_CHOICE). */
typedef struct window_position {
  uint32_t height, width; /* of a window */
  uint32_t columns;       /* pixels per line of the image */
  uint32_t column;        /* the pixel's column in the image */
  uint32_t x, y;          /* its position in its window */
  uint32_t window;        /* the number of the window, over all images */
} window_position;

static window_position window_position_of(uint32_t load, uint32_t row, uint32_t element) {
  const uint32_t height = GT_LOAD_HEIGHT(load), width = GT_LOAD_WIDTH(load);
  const uint32_t columns = GT_LOAD_COLUMNS(load), position = element / row;
  const uint32_t column = position % columns, line = position / columns;
  return (window_position){.height = height,
                           .width = width,
                           .columns = columns,
                           .column = column,
                           .x = column % width,
                           .y = line % height,
                           .window = line / height * (columns / width) + column / width};
}

/* Advances to the next pixel without a division. */
static void next_position(window_position *c) {
  c->column++;
  if (++c->x < c->width) return;
  c->x = 0;
  c->window++;
  if (c->column < c->columns) return;
  c->column = 0;
  if (++c->y < c->height)
    c->window -= c->columns / c->width; /* the next line has the same windows */
  else
    c->y = 0;
}

GT_MATH void compare_bytes(const uint8_t *restrict from, uint8_t byte, uint32_t n, float *restrict out) {
  for (uint32_t i = 0; i < n; i++) out[i] = gt_pick(from[i] == byte, 1.0f, 0.0f);
}

GT_CLONES static void load_by_window(uint32_t load, const float *x, uint32_t row, uint32_t first, uint32_t n,
                                     float *out) {
  const uint8_t *bytes = (const uint8_t *)x;
  window_position c = window_position_of(load, row, first);
  for (uint32_t at = first % row, run; n; out += run, n -= run, at = 0, next_position(&c)) {
    const size_t from = (size_t)c.window * row + at;
    run = gt_min_u32(row - at, n);
    if (GT_LOAD_MODE(load) == GT_LOAD_SPREAD)
      memcpy(out, x + from, run * sizeof *out);
    else
      compare_bytes(bytes + from, (uint8_t)(c.y * c.width + c.x), run, out);
  }
}

const float *gt_program_load(const gt_program_context *context, uint32_t k, uint32_t first, uint32_t n,
                             float *out) {
  const float *x = context->x[k];
  const uint32_t load = context->program->load[k];
  switch (GT_LOAD_MODE(load)) {
  case GT_LOAD_SAME: return x + first;
  case GT_LOAD_SCALAR: fill(out, n, x[0]); return out;
  case GT_LOAD_ROW: return load_row(x, context->row_length, first, n, out);
  case GT_LOAD_COLUMN: return load_column(x, context->row_length, first, n, out);
  case GT_LOAD_SPREAD:
  case GT_LOAD_CHOICE: load_by_window(load, x, context->row_length, first, n, out); return out;
  default: load_general(context->layout, (int)k, x, first, n, out); return out;
  }
}

void gt_program_load_strided(const gt_program_context *context, uint32_t k, uint32_t first, uint32_t stride,
                             uint32_t n, float *out) {
  const float *x = context->x[k];
  uint32_t element = first, index[8];
  const uint32_t load = context->program->load[k];
  for (uint32_t i = 0; i < n; i++, element += stride) switch (GT_LOAD_MODE(load)) {
    case GT_LOAD_SAME: out[i] = x[element]; break;
    case GT_LOAD_SCALAR: out[i] = x[0]; break;
    case GT_LOAD_ROW: out[i] = x[element % context->row_length]; break;
    case GT_LOAD_COLUMN: out[i] = x[element / context->row_length]; break;
    case GT_LOAD_SPREAD:
    case GT_LOAD_CHOICE: load_by_window(load, x, context->row_length, element, 1, &out[i]); break;
    default: out[i] = x[general_offset(context->layout, (int)k, element, index)]; break;
    }
}
