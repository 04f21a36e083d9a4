#include "train/net/choose.h"
#include "base/log.h"
#include "train/net/line_search.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEVICES = 32 };
/* The CPU is chosen only if the GPU's estimate is this many times longer: estimates are rough, and a GPU is
 * the better choice for models that are enlarged later. */
static const double margin = 2;

/* --- the estimate --- */

/* Matrix products reach about half of a thread's peak; memory or function evaluations limit everything else.
 * Measured on AMD EPYC with AVX2: products 16 to 26 GFLOP/s per thread in whole steps, elementwise kernels 1
 * to 9 GB/s, basis functions 25 to 100 ns. */
static gt_speed cpu_speed(const gt_device_info *device) {
  const bool avx2 = strstr(device->features, "avx2"), avx512 = strstr(device->features, "avx512f");
  return (gt_speed){.units = 1,
                    .flops = avx512 ? 40e3
                             : avx2 ? 20e3
                                    : 4e3,
                    .bytes = 4e3,
                    .function = 0.05,
                    .kernel = 0.25};
}

/* Vulkan reports multiprocessors, but neither clock nor bandwidth: assumes 64 multiply-adds at 1.2 GHz and 10
 * GB/s per multiprocessor, 3 GB/s if memory is shared with the CPU. Measured on an H200: a level of small
 * kernels takes 5 to 10 us, submitting work and waiting for it 40 us. */
static gt_speed gpu_speed(const gt_device_info *device) {
  return (gt_speed){.units = device->target.units,
                    .flops = 150e3,
                    .bytes = strcmp(device->type, "integrated") ? 10e3 : 3e3,
                    .function = 1e-3,
                    .kernel = 0.2,
                    .level = 5,
                    .wait = 40};
}

gt_speed gt_speed_of(const gt_device_info *device) {
  return device->target.device ? gpu_speed(device) : cpu_speed(device);
}

static double estimate_kernel(const gt_step *step, const gt_speed *speed) {
  const double units = fmax(1, fmin((double)gt_step_workgroups(step), speed->units));
  const double compute = step->flops / speed->flops + step->functions * speed->function,
               memory = (double)gt_step_traffic(step) / speed->bytes;
  return speed->kernel + fmax(compute, memory) / units;
}

double gt_estimate_plan(const gt_plan *plan, const gt_speed *speed) {
  double time = speed->level * (plan->levels - plan->ahead);
  for (uint32_t s = 0; s < plan->steps; s++) time += estimate_kernel(&plan->step[s], speed);
  return time;
}

double gt_estimate_step(const gt_net *net, const gt_speed *speed) {
  double time = 0;
  for (int i = 0; i < net->stages; i++)
    time += net->stage[i].times * gt_estimate_plan(net->stage[i].plan, speed);
  for (int i = 0; net->search && i < GT_LINE_SEARCH_STAGES; i++)
    time += gt_estimate_plan(net->search->stage[i].plan, speed);
  return time + (net->search ? 2 * speed->wait : 0); /* for the loss, and for the products of the history */
}

/* --- the decision --- */

/* Microseconds of a step; 0 if the config cannot be planned. Errors are ignored here: the plan of the run
 * reports them. */
static double estimate_on(const gt_config *config, int part, const gt_device_info *device) {
  gt_arena arena;
  gt_error error = {0};
  gt_config scratch = *config;
  const gt_speed speed = gt_speed_of(device);
  const gt_net_options options = {.target = device->target};
  gt_arena_init(&arena);
  gt_diagnostics_init(&scratch.diagnostics, &arena);
  const gt_net *net = part != GT_PART_NONE ? gt_net_evaluation(&arena, &scratch, part, &options, &error)
                                           : gt_net_training(&arena, &scratch, &options, &error);
  const double time = net ? gt_estimate_step(net, &speed) : 0;
  gt_arena_finish(&arena);
  return time;
}

/* A cautious estimate of the time to load the drivers and to open a GPU: loading Mesa's drivers was measured
 * to take 45 ms, opening an H200 more. */
static const double opening_gpu = 20e3; /* microseconds */

bool gt_is_quick_on_cpu(const gt_config *config, int part) {
  gt_device_info cpu;
  gt_cpu_describe(&cpu);
  const int64_t samples = gt_dataset_split(&config->dataset, part)->samples;
  const double step = estimate_on(config, part, &cpu),
               steps = ceil((double)samples / (double)config->train.eval_batch_size);
  return step > 0 && step * steps < opening_gpu;
}

/* Two digits, because the estimate is not more precise. */
static const char *rounded(double microseconds, char text[32]) {
  const double unit = pow(10, fmax(0, floor(log10(fmax(microseconds, 1))) - 1));
  snprintf(text, 32, "%.0f us", fmax(1, unit * round(microseconds / unit)));
  return text;
}

gt_device_choice gt_choose_device(const gt_config *config, int part, const gt_device_info *devices,
                                  int count) {
  char cpu[32], gpu[32];
  const int best = gt_device_best(devices, count);
  gt_device_choice choice = {0};
  if (best < 0) return choice;
  choice.cpu = estimate_on(config, part, &devices[0]);
  choice.gpu = estimate_on(config, part, &devices[best]);
  if (choice.cpu > 0 && choice.gpu > margin * choice.cpu)
    snprintf(choice.why, sizeof choice.why,
             "the model is too small for the GPU: a step takes about %s here, %s on %.100s; "
             "--device vulkan overrides",
             rounded(choice.cpu, cpu), rounded(choice.gpu, gpu), devices[best].name);
  else
    choice.device = best;
  return choice;
}

/* --- resumed runs --- */

/* The index of the device with this name, whatever its driver version: 0, the CPU, if the name is not that of
 * a Vulkan device; -1: not available. */
static int find_previous_device(const char *previous, const gt_device_info *devices, int count) {
  if (!strstr(previous, " (Vulkan ")) return 0;
  for (int i = 1; i < count; i++) {
    const size_t length = strlen(devices[i].name);
    if (devices[i].usable && !strncmp(previous, devices[i].name, length) &&
        !strncmp(previous + length, " (Vulkan ", strlen(" (Vulkan ")))
      return i;
  }
  return -1;
}

static gt_backend *open_with_reason(const gt_device_info *device, const char *why, int threads,
                                    gt_error *error) {
  gt_backend *backend = gt_backend_open(device->id, threads, error);
  if (backend) snprintf(backend->why, sizeof backend->why, "%s", why);
  return backend;
}

gt_backend *gt_choose_backend(const gt_config *config, int part, const char *device, const char *previous,
                              gt_error *error) {
  gt_device_info devices[MAX_DEVICES];
  gt_error ignored = {0};
  const int threads = (int)config->train.threads;
  if (!gt_device_is_auto(device)) return gt_backend_open(device, threads, error);
  const int count = gt_device_list(devices, MAX_DEVICES, &ignored);
  const int known = previous ? find_previous_device(previous, devices, count) : -1;
  if (known >= 0) return open_with_reason(&devices[known], "the run started on it", threads, error);
  if (previous)
    gt_warn("the run started on %s, which is not available: it continues on another device, and its results "
            "will differ by rounding",
            previous);
  const gt_device_choice choice = gt_choose_device(config, part, devices, count);
  return *choice.why ? open_with_reason(&devices[0], choice.why, threads, error)
                     : gt_backend_open(device, threads, error);
}
