/* The compute queue: each submission has a ticket, the next value of one timeline semaphore, and waits for
 * feeds (feed.c) that were submitted before it. */
#include "backend/vulkan/internal.h"
#include <time.h>

/* A submission may run for a long time on a slow device, but a device that completes nothing in MAX_SECONDS
 * hangs; a lost device has only LOST_SECONDS. One vkWaitSemaphores lasts at most POLL_SECONDS. */
enum { MAX_SECONDS = 1800, LOST_SECONDS = 10, POLL_SECONDS = 10 };

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

/* Work of stages `from` before the barrier happens before, and is visible to, work of stages `to` after
 * it. */
void gt_vulkan_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to) {
  const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = access_of(from),
                                   .dstAccessMask = access_of(to)};
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

bool gt_vulkan_timeline(gt_vulkan *vk, VkSemaphore *out, gt_error *error) {
  const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  return VK_MAKE(vkCreateSemaphore(vk->device, &info, NULL, out), out);
}

bool gt_vulkan_submit_init(gt_vulkan *vk, gt_error *error) {
  const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                        .queueFamilyIndex = vk->family};
  if (!VK_MAKE(vkCreateCommandPool(vk->device, &pool, NULL, &vk->pool), &vk->pool)) return false;
  if (!gt_vulkan_timeline(vk, &vk->timeline, error)) return false;
  if (!gt_vulkan_commands(vk, &vk->to_host, 1, error)) return false;
  if (!gt_vulkan_begin(vk->to_host, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, error)) return false;
  gt_vulkan_barrier(vk->to_host, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                    VK_PIPELINE_STAGE_HOST_BIT);
  return VK(vkEndCommandBuffer(vk->to_host));
}

static bool check(gt_vulkan *vk, VkResult result, const char *call, gt_error *error) {
  if (result != VK_SUCCESS) vk->faulted = true;
  if (result == VK_ERROR_DEVICE_LOST) vk->lost = true;
  return gt_vulkan_check(result, call, error);
}

bool gt_vulkan_check_submit(gt_vulkan *vk, VkResult result, gt_error *error) {
  return check(vk, result, "vkQueueSubmit", error);
}

void gt_vulkan_submit_finish(gt_vulkan *vk) {
  vkDestroySemaphore(vk->device, vk->timeline, NULL);
  vkDestroyCommandPool(vk->device, vk->pool, NULL);
}

bool gt_vulkan_submit(gt_vulkan *vk, const VkCommandBuffer *commands, uint32_t count, gt_error *error) {
  const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  const uint64_t value = vk->ticket + 1, feed_ticket = vk->feeder.ticket;
  const uint32_t waits = feed_ticket > vk->feeder.seen;
  const VkTimelineSemaphoreSubmitInfo timeline = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = waits,
                                                  .pWaitSemaphoreValues = &feed_ticket,
                                                  .signalSemaphoreValueCount = 1,
                                                  .pSignalSemaphoreValues = &value};
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .pNext = &timeline,
                             .waitSemaphoreCount = waits,
                             .pWaitSemaphores = &vk->feeder.timeline,
                             .pWaitDstStageMask = &stages,
                             .commandBufferCount = count,
                             .pCommandBuffers = commands,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &vk->timeline};
  if (!gt_vulkan_check_submit(vk, vkQueueSubmit(vk->queue, 1, &info, VK_NULL_HANDLE), error)) return false;
  vk->ticket = value;
  vk->feeder.seen = feed_ticket;
  return true;
}

static bool read_counter(gt_vulkan *vk, VkSemaphore timeline, uint64_t *ticket, gt_error *error) {
  return check(vk, vkGetSemaphoreCounterValue(vk->device, timeline, ticket), "vkGetSemaphoreCounterValue",
               error);
}

bool gt_vulkan_completed(gt_backend *backend, uint64_t *ticket, gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  return read_counter(vk, vk->timeline, ticket, error);
}

static VkResult wait_a_while(const gt_vulkan *vk, VkSemaphore timeline, uint64_t ticket) {
  const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                    .semaphoreCount = 1,
                                    .pSemaphores = &timeline,
                                    .pValues = &ticket};
  return vkWaitSemaphores(vk->device, &info, POLL_SECONDS * UINT64_C(1000000000));
}

static int64_t now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

/* Waits until the semaphore reaches the ticket or the device makes no progress for too long.
 * tolerates_errors: if vkWaitSemaphores fails, continues to read the counter. */
static bool wait_for(gt_vulkan *vk, VkSemaphore timeline, uint64_t ticket, bool tolerates_errors,
                     gt_error *error) {
  const struct timespec pause = {.tv_nsec = 1000000}; /* if vkWaitSemaphores returns early */
  const int64_t limit = vk->lost ? LOST_SECONDS : MAX_SECONDS;
  uint64_t done = 0, before = 0;
  int64_t since = now_seconds();
  for (;;) {
    const VkResult result = wait_a_while(vk, timeline, ticket);
    const bool is_final = result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST;
    if (is_final || (result != VK_TIMEOUT && !tolerates_errors))
      return check(vk, result, "vkWaitSemaphores", error);
    if (!read_counter(vk, timeline, &done, error)) return false;
    if (done >= ticket) return true;
    if (done != before) since = now_seconds();
    before = done;
    if (now_seconds() - since >= limit) break;
    nanosleep(&pause, NULL);
  }
  vk->stuck = true;
  return gt_fail(error, GT_ERR_NODEVICE, "%s hangs: no work was completed within the time limit",
                 vk->base.name);
}

bool gt_vulkan_wait(gt_backend *backend, uint64_t ticket, gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  return wait_for(vk, vk->timeline, ticket, false, error);
}

bool gt_vulkan_wait_feed(gt_vulkan *vk, uint64_t ticket, gt_error *error) {
  return wait_for(vk, vk->feeder.timeline, ticket, false, error);
}

/* After "device lost" no work is running, as after success (specification, Lost Device). */
static bool device_is_idle(const gt_vulkan *vk) {
  const VkResult result = vkDeviceWaitIdle(vk->device);
  return result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST;
}

bool gt_vulkan_idle(gt_vulkan *vk) {
  gt_error ignored = {0};
  if (vk->stuck) return false;
  if (vk->ticket && !wait_for(vk, vk->timeline, vk->ticket, true, &ignored) && !vk->lost) vk->stuck = true;
  if (vk->feeder.ticket && !vk->stuck &&
      !wait_for(vk, vk->feeder.timeline, vk->feeder.ticket, true, &ignored) && !vk->lost)
    vk->stuck = true;
  /* Work of a failed submission has no ticket. vkDeviceWaitIdle has no timeout, so it comes after the waits
   * for tickets. */
  if (vk->faulted && !vk->stuck && !device_is_idle(vk)) vk->stuck = true;
  return !vk->stuck;
}
