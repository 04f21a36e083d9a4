/* The physical devices: their properties, queue families and missing features. */
#include "backend/vulkan/internal.h"
#include "base/count.h"
#include "base/log.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gt_vulkan_has_extension(const VkExtensionProperties *list, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; i++)
    if (!strcmp(list[i].extensionName, name)) return true;
  return false;
}

static const char *type_name(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return "discrete";
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return "integrated";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return "virtual";
  default: return "software";
  }
}

/* Appends an item to a comma-separated list. */
static void add(char *list, size_t size, const char *item) {
  size_t used = strlen(list);
  snprintf(list + used, size - used, "%s%s", used ? ", " : "", item);
}

/* Prefers a compute-only family, which runs concurrently with graphics of the desktop, to others with
 * compute. */
static bool choose_family(gt_physical *p) {
  VkQueueFamilyProperties family[32];
  uint32_t count = 32;
  vkGetPhysicalDeviceQueueFamilyProperties(p->handle, &count, family);
  bool found = false;
  for (uint32_t i = 0; i < count; i++) {
    if (!(family[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) continue;
    if (found && (family[i].queueFlags & VK_QUEUE_GRAPHICS_BIT || !family[i].timestampValidBits)) continue;
    p->family = i;
    p->timestamp_bits = family[i].timestampValidBits;
    found = true;
  }
  return found;
}

/* Chooses the queue for copies: of a transfer-only family (not one for video, which can also transfer);
 * otherwise another queue of the compute family; otherwise the compute queue. */
static void choose_feeder(gt_physical *p) {
  const VkQueueFlags plain = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
  VkQueueFamilyProperties family[32];
  uint32_t count = 32;
  vkGetPhysicalDeviceQueueFamilyProperties(p->handle, &count, family);
  p->feed_family = p->family;
  p->feed_queue = p->family < count && family[p->family].queueCount > 1;
  for (uint32_t i = 0; i < count; i++)
    if (family[i].queueFlags & VK_QUEUE_TRANSFER_BIT && !(family[i].queueFlags & ~plain)) {
      p->feed_family = i;
      p->feed_queue = 0;
      return;
    }
}

/* Sets the number of multiprocessors, from the vendor's extension or as a guess by the type of device. */
static void count_units(gt_physical *p, const VkExtensionProperties *list, uint32_t count) {
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
  VkPhysicalDeviceShaderCorePropertiesAMD amd = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
  VkPhysicalDeviceProperties2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  if (gt_vulkan_has_extension(list, count, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME))
    two.pNext = &nvidia;
  else if (gt_vulkan_has_extension(list, count, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME))
    two.pNext = &amd;
  if (two.pNext) vkGetPhysicalDeviceProperties2(p->handle, &two);
  p->units = nvidia.shaderSMCount;
  if (!p->units)
    p->units = amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
  if (p->units) return;
  switch (p->properties.deviceType) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: p->units = 64; break;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: p->units = 16; break;
  default: p->units = 2;
  }
}

/* Lists the device's extensions, in heap memory. If the driver cannot list them, notes this as a missing
 * feature, which makes the device unusable. */
static VkExtensionProperties *list_extensions(gt_physical *p, uint32_t *count) {
  VkExtensionProperties *list = NULL;
  gt_error error = {0};
  VkResult result = vkEnumerateDeviceExtensionProperties(p->handle, NULL, count, NULL);
  if (result >= 0) {
    list = gt_alloc((*count + 1) * sizeof *list);
    result = vkEnumerateDeviceExtensionProperties(p->handle, NULL, count, list);
  }
  if (result >= 0) return list;
  gt_vulkan_check(result, "vkEnumerateDeviceExtensionProperties", &error);
  snprintf(p->info.features, sizeof p->info.features, "a list of its extensions (%.300s)", error.message);
  *count = 0;
  return list;
}

/* Writes info.features, after the missing features noted so far, and info.usable. */
static void describe_features(gt_physical *p, bool has_compute) {
  VkPhysicalDeviceVulkan12Features have = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &have};
  char *text = p->info.features;
  size_t size = sizeof p->info.features;
  bool recent = p->properties.apiVersion >= VK_API_VERSION_1_2;
  if (recent) vkGetPhysicalDeviceFeatures2(p->handle, &two);
  if (!recent) add(text, size, "Vulkan 1.2");
  if (recent && !have.bufferDeviceAddress) add(text, size, "bufferDeviceAddress");
  if (recent && !have.scalarBlockLayout) add(text, size, "scalarBlockLayout");
  if (recent && !have.timelineSemaphore) add(text, size, "timelineSemaphore");
  if (!has_compute) add(text, size, "a compute queue");
  p->info.usable = !*text;
  if (!p->info.usable) return;
  add(text, size, "bufferDeviceAddress");
  add(text, size, "scalarBlockLayout");
  add(text, size, "timelineSemaphore");
  if (p->timestamp_bits) add(text, size, "timestamps");
  if (p->memory_budget) add(text, size, "memory_budget");
  if (p->matrix.half.m) add(text, size, "cooperativeMatrix");
  if (p->matrix.bfloat.m) add(text, size, "cooperativeMatrix bfloat16");
}

static gt_target describe_target(const gt_physical *p) {
  return (gt_target){.device = true,
                     .subgroup = p->info.subgroup,
                     .max_workgroup = gt_min_u32(p->info.max_workgroup, 1024),
                     .shared_bytes = p->info.shared_bytes,
                     .units = p->units,
                     .max_grid = gt_min_u32(p->properties.limits.maxComputeWorkGroupCount[0], 65535),
                     .brief =
                         p->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU && !gt_debug("straight"),
                     .matrix = gt_vulkan_matrix_units(p)};
}

static void describe(gt_physical *p, int index) {
  uint32_t extensions = 0;
  vkGetPhysicalDeviceProperties(p->handle, &p->properties);
  vkGetPhysicalDeviceMemoryProperties(p->handle, &p->memory);
  VkExtensionProperties *list = list_extensions(p, &extensions);
  p->memory_budget = gt_vulkan_has_extension(list, extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);

  VkPhysicalDeviceVulkan11Properties eleven = {.sType =
                                                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
  VkPhysicalDeviceVulkan12Properties twelve = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, .pNext = &eleven};
  VkPhysicalDeviceProperties2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                     .pNext = &twelve};
  if (p->properties.apiVersion >= VK_API_VERSION_1_2) vkGetPhysicalDeviceProperties2(p->handle, &two);
  count_units(p, list, extensions);

  gt_device_info *info = &p->info;
  snprintf(info->id, sizeof info->id, "vulkan:%d", index);
  snprintf(info->name, sizeof info->name, "%s", p->properties.deviceName);
  snprintf(info->driver, sizeof info->driver, "%.100s%s%.150s", twelve.driverName,
           *twelve.driverName ? " " : "", twelve.driverInfo);
  snprintf(info->type, sizeof info->type, "%s", type_name(p->properties.deviceType));
  info->api_version[0] = VK_API_VERSION_MAJOR(p->properties.apiVersion);
  info->api_version[1] = VK_API_VERSION_MINOR(p->properties.apiVersion);
  info->api_version[2] = VK_API_VERSION_PATCH(p->properties.apiVersion);
  const VkPhysicalDeviceLimits *limits = &p->properties.limits;
  for (uint32_t i = 0; i < p->memory.memoryHeapCount; i++)
    if (p->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT &&
        p->memory.memoryHeaps[i].size > info->memory_bytes)
      info->memory_bytes = p->memory.memoryHeaps[i].size;
  info->subgroup = eleven.subgroupSize ? eleven.subgroupSize : 1;
  info->shared_bytes = limits->maxComputeSharedMemorySize;
  info->max_workgroup = limits->maxComputeWorkGroupInvocations;
  if (info->max_workgroup > limits->maxComputeWorkGroupSize[0])
    info->max_workgroup = limits->maxComputeWorkGroupSize[0];
  p->max_allocation = info->max_allocation = eleven.maxMemoryAllocationSize;
  gt_vulkan_find_matrix_units(p, list, extensions);
  info->target = describe_target(p);
  gt_vulkan_cache_name(&p->properties, info->cache, sizeof info->cache);
  free(list);
  describe_features(p, choose_family(p));
  choose_feeder(p);
}

int gt_vulkan_physical(gt_physical **out, gt_error *error) {
  VkInstance instance = gt_vulkan_instance(error);
  VkPhysicalDevice handle[64];
  uint32_t count = 64;
  *out = NULL;
  if (!instance) return -1;
  VkResult result = vkEnumeratePhysicalDevices(instance, &count, handle);
  if (result == VK_ERROR_INITIALIZATION_FAILED) result = count = 0; /* the loader's code for "no devices" */
  if (result < 0) return gt_vulkan_check(result, "vkEnumeratePhysicalDevices", error), -1;
  *out = gt_alloc((count + 1) * sizeof **out);
  for (uint32_t i = 0; i < count; i++) {
    (*out)[i].handle = handle[i];
    describe(&(*out)[i], (int)i);
  }
  return (int)count;
}

int gt_vulkan_list(gt_device_info *devices, int limit, gt_error *error) {
  gt_physical *physical;
  int count = gt_vulkan_physical(&physical, error);
  if (count > limit) count = limit;
  for (int i = 0; i < count; i++) devices[i] = physical[i].info;
  free(physical);
  return count;
}
