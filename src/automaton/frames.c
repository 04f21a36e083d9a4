#include "automaton/frames.h"
#include "base/file.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gt_frames_open(gt_frames *f, const gt_frames_settings *settings, const gt_board *board,
                    gt_error *error) {
  void *cells = NULL, *pixels = NULL;
  *f = (gt_frames){.settings = *settings};
  if (!settings->folder && !settings->animation) return true;
  const uint64_t height = (uint64_t)board->height * settings->scale,
                 width = (uint64_t)board->width * settings->scale;
  if (height > GT_PNG_MAX_SIDE || width > GT_PNG_MAX_SIDE)
    return gt_fail(
        error, GT_ERR_USAGE,
        "images of %llux%llu pixels are too large, at most %d per side are possible; use a smaller --scale",
        (unsigned long long)height, (unsigned long long)width, GT_PNG_MAX_SIDE);
  if (!gt_try_alloc(&cells, board->height, board->width, "the pictures", error)) return false;
  f->cells = cells;
  if (!gt_try_alloc(&pixels, height * width, settings->shown, "the pictures", error)) return false;
  f->picture = (gt_picture){(uint32_t)height, (uint32_t)width, settings->shown, pixels};
  if (settings->folder && !gt_make_directories(settings->folder, error)) return false;
  return !settings->animation || gt_animation_open(&f->animation, settings->animation,
                                                   (uint32_t)settings->frames, settings->delay_ms, error);
}

/* Draws a channel of the board, channel[index] of the settings, into channel `index` of the image. */
static void draw(gt_frames *f, const gt_board *board, uint32_t index) {
  const uint32_t scale = f->settings.scale;
  const size_t row = (size_t)f->picture.width * f->picture.channels;
  uint8_t *to = f->picture.data + index;
  const uint8_t *cell = f->cells;
  gt_board_channel(board, f->settings.channel[index], f->cells, 1);
  for (uint32_t y = 0; y < board->height; y++, to += row * scale)
    for (uint32_t x = 0; x < board->width; x++, cell++)
      for (uint32_t j = 0; j < scale; j++)
        for (uint32_t i = 0; i < scale; i++)
          to[j * row + ((size_t)x * scale + i) * f->picture.channels] = *cell ? 255 : 0;
}

bool gt_frames_add(gt_frames *f, const gt_board *board, int64_t step, gt_error *error) {
  if (!f->picture.data) return true;
  for (uint32_t c = 0; c < f->settings.shown; c++) draw(f, board, c);
  if (f->settings.folder) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/step-%06lld.png", f->settings.folder, (long long)step);
    if (length < 0 || (size_t)length >= sizeof path)
      return gt_fail(error, GT_ERR_IO, "%s: the path is too long", f->settings.folder);
    if (!gt_png_write(path, &f->picture, error)) return false;
  }
  return !f->settings.animation || gt_animation_add(&f->animation, &f->picture, error);
}

bool gt_frames_close(gt_frames *f, gt_error *error) {
  const bool ok = gt_animation_close(&f->animation, error);
  free(f->cells);
  gt_picture_finish(&f->picture);
  *f = (gt_frames){0};
  return ok;
}
