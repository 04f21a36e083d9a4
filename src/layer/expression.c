/* A formula as a layer: `expression: "x*x + 1"`. Its variables are the inputs: x (or x0) for one, x0, x1, …
 * for several `from:`. It becomes ordinary elementwise nodes, so the graph differentiates and fuses it. */
#include "base/formula.h"
#include "layer/layer.h"
#include "op/elementwise.h"
#include <math.h>
#include <string.h>

enum { MOST_INPUTS = 64 };

typedef struct expression_config {
  const char *expression;
} expression_config;

static const gt_field fields[] = {
    GT_ROW(expression_config, expression, GT_FIELD_STRING,
           .help = "formula of x, or of x0, x1, ... for several inputs", .flags = GT_FIELD_REQUIRED),
    {.name = NULL},
};
static const gt_schema schema = {.name = "expression",
                                 .help = "a formula of its inputs, elementwise",
                                 .fields = fields,
                                 .shorthand = "expression"};

static bool is_constant(const gt_formula *f) {
  if (f->kind != GT_FORMULA_CALL) return f->kind == GT_FORMULA_NUMBER;
  return is_constant(f->argument[0]) && (f->arguments < 2 || is_constant(f->argument[1]));
}

/* inputs: how many variables are x0, x1, …; `x` itself is the one after them. */
static gt_id emit(gt_graph *graph, const gt_formula *f, const gt_id *input, int inputs) {
  if (is_constant(f)) return gt_constant(graph, gt_formula_evaluate(f, NULL));
  if (f->kind == GT_FORMULA_VARIABLE) return input[f->variable == inputs ? 0 : f->variable];
  const gt_id a = emit(graph, f->argument[0], input, inputs);
  if (!strcmp(f->call, "leaky_relu")) return gt_leaky_relu(graph, a, 0.01);
  if (f->arguments == 1) return gt_apply(graph, f->call, 1, a);
  /* A square is by far the commonest power, and a product is exact and cheap, backwards too. */
  if (!strcmp(f->call, "pow") && is_constant(f->argument[1]) &&
      gt_formula_evaluate(f->argument[1], NULL) == 2)
    return gt_mul(graph, a, a);
  return gt_apply(graph, f->call, 2, a, emit(graph, f->argument[1], input, inputs));
}

static gt_id build_expression(gt_build *build, const void *config, const gt_id *input, int inputs) {
  const expression_config *c = config;
  const char *names[MOST_INPUTS + 1];
  if (inputs > MOST_INPUTS) return gt_build_error(build, "from", "takes at most %d inputs", MOST_INPUTS);
  gt_shape shape = gt_node_at(build->graph, input[0])->shape;
  for (int k = 0; k < inputs; k++) {
    names[k] = gt_arena_printf(build->arena, "x%d", k);
    const gt_shape next = gt_node_at(build->graph, input[k])->shape;
    if (!gt_shape_broadcast(shape, next, &shape))
      return gt_build_error(build, "from", "cannot combine %s and %s: their shapes do not broadcast",
                            gt_build_input_text(build, input, k - 1), gt_build_input_text(build, input, k));
  }
  names[inputs] = "x";
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
  if (is_constant(f))
    return gt_build_error(build, "expression", "does not use its input: the formula is constant");
  return emit(build->graph, f, input, inputs);
}

GT_DEFINE(layer, expression) = {.name = "expression",
                                .help = "a formula of its inputs, elementwise, such as \"x*x + 1\"",
                                .schema = &schema,
                                .config_size = sizeof(expression_config),
                                .min_inputs = 1,
                                .max_inputs = -1,
                                .build = build_expression};
