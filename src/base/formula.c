#include "base/formula.h"
#include "base/real.h"
#include "base/text.h"
#include "lib/opcodes.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_LENGTH = 4096, MAX_NAMES = 256 };

typedef struct function {
  const char *name;
  int arguments;
  double (*value)(double a, double b);
} function;

/* Each instruction is marked CALLED, if formulas can call it by name, or INNER, if they cannot. */
#define VALUE_CALLED(name, real_value) \
  static double name##_value(double a, double b) { return (void)a, (void)b, real_value; }
#define VALUE_INNER(name, real_value)
#define VALUE(opcode, NAME, name, inputs, slope, formula, loop, float_value, glsl_value, real_value) \
  VALUE_##formula(name, real_value)
GT_INSTRUCTIONS(VALUE)

/* Functions that no CALLED instruction computes: in a graph, op/formula.c composes them of nodes. */
#define COMPOSED_FUNCTIONS(X)         \
  X(leaky_relu, a > 0 ? a : 0.01 * a) \
  X(tan, tan(a))                      \
  X(asin, asin(a))                    \
  X(acos, acos(a))                    \
  X(log10, log10(a))                  \
  X(floor, floor(a))                  \
  X(gaussian, exp(-a *a))
#define COMPOSED_VALUE(name, real_value) VALUE_CALLED(name, real_value)
COMPOSED_FUNCTIONS(COMPOSED_VALUE)

#define ENTRY_CALLED(name, inputs) {#name, inputs, name##_value},
#define ENTRY_INNER(name, inputs)
#define ENTRY(opcode, NAME, name, inputs, slope, formula, ...) ENTRY_##formula(name, inputs)
#define COMPOSED_ENTRY(name, real_value)                       {#name, 1, name##_value},
static const function functions[] = {COMPOSED_FUNCTIONS(COMPOSED_ENTRY) GT_INSTRUCTIONS(ENTRY)};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Synonyms that formulas may use. */
static const char *const synonyms[][2] = {
    {"ln", "log"}, {"arcsin", "asin"}, {"arccos", "acos"}, {"arctan", "atan"}, {"sgn", "sign"}};

/* Names from other languages, with the equivalent that an error message suggests; NULL: there is none. Every
 * common function of one argument must be in this list or a list above: for a missing one, the message would
 * suggest a similar name, which is a different function. */
static const char *const foreign_names[][2] = {{"logistic", "sigmoid"},
                                               {"expit", "sigmoid"},
                                               {"swish", "silu"},
                                               {"fabs", "abs"},
                                               {"absolute", "abs"},
                                               {"maximum", "max"},
                                               {"minimum", "min"},
                                               {"fmax", "max"},
                                               {"fmin", "min"},
                                               {"power", "pow"},
                                               {"fmod", "mod"},
                                               {"remainder", "mod"},
                                               {"negative", "neg"},
                                               {"inverse", "reciprocal"},
                                               {"square", "x^2"},
                                               {"exp10", "10^x"},
                                               {"expm1", "exp(x) - 1"},
                                               {"log1p", "log(1 + x)"},
                                               {"cbrt", "sign(x)*abs(x)^(1/3)"},
                                               {"rsqrt", "1/sqrt(x)"},
                                               {"cot", "1/tan(x)"},
                                               {"sec", "1/cos(x)"},
                                               {"csc", "1/sin(x)"},
                                               {"sinc", "sin(pi*x)/(pi*x)"},
                                               {"sinh", "(exp(x) - exp(-x))/2"},
                                               {"cosh", "(exp(x) + exp(-x))/2"},
                                               {"coth", "1/tanh(x)"},
                                               {"sech", "2/(exp(x) + exp(-x))"},
                                               {"csch", "2/(exp(x) - exp(-x))"},
                                               {"asinh", "log(x + sqrt(x^2 + 1))"},
                                               {"arcsinh", "log(x + sqrt(x^2 + 1))"},
                                               {"acosh", "log(x + sqrt(x^2 - 1))"},
                                               {"arccosh", "log(x + sqrt(x^2 - 1))"},
                                               {"atanh", "log((1 + x)/(1 - x))/2"},
                                               {"arctanh", "log((1 + x)/(1 - x))/2"},
                                               {"acot", "atan(1/x)"},
                                               {"arccot", "atan(1/x)"},
                                               {"erfc", "1 - erf(x)"},
                                               {"ceil", "-floor(-x)"},
                                               {"round", "floor(x + 0.5)"},
                                               {"rint", "floor(x + 0.5)"},
                                               {"trunc", "sign(x)*floor(abs(x))"},
                                               {"frac", "x % 1"},
                                               {"heaviside", "0 < x"},
                                               {"elu", "max(x, exp(min(x, 0)) - 1)"},
                                               {"softsign", "x/(1 + abs(x))"},
                                               {"logit", "log(x/(1 - x))"},
                                               {"rad2deg", "x*180/pi"},
                                               {"deg2rad", "x*pi/180"},
                                               {"degrees", "x*180/pi"},
                                               {"radians", "x*pi/180"},
                                               {"atan2", NULL},
                                               {"arctan2", NULL},
                                               {"hypot", NULL},
                                               {"gamma", NULL},
                                               {"lgamma", NULL},
                                               {"tgamma", NULL},
                                               {"gammaln", NULL},
                                               {"erfinv", NULL},
                                               {"sum", NULL},
                                               {"mean", NULL},
                                               {"prod", NULL},
                                               {"where", NULL},
                                               {"clip", NULL},
                                               {"clamp", NULL}};

static const function *find_function(const char *name) {
  for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
    if (!strcmp(name, synonyms[i][0])) name = synonyms[i][1];
  for (int i = 0; i < FUNCTIONS; i++)
    if (!strcmp(functions[i].name, name)) return &functions[i];
  return NULL;
}

const char *gt_formula_meaning(const char *name) {
  const function *f = find_function(name);
  if (f) return f->name;
  for (size_t i = 0; i < sizeof foreign_names / sizeof *foreign_names; i++)
    if (!strcmp(name, foreign_names[i][0])) return foreign_names[i][1] ? foreign_names[i][1] : "";
  return NULL;
}

typedef struct parser {
  gt_arena *arena;
  const char *text, *at;
  const char *const *names;
  int count, depth;
  gt_formula_error *error;
} parser;

typedef const gt_formula *tree;

static tree parse_comparison(parser *p);
static tree parse_unary(parser *p);

__attribute__((format(printf, 4, 5))) static tree fail(parser *p, const char *at, const char *suggestion,
                                                       const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  p->error->column = (int)(at - p->text);
  vsnprintf(p->error->message, sizeof p->error->message, format, arguments);
  p->error->suggestion = suggestion;
  va_end(arguments);
  return NULL;
}

static bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Skips blanks and returns the next character. */
static char skip(parser *p) {
  while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
  return *p->at;
}

static tree new_number(parser *p, double value) {
  gt_formula *node = GT_NEW(p->arena, gt_formula);
  *node = (gt_formula){.kind = GT_FORMULA_NUMBER, .number = value};
  return node;
}

static tree new_call(parser *p, const char *name, tree a, tree b) {
  if (!a) return NULL;
  gt_formula *node = GT_NEW(p->arena, gt_formula);
  *node = (gt_formula){.kind = GT_FORMULA_CALL, .call = find_function(name)->name, .argument = {a, b}};
  node->arguments = b ? 2 : 1;
  return node;
}

/* The number of bytes of the character at `at`, for messages. */
static int character_size(const char *at) {
  int n = 1;
  if (*at)
    while (((unsigned char)at[n] & 0xC0) == 0x80) n++;
  return n;
}

static tree fail_unexpected(parser *p, const char *expected) {
  const char c = skip(p);
  if (!c) return fail(p, p->at, NULL, "the formula ends here; expected %s", expected);
  return fail(p, p->at, NULL, "unexpected '%.*s'; expected %s", character_size(p->at), p->at, expected);
}

static tree parse_number(parser *p) {
  const char *start = p->at, *c = p->at;
  while (is_digit(*c)) c++;
  if (*c == '.') c++;
  while (is_digit(*c)) c++;
  if (*c == 'e' || *c == 'E') {
    const char *digits = c + 1 + (c[1] == '+' || c[1] == '-');
    if (is_digit(*digits)) {
      c = digits;
      while (is_digit(*c)) c++;
    }
  }
  p->at = c;
  const double value = strtod(gt_arena_strndup(p->arena, start, (size_t)(c - start)), NULL);
  if (!isfinite(value)) return fail(p, start, NULL, "this number is too large");
  if (*c == '.') return fail(p, c, NULL, "a number can have only one decimal point");
  return new_number(p, value);
}

/* Arguments of a call; p->at is directly after '('. */
static tree parse_call(parser *p, const function *f, const char *name_at) {
  const char *open = p->at - 1;
  const int wanted = f->arguments;
  tree argument[2] = {NULL, NULL};
  int n = 0;
  if (skip(p) != ')') {
    for (;;) {
      tree a = parse_comparison(p);
      if (!a) return NULL;
      if (n < 2) argument[n] = a;
      n++;
      if (skip(p) != ',') break;
      p->at++;
    }
  }
  if (!*p->at) return fail(p, open, NULL, "this '(' is never closed");
  if (*p->at != ')') return fail_unexpected(p, "',' or ')'");
  p->at++;
  if (n != wanted)
    return fail(p, name_at, NULL, "%s takes %s, not %d", f->name, wanted == 1 ? "1 argument" : "2 arguments",
                n);
  return new_call(p, f->name, argument[0], argument[1]);
}

static const char *suggest(const parser *p, const char *name, bool called) {
  const char *candidates[MAX_NAMES + FUNCTIONS + 2];
  const char *meaning = gt_formula_meaning(name);
  size_t n = 0;
  if (meaning && (called || *meaning)) return *meaning ? meaning : NULL;
  if (!called) {
    for (int i = 0; i < p->count && n < MAX_NAMES; i++) candidates[n++] = p->names[i];
    candidates[n++] = "pi";
    candidates[n++] = "e";
  }
  for (int i = 0; i < FUNCTIONS; i++) candidates[n++] = functions[i].name;
  return gt_nearest(name, candidates, n);
}

static tree parse_name(parser *p) {
  const char *start = p->at, *end = p->at;
  while (is_name_start(*end) || is_digit(*end)) end++;
  const char *name = gt_arena_strndup(p->arena, start, (size_t)(end - start));
  p->at = end;
  const bool called = skip(p) == '(';
  const function *f = find_function(name);
  if (called) {
    if (!f) return fail(p, start, suggest(p, name, true), "unknown function '%.60s'", name);
    p->at++;
    return parse_call(p, f, start);
  }
  for (int i = 0; i < p->count; i++) {
    if (strcmp(p->names[i], name)) continue;
    gt_formula *node = GT_NEW(p->arena, gt_formula);
    *node = (gt_formula){.kind = GT_FORMULA_VARIABLE, .variable = i};
    return node;
  }
  if (!strcmp(name, "pi")) return new_number(p, 3.14159265358979323846);
  if (!strcmp(name, "e")) return new_number(p, 2.71828182845904523536);
  if (f) return fail(p, start, NULL, "'%s' is a function; expected '(' after it", name);
  if (*p->at == '.')
    return fail(p, start, NULL, "unknown name '%.60s': functions have no prefix, as in sin(pi*x0)", name);
  return fail(p, start, suggest(p, name, false), "unknown name '%.60s'", name);
}

/* |x|: a bar opens where a value can start, and closes elsewhere. */
static tree parse_bars(parser *p) {
  const char *open = p->at++;
  tree inner = parse_comparison(p);
  if (!inner) return NULL;
  if (!skip(p)) return fail(p, open, NULL, "this '|' is never closed");
  if (*p->at != '|') return fail_unexpected(p, "an operator or '|'");
  p->at++;
  return new_call(p, "abs", inner, NULL);
}

static tree parse_primary(parser *p) {
  const char c = skip(p);
  if (is_digit(c) || (c == '.' && is_digit(p->at[1]))) return parse_number(p);
  if (is_name_start(c)) return parse_name(p);
  if (c == '|') return parse_bars(p);
  if (c != '(') return fail_unexpected(p, "a number, a name or '('");
  const char *open = p->at++;
  tree inner = parse_comparison(p);
  if (!inner) return NULL;
  if (!skip(p)) return fail(p, open, NULL, "this '(' is never closed");
  if (*p->at != ')') return fail_unexpected(p, "an operator or ')'");
  p->at++;
  return inner;
}

static tree parse_power(parser *p) {
  tree base = parse_primary(p);
  if (!base) return NULL;
  const char c = skip(p);
  if (c == '*' && p->at[1] == '*') return fail(p, p->at, "^", "'**' is not an operator");
  if (c != '^') return base;
  p->at++;
  tree exponent = parse_unary(p); /* right-associative, and 2^-x is fine */
  return exponent ? new_call(p, "pow", base, exponent) : NULL;
}

static tree parse_unary(parser *p) {
  if (p->depth >= MAX_DEPTH) return fail(p, p->at, NULL, "nested more than %d deep", MAX_DEPTH);
  p->depth++;
  tree result;
  const char c = skip(p);
  if (c == '-' || c == '+') {
    p->at++;
    result = parse_unary(p);
    if (result && c == '-')
      result = result->kind == GT_FORMULA_NUMBER ? new_number(p, -result->number)
                                                 : new_call(p, "neg", result, NULL);
  } else {
    result = parse_power(p);
  }
  p->depth--;
  return result;
}

static tree parse_product(parser *p) {
  tree left = parse_unary(p);
  while (left) {
    const char c = skip(p);
    const char *name = c == '*' ? "mul" : c == '/' ? "div" : c == '%' ? "mod" : NULL;
    if (!name) break;
    p->at++;
    tree right = parse_unary(p);
    left = right ? new_call(p, name, left, right) : NULL;
  }
  return left;
}

static tree parse_sum(parser *p) {
  tree left = parse_product(p);
  while (left) {
    const char c = skip(p);
    if (c != '+' && c != '-') break;
    p->at++;
    tree right = parse_product(p);
    left = right ? new_call(p, c == '+' ? "add" : "sub", left, right) : NULL;
  }
  return left;
}

static tree parse_comparison(parser *p) {
  tree left = parse_sum(p);
  while (left) {
    const char c = skip(p);
    if (c != '<' && c != '>') break;
    if (p->at[1] == '=') return fail(p, p->at, c == '<' ? "<" : ">", "'%c=' is not an operator", c);
    p->at++;
    tree right = parse_sum(p);
    left = !right ? NULL : c == '<' ? new_call(p, "less", left, right) : new_call(p, "less", right, left);
  }
  return left;
}

const gt_formula *gt_formula_parse(gt_arena *arena, const char *text, const char *const *names, int count,
                                   gt_formula_error *error) {
  gt_formula_error ignored;
  parser p = {.arena = arena, .text = text, .at = text, .names = names, .count = count};
  p.error = error ? error : &ignored;
  *p.error = (gt_formula_error){0};
  if (strlen(text) > MAX_LENGTH)
    return fail(&p, text, NULL, "the formula is longer than %d bytes", MAX_LENGTH);
  if (!skip(&p)) return fail(&p, text, NULL, "the formula is empty");
  tree result = parse_comparison(&p);
  if (!result) return NULL;
  const char c = skip(&p);
  if (!c) return result;
  if (c == ')') return fail(&p, p.at, NULL, "this ')' has no opening '('");
  if (is_name_start(c) || is_digit(c) || c == '(') return fail(&p, p.at, "*", "an operator is missing here");
  return fail_unexpected(&p, "an operator");
}

double gt_formula_evaluate(const gt_formula *formula, const double *variables) {
  switch (formula->kind) {
  case GT_FORMULA_NUMBER: return formula->number;
  case GT_FORMULA_VARIABLE: return variables[formula->variable];
  case GT_FORMULA_CALL: break;
  }
  const double a = gt_formula_evaluate(formula->argument[0], variables);
  const double b = formula->arguments == 2 ? gt_formula_evaluate(formula->argument[1], variables) : 0;
  for (int i = 0; i < FUNCTIONS; i++)
    if (functions[i].name == formula->call) return functions[i].value(a, b);
  return NAN;
}
