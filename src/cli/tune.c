/* gtrain tune: finds the fastest kernels for a config on this device by timing candidates. */
#include "base/log.h"
#include "cli/common.h"
#include "base/time.h"
#include "train/run/signals.h"
#include "train/bench/tune.h"
#include "train/file/tuned_file.h"
#include <stdlib.h>
#include <string.h>

static const gt_option options[] = {
    {"ways", "N", "try this many tiles for each product, and this many ways to use the best (default: 8)",
     false},
    {"seconds", "N", "start no new measurement after N seconds; 0: no limit (default: 120)", false},
    {"forget", NULL, "remove the results for this config, without tuning", false},
    GT_OPTION_SET,
    GT_OPTION_DEVICE,
    GT_OPTION_REQUIRE_GPU,
    GT_OPTION_QUIET,
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

static void print_choice(void *context, const gt_tune_choice *choice) {
  (void)context;
  if (choice->gain > 0)
    printf("%-34s %s -> %s: saves %.1f %% of the step's time (%u of %u candidates tried)\n", choice->key,
           choice->was, choice->now, 100 * choice->gain, choice->tried, choice->offered);
  else
    printf("%-34s %s stays (%u of %u candidates tried)\n", choice->key, choice->was, choice->tried,
           choice->offered);
  fflush(stdout);
}

static void add_choice(void *context, const gt_tune_choice *choice) {
  json_array_append_new(context, json_pack("{s:s, s:s, s:s, s:f, s:i, s:i}", "what", choice->key, "was",
                                           choice->was, "now", choice->now, "gain", choice->gain, "tried",
                                           (int)choice->tried, "offered", (int)choice->offered));
}

static void print_result(const gt_tune_result *r, const char *path) {
  char before[32], after[32];
  if (!r->choices) {
    printf("nothing to tune: each kernel of the step has only one candidate on this device\n");
    return;
  }
  if (r->failed) gt_warn("the device refused %u of %u candidates", r->failed, r->tries);
  gt_duration(1e-6 * r->before, before);
  if (r->changed)
    printf("step            %s -> %s (%.3f times as fast), measured in turns\n", before,
           gt_duration(1e-6 * r->before * r->ratio, after), 1 / r->ratio);
  else
    printf("step            %s, with the estimated choices: nothing was faster\n", before);
  printf("kept            %u of %u, in %s\n", r->changed, r->choices, path);
  if (r->tuned < r->choices)
    printf("not tried       %u of %u, because time ran out (--seconds)\n", r->choices - r->tuned, r->choices);
}

static json_t *result_json(const gt_session *session, const gt_tune_result *r, const char *path,
                           json_t *choices) {
  return json_pack("{s:s, s:s, s:s, s:f, s:f, s:i, s:i, s:i, s:i, s:i, s:O}", "config", session->config->name,
                   "device", session->backend->name, "file", path, "us_before", r->before, "us_after",
                   r->before * r->ratio, "choices", (int)r->choices, "gone_through", (int)r->tuned, "changed",
                   (int)r->changed, "tries", (int)r->tries, "failed", (int)r->failed, "of", choices);
}

static bool tune(const gt_arguments *arguments, gt_session *session, const char *path, int64_t ways,
                 int64_t seconds, gt_error *error) {
  const bool json = gt_flag(arguments, "json");
  json_t *choices = json_array();
  const gt_tune_options tune_options = {.max_candidates = (uint32_t)ways,
                                        .seconds = (double)seconds,
                                        .note = json ? add_choice : print_choice,
                                        .context = choices};
  gt_tune_result result;
  if (!json)
    printf("%s on %s, batch %lld\n", session->config->name, session->backend->name,
           (long long)session->config->train.batch_size);
  gt_signals_catch();
  bool ok = gt_tune(session, &tune_options, &result, error);
  ok = ok && (!result.choices || gt_tuned_write(&session->tuned, path, session->backend, error));
  if (ok && json) gt_cli_print_json(result_json(session, &result, path, choices));
  if (ok && !json) print_result(&result, path);
  json_decref(choices);
  return ok && (!gt_signal_received() ||
                gt_fail(error, GT_INTERRUPTED, "interrupted: the results so far are kept"));
}

static bool forget(gt_session *session, const char *path, gt_error *error) {
  uint32_t count;
  if (!gt_tune_remove(session, &count, error) ||
      (count && !gt_tuned_write(&session->tuned, path, session->backend, error)))
    return false;
  printf("removed         %u, from %s\n", count, path);
  return true;
}

static int tune_config(const gt_arguments *arguments, gt_config *config, int64_t ways, int64_t seconds) {
  gt_session session = {0};
  gt_error error = {0};
  char *path = NULL;
  bool ok = gt_session_open(&session, config, GT_PART_NONE, gt_cli_device(arguments), &error);
  if (ok) {
    path = gt_tuned_path(session.backend);
    ok = path ||
         gt_fail(&error, GT_ERR_IO, "no cache folder: HOME, XDG_CACHE_HOME and GTRAIN_CACHE_DIR are not set");
  }
  if (ok) {
    gt_tuned_read_cache(&session.tuned, session.backend);
    ok = gt_flag(arguments, "forget") ? forget(&session, path, &error)
                                      : tune(arguments, &session, path, ways, seconds, &error);
  }
  gt_session_close(&session);
  free(path);
  if (ok) return GT_OK;
  return config->diagnostics.errors ? gt_config_report(config, &error) : gt_report(&error);
}

static int run(const gt_arguments *arguments) {
  gt_config config;
  int64_t ways = 8, seconds = 120;
  if (!gt_option_int(arguments, "ways", 1, 1000, &ways) ||
      !gt_option_int(arguments, "seconds", 0, 1000000, &seconds))
    return GT_ERR_USAGE;
  int code = gt_cli_config(arguments, arguments->word[0], false, &config);
  if (code) return code;
  code = tune_config(arguments, &config, ways, seconds);
  gt_config_finish(&config);
  return code;
}

GT_DEFINE(command, tune) = {
    .name = "tune",
    .summary = "find the fastest kernels for a config on this device, for later runs",
    .usage = "CONFIG [options]",
    .details =
        "gtrain estimates which tile sizes of a matrix product, and similar choices, are fastest on a\n"
        "device. This command times alternatives in the whole step of the config (of its first phase), in\n"
        "turns with the current choice, and keeps better ones in $GTRAIN_CACHE_DIR, else ~/.cache/gtrain,\n"
        "for this device and driver version. Later runs use them, also runs of other configs with the same\n"
        "products; a resumed run keeps the choices it began with. Results differ by rounding, as they do\n"
        "between devices.\n",
    .examples = {"gtrain tune configs/digits.yaml",
                 "gtrain tune configs/digits.yaml --device vulkan --seconds 30"},
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
