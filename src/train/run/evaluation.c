#include "train/run/evaluation.h"
#include "base/fields.h"
#include "base/time.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* BETWEEN, WITHIN: number of blanks between the fields of different splits, and of the same split. */
enum { FIELDS = GT_MAX_LINE_FIELDS, BETWEEN = 2, WITHIN = 1 };
/* Fields in order of importance: the watched split and its mark come before the training split. */
enum { PROGRESS, WATCHED, MARK, TRAIN, WATCHED_SECOND, TRAIN_SECOND, RATE, WATCHED_MORE, TRAIN_MORE };
enum { TURNS = 2 /* distance of the ranks of further metrics: the two splits alternate */ };

typedef struct line_builder {
  const gt_evaluation *evaluation;
  bool brief;
  int count;
  gt_line_field field[FIELDS];
} line_builder;

static char *add(line_builder *m, int rank, int gap) {
  gt_line_field *field = &m->field[m->count++];
  *field = (gt_line_field){.rank = rank, .gap = gap};
  return field->text;
}

static int digits(int64_t number) { return snprintf(NULL, 0, "%lld", (long long)number); }

/* Adds the epoch or step, padded to the width of the last one, so that columns align. */
static void add_progress(line_builder *m) {
  const gt_evaluation *e = m->evaluation;
  char *text = add(m, PROGRESS, 0);
  int used = 0;
  if (e->phases)
    used = snprintf(text, GT_FIELD_LENGTH, "phase %lld/%lld ", (long long)e->phase, (long long)e->phases);
  if (e->epochs && !e->phases)
    snprintf(text, GT_FIELD_LENGTH, "epoch %*lld/%lld", digits(e->epochs), (long long)e->epoch,
             (long long)e->epochs);
  else
    snprintf(text + used, GT_FIELD_LENGTH - (size_t)used, "step %*lld/%lld", digits(e->steps),
             (long long)e->step, (long long)e->steps);
}

/* The name of a metric; "soft_acc" instead of "soft_accuracy" in short lines. */
static const char *name_of(const line_builder *m, const char *metric, char name[32]) {
  static const char kind[] = "accuracy";
  const char *long_word = m->brief ? strstr(metric, kind) : NULL;
  snprintf(name, 32, "%.*s%s", (int)(long_word ? long_word - metric : 31), metric, long_word ? "acc" : "");
  return name;
}

static void add_metric(line_builder *m, int rank, const char *split, const gt_metric *metric) {
  char name[32];
  const double magnitude = fabs(metric->value);
  const bool plain =
      magnitude == 0 || !isfinite(magnitude) || strstr(metric->name, "accuracy") ||
      (magnitude >= 1e-2 && magnitude < 1e5); /* otherwise %.4f has too few or too many digits */
  snprintf(add(m, rank, split ? BETWEEN : WITHIN), GT_FIELD_LENGTH, plain ? "%s%s%s %.4f" : "%s%s%s %.3e",
           split ? split : "", split ? " " : "", name_of(m, metric->name, name), metric->value);
}

static int dots_in(const char *name) {
  int dots = 0;
  for (; *name; name++) dots += *name == '.';
  return dots;
}

/* True for results that a line omits: of single outputs ("mae.price"), and the loss of a target that has
 * another result ("kind.loss" next to "kind.accuracy"). */
static bool is_minor(const gt_results *result, const char *name) {
  const char *dot = strchr(name, '.');
  const gt_metric_kind *kind = dot ? gt_metric_find(dot + 1) : NULL;
  if (!dot) return false;
  if (dots_in(name) > 1 || !kind) return true;
  if (kind->type || kind->correct) return false;
  for (int i = 0; i < result->count; i++)
    if (strcmp(result->metric[i].name, name) &&
        !strncmp(result->metric[i].name, name, (size_t)(dot - name) + 1))
      return true;
  return false;
}

/* Adds the metrics of a split, the watched one first. */
static void add_split(line_builder *m, const char *split, const gt_results *result, const int rank[3]) {
  const gt_metric *metric = result->metric;
  const int count = result->count, watched = gt_result_index(result, m->evaluation->watches);
  const int first = watched > 0 ? watched : 0;
  add_metric(m, rank[0], split, &metric[first]);
  for (int i = 0, place = 1; i < count && m->count < FIELDS - 2; i++) {
    if (i == first || is_minor(result, metric[i].name)) continue;
    add_metric(m, place < 2 ? rank[place] : rank[2] + TURNS * (place - 2), NULL, &metric[i]);
    place++;
  }
}

static void build_fields(line_builder *m) {
  static const int train[] = {TRAIN, TRAIN_SECOND, TRAIN_MORE};
  static const int watched[] = {WATCHED, WATCHED_SECOND, WATCHED_MORE};
  const gt_evaluation *e = m->evaluation;
  char rate[48];
  m->count = 0;
  add_progress(m);
  add_split(m, "train", &e->train, train);
  if (e->split) {
    const bool validation = !strcmp(e->split, "validation");
    add_split(m, m->brief && validation ? "val" : e->split, &e->watched, watched);
    snprintf(add(m, MARK, WITHIN), GT_FIELD_LENGTH, "%s", e->best ? GT_BEST_MARK : " ");
  }
  snprintf(add(m, RATE, BETWEEN), GT_FIELD_LENGTH, "%17s", gt_samples_rate(e->rate, rate));
}

void gt_evaluation_text(char line[GT_EVALUATION_LONGEST], const gt_evaluation *evaluation, int room) {
  line_builder m = {.evaluation = evaluation};
  build_fields(&m);
  m.brief = gt_fields_width(m.field, m.count) > room;
  if (m.brief) build_fields(&m);
  gt_fit_fields(line, GT_EVALUATION_LONGEST, m.field, m.count, room);
}
