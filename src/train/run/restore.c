/* Saves a run's state and restores it. */
#include "base/count.h"
#include "base/log.h"
#include "base/memory.h"
#include "train/run/generation.h"
#include "train/config/init_from.h"
#include "train/config/phases.h"
#include "train/run/run.h"
#include "train/config/class_table.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gt_run_save(gt_run *run, gt_error *error) {
  const gt_store *store = run->net->model->store;
  gt_state_dict dict;
  if (!gt_sinks_save(&run->sinks, run->state.place, error) ||
      !gt_state_dict_download(&dict, store, &run->session.buffers, GT_CHECKPOINT_ROLES, error))
    return false;
  gt_arena arena;
  gt_arena_init(&arena);
  gt_stored *tensors = gt_arena_alloc_n(&arena, (size_t)store->slots, sizeof *tensors);
  gt_metadata *notes = GT_NEW_N(&arena, gt_metadata, gt_change_count());
  const int note_count = gt_change_notes(run->base, run->state.phase, run->net->model, &arena, notes);
  const char *path = gt_checkpoint_path(&arena, run->directory, run->state.step);
  const bool ok =
      gt_run_check_weights(run, &dict, error) &&
      gt_checkpoint_write(path, tensors, gt_state_dict_tensors(&dict, GT_CHECKPOINT_ROLES, tensors),
                          (uint64_t)run->config->seed, run->base->resolved, notes, note_count, &run->state,
                          error);
  if (ok) {
    run->saved_step = run->state.step;
    gt_checkpoint_prune(run->directory, (int)run->config->train.checkpoint.keep_last);
  }
  gt_arena_finish(&arena);
  gt_state_dict_finish(&dict);
  return ok;
}

/* True if the run has the same classes and normalization, but unscaled targets, as in earlier versions. */
static bool was_unscaled(const gt_run *run, const gt_data_fingerprint *saved) {
  gt_dataset data = run->config->dataset;
  for (int k = 0; k < data.targets; k++) data.target[k].scaling = (gt_target_scaling){0};
  return gt_dataset_fingerprint(&data).meaning == saved->meaning;
}

static bool is_other(uint64_t saved, uint64_t current) { return saved && saved != current; } /* 0: unknown */

/* A run continues only with the data with which its weights were trained and evaluated. */
bool gt_run_check_data(const gt_run *run, const gt_data_fingerprint *saved, const char *since,
                       const char *path, gt_error *error) {
  const gt_data_fingerprint *current = &run->data;
  const bool validates = gt_dataset_split(&run->config->dataset, GT_PART_VALIDATION),
             means_other = is_other(saved->meaning, current->meaning);
  bool changed[GT_PARTS];
  for (int part = 0; part < GT_PARTS; part++)
    changed[part] = is_other(saved->split[part], current->split[part]);
  const char *other = changed[GT_PART_TRAIN]                ? "training data has"
                      : means_other                         ? "classes or the normalization have"
                      : changed[GT_PART_VALIDATION]         ? "validation data has"
                      : !validates && changed[GT_PART_TEST] ? "test data has"
                                                            : NULL;
  if (means_other && !changed[GT_PART_TRAIN] && was_unscaled(run, saved))
    return gt_fail(error, GT_ERR_DATA,
                   "the run of %s began with unscaled targets; resume it with --set "
                   "data.normalize_targets=none, or start a new run with another --run-dir",
                   path);
  if (other)
    return gt_fail(
        error, GT_ERR_DATA,
        "the %s changed since %s %s. Restore the data (the files, 'data:' and the seed, which draws splits), "
        "or start a new run with another --run-dir%s",
        other, since, path, gt_dataset_note_on_times(&run->config->dataset));
  if (changed[GT_PART_TEST]) gt_warn("the test data has changed since %s %s", since, path);
  return true;
}

/* The run's constants come from the init_from model, so it must be the same file. */
static bool check_init(const gt_run *run, const char *path, gt_error *error) {
  const gt_init_from *from = run->config->init_from;
  if (!from || from->hash == run->state.init) return true;
  return gt_fail(
      error, GT_ERR_DATA,
      "%s is not the model that %s was started from; resume with the original file or, if the model has no "
      "constants (such as the wiring of logic gates), without --init and init_from",
      from->file.path, path);
}

/* The first path at which two configs differ, and the values there. is: in the config of this run; was: in
 * the checkpoint. */
typedef struct difference {
  gt_arena *arena;
  const char *path, *is, *was;
} difference;

static const char *value_text(const gt_spec *node) {
  if (!node) return "not set";
  if (node->kind != GT_SPEC_SCALAR) return node->kind == GT_SPEC_MAP ? "a map" : "a list";
  return *node->scalar ? node->scalar : "empty";
}

static bool find_difference(difference *d, const char *path, const gt_spec *is, const gt_spec *was);

static bool find_child_difference(difference *d, const char *path, const gt_spec *is, const gt_spec *was) {
  for (int i = 0; i < is->count || i < was->count; i++) {
    const gt_spec *a = i < is->count ? is->child[i] : NULL, *b = i < was->count ? was->child[i] : NULL;
    const char *key = gt_arena_printf(d->arena, "%d", i);
    if (is->kind == GT_SPEC_MAP) {
      key = a ? a->key : b->key;
      if (a) b = gt_spec_find(was, key);
      if (!a) a = gt_spec_find(is, key);
    }
    if (find_difference(d, gt_arena_printf(d->arena, "%s%s%s", path, *path ? "." : "", key), a, b))
      return true;
  }
  return false;
}

static bool find_difference(difference *d, const char *path, const gt_spec *is, const gt_spec *was) {
  const bool alike = is && was && is->kind == was->kind;
  if (alike && is->kind != GT_SPEC_SCALAR) return find_child_difference(d, path, is, was);
  if (alike && !strcmp(is->scalar, was->scalar)) return false;
  *d = (difference){d->arena, path, value_text(is), value_text(was)};
  return true;
}

static const char *metric_of(const gt_spec *config) {
  const gt_spec *stopping = gt_spec_find(gt_spec_find(config, "train"), "early_stopping");
  const gt_spec *metric = gt_spec_find(stopping, "metric");
  return metric && metric->kind == GT_SPEC_SCALAR ? metric->scalar : "loss";
}

/* Values of another metric cannot be compared. */
static void reset_best(gt_run *run) {
  run->state.best = NAN;
  run->state.best_step = run->state.best_epoch = run->state.bad_evaluations = 0;
}

/* Removes the positive class of a target from both configs if this one does not give it: earlier versions did
 * not write it, and it is the second class of whatever the data has. One that the saved config gave stays. */
static void remove_derived_positive(const gt_data_target *target, gt_spec *is, gt_spec *was,
                                    gt_arena *arena) {
  gt_spec *data[] = {gt_spec_find(is, "data"), gt_spec_find(was, "data")};
  if (target->positive_by != GT_POSITIVE_LISTED && target->positive_by != GT_POSITIVE_UNNAMED) return;
  const gt_spec *saved = gt_spec_find(data[1], "positive");
  if (saved && (saved->kind == GT_SPEC_MAP) != (target->name != NULL)) return; /* of other targets */
  if (saved && target->name) saved = gt_spec_find(saved, target->name);
  if (saved && !strcmp(value_text(saved), gt_class_name(target, 0, 0, arena))) return;
  for (int i = 0; i < 2; i++) {
    gt_spec *node = gt_spec_find(data[i], "positive");
    if (node && node->kind == GT_SPEC_MAP) gt_spec_remove(node, target->name);
    if (node && !node->count) gt_spec_remove(data[i], "positive");
  }
}

/* Resuming with another config is allowed, but results change: warns about the first difference. of: whose
 * config was saved. */
static void compare_configs(gt_run *run, const char *saved, const char *of) {
  gt_arena arena;
  gt_diagnostics ignored;
  const char *now = run->base->resolved;
  run->differs = strcmp(now, saved) != 0;
  if (!run->differs) return;
  gt_arena_init(&arena);
  gt_diagnostics_init(&ignored, &arena);
  difference d = {.arena = &arena};
  gt_spec *is = gt_spec_parse(&arena, "config", now, strlen(now), &ignored),
          *was = gt_spec_parse(&arena, "config", saved, strlen(saved), &ignored);
  for (int k = 0; is && was && k < run->config->dataset.targets; k++)
    remove_derived_positive(&run->config->dataset.target[k], is, was, &arena);
  run->differs = !is || !was || strcmp(gt_spec_write(&arena, is), gt_spec_write(&arena, was)) != 0;
  if (is && was && strcmp(metric_of(is), metric_of(was))) reset_best(run);
  if (is && was && find_difference(&d, "", is, was))
    gt_warn("the config differs from the %s, first in %s: %s, was %s", of, d.path, d.is, d.was);
  gt_arena_finish(&arena);
}

/* For a phase whose length is in steps: its steps, and so its end, stay where they are. Only the number of
 * the epoch is corrected, from which the order of the samples is drawn: it never falls, and no part of an
 * epoch is drawn again. */
static void renumber_epochs(gt_host_state *s, int64_t done, int64_t was, int64_t is) {
  const bool is_behind = (double)(done % is) / (double)is < (double)(done % was) / (double)was;
  s->first_epoch += done / was + is_behind - done / is;
  gt_info("the run goes on in epoch %lld; an epoch now has %lld step%s, not %lld",
          (long long)(s->first_epoch + gt_ceil_div(done, is)), (long long)is, is == 1 ? "" : "s",
          (long long)was);
}

/* Epochs done are epochs done: if an epoch now has another number of steps (batch_size, accumulate, an
 * optimizer with line search), the same part of this phase's epochs is behind. The phase then counts as begun
 * at another step, so that everything that counts from there (order of samples, schedule, evaluations, end)
 * continues at this place. */
static void recount_epochs(gt_run *run) {
  gt_host_state *s = &run->state;
  if (s->phase >= run->base->phases && run->base->phases) return; /* an error: gt_generation_open */
  const gt_config *phase = run->base->phases ? &run->base->phase[s->phase] : run->base;
  const int64_t was = s->epoch_steps, is = gt_phase_batching(phase).steps, done = s->step - s->first_step;
  if (!was || was == is || !done) return;
  if (!phase->train.epochs) {
    renumber_epochs(s, done, was, is);
    return;
  }
  const int64_t now = gt_times_at_most(done / was, is, INT64_C(1) << 60) +
                      gt_times_at_most(done % was, is, INT64_C(1) << 60) / was;
  if (!phase->train.restart_every) s->optimizer_step += done - now; /* attempts count their own steps */
  s->first_step = s->step - now;
  const long long wanted = (long long)phase->train.epochs;
  const char *of_phase = run->base->phases ? " of this phase" : "";
  const double epochs = (double)now / (double)is;
  char text[128];
  if (epochs > (double)wanted)
    snprintf(text, sizeof text, "%.6g epochs%s are done, more than the %lld of the config", epochs, of_phase,
             wanted);
  else
    snprintf(text, sizeof text, "%.6g of %lld epochs%s are done", epochs, wanted, of_phase);
  gt_info("%s; an epoch now has %lld step%s, not %lld", text, (long long)is, is == 1 ? "" : "s",
          (long long)was);
}

/* Renames a damaged checkpoint, so that gt_checkpoint_prune does not keep it instead of a valid one. */
static void rename_damaged(gt_arena *arena, const char *path) {
  if (rename(path, gt_arena_printf(arena, "%s.damaged", path)) != 0)
    gt_warn("cannot rename %s: %s", path, strerror(errno));
}

/* Finds the newest valid checkpoint and counts newer damaged ones. Fails at a checkpoint that cannot be read,
 * or that another version wrote, because it may be valid. */
static bool find_valid(gt_run *run, const int64_t *steps, int count, int *damaged, gt_container *container,
                       gt_error *error) {
  gt_error why = {0};
  uint64_t seed;
  const char *saved;
  for (*damaged = 0; *damaged < count; ++*damaged) {
    const char *path = gt_checkpoint_path(&run->session.arena, run->directory, steps[*damaged]);
    why = (gt_error){0};
    if (gt_checkpoint_read(path, container, &seed, &saved, &run->state, &why)) {
      compare_configs(run, saved, "checkpoint's");
      return true;
    }
    if (!container->damaged) return gt_fail(error, why.status, "%s", why.message);
    gt_warn("skipped a checkpoint: %s", why.message);
  }
  return gt_fail(
      error, GT_ERR_DATA,
      "all checkpoints in %s are damaged; nothing was changed. Remove %s/checkpoints to start this run "
      "over, or start a new run with another --run-dir",
      run->directory, run->directory);
}

/* A directory with model.bin but without checkpoints holds a finished run, which must not start over. It has
 * nothing left to train if it is resumed with the config with which it finished. */
static bool check_finished(gt_run *run, gt_error *error) {
  gt_arena *arena = &run->session.arena;
  gt_bytes config;
  if (!gt_file_exists(gt_arena_printf(arena, "%s/model.bin", run->directory))) return true;
  if (!gt_read_file(gt_arena_printf(arena, "%s/config.yaml", run->directory), UINT64_MAX, &config, error))
    return false;
  compare_configs(run, (const char *)config.data, "finished run's");
  gt_bytes_finish(&config);
  run->finished = !run->differs;
  if (run->finished)
    gt_info("nothing left to train: %s has finished", run->directory);
  else
    gt_fail(
        error, GT_ERR_BUSY,
        "%s has finished and has no checkpoint, so it cannot go on with another config; a new run can start "
        "from its weights, with --init %s and another --run-dir",
        run->directory, run->directory);
  return run->finished;
}

bool gt_run_restore(gt_run *run, bool *found, gt_error *error) {
  gt_arena *arena = &run->session.arena;
  gt_container container;
  int64_t *steps;
  int count, damaged;
  *found = false;
  if (!gt_checkpoint_list(arena, run->directory, &steps, &count, error)) return false;
  if (!count) return check_finished(run, error);
  if (!find_valid(run, steps, count, &damaged, &container, error)) return false;
  const char *path = gt_checkpoint_path(arena, run->directory, steps[damaged]);
  recount_epochs(run);
  *found = gt_change_resume(run->base, run->state.phase, &container, path, arena, error) &&
           gt_generation_open(run, error) &&
           gt_run_check_data(run, &run->state.data, "the checkpoint", path, error) &&
           check_init(run, path, error) &&
           gt_store_restore(run->net->model->store, &run->session.buffers, &container, path, error) &&
           gt_run_check_constants(run, error);
  gt_container_finish(&container);
  if (!*found) return false;
  run->state.data = run->data;
  gt_run_attempt_resume(run);
  for (int i = 0; i < damaged; i++)
    rename_damaged(arena, gt_checkpoint_path(arena, run->directory, steps[i]));
  run->saved_step = run->state.step;
  return true;
}
