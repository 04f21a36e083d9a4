/* Where what only saves time is kept from one process to the next: $GTRAIN_CACHE_DIR, else
 * $XDG_CACHE_HOME/gtrain, else ~/.cache/gtrain. Whatever is wrong with it must not stop anybody. */
#ifndef GT_BASE_CACHE_H
#define GT_BASE_CACHE_H
/* The path of that name there, to be freed; NULL: this process has no such place. The folder may not be there
 * yet. */
char *gt_cache_path(const char *name);
#endif
