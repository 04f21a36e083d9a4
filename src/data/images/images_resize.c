/* Resizes the rows of an image to the size of a sample. */
#include "base/count.h"
#include "base/memory.h"
#include "data/images/images.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void axis_finish(gt_image_axis *axis) {
  free(axis->start);
  free(axis->weight);
  *axis = (gt_image_axis){0};
}

/* Sets the weights of one position: a triangle of half-width `radius`, centered at `center` of a source with
 * `length` positions. */
static void set_weights(gt_image_axis *axis, int64_t position, double center, double radius, int64_t length) {
  const int64_t low = (int64_t)floor(center - radius + 0.5), high = (int64_t)floor(center + radius + 0.5);
  const int64_t start = low > 0 ? low : 0, end = high < length ? high : length;
  float *weight = axis->weight + position * axis->max_count;
  double total = 0;
  axis->start[position] = start;
  axis->count[position] = end - start;
  for (int64_t i = start; i < end; i++) total += fmax(0, 1 - fabs((double)i + 0.5 - center) / radius);
  for (int64_t i = start; i < end; i++)
    weight[i - start] = (float)(fmax(0, 1 - fabs((double)i + 0.5 - center) / radius) / total);
}

/* Prepares resizing of `length` source positions to `resized` positions, of which the sample has `positions`,
 * beginning at `first`. */
static bool axis_init(gt_image_axis *axis, int64_t length, int64_t resized, int64_t first, int64_t positions,
                      const char *path, gt_error *error) {
  void *starts, *weights;
  const double scale = (double)length / (double)resized, radius = fmax(scale, 1);
  axis->max_count = 2 * (int64_t)ceil(radius) + 2;
  if (!gt_try_alloc(&starts, (uint64_t)positions, 2 * sizeof *axis->start, path, error)) return false;
  axis->start = starts;
  axis->count = axis->start + positions;
  if (!gt_try_alloc(&weights, (uint64_t)positions * (uint64_t)axis->max_count, sizeof *axis->weight, path,
                    error))
    return false;
  axis->weight = weights;
  for (int64_t i = 0; i < positions; i++)
    set_weights(axis, i, ((double)(first + i) + 0.5) * scale, radius, length);
  return true;
}

/* The size to which an image is scaled before its center is cropped: the smallest that covers the sample. */
static void find_scaled_size(const gt_image_form *form, int64_t height, int64_t width, int64_t *scaled_height,
                             int64_t *scaled_width) {
  *scaled_height = form->height, *scaled_width = form->width;
  if (form->stretched) return;
  if (height * form->width <= width * form->height)
    *scaled_width = width * form->height / height;
  else
    *scaled_height = height * form->width / width;
}

bool gt_resizer_init(gt_resizer *r, const gt_image_form *form, int64_t height, int64_t width, uint8_t *out,
                     const char *path, gt_error *error) {
  int64_t scaled_height, scaled_width;
  void *resized_row, *sum;
  *r = (gt_resizer){.height = form->height, .width = form->width, .channels = form->channels, .out = out};
  find_scaled_size(form, height, width, &scaled_height, &scaled_width);
  r->left = gt_half_to_even(scaled_width - form->width);
  r->top = gt_half_to_even(scaled_height - form->height);
  r->plain = scaled_height == height && scaled_width == width;
  if (r->plain) return true;
  const uint64_t values = (uint64_t)(r->width * r->channels);
  if (!axis_init(&r->x, width, scaled_width, r->left, r->width, path, error) ||
      !axis_init(&r->y, height, scaled_height, r->top, r->height, path, error) ||
      !gt_try_alloc(&resized_row, values, sizeof *r->resized_row, path, error))
    return false;
  r->resized_row = resized_row;
  if (!gt_try_alloc(&sum, (uint64_t)r->height * values, sizeof *r->sum, path, error)) return false;
  r->sum = sum;
  return true;
}

void gt_resizer_finish(gt_resizer *r) {
  axis_finish(&r->x);
  axis_finish(&r->y);
  free(r->resized_row);
  free(r->sum);
  *r = (gt_resizer){0};
}

/* Resizes a row horizontally into r->resized_row. Inline, so that it is specialized for each number of
 * channels. */
static inline void resize_row(const gt_resizer *r, const uint8_t *row, int64_t channels) {
  float *to = r->resized_row;
  for (int64_t x = 0; x < r->width; x++, to += channels) {
    const uint8_t *from = row + r->x.start[x] * channels;
    const float *weight = r->x.weight + x * r->x.max_count;
    float value[3] = {0};
    for (int64_t i = 0; i < r->x.count[x]; i++, from += channels)
      for (int64_t c = 0; c < channels; c++) value[c] += weight[i] * (float)from[c];
    for (int64_t c = 0; c < channels; c++) to[c] = value[c];
  }
}

static void round_row(const gt_resizer *r, int64_t y) {
  const int64_t values = r->width * r->channels;
  const float *from = r->sum + y * values;
  uint8_t *to = r->out + y * values;
  for (int64_t i = 0; i < values; i++) {
    const float value = from[i] + 0.5f;
    to[i] = value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
  }
}

void gt_resizer_row(gt_resizer *r, const uint8_t *row) {
  const int64_t at = r->row++, values = r->width * r->channels;
  if (r->plain) {
    if (at >= r->top && at < r->top + r->height)
      memcpy(r->out + (at - r->top) * values, row + r->left * r->channels, (size_t)values);
    return;
  }
  if (r->next == r->height || at < r->y.start[r->next]) return;
  if (r->channels == 3)
    resize_row(r, row, 3);
  else
    resize_row(r, row, 1);
  for (int64_t y = r->next; y < r->height && r->y.start[y] <= at; y++) {
    const float weight = r->y.weight[y * r->y.max_count + at - r->y.start[y]];
    float *sum = r->sum + y * values;
    for (int64_t i = 0; i < values; i++) sum[i] += weight * r->resized_row[i];
  }
  for (; r->next < r->height && at + 1 == r->y.start[r->next] + r->y.count[r->next]; r->next++)
    round_row(r, r->next);
}
