/* Distinguishes models of the user's own runs, whose data files the user knows, from models of
 * unknown origin. */
#include "base/arena.h"
#include "base/file.h"
#include "train/model_file.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t most_config = 64 << 20; /* bytes of a resolved config */

static bool is_own(const char *path) {
  struct stat s;
  return lstat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid();
}

/* The `data:` section of a resolved config, as text. */
static gt_span data_section(const char *config) {
  static const char key[] = "\ndata:\n";
  const char *begin = strstr(config, key);
  if (!begin) return (gt_span){0};
  const char *end = begin + sizeof key - 1;
  while (*end == ' ') {
    end += strcspn(end, "\n");
    end += *end == '\n';
  }
  return (gt_span){begin, (size_t)(end - begin)};
}

static bool names_same_data(const char *path, const char *config) {
  gt_error ignored = {0};
  gt_bytes text;
  if (!gt_read_plain_file(path, most_config, &text, &ignored)) return false;
  const gt_span ours = data_section((const char *)text.data), its = data_section(config);
  const bool same = gt_config_is_resolved((const char *)text.data) && its.size && ours.size == its.size &&
                    !memcmp(ours.data, its.data, its.size);
  gt_bytes_finish(&text);
  return same;
}

const char *gt_model_file_untrusted(const gt_model_file *file) {
  gt_arena arena;
  gt_arena_init(&arena);
  const char *slash = strrchr(file->path, '/');
  const int length = slash ? (int)(slash + 1 - file->path) : 0;
  const char *config = gt_arena_printf(&arena, "%.*sconfig.yaml", length, file->path);
  const char *lock = gt_arena_printf(&arena, "%.*s.lock", length, file->path);
  const bool ours =
      is_own(file->path) && is_own(lock) && is_own(config) && names_same_data(config, file->config);
  gt_arena_finish(&arena);
  return ours ? NULL : file->path;
}
