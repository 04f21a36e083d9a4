#include "cli/shipped.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char extension[] = ".yaml";

/* The folder of the program itself; NULL if it is unknown. */
static const char *program_folder(gt_arena *arena) {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return NULL;
  path[length] = 0;
  char *slash = strrchr(path, '/');
  return slash ? gt_arena_strndup(arena, path, (size_t)(slash - path)) : NULL;
}

static const char *find_folder(gt_arena *arena) {
  static const char *const places[] = {".", "..", "../..", "../share/gtrain", "../../share/gtrain"};
  const char *program = program_folder(arena);
  for (size_t i = 0; program && i < sizeof places / sizeof *places; i++) {
    char absolute[PATH_MAX];
    const char *folder = gt_arena_printf(arena, "%s/%s/configs", program, places[i]);
    if (gt_file_exists(gt_arena_printf(arena, "%s/digits.yaml", folder)) && realpath(folder, absolute))
      return gt_arena_strdup(arena, absolute);
  }
  return NULL;
}

static bool read_names(gt_shipped *out, gt_arena *arena, gt_error *error) {
  struct {
    const char **items;
    size_t count, capacity;
  } names = {0};
  DIR *directory = opendir(out->folder);
  if (!directory) return gt_fail_errno(error, GT_ERR_IO, "cannot open directory %s", out->folder);
  /* readdir_r is deprecated, and no other thread uses this directory stream. */
  // cppcheck-suppress readdirCalled
  for (const struct dirent *d; (d = readdir(directory));) {
    const size_t length = strlen(d->d_name), tail = sizeof extension - 1;
    if (d->d_name[0] != '.' && length > tail && !strcmp(d->d_name + length - tail, extension))
      *GT_PUSH(&names) = gt_arena_strndup(arena, d->d_name, length - tail);
  }
  closedir(directory);
  if (names.count) qsort(names.items, names.count, sizeof *names.items, gt_order_texts);
  out->count = (int)names.count;
  out->name = GT_NEW_N(arena, const char *, names.count + 1);
  for (size_t i = 0; i < names.count; i++) out->name[i] = names.items[i];
  free(names.items);
  return true;
}

bool gt_shipped_list(gt_shipped *out, gt_arena *arena, gt_error *error) {
  *out = (gt_shipped){.folder = find_folder(arena)};
  if (!out->folder)
    return gt_fail(
        error, GT_ERR_IO,
        "the configs that come with gtrain are not installed: no share/gtrain/configs was found for this "
        "program");
  return read_names(out, arena, error);
}

const char *gt_shipped_path(const char *name, gt_arena *arena, gt_error *error) {
  gt_shipped shipped;
  if (!gt_shipped_list(&shipped, arena, error)) return NULL;
  for (int i = 0; i < shipped.count; i++)
    if (!strcmp(shipped.name[i], name))
      return gt_arena_printf(arena, "%s/%s%s", shipped.folder, name, extension);
  const char *nearest = gt_nearest(name, shipped.name, (size_t)shipped.count);
  if (nearest)
    gt_fail(error, GT_ERR_IO, "no config '@%s' comes with gtrain; did you mean '@%s'?", name, nearest);
  else
    gt_fail(error, GT_ERR_IO, "no config '@%s' comes with gtrain; `gtrain configs` lists them", name);
  return NULL;
}
