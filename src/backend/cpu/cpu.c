/* The CPU backend: the same plan and arguments as on a device, with host addresses. Steps run one after
 * another; a thread pool runs the tiles of each step in parallel. */
#include "backend/host_memory.h"
#include "base/memory.h"
#include "base/pool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct cpu_backend {
  gt_backend base;
  gt_pool *pool;
  uint8_t *arena; /* shared by all plans; NULL: not allocated */
  uint64_t arena_bytes;
  uint32_t arena_number;    /* counts arenas: addresses in earlier ones are stale */
  uint32_t plans;           /* number of compiled plans */
  const gt_executable *ran; /* the executable whose values are in the arena */
} cpu_backend;

typedef struct cpu_step {
  void (*kernel)(const void *args, const uint32_t *spec, uint32_t tile);
  _Alignas(16) uint8_t args[128];
  const uint32_t *spec;
  uint32_t tiles;
} cpu_step;

struct gt_executable {
  const gt_plan *plan;
  uint8_t *persistent, *constants;
  gt_buffer **variable;
  cpu_step *step;
  uint32_t arena_number; /* number of the arena that the steps' addresses point to */
  gt_executable **part;  /* for a sequence, whose plan is NULL */
  uint32_t *times;
  int parts;
};

static void release_arena(cpu_backend *cpu) {
  free(cpu->arena);
  cpu->arena = NULL;
  cpu->ran = NULL;
  cpu->base.memory_used -= cpu->arena_bytes;
  cpu->arena_bytes = 0;
}

/* Makes the arena at least this large; if it is reallocated, its values are lost. */
static bool provide_arena(cpu_backend *cpu, uint64_t bytes, gt_error *error) {
  void *arena;
  if (cpu->arena && cpu->arena_bytes >= bytes) return true;
  release_arena(cpu);
  cpu->arena_number++;
  if (!gt_host_alloc(&cpu->base, &arena, bytes, "the arena of a plan", error)) return false;
  cpu->arena = arena;
  cpu->arena_bytes = bytes;
  return true;
}

static uint8_t *address(const cpu_backend *cpu, const gt_executable *exe, const gt_access *access) {
  switch (access->buffer) {
  case GT_PLAN_ARENA: return cpu->arena + access->offset;
  case GT_PLAN_PERSISTENT: return exe->persistent + access->offset;
  case GT_PLAN_CONSTANTS: return exe->constants + access->offset;
  default: return exe->variable[access->buffer - GT_PLAN_VARIABLE]->data + access->offset;
  }
}

/* Updates the addresses before a run, if the arena was reallocated. */
static bool bind_arena(cpu_backend *cpu, gt_executable *exe, gt_error *error) {
  if (!provide_arena(cpu, exe->plan->arena_bytes, error)) return false;
  if (exe->arena_number == cpu->arena_number) return true;
  for (uint32_t s = 0; s < exe->plan->steps; s++) {
    const gt_step *step = &exe->plan->step[s];
    for (int i = 0; i < step->accesses; i++) {
      const uint64_t host = (uint64_t)(uintptr_t)address(cpu, exe, &step->access[i]);
      memcpy(exe->step[s].args + step->access[i].argument, &host, sizeof host);
    }
  }
  exe->arena_number = cpu->arena_number;
  return true;
}

static void executable_destroy(gt_backend *backend, gt_executable *exe) {
  cpu_backend *cpu = (cpu_backend *)backend;
  if (!exe) return;
  if (exe->plan && --cpu->plans == 0) release_arena(cpu);
  if (cpu->ran == exe) cpu->ran = NULL;
  if (exe->persistent) backend->memory_used -= exe->plan->persistent_bytes;
  free(exe->persistent);
  free(exe->constants);
  free(exe->variable);
  free(exe->step);
  free(exe->part);
  free(exe->times);
  free(exe);
}

static bool bind_variables(gt_executable *exe, gt_buffer *const *variables, gt_error *error) {
  const gt_graph *graph = exe->plan->graph;
  exe->variable = gt_alloc(sizeof *exe->variable * (graph->variables + 1));
  for (uint32_t v = 0; v < graph->variables; v++) {
    exe->variable[v] = variables[v];
    if (!variables[v] || variables[v]->size < exe->plan->variable_bytes[v])
      return gt_fail(error, GT_ERR_INTERNAL, "variable '%s' has no buffer, or one too small",
                     graph->variable[v].name);
  }
  return true;
}

static bool prepare_steps(const cpu_backend *cpu, gt_executable *exe, gt_error *error) {
  const uint32_t threads = (uint32_t)gt_pool_threads(cpu->pool);
  for (uint32_t s = 0; s < exe->plan->steps; s++) {
    const gt_step *step = &exe->plan->step[s];
    if (step->kernel->prepare &&
        !step->kernel->prepare(step->args, step->spec, step->tiles < threads ? step->tiles : threads, error))
      return false;
    exe->step[s] = (cpu_step){.kernel = step->kernel->cpu, .spec = step->spec, .tiles = step->tiles};
    memcpy(exe->step[s].args, step->args, sizeof step->args);
  }
  return true;
}

static gt_executable *compile(gt_backend *backend, const gt_plan *plan, gt_buffer *const *variables,
                              gt_error *error) {
  cpu_backend *cpu = (cpu_backend *)backend;
  gt_executable *exe = gt_alloc(sizeof *exe);
  exe->plan = plan;
  cpu->plans++;
  void *persistent = NULL, *constants = NULL, *steps = NULL;
  if (!bind_variables(exe, variables, error)) goto fail;
  if (!gt_host_alloc(backend, &persistent, plan->persistent_bytes, "the persistent values of a plan", error))
    goto fail;
  exe->persistent = persistent;
  if (!gt_try_alloc(&constants, plan->constant_bytes + 1, 1, "a plan's constants", error)) goto fail;
  exe->constants = constants;
  memcpy(exe->constants, plan->constants, plan->constant_bytes);
  if (!gt_try_alloc(&steps, plan->steps, sizeof *exe->step, "the steps of a plan", error)) goto fail;
  exe->step = steps;
  if (prepare_steps(cpu, exe, error) && bind_arena(cpu, exe, error)) return exe;
fail:
  executable_destroy(backend, exe);
  return NULL;
}

static void run_tile(void *context, uint32_t tile) {
  const cpu_step *step = context;
  step->kernel(step->args, step->spec, tile);
}

static gt_executable *sequence(gt_backend *backend, gt_executable *const *part, const uint32_t *times,
                               int parts, gt_error *error) {
  (void)backend, (void)error;
  gt_executable *exe = gt_alloc(sizeof *exe);
  exe->part = gt_alloc((size_t)parts * sizeof *exe->part);
  exe->times = gt_alloc((size_t)parts * sizeof *exe->times);
  exe->parts = parts;
  for (int p = 0; p < parts; p++) exe->part[p] = part[p], exe->times[p] = times[p];
  return exe;
}

static bool run_plan(cpu_backend *cpu, gt_executable *exe, uint32_t times, gt_error *error) {
  if (!bind_arena(cpu, exe, error)) return false;
  cpu->ran = exe;
  for (uint32_t t = 0; t < times; t++)
    for (uint32_t s = 0; s < exe->plan->steps; s++)
      gt_pool_run(cpu->pool, exe->step[s].tiles, run_tile, &exe->step[s]);
  return true;
}

static bool run(gt_backend *backend, gt_executable *exe, uint32_t times, uint64_t *ticket, gt_error *error) {
  cpu_backend *cpu = (cpu_backend *)backend;
  if (exe->plan && !run_plan(cpu, exe, times, error)) return false;
  for (uint32_t t = 0; exe->parts && t < times; t++)
    for (int p = 0; p < exe->parts; p++)
      if (!run_plan(cpu, exe->part[p], exe->times[p], error)) return false;
  *ticket = ++backend->host_ticket;
  return true;
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static bool profile(gt_backend *backend, gt_executable *exe, double *microseconds, gt_error *error) {
  cpu_backend *cpu = (cpu_backend *)backend;
  if (!bind_arena(cpu, exe, error)) return false;
  cpu->ran = exe;
  for (uint32_t s = 0; s < exe->plan->steps; s++) {
    double start = now_us();
    gt_pool_run(cpu->pool, exe->step[s].tiles, run_tile, &exe->step[s]);
    microseconds[s] = now_us() - start;
  }
  return true;
}

static bool inspect(gt_backend *backend, gt_executable *exe, const gt_access *access, void *out,
                    gt_error *error) {
  const cpu_backend *cpu = (cpu_backend *)backend;
  if (access->buffer == GT_PLAN_ARENA && cpu->ran != exe)
    return gt_fail(error, GT_ERR_INTERNAL, "the values of this plan were overwritten by another plan");
  memcpy(out, address(cpu, exe, access), access->bytes);
  return true;
}

static void close_cpu(gt_backend *backend) {
  gt_pool_destroy(((cpu_backend *)backend)->pool);
  free(backend);
}

static const gt_backend_api api = {
    .close = close_cpu,
    GT_HOST_FUNCTIONS,
    .compile = compile,
    .sequence = sequence,
    .executable_destroy = executable_destroy,
    .run = run,
    .profile = profile,
    .inspect = inspect,
};

gt_backend *gt_cpu_open(int threads, gt_error *error) {
  (void)error;
  cpu_backend *cpu = gt_alloc(sizeof *cpu);
  gt_device_info info;
  gt_cpu_describe(&info);
  cpu->base.api = &api;
  cpu->pool = gt_pool_create(threads);
  cpu->base.target = info.target;
  cpu->base.memory_total = info.memory_bytes;
  snprintf(cpu->base.name, sizeof cpu->base.name, "%.200s, %d thread%s", info.name,
           gt_pool_threads(cpu->pool), gt_pool_threads(cpu->pool) == 1 ? "" : "s");
  return &cpu->base;
}
