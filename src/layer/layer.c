#include "layer/layer.h"
#include "op/core.h"
#include "spec/hint.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GT_KIND layer
#include "base/registered.h"

const gt_layer_family_text gt_layer_families[GT_LAYER_FAMILY_COUNT] = {
    [GT_LAYER_OTHER] = {"others", "Other layers"},
#define X(family, name, title) [GT_LAYER_##family] = {name, title},
    GT_LAYER_FAMILIES(X)
#undef X
};

const gt_layer_type *gt_layer_find(const char *name) {
  for (int i = 0; i < TYPES; i++)
    if (!strcmp(types[i]->name, name)) return types[i];
  return NULL;
}

const char *gt_layer_by_foreign_name(const char *name, const gt_diagnostics *diagnostics) {
  const char *names[TYPES];
  for (int i = 0; i < TYPES; i++) names[i] = types[i]->name;
  const gt_hint hint = gt_hint_name(diagnostics, "layer", name, names, TYPES);
  return hint.suggestion && !gt_layer_find(name) ? hint.suggestion : name;
}

const char *gt_layer_explain_missing_key(const char *key) { return gt_hint_foreign_key(key).help; }

static const gt_field common_fields[] = {
    GT_ROW(gt_layer_common, name, GT_FIELD_STRING,
           .help = "name of the layer, used by `from` and in the names of its parameters (default: "
                   "its type and a number)"),
    GT_ROW(gt_layer_common, from, GT_FIELD_STRINGS,
           .help = "layer or layers to read (default: the previous one; `input` is the model's input)"),
    {.name = NULL},
};
/* Keys with which other programs describe a layer's input. */
static const char *const input_keys[] = {"in_features",  "in_channels",      "num_features",
                                         "num_channels", "normalized_shape", "input_size",
                                         "input_shape",  "input_dim",        NULL};
const gt_schema gt_layer_common_schema = {.name = "layer",
                                          .help = "keys of every layer",
                                          .fields = common_fields,
                                          .needless = input_keys,
                                          .why_needless = "remove it: it is inferred from the input"};

gt_id gt_build_parameter(gt_build *build, const char *name, gt_shape shape, const gt_init *init) {
  return gt_build_parameter_with_form(build, name, shape, init, NULL);
}

gt_id gt_build_shared(gt_build *build, const char *key, const char *layer, const char *name) {
  const gt_id node = build->shared(build, gt_arena_printf(build->arena, "%s.%s", layer, name));
  if (node != GT_NONE) return node;
  return gt_build_error(build, key, "shares the %s of '%s', but no earlier layer of this name has one", name,
                        layer);
}

gt_id gt_build_parameter_with_form(gt_build *build, const char *name, gt_shape shape, const gt_init *init,
                                   const void *form) {
  if (init && shape.rank < init->type->min_rank) {
    const gt_position at = init->spec ? init->spec->at : build->at;
    gt_error_at(build->diagnostics, at, "%s needs a parameter of at least %d axes; '%s.%s' has %d",
                init->type->name, init->type->min_rank, build->name, name, shape.rank);
    build->errors++;
    init = NULL;
  }
  gt_fill fill = {.value = 0}; /* after an error the build continues with zeros, to find more errors */
  if (init) fill = (gt_fill){.write = gt_init_fill, .settings = init};
  return build->slot(build, (gt_slot){.name = name,
                                      .role = GT_PARAMETER,
                                      .shape = shape,
                                      .fill = fill,
                                      .refit = build->type->refit,
                                      .describe_refit = build->type->describe_refit,
                                      .form = form});
}

static gt_id state(gt_build *build, const char *name, gt_shape shape, double start, gt_slot_range range) {
  return build->slot(build, (gt_slot){.name = name,
                                      .role = GT_STATE,
                                      .shape = shape,
                                      .range = range,
                                      .fill = {.value = start},
                                      .refit = build->type->refit});
}

gt_id gt_build_state(gt_build *build, const char *name, gt_shape shape, double start) {
  return state(build, name, shape, start, GT_ANY_VALUE);
}

gt_id gt_build_variance(gt_build *build, const char *name, gt_shape shape, double start) {
  return state(build, name, shape, start, GT_NOT_NEGATIVE);
}

gt_id gt_build_counter(gt_build *build, const char *name) {
  return build->slot(build, (gt_slot){.name = name,
                                      .role = GT_STATE,
                                      .shape = gt_shape_1(1),
                                      .range = GT_NOT_NEGATIVE,
                                      .not_averaged = true,
                                      .dispensable = true,
                                      .refit = build->type->refit});
}

gt_id gt_build_filled_state(gt_build *build, const char *name, gt_shape shape, gt_fill fill,
                            gt_slot_range range, const void *form) {
  return build->slot(build, (gt_slot){.name = name,
                                      .role = GT_STATE,
                                      .shape = shape,
                                      .range = range,
                                      .not_averaged = true,
                                      .fill = fill,
                                      .refit = build->type->refit,
                                      .form = form});
}

void gt_build_penalty(gt_build *build, gt_id value) {
  if (build->training && value != GT_NONE) build->penalty(build, value);
}

void gt_build_adapt(gt_build *build, gt_adaptation adaptation) {
  adaptation.layer = build->name;
  if (!build->frozen) build->adapt(build, &adaptation);
}

void gt_build_update(gt_build *build, const char *name, gt_id value) {
  if (build->training && value != GT_NONE) build->update(build, name, value);
}

gt_id gt_build_constant(gt_build *build, const char *name, gt_shape shape, int32_t *data,
                        const int32_t *limit) {
  return build->slot(
      build,
      (gt_slot){
          .name = name, .role = GT_CONSTANT, .dtype = GT_I32, .shape = shape, .table = data, .limit = limit});
}

gt_id gt_build_derived(gt_build *build, const char *name, gt_shape shape, int32_t *data) {
  return build->slot(
      build, (gt_slot){.name = name, .role = GT_DERIVED, .dtype = GT_I32, .shape = shape, .table = data});
}

gt_init_stream gt_build_stream(const gt_build *build, const char *name) {
  return gt_init_stream_of(build->seed, gt_arena_printf(build->arena, "%s.%s", build->name, name));
}

void gt_refit_overlap(const gt_slot *before, const float *old, const gt_slot *now, float *out,
                      const gt_slot_values *was) {
  (void)was;
  const gt_shape from_shape = before->shape, shape = now->shape;
  int64_t index[GT_MAX_RANK] = {0};
  for (int64_t i = 0; i < gt_shape_count(shape); i++) {
    int64_t from = 0;
    bool inside = true;
    for (int d = 0; d < shape.rank; d++) {
      inside = inside && index[d] < from_shape.dim[d];
      from = from * from_shape.dim[d] + index[d];
    }
    if (inside) out[i] = old[from];
    for (int d = shape.rank - 1; d >= 0 && ++index[d] == shape.dim[d]; d--) index[d] = 0;
  }
}

gt_position gt_build_position(const gt_build *build, const char *key) {
  if (!key || !build->spec) return build->at;
  const gt_spec *value = gt_spec_find(build->spec, key);
  if (value) return value->at;
  const char *shorthand = build->type->schema->shorthand;
  if (build->spec->kind != GT_SPEC_MAP && shorthand && !strcmp(shorthand, key)) return build->spec->at;
  return build->at;
}

static void report(gt_build *build, const char *key, const char *format, va_list arguments) {
  char text[1024];
  vsnprintf(text, sizeof text, format, arguments);
  gt_error_at(build->diagnostics, gt_build_position(build, key), "layer '%s' %s", build->name, text);
  build->errors++;
}

gt_id gt_build_error(gt_build *build, const char *key, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  report(build, key, format, arguments);
  va_end(arguments);
  return GT_NONE;
}

bool gt_build_fail(gt_build *build, const char *key, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  report(build, key, format, arguments);
  va_end(arguments);
  return false;
}

const char *gt_build_input_text(gt_build *build, const gt_id *input, int k) {
  char shape[128];
  gt_shape_text(gt_node_at(build->graph, input[k])->shape, shape);
  return gt_arena_printf(build->arena, "'%s' %s", build->input_name[k], shape);
}

bool gt_build_axis(gt_build *build, const char *key, int64_t axis, int rank, int *out) {
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank)
    return gt_build_fail(build, key, "has no axis %lld: its input has %d axes, 0 to %d", (long long)axis,
                         rank, rank - 1);
  if (!at) return gt_build_fail(build, key, "cannot work along axis 0, which is the batch");
  *out = (int)at;
  return true;
}
