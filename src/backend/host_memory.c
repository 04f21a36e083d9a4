#include "backend/host_memory.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

bool gt_host_alloc(gt_backend *backend, void **out, uint64_t size, const char *what, gt_error *error) {
  if (!gt_try_alloc(out, size + 64, 1, what, error)) return false;
  backend->memory_used += size;
  if (backend->memory_used > backend->memory_peak) backend->memory_peak = backend->memory_used;
  return true;
}

gt_buffer *gt_host_buffer_create(gt_backend *backend, uint64_t size, gt_buffer_kind kind, gt_error *error) {
  (void)kind;
  void *data;
  if (!gt_host_alloc(backend, &data, size, "a buffer", error)) return NULL;
  gt_buffer *buffer = gt_alloc(sizeof *buffer);
  *buffer = (gt_buffer){data, size};
  return buffer;
}

void gt_host_buffer_destroy(gt_backend *backend, gt_buffer *buffer) {
  if (!buffer) return;
  backend->memory_used -= buffer->size;
  free(buffer->data);
  free(buffer);
}

void *gt_host_buffer_map(gt_backend *backend, gt_buffer *buffer) {
  (void)backend;
  return buffer->data;
}

static bool in_range(const gt_buffer *buffer, uint64_t offset, uint64_t size, gt_error *error) {
  return (offset <= buffer->size && size <= buffer->size - offset) ||
         gt_fail(error, GT_ERR_INTERNAL, "copy of %llu bytes at %llu in a buffer of %llu",
                 (unsigned long long)size, (unsigned long long)offset, (unsigned long long)buffer->size);
}

bool gt_host_upload(gt_backend *backend, gt_buffer *buffer, uint64_t offset, const void *data, uint64_t size,
                    gt_error *error) {
  (void)backend;
  if (!in_range(buffer, offset, size, error)) return false;
  if (size) memcpy(buffer->data + offset, data, size);
  return true;
}

bool gt_host_feed(gt_backend *backend, gt_buffer *from, const gt_copy *copy, int copies, uint64_t after,
                  gt_error *error) {
  (void)after;
  for (int i = 0; i < copies; i++)
    if (!gt_host_upload(backend, copy[i].to, copy[i].to_offset, from->data + copy[i].from_offset,
                        copy[i].size, error))
      return false;
  return true;
}

bool gt_host_feed_wait(gt_backend *backend, gt_error *error) {
  (void)backend, (void)error;
  return true;
}

bool gt_host_wait(gt_backend *backend, uint64_t ticket, gt_error *error) {
  (void)backend, (void)ticket, (void)error;
  return true;
}

bool gt_host_completed(gt_backend *backend, uint64_t *ticket, gt_error *error) {
  (void)error;
  *ticket = backend->host_ticket;
  return true;
}

void gt_host_compile_ahead(gt_backend *backend, const gt_plan *const *plan, int plans) {
  (void)backend, (void)plan, (void)plans; /* kernels of the host are compiled already */
}

bool gt_host_download(gt_backend *backend, gt_buffer *buffer, uint64_t offset, void *data, uint64_t size,
                      gt_error *error) {
  (void)backend;
  if (!in_range(buffer, offset, size, error)) return false;
  if (size) memcpy(data, buffer->data + offset, size);
  return true;
}
