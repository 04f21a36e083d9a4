#include "support/layer.h"
#include "op/core.h"
#include <string.h>

void layer_build(layer_fixture *f, const char *layer, gt_shape shape) {
  memset(f, 0, sizeof *f);
  gt_arena_init(&f->arena);
  gt_diagnostics_init(&f->diagnostics, &f->arena);
  const char *text = gt_arena_printf(&f->arena, "model:\n  - %s\n", layer);
  const gt_spec *root = gt_spec_parse(&f->arena, "config.yaml", text, strlen(text), &f->diagnostics);
  f->graph = gt_graph_create(&f->arena);
  const gt_model_input x = {
      "input", gt_variable_read(f->graph, gt_graph_variable(f->graph, "x", shape, GT_F32, false))};
  f->model = gt_model_build(&f->arena, f->graph, root, NULL, (gt_model_inputs){1, &x}, GT_NONE,
                            (gt_model_mode){.training = true}, &f->diagnostics);
  if (f->model) gt_image_start(&f->image, f->model->store, GT_WEIGHT_ROLES, 1);
}

void layer_finish(layer_fixture *f) {
  if (f->model) gt_image_finish(&f->image);
  gt_arena_finish(&f->arena);
}
