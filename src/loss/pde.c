/* A partial differential equation as a loss (physics-informed networks: Lagaris, Likas and Fotiadis, 1998;
 * Raissi, Perdikaris and Karniadakis, 2019): the squared residuals of formulas in the model's inputs, its
 * outputs and their derivatives, at the samples and, for boundary conditions, at the samples with some inputs
 * set to fixed values. Targets measure the error (rmse); training uses them only if `targets` > 0. */
#include "base/formula.h"
#include "loss/loss.h"
#include "loss/pde_field.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/formula.h"
#include "op/move.h"
#include "op/reduce.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MAX_FORMULAS = 16, MAX_CONDITIONS = 32 };

typedef struct pde_config {
  gt_strings inputs, outputs, residual;
  const gt_spec *conditions;
  double targets;
} pde_config;

typedef struct condition_config {
  const gt_spec *at;
  gt_strings residual;
  double weight;
} condition_config;

static const gt_field condition_fields[] = {
    GT_ROW(condition_config, at, GT_FIELD_NODE, .definition = "named", .flags = GT_FIELD_REQUIRED,
           .help = "fixed inputs and their values"),
    GT_ROW(condition_config, residual, GT_FIELD_STRINGS, .flags = GT_FIELD_REQUIRED,
           .help = "formula or formulas that must be 0 there"),
    GT_ROW(condition_config, weight, GT_FIELD_FLOAT, .fallback = "1", .min = 0, .max = 1e30,
           .help = "weight of the squared residual"),
    {.name = NULL},
};
static const gt_schema condition_schema = {
    .name = "condition", .help = "a boundary or initial condition", .fields = condition_fields};

static const gt_field fields[] = {
    GT_ROW(pde_config, residual, GT_FIELD_STRINGS, .flags = GT_FIELD_REQUIRED,
           .help = "formula or formulas that must be 0, such as \"u_xx + u_yy + 1\", of the inputs, "
                   "outputs and their derivatives; u_xy is the derivative of u with respect to x and y"),
    GT_ROW(pde_config, conditions, GT_FIELD_NODE, .sub = &condition_schema,
           .help = "boundary and initial conditions, a list of {at: {NAME: NUMBER, …}, residual: …, "
                   "weight: 1}: formulas that must be 0 where some inputs have fixed values and the "
                   "others come from the samples"),
    GT_ROW(pde_config, inputs, GT_FIELD_STRINGS,
           .help = "names of the model's input values (default: x, y, z)"),
    GT_ROW(pde_config, outputs, GT_FIELD_STRINGS, .help = "names of the model's output values (default: u)"),
    GT_ROW(pde_config, targets, GT_FIELD_FLOAT, .fallback = "0", .min = 0, .max = 1e30,
           .help = "weight of the squared error against the data's targets; with 0 they are only used "
                   "for the metric rmse"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "pde", .help = "residual of differential equations", .fields = fields};

typedef struct formulas { /* formulas of the equation, or of a condition */
  const gt_formula *item[MAX_FORMULAS];
  int count;
  double weight;
  bool set[GT_PDE_MAX_AXES]; /* inputs that are fixed to `value` */
  double value[GT_PDE_MAX_AXES];
} formulas;

typedef struct pde {
  gt_graph *graph;
  const gt_loss *loss;
  const gt_loss_input *input;
  gt_diagnostics *diagnostics;
  gt_pde_names names;
  formulas equation, condition[MAX_CONDITIONS];
  int conditions;
} pde;

/* --- reading -------------------------------------------------------------------------------------------- */

static bool is_name(const char *text) {
  if (!isalpha((unsigned char)*text)) return false;
  while (isalnum((unsigned char)*text)) text++;
  return !*text;
}

static bool is_known(const gt_pde_names *names, const char *name) {
  for (int k = 0; k < names->count; k++)
    if (!strcmp(names->name[k], name)) return true;
  return false;
}

/* Adds one name per value: the `given` names or, if there are none, the first default names. */
static bool read_names(pde *p, const char *key, gt_strings given, int64_t values,
                       const char *const *default_name, int defaults, int most, int *count) {
  if ((given.count && given.count != values) || (!given.count && values > defaults) || values > most)
    return gt_loss_error(p->loss, key, p->diagnostics,
                         "needs one name for each of the model's %s (%lld, at most %d)", key,
                         (long long)values, most);
  for (int i = 0; i < values; i++) {
    const char *name = given.count ? given.items[i] : default_name[i];
    if (is_known(&p->names, name))
      return gt_loss_error(p->loss, key, p->diagnostics, "has two values with the name '%s'", name);
    if (!is_name(name))
      return gt_loss_error(p->loss, key, p->diagnostics,
                           "cannot use the name '%s': only letters and digits are allowed", name);
    p->names.name[p->names.count++] = name;
  }
  *count = (int)values;
  return true;
}

/* Adds the derivatives that a formula uses to the names; node: the formula in the config. */
static bool find_derivatives(pde *p, const char *text, const gt_spec *node) {
  gt_pde_names *names = &p->names;
  size_t n;
  for (const char *c = text; *c; c += n ? n : 1) {
    gt_pde_derivative d;
    n = 0;
    while (isalnum((unsigned char)c[n]) || c[n] == '_') n++;
    if (!n || !gt_pde_read_derivative(names, c, n, &d)) continue;
    const char *name = gt_arena_strndup(p->diagnostics->arena, c, n);
    if (d.order > GT_PDE_MAX_ORDER || names->count == GT_PDE_MAX_NAMES)
      return gt_refuse(p->diagnostics, gt_position_within(node, (int)(c - text), (int)n),
                       gt_arena_printf(p->diagnostics->arena,
                                       "at most %d derivatives, each of order %d or less",
                                       GT_PDE_MAX_NAMES - names->axes - names->outputs, GT_PDE_MAX_ORDER),
                       d.order > GT_PDE_MAX_ORDER ? "the order of the derivative '%s' is too high"
                                                  : "'%s' is one derivative too many",
                       name);
    if (is_known(names, name)) continue;
    names->name[names->count] = name;
    names->at[names->count] = gt_position_within(node, (int)(c - text), (int)n);
    names->derivative[names->count++] = d;
  }
  return true;
}

static bool depends_on_outputs(const pde *p, const gt_formula *f) {
  if (f->kind == GT_FORMULA_VARIABLE) return f->variable >= p->names.axes;
  for (int i = 0; i < f->arguments; i++)
    if (depends_on_outputs(p, f->argument[i])) return true;
  return false;
}

/* The formula "LEFT - (RIGHT)" for an equation LEFT = RIGHT, whose '=' is at a column; NULL: it cannot be
 * read, either. */
static const char *on_one_side(const pde *p, const char *text, int column) {
  gt_arena *arena = p->diagnostics->arena;
  const char *right = text + column + strspn(text + column, "= ");
  int left = column, length = (int)strlen(right);
  while (left > 0 && text[left - 1] == ' ') left--;
  while (length > 0 && right[length - 1] == ' ') length--;
  const char *one = length == 1 && *right == '0'
                        ? gt_arena_strndup(arena, text, (size_t)left)
                        : gt_arena_printf(arena, "%.*s - (%.*s)", left, text, length, right);
  return gt_formula_parse(arena, one, p->names.name, p->names.count, NULL) ? one : NULL;
}

/* Reports a formula that cannot be parsed; node: the formula in the config. */
static void report_formula(const pde *p, const char *text, const gt_spec *node,
                           const gt_formula_error *error) {
  gt_arena *arena = p->diagnostics->arena;
  const char *at = text + error->column;
  size_t length = 0;
  while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
  if (*at == '=') {
    const char *one = on_one_side(p, text, error->column);
    gt_error_at(p->diagnostics, gt_position_within(node, error->column, 1),
                "an equation is written without '='")
        ->expected = gt_arena_printf(arena, "the formula that is 0%s%s%s", one ? ": \"" : "",
                                     one ? one : ", all terms on one side", one ? "\"" : "");
    return;
  }
  gt_diagnostic *item =
      gt_error_at(p->diagnostics, gt_position_within(node, error->column, length ? (int)length : 1), "%s",
                  error->message);
  /* A known name may be similar to that of a derivative by an unknown input, and mean something else. */
  if (error->suggestion && !memchr(at, '_', length))
    item->suggestion = gt_arena_strdup(arena, error->suggestion);
  if (!item->suggestion && *at && !strchr("()|", *at))
    item->help = gt_pde_names_help(&p->names, at, length, arena);
}

/* Parses formulas; node: the value of `residual`. */
static bool read_formulas(pde *p, gt_strings texts, const gt_spec *node, formulas *out) {
  if (texts.count < 1 || texts.count > MAX_FORMULAS)
    return gt_refuse(p->diagnostics, node->at, "1 to 16 formulas", "'residual' has %d formulas", texts.count);
  for (int i = 0; i < texts.count; i++) {
    const gt_spec *text = node->kind == GT_SPEC_SEQUENCE ? node->child[i] : node;
    gt_formula_error error;
    if (!find_derivatives(p, texts.items[i], text)) return false;
    const gt_formula *f =
        gt_formula_parse(p->graph->arena, texts.items[i], p->names.name, p->names.count, &error);
    if (!f) {
      report_formula(p, texts.items[i], text, &error);
      return false;
    }
    if (!depends_on_outputs(p, f))
      return gt_refuse(p->diagnostics, text->at,
                       gt_arena_printf(p->diagnostics->arena, "a formula with '%s' or its derivatives",
                                       p->names.name[p->names.axes]),
                       "this formula does not depend on the model's output");
    out->item[out->count++] = f;
  }
  return true;
}

/* Warns of a condition at a value outside the training samples, where the equation is not trained. Samples
 * that are drawn do not reach the ends of their range: on average they end 1/n of the width before, and those
 * of a grid half a cell. */
static void review_place(const pde *p, int axis, double value, gt_position at) {
  const gt_value_range *range = p->input->model->reviewed;
  if (!range || range->columns != p->names.axes || range->count < 1) return;
  const double low = (double)range->low[axis], high = (double)range->high[axis], n = (double)range->count,
               margin = (high - low) * fmax(10 / n, pow(n, -1.0 / p->names.axes)) +
                        1e-6 * fmax(fabs(low), fabs(high));
  const char *name = p->names.name[axis];
  if (value >= low - margin && value <= high + margin) return;
  gt_finding_at(
      p->diagnostics, GT_FINDING_no_effect, at,
      "the condition holds at %s = %g, but the samples of %s go from %.4g to %.4g: the equation is not "
      "trained there",
      name, value, name, low, high)
      ->help = "a value on the edge of the samples or between them, or samples with a larger range";
}

/* Reads the fixed inputs and their values. */
static bool read_at(pde *p, const gt_spec *at, formulas *out) {
  if (at->kind != GT_SPEC_MAP || !at->count)
    return gt_refuse(p->diagnostics, at->at, "a map such as {x: 0}",
                     "'at' of a condition must be a map of input names to numbers");
  for (int i = 0; i < at->count; i++) {
    const gt_spec *entry = at->child[i];
    int axis = 0;
    while (axis < p->names.axes && strcmp(p->names.name[axis], entry->key) != 0) axis++;
    if (axis == p->names.axes) {
      const char *as_derivative =
          gt_arena_printf(p->diagnostics->arena, "%s_%s", p->names.name[p->names.axes], entry->key);
      gt_error_at(p->diagnostics, entry->key_at, "there is no input '%s'", entry->key)->help =
          gt_pde_names_help(&p->names, as_derivative, strlen(as_derivative), p->diagnostics->arena);
      return false;
    }
    if (!gt_spec_float(entry, &out->value[axis]))
      return gt_refuse(p->diagnostics, entry->at, NULL, "the value of '%s' must be a number", entry->key);
    out->set[axis] = true;
    review_place(p, axis, out->value[axis], entry->at);
  }
  return true;
}

static bool read_conditions(pde *p, const gt_spec *list) {
  if (gt_spec_is_null(list)) return true;
  if (list->kind != GT_SPEC_SEQUENCE || list->count > MAX_CONDITIONS)
    return gt_refuse(p->diagnostics, list->at, "a list such as [{at: {x: 0}, residual: u}]",
                     "'conditions' must be a list of at most %d", MAX_CONDITIONS);
  for (int i = 0; i < list->count; i++) {
    const gt_spec *item = list->child[i];
    formulas *out = &p->condition[p->conditions++];
    condition_config c;
    if (!gt_schema_read(&condition_schema, &c, NULL, NULL, item, item->at, "in a condition", p->graph->arena,
                        p->diagnostics) ||
        !read_at(p, c.at, out) || !read_formulas(p, c.residual, gt_spec_find(item, "residual"), out))
      return false;
    out->weight = c.weight;
  }
  return true;
}

static bool read_all(pde *p) {
  static const char *const axes[] = {"x", "y", "z"}, *const outputs[] = {"u"};
  const pde_config *c = p->loss->config;
  const gt_shape points = gt_node_at(p->graph, p->input->model->input)->shape,
                 output = gt_node_at(p->graph, p->input->prediction)->shape;
  p->equation.weight = 1;
  return read_names(p, "inputs", c->inputs, points.dim[1], axes, 3, GT_PDE_MAX_AXES, &p->names.axes) &&
         read_names(p, "outputs", c->outputs, gt_shape_count(output) / points.dim[0], outputs, 1,
                    GT_PDE_MAX_OUTPUTS, &p->names.outputs) &&
         read_formulas(p, c->residual, gt_spec_find(p->loss->spec, "residual"), &p->equation) &&
         read_conditions(p, c->conditions);
}

/* --- building ------------------------------------------------------------------------------------------- */

static void mark_used(const gt_formula *f, bool *used) {
  if (f->kind == GT_FORMULA_VARIABLE) used[f->variable] = true;
  for (int i = 0; i < f->arguments; i++) mark_used(f->argument[i], used);
}

static void mark_used_by(const formulas *f, bool *used) {
  for (int i = 0; i < f->count; i++) mark_used(f->item[i], used);
}

/* Reports that the layer of a node prevents a derivative. what: "mixes samples". */
static gt_diagnostic *report_layer(const pde *p, gt_id node, const char *what, const char *derivative) {
  const gt_loss_model *model = p->input->model;
  const char *layer = gt_node_at(p->graph, node)->scope;
  return gt_error_at(p->diagnostics, model->place(model, layer, p->loss->at),
                     "layer '%s' %s, but loss 'pde' uses '%s'", layer, what, derivative);
}

/* True if the model has the derivatives that are used; otherwise reports an error. */
static bool check_smooth(const pde *p, const gt_pde_field *field, const bool *used) {
  gt_arena *arena = p->diagnostics->arena;
  int highest = -1; /* the name of the derivative with the highest order */
  for (int k = p->names.axes + p->names.outputs; k < p->names.count; k++)
    if (used[k] && (highest < 0 || p->names.derivative[k].order > p->names.derivative[highest].order))
      highest = k;
  if (highest < 0) return true;
  const int order = p->names.derivative[highest].order;
  const char *name = p->names.name[highest];
  const gt_id mixed = gt_tangent_first_mixing(p->graph, field->points, field->output),
              kink = gt_tangent_kink(p->graph, field->points, field->output, order);
  if (mixed != GT_NONE)
    report_layer(p, mixed, "mixes samples, so no sample has derivatives of its own", name);
  else if (kink != GT_NONE)
    report_layer(p, kink,
                 gt_arena_printf(arena, "(%s) has no continuous derivative of order %d",
                                 gt_node_at(p->graph, kink)->op->name, order),
                 name)
        ->expected = gt_arena_printf(
        arena, "a smooth layer, such as tanh, silu%s",
        order > 2 ? " or sin"
                  : gt_arena_printf(arena, ", sin or a kan with splines of degree %d or more", order + 1));
  return mixed == GT_NONE && kink == GT_NONE;
}

/* Why a derivative is always 0: "the model is linear in x". */
static const char *reason_for_zero(const pde *p, gt_pde_field *field, const gt_pde_derivative *d) {
  gt_arena *arena = p->diagnostics->arena;
  const char *const *input = p->names.name, *first = input[d->axis[0]], *last = input[d->axis[d->order - 1]];
  for (int i = 0; i < d->order; i++) {
    const gt_pde_derivative once = {.output = d->output, .order = 1, .axis = {d->axis[i]}};
    if (gt_pde_is_zero(field, &once))
      return gt_arena_printf(arena, "its output does not depend on %s", input[d->axis[i]]);
  }
  if (d->order > 2) return "as a function of these inputs, the model is a polynomial of lower order";
  return strcmp(first, last)
             ? gt_arena_printf(arena, "the model adds functions of %s and of %s alone", first, last)
             : gt_arena_printf(arena, "the model is linear in %s", first);
}

/* Warns of a derivative that is 0 by construction. */
static void review_zero(const pde *p, gt_pde_field *field, int name) {
  const gt_pde_derivative *d = &p->names.derivative[name];
  if (!p->input->model->reviewed || name < p->names.axes + p->names.outputs || !gt_pde_is_zero(field, d))
    return;
  gt_finding_at(p->diagnostics, GT_FINDING_undetermined, p->names.at[name],
                "'%s' is 0 whatever the model's weights are: %s", p->names.name[name],
                reason_for_zero(p, field, d))
      ->help = d->order > 1
                   ? "layers that read these inputs, with activations between them, such as tanh or sin"
                   : "layers that read all inputs";
}

/* True if the formula uses a derivative of an output. */
static bool has_derivatives(const pde *p, const gt_formula *f) {
  bool used[GT_PDE_MAX_NAMES] = {false}, has = false;
  mark_used(f, used);
  for (int k = p->names.axes + p->names.outputs; k < p->names.count; k++) has |= used[k];
  return has;
}

/* Warns of equations in derivatives without anything that tells their solutions apart. A formula without
 * derivatives does, and a model whose later layers read the input again may have the conditions built in. */
static void review_conditions(const pde *p) {
  const gt_graph *graph = p->graph;
  const gt_loss_model *model = p->input->model;
  const gt_spec *residual = gt_spec_find(p->loss->spec, "residual");
  bool any = ((const pde_config *)p->loss->config)->targets > 0;
  const char *reader = NULL;
  for (int i = 0; i < p->equation.count; i++) any |= !has_derivatives(p, p->equation.item[i]);
  for (int c = 0; c < p->conditions; c++) any |= p->condition[c].weight > 0;
  for (gt_id id = model->input + 1; id <= p->input->prediction && !any; id++)
    for (int k = 0; k < graph->node[id].inputs; k++) {
      if (graph->node[id].input[k] != model->input) continue;
      any |= reader && graph->node[id].scope != reader;
      reader = graph->node[id].scope;
    }
  if (any) return;
  gt_finding_at(
      p->diagnostics, GT_FINDING_undetermined, residual->at,
      "the loss has neither conditions nor targets, so nothing determines which solution of the equation is "
      "found")
      ->help = "conditions, such as [{at: {x: 0}, residual: u}], or a weight for `targets`";
}

/* weight times the sum of the squared formulas at points first … first + count - 1, F32 [count]; GT_NONE
 * after reporting an error. */
static gt_id squared_residuals(const pde *p, gt_pde_field *field, const formulas *f, int64_t first,
                               int64_t count) {
  gt_id value[GT_PDE_MAX_NAMES], sum = GT_NONE;
  bool used[GT_PDE_MAX_NAMES] = {false};
  mark_used_by(f, used);
  for (int k = 0; k < p->names.count; k++) {
    value[k] = used[k] ? gt_pde_value(field, k, first, count) : GT_NONE;
    if (used[k] && field->failed == GT_NONE) review_zero(p, field, k);
    if (field->failed == GT_NONE) continue;
    report_layer(p, field->failed,
                 gt_arena_printf(p->diagnostics->arena, "(%s) has no such derivative",
                                 gt_node_at(p->graph, field->failed)->op->name),
                 p->names.name[k]);
    return GT_NONE;
  }
  for (int i = 0; i < f->count; i++) {
    const gt_id r = gt_formula_emit(p->graph, f->item[i], value), square = gt_mul(p->graph, r, r);
    sum = sum == GT_NONE ? square : gt_add(p->graph, sum, square);
  }
  return f->weight == 1 ? sum : gt_mul(p->graph, sum, gt_constant(p->graph, f->weight));
}

/* For each condition all samples, in which the inputs that the condition fixes have its values: [conditions *
 * batch, inputs]. */
static gt_id boundary_points(const pde *p) {
  gt_graph *graph = p->graph;
  const gt_id points = p->input->model->input;
  const int64_t batch = gt_node_at(graph, points)->shape.dim[0];
  gt_id condition_points[MAX_CONDITIONS], column[GT_PDE_MAX_AXES];
  for (int c = 0; c < p->conditions; c++) {
    for (int k = 0; k < p->names.axes; k++) {
      const int64_t start[2] = {0, k}, stop[2] = {batch, k + 1};
      column[k] = p->condition[c].set[k]
                      ? gt_expand(graph, gt_constant(graph, p->condition[c].value[k]), gt_shape_2(batch, 1))
                      : gt_shrink(graph, points, start, stop);
    }
    condition_points[c] = gt_concatenate(graph, column, p->names.axes, 1);
  }
  return gt_concatenate(graph, condition_points, p->conditions, 0);
}

/* The squared residuals of the equation at the samples, F32 [batch]; GT_NONE after reporting an error. */
static gt_id build_equation(const pde *p) {
  bool used[GT_PDE_MAX_NAMES] = {false};
  gt_pde_field field;
  mark_used_by(&p->equation, used);
  gt_pde_field_init(&field, p->graph, &p->names, p->input->model->input, p->input->prediction);
  gt_id each = GT_NONE;
  if (check_smooth(p, &field, used))
    each = squared_residuals(p, &field, &p->equation, 0, gt_node_at(p->graph, field.points)->shape.dim[0]);
  gt_pde_field_finish(&field);
  return each;
}

/* Adds the squared residuals of the conditions to `each`. */
static gt_id add_conditions(const pde *p, gt_id each) {
  const gt_loss_model *model = p->input->model;
  const int64_t batch = gt_node_at(p->graph, model->input)->shape.dim[0];
  bool used[GT_PDE_MAX_NAMES] = {false};
  gt_pde_field field;
  const gt_id points = boundary_points(p), output = model->at(model, points);
  if (output == GT_NONE) return GT_NONE;
  for (int c = 0; c < p->conditions; c++) mark_used_by(&p->condition[c], used);
  gt_pde_field_init(&field, p->graph, &p->names, points, output);
  if (!check_smooth(p, &field, used)) each = GT_NONE;
  for (int c = 0; c < p->conditions && each != GT_NONE; c++) {
    const gt_id more = squared_residuals(p, &field, &p->condition[c], c * batch, batch);
    each = more == GT_NONE ? GT_NONE : gt_add(p->graph, each, more);
  }
  gt_pde_field_finish(&field);
  return each;
}

static gt_id residual(gt_graph *graph, const gt_loss *loss, const gt_loss_input *input,
                      gt_diagnostics *diagnostics) {
  const pde_config *c = loss->config;
  const gt_node *points = input->model ? gt_node_at(graph, input->model->input) : NULL;
  if (!points || points->dtype != GT_F32 || points->shape.rank != 2) {
    gt_error_at(diagnostics, loss->at,
                "loss 'pde' needs a model with one input, a vector of numbers per sample");
    return GT_NONE;
  }
  pde *p = GT_NEW(graph->arena, pde);
  *p = (pde){.graph = graph, .loss = loss, .input = input, .diagnostics = diagnostics};
  if (!read_all(p)) return GT_NONE;
  if (input->model->reviewed) review_conditions(p);
  gt_id each = build_equation(p);
  if (each != GT_NONE && p->conditions) each = add_conditions(p, each);
  if (each == GT_NONE || c->targets <= 0) return each;
  const gt_id error = gt_loss_squared_error(graph, input->prediction, input->targets);
  return gt_add(graph, each, gt_mul(graph, error, gt_constant(graph, c->targets)));
}

static bool has_target_weight(const void *config) { return ((const pde_config *)config)->targets > 0; }

GT_DEFINE(loss, pde) = {.name = "pde",
                        .help = "residual of differential equations (physics-informed training)",
                        .schema = &schema,
                        .config_size = sizeof(pde_config),
                        .regresses_targets = has_target_weight,
                        .residual = residual};
