#include "kan/formula_text.h"
#include "base/stream.h"
#include "base/text.h"
#include "base/unicode.h"
#include "kan/formula_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUM = 1, PRODUCT, UNARY, POWER, ATOM }; /* precedence of a written expression */

typedef struct writer {
  gt_formula_style style;
  FILE *to;
  const char *const *names; /* of variables; NULL: x0, x1, … */
} writer;

/* --- names --- */

static bool fits_name(uint32_t code, bool first) {
  const bool letter = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
                      (code >= 0x80 && gt_is_word_character(code));
  return letter || code == '_' || (!first && code >= '0' && code <= '9');
}

/* The name of a column with _ for characters that a variable cannot have. */
static char *name_of(gt_arena *arena, const char *column) {
  char *name = gt_arena_alloc(arena, strlen(column) + 2), *to = name;
  if (*column >= '0' && *column <= '9') *to++ = '_';
  while (*column) {
    size_t length;
    uint32_t code;
    if (gt_displayable_length(column, &length, &code) && fits_name(code, to == name))
      to = (char *)memcpy(to, column, length) + length;
    else
      *to++ = '_';
    column += length;
  }
  *to = 0;
  return name;
}

static bool is_taken(const char *const *names, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (!strcmp(names[i], name)) return true;
  return !*name || !strcmp(name, "e") || !strcmp(name, "pi") || gt_formula_meaning(name);
}

/* True if expressions use this name, x0, x1, …, for another input than this one. */
static bool is_another_input(const char *name, int input) {
  const size_t digits = name[0] == 'x' ? strspn(name + 1, "0123456789") : 0;
  char input_name[16];
  snprintf(input_name, sizeof input_name, "x%d", input);
  return digits && !name[1 + digits] && strcmp(name, input_name) != 0;
}

const char *const *gt_formula_names(gt_arena *arena, const char *const *columns, int count) {
  const char **names = GT_NEW_N(arena, const char *, count + 1);
  for (int i = 0; i < count; i++) {
    const char *name = names[i] = name_of(arena, columns[i]);
    for (int n = i; is_taken(names, i, names[i]) || is_another_input(names[i], i); n++)
      names[i] = gt_arena_printf(arena, "%s_%d", name, n);
  }
  return names;
}

static void write_name(const writer *w, int variable) {
  const bool latex = w->style == GT_FORMULA_LATEX;
  if (!w->names) {
    fprintf(w->to, latex ? "x_{%d}" : "x%d", variable);
    return;
  }
  if (latex) fputs("\\mathrm{", w->to);
  for (const char *c = w->names[variable]; *c; c++) fprintf(w->to, latex && *c == '_' ? "\\%c" : "%c", *c);
  if (latex) fputc('}', w->to);
}

/* --- numbers --- */

static bool is_whole(double x) { return x == round(x) && fabs(x) < 1e6; }

/* The smallest divisor with value = p * unit / divisor for a whole p, up to rounding; 0: there is none. */
static int divisor_of(double value, double unit, int max_divisor) {
  for (int q = 1; q <= max_divisor; q++) {
    const double p = value * q / unit;
    if (fabs(p - round(p)) < 1e-13 * fmax(1, fabs(p)) && round(p) != 0) return q;
  }
  return 0;
}

/* Writes p * unit / q; an empty unit is 1. */
static void multiple_text(double p, int q, const char *unit, bool latex, char text[64]) {
  char numerator[32];
  const char *dot = latex ? " " : "*";
  if (p == 1)
    snprintf(numerator, sizeof numerator, "%s", unit);
  else
    snprintf(numerator, sizeof numerator, "%.0f%s%s", p, *unit ? dot : "", unit);
  if (!*numerator) snprintf(numerator, sizeof numerator, "1");
  if (q == 1)
    snprintf(text, 64, "%s", numerator);
  else
    snprintf(text, 64, latex ? "\\frac{%s}{%d}" : "%s/%d", numerator, q);
}

/* Writes a number that is not negative. */
static void positive_text(double value, int digits, bool latex, char text[64]) {
  static const struct {
    double value;
    const char *plain, *latex;
    int max_divisor;
  } units[] = {{3.14159265358979323846, "pi", "\\pi", 12},
               {1.41421356237309504880, "sqrt(2)", "\\sqrt{2}", 4},
               {1.73205080756887729353, "sqrt(3)", "\\sqrt{3}", 4}};
  const int q = value == 0 ? 1 : divisor_of(value, 1, 12);
  if (is_whole(value) || (is_whole(value * 1000) && value * 1000 >= 1)) { /* 3, 0.25 */
    snprintf(text, 64, "%.10g", value);
    return;
  }
  if (q && value < 1000) {
    multiple_text(round(value * q), q, "", latex, text);
    return;
  }
  for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
    const int d = value < 1000 ? divisor_of(value, units[u].value, units[u].max_divisor) : 0;
    if (!d) continue;
    multiple_text(round(value * d / units[u].value), d, latex ? units[u].latex : units[u].plain, latex, text);
    return;
  }
  const int pi_divisor = value < 1000 ? divisor_of(value, 0.31830988618379067154, 12) : 0;
  if (pi_divisor) { /* a multiple of 1/pi divided by a whole number, as 1/(4*pi) */
    const double numerator = round(value * pi_divisor / 0.31830988618379067154);
    if (pi_divisor == 1)
      snprintf(text, 64, latex ? "\\frac{%.0f}{\\pi}" : "%.0f/pi", numerator);
    else
      snprintf(text, 64, latex ? "\\frac{%.0f}{%d \\pi}" : "%.0f/(%d*pi)", numerator, pi_divisor);
    return;
  }
  snprintf(text, 64, "%.*g", digits, value);
  char *e = latex ? strchr(text, 'e') : NULL;
  if (!e) return;
  char copy[64];
  snprintf(copy, sizeof copy, "%.*s \\cdot 10^{%d}", (int)(e - text), text, atoi(e + 1));
  memcpy(text, copy, sizeof copy);
}

void gt_number_text(double value, int digits, bool latex, char text[64]) {
  if (!(value < 0)) {
    positive_text(value, digits, latex, text);
    return;
  }
  char positive[64];
  positive_text(-value, digits, latex, positive);
  snprintf(text, 64, "-%.62s", positive);
}

/* --- trees --- */

static int digits_of(const writer *w) { return w->style == GT_FORMULA_EXPRESSION ? 17 : 6; }

static int precedence_of_number(const writer *w, double value) {
  char text[64];
  gt_number_text(value, digits_of(w), w->style == GT_FORMULA_LATEX, text);
  if (*text == '-') return UNARY;
  return strpbrk(text, "*/") || strstr(text, "\\cdot") || strchr(text, ' ') ? PRODUCT : ATOM;
}

static int precedence_of(const writer *w, const gt_formula *f) {
  if (f->kind == GT_FORMULA_NUMBER) return precedence_of_number(w, f->number);
  if (f->kind == GT_FORMULA_VARIABLE) return ATOM;
  const bool latex = w->style == GT_FORMULA_LATEX;
  if (!strcmp(f->call, "add") || !strcmp(f->call, "sub")) return SUM;
  if (!strcmp(f->call, "mul")) return PRODUCT;
  if (!strcmp(f->call, "div")) return latex ? ATOM : PRODUCT;
  if (!strcmp(f->call, "neg")) return UNARY;
  return !strcmp(f->call, "pow") || (latex && !strcmp(f->call, "exp")) ? POWER : ATOM;
}

static void write_tree(const writer *w, const gt_formula *f, int min_precedence);

static void write_text(const writer *w, const char *text) { fputs(text, w->to); }

/* True if the text starts with a minus, which cannot follow another sign. */
static bool begins_negative(const writer *w, const gt_formula *f) {
  if (f->kind == GT_FORMULA_NUMBER) return f->number < 0;
  if (f->kind == GT_FORMULA_VARIABLE) return false;
  if (!strcmp(f->call, "neg")) return true;
  const bool fraction = !strcmp(f->call, "div") && w->style == GT_FORMULA_LATEX;
  return f->arguments == 2 && strcmp(f->call, "pow") && !fraction && begins_negative(w, f->argument[0]);
}

static void write_infix(const writer *w, const gt_formula *f, const char *operator, int left, int right) {
  write_tree(w, f->argument[0], left);
  write_text(w, operator);
  write_tree(w, f->argument[1], begins_negative(w, f->argument[1]) ? ATOM : right);
}

static void write_quotient(const writer *w, const gt_formula *f) {
  if (w->style != GT_FORMULA_LATEX) {
    write_infix(w, f, "/", PRODUCT, UNARY);
    return;
  }
  write_text(w, "\\frac{");
  write_tree(w, f->argument[0], 0);
  write_text(w, "}{");
  write_tree(w, f->argument[1], 0);
  write_text(w, "}");
}

static void write_latex_call(const writer *w, const gt_formula *f) {
  /* Each row: the function, the text before its argument, the text after it. */
  static const char *const calls[][3] = {{"sqrt", "\\sqrt{", "}"},
                                         {"abs", "\\left|", "\\right|"},
                                         {"exp", "e^{", "}"},
                                         {"sigmoid", "\\sigma\\left(", "\\right)"},
                                         {"asin", "\\arcsin\\left(", "\\right)"},
                                         {"atan", "\\arctan\\left(", "\\right)"}};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (!strcmp(f->call, calls[i][0])) {
      write_text(w, calls[i][1]);
      write_tree(w, f->argument[0], 0);
      write_text(w, calls[i][2]);
      return;
    }
  fprintf(w->to, "\\%s\\left(", f->call);
  write_tree(w, f->argument[0], 0);
  write_text(w, "\\right)");
}

/* The precedence that the base of a power needs. In LaTeX, ATOM + 1 forces brackets around calls: \sin(x)^{2}
 * could also be the sine of a square. */
static int min_precedence_of_base(const writer *w, const gt_formula *f) {
  const bool unambiguous = f->kind != GT_FORMULA_CALL || !strcmp(f->call, "abs") || !strcmp(f->call, "sqrt");
  return w->style == GT_FORMULA_LATEX && !unambiguous ? ATOM + 1 : ATOM;
}

static void write_power(const writer *w, const gt_formula *f) {
  const bool latex = w->style == GT_FORMULA_LATEX;
  write_tree(w, f->argument[0], min_precedence_of_base(w, f->argument[0]));
  write_text(w, latex ? "^{" : "^");
  write_tree(w, f->argument[1], latex ? 0 : ATOM);
  if (latex) write_text(w, "}");
}

static void write_call(const writer *w, const gt_formula *f) {
  const bool latex = w->style == GT_FORMULA_LATEX;
  if (!strcmp(f->call, "add")) {
    write_infix(w, f, " + ", SUM, PRODUCT);
  } else if (!strcmp(f->call, "sub")) {
    write_infix(w, f, " - ", SUM, PRODUCT);
  } else if (!strcmp(f->call, "mul")) {
    write_infix(w, f, latex ? " \\, " : "*", PRODUCT, UNARY);
  } else if (!strcmp(f->call, "div")) {
    write_quotient(w, f);
  } else if (!strcmp(f->call, "pow")) {
    write_power(w, f);
  } else if (!strcmp(f->call, "neg")) {
    write_text(w, "-");
    write_tree(w, f->argument[0], begins_negative(w, f->argument[0]) ? ATOM : PRODUCT);
  } else if (latex) {
    write_latex_call(w, f);
  } else {
    fprintf(w->to, "%s(", f->call);
    write_tree(w, f->argument[0], 0);
    write_text(w, ")");
  }
}

/* Writes brackets if the precedence is below min_precedence. */
static void write_tree(const writer *w, const gt_formula *f, int min_precedence) {
  const bool latex = w->style == GT_FORMULA_LATEX, brackets = precedence_of(w, f) < min_precedence;
  if (brackets) write_text(w, latex ? "\\left(" : "(");
  if (f->kind == GT_FORMULA_NUMBER) {
    char text[64];
    gt_number_text(f->number, digits_of(w), latex, text);
    write_text(w, text);
  } else if (f->kind == GT_FORMULA_VARIABLE) {
    write_name(w, f->variable);
  } else {
    write_call(w, f);
  }
  if (brackets) write_text(w, latex ? "\\right)" : ")");
}

void gt_symbolic_write(const gt_symbolic *symbolic, int output, gt_formula_style style, FILE *stream) {
  gt_arena arena;
  gt_arena_init(&arena);
  const writer w = {style, stream, style == GT_FORMULA_EXPRESSION ? NULL : symbolic->names};
  write_tree(&w, gt_symbolic_tree(symbolic, output, &arena), 0);
  gt_arena_finish(&arena);
}

char *gt_symbolic_text(const gt_symbolic *symbolic, int output, gt_formula_style style, gt_arena *arena) {
  gt_text text = {0};
  FILE *stream = gt_text_open(&text);
  gt_symbolic_write(symbolic, output, style, stream);
  fclose(stream);
  char *copy = gt_arena_strndup(arena, text.items, text.count);
  free(text.items);
  return copy;
}
