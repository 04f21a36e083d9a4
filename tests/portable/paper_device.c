#include "paper_device.h"
#include "backend/vulkan/internal.h"
#include "base/memory.h"
#include "base/text.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* VkBuffer and VkDeviceMemory handles are addresses of a `memory`, VkShaderModule handles are addresses of a
 * `module`. */
typedef struct memory {
  uint64_t size;
  void *mapped;
} memory;
typedef struct module {
  VkShaderModule real;
  uint64_t hash;
  bool skipped;
} module;

static struct {
  paper_kernel **items; /* their addresses are the pipelines' handles */
  size_t count, capacity;
} kernels;
static pthread_mutex_t kernels_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *dump;    /* the directory of the .spv files; NULL: none are written */
static const char *config;  /* see paper_device_config */
static uint32_t subgroup;   /* the subgroup size to report; 0: the driver's */
static uint32_t capability; /* only modules that declare it are compiled; 0: all modules */
/* The semaphore value of the last submission. Its address is the handle of semaphores, command pools and
 * command buffers, which have no content. */
static uint64_t ticket;
static uint64_t next_address = 1 << 20; /* the device address of the next buffer */
static PFN_vkGetPhysicalDeviceFeatures2 real_features;
static PFN_vkGetPhysicalDeviceProperties2 real_properties;
static PFN_vkCreateDevice real_create_device;
static PFN_vkCreateShaderModule real_create_module;
static PFN_vkDestroyShaderModule real_destroy_module;
static PFN_vkCreateComputePipelines real_create_pipelines;
static PFN_vkDestroyPipeline real_destroy_pipeline;

#define HANDLE(type, pointer) ((type)(uintptr_t)(pointer))

/* --- changes to the device's features and properties --- */

void paper_device_subgroup(uint32_t lanes) { subgroup = lanes; }

static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *out) {
  real_properties(device, out);
  for (VkBaseOutStructure *s = out->pNext; s && subgroup; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
      ((VkPhysicalDeviceVulkan11Properties *)s)->subgroupSize = subgroup;
}

static VKAPI_ATTR void VKAPI_CALL features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *out) {
  real_features(device, out);
  for (VkBaseOutStructure *s = out->pNext; s; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
      ((VkPhysicalDeviceVulkan12Features *)s)->timelineSemaphore = VK_TRUE;
}

static VKAPI_ATTR void VKAPI_CALL memory_properties(VkPhysicalDevice device,
                                                    VkPhysicalDeviceMemoryProperties *out) {
  (void)device;
  *out = (VkPhysicalDeviceMemoryProperties){.memoryTypeCount = 1, .memoryHeapCount = 1};
  out->memoryHeaps[0] = (VkMemoryHeap){1ull << 34, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  out->memoryTypes[0].propertyFlags =
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
}

/* Creates the driver's device without timeline semaphores, which `features` reports even if the driver lacks
 * them, and with pipeline statistics. */
static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks, VkDevice *out) {
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
      .pipelineExecutableInfo = VK_TRUE};
  VkPhysicalDeviceVulkan12Features wanted = *(const VkPhysicalDeviceVulkan12Features *)info->pNext;
  const char *extension[16];
  VkDeviceCreateInfo changed = *info;
  wanted.timelineSemaphore = VK_FALSE;
  statistics.pNext = &wanted;
  changed.pNext = &statistics;
  for (uint32_t i = 0; i < info->enabledExtensionCount; i++) extension[i] = info->ppEnabledExtensionNames[i];
  extension[changed.enabledExtensionCount++] = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
  changed.ppEnabledExtensionNames = extension;
  return real_create_device(physical, &changed, callbacks, out);
}

/* --- pipelines ------------------------------------------------------------------------------------------ */

void paper_device_config(const char *name) { config = name; }
void paper_device_dump(const char *directory) { dump = directory; }
void paper_device_only(uint32_t wanted_capability) { capability = wanted_capability; }

/* A SPIR-V module begins with a header of 5 words, then its OpCapability instructions: 2 words, opcode 17. */
bool paper_device_declares(const uint32_t *words, size_t bytes, uint32_t wanted_capability) {
  enum { HEADER = 5, OP_CAPABILITY = 2 << 16 | 17 };
  for (size_t at = HEADER; at + 1 < bytes / 4 && words[at] == OP_CAPABILITY; at += 2)
    if (words[at + 1] == wanted_capability) return true;
  return false;
}

static void write_module(uint64_t hash, const VkShaderModuleCreateInfo *info) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%016llx.spv", dump, (unsigned long long)hash);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(info->pCode, 1, info->codeSize, file) != info->codeSize || fclose(file)) {
    perror(path);
    exit(74);
  }
}

static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice device, const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks,
                                                    VkShaderModule *out) {
  module *m = gt_alloc(sizeof *m);
  m->hash = gt_hash(GT_HASH_START, info->pCode, info->codeSize);
  m->skipped = capability && !paper_device_declares(info->pCode, info->codeSize, capability);
  if (dump && !m->skipped) write_module(m->hash, info);
  *out = HANDLE(VkShaderModule, m);
  return real_create_module(device, info, callbacks, &m->real);
}

static VKAPI_ATTR void VKAPI_CALL destroy_module(VkDevice device, VkShaderModule handle,
                                                 const VkAllocationCallbacks *callbacks) {
  module *m = (module *)(uintptr_t)handle;
  real_destroy_module(device, m->real, callbacks);
  free(m);
}

/* Stores a statistic under the names that RADV uses. */
static void store_statistic(paper_kernel *kernel, const VkPipelineExecutableStatisticKHR *s) {
  const struct {
    const char *name;
    uint64_t *value;
  } known[] = {{"VGPRs", &kernel->vgprs},           {"SGPRs", &kernel->sgprs},
               {"Spilled VGPRs", &kernel->spilled}, {"Spilled SGPRs", &kernel->spilled},
               {"Scratch size", &kernel->scratch},  {"LDS size", &kernel->shared},
               {"Code size", &kernel->code}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(s->name, known[i].name)) *known[i].value += s->value.u64;
  kernel->reports_spills = kernel->reports_spills || !strcmp(s->name, "Spilled VGPRs");
}

static void read_statistics(VkDevice device, VkPipeline pipeline, paper_kernel *kernel) {
  enum { MAX_STATISTICS = 64 };
  VkPipelineExecutablePropertiesKHR properties = {.sType =
                                                      VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
  VkPipelineExecutableStatisticKHR statistic[MAX_STATISTICS] = {0};
  uint32_t executables = 1, count = MAX_STATISTICS;
  for (int i = 0; i < MAX_STATISTICS; i++)
    statistic[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
  const VkPipelineInfoKHR pipeline_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR,
                                           .pipeline = pipeline};
  const VkPipelineExecutableInfoKHR executable_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline};
  vkGetPipelineExecutablePropertiesKHR(device, &pipeline_info, &executables, &properties);
  vkGetPipelineExecutableStatisticsKHR(device, &executable_info, &count, statistic);
  kernel->subgroup = properties.subgroupSize;
  for (uint32_t i = 0; i < count; i++) store_statistic(kernel, &statistic[i]);
}

/* The kernel with this hash; adds it if needed. *is_new: true if it was added. */
static paper_kernel *find_kernel(uint64_t hash, bool *is_new) {
  paper_kernel *kernel = NULL;
  pthread_mutex_lock(&kernels_lock);
  for (size_t i = 0; i < kernels.count && !kernel; i++)
    if (kernels.items[i]->hash == hash) kernel = kernels.items[i];
  *is_new = !kernel;
  if (*is_new) {
    kernel = gt_alloc(sizeof *kernel);
    kernel->hash = hash;
    kernel->config = config;
    *GT_PUSH(&kernels) = kernel;
  }
  pthread_mutex_unlock(&kernels_lock);
  return kernel;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkComputePipelineCreateInfo *info,
                                                       const VkAllocationCallbacks *callbacks,
                                                       VkPipeline *out) {
  const module *m = (const module *)(uintptr_t)info->stage.module;
  VkComputePipelineCreateInfo changed = *info;
  VkPipeline real;
  bool is_new;
  paper_kernel *kernel = find_kernel(m->hash, &is_new);
  *out = HANDLE(VkPipeline, kernel);
  if (!is_new) return kernel->result;
  kernel->skipped = m->skipped;
  if (kernel->skipped) return VK_SUCCESS;
  changed.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  changed.stage.module = m->real;
  kernel->result = real_create_pipelines(device, cache, count, &changed, callbacks, &real);
  if (kernel->result) return kernel->result;
  read_statistics(device, real, kernel);
  real_destroy_pipeline(device, real, callbacks);
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pipeline(VkDevice device, VkPipeline pipeline,
                                                   const VkAllocationCallbacks *callbacks) {
  (void)device, (void)pipeline, (void)callbacks;
}

/* The linker's --wrap replaces gt_vulkan_pipelines by __wrap_gt_vulkan_pipelines, because Vulkan's functions
 * do not get the name of a pipeline's kernel. */
bool __wrap_gt_vulkan_pipelines(gt_vulkan *vk, const gt_plan *plan, const bool *aligned, VkPipeline *out,
                                gt_error *error);
bool __real_gt_vulkan_pipelines(gt_vulkan *vk, const gt_plan *plan, const bool *aligned, VkPipeline *out,
                                gt_error *error);

static bool named_pipelines(gt_vulkan *vk, const gt_plan *plan, const bool *aligned, VkPipeline *out,
                            gt_error *error) {
  if (!__real_gt_vulkan_pipelines(vk, plan, aligned, out, error)) return false;
  for (uint32_t i = 0; i < plan->steps; i++) {
    paper_kernel *kernel = (paper_kernel *)(uintptr_t)out[i];
    if (kernel->name) continue;
    kernel->name = plan->step[i].kernel->name;
    memcpy(kernel->spec, plan->step[i].spec, sizeof kernel->spec);
  }
  return true;
}

bool __wrap_gt_vulkan_pipelines(gt_vulkan *vk, const gt_plan *plan, const bool *aligned, VkPipeline *out,
                                gt_error *error) {
  bool *all_alike = gt_alloc(plan->steps + 1), ok = true;
  for (int is_aligned = 0; is_aligned < 2 && ok && capability; is_aligned++) {
    memset(all_alike, is_aligned, plan->steps);
    ok = named_pipelines(vk, plan, all_alike, out, error);
  }
  free(all_alike);
  return ok && named_pipelines(vk, plan, aligned, out, error);
}

static int by_name(const void *a, const void *b) {
  const paper_kernel *x = a, *y = b;
  const int order = x->name && y->name ? strcmp(x->name, y->name) : 0;
  return order ? order : (x->hash > y->hash) - (x->hash < y->hash);
}

paper_kernel *paper_device_kernels(size_t *count) {
  paper_kernel *list = gt_alloc((kernels.count + 1) * sizeof *list);
  *count = 0;
  for (size_t i = 0; i < kernels.count; i++)
    if (!kernels.items[i]->skipped) list[(*count)++] = *kernels.items[i];
  qsort(list, *count, sizeof *list, by_name);
  return list;
}

/* --- memory of the device is host memory; submitted commands do nothing --- */

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks, VkBuffer *out) {
  memory *m = gt_alloc(sizeof *m);
  (void)device, (void)callbacks;
  m->size = info->size;
  *out = HANDLE(VkBuffer, m);
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice device, VkBuffer buffer,
                                                 const VkAllocationCallbacks *callbacks) {
  (void)device, (void)callbacks;
  free((memory *)(uintptr_t)buffer);
}

static VKAPI_ATTR void VKAPI_CALL requirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *out) {
  (void)device;
  *out = (VkMemoryRequirements){((const memory *)(uintptr_t)buffer)->size, 16, 1};
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL address(VkDevice device, const VkBufferDeviceAddressInfo *info) {
  const uint64_t buffer_address = next_address;
  (void)device;
  next_address += (((const memory *)(uintptr_t)info->buffer)->size + 255) / 256 * 256;
  return buffer_address;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                               const VkAllocationCallbacks *callbacks, VkDeviceMemory *out) {
  memory *m = gt_alloc(sizeof *m);
  (void)device, (void)callbacks;
  m->size = info->allocationSize;
  *out = HANDLE(VkDeviceMemory, m);
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL release(VkDevice device, VkDeviceMemory handle,
                                          const VkAllocationCallbacks *callbacks) {
  memory *m = (memory *)(uintptr_t)handle;
  (void)device, (void)callbacks;
  if (m) free(m->mapped);
  free(m);
}

static VKAPI_ATTR VkResult VKAPI_CALL bind(VkDevice device, VkBuffer buffer, VkDeviceMemory handle,
                                           VkDeviceSize offset) {
  (void)device, (void)buffer, (void)handle, (void)offset;
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL map(VkDevice device, VkDeviceMemory handle, VkDeviceSize offset,
                                          VkDeviceSize size, VkMemoryMapFlags flags, void **out) {
  memory *m = (memory *)(uintptr_t)handle;
  (void)device, (void)offset, (void)size, (void)flags;
  *out = m->mapped = gt_alloc(m->size);
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice device, const VkSemaphoreCreateInfo *info,
                                                       const VkAllocationCallbacks *callbacks,
                                                       VkSemaphore *out) {
  (void)device, (void)info, (void)callbacks;
  *out = HANDLE(VkSemaphore, &ticket);
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_semaphore(VkDevice device, VkSemaphore semaphore,
                                                    const VkAllocationCallbacks *callbacks) {
  (void)device, (void)semaphore, (void)callbacks;
}

/* A submission completes at once. */
static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo *info,
                                             VkFence fence) {
  const VkTimelineSemaphoreSubmitInfo *timeline = info->pNext;
  (void)queue, (void)count, (void)fence;
  ticket = timeline->pSignalSemaphoreValues[0];
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait(VkDevice device, const VkSemaphoreWaitInfo *info,
                                           uint64_t timeout) {
  (void)device, (void)info, (void)timeout;
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL counter(VkDevice device, VkSemaphore semaphore, uint64_t *out) {
  (void)device, (void)semaphore;
  *out = ticket;
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice device, const VkCommandPoolCreateInfo *info,
                                                  const VkAllocationCallbacks *callbacks,
                                                  VkCommandPool *out) {
  (void)device, (void)info, (void)callbacks;
  *out = HANDLE(VkCommandPool, &ticket);
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pool(VkDevice device, VkCommandPool pool,
                                               const VkAllocationCallbacks *callbacks) {
  (void)device, (void)pool, (void)callbacks;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_commands(VkDevice device,
                                                        const VkCommandBufferAllocateInfo *info,
                                                        VkCommandBuffer *out) {
  (void)device;
  for (uint32_t i = 0; i < info->commandBufferCount; i++) out[i] = HANDLE(VkCommandBuffer, &ticket);
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL free_commands(VkDevice device, VkCommandPool pool, uint32_t count,
                                                const VkCommandBuffer *commands) {
  (void)device, (void)pool, (void)count, (void)commands;
}

static VKAPI_ATTR VkResult VKAPI_CALL begin(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info) {
  (void)commands, (void)info;
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL end(VkCommandBuffer commands) {
  (void)commands;
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer commands, VkPipelineStageFlags from,
                                          VkPipelineStageFlags to, VkDependencyFlags flags, uint32_t count,
                                          const VkMemoryBarrier *memories, uint32_t buffers,
                                          const VkBufferMemoryBarrier *buffer, uint32_t images,
                                          const VkImageMemoryBarrier *image) {
  (void)commands, (void)from, (void)to, (void)flags, (void)count, (void)memories;
  (void)buffers, (void)buffer, (void)images, (void)image;
}

static VKAPI_ATTR void VKAPI_CALL push(VkCommandBuffer commands, VkPipelineLayout layout,
                                       VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                                       const void *values) {
  (void)commands, (void)layout, (void)stages, (void)offset, (void)size, (void)values;
}

static VKAPI_ATTR void VKAPI_CALL bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                VkPipeline pipeline) {
  (void)commands, (void)point, (void)pipeline;
}

static VKAPI_ATTR void VKAPI_CALL fill(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
                                       VkDeviceSize size, uint32_t value) {
  (void)commands, (void)buffer, (void)offset, (void)size, (void)value;
}

static VKAPI_ATTR void VKAPI_CALL copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count,
                                       const VkBufferCopy *regions) {
  (void)commands, (void)from, (void)to, (void)count, (void)regions;
}

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
  (void)commands, (void)x, (void)y, (void)z;
}

/* --- replacement of the functions ----------------------------------------------------------------------- */

static void replace_memory(void) {
  vkGetPhysicalDeviceMemoryProperties = memory_properties;
  vkCreateBuffer = create_buffer;
  vkDestroyBuffer = destroy_buffer;
  vkGetBufferMemoryRequirements = requirements;
  vkGetBufferDeviceAddress = address;
  vkAllocateMemory = allocate;
  vkFreeMemory = release;
  vkBindBufferMemory = bind;
  vkMapMemory = map;
}

static void replace_submission(void) {
  vkCreateSemaphore = create_semaphore;
  vkDestroySemaphore = destroy_semaphore;
  vkQueueSubmit = submit;
  vkWaitSemaphores = wait;
  vkGetSemaphoreCounterValue = counter;
  vkCreateCommandPool = create_pool;
  vkDestroyCommandPool = destroy_pool;
  vkAllocateCommandBuffers = allocate_commands;
  vkFreeCommandBuffers = free_commands;
  vkBeginCommandBuffer = begin;
  vkEndCommandBuffer = end;
  vkCmdPipelineBarrier = barrier;
  vkCmdPushConstants = push;
  vkCmdBindPipeline = bind_pipeline;
  vkCmdFillBuffer = fill;
  vkCmdCopyBuffer = copy;
  vkCmdDispatch = dispatch;
}

static void replace_pipelines(void) {
  real_features = vkGetPhysicalDeviceFeatures2;
  real_properties = vkGetPhysicalDeviceProperties2;
  real_create_device = vkCreateDevice;
  real_create_module = vkCreateShaderModule;
  real_destroy_module = vkDestroyShaderModule;
  real_create_pipelines = vkCreateComputePipelines;
  real_destroy_pipeline = vkDestroyPipeline;
  vkGetPhysicalDeviceFeatures2 = features;
  vkGetPhysicalDeviceProperties2 = properties;
  vkCreateDevice = create_device;
  vkCreateShaderModule = create_module;
  vkDestroyShaderModule = destroy_module;
  vkCreateComputePipelines = create_pipelines;
  vkDestroyPipeline = destroy_pipeline;
}

bool paper_device_init(const char **name, gt_error *error) {
  static gt_physical *physical;
  if (!gt_vulkan_instance(error)) return false;
  replace_memory();
  replace_submission();
  replace_pipelines();
  if (gt_vulkan_physical(&physical, error) < 1) return gt_fail(error, GT_ERR_NODEVICE, "no Vulkan device");
  *name = physical[0].info.name;
  return true;
}
