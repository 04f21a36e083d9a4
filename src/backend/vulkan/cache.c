/* The driver's pipeline cache on disk (gt_cache_path): one file per device, driver version and
 * pipelineCacheUUID, with our own header and checksum, because some drivers do not validate their input. */
#include "backend/vulkan/internal.h"
#include "base/file.h"
#include "base/fingerprint.h"
#include "base/log.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cache_header {
  char magic[8];
  uint64_t size, hash; /* of the data after the header */
} cache_header;

enum { MAX_FILE_BYTES = 64 << 20 };
static const char magic[8] = "gtcache2";

void gt_vulkan_cache_name(const VkPhysicalDeviceProperties *p, char *name, size_t size) {
  size_t length =
      (size_t)snprintf(name, size, "vulkan-%04x-%04x-%08x-", p->vendorID, p->deviceID, p->driverVersion);
  for (size_t i = 0; i < VK_UUID_SIZE; i++)
    length += (size_t)snprintf(name + length, size - length, "%02x", p->pipelineCacheUUID[i]);
  snprintf(name + length, size - length, ".cache");
}

static char *cache_path(const gt_vulkan *vk) {
  char name[128];
  gt_vulkan_cache_name(&vk->properties, name, sizeof name);
  return gt_cache_path(name);
}

static void debug_warn(const char *what, const char *detail) {
  if (gt_debug("cache")) gt_warn("pipeline cache %s: %s", what, detail);
}

/* The driver's data inside the file; NULL if the file is damaged or has another format. */
static const void *cache_contents(const gt_bytes *file, size_t *size) {
  cache_header header;
  if (file->size < sizeof header) return NULL;
  memcpy(&header, file->data, sizeof header);
  if (memcmp(header.magic, magic, sizeof magic) || header.size != file->size - sizeof header) return NULL;
  const uint8_t *contents = file->data + sizeof header;
  if (gt_fingerprint(0, contents, header.size) != header.hash) return NULL;
  *size = header.size;
  return contents;
}

void gt_vulkan_cache_load(gt_vulkan *vk) {
  gt_bytes file = {0};
  gt_error error = {0};
  VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  vk->cache_path = cache_path(vk);
  if (vk->cache_path) gt_remove_leftovers(vk->cache_path);
  if (vk->cache_path && gt_file_exists(vk->cache_path)) {
    if (!gt_read_plain_file(vk->cache_path, MAX_FILE_BYTES, &file, &error))
      debug_warn("not read", error.message);
    else if (!(info.pInitialData = cache_contents(&file, &info.initialDataSize)))
      debug_warn("ignored: damaged", vk->cache_path);
  }
  if (vkCreatePipelineCache(vk->device, &info, NULL, &vk->cache) != VK_SUCCESS) {
    info.initialDataSize = 0;
    info.pInitialData = NULL;
    if (vkCreatePipelineCache(vk->device, &info, NULL, &vk->cache) != VK_SUCCESS) vk->cache = VK_NULL_HANDLE;
  }
  if (!vk->cache || vkGetPipelineCacheData(vk->device, vk->cache, &vk->cache_size, NULL) != VK_SUCCESS)
    vk->cache_size = 0;
  gt_bytes_finish(&file);
}

void gt_vulkan_cache_save(gt_vulkan *vk) {
  cache_header header = {.size = 0};
  gt_error error = {0};
  size_t size = 0;
  void *data = NULL;
  if (!vk->cache_path || !vk->cache || vk->lost) return;
  if (vkGetPipelineCacheData(vk->device, vk->cache, &size, NULL) != VK_SUCCESS) return;
  if (size <= vk->cache_size || size > MAX_FILE_BYTES - sizeof header) return;
  data = gt_alloc(size);
  if (vkGetPipelineCacheData(vk->device, vk->cache, &size, data) == VK_SUCCESS) {
    memcpy(header.magic, magic, sizeof magic);
    header.size = size;
    header.hash = gt_fingerprint(0, data, size);
    const gt_span piece[2] = {{&header, sizeof header}, {data, size}};
    if (gt_make_folder_of(vk->cache_path, &error) && gt_write_file_atomic(vk->cache_path, piece, 2, &error))
      vk->cache_size = size;
    else
      debug_warn("not written", error.message);
  }
  free(data);
}
