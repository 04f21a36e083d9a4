/* Creates or checks the run directory, and locks it. */
#include "base/log.h"
#include "base/text.h"
#include "train/run/run.h"
#include "train/file/tuned_file.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t max_config_bytes = 64 << 20; /* a run does not write a larger config.yaml */

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

/* runs/NAME-N with the next free N, or with --resume the last N. */
static bool default_directory(gt_run *run, gt_error *error) {
  const char *name = run->base->name;
  long number = highest_number(name);
  if (run->options->resume) {
    if (!number)
      return gt_fail(error, GT_ERR_USAGE,
                     "nothing to resume: there is no runs/%s-N; name the run directory with --run-dir", name);
    run->directory = gt_arena_printf(&run->session.arena, "runs/%s-%ld", name, number);
    return true;
  }
  if (!gt_make_directories("runs", error)) return false;
  do run->directory = gt_arena_printf(&run->session.arena, "runs/%s-%ld", name, ++number);
  while (mkdir(run->directory, 0777) != 0 && errno == EEXIST); /* two runs may start at the same time */
  return gt_sync_name(run->directory, error);
}

/* True for an entry that a directory for a new run must not have. */
static bool is_relevant_in_new(const char *name) { return strcmp(name, ".lock") != 0; }

/* True for an entry that shows that a run has started: not one that a killed run left before its config. */
static bool is_relevant_in_old(const char *name) {
  return strcmp(name, ".lock") && strcmp(name, "checkpoints") && strcmp(name, GT_TUNED_FILE) &&
         !gt_is_temporary(name);
}

/* Sets *found if the directory has a relevant entry; a directory that does not exist has none. */
static bool has_relevant_entry(const char *path, bool (*is_relevant)(const char *name), bool *found,
                               gt_error *error) {
  struct dirent *entry;
  *found = false;
  DIR *directory = opendir(path);
  if (!directory) return errno == ENOENT || gt_fail_errno(error, GT_ERR_IO, "cannot open directory %s", path);
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  while (errno = 0, !*found && (entry = readdir(directory)))
    *found = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && is_relevant(entry->d_name);
  const bool ok = *found || !errno || gt_fail_errno(error, GT_ERR_IO, "cannot read directory %s", path);
  closedir(directory);
  return ok;
}

static bool fail_not_empty(const gt_run *run, gt_error *error) {
  return gt_fail(error, GT_ERR_BUSY,
                 "%s is not empty: continue that run with --resume, or choose another --run-dir",
                 run->directory);
}

static bool lock_new(gt_run *run, gt_error *error) {
  bool found;
  if (!has_relevant_entry(run->directory, is_relevant_in_new, &found, error)) return false;
  if (found) return fail_not_empty(run, error); /* before a lock file is created in a foreign directory */
  if (!gt_make_directories(run->directory, error) || !gt_lock_directory(run->directory, &run->lock, error))
    return false;
  return has_relevant_entry(run->directory, is_relevant_in_new, &found, error) &&
         (!found || fail_not_empty(run, error));
}

/* --- a directory to resume --- */

static bool fail_not_a_run(const gt_run *run, const char *why, gt_error *error) {
  return gt_fail(error, GT_ERR_BUSY, "%s is not a run directory: %s. Nothing in it was changed",
                 run->directory, why);
}

/* Sets *exists if the entry exists. Fails if it is not of the expected kind: a link could point to a place
 * outside the directory. */
static bool check_entry(gt_run *run, const char *name, mode_t kind, bool *exists, gt_error *error) {
  struct stat status;
  const char *path = gt_arena_printf(&run->session.arena, "%s/%s", run->directory, name);
  *exists = lstat(path, &status) == 0;
  if (!*exists) return errno == ENOENT || gt_fail_errno(error, GT_ERR_IO, "cannot access %s", path);
  if ((status.st_mode & S_IFMT) == kind) return true;
  return gt_fail(error, GT_ERR_IO, "%s is %snot a %s", path,
                 S_ISLNK(status.st_mode) ? "a symbolic link, " : "",
                 kind == S_IFDIR ? "directory" : "regular file");
}

/* Sets *unstarted if the directory has nothing else than what a run writes before its config. */
static bool find_unstarted(gt_run *run, bool *unstarted, gt_error *error) {
  bool found, saved;
  const char *checkpoints = gt_arena_printf(&run->session.arena, "%s/checkpoints", run->directory);
  if (!has_relevant_entry(run->directory, is_relevant_in_old, &found, error)) return false;
  *unstarted = !found;
  if (found) return true;
  if (!has_relevant_entry(checkpoints, is_relevant_in_old, &saved, error)) return false;
  *unstarted = !saved;
  return true;
}

/* Checks that a run made this directory: another directory could have a config.yaml and a metrics.jsonl,
 * which a run would overwrite. */
static bool check_is_run(gt_run *run, gt_error *error) {
  bool lock, config, metrics, timing, tuned, checkpoints, unstarted;
  gt_bytes text;
  if (!find_unstarted(run, &unstarted, error)) return false;
  if (!check_entry(run, "config.yaml", S_IFREG, &config, error)) return false;
  if (!config && !unstarted) return fail_not_a_run(run, "it has no config.yaml", error);
  if (!check_entry(run, ".lock", S_IFREG, &lock, error) ||
      !check_entry(run, "checkpoints", S_IFDIR, &checkpoints, error) ||
      !check_entry(run, "metrics.jsonl", S_IFREG, &metrics, error) ||
      !check_entry(run, "timing.jsonl", S_IFREG, &timing, error) ||
      !check_entry(run, GT_TUNED_FILE, S_IFREG, &tuned, error))
    return false;
  if (unstarted) return true;
  const char *path = gt_arena_printf(&run->session.arena, "%s/config.yaml", run->directory);
  if (!gt_read_file(path, max_config_bytes, &text, error)) return false;
  const bool resolved = gt_config_is_resolved((const char *)text.data);
  gt_bytes_finish(&text);
  if (!resolved) return fail_not_a_run(run, "its config.yaml was not written by a run", error);
  if (!checkpoints) return fail_not_a_run(run, "it has no checkpoints/", error);
  return lock || metrics || fail_not_a_run(run, "it has neither .lock nor metrics.jsonl", error);
}

static bool lock_existing(gt_run *run, gt_error *error) {
  if (!gt_file_exists(run->directory))
    return gt_fail(error, GT_ERR_IO, "nothing to resume: there is no directory %s", run->directory);
  return check_is_run(run, error) && gt_lock_directory(run->directory, &run->lock, error);
}

static const char *resume_command(gt_run *run) {
  gt_arena *arena = &run->session.arena;
  const char *config = run->options->resume_config;
  if (!config) config = gt_shell_word(arena, gt_arena_printf(arena, "%s/config.yaml", run->directory));
  return gt_arena_printf(arena, "gtrain train %s%s %s --resume", config, run->options->resume_options,
                         gt_shell_option(arena, "run-dir", run->directory));
}

bool gt_run_directory(gt_run *run, gt_error *error) {
  run->directory = run->options->directory;
  if (!run->directory && !default_directory(run, error)) return false;
  run->command = resume_command(run);
  return run->options->resume ? lock_existing(run, error) : lock_new(run, error);
}

/* A run that has written its config uses its own tuned.json; a new run uses the file in the cache. */
bool gt_run_directory_tuned(gt_run *run, gt_error *error) {
  gt_session *session = &run->session;
  const char *config = gt_arena_printf(&session->arena, "%s/config.yaml", run->directory);
  const char *path = gt_arena_printf(&session->arena, "%s/" GT_TUNED_FILE, run->directory);
  if (!gt_file_exists(config)) {
    gt_tuned_read_cache(&session->tuned, session->backend);
    return true;
  }
  return !gt_file_exists(path) || gt_tuned_read(&session->tuned, path, session->backend, error);
}

/* Writes tuned.json, or removes it if there is nothing to write: a run that was killed before it wrote its
 * config may have left the file. */
static bool write_tuned(gt_run *run, gt_error *error) {
  const char *path = gt_arena_printf(&run->session.arena, "%s/" GT_TUNED_FILE, run->directory);
  if (run->session.tuned.count) return gt_tuned_write(&run->session.tuned, path, run->session.backend, error);
  return !unlink(path) || errno == ENOENT || gt_fail_errno(error, GT_ERR_IO, "cannot remove %s", path);
}

bool gt_run_directory_begin(gt_run *run, gt_error *error) {
  const char *checkpoints = gt_arena_printf(&run->session.arena, "%s/checkpoints", run->directory);
  if (!gt_make_directories(checkpoints, error)) return false;
  gt_remove_temporaries(run->directory); /* the lock is held, so no other process writes them */
  gt_remove_temporaries(checkpoints);
  const char *path = gt_arena_printf(&run->session.arena, "%s/config.yaml", run->directory);
  const gt_span text = {run->base->resolved, strlen(run->base->resolved)};
  return (gt_file_exists(path) || write_tuned(run, error)) && gt_write_file_atomic(path, &text, 1, error);
}
