/* A Vulkan layer that reduces a device's limits. TEST_DEVICE=small: the smallest limits that Vulkan 1.2
 * guarantees; TEST_DEVICE_GROUPS=N: at most N workgroups along x; TEST_DEVICE_SUBGROUP=N: reports subgroups
 * of N, in name only (no shader uses subgroup instructions); TEST_DEVICE_PIECE=N, with TEST_DEVICE=small: at
 * most N MiB in one allocation; TEST_DEVICE_MEMORY=N: at most N MiB in each heap;
 * TEST_DEVICE_LACKS=timelineSemaphore,…: hides features. If the validation layer is above this layer, it
 * checks the program against these limits. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

/* The next layer's functions, or the driver's. */
static PFN_vkGetInstanceProcAddr next;
static PFN_vkGetDeviceProcAddr next_device;
/* More functions of the next layer. They must be looked up while the instance is created: later, the end of
 * the chain of layers, which belongs to the loader, returns the first layer's functions. */
static PFN_vkGetPhysicalDeviceProperties properties;
static PFN_vkGetPhysicalDeviceProperties2 properties2;
static PFN_vkGetPhysicalDeviceFeatures2 features2;
static PFN_vkGetPhysicalDeviceMemoryProperties memory_properties;
static PFN_vkGetPhysicalDeviceQueueFamilyProperties families;
static PFN_vkCreateDevice next_create_device;

static bool is_small(void) {
  const char *kind = getenv("TEST_DEVICE");
  return kind && !strcmp(kind, "small");
}

static bool lacks(const char *feature) {
  const char *list = getenv("TEST_DEVICE_LACKS");
  return list && strstr(list, feature);
}

/* In bytes: the limit in MiB of this environment variable, or the default. */
static uint64_t memory_limit(const char *name, uint64_t default_mebibytes) {
  const char *text = getenv(name);
  return (text ? (uint64_t)atoi(text) : default_mebibytes) << 20;
}

static void limit_to(uint32_t *value, uint32_t limit) {
  if (*value > limit) *value = limit;
}

static void lower_limits(VkPhysicalDeviceLimits *limits) {
  static const uint32_t workgroup_size[3] = {128, 128, 64};
  const char *groups = getenv("TEST_DEVICE_GROUPS");
  if (groups) limit_to(&limits->maxComputeWorkGroupCount[0], (uint32_t)atoi(groups));
  if (!is_small()) return;
  limit_to(&limits->maxComputeWorkGroupInvocations, 128);
  limit_to(&limits->maxComputeSharedMemorySize, 16384);
  limit_to(&limits->maxPushConstantsSize, 128);
  limit_to(&limits->maxStorageBufferRange, 1u << 27);
  for (int i = 0; i < 3; i++) {
    limit_to(&limits->maxComputeWorkGroupSize[i], workgroup_size[i]);
    limit_to(&limits->maxComputeWorkGroupCount[i], 65535);
  }
}

static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice physical, VkPhysicalDeviceProperties *out) {
  properties(physical, out);
  lower_limits(&out->limits);
}

static VKAPI_ATTR void VKAPI_CALL get_properties2(VkPhysicalDevice physical,
                                                  VkPhysicalDeviceProperties2 *out) {
  properties2(physical, out);
  lower_limits(&out->properties.limits);
  const char *subgroup = getenv("TEST_DEVICE_SUBGROUP");
  for (VkBaseOutStructure *s = out->pNext; s && subgroup; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
      ((VkPhysicalDeviceVulkan11Properties *)s)->subgroupSize = (uint32_t)atoi(subgroup);
  const uint64_t allocation_limit = memory_limit("TEST_DEVICE_PIECE", 1 << 10);
  for (VkBaseOutStructure *s = out->pNext; s && is_small(); s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
      ((VkPhysicalDeviceVulkan11Properties *)s)->maxMemoryAllocationSize = allocation_limit;
    else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES)
      ((VkPhysicalDeviceMaintenance3Properties *)s)->maxMemoryAllocationSize = allocation_limit;
}

static VKAPI_ATTR void VKAPI_CALL get_memory(VkPhysicalDevice physical,
                                             VkPhysicalDeviceMemoryProperties *out) {
  memory_properties(physical, out);
  for (uint32_t i = 0; i < out->memoryHeapCount; i++) {
    const uint64_t limit = memory_limit("TEST_DEVICE_MEMORY", 1 << 20);
    if (out->memoryHeaps[i].size > limit) out->memoryHeaps[i].size = limit;
  }
}

static VKAPI_ATTR void VKAPI_CALL get_features2(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2 *out) {
  features2(physical, out);
  for (VkBaseOutStructure *s = out->pNext; s; s = s->pNext) {
    VkPhysicalDeviceVulkan12Features *features12 = (VkPhysicalDeviceVulkan12Features *)s;
    if (s->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) continue;
    if (lacks("bufferDeviceAddress")) features12->bufferDeviceAddress = VK_FALSE;
    if (lacks("scalarBlockLayout")) features12->scalarBlockLayout = VK_FALSE;
    if (lacks("timelineSemaphore")) features12->timelineSemaphore = VK_FALSE;
  }
}

/* Vulkan does not guarantee time stamps. */
static VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice physical, uint32_t *count,
                                               VkQueueFamilyProperties *out) {
  families(physical, count, out);
  for (uint32_t i = 0; out && is_small() && i < *count; i++) out[i].timestampValidBits = 0;
}

/* The structure in a pNext chain by which the loader passes the list of the next layers. A layer takes the
 * first one off the list before it calls that layer. */
static VkLayerInstanceCreateInfo *instance_link(const void *chain) {
  VkLayerInstanceCreateInfo *s = (VkLayerInstanceCreateInfo *)chain;
  while (s &&
         (s->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || s->function != VK_LAYER_LINK_INFO))
    s = (VkLayerInstanceCreateInfo *)s->pNext;
  return s;
}

static VkLayerDeviceCreateInfo *device_link(const void *chain) {
  VkLayerDeviceCreateInfo *s = (VkLayerDeviceCreateInfo *)chain;
  while (s && (s->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || s->function != VK_LAYER_LINK_INFO))
    s = (VkLayerDeviceCreateInfo *)s->pNext;
  return s;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *memory, VkInstance *out) {
  VkLayerInstanceCreateInfo *link = instance_link(info->pNext);
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  VkResult result = ((PFN_vkCreateInstance)next(NULL, "vkCreateInstance"))(info, memory, out);
  if (result != VK_SUCCESS) return result;
  properties = (PFN_vkGetPhysicalDeviceProperties)next(*out, "vkGetPhysicalDeviceProperties");
  properties2 = (PFN_vkGetPhysicalDeviceProperties2)next(*out, "vkGetPhysicalDeviceProperties2");
  features2 = (PFN_vkGetPhysicalDeviceFeatures2)next(*out, "vkGetPhysicalDeviceFeatures2");
  memory_properties =
      (PFN_vkGetPhysicalDeviceMemoryProperties)next(*out, "vkGetPhysicalDeviceMemoryProperties");
  families =
      (PFN_vkGetPhysicalDeviceQueueFamilyProperties)next(*out, "vkGetPhysicalDeviceQueueFamilyProperties");
  next_create_device = (PFN_vkCreateDevice)next(*out, "vkCreateDevice");
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *memory, VkDevice *out) {
  VkLayerDeviceCreateInfo *link = device_link(info->pNext);
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  return next_create_device(physical, info, memory, out);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name) {
  return next_device ? next_device(device, name) : NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char *name) {
  const struct {
    const char *name;
    PFN_vkVoidFunction function;
  } replaced[] = {
      {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_function},
      {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_function},
      {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
      {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
      {"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)get_properties},
      {"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)get_properties2},
      {"vkGetPhysicalDeviceProperties2KHR", (PFN_vkVoidFunction)get_properties2},
      {"vkGetPhysicalDeviceMemoryProperties", (PFN_vkVoidFunction)get_memory},
      {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)get_features2},
      {"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)get_families},
  };
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
    if (!strcmp(name, replaced[i].name)) return replaced[i].function;
  return next ? next(instance, name) : NULL;
}

VK_LAYER_EXPORT VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *version);
VK_LAYER_EXPORT VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *version) {
  version->loaderLayerInterfaceVersion = 2;
  version->pfnGetInstanceProcAddr = instance_function;
  version->pfnGetDeviceProcAddr = device_function;
  version->pfnGetPhysicalDeviceProcAddr = NULL;
  return VK_SUCCESS;
}
