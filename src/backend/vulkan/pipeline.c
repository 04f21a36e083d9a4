/* Pipelines: one per kernel and set of specialization constants, in a hash table. All share one layout: 128
 * bytes of push constants, no descriptor sets. */
#include "backend/vulkan/internal.h"
#include "backend/vulkan/shader.h"
#include "base/host.h"
#include "base/memory.h"
#include "base/text.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_THREADS = 16 };

bool gt_vulkan_pipelines_init(gt_vulkan *vk, gt_error *error) {
  const VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = GT_PUSH_BYTES};
  const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                           .pushConstantRangeCount = 1,
                                           .pPushConstantRanges = &range};
  gt_vulkan_cache_load(vk);
  vk->shaders = gt_shaders_create();
  return VK_MAKE(vkCreatePipelineLayout(vk->device, &info, NULL, &vk->layout), &vk->layout);
}

void gt_vulkan_pipelines_finish(gt_vulkan *vk) {
  gt_vulkan_cache_save(vk); /* only at the end, not after each plan: a cache has several megabytes */
  for (size_t i = 0; i < vk->pipelines.count; i++)
    vkDestroyPipeline(vk->device, vk->pipelines.items[i].pipeline, NULL);
  free(vk->pipelines.items);
  vkDestroyPipelineLayout(vk->device, vk->layout, NULL);
  vkDestroyPipelineCache(vk->device, vk->cache, NULL);
  gt_shaders_destroy(vk->shaders);
  free(vk->cache_path);
}

/* Creates a shader module. If possible, specialization constants are folded in first (*folded), so that the
 * driver does not compile the whole interpreter of elementwise programs. */
static bool create_module(gt_vulkan *vk, const gt_vulkan_pipeline *p, VkShaderModule *out, bool *folded,
                          gt_error *error) {
  size_t count, size;
  const uint32_t *whole = gt_shaders_words(vk->shaders, p->name, &count, error);
  *folded = false;
  if (!whole) return false;
  VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = 4 * count, .pCode = whole};
  uint32_t *words = gt_spirv_specialize(whole, count, p->spec, GT_SPEC_COUNT, &size);
  *folded = words;
  if (words) info.codeSize = 4 * size, info.pCode = words;
  bool good = VK(vkCreateShaderModule(vk->device, &info, NULL, out));
  free(words);
  return good;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool create_pipeline(gt_vulkan *vk, gt_vulkan_pipeline *p, gt_error *error) {
  VkSpecializationMapEntry entry[GT_SPEC_COUNT];
  for (uint32_t i = 0; i < GT_SPEC_COUNT; i++) entry[i] = (VkSpecializationMapEntry){i, 4 * i, 4};
  const VkSpecializationInfo spec = {GT_SPEC_COUNT, entry, sizeof p->spec, p->spec};
  VkShaderModule module;
  bool folded;
  if (!create_module(vk, p, &module, &folded, error)) return false;
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = vk->base.target.subgroup};
  const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .pNext = p->full_subgroups ? &subgroup : NULL,
                .flags = p->full_subgroups ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main",
                .pSpecializationInfo = folded ? NULL : &spec},
      .layout = vk->layout};
  const double began = now();
  VkResult result = vkCreateComputePipelines(vk->device, vk->cache, 1, &info, NULL, &p->pipeline);
  p->seconds = now() - began;
  vkDestroyShaderModule(vk->device, module, NULL);
  if (gt_vulkan_check(result, "vkCreateComputePipelines", error)) return true;
  p->pipeline = VK_NULL_HANDLE;
  return false;
}

/* A queue of pipelines, which several threads compile. */
typedef struct work {
  gt_vulkan *vk;
  size_t next, end; /* range in vk->pipelines that no thread has started */
  pthread_mutex_t mutex;
  gt_error *error;
} work;

static void *make_pipelines(void *context) {
  work *w = context;
  for (;;) {
    gt_error error = {0};
    pthread_mutex_lock(&w->mutex);
    size_t i = w->next < w->end ? w->next++ : SIZE_MAX;
    pthread_mutex_unlock(&w->mutex);
    if (i == SIZE_MAX) return NULL;
    if (create_pipeline(w->vk, &w->vk->pipelines.items[i], &error)) continue;
    pthread_mutex_lock(&w->mutex);
    gt_fail(w->error, error.status, "%s", error.message);
    w->next = w->end;
    pthread_mutex_unlock(&w->mutex);
  }
}

/* Adds the pipelines from `first` on, compiled in this many seconds, to the backend's statistics. */
static void count_compiled(gt_vulkan *vk, size_t first, double seconds) {
  gt_compile_stats *compile_stats = &vk->base.compile_stats;
  compile_stats->seconds += seconds;
  for (size_t i = first; i < vk->pipelines.count; i++) {
    const gt_vulkan_pipeline *p = &vk->pipelines.items[i];
    compile_stats->kernels++;
    if (p->seconds <= compile_stats->longest) continue;
    compile_stats->longest = p->seconds;
    compile_stats->slowest = p->name;
  }
}

/* Compiles the pipelines from index `first` on. */
static bool compile_from(gt_vulkan *vk, size_t first, gt_error *error) {
  work w = {.vk = vk, .next = first, .end = vk->pipelines.count, .error = error};
  pthread_t thread[MAX_THREADS];
  gt_host host;
  long threads = (long)(w.end - first);
  if (w.end == first) return true;
  gt_host_read_processors(&host, "");
  if (threads > gt_host_threads(&host)) threads = gt_host_threads(&host);
  if (threads > MAX_THREADS) threads = MAX_THREADS;
  const double began = now();
  pthread_mutex_init(&w.mutex, NULL);
  int started = 0;
  while (started < threads - 1 && !pthread_create(&thread[started], NULL, make_pipelines, &w)) started++;
  make_pipelines(&w);
  for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
  pthread_mutex_destroy(&w.mutex);
  count_compiled(vk, first, now() - began);

  bool good = true;
  for (size_t i = first; i < w.end; i++) good = good && vk->pipelines.items[i].pipeline;
  if (good) return true;
  /* Keeps none of this batch, so that another attempt starts from scratch. */
  for (size_t i = first; i < w.end; i++) vkDestroyPipeline(vk->device, vk->pipelines.items[i].pipeline, NULL);
  vk->pipelines.count = first;
  return gt_fail(error, GT_ERR_INTERNAL, "creating a pipeline failed");
}

/* The index of a step's pipeline. If there is none, adds it; the caller compiles it (compile_from). */
static size_t find_pipeline(gt_vulkan *vk, const gt_step *step, bool aligned) {
  uint32_t spec[GT_SPEC_COUNT];
  memcpy(spec, step->spec, sizeof spec);
  spec[GT_SPEC_ALIGNED] = aligned;
  uint64_t hash = gt_hash(GT_HASH_START, step->kernel->name, strlen(step->kernel->name) + 1);
  hash = gt_hash(hash, spec, sizeof spec);
  for (size_t i = 0; i < vk->pipelines.count; i++) {
    const gt_vulkan_pipeline *p = &vk->pipelines.items[i];
    if (p->hash == hash && !strcmp(p->name, step->kernel->name) && !memcmp(p->spec, spec, sizeof spec))
      return i;
  }
  gt_vulkan_pipeline *p = GT_PUSH(&vk->pipelines);
  *p = (gt_vulkan_pipeline){.hash = hash,
                            .name = step->kernel->name,
                            .full_subgroups = step->kernel->needs & GT_NEEDS_MATRIX_UNITS};
  memcpy(p->spec, spec, sizeof spec);
  return vk->pipelines.count - 1;
}

bool gt_vulkan_pipelines(gt_vulkan *vk, const gt_plan *plan, const bool *aligned, VkPipeline *out,
                         gt_error *error) {
  size_t before = vk->pipelines.count, *index = gt_alloc((plan->steps + 1) * sizeof *index);
  for (uint32_t i = 0; i < plan->steps; i++) index[i] = find_pipeline(vk, &plan->step[i], aligned[i]);
  bool good = compile_from(vk, before, error);
  for (uint32_t i = 0; good && i < plan->steps; i++) out[i] = vk->pipelines.items[index[i]].pipeline;
  free(index);
  return good;
}

/* True if the step's addresses will be multiples of 16 bytes, as those of whole buffers are. */
static bool expects_alignment(const gt_step *step) {
  bool aligned = true;
  for (int k = 0; k < step->accesses; k++)
    aligned = aligned && (step->access[k].flag || step->access[k].offset % 16 == 0);
  return aligned;
}

void gt_vulkan_compile_ahead(gt_backend *backend, const gt_plan *const *plan, int plans) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  const size_t before = vk->pipelines.count;
  gt_error ignored = {0};
  for (int p = 0; p < plans; p++)
    for (uint32_t i = 0; i < plan[p]->steps; i++)
      find_pipeline(vk, &plan[p]->step[i], expects_alignment(&plan[p]->step[i]));
  compile_from(vk, before, &ignored);
}
