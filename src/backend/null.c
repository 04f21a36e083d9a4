/* The null backend: accepts all plans and computes nothing, to test graphs, plans and the training loop
 * without kernels. */
#include "backend/host_memory.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gt_executable {
  const gt_plan *plan;
};

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
  *ticket = ++backend->host_ticket;
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
    GT_HOST_FUNCTIONS,
    .compile = compile,
    .sequence = sequence,
    .executable_destroy = executable_destroy,
    .run = run,
    .profile = profile,
    .inspect = inspect,
};

gt_backend *gt_null_open(void) {
  gt_backend *null = gt_alloc(sizeof *null);
  null->api = &api;
  null->target = (gt_target){.subgroup = 1, .max_workgroup = 1, .units = 1, .max_grid = UINT32_MAX};
  snprintf(null->name, sizeof null->name, "null");
  return null;
}
