#include "cli/bench.h"
#include "base/text.h"
#include <string.h>

static const gt_option options[] = {
    {"compare", "FILE", "without arguments: --json output of an earlier run to compare with", false},
    {"row-ms", "N", "without arguments: target time per row of the table in milliseconds (default: 1000)",
     false},
    {"steps", "N", "train: steps in each of the 7 repetitions (default: for a third of a second)", false},
    {"profile", NULL, "train: time of each kernel of the step, next to a lower bound for this machine",
     false},
    GT_OPTION_SET,
    {"memory-limit", "SIZE", "train: limit on device memory; data that does not fit is streamed", false},
    GT_OPTION_DEVICE,
    GT_OPTION_REQUIRE_GPU,
    GT_OPTION_QUIET,
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

json_t *gt_cli_bench_time_json(const gt_bench_time *time) {
  return json_pack("{s:f, s:f, s:f}", "median", time->median, "min", time->min, "max", time->max);
}

/* --- bench gemm --- */

static void print_product(bool json, json_t *list, const char *name, const gt_bench_time *time, double rate) {
  if (json)
    json_array_append_new(list, json_pack("{s:s, s:o, s:f, s:s}", "name", name, "us",
                                          gt_cli_bench_time_json(time), "rate", rate, "unit", "GFLOP/s"));
  else
    printf("%-34s %12.2f us %10.1f GFLOP/s\n", name, time->median, rate);
}

static bool run_gemms(gt_backend *backend, bool json, json_t *list, gt_error *error) {
  static const int64_t sizes[][3] = {{128, 512, 784},    {1024, 512, 784},   {256, 256, 256},
                                     {512, 512, 512},    {1024, 1024, 1024}, {2048, 2048, 2048},
                                     {4096, 4096, 4096}, {8192, 8192, 8192}};
  static const double seconds = 2; /* target time per size */
  const gt_bench_precision *precision;
  gt_bench_precisions(&backend->target, &precision);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const int64_t m = sizes[i][0], n = sizes[i][1], k = sizes[i][2];
    gt_bench_time time;
    char name[64];
    if (!backend->target.device && m > 2048) continue; /* a CPU would take minutes */
    if (!gt_bench_gemm(backend, &precision[0], m, n, k, seconds, &time, error)) return false;
    snprintf(name, sizeof name, "gemm %lldx%lldx%lld", (long long)m, (long long)n, (long long)k);
    print_product(json, list, name, &time, 2e-3 * (double)(m * n * k) / time.median); /* FLOP/us to GFLOP/s */
  }
  return true;
}

int gt_cli_bench_gemm(const gt_arguments *arguments) {
  gt_error error = {0};
  const bool json = gt_flag(arguments, "json");
  json_t *list = json_array();
  gt_backend *backend = gt_backend_open(gt_cli_device(arguments), 0, &error);
  if (backend && !json) printf("%s\n", backend->name);
  const bool ok = backend && run_gemms(backend, json, list, &error);
  if (ok && json) gt_cli_print_json(json_pack("{s:s, s:O}", "device", backend->name, "results", list));
  gt_backend_close(backend);
  json_decref(list);
  return ok ? GT_OK : gt_report(&error);
}

/* --- the command --- */

static const char *const kinds[] = {"train", "gemm"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *kind_at(int index) { return index < KINDS ? kinds[index] : NULL; }

static int run(const gt_arguments *arguments) {
  if (!arguments->words) return gt_cli_bench_table(arguments);
  const char *kind = arguments->word[0];
  if (gt_option_value(arguments, "compare"))
    return gt_usage_error(arguments, "--compare applies to the table only: use gtrain bench without '%s'",
                          kind);
  if (!strcmp(kind, "train")) return gt_cli_bench_train(arguments);
  if (!strcmp(kind, "gemm") && arguments->words == 1) return gt_cli_bench_gemm(arguments);
  if (!strcmp(kind, "gemm")) return gt_usage_error(arguments, "unexpected argument '%s'", arguments->word[1]);
  const char *nearest = gt_nearest(kind, kinds, KINDS);
  return gt_usage_error(arguments, "unknown benchmark '%s'%s%s%s", kind, nearest ? "; did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?" : "");
}

GT_DEFINE(command, bench) = {
    .name = "bench",
    .summary = "measure this machine, or the training step of a config",
    .usage = "[train CONFIG | gemm] [options]",
    .details =
        "Without arguments: a table of matrix products, memory, launches and a reference training step,\n"
        "for the device and the CPU. Each figure is the median of up to 7 repetitions, with their range.\n"
        "With train: the steady-state step of a config, as the median of 7 repetitions. With gemm: matrix\n"
        "products of many sizes.\n",
    .known_word = kind_at,
    .examples = {"gtrain bench", "gtrain bench train configs/digits.yaml --profile"},
    .options = options,
    .max_words = 2,
    .run = run,
};
