/* The files that this process has read as inputs, so that no output replaces one (base/output.h). A file is
 * its device and inode: paths differ between links and spellings. A hash table with linear probing; it is
 * locked, because pictures are opened by several threads. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct file_id {
  bool used;
  uint64_t device, inode;
} file_id;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static file_id *slot;
static size_t slots /* a power of two */, count;

/* The file's slot, or the free one where it belongs. */
static file_id *find(const file_id *id) {
  const uint64_t key[] = {id->device, id->inode};
  size_t i = (size_t)gt_hash(GT_HASH_START, key, sizeof key) & (slots - 1);
  while (slot[i].used && (slot[i].device != id->device || slot[i].inode != id->inode))
    i = (i + 1) & (slots - 1);
  return &slot[i];
}

static void grow(void) {
  file_id *old = slot;
  const size_t before = slots;
  slots = before ? 2 * before : 64;
  slot = gt_alloc(slots * sizeof *slot);
  for (size_t i = 0; i < before; i++)
    if (old[i].used) *find(&old[i]) = old[i];
  free(old);
}

void gt_remember_input(int fd) {
  struct stat s;
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) return;
  const file_id id = {true, (uint64_t)s.st_dev, (uint64_t)s.st_ino};
  pthread_mutex_lock(&lock);
  if (2 * count >= slots) grow();
  file_id *to = find(&id);
  count += !to->used;
  *to = id;
  pthread_mutex_unlock(&lock);
}

bool gt_is_input(const char *path) {
  struct stat s;
  if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return false;
  const file_id id = {true, (uint64_t)s.st_dev, (uint64_t)s.st_ino};
  pthread_mutex_lock(&lock);
  const bool found = slots && find(&id)->used;
  pthread_mutex_unlock(&lock);
  return found;
}
