#include "support/layer.h"
#include "backend/backend.h"
#include "op/core.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void layer_build(layer_fixture *f, const char *layer, gt_shape shape) {
  layer_build_padded(f, layer, shape, NULL);
}

void layer_build_padded(layer_fixture *f, const char *layer, gt_shape shape, const int32_t *lengths) {
  memset(f, 0, sizeof *f);
  gt_arena_init(&f->arena);
  gt_diagnostics_init(&f->diagnostics, &f->arena);
  const char *text = gt_arena_printf(&f->arena, "model:\n  - %s\n", layer);
  const gt_spec *root = gt_spec_parse(&f->arena, "config.yaml", text, strlen(text), &f->diagnostics);
  f->graph = gt_graph_create(&f->arena);
  gt_model_input x = {"input",
                      gt_variable_read(f->graph, gt_graph_variable(f->graph, "x", shape, GT_F32, false))};
  f->lengths = lengths;
  const gt_id lengths_node =
      lengths ? gt_variable_read(
                    f->graph, gt_graph_variable(f->graph, "lengths", gt_shape_1(shape.dim[0]), GT_I32, false))
              : GT_NONE;
  if (lengths) x.lengths = &lengths_node;
  f->model = gt_model_build(&f->arena, f->graph, root, NULL, (gt_model_inputs){1, &x}, GT_NONE,
                            (gt_model_mode){.training = true}, &f->diagnostics);
  if (f->model) gt_state_dict_init(&f->dict, f->model->store, GT_WEIGHT_ROLES, 1);
}

void layer_build_good(layer_fixture *f, const char *layer, gt_shape shape) {
  layer_build(f, layer, shape);
  if (!f->model) gt_diagnostics_print(&f->diagnostics, stderr);
  assert_non_null(f->model);
}

void layer_finish(layer_fixture *f) {
  if (f->model) gt_state_dict_finish(&f->dict);
  gt_arena_finish(&f->arena);
}

static const char *full_name(const layer_fixture *f, const char *name, char full[64]) {
  snprintf(full, 64, "%s.%s", f->model->layer[0].name, name);
  return full;
}

float *layer_values(const layer_fixture *f, const char *name) {
  const gt_slot_values values = gt_state_dict_values(&f->dict);
  char full[64];
  float *found = values.find(&values, full_name(f, name, full));
  assert_non_null(found);
  return found;
}

gt_id layer_node(const layer_fixture *f, const char *name) {
  char full[64];
  const gt_slot *slot = gt_store_find(f->model->store, full_name(f, name, full));
  assert_non_null(slot);
  return f->model->node[slot->index];
}

/* The initial content of a variable of the graph; NULL if it has none. */
static const void *content_of(const layer_fixture *f, const char *variable, const float *x) {
  const gt_store *store = f->model->store;
  if (!strcmp(variable, "x")) return x;
  if (!strcmp(variable, "lengths")) return f->lengths;
  for (int v = 0; v < store->variables; v++)
    if (!strcmp(store->variable[v].name, variable) && f->dict.variable[v]) return f->dict.variable[v];
  const gt_slot *slot = gt_store_find(store, variable);
  return slot ? slot->table : NULL;
}

void layer_run(layer_fixture *f, gt_id node, const float *x, float *out) {
  enum { MAX_VARIABLES = 16 };
  gt_error error = {0};
  uint64_t ticket;
  gt_buffer *buffer[MAX_VARIABLES] = {0};
  gt_backend *backend = gt_cpu_open(1, &error);
  const gt_backend_api *api = backend->api;
  const gt_plan_options options = {.target = backend->target, .keep = &node, .keep_count = 1};
  gt_plan *plan = gt_plan_create(&f->arena, f->graph, &options, &error);
  if (!plan) fail_msg("%s", error.message);
  const uint32_t count = f->graph->variables;
  assert_true(count <= MAX_VARIABLES);
  for (uint32_t v = 0; v < count; v++) {
    const void *data = content_of(f, f->graph->variable[v].name, x);
    assert_non_null(data);
    buffer[v] = api->buffer_create(backend, plan->variable_bytes[v] + 16, GT_BUFFER_DEVICE, &error);
    memcpy(api->buffer_map(backend, buffer[v]), data,
           (size_t)gt_shape_count(f->graph->variable[v].shape) * sizeof(float));
  }
  gt_executable *executable = api->compile(backend, plan, buffer, &error);
  assert_non_null(executable);
  assert_true(api->run(backend, executable, 1, &ticket, &error));
  assert_true(api->inspect(backend, executable, &plan->kept[0], out, &error));
  api->executable_destroy(backend, executable);
  for (uint32_t v = 0; v < count; v++) api->buffer_destroy(backend, buffer[v]);
  gt_backend_close(backend);
}

double layer_random(uint32_t *state, double low, double high) {
  *state = *state * 1664525u + 1013904223u;
  return low + (high - low) * (*state >> 8) * 0x1p-24;
}
