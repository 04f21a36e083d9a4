/* Reads the list of augmentations and makes its plan; functions that all augmentations use. */
#include "augment/augment.h"
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GT_KIND augment
#include "base/registered.h"

const char *const gt_augment_interpolations[] = {"bilinear", "nearest", NULL};

/* Indexed by gt_augment_border. */
const char *const gt_augment_borders[] = {"constant", "edge", "reflect", "symmetric", NULL};

/* --- reading --- */

static const gt_augment_type *choose(const gt_spec *node, const char *name, gt_position at,
                                     gt_diagnostics *diagnostics) {
  const char *names[TYPES + 1];
  for (int i = 0; i < TYPES; i++) names[i] = types[i]->name;
  const int chosen = gt_schema_choose(node, name, at, "augmentation", names, TYPES, diagnostics);
  return chosen >= 0 ? types[chosen] : NULL;
}

/* Reads `- random_horizontal_flip`, `- random_crop: 4`, `- random_crop: {padding: 4}`. */
static bool read_item(gt_augment_item *item, gt_arena *arena, const gt_spec *node,
                      gt_diagnostics *diagnostics) {
  const gt_spec *first = node->kind == GT_SPEC_MAP && node->count ? node->child[0] : NULL;
  item->at = first ? first->key_at : node->at;
  if (node->kind == GT_SPEC_MAP ? node->count != 1 : node->kind != GT_SPEC_SCALAR) {
    const gt_position at = first && node->count > 1 ? node->child[1]->key_at : node->at;
    gt_error_at(diagnostics, at, "an augmentation is a name, or a name with its settings")->expected =
        "an item such as - random_crop: {padding: 4}";
    return false;
  }
  item->spec = first;
  item->type = choose(node, first ? first->key : node->scalar, item->at, diagnostics);
  if (!item->type) return false;
  void *config = gt_arena_alloc(arena, item->type->config_size);
  char where[128];
  snprintf(where, sizeof where, "in augmentation '%s'", item->type->name);
  item->config = config;
  return gt_schema_read(item->type->schema, config, NULL, NULL, first, item->at, where, arena, diagnostics);
}

/* True if an item before `index` has the same type. */
static bool is_repeated(const gt_augment_list *list, int index) {
  for (int i = 0; i < index; i++)
    if (list->item[i].type == list->item[index].type) return true;
  return false;
}

const gt_augment_list *gt_augment_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics) {
  const gt_spec *node = gt_spec_find(root, "augment");
  if (gt_spec_is_null(node) || (node->kind == GT_SPEC_SEQUENCE && !node->count)) return NULL;
  if (node->kind != GT_SPEC_SEQUENCE) {
    gt_error_at(diagnostics, node->at, "'augment' must be a list")->expected =
        "a list such as augment: [{random_crop: 4}, random_horizontal_flip]";
    return NULL;
  }
  gt_augment_list *list = GT_NEW(arena, gt_augment_list);
  gt_augment_item *item = GT_NEW_N(arena, gt_augment_item, node->count);
  *list = (gt_augment_list){item, node->count, node->at};
  bool fine = true;
  for (int i = 0; i < node->count; i++) {
    fine &= read_item(&item[i], arena, node->child[i], diagnostics);
    if (!item[i].type || item[i].type->may_repeat || !is_repeated(list, i)) continue;
    gt_error_at(diagnostics, item[i].at, "'%s' is in the list twice", item[i].type->name);
    fine = false;
  }
  return fine ? list : NULL;
}

gt_spec *gt_augment_resolve(const gt_augment_list *list, gt_arena *arena) {
  gt_spec *result = gt_spec_new(arena, GT_SPEC_SEQUENCE);
  for (int i = 0; i < list->items; i++) {
    const gt_augment_item *item = &list->item[i];
    gt_spec *resolved = gt_schema_resolve(item->type->schema, NULL, item->spec, arena);
    gt_spec_add(arena, gt_spec_add(arena, result, NULL, gt_spec_new(arena, GT_SPEC_MAP)), item->type->name,
                resolved);
  }
  return result;
}

/* --- stages --- */

bool gt_augment_make_plan(const gt_augment_list *list, const gt_augment_sample *sample, gt_augment_plan *out,
                          gt_diagnostics *diagnostics) {
  memset(out, 0, sizeof *out); /* attributes of ops are compared bytewise */
  if (sample->rank != 2 && sample->rank != 3) {
    gt_error_at(diagnostics, list->at, "only images can be augmented, but a sample has %d ax%s", sample->rank,
                sample->rank == 1 ? "is" : "es")
        ->expected = "samples of [height, width] or [height, width, channels]; set data: {shape: [8, 8]} or "
                     "the like";
    return false;
  }
  gt_augment_build build = {.plan = out,
                            .sample = sample,
                            .channels = sample->rank == 3 ? sample->dim[2] : 1,
                            .diagnostics = diagnostics};
  const int64_t *input = sample->seen; /* the center crop, unless an augmentation crops */
  for (int i = 0; i < list->items; i++)
    if (list->item[i].type->crops) input = sample->dim;
  out->rule.height = build.height = (uint32_t)input[0];
  out->rule.width = build.width = (uint32_t)input[1];
  out->look.white = (float)fmin(sample->white, (double)FLT_MAX);
  bool fine = true;
  for (int i = 0; i < list->items; i++) {
    build.item = &list->item[i];
    fine &= build.item->type->add(&build, build.item->config);
  }
  for (int c = 0; c < GT_AUGMENT_MAX_VALUES; c++) out->look.fill[c] *= out->look.white;
  return fine;
}

gt_augment_stage *gt_augment_add(gt_augment_build *build, gt_augment_kind kind) {
  gt_augment_rule *rule = &build->plan->rule;
  const bool erases = kind == GT_DRAW_CUTOUT || kind == GT_DRAW_ERASE;
  if (rule->stages == GT_AUGMENT_MAX_STAGES || (erases && rule->boxes == GT_AUGMENT_MAX_BOXES)) {
    gt_augment_error(build, NULL, "is one too many; at most %d %s",
                     erases ? GT_AUGMENT_MAX_BOXES : GT_AUGMENT_MAX_STAGES,
                     erases ? "may erase" : "are allowed");
    return NULL;
  }
  if (erases) build->plan->look.boxes = ++rule->boxes;
  gt_augment_stage *stage = &rule->stage[rule->stages++];
  stage->kind = kind;
  return stage;
}

bool gt_augment_add_tone(gt_augment_build *build, double probability, gt_tone tone) {
  gt_augment_rule *rule = &build->plan->rule;
  gt_augment_look *look = &build->plan->look;
  uint32_t first_row = 0; /* of the table of all curves (op/augment/augment.h) */
  if (rule->tones == GT_AUGMENT_MAX_TONES)
    return gt_augment_error(build, NULL, "is one too many; at most %d may change the tone",
                            GT_AUGMENT_MAX_TONES);
  gt_augment_stage *stage = gt_augment_add(build, GT_DRAW_TONE);
  if (!stage) return false;
  for (uint32_t i = 0; i < look->tones; i++) first_row += look->tone[i].rows;
  stage->value[0] = (float)probability;
  stage->value[1] = (float)first_row;
  stage->value[2] = (float)tone.rows;
  look->tone[look->tones++] = tone;
  rule->tones = look->tones;
  return true;
}

gt_augment_stage *gt_augment_add_crop(gt_augment_build *build, gt_augment_kind kind) {
  gt_augment_stage *stage = gt_augment_add(build, kind);
  const uint32_t height = (uint32_t)build->sample->seen[0], width = (uint32_t)build->sample->seen[1];
  if (!stage || (height == build->height && width == build->width)) return stage;
  stage->height = build->height = build->plan->look.height = height;
  stage->width = build->width = build->plan->look.width = width;
  return stage;
}

gt_augment_stage *gt_augment_last(gt_augment_build *build, gt_augment_kind kind) {
  gt_augment_rule *rule = &build->plan->rule;
  for (uint32_t i = rule->stages; i-- > 0;)
    if (rule->stage[i].kind == (uint32_t)kind) return &rule->stage[i];
  return NULL;
}

/* --- settings --- */

bool gt_augment_error(gt_augment_build *build, const char *key, const char *format, ...) {
  const gt_augment_item *item = build->item;
  const gt_spec *value = key ? gt_spec_find(item->spec, key) : NULL;
  const char *shorthand = item->type->schema->shorthand;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!value && key && item->spec && item->spec->kind != GT_SPEC_MAP && shorthand && !strcmp(shorthand, key))
    value = item->spec;
  gt_error_at(build->diagnostics, value ? value->at : item->at, "augmentation '%s' %s", item->type->name,
              text);
  return false;
}

bool gt_augment_values(gt_augment_build *build, const char *key, gt_floats given, float *out) {
  if (given.count > 1 && (given.count != build->channels || given.count > GT_AUGMENT_MAX_VALUES))
    return gt_augment_error(build, key, "has %d values for '%s', but the images have %lld channel%s",
                            given.count, key, (long long)build->channels, build->channels == 1 ? "" : "s");
  for (int c = 0; c < GT_AUGMENT_MAX_VALUES; c++)
    out[c] = given.count ? (float)given.items[c < given.count ? c : given.count - 1] : 0;
  return true;
}

bool gt_augment_set_fill(gt_augment_build *build, gt_floats fill) {
  float value[GT_AUGMENT_MAX_VALUES];
  if (!fill.count) return true;
  if (!gt_augment_values(build, "fill", fill, value)) return false;
  if (build->fill_setter && memcmp(value, build->plan->look.fill, sizeof value) != 0)
    return gt_augment_error(build, "fill",
                            "has another 'fill' than '%s' in line %d; they are applied in one step and must "
                            "agree",
                            build->fill_setter->type->name, build->fill_setter->at.line);
  if (build->plan->look.border)
    return gt_augment_error(build, "fill",
                            "has a 'fill', but with the 'padding_mode' in line %d nothing is filled",
                            build->border_setter->at.line);
  memcpy(build->plan->look.fill, value, sizeof value);
  build->fill_setter = build->item;
  return true;
}

bool gt_augment_set_border(gt_augment_build *build, const char *mode) {
  uint32_t border = 0;
  if (!mode) return true;
  while (strcmp(gt_augment_borders[border], mode) != 0) border++;
  if (build->border_setter && build->plan->look.border != border)
    return gt_augment_error(build, "padding_mode",
                            "has another 'padding_mode' than '%s' in line %d; they are applied in one step "
                            "and must agree",
                            build->border_setter->type->name, build->border_setter->at.line);
  if (build->fill_setter && border)
    return gt_augment_error(build, "padding_mode",
                            "has a 'padding_mode' that fills nothing, but '%s' in line %d has a 'fill'",
                            build->fill_setter->type->name, build->fill_setter->at.line);
  build->plan->look.border = border;
  build->border_setter = build->item;
  return true;
}

bool gt_augment_set_interpolation(gt_augment_build *build, const char *interpolation) {
  if (!interpolation) return true;
  const uint32_t nearest = !strcmp(interpolation, "nearest");
  if (build->interpolation_setter && build->plan->look.nearest != nearest)
    return gt_augment_error(build, "interpolation",
                            "has another 'interpolation' than '%s' in line %d; they are applied in one step "
                            "and must agree",
                            build->interpolation_setter->type->name, build->interpolation_setter->at.line);
  build->plan->look.nearest = nearest;
  build->interpolation_setter = build->item;
  return true;
}

bool gt_augment_range(gt_augment_build *build, const char *key, gt_floats given, float *out) {
  if (given.count != 2 || given.items[0] > given.items[1])
    return gt_augment_error(build, key, "needs two numbers for '%s': [min, max]", key);
  out[0] = (float)given.items[0];
  out[1] = (float)given.items[1];
  return true;
}

bool gt_augment_symmetric_range(gt_augment_build *build, const char *key, gt_floats given, float *out) {
  if (given.count != 1) return gt_augment_range(build, key, given, out);
  out[1] = fabsf((float)given.items[0]);
  out[0] = -out[1];
  return true;
}

bool gt_augment_pair(gt_augment_build *build, const char *key, gt_ints given, float *out) {
  if (given.count < 1 || given.count > 2)
    return gt_augment_error(build, key, "needs one or two numbers for '%s': both, or [horizontal, vertical]",
                            key);
  out[0] = (float)given.items[0];
  out[1] = (float)given.items[given.count - 1];
  return true;
}
