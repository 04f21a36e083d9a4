#include "store/buffers.h"
#include "base/memory.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

void gt_buffers_init(gt_buffers *buffers, gt_backend *backend, gt_arena *arena) {
  *buffers = (gt_buffers){.backend = backend, .arena = arena};
}

void gt_buffers_finish(gt_buffers *buffers) {
  for (size_t i = 0; i < buffers->count; i++)
    buffers->backend->api->buffer_destroy(buffers->backend, buffers->items[i].buffer);
  free(buffers->items);
  *buffers = (gt_buffers){0};
}

/* Destroys the buffers whose names begin with `prefix`, or with matches false all others. */
static void destroy_where(gt_buffers *buffers, const char *prefix, bool matches) {
  size_t kept = 0;
  for (size_t i = 0; i < buffers->count; i++)
    if (!strncmp(buffers->items[i].name, prefix, strlen(prefix)) != matches)
      buffers->items[kept++] = buffers->items[i];
    else
      buffers->backend->api->buffer_destroy(buffers->backend, buffers->items[i].buffer);
  buffers->count = kept;
}

void gt_buffers_drop_others(gt_buffers *buffers, const char *prefix) {
  destroy_where(buffers, prefix, false);
}
void gt_buffers_drop(gt_buffers *buffers, const char *prefix) { destroy_where(buffers, prefix, true); }

gt_named_buffer *gt_buffers_find(gt_buffers *buffers, const char *name) {
  for (size_t i = 0; i < buffers->count; i++)
    if (!strcmp(buffers->items[i].name, name)) return &buffers->items[i];
  return NULL;
}

/* Returns the variable's buffer; creates it if there is none. */
static gt_buffer *bind(gt_buffers *buffers, const gt_variable *variable, uint64_t bytes, gt_error *error) {
  const char *name = variable->name;
  gt_named_buffer *found = gt_buffers_find(buffers, name);
  if (found) {
    assert(found->bytes >= bytes);
    return found->buffer;
  }
  const gt_buffer_kind kind = variable->host_visible ? GT_BUFFER_HOST
                              : variable->streamed   ? GT_BUFFER_FED
                                                     : GT_BUFFER_DEVICE;
  gt_buffer *buffer = buffers->backend->api->buffer_create(buffers->backend, bytes, kind, error);
  if (!buffer) return NULL;
  *GT_PUSH(buffers) =
      (gt_named_buffer){gt_arena_strdup(buffers->arena, name), buffer, bytes, variable->host_visible};
  return buffer;
}

gt_executable *gt_buffers_compile(gt_buffers *buffers, const gt_plan *plan, gt_error *error) {
  const gt_graph *graph = plan->graph;
  gt_executable *executable = NULL;
  gt_buffer **bound = gt_alloc((graph->variables + 1) * sizeof *bound);
  for (uint32_t v = 0; v < graph->variables; v++) {
    bound[v] = bind(buffers, &graph->variable[v], plan->variable_bytes[v], error);
    if (!bound[v]) goto done;
  }
  executable = buffers->backend->api->compile(buffers->backend, plan, bound, error);
done:
  free(bound);
  return executable;
}

bool gt_buffers_upload(gt_buffers *buffers, const char *name, uint64_t offset, const void *data,
                       uint64_t size, gt_error *error) {
  gt_named_buffer *found = gt_buffers_find(buffers, name);
  assert(found && offset + size <= found->bytes);
  return buffers->backend->api->upload(buffers->backend, found->buffer, offset, data, size, error);
}

bool gt_buffers_download(gt_buffers *buffers, const char *name, uint64_t offset, void *data, uint64_t size,
                         gt_error *error) {
  gt_named_buffer *found = gt_buffers_find(buffers, name);
  assert(found && offset + size <= found->bytes);
  return buffers->backend->api->download(buffers->backend, found->buffer, offset, data, size, error);
}
