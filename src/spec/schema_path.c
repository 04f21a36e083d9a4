/* Paths in configs: suggests existing ones for missing ones, and warns if a path leads to different files. */
#include "base/file.h"
#include "base/text.h"
#include "spec/schema_value.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 4096 }; /* entries of a directory that are compared */

/* The entry of the directory that is most similar to `name`, or NULL. */
static const char *nearest_in(gt_arena *arena, const char *directory, const char *name) {
  DIR *d = opendir(*directory ? directory : ".");
  if (!d) return NULL;
  const char **names = GT_NEW_N(arena, const char *, MAX_NAMES);
  size_t count = 0;
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  for (struct dirent *entry; count < MAX_NAMES && (entry = readdir(d));)
    if (entry->d_name[0] != '.') names[count++] = gt_arena_strdup(arena, entry->d_name);
  closedir(d);
  return gt_nearest(name, names, count);
}

/* Walks down the path to the first part that does not exist. */
const char *gt_nearest_path(gt_arena *arena, const char *path) {
  char directory[PATH_MAX] = "";
  if (strlen(path) >= sizeof directory) return NULL;
  for (const char *part = path;;) {
    const char *slash = strchr(part, '/');
    const size_t length = slash ? (size_t)(slash - path) : strlen(path);
    char prefix[PATH_MAX];
    snprintf(prefix, sizeof prefix, "%.*s", (int)length, path);
    if (length && !gt_file_exists(prefix)) {
      const char *best = nearest_in(arena, directory, prefix + (part - path));
      return best ? gt_arena_printf(arena, "%.*s%s%s", (int)(part - path), path, best, slash ? slash : "")
                  : NULL;
    }
    if (!slash) return NULL;
    snprintf(directory, sizeof directory, "%.*s", (int)length + 1, path);
    part = slash + 1;
  }
}

void gt_schema_review_path(const gt_spec *node, const gt_located *found, gt_diagnostics *diagnostics) {
  char read[PATH_MAX], ignored[PATH_MAX];
  for (int i = 0; i < 2 && found->other[i]; i++) {
    if (gt_same_content(found->path, found->other[i]) || !gt_absolute_path(found->path, read, sizeof read) ||
        !gt_absolute_path(found->other[i], ignored, sizeof ignored))
      continue;
    gt_finding_at(diagnostics, GT_FINDING_ambiguous_path, node->at,
                  "'%s' leads to different files: %s is read, not %s", node->scalar, read, ignored)
        ->help = "write the absolute path of the file you mean, in the config or with --set";
  }
}
