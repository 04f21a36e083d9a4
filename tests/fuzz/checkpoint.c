/* Checkpoints: the input is a checkpoint from which a run resumes, on the CPU, until its end. The run
 * directory is in memory and is created again for each input. Most inputs have a correct hash, so that the
 * code after the hash check is reached. */
#define _GNU_SOURCE /* nftw */
#include "fuzz.h"
#include "repair.h"
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[256];

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  return mutate_safetensors(data, size, max_size, seed);
}

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *at) {
  (void)s, (void)kind;
  return at->level ? remove(path) : 0;
}

static void clear_directory(void) { nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS); }

static void remove_directory(void) {
  clear_directory();
  rmdir(directory);
}

static void make_directory(void) {
  const char *folder = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/gtrain-fuzz-XXXXXX", folder ? folder : "/dev/shm");
  fuzz_expect(mkdtemp(directory), "cannot make %s: %m", directory);
  atexit(remove_directory);
}

static void write_checkpoint(const uint8_t *data, size_t size) {
  char path[320];
  snprintf(path, sizeof path, "%s/checkpoints", directory);
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%s/checkpoints/step-000000002.safetensors", directory);
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  fuzz_expect(fd >= 0 && write(fd, data, size) == (ssize_t)size, "cannot write %s: %m", path);
  close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!*directory) make_directory();
  clear_directory();
  write_checkpoint(data, size);
  fuzz_gtrain(
      (const char *[]){"train", "small.yaml", "--resume", "--run-dir", directory, "--device=cpu", NULL});
  return 0;
}
