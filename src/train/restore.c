/* Saving a run's state, and finding it again. */
#include "base/log.h"
#include "base/memory.h"
#include "train/run.h"
#include "train/twins.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float *download(gt_run *run, const char *name, int64_t count, gt_error *error) {
  float *values = gt_arena_alloc_n(&run->session.arena, (size_t)count + 1, sizeof *values);
  return gt_buffers_download(&run->session.buffers, name, 0, values, (uint64_t)count * sizeof *values, error)
             ? values
             : NULL;
}

/* Host copies of the training variables, made once and used by every save. */
static bool download_state(gt_run *run, gt_stored *tensors, int *count, gt_error *error) {
  const gt_training *training = &run->net->training;
  const gt_parameters *parameters = &run->net->model->parameters;
  float *flat = download(run, GT_PARAMETERS_VARIABLE, parameters->total, error);
  if (!flat || !gt_run_check_weights(run, flat, error)) return false;
  *count = gt_parameters_as_tensors(parameters, flat, tensors);
  for (int i = 0; i < training->variables; i++) {
    const gt_training_variable *v = &training->variable[i];
    const float *values = download(run, v->name, v->count, error);
    if (!values) return false;
    if (v->twin)
      *count += gt_twins_as_tensors(&run->session.arena, parameters, v, values, tensors + *count);
    else
      tensors[(*count)++] = (gt_stored){gt_arena_printf(&run->session.arena, "state.%s", v->name), GT_F32,
                                        gt_shape_1(v->count), values};
  }
  return true;
}

bool gt_run_save(gt_run *run, gt_error *error) {
  const gt_parameters *parameters = &run->net->model->parameters;
  gt_arena keep = run->session.arena; /* what a save needs lives only as long as the save */
  gt_arena_init(&run->session.arena);
  gt_stored *tensors =
      gt_alloc((size_t)(parameters->count + 1) * (GT_TRAINING_VARIABLES + 1) * sizeof *tensors);
  int count = 0;
  bool ok = gt_metrics_sync(&run->metrics, error) && download_state(run, tensors, &count, error);
  if (ok) {
    run->state.metrics_bytes = run->metrics.bytes;
    const char *path = gt_checkpoint_path(&run->session.arena, run->directory, run->state.step);
    ok = gt_checkpoint_write(path, tensors, count, (uint64_t)run->config->seed, run->config->resolved,
                             &run->state, error);
  }
  if (ok) {
    run->saved_step = run->state.step;
    gt_checkpoint_prune(run->directory, (int)run->config->train.checkpoint.keep_last);
  }
  free(tensors);
  gt_arena_finish(&run->session.arena);
  run->session.arena = keep;
  return ok;
}

static bool upload_variable(gt_run *run, const gt_container *container, const char *path,
                            const gt_training_variable *v, gt_error *error) {
  char name[256];
  snprintf(name, sizeof name, "state.%s", v->name);
  const gt_stored *stored = gt_container_tensor(container, name);
  if (!stored || stored->dtype != GT_F32 || gt_shape_count(stored->shape) != v->count)
    return gt_fail(error, GT_ERR_DATA, "%s was made with another optimizer: it has no fitting '%s'", path,
                   v->name);
  return gt_buffers_upload(&run->session.buffers, v->name, 0, stored->data,
                           (uint64_t)v->count * sizeof(float), error);
}

static bool upload_twins(gt_run *run, const gt_container *container, const char *path,
                         const gt_training_variable *v, gt_error *error) {
  float *values = gt_alloc((size_t)v->count * sizeof *values + 1);
  const bool ok =
      gt_twins_from_container(container, path, &run->net->model->parameters, v, run->flat, values, error) &&
      gt_buffers_upload(&run->session.buffers, v->name, 0, values, (uint64_t)v->count * sizeof *values,
                        error);
  free(values);
  return ok;
}

static bool upload_state(gt_run *run, const gt_container *container, const char *path, gt_error *error) {
  const gt_parameters *parameters = &run->net->model->parameters;
  const gt_training *training = &run->net->training;
  gt_buffers *buffers = &run->session.buffers;
  if (!gt_parameters_from_container(container, path, parameters, run->flat, error)) return false;
  if (!gt_buffers_upload(buffers, GT_PARAMETERS_VARIABLE, 0, run->flat,
                         (uint64_t)parameters->total * sizeof(float), error))
    return false;
  for (int i = 0; i < training->variables; i++) {
    const gt_training_variable *v = &training->variable[i];
    if (!(v->twin ? upload_twins : upload_variable)(run, container, path, v, error)) return false;
  }
  return true;
}

/* Where there are gates, older versions called soft_loss what is 'loss' now: the two are not compared. */
static void forget_soft_best(gt_run *run) {
  const char *metric = run->config->train.early_stopping.metric;
  if (!run->net->model->has_hard || gt_metric_is_hard(metric) || isnan(run->state.best)) return;
  gt_warn(
      "early stopping forgets the best '%s' so far: it was that of soft gates, which is called soft_%s now",
      metric, metric);
  run->state.best = NAN;
}

/* Weights that were trained with other data, or judged by other data than will be, are not continued. */
static bool check_data(gt_run *run, const char *path, gt_error *error) {
  const gt_data_fingerprint *was = &run->state.data, *is = &run->data;
  const bool validates = run->config->dataset.validation.samples > 0;
  const bool told = was->train != 0;
  const char *other = was->train != is->train               ? "training samples"
                      : was->meaning != is->meaning         ? "classes or normalisation"
                      : was->validation != is->validation   ? "validation samples"
                      : !validates && was->test != is->test ? "test samples, which are watched,"
                                                            : NULL;
  if (told && other)
    return gt_fail(
        error, GT_ERR_DATA,
        "the %s are not those that %s was made with. Give the run its data back (its files, 'data:' "
        "and the seed, which draws splits), or begin another with a new --run-dir",
        other, path);
  if (!told) forget_soft_best(run);
  if (told && was->test != is->test) gt_warn("the test samples are not those that %s was made with", path);
  run->state.data = *is;
  return true;
}

/* Going on with another config is allowed, but it is not the same run: say where it differs. */
static void compare_configs(const gt_run *run, const char *saved) {
  const char *a = run->config->resolved, *b = saved;
  int line = 1;
  while (*a && *a == *b) line += *a == '\n', a++, b++;
  if (!*a && !*b) return;
  while (a > run->config->resolved && a[-1] != '\n') a--, b--;
  gt_warn("the config differs from the checkpoint's, first in line %d of %s/config.yaml: '%.*s', was '%.*s'",
          line, run->directory, (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
}

/* A checkpoint that was skipped must not count as one of the newest: pruning would drop sound ones for it. */
static void set_aside(gt_arena *arena, const char *path) {
  if (rename(path, gt_arena_printf(arena, "%s.damaged", path)) != 0)
    gt_warn("cannot rename %s: %s", path, strerror(errno));
}

/* The newest sound one, and how many damaged ones are newer. What could not be read, or is of another
 * version, may be sound: it ends the search, for the user to see to. */
static bool find_sound(gt_run *run, const int64_t *steps, int count, int *damaged, gt_container *container,
                       gt_error *error) {
  gt_error why = {0};
  uint64_t seed;
  const char *saved;
  for (*damaged = 0; *damaged < count; ++*damaged) {
    const char *path = gt_checkpoint_path(&run->session.arena, run->directory, steps[*damaged]);
    why = (gt_error){0};
    if (gt_checkpoint_read(path, container, &seed, &saved, &run->state, &why)) {
      compare_configs(run, saved);
      return true;
    }
    if (!container->damaged) return gt_fail(error, why.status, "%s", why.message);
    gt_warn("skipped a checkpoint: %s", why.message);
  }
  return gt_fail(
      error, GT_ERR_DATA,
      "no checkpoint in %s is sound: nothing was changed. Remove %s/checkpoints to start this run over, or "
      "begin another with a new --run-dir",
      run->directory, run->directory);
}

bool gt_run_restore(gt_run *run, bool *found, gt_error *error) {
  gt_arena *arena = &run->session.arena;
  gt_container container;
  int64_t *steps;
  int count, damaged;
  *found = false;
  if (!gt_checkpoint_list(arena, run->directory, &steps, &count, error)) return false;
  if (!count) return true;
  if (!find_sound(run, steps, count, &damaged, &container, error)) return false;
  const char *path = gt_checkpoint_path(arena, run->directory, steps[damaged]);
  *found = check_data(run, path, error) && upload_state(run, &container, path, error) &&
           gt_run_attempt_resume(run, error);
  gt_container_finish(&container);
  if (!*found) return false;
  for (int i = 0; i < damaged; i++) set_aside(arena, gt_checkpoint_path(arena, run->directory, steps[i]));
  run->saved_step = run->state.step;
  return true;
}
