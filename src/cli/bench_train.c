/* gtrain bench train: the steady-state step of a config, and how close each kernel is to the machine's
 * limits. */
#include "base/memory.h"
#include "base/text.h"
#include "cli/bench.h"
#include "graph/op.h"
#include "train/bench/bench_table.h"
#include "base/time.h"
#include "train/file/tuned_file.h"
#include <stdlib.h>

typedef struct row {
  const gt_step *step;
  const gt_graph *graph;
  double micro;   /* time in a training step, in microseconds */
  uint32_t times; /* number of runs in a training step */
  double floor;   /* lower bound on this machine for all these runs, in microseconds */
  gt_bench_bound bound;
} row;

static int slowest_first(const void *a, const void *b) {
  const double x = ((const row *)a)->micro, y = ((const row *)b)->micro;
  return (x < y) - (x > y);
}

enum { PROFILES = 9 /* replays whose times are averaged */ };

typedef struct profile {
  row *rows; /* slowest first; malloc'ed */
  uint32_t count;
  gt_bench_ceilings ceilings;
  gt_compile_stats compile_stats; /* compile times of the training step's kernels */
} profile;

/* Adds the mean time of each kernel of a stage, multiplied by its runs per training step. */
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
  /* Copied before the ceilings are measured, which compiles more kernels. */
  out->compile_stats = session->backend->compile_stats;
  for (int i = 0; i < net->stages; i++) count += net->stage[i].plan->steps;
  out->rows = gt_alloc((count + 1) * sizeof *out->rows);
  for (int i = 0; i < net->stages; i++) {
    if (!profile_stage(session, &net->stage[i], out->rows + out->count, error)) return false;
    out->count += net->stage[i].plan->steps;
  }
  qsort(out->rows, out->count, sizeof *out->rows, slowest_first);
  if (!gt_bench_measure_ceilings(session->backend, &out->ceilings, error)) return false;
  for (uint32_t i = 0; i < out->count; i++) {
    row *r = &out->rows[i];
    r->floor = r->times *
               gt_bench_min_time(&out->ceilings, r->step->flops, (double)gt_step_traffic(r->step), &r->bound);
  }
  return true;
}

static const char *op_of(const row *r) {
  return r->step->node < r->graph->count ? gt_node_at(r->graph, r->step->node)->op->name : "";
}

static const char *const bound_name[] = {
    [GT_BOUND_LAUNCH] = "launch", [GT_BOUND_PRODUCTS] = "products", [GT_BOUND_MEMORY] = "memory"};

static void print_rows(const profile *p, double total) {
  printf("\n%10s %6s  %-20s %-14s %-18s %10s %8s %10s %6s  %s\n", "us", "share", "kernel", "op", "layer",
         "GFLOP/s", "GB/s", "floor us", "eff.", "bound by");
  for (uint32_t s = 0; s < p->count; s++) {
    const row *r = &p->rows[s];
    const gt_step *step = r->step;
    const double micro = r->micro > 0 ? r->micro : 1e-3, micro_per_run = micro / r->times;
    printf("%10.2f %5.1f%%  %-20s %-14s %-18s %10.1f %8.1f %10.2f %5.0f%%  %s\n", r->micro,
           total > 0 ? 100 * r->micro / total : 0, step->kernel->name, op_of(r),
           step->scope ? step->scope : "", step->flops / micro_per_run * 1e-3,
           (double)gt_step_traffic(step) / micro_per_run * 1e-3, r->floor, 100 * r->floor / micro,
           bound_name[r->bound]);
  }
}

static void print_profile(const profile *p) {
  const gt_bench_ceilings *c = &p->ceilings;
  char all[32], longest[32];
  double total = 0, floor = 0;
  uint32_t kernels = 0;
  for (uint32_t s = 0; s < p->count; s++) {
    total += p->rows[s].micro;
    floor += p->rows[s].floor;
    kernels += p->rows[s].times;
  }
  print_rows(p, total);
  printf("%10.2f         all %u kernels, run one at a time; floor %.2f us, efficiency %.0f%%\n", total,
         kernels, floor, total > 0 ? 100 * floor / total : 0);
  printf(
      "ceilings        products %.1f GFLOP/s, copy %.1f GB/s, launch of one kernel %.2f us; caches can exceed them\n",
      c->flops * 1e-3, c->bytes * 1e-3, c->launch);
  if (p->compile_stats.kernels)
    printf("first run       %u kernels compiled by the driver in %s, the slowest (%s) in %s\n",
           p->compile_stats.kernels, gt_duration(p->compile_stats.seconds, all), p->compile_stats.slowest,
           gt_duration(p->compile_stats.longest, longest));
}

static json_t *profile_json(const profile *p) {
  json_t *list = json_array();
  for (uint32_t s = 0; s < p->count; s++) {
    const row *r = &p->rows[s];
    const gt_step *step = r->step;
    json_array_append_new(list, json_pack("{s:f, s:s, s:s, s:s, s:f, s:I, s:f, s:s}", "us", r->micro,
                                          "kernel", step->kernel->name, "op", op_of(r), "layer",
                                          step->scope ? step->scope : "", "flops", step->flops, "bytes",
                                          (json_int_t)gt_step_traffic(step), "floor_us", r->floor, "floor_by",
                                          bound_name[r->bound]));
  }
  return list;
}

static void add_profile(json_t *root, const profile *p) {
  const gt_bench_ceilings *c = &p->ceilings;
  json_object_set_new(root, "profile", profile_json(p));
  json_object_set_new(root, "ceilings",
                      json_pack("{s:f, s:f, s:f}", "gflops_per_s", c->flops * 1e-3, "gb_per_s",
                                c->bytes * 1e-3, "launch_us", c->launch));
  json_object_set_new(root, "making",
                      json_pack("{s:i, s:f, s:f}", "kernels", (int)p->compile_stats.kernels, "seconds",
                                p->compile_stats.seconds, "longest", p->compile_stats.longest));
}

static void print_train(const gt_arguments *arguments, const gt_session *session, const gt_net *net,
                        const gt_bench_time *time, const profile *profiled) {
  char text[48], min[32], max[32];
  const gt_net_work work = gt_net_work_of(net);
  const double rate = 1e6 * (double)gt_net_rows(net) / time->median;
  if (!gt_flag(arguments, "json")) {
    printf("%s on %s, batch %lld\n", session->config->name, session->backend->name,
           (long long)gt_net_rows(net));
    printf("step            %s (%s to %s; %d x %lld steps)\n", gt_duration(1e-6 * time->median, text),
           gt_duration(1e-6 * time->min, min), gt_duration(1e-6 * time->max, max), GT_BENCH_REPETITIONS,
           (long long)time->replays);
    printf("rate            %s\n", gt_samples_rate(rate, text));
    printf("work            %sFLOP/s in %u kernels, %u levels\n",
           gt_human_count(1e6 * work.flops / time->median, text), work.kernels, work.levels);
    if (work.tuned) printf("tuned           %u choices from gtrain tune\n", work.tuned);
    if (profiled->rows) print_profile(profiled);
    return;
  }
  json_t *root = json_pack("{s:s, s:s, s:I, s:I, s:i, s:o, s:f, s:f, s:i, s:i, s:i}", "config",
                           session->config->name, "device", session->backend->name, "batch",
                           (json_int_t)gt_net_rows(net), "steps", (json_int_t)time->replays, "repetitions",
                           GT_BENCH_REPETITIONS, "us_per_step", gt_cli_bench_time_json(time), "samples_per_s",
                           rate, "gflops_per_s", work.flops / time->median * 1e-3, "kernels",
                           (int)work.kernels, "levels", (int)work.levels, "tuned", (int)work.tuned);
  json_object_set_new(root, "memory_peak_bytes", json_integer((json_int_t)session->backend->memory_peak));
  if (profiled->rows) add_profile(root, profiled);
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
  uint64_t limit;
  if (!gt_option_int(arguments, "steps", 1, 100000000, &steps) || !gt_cli_memory_limit(arguments, &limit))
    return GT_ERR_USAGE;
  if (gt_session_open(&session, config, GT_PART_NONE, gt_cli_device(arguments), &error)) {
    session.memory_limit = limit;
    gt_tuned_read_cache(&session.tuned, session.backend);
    const gt_net *net = gt_bench_open(&session, &executable, &error);
    ok = net && gt_bench_net(session.backend, net, executable, steps, &time, &error);
    if (ok && gt_flag(arguments, "profile")) ok = profile_net(&session, net, &profiled, &error);
    if (ok) print_train(arguments, &session, net, &time, &profiled);
  }
  gt_session_close(&session);
  free(profiled.rows);
  if (ok) return GT_OK;
  return config->diagnostics.errors ? gt_config_report(config, &error) : gt_report(&error);
}

int gt_cli_bench_train(const gt_arguments *arguments) {
  gt_config config;
  if (arguments->words != 2) return gt_usage_error(arguments, "gtrain bench train needs one CONFIG");
  int code = gt_cli_config(arguments, arguments->word[1], false, &config);
  if (code) return code;
  code = bench_config(arguments, &config);
  gt_config_finish(&config);
  return code;
}
