/* The device buffers of the graphs' variables, by name: a variable that several plans declare ("parameters")
 * has one buffer, which is created and zeroed when a plan first binds it. Owner: the run, which finishes them
 * before it closes the backend. */
#ifndef GT_STORE_BUFFERS_H
#define GT_STORE_BUFFERS_H
#include "backend/backend.h"

typedef struct gt_named_buffer {
  const char *name;
  gt_buffer *buffer;
  uint64_t bytes;
  bool host; /* gt_variable.host_visible */
} gt_named_buffer;

typedef struct gt_buffers {
  gt_backend *backend;
  gt_arena *arena; /* of the names */
  gt_named_buffer *items;
  size_t count, capacity;
} gt_buffers;

void gt_buffers_init(gt_buffers *buffers, gt_backend *backend, gt_arena *arena);
void gt_buffers_finish(gt_buffers *buffers); /* accepts a zeroed struct */
/* Destroys all buffers except those whose names begin with `prefix`. */
void gt_buffers_drop_others(gt_buffers *buffers, const char *prefix);
/* Destroys the buffers whose names begin with `prefix`. */
void gt_buffers_drop(gt_buffers *buffers, const char *prefix);
/* Compiles a plan and binds its variables to their buffers. NULL on failure. */
gt_executable *gt_buffers_compile(gt_buffers *buffers, const gt_plan *plan, gt_error *error);
gt_named_buffer *gt_buffers_find(gt_buffers *buffers, const char *name); /* NULL if no plan declared it */
/* Copy `size` bytes at byte `offset` of a buffer that exists. */
bool gt_buffers_upload(gt_buffers *buffers, const char *name, uint64_t offset, const void *data,
                       uint64_t size, gt_error *error);
bool gt_buffers_download(gt_buffers *buffers, const char *name, uint64_t offset, void *data, uint64_t size,
                         gt_error *error);
#endif
