#include "layer/logic/logic_init.h"
#include "layer/init_config.h"
#include <string.h>

enum { FUNCTIONS = 16 }; /* of two bits: logits of a gate */

const char *const gt_logic_inits[] = {"normal", "pass_through", "residual", NULL};

static void fill_normal(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  (void)config;
  gt_init_draw_normal(stream, gt_shape_count(shape), 0, 1, out);
}

typedef struct pass_config {
  float strength;
  const uint8_t *chosen; /* initial function of each gate; NULL: its first input */
} pass_config;

static void fill_pass(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  const pass_config *c = config;
  (void)stream;
  for (int64_t i = 0; i < gt_shape_count(shape); i++)
    out[i] = i % FUNCTIONS == (c->chosen ? c->chosen[i / FUNCTIONS] : GT_LOGIC_FIRST) ? c->strength : 0;
}

static const gt_init_type normal = {.name = "normal", .fill = fill_normal},
                          pass = {.name = "pass_through", .fill = fill_pass};

const gt_init *gt_logic_init_pass(gt_arena *arena, double strength, const uint8_t *chosen) {
  const pass_config config = {(float)strength, chosen};
  return gt_init_create(arena, &pass, &config, sizeof config);
}

const gt_init *gt_logic_init(const char *name) {
  static const pass_config ten = {.strength = 10}, five = {.strength = 5};
  /* in the order of gt_logic_inits */
  static const gt_init starts[] = {
      {.type = &normal}, {.type = &pass, .config = &ten}, {.type = &pass, .config = &five}};
  int i = 0;
  while (strcmp(gt_logic_inits[i], name)) i++;
  return &starts[i];
}
