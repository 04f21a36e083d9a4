/* Search for the function of each edge. It starts from the best fit of each single trained edge. Then it
 * tries other functions that fit an edge well, one or two edges at a time, fits all constants together,
 * starting at the fits of the single edges, and keeps what improves the whole formula, until nothing does.
 * This is done twice. As long as most edges of a wide network have the wrong function, functions with more
 * constants help, and the search would end at a long formula that almost fits. So the first search gives the
 * error the weight that two values have and finds a simple formula; the second uses the full criterion and
 * starts from that formula, then again from all edges. */
#include "base/memory.h"
#include "base/text.h"
#include "kan/formula_text.h"
#include "kan/symbolic_chain.h"
#include "kan/symbolic_pool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  EDGE_SAMPLES = 600, /* for fits of single edges, as in symbolic_edges.c */
  TRIES_EACH = 8,     /* functions that are tried for an edge */
  PAIR_TRIES = 4,     /* the same for each of two edges at a time */
  TRY_STEPS = 60,     /* of the fit of a trial */
  ALL_STEPS = 300,    /* of the fit of the best formula */
  ROUNDS = 4          /* most repetitions of an alternating search */
};
static const double min_gain = 0.01;                               /* bits by which a choice must be better */
static const double default_effort = 1e10, search_share = 2.0 / 3; /* share for choosing functions */

typedef struct finder {
  gt_symbolic *out;
  const gt_kan_network *network;
  const gt_symbolic_data *data;
  const bool *allowed;
  gt_edge_fit *fit;               /* [rows, symbols], best first; a row for each edge of the network */
  const gt_edge_fit *initial_fit; /* [rows, symbols]: fits of the trained edges, with which a search starts */
  int symbols;
  int rows;
  int *choice;       /* [rows]: index of the chosen fit of each row */
  double **constant; /* [layers + 1]: [width]: biases of the network, with its constant edges added */
  bool coarse;       /* first search: errors have little weight */
  double cost;       /* of *out */
  gt_arena trials;   /* memory of the current trial */
  gt_symbolic_pool pool;
} finder;

/* --- fits of single edges --- */

/* Fits the functions of a row to an edge. named: the function if the edge is symbolic already; then no other
 * is fitted. */
static void fit_edge(finder *f, int row, const gt_symbol *named, const double *x, const double *y,
                     int64_t count) {
  gt_edge_fit *fit = f->fit + (ptrdiff_t)row * f->symbols;
  for (int i = 0, n = 0; i < gt_symbol_count(); i++) {
    if (f->allowed && !f->allowed[i]) continue;
    const gt_symbol *symbol = gt_symbol_at(i);
    fit[n++] = named ? (gt_edge_fit){symbol, 1, 0, 0, 0, -INFINITY} : gt_edge_fit_find(symbol, x, y, count);
  }
  if (named) fit[0] = gt_edge_fit_find(named, x, y, count);
  qsort(fit, (size_t)f->symbols, sizeof *fit, gt_edge_fit_compare);
}

/* True if all values are equal up to rounding. */
static bool is_flat(const double *y, int64_t count, int64_t stride) {
  double low = y[0], high = y[0];
  for (int64_t k = 0; k < count; k++) low = fmin(low, y[k * stride]), high = fmax(high, y[k * stride]);
  return high - low <= 1e-12 * fmax(fabs(low), fabs(high));
}

/* True if the edge depends on an input. */
static bool is_reached(const gt_symbolic *s, const gt_symbolic_edge *edge) {
  for (const gt_symbolic_edge *g = s->edge; g < edge; g++)
    if (g->symbol && g->layer + 1 == edge->layer && g->to == edge->from) return true;
  return !edge->layer;
}

/* Fits each edge separately: edges of the first layer to the unscaled inputs, all others to the values of
 * their nodes. A constant edge is added to the constant of its node and gets no symbol. False if no function
 * fits edge *unfit. */
static bool fit_edges(finder *f, const gt_kan_trace *trace, int *unfit) {
  const gt_symbolic_data *d = f->data;
  const int64_t n = d->samples, sparse = n > EDGE_SAMPLES ? n / EDGE_SAMPLES : 1;
  double *x = gt_alloc(2 * (size_t)n * sizeof *x), *y = x + n;
  *unfit = -1;
  for (int e = 0; e < f->rows && *unfit < 0; e++) {
    gt_symbolic_edge *g = &f->out->edge[e];
    const gt_kan_layer *layer = &f->network->layer[g->layer];
    gt_kan_edge_values(layer, g->from, g->to, trace->node[g->layer] + g->from * n, n, y);
    /* Uses all samples if an edge changes only at the others. */
    const int64_t stride = is_flat(y, n / sparse, sparse) ? 1 : sparse;
    if (!is_reached(f->out, g) || is_flat(y, n, 1)) {
      f->constant[g->layer + 1][g->to] += y[0];
      for (int i = 0; i < f->symbols; i++) f->fit[(ptrdiff_t)e * f->symbols + i].r2 = -INFINITY;
      continue;
    }
    for (int64_t k = 0; k < n / stride; k++) {
      x[k] =
          g->layer ? trace->node[g->layer][g->from * n + k * stride] : d->x[k * stride * d->inputs + g->from];
      y[k] = y[k * stride];
    }
    const gt_edge_fit *named = gt_kan_edge_function(layer, g->from, g->to);
    fit_edge(f, e, named ? named->symbol : NULL, x, y, n / stride);
    if (!isfinite(f->fit[(ptrdiff_t)e * f->symbols].r2)) *unfit = e;
    gt_symbolic_set_fit(g, &f->fit[(ptrdiff_t)e * f->symbols]);
  }
  free(x);
  return *unfit < 0;
}

/* --- fits of the whole formula --- */

void gt_symbolic_set_fit(gt_symbolic_edge *edge, const gt_edge_fit *fit) {
  edge->symbol = fit->symbol;
  edge->value[GT_CONSTANT_A] = fit->a;
  edge->value[GT_CONSTANT_B] = fit->b;
  edge->value[GT_CONSTANT_C] = fit->c;
  edge->fixed[GT_CONSTANT_A] = !(fit->symbol->free & GT_SYMBOL_A);
  edge->fixed[GT_CONSTANT_B] = !(fit->symbol->free & GT_SYMBOL_B);
  edge->fixed[GT_CONSTANT_C] = false;
}

/* Sets each edge to the fit of its chosen function. */
static void set_functions(const finder *f, gt_symbolic *s, const int *choice) {
  for (int l = 1; l <= s->layers; l++)
    memcpy(s->bias[l], f->constant[l], (size_t)s->width[l] * sizeof **s->bias);
  for (int e = 0; e < s->edges; e++) {
    const gt_edge_fit *fit = &f->fit[s->edge[e].row * f->symbols + choice[s->edge[e].row]];
    gt_symbolic_set_fit(&s->edge[e], fit);
    s->bias[s->edge[e].layer + 1][s->edge[e].to] += fit->d;
  }
}

static double cost_of(const finder *f, const gt_symbolic *s, double sum) {
  if (!f->coarse) return gt_symbolic_criterion(s, f->data, sum);
  const double samples = (double)(f->data->samples * f->data->outputs);
  return gt_symbolic_complexity(s) + 2 / samples * gt_symbolic_error_bits(f->data, sum);
}

/* Fits the trial and makes it the best formula so far if it is better. */
static bool keep_if_better(finder *f, gt_symbolic *trial) {
  const double sum = gt_symbolic_fit(trial, f->data, TRY_STEPS), cost = cost_of(f, trial, sum);
  gt_symbolic_pool_add(&f->pool, trial, gt_symbolic_criterion(trial, f->data, sum));
  if (!(cost < f->cost - min_gain)) return false;
  f->cost = cost;
  gt_arena *arena = &f->out->arena;
  gt_symbolic best = gt_symbolic_copy(arena, trial);
  best.arena = *arena;
  *f->out = best;
  return true;
}

static gt_symbolic new_trial(finder *f) {
  gt_arena_finish(&f->trials);
  gt_arena_init(&f->trials);
  return gt_symbolic_copy(&f->trials, f->out);
}

/* Tries the formula with these functions; true if it is better. */
static bool try_choice(finder *f, const int *choice) {
  if (gt_symbolic_is_exhausted(f->data)) return false;
  for (int e = 0; e < f->out->edges; e++) {
    const int row = f->out->edge[e].row;
    if (!isfinite(f->fit[row * f->symbols + choice[row]].r2)) return false;
  }
  gt_symbolic trial = new_trial(f);
  set_functions(f, &trial, choice);
  if (cost_of(f, &trial, 0) >= f->cost - min_gain || !keep_if_better(f, &trial)) return false;
  memmove(f->choice, choice, (size_t)f->rows * sizeof *choice);
  return true;
}

static bool try_one(finder *f, int *choice) {
  bool better = false;
  const int tries = f->symbols < TRIES_EACH ? f->symbols : TRIES_EACH;
  for (int e = 0; e < f->out->edges; e++)
    for (int t = 0; t < tries; t++) {
      const int row = f->out->edge[e].row;
      memcpy(choice, f->choice, (size_t)f->rows * sizeof *choice);
      if (choice[row] == t) continue;
      choice[row] = t;
      better |= try_choice(f, choice);
    }
  return better;
}

static bool try_pairs(finder *f, int *choice) {
  bool better = false;
  const int tries = f->symbols < PAIR_TRIES ? f->symbols : PAIR_TRIES, edges = f->out->edges;
  for (int e = 0; e < edges; e++)
    for (int g = 0; g < e; g++)
      for (int t = 0; t < tries * tries; t++) {
        const int row_e = f->out->edge[e].row, row_g = f->out->edge[g].row;
        memcpy(choice, f->choice, (size_t)f->rows * sizeof *choice);
        if (choice[row_e] == t / tries || choice[row_g] == t % tries) continue;
        choice[row_e] = t / tries;
        choice[row_g] = t % tries;
        better |= try_choice(f, choice);
      }
  return better;
}

enum { MAX_PAIRED = 10 /* edges */ };

static void choose_functions(finder *f) {
  int *choice = gt_alloc((size_t)f->rows * sizeof *choice + 1);
  try_choice(f, choice);
  for (int round = 0; round < ROUNDS; round++)
    if (!try_one(f, choice) && (f->out->edges > MAX_PAIRED || !try_pairs(f, choice))) break;
  free(choice);
}

/* --- chains as one function (symbolic_chain.h) --- */

enum { CHAIN_TRIES = 3 };

static gt_edge_fit *row_of(const finder *f, int edge) {
  return f->fit + (ptrdiff_t)f->out->edge[edge].row * f->symbols;
}

/* The index of the linear function in a row of fits; -1 if it is not allowed. */
static int find_line(const finder *f, const gt_edge_fit *row) {
  for (int i = 0; i < f->symbols; i++)
    if (row[i].symbol->kind == GT_SYMBOL_LINE) return i;
  return -1;
}

/* True if an edge of the chain is symbolic already: it must keep its function. */
static bool has_symbolic_edge(const finder *f, const gt_symbolic_chain *chain) {
  for (int e = 0; e < f->out->edges; e++) {
    const gt_symbolic_edge *g = &f->out->edge[e];
    if (gt_symbolic_chain_has(f->out, chain, e) &&
        gt_kan_edge_function(&f->network->layer[g->layer], g->from, g->to))
      return true;
  }
  return false;
}

/* Fits a row to values of y and counts the effort. */
static void fit_row(finder *f, int row, const double *x, const double *y, int64_t count) {
  enum { OPERATIONS = 5000 /* for each sample and function: about 300 evaluations */ };
  fit_edge(f, row, NULL, x, y, count);
  if (f->data->effort) f->data->effort->spent += (double)OPERATIONS * (double)count * f->symbols;
}

/* Tries the best fits of the chain's values: each on the edge into its first node, with a line on the edge
 * out. */
static bool try_fits(finder *f, const gt_symbolic_chain *chain) {
  const gt_edge_fit *fit = row_of(f, chain->first_in), *line = row_of(f, chain->first_out);
  const int in = f->out->edge[chain->first_in].row, out = f->out->edge[chain->first_out].row;
  const int at = find_line(f, line);
  for (int t = 0; at >= 0 && t < CHAIN_TRIES && t < f->symbols && isfinite(fit[t].r2); t++) {
    gt_symbolic trial = new_trial(f);
    gt_symbolic_chain_replace(&trial, chain, &fit[t], &line[at]);
    if (!keep_if_better(f, &trial)) continue;
    f->choice[in] = t;
    f->choice[out] = at;
    return true;
  }
  return false;
}

/* Replaces the chain by one function if that makes the whole network better. The edges of its first node then
 * have the fits of the chain's function, and of a line. */
static bool try_chain(finder *f, const gt_symbolic_chain *chain) {
  const int64_t n = f->data->samples, stride = n > EDGE_SAMPLES ? n / EDGE_SAMPLES : 1, count = n / stride;
  const size_t size = (size_t)f->symbols * sizeof *f->fit;
  gt_edge_fit *in = row_of(f, chain->first_in), *out = row_of(f, chain->first_out);
  gt_edge_fit *before = gt_alloc(2 * size);
  double *x = gt_alloc(2 * (size_t)n * sizeof *x), *y = x + n;
  memcpy(before, in, size);
  memcpy(before + f->symbols, out, size);
  gt_symbolic_chain_values(f->out, chain, f->data, x, y);
  for (int64_t k = 0; k < count; k++) x[k] = x[k * stride], y[k] = y[k * stride];
  fit_row(f, f->out->edge[chain->first_in].row, x, y, count);
  fit_row(f, f->out->edge[chain->first_out].row, y, y, count);
  const bool better = try_fits(f, chain);
  if (!better) {
    memcpy(in, before, size);
    memcpy(out, before + f->symbols, size);
  }
  free(x);
  free(before);
  return better;
}

static bool join_chains(finder *f) {
  bool joined = false;
  gt_symbolic_chain chain;
  for (int e = 0; e < f->out->edges; e++)
    if (!gt_symbolic_is_exhausted(f->data) && gt_symbolic_chain_at(f->out, e, &chain) &&
        !has_symbolic_edge(f, &chain) && try_chain(f, &chain)) {
      joined = true;
      e = -1; /* the indices of edges have changed */
    }
  return joined;
}

/* --- the whole search --- */

static void create_network(gt_symbolic *s, const gt_kan_network *network) {
  gt_arena *arena = &s->arena;
  s->layers = network->layers;
  s->width = GT_NEW_N(arena, int, s->layers + 1);
  s->bias = GT_NEW_N(arena, double *, s->layers + 1);
  s->bias_fixed = GT_NEW_N(arena, bool *, s->layers + 1);
  s->width[0] = gt_kan_network_inputs(network);
  for (int l = 0; l < s->layers; l++) {
    const gt_kan_layer *layer = &network->layer[l];
    s->width[l + 1] = layer->outputs;
    s->bias[l + 1] = GT_NEW_N(arena, double, layer->outputs);
    s->bias_fixed[l + 1] = GT_NEW_N(arena, bool, layer->outputs);
    for (int e = 0; e < layer->inputs * layer->outputs; e++)
      if (layer->edge[e]) {
        s->edge[s->edges] = (gt_symbolic_edge){
            .layer = l, .from = e / layer->outputs, .to = e % layer->outputs, .row = s->edges};
        s->edges++;
      }
  }
}

static void open_finder(finder *f, gt_symbolic_report *report) {
  gt_symbolic *out = f->out;
  gt_arena *arena = &out->arena;
  out->edge = gt_arena_alloc_n(arena, (size_t)f->rows + 1, sizeof *out->edge);
  create_network(out, f->network);
  if (f->data->names) out->names = gt_formula_names(arena, f->data->names, f->data->inputs);
  for (int i = 0; i < gt_symbol_count(); i++) f->symbols += !f->allowed || f->allowed[i];
  f->fit = gt_arena_alloc_n(arena, (size_t)f->rows * (size_t)f->symbols + 1, sizeof *f->fit);
  f->constant = GT_NEW_N(arena, double *, out->layers + 1);
  for (int l = 1; l <= out->layers; l++) {
    const double *bias = f->network->layer[l - 1].bias;
    f->constant[l] = GT_NEW_N(arena, double, out->width[l]);
    if (bias) memcpy(f->constant[l], bias, (size_t)out->width[l] * sizeof *bias);
  }
  *report = (gt_symbolic_report){gt_arena_copy(arena, out->edge, ((size_t)f->rows + 1) * sizeof *out->edge),
                                 f->fit, f->rows, f->symbols};
}

/* Fits each edge separately and removes constant edges. */
static bool read_edges(finder *f, const double *scaled, gt_error *error) {
  gt_symbolic *out = f->out;
  gt_kan_trace trace;
  int unfit, kept = 0;
  gt_kan_trace_run(&trace, f->network, scaled, f->data->samples);
  const bool ok = fit_edges(f, &trace, &unfit);
  gt_kan_trace_finish(&trace);
  if (!ok) {
    const gt_symbolic_edge *g = &out->edge[unfit];
    const char *name =
        !g->layer && f->data->names ? gt_escape_name(&out->arena, f->data->names[g->from]) : NULL;
    return gt_fail(error, GT_ERR_DATA, "none of the functions fits edge %d -> %d of '%s'%s%s%s", g->from,
                   g->to, f->network->layer[g->layer].name, name ? " (input '" : "", name ? name : "",
                   name ? "')" : "");
  }
  for (int e = 0; e < out->edges; e++)
    if (out->edge[e].symbol) out->edge[kept++] = out->edge[e];
  out->edges = kept;
  gt_symbolic_drop_loose_ends(out);
  return true;
}

static void refit(finder *f) {
  if (gt_symbolic_is_exhausted(f->data)) return;
  const double sum = gt_symbolic_fit(f->out, f->data, ALL_STEPS);
  f->cost = cost_of(f, f->out, sum);
  gt_symbolic_pool_add(&f->pool, f->out, gt_symbolic_criterion(f->out, f->data, sum));
}

/* Alternates choosing functions and simplifying until nothing changes. */
static void search(finder *f) {
  choose_functions(f);
  for (int round = 0; round < ROUNDS && isfinite(f->cost); round++) {
    refit(f);
    const bool simpler = gt_symbolic_simplify(f->out, f->data, f->coarse);
    if (simpler) refit(f);
    if (!join_chains(f) && !simpler) break;
    refit(f);
    choose_functions(f);
  }
}

/* Searches for a simple formula; if that leaves more than rounding errors, searches by the full criterion
 * from there, and again from all edges, because the first search may have removed one that is needed. */
static void search_all(finder *f) {
  gt_arena *arena = &f->out->arena;
  const gt_symbolic all = gt_symbolic_copy(arena, f->out);
  f->coarse = true;
  search(f);
  if (gt_symbolic_sum(f->out, f->data) <= f->data->rounding) return;
  f->coarse = false;
  refit(f);
  search(f);
  const gt_arena arena_now = *arena;
  *f->out = all;
  f->out->arena = arena_now;
  memcpy(f->fit, f->initial_fit, (size_t)f->rows * (size_t)f->symbols * sizeof *f->fit);
  memset(f->choice, 0, (size_t)f->rows * sizeof *f->choice);
  f->cost = INFINITY;
  search(f);
}

/* If the noise is proportional to the values, weighs the samples accordingly and fits the best formulas
 * again. */
static void reweigh(finder *f, gt_symbolic_data *data) {
  gt_symbolic_pool *pool = &f->pool, reweighted = {0};
  if (!pool->count || !gt_symbolic_find_noise(data, &pool->formula[0], &f->out->arena)) return;
  for (int i = 0; i < pool->count; i++) {
    const double sum = gt_symbolic_fit(&pool->formula[i], data, ALL_STEPS);
    gt_symbolic_pool_add(&reweighted, &pool->formula[i], gt_symbolic_criterion(&pool->formula[i], data, sum));
  }
  gt_symbolic_pool_finish(pool);
  *pool = reweighted;
}

/* Searches for the formula of one group and fills in its verdict. */
static bool find_group(const finder *shared, gt_symbolic_group *group, bool as_fitted, double budget,
                       gt_symbolic_verdict *verdict, gt_error *error) {
  finder f = *shared;
  gt_arena *result_arena = &shared->out->arena;
  gt_arena_init(&f.trials);
  f.out = &group->part;
  f.data = &group->data;
  f.choice = gt_alloc(((size_t)f.rows + 1) * sizeof *f.choice);
  f.initial_fit = shared->fit;
  f.fit =
      gt_arena_copy(&f.out->arena, f.initial_fit, ((size_t)f.rows * (size_t)f.symbols + 1) * sizeof *f.fit);
  gt_symbolic_effort effort = {.budget = search_share * budget};
  group->data.effort = &effort;
  search_all(&f);
  verdict->cut_short = gt_symbolic_is_exhausted(f.data);
  effort.budget = fmax(effort.spent, effort.budget) + (1 - search_share) * budget;
  reweigh(&f, &group->data);
  free(f.choice);
  gt_arena_finish(&f.trials);
  const bool ok = f.pool.count > 0;
  if (ok) {
    gt_symbolic_pool_choose(&f.pool, &group->part, f.data, as_fitted, verdict);
    verdict->outputs = f.data->outputs;
    verdict->output =
        gt_arena_copy(result_arena, f.data->output, (size_t)f.data->outputs * sizeof *f.data->output);
    if (verdict->rival) {
      const gt_symbolic rival = gt_symbolic_copy(result_arena, verdict->rival);
      verdict->rival = gt_arena_copy(result_arena, &rival, sizeof rival);
    }
  } else {
    gt_fail(error, GT_ERR_DATA, "%s",
            isfinite(f.data->variation)
                ? "no formula of these functions has a finite value at every sample"
                : "the network's values, or the targets, are not finite or too large");
  }
  gt_symbolic_pool_finish(&f.pool);
  group->data.effort = NULL;
  return ok;
}

static bool find_groups(const finder *f, const gt_symbolic_options *options, gt_symbolic_report *report,
                        gt_error *error) {
  gt_symbolic_group *group;
  const int count = gt_symbolic_split(f->out, f->data, &group);
  const double budget = (options->effort > 0 ? options->effort : default_effort) / count;
  bool ok = true;
  report->verdict = GT_NEW_N(&f->out->arena, gt_symbolic_verdict, count);
  report->verdicts = count;
  for (int i = 0; i < count && ok; i++)
    ok = find_group(f, &group[i], options->as_fitted, budget, &report->verdict[i], error);
  gt_symbolic_join(f->out, group, count);
  return ok;
}

bool gt_symbolic_find(gt_symbolic *out, const gt_kan_network *network, const double *scaled,
                      const gt_symbolic_data *data, const gt_symbolic_options *options,
                      gt_symbolic_report *report, gt_error *error) {
  const int edges = gt_kan_network_edges(network);
  finder f = {.out = out,
              .network = network,
              .data = data,
              .allowed = options->allowed,
              .rows = edges,
              .cost = INFINITY};
  *out = (gt_symbolic){0};
  if (edges > GT_SYMBOLIC_MAX_EDGES)
    return gt_fail(error, GT_ERR_DATA,
                   "the network has %d edges, and only %d can be read as a formula: prune it", edges,
                   (int)GT_SYMBOLIC_MAX_EDGES);
  gt_arena_init(&out->arena);
  open_finder(&f, report);
  const bool ok = read_edges(&f, scaled, error) && find_groups(&f, options, report, error);
  if (!ok) gt_symbolic_finish(out);
  return ok;
}
