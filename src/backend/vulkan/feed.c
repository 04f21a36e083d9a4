/* Copies from host memory to buffers that the device reads later, concurrent with the compute queue's work:
 * on a transfer-only queue if there is one. A second timeline semaphore numbers them. A copy waits on the
 * device for the ticket after which its destination is free, and later submissions wait for the copy; the
 * host waits only to reuse the command buffer of an old copy. */
#include "backend/vulkan/internal.h"

/* Creates the feeder's Vulkan objects at the first call. */
static bool init_feeder(gt_vulkan *vk, gt_error *error) {
  gt_vulkan_feeder *f = &vk->feeder;
  const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                        .queueFamilyIndex = f->family};
  if (f->initialized) return true;
  if (!f->pool && !VK_MAKE(vkCreateCommandPool(vk->device, &pool, NULL, &f->pool), &f->pool)) return false;
  if (!f->timeline && !gt_vulkan_timeline(vk, &f->timeline, error)) return false;
  const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = f->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = GT_FEEDS};
  return f->initialized = VK(vkAllocateCommandBuffers(vk->device, &info, f->commands));
}

void gt_vulkan_feed_finish(gt_vulkan *vk) {
  vkDestroySemaphore(vk->device, vk->feeder.timeline, NULL);
  vkDestroyCommandPool(vk->device, vk->feeder.pool, NULL);
}

static bool submit(gt_vulkan *vk, VkCommandBuffer commands, uint64_t after, gt_error *error) {
  gt_vulkan_feeder *f = &vk->feeder;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  const uint64_t value = f->ticket + 1;
  const VkTimelineSemaphoreSubmitInfo timeline = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = after > 0,
                                                  .pWaitSemaphoreValues = &after,
                                                  .signalSemaphoreValueCount = 1,
                                                  .pSignalSemaphoreValues = &value};
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .pNext = &timeline,
                             .waitSemaphoreCount = after > 0,
                             .pWaitSemaphores = &vk->timeline,
                             .pWaitDstStageMask = &stage,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &commands,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &f->timeline};
  const VkResult result = vkQueueSubmit(f->queue, 1, &info, VK_NULL_HANDLE);
  if (!gt_vulkan_check_submit(vk, result, error)) return false;
  f->ticket = value;
  return true;
}

bool gt_vulkan_feed(gt_backend *backend, gt_buffer *from, const gt_copy *copy, int copies, uint64_t after,
                    gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  gt_vulkan_feeder *f = &vk->feeder;
  for (int i = 0; i < copies; i++)
    if (!gt_vulkan_in_range(from, copy[i].from_offset, copy[i].size, error) ||
        !gt_vulkan_in_range(copy[i].to, copy[i].to_offset, copy[i].size, error))
      return false;
  if (!init_feeder(vk, error)) return false;
  if (f->ticket >= GT_FEEDS && !gt_vulkan_wait_feed(vk, f->ticket + 1 - GT_FEEDS, error)) return false;
  const VkCommandBuffer commands = f->commands[f->ticket % GT_FEEDS];
  if (!gt_vulkan_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, error)) return false;
  for (int i = 0; i < copies; i++) {
    const VkBufferCopy region = {
        .srcOffset = copy[i].from_offset, .dstOffset = copy[i].to_offset, .size = copy[i].size};
    if (region.size) vkCmdCopyBuffer(commands, from->buffer, copy[i].to->buffer, 1, &region);
    if (copy[i].to->zeroed > after) after = copy[i].to->zeroed;
  }
  return VK(vkEndCommandBuffer(commands)) && submit(vk, commands, after, error);
}

bool gt_vulkan_feed_wait(gt_backend *backend, gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  return !vk->feeder.ticket || gt_vulkan_wait_feed(vk, vk->feeder.ticket, error);
}
