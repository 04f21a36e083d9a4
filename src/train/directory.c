/* The run directory: made, checked, locked. */
#include "base/log.h"
#include "train/run.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The highest N for which runs/NAME-N exists; 0 if none does. */
static long highest_number(const char *name) {
  struct dirent *entry;
  long highest = 0;
  const size_t length = strlen(name);
  DIR *directory = opendir("runs");
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  while (directory && (entry = readdir(directory))) {
    char *end;
    if (strncmp(entry->d_name, name, length) || entry->d_name[length] != '-') continue;
    const char *digits = entry->d_name + length + 1;
    if (*digits < '0' || *digits > '9') continue;
    const long number = strtol(digits, &end, 10);
    if (!*end && number > highest && number < LONG_MAX) highest = number;
  }
  if (directory) closedir(directory);
  return highest;
}

/* runs/NAME-N with the next free N, or with --resume the last one. */
static bool default_directory(gt_run *run, gt_error *error) {
  const char *name = run->config->name;
  long number = highest_number(name);
  if (run->options->resume) {
    if (!number)
      return gt_fail(error, GT_ERR_USAGE, "nothing to resume: there is no runs/%s-N; name it by --run-dir",
                     name);
    run->directory = gt_arena_printf(&run->session.arena, "runs/%s-%ld", name, number);
    return true;
  }
  if (!gt_make_directories("runs", error)) return false;
  do run->directory = gt_arena_printf(&run->session.arena, "runs/%s-%ld", name, ++number);
  while (mkdir(run->directory, 0777) != 0 && errno == EEXIST); /* two runs may start at the same time */
  return gt_sync_name(run->directory, error);
}

static bool holds_files(const char *path) {
  struct dirent *entry;
  bool found = false;
  DIR *directory = opendir(path);
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  while (directory && !found && (entry = readdir(directory)))
    found = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && strcmp(entry->d_name, ".lock");
  if (directory) closedir(directory);
  return found;
}

bool gt_run_directory(gt_run *run, gt_error *error) {
  run->directory = run->options->directory;
  if (!run->directory && !default_directory(run, error)) return false;
  if (run->options->resume && !gt_file_exists(run->directory))
    return gt_fail(error, GT_ERR_IO, "nothing to resume: there is no directory %s", run->directory);
  if (!gt_make_directories(run->directory, error) || !gt_lock_directory(run->directory, &run->lock, error))
    return false;
  if (!run->options->resume && holds_files(run->directory))
    return gt_fail(error, GT_ERR_BUSY,
                   "%s is not empty: continue that run with --resume, or choose another --run-dir",
                   run->directory);
  return true;
}

bool gt_run_directory_begin(gt_run *run, gt_error *error) {
  const char *checkpoints = gt_arena_printf(&run->session.arena, "%s/checkpoints", run->directory);
  if (!gt_make_directories(checkpoints, error)) return false;
  gt_remove_temporaries(run->directory); /* we hold the lock: nobody is writing them */
  gt_remove_temporaries(checkpoints);
  const char *path = gt_arena_printf(&run->session.arena, "%s/config.yaml", run->directory);
  const gt_span text = {run->config->resolved, strlen(run->config->resolved)};
  return gt_write_file_atomic(path, &text, 1, error);
}
