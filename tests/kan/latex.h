/* Parses and evaluates LaTeX formulas in x_{0}, x_{1}, ..., independently of the code that writes them:
 * adjacent factors are multiplied, a minus after a factor subtracts, and ambiguous input (a power after a
 * function or a fraction, two signs in a row) is an error. */
#ifndef TESTS_KAN_LATEX_H
#define TESTS_KAN_LATEX_H
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct latex_reader {
  const char *at;  /* the next character */
  const double *x; /* values of the variables */
  bool failed;
} latex_reader;

static inline void latex_skip(latex_reader *r) {
  while (*r->at == ' ') r->at++;
}

/* Skips the word if it is next; false if it is not. A command such as \tan is not the start of \tanh. */
static inline bool latex_accept(latex_reader *r, const char *word) {
  latex_skip(r);
  const size_t length = strlen(word);
  if (strncmp(r->at, word, length) ||
      (isalpha((unsigned char)word[length - 1]) && isalpha((unsigned char)r->at[length]) && word[0] == '\\'))
    return false;
  r->at += length;
  return true;
}

static inline double latex_sum(latex_reader *r);

/* A sum in brackets. */
static inline double latex_group(latex_reader *r, const char *open, const char *close) {
  if (!latex_accept(r, open)) r->failed = true;
  const double value = latex_sum(r);
  if (!latex_accept(r, close)) r->failed = true;
  return value;
}

/* A function and its argument, or a fraction. */
static inline double latex_named(latex_reader *r) {
  static const struct {
    const char *name;
    double (*function)(double);
  } functions[] = {{"\\sin", sin}, {"\\cos", cos},     {"\\tan", tan},    {"\\tanh", tanh},
                   {"\\log", log}, {"\\arcsin", asin}, {"\\arctan", atan}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (latex_accept(r, functions[i].name))
      return functions[i].function(latex_group(r, "\\left(", "\\right)"));
  if (latex_accept(r, "\\sigma")) return 1 / (1 + exp(-latex_group(r, "\\left(", "\\right)")));
  if (latex_accept(r, "\\frac")) {
    const double numerator = latex_group(r, "{", "}");
    return numerator / latex_group(r, "{", "}");
  }
  r->failed = true;
  return NAN;
}

/* A factor without its power. *allows_power: false if a power that follows would be ambiguous. */
static inline double latex_base(latex_reader *r, bool *allows_power) {
  latex_skip(r);
  *allows_power = true;
  if (isdigit((unsigned char)*r->at)) return strtod(r->at, (char **)&r->at);
  if (latex_accept(r, "x_{")) {
    const long variable = strtol(r->at, (char **)&r->at, 10);
    if (!latex_accept(r, "}")) r->failed = true;
    return r->x[variable];
  }
  if (latex_accept(r, "\\pi")) return 3.14159265358979323846;
  if (*r->at == 'e') return r->at++, 2.71828182845904523536;
  if (latex_accept(r, "\\sqrt")) return sqrt(latex_group(r, "{", "}"));
  if (!strncmp(r->at, "\\left(", 6)) return latex_group(r, "\\left(", "\\right)");
  if (!strncmp(r->at, "\\left|", 6)) return fabs(latex_group(r, "\\left|", "\\right|"));
  *allows_power = false;
  return latex_named(r);
}

static inline double latex_factor(latex_reader *r) {
  bool allows_power;
  const double base = latex_base(r, &allows_power);
  if (!latex_accept(r, "^")) return base;
  if (!allows_power) r->failed = true;
  const double exponent = latex_group(r, "{", "}"), value = pow(base, exponent);
  if (latex_accept(r, "^")) r->failed = true;
  return value;
}

static inline double latex_product(latex_reader *r) {
  double value = latex_factor(r);
  for (;;) {
    const bool has_operator = latex_accept(r, "\\,") | latex_accept(r, "\\cdot");
    latex_skip(r);
    if (!*r->at || strchr("+-}", *r->at) || !strncmp(r->at, "\\right", 6))
      return r->failed |= has_operator, value; /* an operator must not be last */
    value *= latex_factor(r);
    if (r->failed) return value;
  }
}

static inline double latex_sum(latex_reader *r) {
  double sign = latex_accept(r, "-") ? -1 : 1, value = 0;
  for (;;) {
    value += sign * latex_product(r);
    if (!latex_accept(r, "+") && (latex_skip(r), *r->at != '-')) return value;
    if (r->at[-1] == '+')
      sign = 1;
    else
      sign = -1, r->at++;
    if (r->failed) return value;
  }
}

/* The value of the formula at x; NaN if it cannot be parsed or is ambiguous. */
static inline double latex_value(const char *text, const double *x) {
  latex_reader r = {text, x, false};
  const double value = latex_sum(&r);
  latex_skip(&r);
  return r.failed || *r.at ? NAN : value;
}
#endif
