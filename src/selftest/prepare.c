#include "selftest/prepare.h"
#include "base/pool.h"
#include <string.h>

typedef struct preparation { /* what a tile of the pool reads */
  gt_prepared *cases;
  const gt_target *target; /* NULL: no device */
  bool brief;
} preparation;

/* A software device compiles slowly, which unfused kernels are not worth. */
static void choose_runs(gt_prepared *p, const gt_target *target) {
  const bool is_product = p->c->rule->magnitude;
  p->wanted[GT_RUN_FUSED] = true;
  p->wanted[GT_RUN_UNFUSED] = !target->brief;
  p->wanted[GT_RUN_HALF] = is_product && (target->matrix.half.m || target->matrix.bfloat.m);
}

static void prepare_case(void *context, uint32_t tile) {
  const preparation *all = context;
  gt_prepared *p = &all->cases[tile];
  if (!gt_subject_create(&p->subject, p->c, GT_PRECISION_AUTO, &p->error)) return;
  gt_expect(&p->subject, all->brief, &p->arena, &p->expectation);
  if (!all->target) return;
  choose_runs(p, all->target);
  for (int run = 0; run < GT_DEVICE_RUNS; run++) {
    const gt_subject *subject = run == GT_RUN_HALF ? &p->half : &p->subject;
    gt_error *error = &p->plan_error[run];
    if (!p->wanted[run]) continue;
    if (run == GT_RUN_HALF && !gt_subject_create(&p->half, p->c, GT_PRECISION_HALF, error)) continue;
    p->plan[run] = gt_subject_plan(subject, all->target, run != GT_RUN_UNFUSED, true, &p->arena, error);
  }
}

static void compile_ahead(const gt_prepared *p, int count, gt_backend *device) {
  const gt_plan *plan[GT_PREPARED * GT_DEVICE_RUNS];
  int plans = 0;
  for (int i = 0; i < count; i++)
    for (int run = 0; run < GT_DEVICE_RUNS; run++)
      if (p[i].plan[run]) plan[plans++] = p[i].plan[run];
  device->api->compile_ahead(device, plan, plans);
}

void gt_prepare(gt_prepared *p, int count, gt_backend *device, bool brief) {
  preparation all = {p, device ? &device->target : NULL, brief};
  for (int i = 0; i < count; i++) {
    p[i] = (gt_prepared){.c = p[i].c};
    gt_arena_init(&p[i].arena);
  }
  gt_pool_run_once((uint32_t)count, prepare_case, &all);
  if (device) compile_ahead(p, count, device);
}

void gt_prepared_finish(gt_prepared *p) {
  gt_subject_finish(&p->subject);
  if (p->wanted[GT_RUN_HALF]) gt_subject_finish(&p->half);
  gt_arena_finish(&p->arena);
}
