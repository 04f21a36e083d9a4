/* Initial values of parameters. An initializer is one constant row (GT_DEFINE(init, NAME) = {…}); in a config
 * it is written `kaiming_normal` or `{type: uniform, low: -1, high: 1}`. Values are drawn on the host, keyed
 * by the run's seed and the parameter's name, so they do not depend on the order of layers, the device or
 * threads. Mathematics: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
 * networks", AISTATS 2010 (Xavier); He et al., "Delving Deep into Rectifiers", ICCV 2015 (Kaiming); fans and
 * gains as in torch.nn.init; normal draws by Box and Muller, 1958. */
#ifndef GT_LAYER_INIT_H
#define GT_LAYER_INIT_H
#include "base/register.h"
#include "graph/graph.h"
#include "spec/schema.h"

typedef struct gt_init_stream { /* source of a parameter's random numbers */
  uint64_t seed;
  uint32_t purpose;
} gt_init_stream;

typedef struct gt_init_type {
  const char *name, *help;
  const gt_schema *schema;
  size_t config_size;
  int min_rank; /* 2 if fan-in and fan-out are needed */
  /* Writes gt_shape_count(shape) values. */
  void (*fill)(const void *config, gt_shape shape, const gt_init_stream *stream, float *out);
} gt_init_type;

typedef struct gt_init { /* a chosen initializer with its settings; lives in an arena */
  const gt_init_type *type;
  const void *config;
  const gt_spec *spec; /* position in the config; NULL for a layer's default */
} gt_init;

int gt_init_count(void);
const gt_init_type *gt_init_at(int index);
const gt_init_type *gt_init_find(const char *name); /* NULL if there is none */

/* Reads `init:`; NULL after reporting if it is wrong. `spec` must not be NULL. */
const gt_init *gt_init_read(gt_arena *arena, const gt_spec *spec, gt_diagnostics *diagnostics);
/* Initializers that layers create themselves. An initializer of this type with a copy of the settings: */
const gt_init *gt_init_create(gt_arena *arena, const gt_init_type *type, const void *settings, size_t size);
const gt_init *gt_init_uniform_between(gt_arena *arena, double low, double high);
const gt_init *gt_init_normal_of(gt_arena *arena, double mean, double deviation);
const gt_init *gt_init_constant_of(gt_arena *arena, double value);
/* torch.nn.Linear's default: kaiming_uniform with a = sqrt(5), that is, uniform in ±1/sqrt(fan_in). */
const gt_init *gt_init_linear_default(gt_arena *arena);

/* The random stream of a name. */
gt_init_stream gt_init_stream_of(uint64_t seed, const char *name);
/* Fills a parameter called `name` ("linear1.weight"): used as `write` of a gt_fill whose settings are a
 * gt_init. */
void gt_init_fill(const void *init, const char *name, gt_shape shape, uint64_t seed, float *out);
#endif
