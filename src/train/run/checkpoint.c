#include "train/run/checkpoint.h"
#include "base/log.h"
#include "base/memory.h"
#include "train/file/tuned_file.h"
#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the host's state as text --- */

/* WHOLE: an int64_t, REAL: a finite double, both in [min, max]; REAL_OR_NOT: a REAL that is written only if
 * it is not 0; ANY: a double of any value; BITS: a uint64_t, in hexadecimal. */
typedef enum state_kind { WHOLE, REAL, REAL_OR_NOT, ANY, BITS } state_kind;

typedef struct state_row {
  const char *key;
  size_t offset;
  state_kind kind;
  double min, max;
  bool optional; /* the file may lack it, as state_text omits some values; it is then 0 */
} state_row;

static const double max_count = 1e18; /* of steps or bytes: sums of several fit into 64 bits */

#define ROW(field, kind, ...) \
  { "state." #field, offsetof(gt_host_state, field), kind, __VA_ARGS__ }
#define SPLIT(key, part) \
  { "state.data." #key, offsetof(gt_host_state, data.split[part]), BITS, 0, 0, false }
#define SUM(field, key, k, which, kind, min, optional) \
  { "state." #field key, offsetof(gt_host_state, field.sum[k][which]), kind, min, DBL_MAX, optional }
#define SUMS(field)                                              \
  SUM(field, ".loss", 0, GT_SUM_LOSS, REAL, -DBL_MAX, false),    \
      SUM(field, ".weight", 0, GT_SUM_WEIGHT, REAL, 0, false),   \
      SUM(field, ".correct", 0, GT_SUM_CORRECT, REAL, 0, false), \
      ROW(field.steps, WHOLE, 0, max_count, false),              \
      SUM(field, ".divisor", 0, GT_SUM_DIVISOR, REAL_OR_NOT, 0, true)
/* The sums of targets after the first. */
#define EXTRA_TARGET(field, k)                                             \
  SUM(field, ".loss." #k, k, GT_SUM_LOSS, REAL_OR_NOT, -DBL_MAX, true),    \
      SUM(field, ".weight." #k, k, GT_SUM_WEIGHT, REAL_OR_NOT, 0, true),   \
      SUM(field, ".correct." #k, k, GT_SUM_CORRECT, REAL_OR_NOT, 0, true), \
      SUM(field, ".divisor." #k, k, GT_SUM_DIVISOR, REAL_OR_NOT, 0, true)
#define EXTRA_TARGETS(field)                                                                      \
  EXTRA_TARGET(field, 1), EXTRA_TARGET(field, 2), EXTRA_TARGET(field, 3), EXTRA_TARGET(field, 4), \
      EXTRA_TARGET(field, 5), EXTRA_TARGET(field, 6), EXTRA_TARGET(field, 7)
static const state_row state_rows[] = {
    ROW(step, WHOLE, 0, max_count, false),
    SUMS(window),
    SUMS(epoch),
    SUMS(last),
    EXTRA_TARGETS(window),
    EXTRA_TARGETS(epoch),
    EXTRA_TARGETS(last),
    ROW(best, ANY, 0, 0, false),
    ROW(best_step, WHOLE, 0, max_count, false),
    ROW(best_epoch, WHOLE, 0, max_count, false),
    ROW(best_phase, WHOLE, 0, max_count, false),
    ROW(bad_evaluations, WHOLE, 0, max_count, false),
    ROW(stopped, WHOLE, 0, 2, false),
    ROW(phase, WHOLE, 0, max_count, false),
    ROW(first_step, WHOLE, -max_count, max_count, false),
    ROW(first_epoch, WHOLE, -max_count, max_count, false),
    ROW(optimizer_step, WHOLE, -max_count, max_count, false),
    ROW(epoch_steps, WHOLE, 1, max_count, true),
    ROW(adapted, WHOLE, 1, max_count, true),
    ROW(schedule.best, ANY, 0, 0, false),
    ROW(schedule.bad, WHOLE, -1, max_count, false),
    ROW(schedule.factor, REAL, 0, 1, false),
#define X(name) \
  {"state." #name "_bytes", offsetof(gt_host_state, place[GT_SINK_##name]), WHOLE, 0, max_count, true},
#include "registry/sink.inc"
#undef X
    ROW(draw, BITS, 0, 0, false),
    {"state.wiring", offsetof(gt_host_state, constants), BITS, 0, 0, false},
    ROW(init, BITS, 0, 0, false),
    SPLIT(train, GT_PART_TRAIN),
    SPLIT(validation, GT_PART_VALIDATION),
    SPLIT(test, GT_PART_TEST),
    ROW(data.meaning, BITS, 0, 0, false),
};
/* ENTRIES: of the metadata, without notes. */
enum { STATE_ROWS = sizeof state_rows / sizeof *state_rows, ENTRIES = STATE_ROWS + 3 };

/* The value of a row as text. False: it is not written, because it is a REAL_OR_NOT of 0, or below the
 * minimum of a WHOLE. */
static bool state_text(const gt_host_state *state, const state_row *row, char text[40]) {
  const char *field = (const char *)state + row->offset;
  if (row->kind == WHOLE)
    snprintf(text, 40, "%" PRId64, *(const int64_t *)(const void *)field);
  else if (row->kind == BITS)
    snprintf(text, 40, "%016" PRIx64, *(const uint64_t *)(const void *)field);
  else
    snprintf(text, 40, "%a", *(const double *)(const void *)field);
  if (row->kind == REAL_OR_NOT) return fabs(*(const double *)(const void *)field) > 0;
  return row->kind != WHOLE || (double)*(const int64_t *)(const void *)field >= row->min;
}

/* Accepts only digits: no sign, no blanks. */
static bool parse_digits(const char *text, int base, uint64_t *value) {
  const char *digits = "0123456789abcdef";
  char *end;
  if (!*text || strspn(text, digits) != strlen(text)) return false;
  errno = 0;
  *value = strtoull(text, &end, base);
  return !*end && !errno;
}

static bool state_parse(gt_host_state *state, const state_row *row, const char *text) {
  char *end, *field = (char *)state + row->offset;
  if (!text) return row->optional;
  if (!*text) return false;
  errno = 0;
  if (row->kind == WHOLE) {
    const long long value = strtoll(text, &end, 10);
    *(int64_t *)(void *)field = value;
    return !*end && !errno && (double)value >= row->min && (double)value <= row->max;
  }
  if (row->kind == BITS) return parse_digits(text, 16, (uint64_t *)(void *)field);
  const double value = strtod(text, &end);
  *(double *)(void *)field = value;
  return !*end && (row->kind == ANY || (value >= row->min && value <= row->max));
}

/* True if no counter exceeds the number of steps. */
static bool is_possible(const gt_host_state *s) {
  const int64_t counts[] = {s->window.steps, s->epoch.steps,     s->last.steps,   s->best_step,
                            s->best_epoch,   s->bad_evaluations, s->schedule.bad, s->first_step,
                            s->first_epoch,  s->optimizer_step};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (counts[i] > s->step) return false;
  return true;
}

bool gt_checkpoint_write(const char *path, const gt_stored *tensors, int count, uint64_t seed,
                         const char *config, const gt_metadata *notes, int note_count,
                         const gt_host_state *state, gt_error *error) {
  gt_metadata *entry = gt_alloc((ENTRIES + (size_t)note_count) * sizeof *entry);
  char text[STATE_ROWS][40], seed_text[24];
  int entries = 3;
  snprintf(seed_text, sizeof seed_text, "%" PRIu64, seed);
  entry[0] = (gt_metadata){"format", GT_CHECKPOINT_FORMAT};
  entry[1] = (gt_metadata){"seed", seed_text};
  entry[2] = (gt_metadata){"config", config};
  for (int i = 0; i < note_count; i++) entry[entries++] = notes[i];
  for (int i = 0; i < STATE_ROWS; i++)
    if (state_text(state, &state_rows[i], text[i]))
      entry[entries++] = (gt_metadata){state_rows[i].key, text[i]};
  const bool ok = gt_safetensors_write(path, tensors, count, entry, entries, error);
  free(entry);
  return ok;
}

#define CHECKPOINT_NAME "step-%09" PRId64 ".safetensors"

/* The step in a file name of this length; -1 if it is not exactly a name that a run writes. */
static int64_t step_of(const char *name, size_t length) {
  static const char prefix[] = "step-";
  char canonical[64];
  if (strncmp(name, prefix, sizeof prefix - 1)) return -1;
  const int64_t step = strtoll(name + sizeof prefix - 1, NULL, 10);
  const int wanted = snprintf(canonical, sizeof canonical, CHECKPOINT_NAME, step);
  return step >= 0 && (size_t)wanted == length && !memcmp(name, canonical, length) ? step : -1;
}

static bool read_state(const gt_container *container, const char *path, gt_host_state *state,
                       gt_error *error) {
  *state = (gt_host_state){0};
  for (int i = 0; i < STATE_ROWS; i++) {
    const char *key = state_rows[i].key, *text = gt_container_metadata(container, key);
    if (!state_parse(state, &state_rows[i], text))
      return gt_fail(error, GT_ERR_DATA, "%s is not a valid checkpoint: '%s' is '%s'", path, key,
                     text ? text : "missing");
  }
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const int64_t named_step = step_of(name, strlen(name));
  if (named_step >= 0 && named_step != state->step)
    return gt_fail(error, GT_ERR_DATA, "%s is not a valid checkpoint: it is from step %" PRId64, path,
                   state->step);
  return is_possible(state) ||
         gt_fail(error, GT_ERR_DATA,
                 "%s is not a valid checkpoint: it counts more than its %" PRId64 " steps", path,
                 state->step);
}

static const char format_prefix[] = "gtrain-checkpoint-";

bool gt_checkpoint_read(const char *path, gt_container *container, uint64_t *seed, const char **config,
                        gt_host_state *state, gt_error *error) {
  if (!gt_safetensors_read(path, container, error)) return false;
  const char *format = gt_container_metadata(container, "format");
  const char *seed_text = gt_container_metadata(container, "seed");
  *config = gt_container_metadata(container, "config");
  bool ok = false;
  const bool current = format && !strcmp(format, GT_CHECKPOINT_FORMAT);
  if (!current && format && !strncmp(format, format_prefix, sizeof format_prefix - 1))
    gt_fail(error, GT_ERR_DATA,
            "%s was written by another version of gtrain (%s, expected %s): finish the run with that "
            "version, or start a new run from its weights, with --run-dir and init_from: RUN/model.bin",
            path, format, GT_CHECKPOINT_FORMAT);
  else if (!current || !*config || !seed_text || !parse_digits(seed_text, 10, seed))
    gt_fail(error, GT_ERR_DATA, "%s is not a gtrain checkpoint", path);
  else
    ok = read_state(container, path, state, error);
  if (!ok) gt_container_finish(container);
  return ok;
}

/* --- the directory --- */

char *gt_checkpoint_path(gt_arena *arena, const char *run_directory, int64_t step) {
  return gt_arena_printf(arena, "%s/checkpoints/" CHECKPOINT_NAME, run_directory, step);
}

static int newest_first(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x < y) - (x > y);
}

static void add_step(gt_arena *arena, int64_t **steps, int *count, int *capacity, int64_t step) {
  if (*count == *capacity) {
    int64_t *more = GT_NEW_N(arena, int64_t, *capacity = *capacity ? 2 * *capacity : 64);
    if (*count) memcpy(more, *steps, (size_t)*count * sizeof *more);
    *steps = more;
  }
  (*steps)[(*count)++] = step;
}

bool gt_checkpoint_list(gt_arena *arena, const char *run_directory, int64_t **steps, int *count,
                        gt_error *error) {
  struct dirent *entry;
  int capacity = 0;
  const char *path = gt_arena_printf(arena, "%s/checkpoints", run_directory);
  *steps = NULL;
  *count = 0;
  DIR *directory = opendir(path);
  if (!directory) return errno == ENOENT || gt_fail_errno(error, GT_ERR_IO, "cannot open directory %s", path);
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  while (errno = 0, entry = readdir(directory)) {
    const int64_t step = step_of(entry->d_name, strlen(entry->d_name));
    if (step >= 0) add_step(arena, steps, count, &capacity, step);
  }
  const bool ok = !errno || gt_fail_errno(error, GT_ERR_IO, "cannot read directory %s", path);
  closedir(directory);
  if (*count) qsort(*steps, (size_t)*count, sizeof **steps, newest_first);
  return ok;
}

void gt_checkpoint_prune(const char *run_directory, int keep) {
  gt_arena arena;
  gt_error error = {0};
  int64_t *steps;
  int count;
  gt_arena_init(&arena);
  if (!gt_checkpoint_list(&arena, run_directory, &steps, &count, &error))
    gt_warn("old checkpoints were not removed: %s", error.message);
  for (int i = keep; i < count; i++) {
    const char *path = gt_checkpoint_path(&arena, run_directory, steps[i]);
    if (unlink(path) != 0) gt_warn("cannot remove %s: %s", path, strerror(errno));
  }
  gt_arena_finish(&arena);
}

static bool is_name(const char *wanted, const char *name, size_t length) {
  return length == strlen(wanted) && !memcmp(name, wanted, length);
}

bool gt_is_temporary(const char *name) {
  static const char *const written[] = {"config.yaml", "best.bin", "model.bin", GT_TUNED_FILE};
  const size_t length = gt_temporary_target(name);
  for (size_t i = 0; i < sizeof written / sizeof *written; i++)
    if (is_name(written[i], name, length)) return true;
  for (int i = 0; i < gt_change_count(); i++)
    if (is_name(gt_change_at(i)->backup_file, name, length)) return true;
  return length && step_of(name, length) >= 0;
}

void gt_remove_temporaries(const char *directory) {
  struct dirent *entry;
  char path[PATH_MAX];
  DIR *open = opendir(directory);
  // cppcheck-suppress readdirCalled ; each call has its own DIR, and readdir_r is deprecated
  while (open && (entry = readdir(open))) {
    if (!gt_is_temporary(entry->d_name)) continue;
    if (snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) < (int)sizeof path) unlink(path);
  }
  if (open) closedir(open);
}
