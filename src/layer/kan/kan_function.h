/* The functions that an edge of a KAN layer may be instead of a sum of basis functions: those of the library
 * that trained edges are read as (kan/library.h), as nodes. Arguments are cut off where a function is not
 * defined, or where float32 ends; there the slope is 0. */
#ifndef GT_LAYER_KAN_FUNCTION_H
#define GT_LAYER_KAN_FUNCTION_H
#include "graph/graph.h"

typedef struct gt_kan_function {
  const char *name; /* "x^2" */
  gt_id (*emit)(gt_graph *graph, gt_id u);
} gt_kan_function;

int gt_kan_function_count(void);
const gt_kan_function *gt_kan_function_at(int index);          /* in the library's order */
const gt_kan_function *gt_kan_function_find(const char *name); /* NULL if there is none */
const char *gt_kan_function_nearest(const char *name);         /* one that may have been meant, or NULL */
const char *gt_kan_function_names(gt_arena *arena);            /* "x, x^2, …" */
#endif
