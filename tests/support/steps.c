#include "support/steps.h"
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gt_backend *steps_open_vulkan(void) {
  gt_device_info device[8];
  gt_error error = {0};
  setenv("GTRAIN_DEBUG", "validation", 0);
  gt_backend *backend = gt_vulkan_open(0, &error);
  if (!backend && strstr(error.message, "not installed")) {
    fprintf(stderr, "without validation: %s\n", error.message);
    unsetenv("GTRAIN_DEBUG");
    error = (gt_error){0};
    backend = gt_vulkan_open(0, &error);
  }
  if (!backend) fprintf(stderr, "no Vulkan device: %s\n", error.message);
  if (!backend) assert_int_equal(gt_vulkan_list(device, 8, &error) > 0 && device[0].usable, 0);
  return backend;
}

void steps_init(steps *s, gt_backend *backend) {
  memset(s, 0, sizeof *s);
  s->backend = backend;
  s->plan.graph = &s->graph;
  s->plan.step = s->step;
  s->plan.constants = "";
}

void steps_finish(steps *s) {
  for (int i = 0; i < s->buffers; i++) s->backend->api->buffer_destroy(s->backend, s->buffer[i]);
}

int steps_buffer(steps *s, const void *data, uint64_t count) {
  gt_error error = {0};
  int i = s->buffers++;
  assert_in_range(i, 0, STEPS_BUFFERS - 1);
  s->size[i] = 4 * count;
  s->buffer[i] = s->backend->api->buffer_create(s->backend, 4 * count, GT_BUFFER_DEVICE, &error);
  assert_string_equal(error.message, "");
  if (data) assert_true(s->backend->api->upload(s->backend, s->buffer[i], 0, data, 4 * count, &error));
  s->graph.variables = (uint32_t)s->buffers;
  return i;
}

gt_step *steps_add(steps *s, const char *kernel, const void *args, size_t size, uint32_t local,
                   uint32_t grid) {
  uint32_t i = s->plan.steps++;
  assert_in_range(i, 0, STEPS_MAX - 1);
  gt_step *step = &s->step[i];
  memset(step, 0, sizeof *step);
  s->kernel[i].name = kernel;
  step->kernel = &s->kernel[i];
  memcpy(step->args, args, size);
  step->args_size = (uint32_t)size;
  step->spec[GT_SPEC_LOCAL_X] = local;
  step->spec[GT_SPEC_LOCAL_Y] = step->spec[GT_SPEC_LOCAL_Z] = 1;
  step->grid[0] = grid;
  step->grid[1] = step->grid[2] = 1;
  step->access = s->access[i];
  step->barrier = true;
  return step;
}

void steps_bind(steps *s, size_t argument, int buffer, uint64_t first) {
  gt_step *step = &s->step[s->plan.steps - 1];
  assert_in_range(step->accesses, 0, STEPS_ACCESSES - 1);
  step->access[step->accesses++] = (gt_access){.argument = (uint32_t)argument,
                                               .buffer = GT_PLAN_VARIABLE + (uint32_t)buffer,
                                               .offset = 4 * first,
                                               .bytes = s->size[buffer] - 4 * first,
                                               .read = true,
                                               .write = true};
}

void steps_run(steps *s, uint32_t times) {
  const gt_backend_api *api = s->backend->api;
  gt_error error = {0};
  uint64_t ticket = 0;
  gt_executable *executable = api->compile(s->backend, &s->plan, s->buffer, &error);
  assert_string_equal(error.message, "");
  assert_non_null(executable);
  assert_true(api->run(s->backend, executable, times, &ticket, &error));
  assert_true(api->wait(s->backend, ticket, &error));
  api->executable_destroy(s->backend, executable);
}

void steps_read(steps *s, int buffer, void *out, uint64_t count) {
  gt_error error = {0};
  assert_true(s->backend->api->download(s->backend, s->buffer[buffer], 0, out, 4 * count, &error));
}
