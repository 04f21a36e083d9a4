#include "cli/predict_pictures.h"
#include "base/memory.h"
#include "base/names.h"
#include "data/png.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool are_pictures(const gt_tensor *outputs) {
  const int64_t *dim = outputs->dim;
  if (outputs->rank != 3 && (outputs->rank != 4 || (dim[3] != 1 && dim[3] != 3))) return false;
  return dim[1] <= GT_PNG_MOST_SIDE && dim[2] <= GT_PNG_MOST_SIDE;
}

/* The file's name without its folder and its ending. */
static const char *stem(gt_arena *arena, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return gt_arena_strndup(arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static void fill(gt_picture *picture, const float *values) {
  const size_t count = (size_t)picture->height * picture->width * picture->channels;
  for (size_t i = 0; i < count; i++) {
    const float value = 255 * values[i] + 0.5f;
    picture->data[i] = value >= 255 ? 255 : value > 0 ? (uint8_t)value : 0;
  }
}

static bool write_all(const char *folder, const gt_tensor *outputs, const char *const *names,
                      gt_picture *picture, gt_arena *arena, gt_error *error) {
  gt_names seen = {.arena = arena};
  bool ok = true;
  for (int64_t i = 0; i < outputs->dim[0] && ok; i++) {
    const char *name = names ? stem(arena, names[i]) : gt_arena_printf(arena, "%06" PRId64, i);
    if (names && gt_names_add(&seen, name, (int)i) != i)
      return gt_fail(error, GT_ERR_USAGE, "two pictures would be called %s%s.png", folder, name);
    fill(picture, (const float *)outputs->data + i * gt_tensor_features(outputs));
    ok = gt_png_write(gt_arena_printf(arena, "%s%s.png", folder, name), picture, error);
  }
  return ok;
}

bool gt_predict_write_pictures(const char *folder, const gt_tensor *outputs, const char *const *names,
                               gt_error *error) {
  gt_arena arena;
  void *data;
  if (!are_pictures(outputs))
    return gt_fail(
        error, GT_ERR_USAGE,
        "the model's outputs are no pictures, [height, width] or [height, width, 1 or 3]: --output "
        "%s cannot hold them",
        folder);
  if (!gt_make_directories(folder, error) ||
      !gt_try_alloc(&data, (uint64_t)gt_tensor_features(outputs), 1, "a picture", error))
    return false;
  gt_picture picture = {.height = (uint32_t)outputs->dim[1],
                        .width = (uint32_t)outputs->dim[2],
                        .channels = outputs->rank == 4 ? (uint32_t)outputs->dim[3] : 1,
                        .data = data};
  gt_arena_init(&arena);
  const bool ok = write_all(folder, outputs, names, &picture, &arena, error);
  gt_arena_finish(&arena);
  gt_picture_finish(&picture);
  return ok;
}
