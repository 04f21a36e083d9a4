/* A graph to be drawn up and planned, and a CPU to run it: what tests of plans begin and end with. */
#ifndef GT_TESTS_DRAWING_H
#define GT_TESTS_DRAWING_H
#include "backend/backend.h"
#include "graph/graph.h"

typedef struct fixture {
  gt_arena arena;
  gt_graph *graph;
  gt_backend *backend;
} fixture;

static int setup(void **state) {
  static fixture f;
  gt_error error = {0};
  gt_arena_init(&f.arena);
  f.graph = gt_graph_create(&f.arena);
  f.backend = gt_cpu_open(1, &error);
  *state = &f;
  return f.backend ? 0 : -1;
}

static int teardown(void **state) {
  fixture *f = *state;
  gt_backend_close(f->backend);
  gt_arena_finish(&f->arena);
  return 0;
}
#endif
