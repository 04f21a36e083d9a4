#include "layer/init.h"
#include "base/text.h"
#include "layer/init_config.h"
#include "spec/typed.h"
#include <math.h>
#include <string.h>

#define GT_KIND init
#include "base/registered.h"

const gt_init_type *gt_init_find(const char *name) {
  for (int i = 0; i < TYPES; i++)
    if (!strcmp(types[i]->name, name)) return types[i];
  return NULL;
}

const gt_init *gt_init_create(gt_arena *arena, const gt_init_type *type, const void *settings, size_t size) {
  const gt_init init = {.type = type, .config = gt_arena_copy(arena, settings, size)};
  return gt_arena_copy(arena, &init, sizeof init);
}

const gt_init *gt_init_read(gt_arena *arena, const gt_spec *spec, gt_diagnostics *diagnostics) {
  gt_typed_choice choices[TYPES + 1];
  for (int i = 0; i < TYPES; i++)
    choices[i] = (gt_typed_choice){types[i]->name, types[i]->schema, types[i]->config_size};
  void *config;
  const int chosen =
      gt_typed_read(spec, "init", choices, TYPES, NULL, NULL, NULL, &config, arena, diagnostics);
  if (chosen < 0) return NULL;
  return gt_arena_copy(arena, &(gt_init){types[chosen], config, spec}, sizeof(gt_init));
}

const gt_init *gt_init_uniform_between(gt_arena *arena, double low, double high) {
  const gt_init_uniform_config config = {.low = low, .high = high};
  return gt_init_create(arena, &gt_init_uniform, &config, sizeof config);
}

const gt_init *gt_init_normal_of(gt_arena *arena, double mean, double deviation) {
  const gt_init_normal_config config = {.mean = mean, .deviation = deviation};
  return gt_init_create(arena, &gt_init_normal, &config, sizeof config);
}

const gt_init *gt_init_constant_of(gt_arena *arena, double value) {
  const gt_init_constant_config config = {.value = value};
  return gt_init_create(arena, &gt_init_constant, &config, sizeof config);
}

const gt_init *gt_init_linear_default(gt_arena *arena) {
  const gt_init_kaiming_config config = {.mode = "fan_in", .nonlinearity = "leaky_relu", .slope = sqrt(5)};
  return gt_init_create(arena, &gt_init_kaiming_uniform, &config, sizeof config);
}

gt_init_stream gt_init_stream_of(uint64_t seed, const char *name) {
  /* Purposes below 1 << 16 belong to fixed uses and to the graph (base/philox.h). */
  const uint32_t first = 1u << 16;
  const uint64_t hash = gt_hash(GT_HASH_START, name, strlen(name));
  return (gt_init_stream){.seed = seed, .purpose = first + (uint32_t)(hash % (UINT32_MAX - first))};
}

void gt_init_fill(const void *settings, const char *name, gt_shape shape, uint64_t seed, float *out) {
  const gt_init *init = settings;
  const gt_init_stream stream = gt_init_stream_of(seed, name);
  init->type->fill(init->config, shape, &stream, out);
}
