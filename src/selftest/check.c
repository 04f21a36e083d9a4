#include "selftest/check.h"
#include "base/philox.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Coordinates of an input for which finite differences are computed; BRIEF_DIVISOR: how many times fewer if
 * brief. */
enum { MAX_COORDINATES = 48, MIN_COORDINATES = 4, BRIEF_DIVISOR = 4 };
static const double work_budget = 6e7; /* element operations in the finite differences of an input */

void gt_verdict_fail(gt_verdict *verdict, const char *format, ...) {
  if (verdict->failures++) return; /* the first one is shown */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(verdict->first, sizeof verdict->first, format, arguments);
  va_end(arguments);
}

/* Records the largest error in relation to its limit. */
static void record_error(gt_verdict *verdict, double error, double limit) {
  if (limit <= 0) return;
  if (verdict->limit <= 0 || error / limit > verdict->worst / verdict->limit) {
    verdict->worst = error;
    verdict->limit = limit;
  }
}

/* --- expectations --- */

/* Central difference of the loss along one coordinate. Differences are taken per output, so that outputs that
 * do not depend on the coordinate add no rounding error. *scale is the sum of their absolute values. */
static double difference(const gt_subject *s, double *x, double h, double *plus, double *minus,
                         double *scale) {
  const double center = *x;
  const double *const *inputs = (const double *const *)s->x;
  *x = center + h;
  s->view.c->rule->reference(&s->view, inputs, plus);
  *x = center - h;
  s->view.c->rule->reference(&s->view, inputs, minus);
  *x = center;
  double sum = 0;
  *scale = 0;
  for (int64_t i = 0; i < s->value.count; i++) {
    const double term = s->w[i] * (plus[i] - minus[i]) / (2 * h);
    sum += term;
    *scale += fabs(term);
  }
  return sum;
}

/* Fourth-order slope from two central differences; NAN if they disagree, because a kink is near. */
static double slope_at(const gt_subject *s, double *x, double *plus, double *minus, double *scale) {
  const double h = ldexp(fmax(1.0, fabs(*x)), -13);
  double wide_scale;
  const double narrow = difference(s, x, h, plus, minus, scale),
               wide = difference(s, x, 2 * h, plus, minus, &wide_scale);
  *scale = fmax(*scale, wide_scale);
  if (fabs(narrow - wide) > 1e-5 * *scale) return NAN;
  return (4 * narrow - wide) / 3;
}

static int coordinates_for(const gt_subject *s, bool brief, int64_t count) {
  double cost = s->forward_flops + (double)s->value.count;
  for (int k = 0; k < s->view.inputs; k++) cost += (double)s->input[k].count / 4;
  /* A slope takes four evaluations of the reference. */
  double n = fmin(work_budget / (4 * cost), MAX_COORDINATES) / (brief ? BRIEF_DIVISOR : 1);
  n = fmax(n, MIN_COORDINATES);
  return count < (int64_t)n ? (int)count : (int)n;
}

void gt_expect(const gt_subject *s, bool brief, gt_arena *arena, gt_expectation *e) {
  const gt_case_rule *rule = s->view.c->rule;
  memset(e, 0, sizeof *e);
  e->value = GT_NEW_N(arena, double, s->value.count + 1);
  rule->reference(&s->view, (const double *const *)s->x, e->value);
  if (rule->magnitude) {
    e->magnitude = GT_NEW_N(arena, double, s->value.count + 1);
    rule->magnitude(&s->view, (const double *const *)s->x, e->magnitude);
  }
  double *plus = NULL, *minus = NULL;
  if (rule->wrt)
    plus = GT_NEW_N(arena, double, s->value.count + 1), minus = GT_NEW_N(arena, double, s->value.count + 1);
  for (int k = 0; k < s->view.inputs; k++) {
    if (!s->gradient[k].used) continue;
    const int64_t count = s->input[k].count;
    const int n = e->coordinates[k] = coordinates_for(s, brief, count);
    e->coordinate[k] = GT_NEW_N(arena, int64_t, n + 1);
    e->slope[k] = GT_NEW_N(arena, double, n + 1);
    e->scale[k] = GT_NEW_N(arena, double, n + 1);
    for (int i = 0; i < n; i++) { /* all, or the first, the last and some between */
      const int64_t random =
          (int64_t)(gt_random_bits(17, (uint32_t)k, (uint32_t)n, (uint32_t)i) % (uint64_t)count);
      const int64_t at = e->coordinate[k][i] = n == count ? i : i == 0 ? 0 : i == 1 ? count - 1 : random;
      e->slope[k][i] = slope_at(s, &s->x[k][at], plus, minus, &e->scale[k][i]);
    }
  }
}

/* --- comparisons --- */

static double element(const gt_outcome *outcome, const gt_guarded_tensor *slot, int64_t i) {
  const uint8_t *content = outcome->content[slot->variable];
  const size_t at = (size_t)(slot->guard + i);
  if (slot->dtype == GT_U8) return content[at];
  if (slot->dtype == GT_I32) return ((const int32_t *)content)[at];
  float value;
  memcpy(&value, content + 4 * at, sizeof value);
  return value;
}

static double relative_error(double got, double expected, double scale) {
  if (got == expected || (isnan(got) && isnan(expected))) return 0;
  if (!isfinite(got) || !isfinite(expected)) return INFINITY;
  return fabs(got - expected) / fmax(fmax(fabs(expected), scale), 1e-35);
}

static double value_limit(const gt_case_rule *rule, bool device) {
  return device && rule->device_tolerance > 0 ? rule->device_tolerance : rule->tolerance;
}

static double gradient_limit(const gt_case_rule *rule, bool device) {
  if (device && rule->device_tolerance > 0) return fmax(4 * rule->device_tolerance, rule->gradient_tolerance);
  return rule->gradient_tolerance > 0 ? rule->gradient_tolerance : fmax(4 * rule->tolerance, 4e-6);
}

static void check_one(gt_verdict *verdict, const char *who, const char *what, int64_t index, double got,
                      double expected, double scale, double limit) {
  const double error = relative_error(got, expected, scale);
  record_error(verdict, error, limit);
  if (error > limit)
    gt_verdict_fail(verdict, "%s: %s [%lld]: expected %.9g, got %.9g (relative error %.2g, limit %.2g)", who,
                    what, (long long)index, expected, got, error, limit);
}

/* The scale of relative errors of values: the floor of the rule or, without one, their mean magnitude. */
static double value_scale(const gt_subject *s, const gt_expectation *e) {
  if (s->view.c->rule->floor > 0) return s->view.c->rule->floor;
  double sum = 0;
  int64_t n = 0;
  for (int64_t i = 0; i < s->value.count; i++)
    if (isfinite(e->value[i])) sum += fabs(e->value[i]), n++;
  return n ? sum / (double)n : 0;
}

static void check_slopes(const gt_subject *s, const gt_expectation *e, const gt_outcome *outcome,
                         double limit, const char *who, gt_verdict *verdict) {
  for (int k = 0; k < s->view.inputs; k++) {
    if (!s->gradient[k].used) continue;
    char what[64];
    int skipped = 0;
    snprintf(what, sizeof what, "gradient of input %d", k);
    for (int i = 0; i < e->coordinates[k]; i++) {
      const int64_t at = e->coordinate[k][i];
      const double slope = e->slope[k][i];
      if (isnan(slope))
        skipped++;
      else
        check_one(verdict, who, what, at, element(outcome, &s->gradient[k], at), slope, e->scale[k][i],
                  limit);
    }
    if (2 * skipped > e->coordinates[k])
      gt_verdict_fail(verdict, "%s: %s: %d of %d coordinates are at kinks", who, what, skipped,
                      e->coordinates[k]);
  }
}

static void check_limit(const gt_subject *s, const gt_outcome *outcome, const char *who,
                        gt_verdict *verdict) {
  for (int64_t i = 0; i < s->value.count; i++) {
    const double size = fabs(element(outcome, &s->value, i));
    if (size > s->limit * (1 + 1e-5))
      gt_verdict_fail(verdict, "%s: value [%lld] has magnitude %.9g, but the op's bound is %.9g", who,
                      (long long)i, size, s->limit);
  }
}

void gt_check_reference(const gt_subject *s, const gt_expectation *e, const gt_outcome *outcome, bool device,
                        const char *who, gt_verdict *verdict) {
  const gt_case_rule *rule = s->view.c->rule;
  const double scale = value_scale(s, e);
  for (int64_t i = 0; i < s->value.count; i++)
    check_one(verdict, who, "value", i, element(outcome, &s->value, i), e->value[i], scale,
              value_limit(rule, device));
  check_limit(s, outcome, who, verdict);
  check_slopes(s, e, outcome, gradient_limit(rule, device), who, verdict);
}

void gt_check_half(const gt_subject *s, const gt_expectation *e, const gt_outcome *outcome, double unit,
                   const char *who, gt_verdict *verdict) {
  const gt_case_rule *rule = s->view.c->rule;
  const double scale = value_scale(s, e), rounding = 2 * unit + unit * unit;
  for (int64_t i = 0; i < s->value.count; i++) {
    const double size = fmax(fmax(fabs(e->value[i]), scale), 1e-35);
    check_one(verdict, who, "value", i, element(outcome, &s->value, i), e->value[i], scale,
              value_limit(rule, true) + rounding * e->magnitude[i] / size);
  }
  check_slopes(s, e, outcome, gradient_limit(rule, true) + rounding * rule->half_gradient, who, verdict);
}

/* Compares a gradient with that of the CPU. Errors are relative to the mean of its absolute values or, if
 * that is larger, to the sum of absolute contributions at a known coordinate. */
static void check_gradient(const gt_subject *s, const gt_expectation *e, int k, const gt_outcome *outcome,
                           const gt_outcome *other, double limit, const char *who, gt_verdict *verdict) {
  const gt_guarded_tensor *slot = &s->gradient[k];
  char what[64];
  double scale = 0;
  snprintf(what, sizeof what, "gradient of input %d, compared with the CPU", k);
  for (int64_t i = 0; i < slot->count; i++) {
    const double g = fabs(element(other, slot, i));
    if (isfinite(g)) scale += g / (double)slot->count;
  }
  for (int i = 0; i < e->coordinates[k]; i++)
    if (isfinite(e->scale[k][i])) scale = fmax(scale, e->scale[k][i]);
  for (int64_t i = 0; i < slot->count; i++)
    check_one(verdict, who, what, i, element(outcome, slot, i), element(other, slot, i), scale, limit);
}

void gt_check_agreement(const gt_subject *s, const gt_expectation *e, const gt_outcome *outcome,
                        const gt_outcome *other, bool device, const char *who, gt_verdict *verdict) {
  const gt_case_rule *rule = s->view.c->rule;
  const double scale = value_scale(s, e), limit = value_limit(rule, device) + value_limit(rule, false);
  for (int64_t i = 0; i < s->value.count; i++)
    check_one(verdict, who, "value, compared with the CPU", i, element(outcome, &s->value, i),
              element(other, &s->value, i), scale, limit);
  for (int k = 0; k < s->view.inputs; k++)
    if (s->gradient[k].used)
      check_gradient(s, e, k, outcome, other, gradient_limit(rule, device) + gradient_limit(rule, false), who,
                     verdict);
}

/* --- bytes --- */

static bool is_output(const gt_subject *s, uint32_t variable, const gt_guarded_tensor **slot) {
  *slot = NULL;
  if (s->value.variable == variable) *slot = &s->value;
  for (int k = 0; k < s->view.inputs; k++)
    if (s->gradient[k].used && s->gradient[k].variable == variable) *slot = &s->gradient[k];
  return *slot != NULL;
}

/* True if the op may update the variable: an input of kind w, m or n (op/case.h), or its own variable. */
static bool may_change(const gt_subject *s, uint32_t variable) {
  const char *text = s->view.c->inputs;
  for (int k = 0; k < s->view.inputs; k++) {
    if (s->input[k].variable == variable) return *text == 'w' || *text == 'm' || *text == 'n';
    text += strcspn(text, " ");
    text += strspn(text, " ");
  }
  return s->initial[variable] == NULL;
}

void gt_check_guards(const gt_subject *s, const gt_outcome *outcome, const char *who, gt_verdict *verdict) {
  for (uint32_t v = 0; v < s->graph->variables; v++) {
    const gt_guarded_tensor *slot;
    const uint8_t *before = s->initial[v], *after = outcome->content[v];
    const bool output = is_output(s, v, &slot);
    if (!output && may_change(s, v)) continue;
    const size_t size = gt_dtype_size(s->graph->variable[v].dtype);
    const uint64_t bytes = gt_subject_bytes(s, v);
    const uint64_t from = output ? (uint64_t)slot->guard * size : bytes;
    const uint64_t to = output ? from + (uint64_t)slot->count * size : bytes;
    for (uint64_t i = 0; i < bytes; i++) {
      if (i == from) i = to;
      if (i >= bytes || before[i] == after[i]) continue;
      gt_verdict_fail(verdict, "%s: wrote to \"%s\" at byte %lld of %s", who, s->graph->variable[v].name,
                      (long long)i - (long long)(output ? from : 0), output ? "its values" : "an input");
      return;
    }
  }
}

void gt_check_same_bits(const gt_subject *s, const gt_outcome *a, const gt_outcome *b, const char *what,
                        gt_verdict *verdict) {
  for (uint32_t v = 0; v < s->graph->variables; v++) {
    const uint64_t bytes = gt_subject_bytes(s, v);
    if (memcmp(a->content[v], b->content[v], bytes) == 0) continue;
    uint64_t i = 0;
    while (a->content[v][i] == b->content[v][i]) i++;
    gt_verdict_fail(verdict, "%s: bits of \"%s\" differ at byte %lld", what, s->graph->variable[v].name,
                    (long long)i);
    return;
  }
}
