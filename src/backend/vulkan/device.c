/* Opens and closes a Vulkan device: the logical device, its queues and the parts of the backend. A device
 * that does not become idle is abandoned: nothing of it is freed. */
#include "backend/vulkan/internal.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_devices;
static bool abandoned;

bool gt_vulkan_device_abandoned(void) { return abandoned; }

static bool create_device(gt_vulkan *vk, uint32_t feed_queue, gt_error *error) {
  const float priority[2] = {1, 1};
  const VkDeviceQueueCreateInfo queue[2] = {{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                             .queueFamilyIndex = vk->family,
                                             .queueCount = 1 + feed_queue,
                                             .pQueuePriorities = priority},
                                            {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                             .queueFamilyIndex = vk->feeder.family,
                                             .queueCount = 1,
                                             .pQueuePriorities = priority}};
  VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                               .bufferDeviceAddress = VK_TRUE,
                                               .scalarBlockLayout = VK_TRUE,
                                               .timelineSemaphore = VK_TRUE};
  const char *extensions[1 + GT_MATRIX_EXTENSIONS];
  uint32_t count = gt_vulkan_matrix_extensions(&vk->base.target.matrix, extensions);
  if (vk->memory_budget) extensions[count++] = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
  void *matrix_features = gt_vulkan_matrix_features(&vk->base.target.matrix, &features);
  const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                   .pNext = &features,
                                   .queueCreateInfoCount = vk->feeder.family == vk->family ? 1 : 2,
                                   .pQueueCreateInfos = queue,
                                   .enabledExtensionCount = count,
                                   .ppEnabledExtensionNames = extensions};
  const bool created = VK(vkCreateDevice(vk->physical, &info, NULL, &vk->device));
  free(matrix_features);
  if (!created) return vk->device = NULL, false;
  vkGetDeviceQueue(vk->device, vk->family, 0, &vk->queue);
  vkGetDeviceQueue(vk->device, vk->feeder.family, feed_queue, &vk->feeder.queue);
  return true;
}

static void close_backend(gt_backend *backend) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  if (vk->device) {
    if (!gt_vulkan_idle(vk)) {
      abandoned = true;
      return;
    }
    gt_vulkan_pipelines_finish(vk);
    gt_vulkan_staging_finish(vk);
    gt_vulkan_feed_finish(vk);
    gt_vulkan_submit_finish(vk);
    vkDestroyDevice(vk->device, NULL);
  }
  free(vk);
  if (--open_devices == 0) gt_vulkan_instance_close();
}

static const gt_backend_api api = {
    .close = close_backend,
    .buffer_create = gt_vulkan_buffer_create,
    .buffer_destroy = gt_vulkan_buffer_destroy,
    .buffer_map = gt_vulkan_buffer_map,
    .upload = gt_vulkan_upload,
    .feed = gt_vulkan_feed,
    .feed_wait = gt_vulkan_feed_wait,
    .download = gt_vulkan_download,
    .compile = gt_vulkan_compile,
    .compile_ahead = gt_vulkan_compile_ahead,
    .sequence = gt_vulkan_sequence,
    .executable_destroy = gt_vulkan_executable_destroy,
    .run = gt_vulkan_run,
    .wait = gt_vulkan_wait,
    .completed = gt_vulkan_completed,
    .profile = gt_vulkan_profile,
    .inspect = gt_vulkan_inspect,
};

static gt_vulkan *from_physical(const gt_physical *p) {
  gt_vulkan *vk = gt_alloc(sizeof *vk);
  vk->base.api = &api;
  vk->base.target = p->info.target;
  gt_device_title(&p->info, vk->base.name);
  vk->base.memory_total = p->info.memory_bytes;
  vk->physical = p->handle;
  vk->properties = p->properties;
  vk->memory = p->memory;
  vk->base.max_allocation = p->max_allocation;
  vk->family = p->family;
  vk->feeder.family = p->feed_family;
  vk->timestamp_bits = p->timestamp_bits;
  vk->memory_budget = p->memory_budget;
  vk->base.memory_free = gt_vulkan_memory_available(vk);
  return vk;
}

gt_backend *gt_vulkan_open(int index, gt_error *error) {
  gt_physical *physical = NULL;
  gt_vulkan *vk = NULL;
  int count = gt_vulkan_physical(&physical, error);
  if (count < 0) goto out;
  if (index < 0 || index >= count) {
    gt_fail(error, GT_ERR_NODEVICE, "no Vulkan device %d: this machine has %d", index, count);
    goto out;
  }
  if (!physical[index].info.usable) {
    gt_fail(error, GT_ERR_NODEVICE, "%s cannot be used: it lacks %s", physical[index].info.name,
            physical[index].info.features);
    goto out;
  }
  vk = from_physical(&physical[index]);
  open_devices++;
  if (!create_device(vk, physical[index].feed_queue, error) || !gt_vulkan_submit_init(vk, error) ||
      !gt_vulkan_staging_init(vk, error) || !gt_vulkan_pipelines_init(vk, error)) {
    close_backend(&vk->base);
    vk = NULL;
  }
out:
  free(physical);
  return vk ? &vk->base : NULL;
}
