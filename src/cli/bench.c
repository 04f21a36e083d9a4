#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/common.h"
#include "graph/op.h"
#include "train/bench.h"
#include <stdlib.h>
#include <string.h>

static const gt_option options[] = {
    {"steps", "N", "train: replays in one of the 7 repetitions (default: a third of a second)", false},
    {"profile", NULL, "train: time of each kernel of the step", false},
    GT_OPTION_SET,
    GT_OPTION_DEVICE,
    GT_OPTION_QUIET,
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

static json_t *time_json(const gt_bench_time *time) {
  return json_pack("{s:f, s:f, s:f}", "median", time->median, "min", time->min, "max", time->max);
}

/* --- bench train --- */

typedef struct row {
  const gt_step *step;
  const gt_graph *graph;
  double micro;   /* in a step of training */
  uint32_t times; /* … in which it runs so often */
} row;

static int slowest_first(const void *a, const void *b) {
  const double x = ((const row *)a)->micro, y = ((const row *)b)->micro;
  return (x < y) - (x > y);
}

enum { PROFILES = 9 };

typedef struct profile {
  row *rows; /* slowest first; malloc'ed */
  uint32_t count;
} profile;

/* Adds the mean times of a stage's steps over several replays, each as often as it runs in a step. */
static bool profile_stage(gt_session *session, const gt_stage *stage, row *rows, gt_error *error) {
  const gt_plan *plan = stage->plan;
  double *micro = gt_alloc((plan->steps + 1) * sizeof *micro);
  bool ok = true;
  for (int p = 0; p < PROFILES && ok; p++) {
    ok = session->backend->api->profile(session->backend, stage->executable, micro, error);
    for (uint32_t s = 0; s < plan->steps && ok; s++) rows[s].micro += stage->times * micro[s] / PROFILES;
  }
  for (uint32_t s = 0; s < plan->steps; s++) {
    rows[s].step = &plan->step[s];
    rows[s].graph = plan->graph;
    rows[s].times = stage->times;
  }
  free(micro);
  return ok;
}

static bool profile_net(gt_session *session, const gt_net *net, profile *out, gt_error *error) {
  uint32_t count = 0;
  for (int i = 0; i < net->stages; i++) count += net->stage[i].plan->steps;
  out->rows = gt_alloc((count + 1) * sizeof *out->rows);
  for (int i = 0; i < net->stages; i++) {
    if (!profile_stage(session, &net->stage[i], out->rows + out->count, error)) return false;
    out->count += net->stage[i].plan->steps;
  }
  qsort(out->rows, out->count, sizeof *out->rows, slowest_first);
  return true;
}

static const char *op_of(const row *r) {
  return r->step->node < r->graph->count ? gt_node_at(r->graph, r->step->node)->op->name : "";
}

static void print_profile(const profile *p) {
  double total = 0;
  uint32_t kernels = 0;
  for (uint32_t s = 0; s < p->count; s++) total += p->rows[s].micro, kernels += p->rows[s].times;
  printf("\n%10s %6s  %-20s %-14s %-18s %10s %8s\n", "us", "share", "kernel", "op", "layer", "GFLOP/s",
         "GB/s");
  for (uint32_t s = 0; s < p->count; s++) {
    const row *r = &p->rows[s];
    const gt_step *step = r->step;
    const double micro = (r->micro > 0 ? r->micro : 1e-3) / r->times;
    printf("%10.2f %5.1f%%  %-20s %-14s %-18s %10.1f %8.1f\n", r->micro,
           total > 0 ? 100 * r->micro / total : 0, step->kernel->name, op_of(r),
           step->scope ? step->scope : "", step->flops / micro * 1e-3, (double)step->bytes / micro * 1e-3);
  }
  printf("%10.2f         all %u kernels, each waited for\n", total, kernels);
}

static json_t *profile_json(const profile *p) {
  json_t *list = json_array();
  for (uint32_t s = 0; s < p->count; s++) {
    const row *r = &p->rows[s];
    const gt_step *step = r->step;
    json_array_append_new(list, json_pack("{s:f, s:s, s:s, s:s, s:f, s:I}", "us", r->micro, "kernel",
                                          step->kernel->name, "op", op_of(r), "layer",
                                          step->scope ? step->scope : "", "flops", step->flops, "bytes",
                                          (json_int_t)step->bytes));
  }
  return list;
}

static void print_train(const gt_arguments *arguments, const gt_session *session, const gt_net *net,
                        const gt_bench_time *time, const profile *profiled) {
  char count[32];
  const gt_net_work work = gt_net_work_of(net);
  const double rate = 1e6 * (double)gt_net_rows(net) / time->median;
  if (!gt_flag(arguments, "json")) {
    printf("%s on %s, batch %lld\n", session->config->name, session->backend->name,
           (long long)gt_net_rows(net));
    printf("us_per_step     %.2f (min %.2f, max %.2f; %d x %lld steps)\n", time->median, time->min, time->max,
           GT_BENCH_REPETITIONS, (long long)time->replays);
    printf("samples_per_s   %s\n", gt_human_count(rate, count));
    printf("work            %.1f GFLOP/s in %u kernels, %u levels\n", work.flops / time->median * 1e-3,
           work.kernels, work.levels);
    if (profiled->rows) print_profile(profiled);
    return;
  }
  json_t *root =
      json_pack("{s:s, s:s, s:I, s:I, s:i, s:o, s:f, s:f, s:i, s:i}", "config", session->config->name,
                "device", session->backend->name, "batch", (json_int_t)gt_net_rows(net), "steps",
                (json_int_t)time->replays, "repetitions", GT_BENCH_REPETITIONS, "us_per_step",
                time_json(time), "samples_per_s", rate, "gflops_per_s", work.flops / time->median * 1e-3,
                "kernels", (int)work.kernels, "levels", (int)work.levels);
  if (profiled->rows) json_object_set_new(root, "profile", profile_json(profiled));
  gt_cli_print_json(root);
}

static int bench_config(const gt_arguments *arguments, gt_config *config) {
  gt_session session = {0};
  gt_error error = {0};
  gt_executable *executable;
  gt_bench_time time;
  int64_t steps = 0;
  profile profiled = {0};
  bool ok = false;
  if (!gt_option_int(arguments, "steps", 1, 100000000, &steps)) return GT_ERR_USAGE;
  if (gt_session_open(&session, config, gt_option_value(arguments, "device"), &error)) {
    const gt_net *net = gt_bench_open(&session, &executable, &error);
    ok = net && gt_bench_executable(session.backend, executable, steps, &time, &error);
    if (ok && gt_flag(arguments, "profile")) ok = profile_net(&session, net, &profiled, &error);
    if (ok) print_train(arguments, &session, net, &time, &profiled);
  }
  gt_session_close(&session);
  free(profiled.rows);
  if (ok) return GT_OK;
  return config->diagnostics.errors ? gt_config_report(config, &error) : gt_report(&error);
}

static int bench_train(const gt_arguments *arguments) {
  gt_arena arena;
  gt_config config;
  if (arguments->words != 2) return gt_usage_error(arguments, "gtrain bench train needs one CONFIG");
  gt_arena_init(&arena);
  int code = gt_cli_config(arguments, &arena, arguments->word[1], &config);
  if (!code) {
    code = bench_config(arguments, &config);
    gt_config_finish(&config);
  }
  gt_arena_finish(&arena);
  return code;
}

/* --- single kernels --- */

static void print_kernel(bool json, json_t *list, const char *name, const gt_bench_time *time, double rate,
                         const char *unit) {
  if (json)
    json_array_append_new(list, json_pack("{s:s, s:o, s:f, s:s}", "name", name, "us", time_json(time), "rate",
                                          rate, "unit", unit));
  else
    printf("%-34s %12.2f us %10.1f %s\n", name, time->median, rate, unit);
}

static bool gemms(gt_backend *backend, bool json, json_t *list, bool all, gt_error *error) {
  static const int64_t sizes[][3] = {{128, 512, 784},    {1024, 512, 784},   {256, 256, 256},
                                     {512, 512, 512},    {1024, 1024, 1024}, {2048, 2048, 2048},
                                     {4096, 4096, 4096}, {8192, 8192, 8192}};
  const int count = sizeof sizes / sizeof *sizes;
  for (int i = 0; i < count; i++) {
    const int64_t m = sizes[i][0], n = sizes[i][1], k = sizes[i][2];
    gt_bench_time time;
    char name[64];
    if (!all && i != 0 && i != 4) continue;
    if (!backend->target.device && m > 2048) continue; /* a CPU would take minutes */
    if (!gt_bench_gemm(backend, m, n, k, &time, error)) return false;
    snprintf(name, sizeof name, "gemm %lldx%lldx%lld", (long long)m, (long long)n, (long long)k);
    print_kernel(json, list, name, &time, 2e-3 * (double)(m * n * k) / time.median, "GFLOP/s");
  }
  return true;
}

static bool elementwise(gt_backend *backend, bool json, json_t *list, gt_error *error) {
  gt_bench_time time;
  char name[64];
  const int64_t n = backend->target.device ? 32 << 20 : 8 << 20;
  if (!gt_bench_elementwise(backend, n, &time, error)) return false;
  snprintf(name, sizeof name, "elementwise 2x+1, %lld M values", (long long)(n >> 20));
  print_kernel(json, list, name, &time, 8e-3 * (double)n / time.median, "GB/s");
  return true;
}

static bool reference(const char *device, bool json, json_t *list, int64_t batch, gt_error *error) {
  gt_arena arena;
  gt_config config;
  gt_session session = {0};
  gt_executable *executable;
  gt_bench_time time;
  char name[64];
  gt_arena_init(&arena);
  bool ok = gt_bench_reference(&config, &arena, batch, error) &&
            gt_session_open(&session, &config, device, error) &&
            gt_bench_open(&session, &executable, error) &&
            gt_bench_executable(session.backend, executable, 0, &time, error);
  snprintf(name, sizeof name, "MLP 784-512-256-10 step, batch %lld", (long long)batch);
  if (ok) print_kernel(json, list, name, &time, 1e3 * (double)batch / time.median, "k samples/s");
  gt_session_close(&session);
  gt_config_finish(&config);
  gt_arena_finish(&arena);
  return ok;
}

static int bench_kernels(const gt_arguments *arguments, bool only_gemm) {
  gt_error error = {0};
  const char *device = gt_option_value(arguments, "device");
  const bool json = gt_flag(arguments, "json");
  json_t *list = json_array();
  gt_backend *backend = gt_backend_open(device, 0, &error);
  if (backend && !json) printf("%s\n", backend->name);
  bool ok = backend && gemms(backend, json, list, only_gemm, &error);
  if (!only_gemm) ok = ok && elementwise(backend, json, list, &error);
  json_t *name = json_string(backend ? backend->name : "");
  gt_backend_close(backend);
  if (!only_gemm)
    ok = ok && reference(device, json, list, 128, &error) && reference(device, json, list, 1024, &error);
  if (ok && json) gt_cli_print_json(json_pack("{s:O, s:O}", "device", name, "results", list));
  json_decref(name);
  json_decref(list);
  return ok ? GT_OK : gt_report(&error);
}

static int run(const gt_arguments *arguments) {
  static const char *const kinds[] = {"train", "gemm"};
  if (!arguments->words) return bench_kernels(arguments, false);
  const char *kind = arguments->word[0];
  if (!strcmp(kind, "train")) return bench_train(arguments);
  if (!strcmp(kind, "gemm") && arguments->words == 1) return bench_kernels(arguments, true);
  if (!strcmp(kind, "gemm")) return gt_usage_error(arguments, "unexpected argument '%s'", arguments->word[1]);
  const char *nearest = gt_nearest(kind, kinds, 2);
  return gt_usage_error(arguments, "nothing to measure is called '%s'%s%s%s", kind,
                        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

GT_REGISTER(command, bench)
extern const gt_command gt_command_bench;
const gt_command gt_command_bench = {
    .name = "bench",
    .summary = "measure this machine, or the training step of a config",
    .usage = "[train CONFIG | gemm] [options]",
    .details =
        "Alone: a table of products, memory bandwidth and a reference training step. With train: the steady\n"
        "step of a config, as the median of 7 repetitions. With gemm: products of many sizes.\n",
    .options = options,
    .max_words = 2,
    .run = run,
};
