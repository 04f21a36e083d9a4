/* Directory for caches that only save time: $GTRAIN_CACHE_DIR, else $XDG_CACHE_HOME/gtrain, else
 * ~/.cache/gtrain. An error there must never stop a run. */
#ifndef GT_BASE_CACHE_H
#define GT_BASE_CACHE_H
/* The path of a cache file, to be freed; NULL: no such directory is known. The directory may not exist
 * yet. */
char *gt_cache_path(const char *name);
#endif
