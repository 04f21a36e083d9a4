/* Accepts a run directory in place of a model file. */
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "train/file/model_file.h"
#include <string.h>
#include <sys/stat.h>

static const uint64_t max_config_bytes = 64 << 20; /* a run does not write a larger config.yaml */

bool gt_config_is_resolved(const char *text) {
  static const char seed[] = "seed: ", data[] = "\ndata:\n  format: ";
  if (strncmp(text, seed, sizeof seed - 1)) return false;
  text += sizeof seed - 1;
  text += strspn(text, "0123456789");
  return !strncmp(text, data, sizeof data - 1);
}

static bool is_run(const char *config) {
  gt_error ignored = {0};
  gt_bytes text;
  if (!gt_read_plain_file(config, max_config_bytes, &text, &ignored)) return false;
  const bool resolved = gt_config_is_resolved((const char *)text.data);
  gt_bytes_finish(&text);
  return resolved;
}

static bool fail_no_model(gt_arena *arena, const char *folder, const char *best, gt_error *error) {
  const char *config = gt_arena_printf(arena, "%s/config.yaml", folder);
  if (!is_run(config))
    return gt_fail(error, GT_ERR_IO,
                   "%s is a folder without a model.bin; expected a model file or a run directory", folder);
  const char *so_far =
      gt_file_exists(best) ? gt_arena_printf(arena, " Its best model so far is %s.", best) : "";
  return gt_fail(error, GT_ERR_IO,
                 "the run in %s has not finished: it has no model.bin yet.%s Continue it with:\n"
                 "  gtrain train %s %s --resume",
                 folder, so_far, gt_shell_word(arena, config), gt_shell_option(arena, "run-dir", folder));
}

/* What a file is by its name, if it is no model; else NULL. */
static const char *other_kind(const char *path) {
  static const char *const kinds[][2] = {
      {".yaml", "config"}, {".yml", "config"}, {".csv", "table"}, {".tsv", "table"}};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(dot, kinds[i][0])) return kinds[i][1];
  return NULL;
}

const char *gt_model_path(gt_arena *arena, const char *path, gt_error *error) {
  struct stat s;
  const bool exists = stat(path, &s) == 0;
  const char *kind = exists && S_ISREG(s.st_mode) ? other_kind(path) : NULL;
  if (kind) {
    gt_fail(error, GT_ERR_DATA, "%s is a %s, not a model; expected a model.bin or a run directory", path,
            kind);
    return NULL;
  }
  if (!exists || !S_ISDIR(s.st_mode)) return path;
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  const char *folder = gt_arena_strndup(arena, path, length);
  const char *model = gt_arena_printf(arena, "%s/model.bin", folder);
  const char *best = gt_arena_printf(arena, "%s/best.bin", folder);
  if (!gt_file_exists(model)) return fail_no_model(arena, folder, best, error), NULL;
  return model;
}
