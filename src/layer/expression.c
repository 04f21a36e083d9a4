/* A formula as a layer: `expression: "x*x + 1"`. Its variables are the inputs: x (or x0) for one, x0, x1, …
 * for several `from:`. It is emitted as elementwise nodes, so the graph can differentiate and fuse it. */
#include "layer/layer.h"
#include "op/formula.h"

enum { MAX_INPUTS = 64 };

typedef struct expression_config {
  const char *expression;
} expression_config;

static const gt_field fields[] = {
    GT_ROW(expression_config, expression, GT_FIELD_STRING,
           .help = "formula of x, or of x0, x1, … for several inputs", .flags = GT_FIELD_REQUIRED),
    {.name = NULL},
};

static gt_id build_expression(gt_build *build, const void *config, const gt_id *input) {
  const expression_config *c = config;
  const int inputs = build->inputs;
  const char *names[MAX_INPUTS + 1];
  gt_id variable[MAX_INPUTS + 1];
  if (inputs > MAX_INPUTS) return gt_build_error(build, "from", "takes at most %d inputs", MAX_INPUTS);
  gt_shape shape = gt_node_at(build->graph, input[0])->shape;
  for (int k = 0; k < inputs; k++) {
    names[k] = gt_arena_printf(build->arena, "x%d", k);
    variable[k] = input[k];
    const gt_shape next = gt_node_at(build->graph, input[k])->shape;
    if (!gt_shape_broadcast(shape, next, &shape))
      return gt_build_error(build, "from", "cannot combine %s and %s: their shapes do not broadcast",
                            gt_build_input_text(build, input, k - 1), gt_build_input_text(build, input, k));
  }
  names[inputs] = "x";
  variable[inputs] = input[0];
  gt_formula_error error;
  const gt_formula *f =
      gt_formula_parse(build->arena, c->expression, names, inputs == 1 ? 2 : inputs, &error);
  if (!f) {
    gt_position at = gt_build_position(build, "expression");
    const gt_spec *text = build->spec && build->spec->kind == GT_SPEC_MAP
                              ? gt_spec_find(build->spec, "expression")
                              : build->spec;
    if (text && text->kind == GT_SPEC_SCALAR) at = gt_position_within(text, error.column, 1);
    gt_error_at(build->diagnostics, at, "layer '%s': %s", build->name, error.message)->suggestion =
        error.suggestion ? gt_arena_strdup(build->arena, error.suggestion) : NULL;
    build->errors++;
    return GT_NONE;
  }
  if (gt_formula_is_constant(f))
    return gt_build_error(build, "expression", "does not use its input: the formula is constant");
  return gt_formula_emit(build->graph, f, variable);
}

GT_DEFINE(layer, expression) = {
    .name = "expression",
    .help = "elementwise formula of the inputs, such as \"x*x + 1\"",
    .schema = GT_SCHEMA("expression", "elementwise formula of the inputs", fields, "expression"),
    .config_size = sizeof(expression_config),
    .min_inputs = 1,
    .features = GT_FEATURES_KEPT,
    .build = build_expression};
