#include "train/bench/tune.h"
#include "base/memory.h"
#include "train/bench/bench.h"
#include "base/time.h"
#include "train/run/signals.h"
#include <stdlib.h>
#include <string.h>

/* TURNS: of a comparison; CONFIRMATIONS: comparisons that a candidate must win; FINAL_TURNS: of the
 * comparison at the end. */
enum { TURNS = 5, CONFIRMATIONS = 2, FINAL_TURNS = 9, WARM_UP_STEPS = 2 };
static const double turn_seconds = 0.02;
static const double min_gain = 0.005;   /* of the time of a step: smaller gains may be noise */
static const double max_ratio = 1.2;    /* of times in the first turn: a slower trial ends */
static const double max_cost_ratio = 3; /* of estimated costs: more expensive candidates are not tried */

/* A compiled step: the session's config planned with some candidates. */
typedef struct subject {
  gt_arena arena;
  gt_net *net;
  gt_executable *executable;
} subject;

static void close_subject(gt_session *session, subject *s) {
  if (s->net) gt_session_discard(session, s->net, s->executable);
  gt_arena_finish(&s->arena);
  *s = (subject){0};
}

static bool open_subject(gt_session *session, subject *s, gt_error *error) {
  const gt_net_options options = {
      .target = session->backend->target, .tuned = &session->tuned, .windows = session->windows};
  *s = (subject){0};
  gt_arena_init(&s->arena);
  s->net = gt_net_training(&s->arena, session->config, &options, error);
  s->executable = s->net ? gt_session_compile(session, s->net, error) : NULL;
  double seconds;
  if (s->executable &&
      gt_bench_seconds(session->backend, s->net, s->executable, WARM_UP_STEPS, &seconds, error))
    return true;
  close_subject(session, s);
  return false;
}

/* --- turns --- */

typedef struct match { /* the times of two subjects, a and b, in turns */
  int64_t steps;       /* of a turn */
  int turns, wins;     /* turns so far; turns in which b was faster */
  double a[FINAL_TURNS], b[FINAL_TURNS], ratio[FINAL_TURNS]; /* seconds, and b / a */
} match;

static bool time_subject(gt_session *session, const subject *s, const match *m, double *seconds,
                         gt_error *error) {
  return gt_bench_seconds(session->backend, s->net, s->executable, m->steps, seconds, error);
}

/* Times a and b in turns, changing which one is first; ends early if b is much slower. */
static bool alternate(gt_session *session, const subject *a, const subject *b, int turns, match *m,
                      gt_error *error) {
  m->wins = 0;
  for (m->turns = 0; m->turns < turns; m->turns++) {
    const int t = m->turns;
    const bool b_first = t % 2;
    if (b_first && !time_subject(session, b, m, &m->b[t], error)) return false;
    if (!time_subject(session, a, m, &m->a[t], error)) return false;
    if (!b_first && !time_subject(session, b, m, &m->b[t], error)) return false;
    m->ratio[t] = m->b[t] / m->a[t];
    m->wins += m->ratio[t] < 1;
    if (!t && m->ratio[t] > max_ratio) break;
  }
  return true;
}

/* Chooses the number of steps per turn. */
static bool measure_turn(gt_session *session, const subject *s, match *m, gt_error *error) {
  double seconds = 0;
  for (m->steps = 1; m->steps < 1 << 20; m->steps *= 4) {
    if (!time_subject(session, s, m, &seconds, error)) return false;
    if (seconds > turn_seconds / 4) break;
  }
  const double steps = (double)m->steps * turn_seconds / seconds;
  m->steps = steps < 1 ? 1 : (int64_t)steps + 1;
  return true;
}

/* --- the choices --- */

typedef struct trial_candidate {
  const char *text;
  uint32_t family;
  bool leads; /* the cheapest of its family */
} trial_candidate;

typedef struct choice_to_tune {
  const char *key;
  double cost;                /* estimated cost of all steps with this key */
  trial_candidate *candidate; /* those to try, cheapest first; the first is the current one */
  uint32_t candidates;
  uint32_t offered; /* number of other candidates that the op offers */
} choice_to_tune;

typedef struct tuner {
  gt_session *session;
  const gt_tune_options *options;
  gt_tune_result *result;
  gt_arena arena;
  struct {
    choice_to_tune *items;
    size_t count, capacity;
  } choices;
  subject base;
  match match;
  double start;
} tuner;

static int most_expensive_first(const void *a, const void *b) {
  const double x = ((const choice_to_tune *)a)->cost, y = ((const choice_to_tune *)b)->cost;
  return (x < y) - (x > y);
}

/* The index of the next candidate by cost, then by index; choice->candidates after the last. */
static uint32_t next_by_cost(const gt_choice *choice, uint32_t last) {
  const gt_candidate *c = choice->candidate;
  const double cost = c[last].cost;
  uint32_t best = choice->candidates;
  for (uint32_t i = 0; i < choice->candidates; i++) {
    const bool later = c[i].cost > cost || (c[i].cost == cost && i > last);
    if (later && (best == choice->candidates || c[i].cost < c[best].cost)) best = i;
  }
  return best;
}

static void add_trial_candidate(tuner *t, choice_to_tune *q, const gt_choice *choice, uint32_t candidate) {
  char text[GT_CANDIDATE_TEXT];
  trial_candidate found = {.family = choice->candidate[candidate].family, .leads = true};
  choice->text(&choice->candidate[candidate], text, sizeof text);
  for (uint32_t i = 0; i < q->candidates; i++) {
    if (!strcmp(q->candidate[i].text, text)) return;
    found.leads &= q->candidate[i].family != found.family;
  }
  found.text = gt_arena_strdup(&t->arena, text);
  q->candidate[q->candidates++] = found;
}

static choice_to_tune *find_choice(tuner *t, const gt_choice *choice) {
  for (size_t i = 0; i < t->choices.count; i++)
    if (!strcmp(t->choices.items[i].key, choice->key)) return &t->choices.items[i];
  choice_to_tune *q = GT_PUSH(&t->choices);
  *q = (choice_to_tune){.key = gt_arena_strdup(&t->arena, choice->key),
                        .candidate = GT_NEW_N(&t->arena, trial_candidate, choice->candidates),
                        .offered = choice->candidates - 1};
  const double limit = max_cost_ratio * choice->candidate[choice->taken].cost;
  for (uint32_t i = choice->taken; i < choice->candidates && choice->candidate[i].cost <= limit;
       i = next_by_cost(choice, i))
    add_trial_candidate(t, q, choice, i);
  return q;
}

static void remove_entries(tuner *t) {
  for (size_t i = 0; i < t->choices.count; i++)
    gt_tuned_set(&t->session->tuned, t->choices.items[i].key, NULL);
}

/* Lists the choices in the net's plans, and removes their earlier entries. */
static void list_choices(tuner *t, const gt_net *net) {
  for (int i = 0; i < net->stages; i++) {
    const gt_plan *plan = net->stage[i].plan;
    for (uint32_t s = 0; s < plan->steps; s++) {
      if (!plan->step[s].choice) continue;
      const gt_choice *choice = &plan->choice[plan->step[s].choice - 1];
      if (choice->candidates < 2) continue;
      find_choice(t, choice)->cost += net->stage[i].times * choice->candidate[choice->taken].cost;
    }
  }
  if (t->choices.count)
    qsort(t->choices.items, t->choices.count, sizeof(choice_to_tune), most_expensive_first);
  remove_entries(t);
}

/* --- the search --- */

static bool is_over(const tuner *t) {
  const double limit = t->options->seconds;
  return gt_signal_received() || (limit > 0 && gt_seconds() - t->start > limit);
}

/* Sets *better if the step is faster with the trial. Among many trials some look faster by chance, so a
 * faster one is timed again. */
static bool is_faster(tuner *t, const subject *trial, bool *better, gt_error *error) {
  match *m = &t->match;
  *better = true;
  for (int i = 0; i < CONFIRMATIONS && *better; i++) {
    if (!alternate(t->session, &t->base, trial, TURNS, m, error)) return false;
    *better = m->turns == TURNS && m->wins >= TURNS - 1 && gt_bench_median(m->ratio, TURNS) < 1 - min_gain;
  }
  return true;
}

/* Tries a candidate instead of the current one. */
static bool try_candidate(tuner *t, const choice_to_tune *q, const trial_candidate *next,
                          const trial_candidate **current, gt_error *error) {
  gt_tuned *tuned = &t->session->tuned;
  const char *previous_text = gt_tuned_find(tuned, q->key);
  gt_error plan_error = {0};
  subject trial;
  bool better = false, ok = true;
  t->result->tries++;
  gt_tuned_set(tuned, q->key, next->text);
  if (open_subject(t->session, &trial, &plan_error)) {
    ok = is_faster(t, &trial, &better, error);
    better &= ok;
    close_subject(t->session, better ? &t->base : &trial);
    if (better) t->base = trial, *current = next;
  } else if (plan_error.status == GT_ERR_NODEVICE) /* the device is lost */
    ok = gt_fail(error, plan_error.status, "%s", plan_error.message);
  else
    t->result->failed++;
  if (!better) gt_tuned_set(tuned, q->key, previous_text);
  return ok;
}

/* Tries the cheapest candidate of each family, then others of the best family. */
static bool tune_choice(tuner *t, const choice_to_tune *q, gt_error *error) {
  gt_tune_choice report = {.key = q->key, .was = q->candidate[0].text, .offered = q->offered};
  const trial_candidate *current = &q->candidate[0];
  double remaining = 1; /* of the step's time */
  for (int round = 0; round < 2; round++) {
    const uint32_t family = current->family;
    uint32_t tried = 0;
    for (uint32_t i = 1; i < q->candidates && tried < t->options->max_candidates && !is_over(t); i++) {
      const trial_candidate *next = &q->candidate[i], *before = current;
      if (round ? next->leads || next->family != family : !next->leads) continue;
      if (!try_candidate(t, q, next, &current, error)) return false;
      tried++;
      if (current != before) remaining *= t->match.ratio[TURNS / 2];
    }
    report.tried += tried;
  }
  report.now = current->text;
  report.gain = 1 - remaining;
  t->result->changed += current != &q->candidate[0];
  t->result->tuned++;
  if (t->options->note) t->options->note(t->options->context, &report);
  return true;
}

/* Compares the original step with the tuned one. If the tuned one is not faster, removes its entries. */
static bool compare_with_original(tuner *t, gt_error *error) {
  gt_session *session = t->session;
  gt_tuned found = session->tuned;
  subject original = {0};
  match *m = &t->match;
  session->tuned = (gt_tuned){0};
  bool ok = open_subject(session, &original, error);
  session->tuned = found;
  ok = ok && alternate(session, &original, &t->base, FINAL_TURNS, m, error);
  if (ok) {
    t->result->before = 1e6 * gt_bench_median(m->a, m->turns) / (double)m->steps;
    t->result->ratio = gt_bench_median(m->ratio, m->turns);
    if (m->wins <= FINAL_TURNS / 2 || t->result->ratio >= 1) remove_entries(t), t->result->changed = 0;
  }
  close_subject(session, &original);
  return ok;
}

static bool search(tuner *t, gt_error *error) {
  t->result->choices = (uint32_t)t->choices.count;
  if (!measure_turn(t->session, &t->base, &t->match, error)) return false;
  for (size_t i = 0; i < t->choices.count && !is_over(t); i++)
    if (!tune_choice(t, &t->choices.items[i], error)) return false;
  if (t->result->changed) return compare_with_original(t, error);
  double seconds;
  if (!time_subject(t->session, &t->base, &t->match, &seconds, error)) return false;
  t->result->before = 1e6 * seconds / (double)t->match.steps;
  t->result->ratio = 1;
  return true;
}

/* Opens the step with the candidates of the lowest estimated cost, and lists its choices. */
static bool open_tuner(tuner *t, gt_error *error) {
  gt_tuned known = t->session->tuned;
  t->session->tuned = (gt_tuned){0};
  t->base.net = gt_bench_open(t->session, &t->base.executable, error);
  t->session->tuned = known;
  if (t->base.net) list_choices(t, t->base.net);
  return t->base.net;
}

static void close_tuner(tuner *t) {
  close_subject(t->session, &t->base);
  gt_arena_finish(&t->arena);
  free(t->choices.items);
}

bool gt_tune(gt_session *session, const gt_tune_options *options, gt_tune_result *result, gt_error *error) {
  tuner t = {.session = session, .options = options, .result = result, .start = gt_seconds()};
  gt_arena_init(&t.arena);
  *result = (gt_tune_result){0};
  const bool ok = open_tuner(&t, error) && (!t.choices.count || search(&t, error));
  close_tuner(&t);
  return ok;
}

bool gt_tune_remove(gt_session *session, uint32_t *count, gt_error *error) {
  const gt_net_options options = {.target = session->backend->target};
  tuner t = {.session = session};
  const size_t before = session->tuned.count;
  gt_arena_init(&t.arena);
  const gt_net *net = gt_net_training(&t.arena, session->config, &options, error);
  if (net) list_choices(&t, net);
  *count = (uint32_t)(before - session->tuned.count);
  close_tuner(&t);
  return net;
}
