/* Buffers, and copies between them and the host through a ring of staging slots. */
#include "backend/vulkan/internal.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>

enum { SLOT_BYTES = 2 << 20 };

uint64_t gt_vulkan_memory_available(const gt_vulkan *vk) {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                           .pNext = &budget};
  uint64_t max_bytes = 0;
  if (!vk->memory_budget)
    return vk->base.memory_total > vk->base.memory_used ? vk->base.memory_total - vk->base.memory_used : 0;
  vkGetPhysicalDeviceMemoryProperties2(vk->physical, &two);
  for (uint32_t i = 0; i < vk->memory.memoryHeapCount; i++) {
    if (!(vk->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)) continue;
    uint64_t free_now =
        budget.heapBudget[i] > budget.heapUsage[i] ? budget.heapBudget[i] - budget.heapUsage[i] : 0;
    if (free_now > max_bytes) max_bytes = free_now;
  }
  return max_bytes;
}

/* The index of a memory type for buffers of this kind, among the `allowed` bits; -1: none. Prefers cached
 * host memory: the host reads results from it, and reads of write-combined memory are very slow. */
static int memory_type(const gt_vulkan *vk, uint32_t allowed, gt_buffer_kind kind) {
  const VkMemoryPropertyFlags host =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VkMemoryPropertyFlags want[3][2] = {
      [GT_BUFFER_DEVICE] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
      [GT_BUFFER_HOST] = {host | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, host},
      [GT_BUFFER_FED] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
  };
  for (int try = 0; try < 2; try++)
    for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++)
      if (allowed >> i & 1 && (vk->memory.memoryTypes[i].propertyFlags & want[kind][try]) == want[kind][try])
        return (int)i;
  return -1;
}

static bool fail_memory(const gt_vulkan *vk, uint64_t size, bool host, gt_error *error) {
  char asked[32], available[32], total[32];
  if (host)
    return gt_fail(error, GT_ERR_MEMORY, "out of host memory for %s: %s requested", vk->base.name,
                   gt_human_bytes((double)size, asked));
  return gt_fail(error, GT_ERR_MEMORY, "out of memory on %s: %s requested, %s of %s available", vk->base.name,
                 gt_human_bytes((double)size, asked),
                 gt_human_bytes((double)gt_vulkan_memory_available(vk), available),
                 gt_human_bytes((double)vk->base.memory_total, total));
}

/* A device may have more memory than it allows in one allocation. */
static bool fail_allocation_limit(const gt_vulkan *vk, uint64_t size, gt_error *error) {
  char asked[32], max_bytes[32];
  return gt_fail(error, GT_ERR_MEMORY,
                 "out of memory on %s: %s requested in one allocation; the limit of this device is %s",
                 vk->base.name, gt_human_bytes((double)size, asked),
                 gt_human_bytes((double)vk->base.max_allocation, max_bytes));
}

/* Reports the result of a call that allocates this much memory. */
static bool check(const gt_vulkan *vk, VkResult result, const char *call, uint64_t size, gt_buffer_kind kind,
                  gt_error *error) {
  if (result != VK_ERROR_OUT_OF_DEVICE_MEMORY && result != VK_ERROR_OUT_OF_HOST_MEMORY)
    return gt_vulkan_check(result, call, error);
  return fail_memory(vk, size, kind == GT_BUFFER_HOST || result == VK_ERROR_OUT_OF_HOST_MEMORY, error);
}

static bool allocate(gt_vulkan *vk, gt_buffer *buffer, gt_buffer_kind kind, gt_error *error) {
  VkMemoryRequirements need;
  vkGetBufferMemoryRequirements(vk->device, buffer->buffer, &need);
  int type = memory_type(vk, need.memoryTypeBits, kind);
  const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                           .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .pNext = &flags,
                                     .allocationSize = need.size,
                                     .memoryTypeIndex = (uint32_t)type};
  if (type < 0) return gt_fail(error, GT_ERR_INTERNAL, "%s has no memory of the kind needed", vk->base.name);
  VkResult result = vkAllocateMemory(vk->device, &info, NULL, &buffer->memory);
  if (!check(vk, result, "vkAllocateMemory", need.size, kind, error)) {
    buffer->memory = VK_NULL_HANDLE;
    return false;
  }
  buffer->allocated = need.size;
  vk->base.memory_used += need.size;
  if (vk->base.memory_used > vk->base.memory_peak) vk->base.memory_peak = vk->base.memory_used;
  result = vkBindBufferMemory(vk->device, buffer->buffer, buffer->memory, 0);
  return check(vk, result, "vkBindBufferMemory", need.size, kind, error);
}

static gt_buffer *create(gt_vulkan *vk, uint64_t size, gt_buffer_kind kind, gt_error *error) {
  gt_buffer *buffer = gt_alloc(sizeof *buffer);
  /* Padded, because Vulkan has no empty buffers, and kernels read whole words of a packed array of bytes. */
  buffer->size = (size + 31) / 16 * 16;
  const uint32_t families[2] = {vk->family, vk->feeder.family};
  const bool shared = kind == GT_BUFFER_FED && families[0] != families[1];
  const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = buffer->size,
      .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
      .queueFamilyIndexCount = shared ? 2 : 0,
      .pQueueFamilyIndices = families,
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  if (size > UINT64_MAX / 2 || (vk->base.max_allocation && buffer->size > vk->base.max_allocation)) {
    fail_allocation_limit(vk, size, error);
    goto fail;
  }
  VkResult result = vkCreateBuffer(vk->device, &info, NULL, &buffer->buffer);
  if (!check(vk, result, "vkCreateBuffer", size, kind, error)) {
    buffer->buffer = VK_NULL_HANDLE;
    goto fail;
  }
  if (!allocate(vk, buffer, kind, error)) goto fail;
  const VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                             .buffer = buffer->buffer};
  buffer->address = vkGetBufferDeviceAddress(vk->device, &address);
  if (kind != GT_BUFFER_HOST) return buffer;
  result = vkMapMemory(vk->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped);
  if (!check(vk, result, "vkMapMemory", size, kind, error)) goto fail;
  memset(buffer->mapped, 0, buffer->size);
  return buffer;
fail:
  gt_vulkan_buffer_destroy(&vk->base, buffer);
  return NULL;
}

/* Waits until the next staging slot is free and begins its command buffer with a barrier after all earlier
 * work. *offset: its position in the staging buffer. */
static gt_slot *begin_slot(gt_vulkan *vk, uint64_t *offset, gt_error *error) {
  gt_slot *slot = &vk->slot[vk->next_slot];
  *offset = (uint64_t)vk->next_slot * SLOT_BYTES;
  vk->next_slot = (vk->next_slot + 1) % GT_STAGING_SLOTS;
  if (!gt_vulkan_wait(&vk->base, slot->ticket, error)) return NULL;
  if (!gt_vulkan_begin(slot->commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, error)) return NULL;
  gt_vulkan_barrier(slot->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                    VK_PIPELINE_STAGE_TRANSFER_BIT);
  return slot;
}

static bool end_slot(gt_vulkan *vk, gt_slot *slot, gt_error *error) {
  gt_vulkan_barrier(slot->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT |
                        VK_PIPELINE_STAGE_HOST_BIT);
  if (!VK(vkEndCommandBuffer(slot->commands))) return false;
  if (!gt_vulkan_submit(vk, &slot->commands, 1, error)) return false;
  slot->ticket = vk->ticket;
  return true;
}

gt_buffer *gt_vulkan_buffer_create(gt_backend *backend, uint64_t size, gt_buffer_kind kind, gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  gt_buffer *buffer = create(vk, size, kind, error);
  uint64_t unused;
  if (!buffer || kind == GT_BUFFER_HOST) return buffer;
  gt_slot *slot = begin_slot(vk, &unused, error);
  if (slot) vkCmdFillBuffer(slot->commands, buffer->buffer, 0, VK_WHOLE_SIZE, 0);
  if (slot && end_slot(vk, slot, error)) {
    if (kind == GT_BUFFER_FED) buffer->zeroed = slot->ticket;
    return buffer;
  }
  gt_vulkan_buffer_destroy(backend, buffer);
  return NULL;
}

void gt_vulkan_buffer_destroy(gt_backend *backend, gt_buffer *buffer) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  if (!buffer) return;
  if (gt_vulkan_idle(vk)) {
    vkDestroyBuffer(vk->device, buffer->buffer, NULL);
    vkFreeMemory(vk->device, buffer->memory, NULL); /* unmaps it */
  }
  vk->base.memory_used -= buffer->allocated;
  free(buffer);
}

void *gt_vulkan_buffer_map(gt_backend *backend, gt_buffer *buffer) {
  (void)backend;
  return buffer->mapped;
}

bool gt_vulkan_in_range(const gt_buffer *buffer, uint64_t offset, uint64_t size, gt_error *error) {
  if (offset <= buffer->size && size <= buffer->size - offset) return true;
  return gt_fail(error, GT_ERR_INTERNAL, "copy of %llu bytes at %llu is outside a buffer of %llu bytes",
                 (unsigned long long)size, (unsigned long long)offset, (unsigned long long)buffer->size);
}

bool gt_vulkan_upload(gt_backend *backend, gt_buffer *buffer, uint64_t offset, const void *data,
                      uint64_t size, gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  if (!gt_vulkan_in_range(buffer, offset, size, error)) return false;
  for (uint64_t done = 0; done < size;) {
    uint64_t piece = size - done < SLOT_BYTES ? size - done : SLOT_BYTES, slot_offset;
    gt_slot *slot = begin_slot(vk, &slot_offset, error);
    if (!slot) return false;
    memcpy((uint8_t *)vk->staging->mapped + slot_offset, (const uint8_t *)data + done, piece);
    const VkBufferCopy copy = {.srcOffset = slot_offset, .dstOffset = offset + done, .size = piece};
    vkCmdCopyBuffer(slot->commands, vk->staging->buffer, buffer->buffer, 1, &copy);
    if (!end_slot(vk, slot, error)) return false;
    done += piece;
  }
  return true;
}

/* Copies into the slots of half the ring are in flight while the host reads an earlier slot. */
bool gt_vulkan_download(gt_backend *backend, gt_buffer *buffer, uint64_t offset, void *data, uint64_t size,
                        gt_error *error) {
  gt_vulkan *vk = (gt_vulkan *)backend;
  const uint64_t pieces = gt_ceil_div(size, SLOT_BYTES), ahead = GT_STAGING_SLOTS / 2;
  uint64_t ticket[GT_STAGING_SLOTS], place[GT_STAGING_SLOTS];
  if (!gt_vulkan_in_range(buffer, offset, size, error)) return false;
  for (uint64_t i = 0; i < pieces + ahead; i++) {
    if (i < pieces) {
      uint64_t from = i * SLOT_BYTES, piece = size - from < SLOT_BYTES ? size - from : SLOT_BYTES;
      gt_slot *slot = begin_slot(vk, &place[i % GT_STAGING_SLOTS], error);
      if (!slot) return false;
      const VkBufferCopy copy = {
          .srcOffset = offset + from, .dstOffset = place[i % GT_STAGING_SLOTS], .size = piece};
      vkCmdCopyBuffer(slot->commands, buffer->buffer, vk->staging->buffer, 1, &copy);
      if (!end_slot(vk, slot, error)) return false;
      ticket[i % GT_STAGING_SLOTS] = vk->ticket;
    }
    if (i < ahead || i - ahead >= pieces) continue;
    uint64_t k = i - ahead, from = k * SLOT_BYTES,
             piece = size - from < SLOT_BYTES ? size - from : SLOT_BYTES;
    if (!gt_vulkan_wait(backend, ticket[k % GT_STAGING_SLOTS], error)) return false;
    memcpy((uint8_t *)data + from, (uint8_t *)vk->staging->mapped + place[k % GT_STAGING_SLOTS], piece);
  }
  return true;
}

bool gt_vulkan_staging_init(gt_vulkan *vk, gt_error *error) {
  vk->staging = create(vk, (uint64_t)GT_STAGING_SLOTS * SLOT_BYTES, GT_BUFFER_HOST, error);
  if (!vk->staging) return false;
  /* The ring is host memory and does not count as device memory used. */
  vk->base.memory_used -= vk->staging->allocated;
  vk->base.memory_peak = vk->base.memory_used;
  vk->staging->allocated = 0;
  VkCommandBuffer commands[GT_STAGING_SLOTS];
  if (!gt_vulkan_commands(vk, commands, GT_STAGING_SLOTS, error)) return false;
  for (int i = 0; i < GT_STAGING_SLOTS; i++) vk->slot[i].commands = commands[i];
  return true;
}

void gt_vulkan_staging_finish(gt_vulkan *vk) {
  gt_vulkan_buffer_destroy(&vk->base, vk->staging);
  vk->staging = NULL;
}
