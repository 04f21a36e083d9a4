#include "cli/predict_pictures.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/output.h"
#include "draw/png.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool are_pictures(const gt_tensor *outputs) {
  const int64_t *dim = outputs->dim;
  if (outputs->rank != 3 && (outputs->rank != 4 || (dim[3] != 1 && dim[3] != 3))) return false;
  return dim[1] <= GT_PNG_MAX_SIDE && dim[2] <= GT_PNG_MAX_SIDE;
}

/* Length of the folder that all paths start with, including its slash. */
static size_t common_folder(const char *const *names, int64_t count) {
  size_t common = strlen(names[0]);
  for (int64_t i = 1; i < count; i++) {
    size_t same = 0;
    while (same < common && names[i][same] == names[0][same]) same++;
    common = same;
  }
  while (common && names[0][common - 1] != '/') common--;
  return common;
}

/* The path without its extension. */
static const char *stem(gt_arena *arena, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return gt_arena_strndup(arena, path, dot && dot > name ? (size_t)(dot - path) : strlen(path));
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool leaves_folder(const char *path) { return !strncmp(path, "../", 3) || strstr(path, "/../"); }

/* Converts values from 0 to 1 to bytes; other values are clamped. */
static void convert(gt_picture *picture, const float *values) {
  const size_t count = (size_t)picture->height * picture->width * picture->channels;
  for (size_t i = 0; i < count; i++) {
    const float value = 255 * values[i] + 0.5f;
    picture->data[i] = value >= 255 ? 255 : value > 0 ? (uint8_t)value : 0;
  }
}

/* *twice: a path that occurs twice, if the result is false. */
static bool all_differ(const char *const *path, int64_t count, gt_arena *arena, const char **twice) {
  gt_names seen = {.arena = arena};
  for (int64_t i = 0; i < count; i++) {
    *twice = path[i];
    if (gt_names_add(&seen, path[i], (int)i) != i) return false;
  }
  return true;
}

/* The file of each image in the folder: named after its sample or, if these names are not unique, with the
 * subfolders of the samples' common folder. NULL if two names are still equal. Writes no file. */
static const char **choose_paths(const char *folder, int64_t count, const char *const *names, gt_arena *arena,
                                 gt_error *error) {
  const char **path = GT_NEW_N(arena, const char *, count), *twice = "";
  for (int64_t i = 0; i < count; i++)
    path[i] = names ? gt_arena_printf(arena, "%s%s.png", folder, stem(arena, file_name(names[i])))
                    : gt_arena_printf(arena, "%s%06" PRId64 ".png", folder, i);
  if (all_differ(path, count, arena, &twice)) return path;
  const size_t common = common_folder(names, count);
  bool inside = true;
  for (int64_t i = 0; i < count; i++) {
    path[i] = gt_arena_printf(arena, "%s%s.png", folder, stem(arena, names[i] + common));
    inside &= !leaves_folder(names[i] + common);
  }
  if (inside && all_differ(path, count, arena, &twice)) return path;
  gt_fail(error, GT_ERR_USAGE, "two images would be written to %s", twice);
  return NULL;
}

/* Fails if a file would replace an input, before the first one is written. */
static bool check_all(const char *const *path, int64_t count, gt_error *error) {
  for (int64_t i = 0; i < count; i++)
    if (!gt_output_check(path[i], error)) return false;
  return true;
}

static bool write_all(const char *const *path, const gt_tensor *outputs, gt_picture *picture,
                      gt_error *error) {
  bool ok = true;
  for (int64_t i = 0; i < outputs->dim[0] && ok; i++) {
    convert(picture, (const float *)outputs->data + i * gt_tensor_features(outputs));
    ok = gt_make_folder_of(path[i], error) && gt_png_write(path[i], picture, error);
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
        "the model's outputs are not images, [height, width] or [height, width, 1 or 3], so they cannot be "
        "written to --output %s",
        folder);
  if (!gt_try_alloc(&data, (uint64_t)gt_tensor_features(outputs), 1, "a picture", error)) return false;
  gt_picture picture = {.height = (uint32_t)outputs->dim[1],
                        .width = (uint32_t)outputs->dim[2],
                        .channels = outputs->rank == 4 ? (uint32_t)outputs->dim[3] : 1,
                        .data = data};
  gt_arena_init(&arena);
  const char **path = choose_paths(folder, outputs->dim[0], names, &arena, error);
  const bool ok = path && check_all(path, outputs->dim[0], error) && gt_make_directories(folder, error) &&
                  write_all(path, outputs, &picture, error);
  gt_arena_finish(&arena);
  gt_picture_finish(&picture);
  return ok;
}
