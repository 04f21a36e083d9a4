/* Functions of gt_backend_api for backends that run on the host: buffers in plain host memory, and runs that
 * are complete when they return; a run's ticket is the next host_ticket. */
#ifndef GT_BACKEND_HOST_MEMORY_H
#define GT_BACKEND_HOST_MEMORY_H
#include "backend/backend.h"

struct gt_buffer {
  uint8_t *data;
  uint64_t size;
};

/* Allocates zeroed memory and adds `size` to memory_used; the owner releases it with free() and subtracts the
 * size. `what` names it in the error message. */
bool gt_host_alloc(gt_backend *backend, void **out, uint64_t size, const char *what, gt_error *error);
gt_buffer *gt_host_buffer_create(gt_backend *backend, uint64_t size, gt_buffer_kind kind, gt_error *error);
void gt_host_buffer_destroy(gt_backend *backend, gt_buffer *buffer);
void *gt_host_buffer_map(gt_backend *backend, gt_buffer *buffer);
bool gt_host_upload(gt_backend *backend, gt_buffer *buffer, uint64_t offset, const void *data, uint64_t size,
                    gt_error *error);
bool gt_host_feed(gt_backend *backend, gt_buffer *from, const gt_copy *copy, int copies, uint64_t after,
                  gt_error *error);
bool gt_host_feed_wait(gt_backend *backend, gt_error *error);
bool gt_host_download(gt_backend *backend, gt_buffer *buffer, uint64_t offset, void *data, uint64_t size,
                      gt_error *error);
bool gt_host_wait(gt_backend *backend, uint64_t ticket, gt_error *error);
bool gt_host_completed(gt_backend *backend, uint64_t *ticket, gt_error *error);
void gt_host_compile_ahead(gt_backend *backend, const gt_plan *const *plan, int plans);

/* The initializers of these functions in a gt_backend_api. */
#define GT_HOST_FUNCTIONS                                                             \
  .buffer_create = gt_host_buffer_create, .buffer_destroy = gt_host_buffer_destroy,   \
  .buffer_map = gt_host_buffer_map, .upload = gt_host_upload, .feed = gt_host_feed,   \
  .feed_wait = gt_host_feed_wait, .download = gt_host_download, .wait = gt_host_wait, \
  .completed = gt_host_completed, .compile_ahead = gt_host_compile_ahead
#endif
