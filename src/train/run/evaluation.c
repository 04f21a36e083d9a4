#include "train/run/evaluation.h"
#include "base/arena.h"
#include "base/fields.h"
#include "base/time.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* BETWEEN, WITHIN: number of blanks between the fields of different splits, and of the same split. */
enum { FIELDS = GT_MAX_LINE_FIELDS, BETWEEN = 2, WITHIN = 1 };
/* Fields in order of importance: the watched split and its mark come before the training split. */
enum { PROGRESS, WATCHED, MARK, TRAIN, WATCHED_SECOND, TRAIN_SECOND, RATE, WATCHED_MORE, TRAIN_MORE };
enum {
  TURNS = 2, /* distance of the ranks of further metrics: the two splits alternate */
  NAME = 31  /* bytes of a name that are shown */
};

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

/* True for accuracy and balanced_accuracy. */
static bool is_accuracy(const gt_result_item *result) { return strstr(result->id.kind->name, "accuracy"); }

static void add_result(line_builder *m, int rank, const char *split, const gt_results *results,
                       const gt_result_item *result) {
  const double magnitude = fabs(result->value);
  const bool plain =
      magnitude == 0 || !isfinite(magnitude) || is_accuracy(result) ||
      (magnitude >= 1e-2 && magnitude < 1e5); /* otherwise %.4f has too few or too many digits */
  gt_arena arena;
  gt_arena_init(&arena);
  const char *name = gt_result_name(results, result, &arena);
  /* In short lines, "soft_acc" instead of "soft_accuracy". */
  const size_t cut = m->brief && is_accuracy(result) && result->id.column < 0 ? strlen("uracy") : 0;
  const int length = (int)(strlen(name) - cut);
  snprintf(add(m, rank, split ? BETWEEN : WITHIN), GT_FIELD_LENGTH, plain ? "%s%s%.*s %.4f" : "%s%s%.*s %.3e",
           split ? split : "", split ? " " : "", length < NAME ? length : NAME, name, result->value);
  gt_arena_finish(&arena);
}

/* True for results that a line omits: of single columns, and the loss of one of several targets that has
 * another result. */
static bool is_minor(const gt_results *results, const gt_result_item *result) {
  const gt_result_id id = result->id;
  if (id.column >= 0) return true;
  if (results->data->targets == 1 || id.target < 0 || id.kind->type || id.kind->correct) return false;
  for (int i = 0; i < results->count; i++)
    if (results->item[i].id.target == id.target && &results->item[i] != result) return true;
  return false;
}

/* Adds the results of a split, the watched one first. */
static void add_split(line_builder *m, const char *split, const gt_results *results, const int rank[3]) {
  const gt_result_item *watched = gt_result_find(results, m->evaluation->watches),
                       *first = watched ? watched : results->item;
  add_result(m, rank[0], split, results, first);
  for (int i = 0, place = 1; i < results->count && m->count < FIELDS - 2; i++) {
    const gt_result_item *result = &results->item[i];
    if (result == first || is_minor(results, result)) continue;
    add_result(m, place < 2 ? rank[place] : rank[2] + TURNS * (place - 2), NULL, results, result);
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
