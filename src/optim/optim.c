#include "optim/optim.h"
#include "spec/typed.h"
#include "store/store.h"
#include <fnmatch.h>
#include <string.h>

#define GT_KIND optim
#include "base/registered.h"

typedef struct common { /* the keys that every optimizer has besides lr and weight_decay */
  const char *type;
  const gt_spec *parameters;
  double clip_value, clip_norm, ema;
  bool ema_statistics;
} common;

static const gt_field common_fields[] = {
    GT_ROW(common, type, GT_FIELD_CHOICE, .choices = type_names,
           .help = "name of the optimizer (default: " GT_OPTIM_STANDARD ")"),
    GT_ROW(common, parameters, GT_FIELD_NODE, .sub = &gt_optim_group_schema,
           .help = "parameter groups: list of {match: PATTERN, lr, weight_decay, frozen}"),
    GT_ROW(common, clip_value, GT_FIELD_FLOAT, .min = 0, .max = 1e30,
           .help = "clip each element of the gradient to this magnitude (default: 0, no clipping)"),
    GT_ROW(common, clip_norm, GT_FIELD_FLOAT, .min = 0, .max = 1e30,
           .help = "clip the norm of the whole gradient to this value (default: 0, no clipping)"),
    GT_ROW(common, ema, GT_FIELD_FLOAT, .min = 0, .max = 1,
           .help = "decay of an exponential moving average of the weights, such as 0.999, used for "
                   "evaluation and in model.bin (default: 0, none; a phase without it continues from "
                   "the weights themselves)",
           .flags = GT_FIELD_OPEN_MAX),
    GT_ROW(common, ema_statistics, GT_FIELD_BOOL,
           .help = "with `ema`: average the running statistics of normalization layers, too (default: "
                   "use those of the last step)"),
    {.name = NULL},
};
const gt_schema gt_optim_common_schema = {.name = "optimizer", .help = "optimizer", .fields = common_fields};

typedef struct group_config {
  const char *match;
  double lr, weight_decay;
  bool frozen;
} group_config;

static const gt_field group_fields[] = {
    GT_ROW(group_config, match, GT_FIELD_STRING,
           .help = "pattern of parameter names, such as \"linear1.*\" or \"*.bias\"; the first match wins",
           .flags = GT_FIELD_REQUIRED),
    GT_ROW(group_config, lr, GT_FIELD_FLOAT, .min = 0, .max = 1e6,
           .help = "learning rate of the group (default: the optimizer's)", .flags = GT_FIELD_OPEN_MIN),
    GT_ROW(group_config, weight_decay, GT_FIELD_FLOAT, .min = 0, .max = 1e6,
           .help = "weight decay of the group (default: the optimizer's)"),
    GT_ROW(group_config, frozen, GT_FIELD_BOOL, .fallback = "false",
           .help = "do not train these parameters; a layer whose parameters are all frozen keeps its running "
                   "statistics and uses them in training, too"),
    {.name = NULL},
};
const gt_schema gt_optim_group_schema = {
    .name = "parameters", .help = "settings for a group of parameters", .fields = group_fields};

static bool read_group(gt_optim_group *group, const gt_optim *optim, const gt_spec *node, gt_arena *arena,
                       gt_diagnostics *diagnostics) {
  group_config c = {0};
  if (!gt_schema_read(&gt_optim_group_schema, &c, NULL, NULL, node, node->at,
                      "in the optimizer's 'parameters'", arena, diagnostics))
    return false;
  gt_optim_common *config = gt_arena_copy(arena, optim->config, optim->type->config_size);
  if (gt_spec_find(node, "lr")) config->lr = c.lr;
  if (gt_spec_find(node, "weight_decay")) config->weight_decay = c.weight_decay;
  *group = (gt_optim_group){.match = c.match, .at = gt_spec_find(node, "match")->at, .frozen = c.frozen};
  group->config = config;
  return true;
}

static bool read_groups(gt_optim *optim, const gt_spec *list, gt_arena *arena, gt_diagnostics *diagnostics) {
  bool fine = true;
  const bool none = gt_spec_is_null(list);
  if (!none && list->kind != GT_SPEC_SEQUENCE)
    return gt_refuse(diagnostics, list->at, "parameters: [{match: \"linear1.*\", lr: 1.0e-4}]",
                     "'parameters' of the optimizer must be a list");
  gt_optim_group *group = GT_NEW_N(arena, gt_optim_group, none ? 1 : list->count + 1);
  group[0].config = optim->config;
  for (int i = 0; !none && i < list->count; i++)
    fine &= read_group(&group[i + 1], optim, list->child[i], arena, diagnostics);
  optim->group = group;
  optim->groups = none ? 1 : list->count + 1;
  return fine;
}

/* A line search moves all parameters along one direction, so it supports neither clipping and averages, which
 * belong to single steps, nor groups with settings of their own. */
static bool check_line_search(const gt_optim *optim, const gt_spec *node, gt_diagnostics *diagnostics) {
  const char *wrong = optim->clip_norm > 0    ? "clip_norm"
                      : optim->clip_value > 0 ? "clip_value"
                      : optim->ema > 0        ? "ema"
                                              : NULL;
  for (int g = 1; g < optim->groups && !wrong; g++)
    if (!optim->group[g].frozen) wrong = "parameters";
  if (!optim->type->line_search || !wrong) return true;
  return gt_refuse(diagnostics, gt_spec_find(node, wrong)->at, NULL,
                   strcmp(wrong, "parameters") ? "optimizer '%s' does not support '%s'"
                                               : "optimizer '%s' supports '%s' only with frozen: true",
                   optim->type->name, wrong);
}

const gt_optim *gt_optim_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics) {
  const gt_spec *node = gt_spec_find(root, "optimizer");
  if (gt_spec_is_null(node)) node = gt_spec_text(arena, GT_OPTIM_STANDARD);
  gt_typed_choice choices[TYPES + 1];
  for (int i = 0; i < TYPES; i++)
    choices[i] = (gt_typed_choice){types[i]->name, types[i]->schema, types[i]->config_size};
  void *config;
  common shared = {0};
  const int chosen = gt_typed_read(node, "optimizer", choices, TYPES, GT_OPTIM_STANDARD,
                                   &gt_optim_common_schema, &shared, &config, arena, diagnostics);
  gt_optim *optim = GT_NEW(arena, gt_optim);
  optim->schedule = gt_schedule_read(arena, root, diagnostics);
  if (chosen < 0) return NULL;
  optim->type = types[chosen];
  optim->config = config;
  optim->clip_value = shared.clip_value;
  optim->clip_norm = shared.clip_norm;
  optim->ema = shared.ema;
  optim->ema_statistics = shared.ema_statistics;
  const char *wrong = optim->type->check ? optim->type->check(config) : NULL;
  if (wrong) gt_error_at(diagnostics, node->at, "optimizer '%s': %s", optim->type->name, wrong);
  if (!read_groups(optim, shared.parameters, arena, diagnostics) || wrong || !optim->schedule) return NULL;
  if (!check_line_search(optim, node, diagnostics)) return NULL;
  /* `ema: 0` in a later phase is valid with an inherited ema_statistics: it ends both averages. */
  if (optim->ema_statistics && optim->ema <= 0 && gt_spec_is_null(gt_spec_find(node, "ema"))) {
    gt_error_at(diagnostics, gt_spec_find(node, "ema_statistics")->at, "'ema_statistics' needs 'ema'")
        ->expected = "ema: 0.999, the decay of both averages";
    return NULL;
  }
  return optim;
}

unsigned gt_optim_averages(const gt_optim *optim) {
  if (optim->ema <= 0) return 0;
  return GT_ROLE(GT_PARAMETER) | (optim->ema_statistics ? GT_ROLE(GT_STATE) : 0);
}

bool gt_optim_matches(const gt_optim_group *group, const char *parameter) {
  /* A cheap test first: most names differ from the pattern before its first wildcard. */
  return !strncmp(group->match, parameter, strcspn(group->match, "*?[\\")) &&
         !fnmatch(group->match, parameter, 0);
}

int gt_optim_group_of(const gt_optim *optim, const char *parameter) {
  for (int g = 1; g < optim->groups; g++)
    if (gt_optim_matches(&optim->group[g], parameter)) return g;
  return 0;
}

double gt_optim_learning_rate(const void *config, double lr, uint64_t t) {
  (void)config, (void)t;
  return lr;
}
