/* Decides whether a model comes from one of the user's own runs, whose data files the user knows, or from
 * elsewhere. */
#include "base/arena.h"
#include "base/file.h"
#include "train/file/model_file.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t max_config_bytes = 64 << 20; /* a run does not write a larger config.yaml */

/* True for a regular file that the user owns. */
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

/* True if the resolved config in a file has the same `data:` section as `config`. */
static bool names_same_data(const char *path, const char *config) {
  gt_error ignored = {0};
  gt_bytes text;
  if (!gt_read_plain_file(path, max_config_bytes, &text, &ignored)) return false;
  const gt_span a = data_section((const char *)text.data), b = data_section(config);
  const bool same = gt_config_is_resolved((const char *)text.data) && b.size && a.size == b.size &&
                    !memcmp(a.data, b.data, b.size);
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
