/* The queue: command buffers go in with a ticket, the next value of one timeline semaphore. */
#include "backend/vulkan/internal.h"

bool gt_vulkan_commands(gt_vulkan *vk, VkCommandBuffer *out, uint32_t count, gt_error *error) {
  const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = vk->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = count};
  return VK(vkAllocateCommandBuffers(vk->device, &info, out));
}

bool gt_vulkan_begin(VkCommandBuffer commands, VkCommandBufferUsageFlags usage, gt_error *error) {
  const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = usage};
  return VK(vkBeginCommandBuffer(commands, &info));
}

static VkAccessFlags access_of(VkPipelineStageFlags stages) {
  VkAccessFlags access = 0;
  if (stages & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT)
    access |= VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  if (stages & VK_PIPELINE_STAGE_TRANSFER_BIT)
    access |= VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  if (stages & VK_PIPELINE_STAGE_HOST_BIT) access |= VK_ACCESS_HOST_READ_BIT;
  return access;
}

/* Everything that `from` has done happens before, and is visible to, what `to` does. */
void gt_vulkan_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to) {
  const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = access_of(from),
                                   .dstAccessMask = access_of(to)};
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

bool gt_vulkan_submit_init(gt_vulkan *vk, gt_error *error) {
  const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                        .queueFamilyIndex = vk->family};
  const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  if (!VK(vkCreateCommandPool(vk->device, &pool, NULL, &vk->pool))) return false;
  if (!VK(vkCreateSemaphore(vk->device, &semaphore, NULL, &vk->timeline))) return false;
  if (!gt_vulkan_commands(vk, &vk->to_host, 1, error)) return false;
  if (!gt_vulkan_begin(vk->to_host, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, error)) return false;
  gt_vulkan_barrier(vk->to_host, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                    VK_PIPELINE_STAGE_HOST_BIT);
  return VK(vkEndCommandBuffer(vk->to_host));
}

void gt_vulkan_submit_finish(gt_vulkan *vk) {
  vkDestroySemaphore(vk->device, vk->timeline, NULL);
  vkDestroyCommandPool(vk->device, vk->pool, NULL);
}

bool gt_vulkan_submit(gt_vulkan *vk, const VkCommandBuffer *commands, uint32_t count, gt_error *error) {
  const uint64_t value = vk->ticket + 1;
  const VkTimelineSemaphoreSubmitInfo timeline = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .signalSemaphoreValueCount = 1,
                                                  .pSignalSemaphoreValues = &value};
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .pNext = &timeline,
                             .commandBufferCount = count,
                             .pCommandBuffers = commands,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &vk->timeline};
  VkResult result = vkQueueSubmit(vk->queue, 1, &info, VK_NULL_HANDLE);
  if (result == VK_ERROR_DEVICE_LOST) vk->lost = true;
  if (!gt_vulkan_check(result, "vkQueueSubmit", error)) return false;
  vk->ticket = value;
  return true;
}

bool gt_vulkan_wait(gt_backend *backend, uint64_t ticket, gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                    .semaphoreCount = 1,
                                    .pSemaphores = &vk->timeline,
                                    .pValues = &ticket};
  VkResult result = vkWaitSemaphores(vk->device, &info, UINT64_MAX);
  if (result == VK_ERROR_DEVICE_LOST) vk->lost = true;
  return gt_vulkan_check(result, "vkWaitSemaphores", error);
}

bool gt_vulkan_completed(gt_backend *backend, uint64_t *ticket, gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  VkResult result = vkGetSemaphoreCounterValue(vk->device, vk->timeline, ticket);
  if (result == VK_ERROR_DEVICE_LOST) vk->lost = true;
  return gt_vulkan_check(result, "vkGetSemaphoreCounterValue", error);
}

void gt_vulkan_idle(gt_vulkan *vk) {
  gt_error ignored = {0};
  if (vk->timeline && vk->ticket && !vk->lost) gt_vulkan_wait(&vk->base, vk->ticket, &ignored);
  if (vk->lost) vkDeviceWaitIdle(vk->device); /* a lost semaphore may never be signalled; this returns */
}
