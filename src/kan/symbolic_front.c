#include "kan/symbolic_front.h"
#include "base/memory.h"
#include "kan/formula_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* EDGE_SAMPLES: for fits of single edges; TRIES_EACH: functions that are tried for an edge. */
enum { EDGE_SAMPLES = 200, TRIES_EACH = 5, FIT_STEPS = 100, MAX_POINTS = 64 };
static const double default_effort = 3e9;
static const double min_gain = 0.02; /* share by which the sum of squares must fall for more complexity */

typedef struct entry {
  gt_symbolic_point point;
  gt_symbolic base; /* the same formula with all constants free */
  bool expanded;    /* its neighbours have been tried */
} entry;

typedef struct search {
  gt_symbolic_data data;
  gt_symbolic_effort effort;
  const gt_symbolic_options *options;
  gt_arena *arena;
  entry entry[MAX_POINTS]; /* none is dominated by another, except the chosen one */
  int count;
  double *x, *y; /* [samples] each: values of an edge */
} search;

/* --- complexity --- */

static int count_nodes(const gt_formula *f) {
  int count = 1;
  for (int i = 0; f->kind == GT_FORMULA_CALL && i < f->arguments; i++) count += count_nodes(f->argument[i]);
  return count;
}

int gt_symbolic_nodes(const gt_symbolic *symbolic) {
  int count = 0;
  gt_arena arena;
  gt_arena_init(&arena);
  for (int o = 0; o < symbolic->width[symbolic->layers]; o++)
    count += count_nodes(gt_symbolic_tree(symbolic, o, &arena));
  gt_arena_finish(&arena);
  return count;
}

/* --- the front --- */

/* The sum of squares, but at least that of rounding to float32. */
static double sum_of(const search *s, const gt_symbolic_point *p) { return fmax(p->sum, s->data.rounding); }

static bool dominates(const search *s, const gt_symbolic_point *a, const gt_symbolic_point *b) {
  return a->complexity <= b->complexity && sum_of(s, a) <= sum_of(s, b);
}

/* Adds a formula in normal form, unless another one is as simple and as exact. */
static void add(search *s, const gt_symbolic *formula, double sum, const gt_symbolic *base, bool chosen) {
  entry e = {.point = {.complexity = gt_symbolic_nodes(formula), .sum = sum, .chosen = chosen}};
  int kept = 0;
  if (!isfinite(sum) && !chosen) return;
  for (int i = 0; i < s->count; i++)
    if (dominates(s, &s->entry[i].point, &e.point)) return;
  for (int i = 0; i < s->count; i++)
    if (s->entry[i].point.chosen || !dominates(s, &e.point, &s->entry[i].point))
      s->entry[kept++] = s->entry[i];
  s->count = kept;
  if (s->count == MAX_POINTS) return;
  e.point.formula = gt_symbolic_copy(s->arena, formula);
  e.base = gt_symbolic_copy(s->arena, base);
  s->entry[s->count++] = e;
}

/* Makes all constants free again, except those that are redundant in their function. */
static void unfix_constants(gt_symbolic *f) {
  for (int e = 0; e < f->edges; e++) {
    gt_symbolic_edge *g = &f->edge[e];
    g->fixed[GT_CONSTANT_A] = !(g->symbol->free & GT_SYMBOL_A);
    g->fixed[GT_CONSTANT_B] = !(g->symbol->free & GT_SYMBOL_B);
    g->fixed[GT_CONSTANT_C] = false;
  }
  for (int l = 1; l <= f->layers; l++)
    for (int n = 0; n < f->width[l]; n++) f->bias_fixed[l][n] = false;
  f->rounded_bits = 0;
  gt_symbolic_drop_loose_ends(f);
}

/* Sets all additive constants to 0. */
static void remove_additive_constants(gt_symbolic *f) {
  for (int e = 0; e < f->edges; e++) {
    gt_symbolic_edge *g = &f->edge[e];
    if (!g->fixed[GT_CONSTANT_B]) g->value[GT_CONSTANT_B] = 0;
    g->fixed[GT_CONSTANT_B] = true;
  }
  for (int l = 1; l <= f->layers; l++)
    for (int n = 0; n < f->width[l]; n++) {
      if (!f->bias_fixed[l][n]) f->bias[l][n] = 0;
      f->bias_fixed[l][n] = true;
    }
}

/* Adds a formula in normal form as it is, and with rounded constants. */
static void add_with_rounding(search *s, gt_symbolic *normal, const gt_symbolic *base) {
  add(s, normal, gt_symbolic_fit(normal, &s->data, FIT_STEPS), base, false);
  if (s->options->as_fitted) return;
  do {
    gt_symbolic_normalize(normal);
    gt_symbolic_round_constants(normal, &s->data);
  } while (gt_symbolic_drop_loose_ends(normal));
  add(s, normal, gt_symbolic_fit(normal, &s->data, FIT_STEPS), base, false);
}

/* Fits all constants of a formula and adds it, with and without additive constants. */
static void try_formula(search *s, gt_symbolic *trial) {
  gt_arena arena;
  unfix_constants(trial);
  if (!isfinite(gt_symbolic_fit(trial, &s->data, FIT_STEPS))) return;
  gt_arena_init(&arena);
  gt_symbolic normal = gt_symbolic_copy(&arena, trial);
  gt_symbolic_normalize(&normal);
  gt_symbolic bare = gt_symbolic_copy(&arena, &normal);
  remove_additive_constants(&bare);
  add_with_rounding(s, &normal, trial);
  if (trial->edges) add_with_rounding(s, &bare, trial);
  gt_arena_finish(&arena);
}

/* --- neighbours --- */

/* Writes the values of an edge at some of the samples to s->x and s->y; returns their number. */
static int64_t find_values(search *s, const gt_symbolic *f, const gt_symbolic_edge *g) {
  const int64_t n = s->data.samples, stride = n > EDGE_SAMPLES ? n / EDGE_SAMPLES : 1, count = n / stride;
  gt_symbolic_node_values(f, &s->data, g->layer, g->from, s->x);
  for (int64_t k = 0; k < count; k++) {
    s->x[k] = s->x[k * stride];
    s->y[k] = gt_symbolic_edge_value(g, s->x[k]);
  }
  return count;
}

/* A copy in which the edge is replaced by a constant, the mean of the `count` values in s->y. */
static gt_symbolic without_edge(const search *s, const gt_symbolic *base, int edge, int64_t count,
                                gt_arena *arena) {
  gt_symbolic copy = gt_symbolic_copy(arena, base);
  const gt_symbolic_edge removed = copy.edge[edge];
  for (int64_t k = 0; k < count; k++) copy.bias[removed.layer + 1][removed.to] += s->y[k] / (double)count;
  memmove(copy.edge + edge, copy.edge + edge + 1, (size_t)(copy.edges - edge - 1) * sizeof *copy.edge);
  copy.edges--;
  gt_symbolic_drop_loose_ends(&copy);
  return copy;
}

static void try_without(search *s, const gt_symbolic *base, int edge, int64_t count) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_symbolic trial = without_edge(s, base, edge, count, &arena);
  try_formula(s, &trial);
  gt_arena_finish(&arena);
}

/* Tries the functions that fit the edge's values best. */
static void try_functions(search *s, const gt_symbolic *base, int edge, int64_t count) {
  enum { OPERATIONS = 5000 /* for each sample and function, as in symbolic_find.c */ };
  const gt_symbolic_edge *g = &base->edge[edge];
  gt_edge_fit *fit = gt_alloc((size_t)gt_symbol_count() * sizeof *fit);
  int fits = 0;
  for (int i = 0; i < gt_symbol_count(); i++) {
    if ((s->options->allowed && !s->options->allowed[i]) || gt_symbol_at(i) == g->symbol) continue;
    fit[fits++] = gt_edge_fit_find(gt_symbol_at(i), s->x, s->y, count);
  }
  s->effort.spent += (double)OPERATIONS * (double)count * fits;
  qsort(fit, (size_t)fits, sizeof *fit, gt_edge_fit_compare);
  for (int i = 0; i < fits; i++) {
    if (!isfinite(fit[i].r2) || (i >= TRIES_EACH && fit[i].symbol->kind != GT_SYMBOL_LINE)) continue;
    gt_arena arena;
    gt_arena_init(&arena);
    gt_symbolic trial = gt_symbolic_copy(&arena, base);
    gt_symbolic_set_fit(&trial.edge[edge], &fit[i]);
    trial.bias[g->layer + 1][g->to] += fit[i].d;
    try_formula(s, &trial);
    gt_arena_finish(&arena);
  }
  free(fit);
}

/* Tries all neighbours of a formula. */
static void expand(search *s, const gt_symbolic *base) {
  for (int e = 0; e < base->edges && !gt_symbolic_is_exhausted(&s->data); e++) {
    const int64_t count = find_values(s, base, &base->edge[e]);
    try_without(s, base, e, count);
    if (count > 1) try_functions(s, base, e, count);
  }
}

/* Removes edges one after another, each time the one whose removal gives the smallest error, until the
 * formula is a constant. */
static void try_fewer_edges(search *s, const gt_symbolic *base) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_symbolic current = gt_symbolic_copy(&arena, base);
  while (current.edges) {
    gt_symbolic best = {0};
    double min_sum = INFINITY;
    for (int e = 0; e < current.edges && !(best.width && gt_symbolic_is_exhausted(&s->data)); e++) {
      const gt_symbolic trial =
          without_edge(s, &current, e, find_values(s, &current, &current.edge[e]), &arena);
      const double sum = gt_symbolic_sum(&trial, &s->data);
      if (best.width && !(sum < min_sum)) continue;
      min_sum = sum;
      best = trial;
    }
    current = best;
    try_formula(s, &current);
  }
  gt_arena_finish(&arena);
}

/* The formula to expand next: the chosen one, then the simplest; -1: all are expanded. */
static int next_entry(const search *s) {
  int next = -1;
  for (int i = 0; i < s->count; i++) {
    const entry *e = &s->entry[i];
    if (e->expanded) continue;
    if (e->point.chosen) return i;
    if (next < 0 || e->point.complexity < s->entry[next].point.complexity) next = i;
  }
  return next;
}

/* --- the whole search --- */

static int by_complexity(const void *a, const void *b) {
  const gt_symbolic_point *p = &((const entry *)a)->point, *q = &((const entry *)b)->point;
  if (p->complexity != q->complexity) return p->complexity < q->complexity ? -1 : 1;
  return (p->sum > q->sum) - (p->sum < q->sum);
}

static double length_of(entry *e, const gt_symbolic_data *data) {
  gt_symbolic *f = &e->point.formula;
  return gt_symbolic_length(f, data, gt_symbolic_sum(f, data));
}

/* The index of the chosen formula. */
static int find_chosen(const search *s) {
  int i = 0;
  while (!s->entry[i].point.chosen) i++;
  return i;
}

/* Counts the constants of a formula in normal form before rounding, and those that were rounded. */
static void count_constants(const search *s, entry *e, gt_symbolic_front *front) {
  gt_symbolic base = gt_symbolic_copy(s->arena, &e->base);
  gt_symbolic_normalize(&base);
  front->constants = gt_symbolic_free_constants(&base, NULL);
  front->rounded = front->constants - gt_symbolic_free_constants(&e->point.formula, NULL);
  if (front->rounded < 0) front->rounded = 0;
}

/* Chooses the shortest description among the chosen formula and those that dominate it. Lengths allow for
 * noise that is proportional to the values, as in the search for the first formula. */
static void choose_again(search *s, gt_symbolic_front *front) {
  gt_symbolic_data data = s->data;
  const int first = find_chosen(s);
  int best = first;
  data.effort = NULL;
  gt_symbolic_find_noise(&data, &s->entry[first].point.formula, s->arena);
  const double first_length = length_of(&s->entry[first], &data);
  double length = first_length;
  for (int i = 0; i < s->count; i++) {
    if (i == first || !dominates(s, &s->entry[i].point, &s->entry[first].point)) continue;
    const double other = length_of(&s->entry[i], &data);
    if (!(other < length)) continue;
    length = other;
    best = i;
  }
  if (best == first) return;
  s->entry[first].point.chosen = false;
  s->entry[best].point.chosen = true;
  const gt_symbolic replaced = gt_symbolic_copy(s->arena, &s->entry[first].point.formula);
  front->replaced = gt_arena_copy(s->arena, &replaced, sizeof replaced);
  front->lead = first_length - length;
  count_constants(s, &s->entry[best], front);
}

/* The points that gain enough over the simpler ones before them, and the chosen one. A formula that dominates
 * the chosen one has a longer description: it owes its smaller error to more digits of its constants. It is
 * left out, because the chosen one stands for it. */
static gt_symbolic_front collect(search *s) {
  gt_symbolic_front front = {.point = GT_NEW_N(s->arena, gt_symbolic_point, s->count)};
  double min_sum = INFINITY;
  choose_again(s, &front);
  const gt_symbolic_point chosen = s->entry[find_chosen(s)].point;
  qsort(s->entry, (size_t)s->count, sizeof *s->entry, by_complexity);
  for (int i = 0; i < s->count; i++) {
    const gt_symbolic_point *p = &s->entry[i].point;
    if (!p->chosen && !(sum_of(s, p) < (1 - min_gain) * min_sum)) continue;
    if (!p->chosen && dominates(s, p, &chosen)) continue;
    front.point[front.count++] = *p;
    min_sum = fmin(min_sum, sum_of(s, p));
  }
  return front;
}

gt_symbolic_front gt_symbolic_front_find(const gt_symbolic *chosen, const gt_symbolic_data *data,
                                         const gt_symbolic_options *options, gt_arena *arena) {
  search *s = gt_alloc(sizeof *s);
  *s = (search){.data = *data, .options = options, .arena = arena};
  s->effort.budget = options->effort > 0 ? options->effort : default_effort;
  s->data.effort = &s->effort;
  s->x = gt_alloc(2 * (size_t)data->samples * sizeof *s->x + 1);
  s->y = s->x + data->samples;
  gt_symbolic base = gt_symbolic_copy(arena, chosen);
  unfix_constants(&base);
  gt_symbolic_fit(&base, data, FIT_STEPS);
  add(s, chosen, gt_symbolic_sum(chosen, data), &base, true);
  try_formula(s, &base);
  try_fewer_edges(s, &base);
  for (int i; (i = next_entry(s)) >= 0 && !gt_symbolic_is_exhausted(&s->data);) {
    s->entry[i].expanded = true;
    const gt_symbolic from = s->entry[i].base; /* the entry may be replaced */
    expand(s, &from);
  }
  const gt_symbolic_front front = collect(s);
  free(s->x);
  free(s);
  return front;
}
