#include "base/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *gt_cache_path(const char *name) {
  const char *gtrain = getenv("GTRAIN_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char path[4096];
  int length;
  if (gtrain && *gtrain)
    length = snprintf(path, sizeof path, "%s/%s", gtrain, name);
  else if (xdg && *xdg)
    length = snprintf(path, sizeof path, "%s/gtrain/%s", xdg, name);
  else if (home && *home)
    length = snprintf(path, sizeof path, "%s/.cache/gtrain/%s", home, name);
  else
    return NULL;
  return length < (int)sizeof path ? strdup(path) : NULL;
}
