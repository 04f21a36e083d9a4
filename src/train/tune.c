#include "train/tune.h"
#include "base/memory.h"
#include "train/bench.h"
#include "train/progress.h"
#include "train/signals.h"
#include <stdlib.h>
#include <string.h>

enum { TURNS = 5, MATCHES = 2, LAST_TURNS = 9, WARM = 2 };
static const double turn_seconds = 0.02;
static const double least_gain = 0.005; /* of a step: less could be noise */
static const double hopeless = 1.2;     /* ratio of the first turn above which a trial ends */
static const double most_cost = 3;      /* candidates with this many times the estimated cost are not tried */

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
  if (s->executable && gt_bench_seconds(session->backend, s->net, s->executable, WARM, &seconds, error))
    return true;
  close_subject(session, s);
  return false;
}

/* --- turns --- */

typedef struct match {
  int64_t steps; /* in a turn */
  int turns, wins;
  double a[LAST_TURNS], b[LAST_TURNS], ratio[LAST_TURNS]; /* seconds, and b / a */
} match;

static bool time_subject(gt_session *session, const subject *s, const match *m, double *seconds,
                         gt_error *error) {
  return gt_bench_seconds(session->backend, s->net, s->executable, m->steps, seconds, error);
}

/* Times a and b alternately, each first every other time; ends early if b is hopeless. */
static bool play(gt_session *session, const subject *a, const subject *b, int turns, match *m,
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
    if (!t && m->ratio[t] > hopeless) break;
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

typedef struct way {
  const char *text;
  uint32_t kin;
  bool leads; /* the cheapest of its family */
} way;

typedef struct question {
  const char *key;
  double cost; /* estimated, of all steps that it decides */
  way *way;    /* promising candidates, cheapest first; the first is the current one */
  uint32_t ways, offered;
} question;

typedef struct tuner {
  gt_session *session;
  const gt_tune_options *options;
  gt_tune_result *result;
  gt_arena arena;
  struct {
    question *items;
    size_t count, capacity;
  } questions;
  subject base;
  match match;
  double began;
} tuner;

static int dearest_first(const void *a, const void *b) {
  const double x = ((const question *)a)->cost, y = ((const question *)b)->cost;
  return (x < y) - (x > y);
}

/* The next candidate by cost, then by index. */
static uint32_t next_dearer(const gt_choice *choice, uint32_t last) {
  const gt_candidate *c = choice->candidate;
  const double cost = c[last].cost;
  uint32_t best = choice->candidates;
  for (uint32_t i = 0; i < choice->candidates; i++) {
    const bool later = c[i].cost > cost || (c[i].cost == cost && i > last);
    if (later && (best == choice->candidates || c[i].cost < c[best].cost)) best = i;
  }
  return best;
}

static void list_way(tuner *t, question *q, const gt_choice *choice, uint32_t candidate) {
  char text[GT_WAY_TEXT];
  way found = {.kin = choice->candidate[candidate].kin, .leads = true};
  choice->text(&choice->candidate[candidate], text, sizeof text);
  for (uint32_t i = 0; i < q->ways; i++) {
    if (!strcmp(q->way[i].text, text)) return;
    found.leads &= q->way[i].kin != found.kin;
  }
  found.text = gt_arena_strdup(&t->arena, text);
  q->way[q->ways++] = found;
}

static question *question_of(tuner *t, const gt_choice *choice) {
  for (size_t i = 0; i < t->questions.count; i++)
    if (!strcmp(t->questions.items[i].key, choice->key)) return &t->questions.items[i];
  question *q = GT_PUSH(&t->questions);
  *q = (question){.key = gt_arena_strdup(&t->arena, choice->key),
                  .way = GT_NEW_N(&t->arena, way, choice->candidates),
                  .offered = choice->candidates - 1};
  const double limit = most_cost * choice->candidate[choice->taken].cost;
  for (uint32_t i = choice->taken; i < choice->candidates && choice->candidate[i].cost <= limit;
       i = next_dearer(choice, i))
    list_way(t, q, choice, i);
  return q;
}

static void forget(tuner *t) {
  for (size_t i = 0; i < t->questions.count; i++)
    gt_tuned_set(&t->session->tuned, t->questions.items[i].key, NULL);
}

/* Lists the choices in the net's plans and removes their earlier entries. */
static void ask(tuner *t, const gt_net *net) {
  for (int i = 0; i < net->stages; i++) {
    const gt_plan *plan = net->stage[i].plan;
    for (uint32_t s = 0; s < plan->steps; s++) {
      if (!plan->step[s].choice) continue;
      const gt_choice *choice = &plan->choice[plan->step[s].choice - 1];
      if (choice->candidates < 2) continue;
      question_of(t, choice)->cost += net->stage[i].times * choice->candidate[choice->taken].cost;
    }
  }
  if (t->questions.count) qsort(t->questions.items, t->questions.count, sizeof(question), dearest_first);
  forget(t);
}

/* --- the search --- */

static bool is_over(const tuner *t) {
  const double limit = t->options->seconds;
  return gt_signal_received() || (limit > 0 && gt_seconds() - t->began > limit);
}

/* Sets *better if the step is faster. Among many trials some look faster by chance, so a winner is timed
 * again. */
static bool beats(tuner *t, const subject *trial, bool *better, gt_error *error) {
  match *m = &t->match;
  *better = true;
  for (int i = 0; i < MATCHES && *better; i++) {
    if (!play(t->session, &t->base, trial, TURNS, m, error)) return false;
    *better = m->turns == TURNS && m->wins >= TURNS - 1 && gt_bench_median(m->ratio, TURNS) < 1 - least_gain;
  }
  return true;
}

/* Tries a candidate instead of the current one. */
static bool try_way(tuner *t, const question *q, const way *next, const way **taken, gt_error *error) {
  gt_tuned *tuned = &t->session->tuned;
  const char *now = gt_tuned_find(tuned, q->key);
  gt_error refused = {0};
  subject trial;
  bool better = false, ok = true;
  t->result->tries++;
  gt_tuned_set(tuned, q->key, next->text);
  if (open_subject(t->session, &trial, &refused)) {
    ok = beats(t, &trial, &better, error);
    better &= ok;
    close_subject(t->session, better ? &t->base : &trial);
    if (better) t->base = trial, *taken = next;
  } else if (refused.status == GT_ERR_NODEVICE) /* the device is lost */
    ok = gt_fail(error, refused.status, "%s", refused.message);
  else
    t->result->failed++;
  if (!better) gt_tuned_set(tuned, q->key, now);
  return ok;
}

/* Tries the cheapest candidate of each family, then others of the best family. */
static bool go_through(tuner *t, const question *q, gt_error *error) {
  gt_tune_choice noted = {.key = q->key, .was = q->way[0].text, .offered = q->offered};
  const way *taken = &q->way[0];
  double left = 1; /* of the step's time */
  for (int round = 0; round < 2; round++) {
    const uint32_t kin = taken->kin;
    uint32_t tried = 0;
    for (uint32_t i = 1; i < q->ways && tried < t->options->ways && !is_over(t); i++) {
      const way *next = &q->way[i], *before = taken;
      if (round ? next->leads || next->kin != kin : !next->leads) continue;
      if (!try_way(t, q, next, &taken, error)) return false;
      tried++;
      if (taken != before) left *= t->match.ratio[TURNS / 2];
    }
    noted.tried += tried;
  }
  noted.now = taken->text;
  noted.gain = 1 - left;
  t->result->changed += taken != &q->way[0];
  t->result->tuned++;
  if (t->options->note) t->options->note(t->options->context, &noted);
  return true;
}

/* Compares the original step with the tuned one; if the tuned one is not faster, its
 * candidates are dropped. */
static bool hold_together(tuner *t, gt_error *error) {
  gt_session *session = t->session;
  gt_tuned found = session->tuned;
  subject first = {0};
  match *m = &t->match;
  session->tuned = (gt_tuned){0};
  bool ok = open_subject(session, &first, error);
  session->tuned = found;
  ok = ok && play(session, &first, &t->base, LAST_TURNS, m, error);
  if (ok) {
    t->result->before = 1e6 * gt_bench_median(m->a, m->turns) / (double)m->steps;
    t->result->ratio = gt_bench_median(m->ratio, m->turns);
    if (m->wins <= LAST_TURNS / 2 || t->result->ratio >= 1) forget(t), t->result->changed = 0;
  }
  close_subject(session, &first);
  return ok;
}

static bool search(tuner *t, gt_error *error) {
  t->result->choices = (uint32_t)t->questions.count;
  if (!measure_turn(t->session, &t->base, &t->match, error)) return false;
  for (size_t i = 0; i < t->questions.count && !is_over(t); i++)
    if (!go_through(t, &t->questions.items[i], error)) return false;
  if (t->result->changed) return hold_together(t, error);
  double seconds;
  if (!time_subject(t->session, &t->base, &t->match, &seconds, error)) return false;
  t->result->before = 1e6 * seconds / (double)t->match.steps;
  t->result->ratio = 1;
  return true;
}

/* Opens the step with the estimated best candidates, and lists its choices. */
static bool open_tuner(tuner *t, gt_error *error) {
  gt_tuned known = t->session->tuned;
  t->session->tuned = (gt_tuned){0};
  t->base.net = gt_bench_open(t->session, &t->base.executable, error);
  t->session->tuned = known;
  if (t->base.net) ask(t, t->base.net);
  return t->base.net;
}

static void close_tuner(tuner *t) {
  close_subject(t->session, &t->base);
  gt_arena_finish(&t->arena);
  free(t->questions.items);
}

bool gt_tune(gt_session *session, const gt_tune_options *options, gt_tune_result *result, gt_error *error) {
  tuner t = {.session = session, .options = options, .result = result, .began = gt_seconds()};
  gt_arena_init(&t.arena);
  *result = (gt_tune_result){0};
  const bool ok = open_tuner(&t, error) && (!t.questions.count || search(&t, error));
  close_tuner(&t);
  return ok;
}

bool gt_tune_forget(gt_session *session, uint32_t *count, gt_error *error) {
  const gt_net_options options = {.target = session->backend->target};
  tuner t = {.session = session};
  const size_t before = session->tuned.count;
  gt_arena_init(&t.arena);
  const gt_net *net = gt_net_training(&t.arena, session->config, &options, error);
  if (net) ask(&t, net);
  *count = (uint32_t)(before - session->tuned.count);
  close_tuner(&t);
  return net;
}
