/* The image cache: decoded images of a dataset in one file, so that later runs need not decode them. A
 * header with one key per split; then per split one byte per file (GT_IMAGE_READABLE and others), the
 * samples, and a fingerprint of both. The file is private: native byte order, rewritten whenever its key or
 * fingerprint does not match. */
#include "base/fingerprint.h"
#include "base/log.h"
#include "base/memory.h"
#include "data/images/images.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SETS = 2, FORMAT = 4 }; /* FORMAT: version of this file format */

typedef struct header {
  char magic[8];
  uint64_t key[MAX_SETS];
  int64_t files[MAX_SETS], samples[MAX_SETS];
} header;

static const char magic[8] = "gtimage";

static uint64_t add_form(uint64_t key, const gt_image_form *form) {
  const int64_t all[] = {form->height,  form->width,     form->channels,
                         form->resized, form->stretched, form->max_pixels};
  return gt_fingerprint(key, all, sizeof all);
}

/* Adds the attributes of a file to the key. The modification time is not enough: tar and `cp -p` restore it,
 * so swapped files of equal size would look unchanged. A rename keeps the inode, and no program can set
 * ctime. */
static uint64_t add_file(uint64_t key, const char *path) {
  struct stat s;
  int64_t about[6] = {-1};
  if (stat(path, &s) == 0) {
    const int64_t all[] = {s.st_size,         (int64_t)s.st_ino, s.st_mtim.tv_sec,
                           s.st_mtim.tv_nsec, s.st_ctim.tv_sec,  s.st_ctim.tv_nsec};
    memcpy(about, all, sizeof about);
  }
  return gt_fingerprint(gt_fingerprint(key, path, strlen(path) + 1), about, sizeof about);
}

void gt_image_set_key(gt_image_set *set, bool skip) {
  const int64_t all[] = {FORMAT, gt_image_png_version(), gt_image_jpeg_version(), skip, set->roles};
  uint64_t key = gt_fingerprint(1, all, sizeof all);
  for (int t = 0; t < set->roles; t++) {
    key = add_form(key, &set->form[t]);
    for (size_t i = 0; i < set->files.count; i++) key = add_file(key, set->files.items[i].path[t]);
  }
  set->key = key ? key : 1;
}

static bool read_exactly(int fd, void *out, size_t size) {
  uint8_t *at = out;
  while (size) {
    const ssize_t n = read(fd, at, size > 1 << 30 ? 1 << 30 : size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

static size_t bytes_of(const gt_image_set *set, int role) {
  return (size_t)set->pixels[role].dim[0] * (size_t)gt_image_bytes(&set->form[role]);
}

static uint64_t fingerprint_of(const gt_image_set *set) {
  uint64_t fingerprint = gt_fingerprint(2, set->readable, set->files.count);
  for (int t = 0; t < set->roles; t++)
    fingerprint = gt_fingerprint(fingerprint, set->pixels[t].data, bytes_of(set, t));
  return fingerprint;
}

static int64_t count_readable(const gt_image_set *set) {
  int64_t samples = 0;
  for (size_t i = 0; i < set->files.count; i++) samples += set->readable[i] & GT_IMAGE_READABLE;
  return samples;
}

/* Loads the samples of a set that has only its files so far. */
static bool load_set(int fd, gt_image_set *set, int64_t samples) {
  gt_error error = {0};
  uint64_t fingerprint;
  set->skipped = (int64_t)set->files.count - samples;
  if (!gt_image_set_alloc(set, samples, &error) || !read_exactly(fd, set->readable, set->files.count))
    return false;
  for (int t = 0; t < set->roles; t++)
    if (!read_exactly(fd, set->pixels[t].data, bytes_of(set, t))) return false;
  return read_exactly(fd, &fingerprint, sizeof fingerprint) && fingerprint == fingerprint_of(set) &&
         count_readable(set) == samples;
}

static void clear_set(gt_image_set *set) {
  free(set->readable);
  set->readable = NULL;
  set->skipped = 0;
  for (int t = 0; t < set->roles; t++) gt_tensor_finish(&set->pixels[t]);
}

/* Number of bytes of a set in the file. */
static off_t file_size_of(const gt_image_set *set, int64_t samples) {
  int64_t bytes = (int64_t)(set->files.count + sizeof(uint64_t));
  for (int t = 0; t < set->roles; t++) bytes += samples * gt_image_bytes(&set->form[t]);
  return (off_t)bytes;
}

static bool is_possible(const header *h, int k, const gt_image_set *set) {
  return h->files[k] == (int64_t)set->files.count && h->samples[k] > 0 && h->samples[k] <= h->files[k];
}

bool gt_image_cache_may_replace(const char *path) {
  char head[sizeof magic];
  gt_error error = {0};
  struct stat s;
  if (stat(path, &s) != 0) return true; /* absent; or writing will report the error */
  if (!S_ISREG(s.st_mode)) return false;
  const size_t size = s.st_size < (off_t)sizeof head ? (size_t)s.st_size : sizeof head;
  const int fd = gt_open_input(path, true, &error);
  const bool is_cache = fd >= 0 && read_exactly(fd, head, size) && !memcmp(head, magic, size);
  if (fd >= 0) close(fd);
  return is_cache;
}

bool gt_image_cache_load(const char *path, gt_image_set *set, int sets) {
  gt_error error = {0};
  header h;
  bool all = true;
  if (!gt_file_exists(path)) return false;
  const int fd = gt_open_input(path, true, &error);
  if (fd < 0 || !read_exactly(fd, &h, sizeof h)) memset(&h, 0, sizeof h);
  off_t at = (off_t)sizeof h;
  for (int k = 0; k < sets; k++) {
    const bool same = h.key[k] == set[k].key && is_possible(&h, k, &set[k]);
    const bool loaded = same && lseek(fd, at, SEEK_SET) == at && load_set(fd, &set[k], h.samples[k]);
    if (!loaded) clear_set(&set[k]);
    all = all && loaded;
    if (!same) break; /* the start of the next set is unknown */
    at += file_size_of(&set[k], h.samples[k]);
  }
  if (fd >= 0) close(fd);
  if (all)
    gt_info("using the decoded images in %s", path);
  else
    gt_info("%s does not match the images and options, or is damaged; rewriting it", path);
  return all;
}

static bool write_set(int fd, const gt_image_set *set) {
  const uint64_t fingerprint = fingerprint_of(set);
  bool ok = gt_write_all(fd, set->readable, set->files.count);
  for (int t = 0; t < set->roles; t++) ok = ok && gt_write_all(fd, set->pixels[t].data, bytes_of(set, t));
  return ok && gt_write_all(fd, &fingerprint, sizeof fingerprint);
}

void gt_image_cache_save(const char *path, const gt_image_set *set, int sets) {
  gt_error error = {0};
  gt_replacement file;
  header h = {0};
  memcpy(h.magic, magic, sizeof magic);
  for (int k = 0; k < sets; k++) {
    h.key[k] = set[k].key;
    h.files[k] = (int64_t)set[k].files.count;
    h.samples[k] = set[k].pixels[GT_IMAGE_INPUT].dim[0];
  }
  if (gt_make_folder_of(path, &error) && gt_replacement_open(&file, path, &error)) {
    bool ok = gt_write_all(file.fd, &h, sizeof h);
    for (int k = 0; k < sets && ok; k++) ok = write_set(file.fd, &set[k]);
    if (!ok) gt_fail_errno(&error, GT_ERR_IO, "cannot write %s", path);
    gt_replacement_close(&file, ok, &error);
  }
  if (error.status) gt_warn("decoded images are not cached for the next run: %s", error.message);
}
