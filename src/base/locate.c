#include "base/locate.h"
#include "base/file.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 8 /* levels of nested folders that are compared */ };

const char *gt_folder_of(gt_arena *arena, const char *path) {
  const char *slash = strrchr(path, '/');
  return gt_arena_strndup(arena, path, slash ? (size_t)(slash + 1 - path) : 0);
}

gt_located gt_locate(gt_arena *arena, const char *path, const char *config, const char *origin) {
  enum { ORIGIN, HERE, BESIDE, ABOVE, PLACES }; /* in order of preference */
  const char *place[PLACES] = {[HERE] = path};
  if (path[0] != '/' && config) {
    const char *folder = gt_folder_of(arena, config);
    if (origin) place[ORIGIN] = gt_arena_printf(arena, "%s/%s", origin, path);
    place[BESIDE] = gt_arena_printf(arena, "%s%s", folder, path);
    place[ABOVE] = gt_arena_printf(arena, "%s../%s", folder, path);
  }
  for (int i = 0; i < PLACES; i++)
    if (place[i] && !gt_file_exists(place[i])) place[i] = NULL;
  if (place[BESIDE]) place[ABOVE] = NULL; /* considered only if no file is beside the config */
  gt_located found = {0};
  for (int i = 0; i < PLACES; i++)
    if (place[i] && !found.path)
      found.path = place[i];
    else if (place[i])
      found.other[found.other[0] != NULL] = place[i];
  return found;
}

static bool same_files(const char *a, const char *b) {
  FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
  bool same = true;
  if (x && y) {
    char p[1 << 14], q[1 << 14];
    size_t n;
    do {
      n = fread(p, 1, sizeof p, x);
      same = n == fread(q, 1, sizeof q, y) && !memcmp(p, q, n);
    } while (same && n == sizeof p);
  }
  if (x) fclose(x);
  if (y) fclose(y);
  return same;
}

static bool same(const char *a, const char *b, int depth);

static int is_not_hidden(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static bool same_folders(const char *a, const char *b, int depth) {
  struct dirent **in_a = NULL, **in_b = NULL;
  const int n = scandir(a, &in_a, is_not_hidden, alphasort), m = scandir(b, &in_b, is_not_hidden, alphasort);
  char x[PATH_MAX], y[PATH_MAX];
  bool ok = n == m || n < 0 || m < 0;
  for (int i = 0; i < n && n == m && ok; i++) {
    ok = !strcmp(in_a[i]->d_name, in_b[i]->d_name);
    if (snprintf(x, sizeof x, "%s/%s", a, in_a[i]->d_name) < (int)sizeof x &&
        snprintf(y, sizeof y, "%s/%s", b, in_b[i]->d_name) < (int)sizeof y)
      ok = ok && same(x, y, depth + 1);
  }
  for (int i = 0; i < n; i++) free(in_a[i]);
  for (int i = 0; i < m; i++) free(in_b[i]);
  free(in_a);
  free(in_b);
  return ok;
}

static bool same(const char *a, const char *b, int depth) {
  struct stat x, y;
  if (depth > MAX_DEPTH || stat(a, &x) != 0 || stat(b, &y) != 0) return true;
  if (x.st_dev == y.st_dev && x.st_ino == y.st_ino) return true;
  if (S_ISDIR(x.st_mode) && S_ISDIR(y.st_mode)) return same_folders(a, b, depth);
  if (S_ISREG(x.st_mode) && S_ISREG(y.st_mode)) return x.st_size == y.st_size && same_files(a, b);
  return S_ISREG(x.st_mode) + S_ISDIR(x.st_mode) == 0 || S_ISREG(y.st_mode) + S_ISDIR(y.st_mode) == 0;
}

bool gt_same_content(const char *a, const char *b) { return same(a, b, 0); }
