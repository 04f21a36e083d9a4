#include "train/checkpoint.h"
#include "base/log.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the host's state as text
 * --------------------------------------------------------------------------------- */

typedef enum state_kind { WHOLE, REAL } state_kind;

typedef struct state_row {
  const char *key;
  size_t offset;
  state_kind kind;
  bool optional; /* checkpoints of older versions do not have it: 0 */
} state_row;

#define ROW(field, kind, optional) \
  { "state." #field, offsetof(gt_host_state, field), kind, optional }
#define SUMS(field, optional)                                                                             \
  ROW(field.loss, REAL, optional), ROW(field.weight, REAL, optional), ROW(field.correct, REAL, optional), \
      ROW(field.steps, WHOLE, optional)
static const state_row state_rows[] = {
    ROW(step, WHOLE, false),
    SUMS(window, false),
    SUMS(epoch, false),
    SUMS(last, true),
    ROW(best, REAL, false),
    ROW(best_step, WHOLE, false),
    ROW(bad_evaluations, WHOLE, false),
    ROW(stopped, WHOLE, false),
    ROW(schedule.best, REAL, false),
    ROW(schedule.bad, WHOLE, false),
    ROW(schedule.factor, REAL, false),
    ROW(metrics_bytes, WHOLE, false),
};
enum { STATE_ROWS = sizeof state_rows / sizeof *state_rows, MOST_ENTRIES = STATE_ROWS + 3 };

static void state_text(const gt_host_state *state, const state_row *row, char text[40]) {
  const char *at = (const char *)state + row->offset;
  if (row->kind == REAL)
    snprintf(text, 40, "%a", *(const double *)(const void *)at);
  else
    snprintf(text, 40, "%" PRId64, *(const int64_t *)(const void *)at);
}

static bool state_parse(gt_host_state *state, const state_row *row, const char *text) {
  char *end, *at = (char *)state + row->offset;
  if (!text) return row->optional;
  if (!*text) return false;
  errno = 0;
  if (row->kind == REAL)
    *(double *)(void *)at = strtod(text, &end);
  else
    *(int64_t *)(void *)at = strtoll(text, &end, 10);
  return !*end && (row->kind == REAL || !errno);
}

bool gt_checkpoint_write(const char *path, const gt_stored *tensors, int count, uint64_t seed,
                         const char *config, const gt_host_state *state, gt_error *error) {
  gt_metadata entry[MOST_ENTRIES];
  char text[STATE_ROWS][40], seed_text[24];
  snprintf(seed_text, sizeof seed_text, "%" PRIu64, seed);
  entry[0] = (gt_metadata){"format", GT_CHECKPOINT_FORMAT};
  entry[1] = (gt_metadata){"seed", seed_text};
  entry[2] = (gt_metadata){"config", config};
  for (int i = 0; i < STATE_ROWS; i++) {
    state_text(state, &state_rows[i], text[i]);
    entry[i + 3] = (gt_metadata){state_rows[i].key, text[i]};
  }
  return gt_safetensors_write(path, tensors, count, entry, MOST_ENTRIES, error);
}

bool gt_checkpoint_read(const char *path, gt_container *container, uint64_t *seed, const char **config,
                        gt_host_state *state, gt_error *error) {
  if (!gt_safetensors_read(path, container, error)) return false;
  const char *format = gt_container_metadata(container, "format");
  const char *seed_text = gt_container_metadata(container, "seed");
  *config = gt_container_metadata(container, "config");
  *state = (gt_host_state){0};
  bool ok = format && !strcmp(format, GT_CHECKPOINT_FORMAT) && seed_text && *config;
  for (int i = 0; i < STATE_ROWS && ok; i++)
    ok = state_parse(state, &state_rows[i], gt_container_metadata(container, state_rows[i].key));
  if (ok) {
    *seed = strtoull(seed_text, NULL, 10);
    return true;
  }
  gt_fail(error, GT_ERR_DATA, "%s is no checkpoint of this version of gtrain (%s)", path,
          GT_CHECKPOINT_FORMAT);
  gt_container_finish(container);
  return false;
}

/* --- the directory
 * -------------------------------------------------------------------------------------------- */

char *gt_checkpoint_path(gt_arena *arena, const char *run_directory, int64_t step) {
  return gt_arena_printf(arena, "%s/checkpoints/step-%09" PRId64 ".safetensors", run_directory, step);
}

/* The step of a checkpoint's file name, or -1. */
static int64_t step_of(const char *name) {
  static const char prefix[] = "step-", suffix[] = ".safetensors";
  char *end;
  if (strncmp(name, prefix, sizeof prefix - 1)) return -1;
  name += sizeof prefix - 1;
  if (*name < '0' || *name > '9') return -1;
  const long long step = strtoll(name, &end, 10);
  return strcmp(end, suffix) ? -1 : step;
}

static int newest_first(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x < y) - (x > y);
}

int64_t *gt_checkpoint_list(gt_arena *arena, const char *run_directory, int *count) {
  struct dirent *entry;
  int64_t *steps = NULL;
  int capacity = 0;
  *count = 0;
  DIR *directory = opendir(gt_arena_printf(arena, "%s/checkpoints", run_directory));
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  while (directory && (entry = readdir(directory))) {
    const int64_t step = step_of(entry->d_name);
    if (step < 0) continue;
    if (*count == capacity) {
      int64_t *more = GT_NEW_N(arena, int64_t, capacity = capacity ? 2 * capacity : 64);
      if (*count) memcpy(more, steps, (size_t)*count * sizeof *more);
      steps = more;
    }
    steps[(*count)++] = step;
  }
  if (directory) closedir(directory);
  if (*count) qsort(steps, (size_t)*count, sizeof *steps, newest_first);
  return steps;
}

void gt_remove_temporaries(const char *directory) {
  struct dirent *entry;
  char path[PATH_MAX];
  DIR *open = opendir(directory);
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  while (open && (entry = readdir(open))) {
    if (!strstr(entry->d_name, ".tmp-")) continue;
    if (snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) < (int)sizeof path) unlink(path);
  }
  if (open) closedir(open);
}

void gt_checkpoint_prune(const char *run_directory, int keep) {
  gt_arena arena;
  int count;
  gt_arena_init(&arena);
  const int64_t *steps = gt_checkpoint_list(&arena, run_directory, &count);
  for (int i = keep; i < count; i++) {
    const char *path = gt_checkpoint_path(&arena, run_directory, steps[i]);
    if (unlink(path) != 0) gt_warn("cannot remove %s: %s", path, strerror(errno));
  }
  gt_arena_finish(&arena);
}
