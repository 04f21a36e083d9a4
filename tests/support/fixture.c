#include "support/fixture.h"
#include "op/core.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_VARIABLES = 16 };

int fixture_setup(void **state) {
  static fixture f;
  gt_error error = {0};
  gt_arena_init(&f.arena);
  f.graph = gt_graph_create(&f.arena);
  f.backend = gt_cpu_open(1, &error);
  *state = &f;
  return f.backend ? 0 : -1;
}

int fixture_teardown(void **state) {
  fixture *f = *state;
  gt_backend_close(f->backend);
  gt_arena_finish(&f->arena);
  return 0;
}

gt_id fixture_variable(fixture *f, const char *name, gt_shape shape) {
  return gt_variable_read(f->graph, gt_graph_variable(f->graph, name, shape, GT_F32, false));
}

gt_id fixture_assign(gt_graph *graph, const char *name, gt_id value) {
  const gt_shape shape = gt_node_at(graph, value)->shape;
  return gt_assign(graph, gt_graph_variable(graph, name, shape, GT_F32, false), 0, value);
}

gt_id fixture_keep(fixture *f, const char *name, gt_id value) {
  return fixture_assign(f->graph, name, value);
}

gt_plan *fixture_plan(fixture *f, const gt_plan_options *options) {
  gt_error error = {0};
  gt_plan *plan = gt_plan_create(&f->arena, f->graph, options, &error);
  if (!plan) fail_msg("%s", error.message);
  return plan;
}

const gt_target fixture_fast_gpu = {.device = true,
                                    .subgroup = 32,
                                    .max_workgroup = 1024,
                                    .shared_bytes = 48 << 10,
                                    .units = 132,
                                    .max_grid = 65535,
                                    .matrix = {.half = {16, 16, 16}, .bfloat = {16, 16, 16}, .fast = true}};

gt_plan *fixture_plan_for(fixture *f, bool device, bool no_fusion) {
  const gt_target gpu = {.device = true,
                         .subgroup = 32,
                         .max_workgroup = 1024,
                         .shared_bytes = 48 << 10,
                         .units = 16,
                         .max_grid = 65535};
  const gt_target cpu = {.subgroup = 1, .max_workgroup = 1, .units = 1, .max_grid = UINT32_MAX};
  return fixture_plan(f, &(gt_plan_options){.target = device ? gpu : cpu, .no_fusion = no_fusion});
}

const gt_step *fixture_step(const gt_plan *plan, const char *kernel) {
  for (uint32_t s = 0; s < plan->steps; s++)
    if (!strcmp(plan->step[s].kernel->name, kernel)) return &plan->step[s];
  fail_msg("no step runs %s", kernel);
  return NULL;
}

void fixture_run(fixture *f, const gt_plan *plan, float (*fill)(uint32_t v, int64_t i), uint32_t times,
                 uint32_t read, float *out) {
  gt_error error = {0};
  gt_buffer *buffer[MAX_VARIABLES];
  uint64_t ticket;
  const gt_backend_api *api = f->backend->api;
  assert_in_range(f->graph->variables, 1, MAX_VARIABLES);
  for (uint32_t v = 0; v < f->graph->variables; v++) {
    buffer[v] = api->buffer_create(f->backend, plan->variable_bytes[v], GT_BUFFER_DEVICE, &error);
    float *map = api->buffer_map(f->backend, buffer[v]);
    for (int64_t i = 0; i < gt_shape_count(f->graph->variable[v].shape); i++) map[i] = fill(v, i);
  }
  gt_executable *executable = api->compile(f->backend, plan, buffer, &error);
  assert_non_null(executable);
  assert_true(api->run(f->backend, executable, times, &ticket, &error));
  memcpy(out, api->buffer_map(f->backend, buffer[read]),
         sizeof *out * (size_t)gt_shape_count(f->graph->variable[read].shape));
  api->executable_destroy(f->backend, executable);
  for (uint32_t v = 0; v < f->graph->variables; v++) api->buffer_destroy(f->backend, buffer[v]);
}
