#include "layer/logic_init.h"
#include "layer/init_config.h"
#include <string.h>

enum { PASS = 3, GATES = 16 }; /* gate 3 passes its first input on */

const char *const gt_logic_inits[] = {"normal", "pass_through", "residual", NULL};

static void fill_normal(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  (void)config;
  gt_init_draw_normal(stream, gt_shape_count(shape), 0, 1, out);
}

static void fill_pass(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  (void)stream;
  for (int64_t i = 0; i < gt_shape_count(shape); i++) out[i] = i % GATES == PASS ? *(const float *)config : 0;
}

static const gt_init_type normal = {.name = "normal", .fill = fill_normal},
                          pass = {.name = "pass_through", .fill = fill_pass};

const gt_init *gt_logic_init_pass(gt_arena *arena, double strength) {
  gt_init *init = GT_NEW(arena, gt_init);
  float *value = GT_NEW(arena, float);
  *value = (float)strength;
  *init = (gt_init){.type = &pass, .config = value};
  return init;
}

const gt_init *gt_logic_init(const char *name) {
  static const float ten = 10, five = 5;
  static const gt_init starts[] = {
      {.type = &normal}, {.type = &pass, .config = &ten}, {.type = &pass, .config = &five}};
  int i = 0;
  while (strcmp(gt_logic_inits[i], name)) i++;
  return &starts[i];
}
