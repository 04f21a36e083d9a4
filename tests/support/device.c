#include "support/device.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_VARIABLES = 16 };

gt_backend *device;
static bool software;

int open_device(void **state) {
  (void)state;
  gt_error error = {0};
  device = gt_vulkan_open(0, &error);
  if (!device) fprintf(stderr, "no Vulkan device: %s\n", error.message);
  return 0;
}

int close_device(void **state) {
  (void)state;
  gt_backend_close(device);
  return 0;
}

bool has_device(void) {
  gt_device_info info[8];
  const bool usable = gt_vulkan_list(info, 8, &(gt_error){0}) >= 1 && info[0].usable;
  software = usable && !strcmp(info[0].type, "software");
  if (!usable) puts("no Vulkan device");
  return usable;
}

bool is_software(void) { return software; }

bool is_left_out(uint32_t number, uint32_t interval) { return number % interval && is_software(); }

bool are_emulated_units_left_out(void) {
  const bool is_left_out = software && !getenv("CHECK_ALL");
  if (is_left_out) puts("emulated matrix units: left to make check-vulkan");
  return is_left_out;
}

int device_in_modes(const device_mode *mode, size_t modes, gt_precision *precision,
                    int (*group)(const char *name)) {
  int failed = 0;
  size_t modes_run = 0;
  if (!has_device()) return 77;
  for (size_t i = 0; i < modes; i++) {
    const bool uses_matrix_units =
        mode[i].precision != GT_PRECISION_SCALAR && strstr(mode[i].debug, "matrix");
    if (uses_matrix_units && !mode[i].always && are_emulated_units_left_out()) continue;
    modes_run++;
    setenv("GTRAIN_DEBUG", mode[i].debug, 1);
    *precision = mode[i].precision;
    failed += group(mode[i].name);
  }
  return modes_run ? failed : 77;
}

static size_t bytes_of(const gt_variable *variable) {
  return (size_t)gt_shape_count(variable->shape) * gt_dtype_size(variable->dtype);
}

const gt_plan *device_plan(gt_arena *arena, const gt_graph *g, gt_plan_options options) {
  const uint32_t multiprocessors = options.target.units;
  gt_error error = {0};
  options.target = device->target;
  if (multiprocessors) options.target.units = multiprocessors;
  const gt_plan *plan = gt_plan_create(arena, g, &options, &error);
  if (!plan) fail_msg("%s", error.message);
  return plan;
}

void device_run(const gt_plan *plan, const gt_graph *g, uint32_t times, float *const *value) {
  const gt_backend_api *api = device->api;
  gt_error error = {0};
  gt_buffer *buffer[MAX_VARIABLES];
  uint64_t ticket;
  assert_true(g->variables <= MAX_VARIABLES);
  for (uint32_t v = 0; v < g->variables; v++) {
    buffer[v] = api->buffer_create(device, plan->variable_bytes[v], GT_BUFFER_DEVICE, &error);
    assert_non_null(buffer[v]);
    assert_true(api->upload(device, buffer[v], 0, value[v], bytes_of(&g->variable[v]), &error));
  }
  gt_executable *executable = api->compile(device, plan, buffer, &error);
  assert_non_null(executable);
  assert_true(api->run(device, executable, times, &ticket, &error) && api->wait(device, ticket, &error));
  for (uint32_t v = 0; v < g->variables; v++)
    assert_true(api->download(device, buffer[v], 0, value[v], bytes_of(&g->variable[v]), &error));
  api->executable_destroy(device, executable);
  for (uint32_t v = 0; v < g->variables; v++) api->buffer_destroy(device, buffer[v]);
}
