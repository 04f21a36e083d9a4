/* Builds the model of a config as a graph, for the tests of src/model. */
#ifndef TESTS_MODEL_SUPPORT_H
#define TESTS_MODEL_SUPPORT_H
#include "model/model.h"
#include "op/core.h"
#include "store/state_dict.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct fixture {
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_graph *graph;
  const gt_spec *root;
  const gt_optim *optim;
  gt_model *model;
} fixture;

static inline void build(fixture *f, const char *text, gt_shape input_shape, bool training) {
  memset(f, 0, sizeof *f);
  gt_arena_init(&f->arena);
  gt_diagnostics_init(&f->diagnostics, &f->arena);
  f->root = gt_spec_parse(&f->arena, "config.yaml", text, strlen(text), &f->diagnostics);
  assert_non_null(f->root);
  f->graph = gt_graph_create(&f->arena);
  const uint32_t variable = gt_graph_variable(f->graph, "x", input_shape, GT_F32, false);
  const gt_id input = gt_variable_read(f->graph, variable);
  gt_id clock = GT_NONE;
  if (training) {
    const uint32_t state = gt_graph_variable(f->graph, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
    clock = gt_clock(f->graph, state, gt_graph_variable(f->graph, "table", gt_shape_2(4, 1), GT_F32, false));
  }
  f->optim = gt_optim_read(&f->arena, f->root, &f->diagnostics);
  f->model = gt_model_build(&f->arena, f->graph, f->root, f->optim,
                            (gt_model_inputs){1, &(gt_model_input){"input", input}}, clock,
                            (gt_model_mode){.training = training, .seed = 1}, &f->diagnostics);
}

static inline void finish(fixture *f) { gt_arena_finish(&f->arena); }

static inline void assert_built(fixture *f) {
  if (!f->model) gt_diagnostics_print(&f->diagnostics, stderr);
  assert_non_null(f->model);
  gt_error error = {0};
  assert_true(gt_graph_verify(f->graph, &error));
}

static inline void assert_shape(gt_shape shape, const char *text) {
  char buffer[128];
  assert_string_equal(gt_shape_text(shape, buffer), text);
}

typedef struct mistake {
  const char *text;
  int line, column;
  const char *message, *suggestion;
} mistake;

/* Asserts that the config has exactly one error, at this position, whose message contains `message`, and with
 * this suggestion (NULL: any; "": none). */
static inline void check_mistake(const mistake *m) {
  fixture f;
  build(&f, m->text, gt_shape_2(5, 3), true);
  const gt_diagnostic *d = &f.diagnostics.items[0];
  if (f.diagnostics.errors != 1 || d->at.line != m->line || d->at.column != m->column ||
      !strstr(d->message, m->message) ||
      (m->suggestion && strcmp(d->suggestion ? d->suggestion : "", m->suggestion))) {
    fprintf(stderr, "wanted %d:%d %s (%s), got:\n", m->line, m->column, m->message,
            m->suggestion ? m->suggestion : "-");
    gt_diagnostics_print(&f.diagnostics, stderr);
    fail();
  }
  finish(&f);
}
#endif
