/* Records a plan into command buffers, one with a single replay and one with many, which are combined for any
 * number of replays. Addresses are fixed when the plan is bound to the arena, so nothing is recorded again
 * until a larger plan needs a larger arena. Each replay starts with a barrier, because earlier work, possibly
 * of another plan, uses the same arena.
 *
 * If a plan overlaps replays (gt_plan.ahead), a submission starts with the first `ahead` levels of its first
 * replay. The remaining levels of each replay follow; its last `ahead` levels run together with the first
 * levels of the next replay, except in the last replay. So a submission contains only complete replays. */
#include "backend/vulkan/internal.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_REPLAYS = 64, MAX_DISPATCHES = 4096, MAX_COMMANDS = 256 };
/* FLOPs recorded in one command buffer: limits its duration, so that the driver does not consider a slow GPU
 * hung. */
static const double max_flops = 2e11;
/* Indices of an executable's command buffers. Without overlap only ONCE and MANY are used, with complete
 * replays. With overlap, FIRST_LEVELS has the first `ahead` levels of a replay; ONCE (even replay) and ONCE +
 * 1 (odd) have the remaining levels; WITH_NEXT (even), WITH_NEXT + 1 (odd) and MANY have these and the next
 * replay's first levels. */
enum { ONCE, WITH_NEXT = 2, FIRST_LEVELS = 4, MANY, COMMANDS };

struct gt_executable {
  const gt_plan *plan;
  gt_buffer *persistent, *constants;
  gt_buffer **variables;
  uint8_t (*args)[GT_PUSH_BYTES]; /* with device addresses */
  VkPipeline *pipeline;
  struct gt_executable **part; /* for a sequence, whose plan is NULL */
  uint32_t *times;
  int parts;
  uint32_t replays;      /* in commands[MANY] */
  uint32_t arena_number; /* number of the arena that the recorded addresses point to */
  VkCommandBuffer commands[COMMANDS];
};

static void release_arena(gt_vulkan *vk) {
  gt_vulkan_buffer_destroy(&vk->base, vk->arena);
  vk->arena = NULL;
  vk->ran = NULL;
}

/* Makes the arena at least this large; reallocating it waits for all work and loses its values. */
static bool provide_arena(gt_vulkan *vk, uint64_t bytes, gt_error *error) {
  if (vk->arena && vk->arena->size >= bytes) return true;
  release_arena(vk);
  vk->arena_number++;
  vk->arena = gt_vulkan_buffer_create(&vk->base, bytes, GT_BUFFER_DEVICE, error);
  return vk->arena != NULL;
}

static gt_buffer *plan_buffer(const gt_vulkan *vk, const gt_executable *e, uint32_t number) {
  switch (number) {
  case GT_PLAN_ARENA: return vk->arena;
  case GT_PLAN_PERSISTENT: return e->persistent;
  case GT_PLAN_CONSTANTS: return e->constants;
  default: return e->variables[number - GT_PLAN_VARIABLE];
  }
}

/* Writes the arguments of all steps with the addresses of their buffers. aligned: per step, true if all its
 * addresses are multiples of 16 bytes. */
static bool resolve(const gt_vulkan *vk, gt_executable *e, bool *aligned, gt_error *error) {
  for (uint32_t i = 0; i < e->plan->steps; i++) {
    const gt_step *step = &e->plan->step[i];
    memcpy(e->args[i], step->args, step->args_size);
    aligned[i] = true;
    for (int k = 0; k < step->accesses; k++) {
      const gt_access *a = &step->access[k];
      const gt_buffer *buffer = plan_buffer(vk, e, a->buffer);
      if (!buffer || a->offset + a->bytes > buffer->size || a->argument + 8 > step->args_size)
        return gt_fail(error, GT_ERR_INTERNAL, "step %u (%s): access %d lies outside its buffer", i,
                       step->kernel->name, k);
      uint64_t address = buffer->address + a->offset;
      memcpy(e->args[i] + a->argument, &address, sizeof address);
      aligned[i] = aligned[i] && (a->flag || address % 16 == 0); /* a flag is one word */
    }
  }
  return true;
}

typedef struct recording {
  const gt_vulkan *vk;
  VkCommandBuffer commands;
  VkPipeline bound;
} recording;

/* Records a step with the addresses for an even or an odd replay. */
static void record_step(recording *r, const gt_executable *e, uint32_t i, bool odd) {
  const gt_step *step = &e->plan->step[i];
  uint8_t args[GT_PUSH_BYTES];
  if (e->pipeline[i] != r->bound)
    vkCmdBindPipeline(r->commands, VK_PIPELINE_BIND_POINT_COMPUTE, e->pipeline[i]);
  r->bound = e->pipeline[i];
  if (!step->grid[0] || !step->grid[1] || !step->grid[2]) return;
  memcpy(args, e->args[i], sizeof args);
  for (int k = 0; odd && k < step->accesses; k++) {
    uint64_t address;
    /* Reads from e->args, not from args: several accesses may have the same argument. */
    memcpy(&address, e->args[i] + step->access[k].argument, sizeof address);
    address += step->access[k].stride;
    memcpy(args + step->access[k].argument, &address, sizeof address);
  }
  if (step->args_size)
    vkCmdPushConstants(r->commands, r->vk->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       (step->args_size + 3) / 4 * 4, args);
  vkCmdDispatch(r->commands, step->grid[0], step->grid[1], step->grid[2]);
}

/* Records the steps of a level from step i on; returns the index after them. */
static uint32_t record_level(recording *r, const gt_executable *e, uint32_t i, bool odd) {
  do record_step(r, e, i, odd);
  while (++i < e->plan->steps && !e->plan->step[i].barrier);
  return i;
}

/* Records the levels from step i to `end`. with_next: the last ones are recorded together with the first
 * levels of the next replay, whose steps come first: they are short and overlap with the longer steps of the
 * optimizer. */
static void record_levels(recording *r, const gt_executable *e, uint32_t i, uint32_t end, bool odd,
                          bool with_next) {
  const VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  const gt_plan *plan = e->plan;
  for (uint32_t next = 0; i < end;) {
    const bool with_next_level = with_next && plan->step[i].level >= plan->levels - plan->ahead;
    gt_vulkan_barrier(r->commands, compute, compute);
    if (with_next_level) next = record_level(r, e, next, !odd);
    i = record_level(r, e, i, odd);
  }
}

static void record_plan(recording *r, const gt_executable *e, uint32_t times) {
  const gt_plan *plan = e->plan;
  record_levels(r, e, 0, plan->steps_ahead, false, false);
  for (uint32_t t = 0; t < times; t++)
    record_levels(r, e, plan->steps_ahead, plan->steps, t % 2, plan->ahead && t + 1 < times);
}

static bool runs_ahead(const gt_executable *e) { return e->plan && e->plan->ahead; }

/* Records the part of a replay that belongs into command buffer `which`. odd: with the addresses for an odd
 * replay. */
static void record_replay(recording *r, const gt_executable *e, int which, bool odd) {
  if (runs_ahead(e) && which == FIRST_LEVELS)
    record_levels(r, e, 0, e->plan->steps_ahead, odd, false);
  else if (runs_ahead(e))
    record_levels(r, e, e->plan->steps_ahead, e->plan->steps, odd, which >= WITH_NEXT);
  else if (e->plan)
    record_plan(r, e, 1);
  for (int p = 0; p < e->parts; p++) record_plan(r, e->part[p], e->times[p]);
}

static bool record(const gt_vulkan *vk, const gt_executable *e, int which, gt_error *error) {
  recording r = {vk, e->commands[which], VK_NULL_HANDLE};
  if (!gt_vulkan_begin(r.commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, error)) return false;
  for (uint32_t t = 0; t < (which == MANY ? e->replays : 1); t++)
    record_replay(&r, e, which, (which == MANY ? t : (uint32_t)which) % 2);
  return VK(vkEndCommandBuffer(r.commands));
}

static uint32_t choose_replays(double dispatches, double flops) {
  double replays = MAX_REPLAYS;
  if (dispatches > 0 && replays > MAX_DISPATCHES / dispatches) replays = MAX_DISPATCHES / dispatches;
  if (flops > 0 && replays > max_flops / flops) replays = max_flops / flops;
  return replays < 1 ? 1 : (uint32_t)replays;
}

static bool record_all(gt_vulkan *vk, gt_executable *e, gt_error *error) {
  double dispatches = 0, flops = 0;
  if (e->plan) dispatches = e->plan->steps, flops = e->plan->flops;
  for (int p = 0; p < e->parts; p++) {
    dispatches += (double)e->times[p] * e->part[p]->plan->steps;
    flops += e->times[p] * e->part[p]->plan->flops;
  }
  e->replays = choose_replays(dispatches, flops);
  if (runs_ahead(e)) e->replays += e->replays % 2; /* even, so that an even replay follows */
  if (!e->commands[0] && !gt_vulkan_commands(vk, e->commands, COMMANDS, error)) return false;
  for (int which = 0; which < COMMANDS; which++)
    if ((runs_ahead(e) || which == ONCE || which == MANY) && !record(vk, e, which, error)) return false;
  return true;
}

/* The pipelines depend on the alignment of addresses. */
static bool bind_plan(gt_vulkan *vk, gt_executable *e, gt_error *error) {
  bool *aligned = gt_alloc(e->plan->steps + 1);
  const bool good =
      resolve(vk, e, aligned, error) && gt_vulkan_pipelines(vk, e->plan, aligned, e->pipeline, error);
  free(aligned);
  return good;
}

static uint64_t arena_bytes(const gt_executable *e) {
  uint64_t max_bytes = e->plan ? e->plan->arena_bytes : 0;
  for (int p = 0; p < e->parts; p++)
    if (arena_bytes(e->part[p]) > max_bytes) max_bytes = arena_bytes(e->part[p]);
  return max_bytes;
}

/* Before a run: if the arena was reallocated, updates the addresses and records the commands again. */
static bool bind_arena(gt_vulkan *vk, gt_executable *e, gt_error *error) {
  if (!provide_arena(vk, arena_bytes(e), error)) return false;
  if (e->arena_number == vk->arena_number) return true;
  for (int p = 0; p < e->parts; p++)
    if (!bind_arena(vk, e->part[p], error)) return false;
  if ((e->plan && !bind_plan(vk, e, error)) || !record_all(vk, e, error)) return false;
  e->arena_number = vk->arena_number;
  return true;
}

static bool make_buffers(gt_vulkan *vk, gt_executable *e, gt_buffer *const *variables, gt_error *error) {
  const gt_plan *plan = e->plan;
  uint32_t count = plan->graph->variables;
  e->variables = gt_alloc((count + 1) * sizeof *e->variables);
  if (count) memcpy(e->variables, variables, count * sizeof *variables);
  if (plan->persistent_bytes) {
    e->persistent = gt_vulkan_buffer_create(&vk->base, plan->persistent_bytes, GT_BUFFER_DEVICE, error);
    if (!e->persistent) return false;
  }
  e->constants = gt_vulkan_buffer_create(&vk->base, plan->constant_bytes, GT_BUFFER_DEVICE, error);
  return e->constants &&
         gt_vulkan_upload(&vk->base, e->constants, 0, plan->constants, plan->constant_bytes, error);
}

gt_executable *gt_vulkan_compile(gt_backend *backend, const gt_plan *plan, gt_buffer *const *variables,
                                 gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  gt_executable *e = gt_alloc(sizeof *e);
  e->plan = plan;
  vk->plans++;
  e->args = gt_alloc((plan->steps + 1) * sizeof *e->args);
  e->pipeline = gt_alloc((plan->steps + 1) * sizeof *e->pipeline);
  if (make_buffers(vk, e, variables, error) && bind_arena(vk, e, error)) return e;
  gt_vulkan_executable_destroy(backend, e);
  return NULL;
}

gt_executable *gt_vulkan_sequence(gt_backend *backend, gt_executable *const *part, const uint32_t *times,
                                  int parts, gt_error *error) {
  gt_executable *e = gt_alloc(sizeof *e);
  e->part = gt_alloc((size_t)parts * sizeof *e->part);
  e->times = gt_alloc((size_t)parts * sizeof *e->times);
  e->parts = parts;
  for (int p = 0; p < parts; p++) e->part[p] = part[p], e->times[p] = times[p];
  if (bind_arena((gt_vulkan *)backend, e, error)) return e;
  gt_vulkan_executable_destroy(backend, e);
  return NULL;
}

void gt_vulkan_executable_destroy(gt_backend *backend, gt_executable *e) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  if (!e) return;
  if (gt_vulkan_idle(vk) && e->commands[0]) vkFreeCommandBuffers(vk->device, vk->pool, COMMANDS, e->commands);
  if (e->plan && --vk->plans == 0) release_arena(vk);
  if (vk->ran == e) vk->ran = NULL;
  gt_vulkan_buffer_destroy(backend, e->persistent);
  gt_vulkan_buffer_destroy(backend, e->constants);
  free(e->variables);
  free(e->args);
  free(e->pipeline);
  free(e->part);
  free(e->times);
  free(e);
}

/* Lists the command buffers of one submission with at most `times` replays; returns the number of replays. */
static uint32_t list_commands(const gt_executable *e, uint32_t times, VkCommandBuffer *list,
                              uint32_t *count) {
  const bool ahead = runs_ahead(e);
  uint32_t done = 0;
  *count = 0;
  if (ahead) list[(*count)++] = e->commands[FIRST_LEVELS];
  while (times - done > ahead && *count < MAX_COMMANDS) { /* ahead: the last replay follows the loop */
    const bool many = times - done - ahead >= e->replays;
    list[(*count)++] = e->commands[many ? MANY : ahead ? WITH_NEXT + done % 2 : ONCE];
    done += many ? e->replays : 1;
  }
  if (ahead) list[(*count)++] = e->commands[ONCE + done++ % 2];
  return done;
}

bool gt_vulkan_run(gt_backend *backend, gt_executable *e, uint32_t times, uint64_t *ticket, gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  VkCommandBuffer commands[MAX_COMMANDS + 2];
  uint32_t count;
  if (!bind_arena(vk, e, error)) return false;
  vk->ran = e->parts ? e->part[e->parts - 1] : e;
  for (uint32_t left = times; left > 0;) {
    left -= list_commands(e, left, commands, &count);
    commands[count++] = vk->to_host;
    if (!gt_vulkan_submit(vk, commands, count, error)) return false;
  }
  *ticket = vk->ticket;
  return true;
}

static bool record_profile(gt_vulkan *vk, const gt_executable *e, VkCommandBuffer commands,
                           VkQueryPool queries, gt_error *error) {
  const VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  if (!gt_vulkan_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, error)) return false;
  recording r = {vk, commands, VK_NULL_HANDLE};
  vkCmdResetQueryPool(commands, queries, 0, e->plan->steps + 1);
  gt_vulkan_barrier(commands, compute, compute);
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 0);
  for (uint32_t i = 0; i < e->plan->steps; i++) {
    record_step(&r, e, i, false);
    gt_vulkan_barrier(commands, compute, compute);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, i + 1);
  }
  return VK(vkEndCommandBuffer(commands));
}

bool gt_vulkan_profile(gt_backend *backend, gt_executable *e, double *microseconds, gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  uint32_t steps = e->plan->steps;
  uint64_t *stamp = NULL,
           mask = vk->timestamp_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << vk->timestamp_bits) - 1;
  VkQueryPool queries = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                      .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                      .queryCount = steps + 1};
  bool good = false;
  if (!vk->timestamp_bits) return gt_fail(error, GT_ERR_INTERNAL, "%s has no time stamps", backend->name);
  if (!bind_arena(vk, e, error)) return false;
  vk->ran = e;
  stamp = gt_alloc((steps + 1) * sizeof *stamp);
  if (!VK_MAKE(vkCreateQueryPool(vk->device, &info, NULL, &queries), &queries)) goto out;
  if (!gt_vulkan_commands(vk, &commands, 1, error)) goto out;
  if (!record_profile(vk, e, commands, queries, error)) goto out;
  const VkCommandBuffer list[2] = {commands, vk->to_host};
  if (!gt_vulkan_submit(vk, list, 2, error) || !gt_vulkan_wait(backend, vk->ticket, error)) goto out;
  if (!VK(vkGetQueryPoolResults(vk->device, queries, 0, steps + 1, (steps + 1) * sizeof *stamp, stamp,
                                sizeof *stamp, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT)))
    goto out;
  for (uint32_t i = 0; i < steps; i++) /* the counter may wrap */
    microseconds[i] =
        (double)((stamp[i + 1] - stamp[i]) & mask) * vk->properties.limits.timestampPeriod * 1e-3;
  good = true;
out:
  if (gt_vulkan_idle(vk)) {
    if (commands) vkFreeCommandBuffers(vk->device, vk->pool, 1, &commands);
    vkDestroyQueryPool(vk->device, queries, NULL);
  }
  free(stamp);
  return good;
}

bool gt_vulkan_inspect(gt_backend *backend, gt_executable *e, const gt_access *access, void *out,
                       gt_error *error) {
  const gt_vulkan *vk = (gt_vulkan *)backend;
  if (access->buffer == GT_PLAN_ARENA && vk->ran != e)
    return gt_fail(error, GT_ERR_INTERNAL, "the values of this plan were overwritten by another plan");
  return gt_vulkan_download(backend, plan_buffer(vk, e, access->buffer), access->offset, out, access->bytes,
                            error);
}
