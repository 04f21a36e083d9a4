/* Runs a fuzz target once on each file named on the command line, and on each file of each folder named
 * there. Prints each name first, so the last line shows which input crashed the target. */
#define _GNU_SOURCE /* scandir */
#include "fuzz.h"
#include "base/file.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { MAX_SECONDS = 10 };

static int replayed;

/* SIGPROF after this many seconds of processor time. */
static void limit_time(int seconds) {
  setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

static void replay_file(const char *path) {
  gt_bytes bytes = {0};
  FILE *file = fopen(path, "rb");
  struct stat s;
  dprintf(STDOUT_FILENO, "%s\n", path);
  fuzz_expect(file && fstat(fileno(file), &s) == 0, "cannot read %s: %m", path);
  bytes.size = (size_t)s.st_size;
  bytes.data = malloc(bytes.size + 1);
  fuzz_expect(bytes.data && fread(bytes.data, 1, bytes.size, file) == bytes.size, "cannot read %s", path);
  fclose(file);
  limit_time(MAX_SECONDS);
  LLVMFuzzerTestOneInput(bytes.data, bytes.size);
  limit_time(0);
  gt_bytes_finish(&bytes);
  replayed++;
}

/* The mutators are linked in, but never called. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
  (void)data, (void)max_size;
  return size;
}

static int not_hidden(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void replay(const char *path) {
  struct dirent **entries;
  struct stat s;
  if (stat(path, &s) != 0 || !S_ISDIR(s.st_mode)) {
    replay_file(path);
    return;
  }
  const int count = scandir(path, &entries, not_hidden, alphasort);
  for (int i = 0; i < count; i++) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
    replay_file(name);
    free(entries[i]);
  }
  if (count >= 0) free(entries);
}

int main(int argc, char **argv) {
  LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 1; i < argc; i++) replay(argv[i]);
  dprintf(STDOUT_FILENO, "%d inputs replayed\n", replayed);
  return replayed ? 0 : 1;
}
