/* The null backend: accepts all plans and computes nothing, to test graphs, plans and the training loop
 * alone. */
#include "backend/backend.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gt_buffer {
  uint64_t size;
  uint8_t data[];
};

struct gt_executable {
  const gt_plan *plan;
};

typedef struct null_backend {
  gt_backend base;
  uint64_t ticket;
} null_backend;

static gt_buffer *buffer_create(gt_backend *backend, uint64_t size, gt_buffer_kind kind, gt_error *error) {
  (void)backend, (void)kind;
  void *memory;
  if (!gt_try_alloc(&memory, size + sizeof(gt_buffer), 1, "a buffer", error)) return NULL;
  gt_buffer *buffer = memory;
  buffer->size = size;
  return buffer;
}

static void buffer_destroy(gt_backend *backend, gt_buffer *buffer) {
  (void)backend;
  free(buffer);
}

static void *buffer_map(gt_backend *backend, gt_buffer *buffer) {
  (void)backend;
  return buffer->data;
}

static bool upload(gt_backend *backend, gt_buffer *buffer, uint64_t offset, const void *data, uint64_t size,
                   gt_error *error) {
  (void)backend, (void)error;
  if (size) memcpy(buffer->data + offset, data, size);
  return true;
}

static bool feed(gt_backend *backend, gt_buffer *from, const gt_copy *copy, int copies, uint64_t after,
                 gt_error *error) {
  (void)after;
  for (int i = 0; i < copies; i++)
    if (!upload(backend, copy[i].to, copy[i].to_offset, from->data + copy[i].from_offset, copy[i].size,
                error))
      return false;
  return true;
}

static bool feed_wait(gt_backend *backend, gt_error *error) {
  (void)backend, (void)error;
  return true;
}

static bool download(gt_backend *backend, gt_buffer *buffer, uint64_t offset, void *data, uint64_t size,
                     gt_error *error) {
  (void)backend, (void)error;
  if (size) memcpy(data, buffer->data + offset, size);
  return true;
}

static gt_executable *compile(gt_backend *backend, const gt_plan *plan, gt_buffer *const *variables,
                              gt_error *error) {
  (void)backend, (void)variables, (void)error;
  gt_executable *exe = gt_alloc(sizeof *exe);
  exe->plan = plan;
  return exe;
}

static gt_executable *sequence(gt_backend *backend, gt_executable *const *part, const uint32_t *times,
                               int parts, gt_error *error) {
  (void)backend, (void)part, (void)times, (void)parts, (void)error;
  return gt_alloc(sizeof(gt_executable));
}

static void executable_destroy(gt_backend *backend, gt_executable *exe) {
  (void)backend;
  free(exe);
}

static bool run(gt_backend *backend, gt_executable *exe, uint32_t times, uint64_t *ticket, gt_error *error) {
  (void)exe, (void)times, (void)error;
  *ticket = ++((null_backend *)backend)->ticket;
  return true;
}

static bool wait_for(gt_backend *backend, uint64_t ticket, gt_error *error) {
  (void)backend, (void)ticket, (void)error;
  return true;
}

static bool completed(gt_backend *backend, uint64_t *ticket, gt_error *error) {
  (void)error;
  *ticket = ((null_backend *)backend)->ticket;
  return true;
}

static bool profile(gt_backend *backend, gt_executable *exe, double *microseconds, gt_error *error) {
  (void)backend, (void)error;
  for (uint32_t s = 0; s < exe->plan->steps; s++) microseconds[s] = 0;
  return true;
}

static bool inspect(gt_backend *backend, gt_executable *exe, const gt_access *access, void *out,
                    gt_error *error) {
  (void)backend, (void)exe, (void)error;
  memset(out, 0, access->bytes);
  return true;
}

static void close_null(gt_backend *backend) { free(backend); }

static const gt_backend_api api = {
    .close = close_null,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .buffer_map = buffer_map,
    .upload = upload,
    .feed = feed,
    .feed_wait = feed_wait,
    .download = download,
    .compile = compile,
    .sequence = sequence,
    .executable_destroy = executable_destroy,
    .run = run,
    .wait = wait_for,
    .completed = completed,
    .profile = profile,
    .inspect = inspect,
};

gt_backend *gt_null_open(void) {
  null_backend *null = gt_alloc(sizeof *null);
  null->base.api = &api;
  null->base.target = (gt_target){.subgroup = 1, .max_workgroup = 1, .units = 1, .max_grid = UINT32_MAX};
  snprintf(null->base.name, sizeof null->base.name, "null");
  return &null->base;
}
