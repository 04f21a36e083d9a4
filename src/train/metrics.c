#include "train/metrics.h"
#include "base/file.h"
#include "base/log.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *gt_json_number(double value, char buffer[32]) {
  if (isfinite(value))
    snprintf(buffer, 32, "%.9g", value);
  else
    snprintf(buffer, 32, "null");
  return buffer;
}

json_t *gt_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static double loss(const gt_sums *s) { return gt_result_loss(s); }
static double accuracy(const gt_sums *s) { return gt_result_accuracy(s); }
static double soft_loss(const gt_sums *s) { return gt_mean_loss(s); }
static double soft_accuracy(const gt_sums *s) { return gt_accuracy(s); }

enum { KINDS = 6 };
const char *const gt_metric_names[KINDS + 1] = {"loss",      "accuracy",      "soft_loss", "soft_accuracy",
                                                "hard_loss", "hard_accuracy", NULL};
static const gt_metric_kind kinds[KINDS] = {
    {.name = "loss", .value = loss},
    {.name = "accuracy", .value = accuracy, .accuracy = true},
    {.name = "soft_loss", .value = soft_loss, .of_soft = true},
    {.name = "soft_accuracy", .value = soft_accuracy, .accuracy = true, .of_soft = true},
    {.name = "hard_loss", .value = loss, .of_hard = true},
    {.name = "hard_accuracy", .value = accuracy, .accuracy = true, .of_hard = true},
};

const gt_metric_kind *gt_metric_find(const char *name) {
  for (int i = 0; i < KINDS; i++)
    if (!strcmp(kinds[i].name, name)) return &kinds[i];
  return NULL;
}

int gt_sums_metrics(const gt_sums *sums, bool accuracy, gt_metric out[GT_METRICS]) {
  int n = 0;
  if (sums->hard) out[n++] = (gt_metric){"loss", gt_hard_loss(sums)};
  if (sums->hard && accuracy) out[n++] = (gt_metric){"accuracy", gt_hard_accuracy(sums)};
  out[n++] = (gt_metric){sums->soft ? "soft_loss" : "loss", gt_mean_loss(sums)};
  if (accuracy) out[n++] = (gt_metric){sums->soft ? "soft_accuracy" : "accuracy", gt_accuracy(sums)};
  return n;
}

void gt_json_add_result(json_t *object, const gt_sums *sums, bool accuracy) {
  gt_metric metric[GT_METRICS];
  const int count = gt_sums_metrics(sums, accuracy, metric);
  for (int i = 0; i < count; i++) json_object_set_new(object, metric[i].name, gt_json_real(metric[i].value));
}

static int open_for_append(const char *directory, const char *name, gt_error *error) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return gt_open_plain(path, O_WRONLY | O_CREAT | O_APPEND, error);
}

/* Both names reach the disk at once. */
static bool sync_names(const char *directory, gt_error *error) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/timing.jsonl", directory);
  return gt_sync_name(path, error);
}

bool gt_metrics_open(gt_metrics *metrics, const char *directory, int64_t keep, gt_error *error) {
  struct stat status;
  *metrics = (gt_metrics){.metrics = -1, .timing = -1};
  metrics->metrics = open_for_append(directory, "metrics.jsonl", error);
  if (metrics->metrics >= 0) metrics->timing = open_for_append(directory, "timing.jsonl", error);
  if (metrics->timing < 0 || !sync_names(directory, error)) goto fail;
  if (fstat(metrics->metrics, &status) != 0) {
    gt_fail_errno(error, GT_ERR_IO, "cannot look at %s/metrics.jsonl", directory);
    goto fail;
  }
  if (status.st_size < keep) {
    gt_warn("%s/metrics.jsonl is shorter than it was at the checkpoint; its missing rows are lost",
            directory);
    keep = status.st_size;
  }
  if (!gt_cut_file(metrics->metrics, keep)) {
    gt_fail_errno(error, GT_ERR_IO, "cannot cut %s/metrics.jsonl", directory);
    goto fail;
  }
  metrics->bytes = keep;
  return true;
fail:
  gt_metrics_close(metrics);
  return false;
}

/* A line goes out whole: a killed run leaves no half of one, short of a full disk. */
static bool write_line(int fd, const char *name, const char *line, gt_error *error) {
  const size_t length = strlen(line);
  size_t at = 0;
  while (at < length) {
    const ssize_t n = write(fd, line + at, length - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return gt_fail_errno(error, GT_ERR_IO, "cannot write %s", name);
    at += (size_t)n;
  }
  return true;
}

bool gt_metrics_row(gt_metrics *metrics, const gt_metric_row *row, gt_error *error) {
  char line[512], number[32];
  gt_metric metric[GT_METRICS];
  int n = snprintf(line, sizeof line, "{\"step\":%lld,\"epoch\":%lld,\"split\":\"%s\"", (long long)row->step,
                   (long long)row->epoch, row->split);
  if (row->sums.steps)
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"steps\":%lld", (long long)row->sums.steps);
  const int count = gt_sums_metrics(&row->sums, row->accuracy, metric);
  for (int i = 0; i < count; i++)
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"%s\":%s", metric[i].name,
                  gt_json_number(metric[i].value, number));
  if (!isnan(row->lr))
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"lr\":%s", gt_json_number(row->lr, number));
  if (!isnan(row->grad_norm))
    n += snprintf(line + n, sizeof line - (size_t)n, ",\"grad_norm\":%s",
                  gt_json_number(row->grad_norm, number));
  n += snprintf(line + n, sizeof line - (size_t)n, "}\n");
  if (!write_line(metrics->metrics, "metrics.jsonl", line, error)) return false;
  metrics->bytes += n;
  return true;
}

bool gt_metrics_timing(gt_metrics *metrics, int64_t step, double elapsed, double rate, gt_error *error) {
  char line[256], seconds[32], samples[32];
  snprintf(line, sizeof line, "{\"step\":%lld,\"elapsed_s\":%s,\"samples_per_s\":%s}\n", (long long)step,
           gt_json_number(elapsed, seconds), gt_json_number(rate, samples));
  return write_line(metrics->timing, "timing.jsonl", line, error);
}

bool gt_metrics_start(gt_metrics *metrics, int64_t step, const char *device, gt_error *error) {
  json_t *row = json_pack("{s:I, s:s%}", "step", (json_int_t)step, "device", device, strlen(device));
  char *text = row ? json_dumps(row, JSON_COMPACT) : NULL;
  json_decref(row);
  if (!text) return true; /* a device whose name is not UTF-8 goes unrecorded */
  char line[1024];
  snprintf(line, sizeof line, "%s\n", text);
  free(text);
  return write_line(metrics->timing, "timing.jsonl", line, error);
}

bool gt_metrics_sync(gt_metrics *metrics, gt_error *error) {
  if (fdatasync(metrics->metrics) == 0 || errno == EINVAL || errno == EINTR) return true;
  return gt_fail_errno(error, GT_ERR_IO, "cannot sync metrics.jsonl");
}

void gt_metrics_close(gt_metrics *metrics) {
  if (metrics->metrics > 0) close(metrics->metrics);
  if (metrics->timing > 0) close(metrics->timing);
  *metrics = (gt_metrics){0};
}
