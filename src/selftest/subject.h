/* gt_subject: a case as a graph whose inputs, value and gradients are tensors between guard elements in
 * variables, and its run on a backend. Private to the selftest room. */
#ifndef GT_SELFTEST_SUBJECT_H
#define GT_SELFTEST_SUBJECT_H
#include "backend/backend.h"
#include "op/case.h"

typedef struct gt_guarded_tensor { /* a tensor inside a guarded variable */
  bool used;                       /* false: there is no such tensor */
  uint32_t variable;
  int64_t guard, count; /* guard elements before and after it; elements of the tensor */
  gt_dtype dtype;
} gt_guarded_tensor;

typedef struct gt_subject {
  gt_arena arena;
  gt_case_view view;
  gt_graph *graph;
  gt_shape value_shape;
  double limit; /* the op's bound for the magnitude of its values */
  gt_guarded_tensor input[GT_CASE_INPUTS], value, gradient[GT_CASE_INPUTS];
  gt_guarded_tensor weight;      /* factors of the values in the loss, which is their weighted sum */
  void **initial;                /* contents of each variable before a run */
  double *x[GT_CASE_INPUTS], *w; /* inputs and weights in double */
  double forward_flops;          /* of the graph without gradients */
} gt_subject;

typedef struct gt_outcome { /* contents of all variables after a run; in an arena */
  uint8_t **content;
} gt_outcome;

bool gt_subject_create(gt_subject *subject, const gt_case *c, gt_precision precision, gt_error *error);
void gt_subject_finish(gt_subject *subject);
uint64_t gt_subject_bytes(const gt_subject *subject, uint32_t variable);
/* reuse: values may share memory in the arena. NULL: `error` has the reason. */
gt_plan *gt_subject_plan(const gt_subject *subject, const gt_target *target, bool fusion, bool reuse,
                         gt_arena *arena, gt_error *error);
/* Uploads, runs the plan and downloads. */
bool gt_subject_run_plan(const gt_subject *subject, gt_backend *backend, const gt_plan *plan, gt_arena *arena,
                         gt_outcome *outcome, gt_error *error);
/* Plans for the backend and runs. */
bool gt_subject_run(const gt_subject *subject, gt_backend *backend, bool fusion, bool reuse, gt_arena *arena,
                    gt_outcome *outcome, gt_error *error);
#endif
