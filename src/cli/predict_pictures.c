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

/* How each picture's file is called; NULL, before any is written, if two would have one name. */
static const char **choose_paths(const char *folder, int64_t count, const char *const *names, gt_arena *arena,
                                 gt_error *error) {
  const char **path = GT_NEW_N(arena, const char *, count);
  gt_names seen = {.arena = arena};
  for (int64_t i = 0; i < count; i++) {
    const char *name = names ? stem(arena, names[i]) : gt_arena_printf(arena, "%06" PRId64, i);
    path[i] = gt_arena_printf(arena, "%s%s.png", folder, name);
    if (!names || gt_names_add(&seen, name, (int)i) == i) continue;
    gt_fail(error, GT_ERR_USAGE, "two pictures would be called %s", path[i]);
    return NULL;
  }
  return path;
}

static bool write_all(const char *const *path, const gt_tensor *outputs, gt_picture *picture,
                      gt_error *error) {
  bool ok = true;
  for (int64_t i = 0; i < outputs->dim[0] && ok; i++) {
    fill(picture, (const float *)outputs->data + i * gt_tensor_features(outputs));
    ok = gt_png_write(path[i], picture, error);
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
  if (!gt_try_alloc(&data, (uint64_t)gt_tensor_features(outputs), 1, "a picture", error)) return false;
  gt_picture picture = {.height = (uint32_t)outputs->dim[1],
                        .width = (uint32_t)outputs->dim[2],
                        .channels = outputs->rank == 4 ? (uint32_t)outputs->dim[3] : 1,
                        .data = data};
  gt_arena_init(&arena);
  const char **path = choose_paths(folder, outputs->dim[0], names, &arena, error);
  const bool ok = path && gt_make_directories(folder, error) && write_all(path, outputs, &picture, error);
  gt_arena_finish(&arena);
  gt_picture_finish(&picture);
  return ok;
}
