#include "kan/formula_text.h"
#include <math.h>
#include <string.h>

typedef const gt_formula *tree;

typedef struct builder {
  const gt_symbolic *s;
  gt_arena *arena;
} builder;

static const double pi = 3.14159265358979323846;

static tree node_tree(const builder *b, int layer, int node);
static tree symbol_tree(const builder *b, const gt_symbolic_edge *g);

static tree new_node(const builder *b, gt_formula node) {
  gt_formula *result = GT_NEW(b->arena, gt_formula);
  *result = node;
  return result;
}

static tree number(const builder *b, double value) {
  return new_node(b, (gt_formula){.kind = GT_FORMULA_NUMBER, .number = value});
}

static tree call(const builder *b, const char *name, tree x, tree y) {
  return new_node(
      b, (gt_formula){.kind = GT_FORMULA_CALL, .call = name, .argument = {x, y}, .arguments = y ? 2 : 1});
}

static bool is_call(tree t, const char *name) { return t->kind == GT_FORMULA_CALL && !strcmp(t->call, name); }

/* Removes a negation from a factor and multiplies *sign by it instead: a sign inside a product would look
 * like a difference in LaTeX. */
static tree without_sign(tree t, double *sign) {
  if (!is_call(t, "neg")) return t;
  *sign = -*sign;
  return t->argument[0];
}

static tree signed_call(const builder *b, const char *name, tree x, tree y) {
  double sign = 1;
  x = without_sign(x, &sign);
  y = without_sign(y, &sign);
  tree result = call(b, name, x, y);
  return sign < 0 ? call(b, "neg", result, NULL) : result;
}

/* factor * t */
static tree times(const builder *b, double factor, tree t) {
  if (t->kind == GT_FORMULA_NUMBER) return number(b, factor * t->number);
  t = without_sign(t, &factor);
  if (factor == 1) return t;
  if (factor == -1) return call(b, "neg", t, NULL);
  if (factor < 0) return call(b, "neg", times(b, -factor, t), NULL);
  /* c (1 / u) is c / u, and c (u v) is c u v. */
  if (is_call(t, "div")) return call(b, "div", times(b, factor, t->argument[0]), t->argument[1]);
  if (is_call(t, "mul")) return call(b, "mul", times(b, factor, t->argument[0]), t->argument[1]);
  return call(b, "mul", number(b, factor), t);
}

/* sum + factor * t; a sum of NULL is 0 */
static tree plus(const builder *b, tree sum, double factor, tree t) {
  if (factor == 0) return sum;
  if (t->kind == GT_FORMULA_NUMBER) { /* as factor * 1, so that its sign is that of the factor */
    factor *= t->number;
    t = number(b, 1);
    if (factor == 0) return sum;
  }
  t = without_sign(t, &factor);
  if (!sum) return times(b, factor, t);
  return call(b, factor < 0 ? "sub" : "add", sum, times(b, fabs(factor), t));
}

/* a x + shift */
static tree affine(const builder *b, double a, tree x, double shift) {
  if (a < 0 && shift > 0) return plus(b, number(b, shift), a, x);
  tree sum = plus(b, plus(b, NULL, a, x), shift, number(b, 1));
  return sum ? sum : number(b, 0);
}

static tree power(const builder *b, tree u, double exponent) {
  if (exponent == 0.5) return call(b, "sqrt", u, NULL);
  if (exponent < 0) return signed_call(b, "div", number(b, 1), power(b, u, -exponent));
  if (exponent == 1) return u;
  double sign = 1;
  if (exponent == round(exponent)) u = without_sign(u, &sign);
  tree raised = call(b, "pow", u, number(b, exponent));
  return sign < 0 && fmod(exponent, 2) == 1 ? call(b, "neg", raised, NULL) : raised;
}

/* --- exp of logarithms --- */

static bool is_logarithm(const gt_symbolic_edge *g) { return g->symbol->kind == GT_SYMBOL_LOG; }

static tree argument_of(const builder *b, const gt_symbolic_edge *g) {
  return affine(b, g->value[GT_CONSTANT_A], node_tree(b, g->layer, g->from), g->value[GT_CONSTANT_B]);
}

/* Returns the sum of the edges into a node and its bias; NULL: it is 0. logarithms: include edges that are
 * logarithms, which product_of writes as factors. */
static tree sum_of(const builder *b, int layer, int node, bool logarithms) {
  tree sum = NULL;
  const double bias = b->s->bias[layer][node];
  bool starts_negative = false; /* then the sum starts with its constant, if that is positive */
  for (int e = 0; e < b->s->edges && !sum; e++) {
    const gt_symbolic_edge *g = &b->s->edge[e];
    if (g->layer + 1 == layer && g->to == node && !starts_negative)
      starts_negative = g->value[GT_CONSTANT_C] < 0;
  }
  if (starts_negative && bias > 0) sum = number(b, bias);
  const bool starts_with_bias = sum != NULL;
  for (int e = 0; e < b->s->edges; e++) {
    const gt_symbolic_edge *g = &b->s->edge[e];
    if (g->layer + 1 == layer && g->to == node && (logarithms || !is_logarithm(g)))
      sum = plus(b, sum, g->value[GT_CONSTANT_C], symbol_tree(b, g));
  }
  return starts_with_bias ? sum : plus(b, sum, bias, number(b, 1));
}

/* Returns exp of a node as a product: exp(sum of c log u + rest) = product of u^c * exp(rest). NULL if the
 * node has no logarithms. */
static tree product_of(const builder *b, int layer, int node) {
  tree numerator = NULL, denominator = NULL;
  for (int e = 0; e < b->s->edges; e++) {
    const gt_symbolic_edge *g = &b->s->edge[e];
    const double c = g->value[GT_CONSTANT_C];
    if (g->layer + 1 != layer || g->to != node || !is_logarithm(g) || c == 0) continue;
    tree factor = power(b, argument_of(b, g), fabs(c)), *product = c > 0 ? &numerator : &denominator;
    *product = *product ? signed_call(b, "mul", *product, factor) : factor;
  }
  if (!numerator && !denominator) return NULL;
  tree rest = sum_of(b, layer, node, false);
  if (rest) rest = call(b, "exp", rest, NULL);
  if (numerator && rest) numerator = signed_call(b, "mul", numerator, rest);
  if (!numerator) numerator = rest ? rest : number(b, 1);
  return denominator ? signed_call(b, "div", numerator, denominator) : numerator;
}

/* --- functions --- */

/* A sine or cosine of u, the argument of the edge; sin(v ± pi/2) is written as cos(v) or -cos(v). */
static tree sine(const builder *b, const gt_symbolic_edge *g, tree u) {
  const double *v = g->value;
  if (strcmp(g->symbol->name, "sin")) return call(b, "cos", u, NULL);
  if (fabs(fabs(v[GT_CONSTANT_B]) - pi / 2) > 1e-13) return call(b, "sin", u, NULL);
  tree inner = affine(b, v[GT_CONSTANT_A], node_tree(b, g->layer, g->from), 0);
  tree cosine = call(b, "cos", inner, NULL);
  return v[GT_CONSTANT_B] > 0 ? cosine : call(b, "neg", cosine, NULL);
}

static tree symbol_tree(const builder *b, const gt_symbolic_edge *g) {
  const char *name = g->symbol->name;
  if (g->symbol->kind == GT_SYMBOL_EXP && g->layer && g->value[GT_CONSTANT_A] == 1) {
    tree product = product_of(b, g->layer, g->from);
    if (product) return product;
  }
  tree u = argument_of(b, g);
  if (g->symbol->kind == GT_SYMBOL_LINE) return u;
  if (g->symbol->kind == GT_SYMBOL_PERIODIC) return sine(b, g, u);
  if (!strcmp(name, "gaussian")) return call(b, "exp", call(b, "neg", power(b, u, 2), NULL), NULL);
  if (g->symbol->kind == GT_SYMBOL_POWER && strcmp(name, "abs")) return power(b, u, g->symbol->power);
  return call(b, gt_formula_meaning(name), u, NULL);
}

static tree node_tree(const builder *b, int layer, int node) {
  if (!layer) return new_node(b, (gt_formula){.kind = GT_FORMULA_VARIABLE, .variable = node});
  tree sum = sum_of(b, layer, node, true);
  return sum ? sum : number(b, 0);
}

const gt_formula *gt_symbolic_tree(const gt_symbolic *symbolic, int output, gt_arena *arena) {
  const builder b = {symbolic, arena};
  return node_tree(&b, symbolic->layers, output);
}
