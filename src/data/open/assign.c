/* Assigns the samples of the training file to splits: at random, the last ones, stratified by class, by the
 * values of a column, or by groups that stay together. An assignment depends only on the seed, the options
 * and the samples. These functions must never change: otherwise a trained model would be tested on its
 * training samples. The options are read before the files, because a CSV keeps the columns that they name;
 * samples are assigned after reading. */
#include "base/count.h"
#include "base/memory.h"
#include "base/philox.h"
#include "data/series/series.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const methods[] = {"random", "last", "stratified", NULL};
static const gt_field fields[] = {
    GT_ROW(gt_data_split, method, GT_FIELD_CHOICE, .choices = methods,
           .help = "random: from the seed; last: the last samples; stratified: random within each class, so "
                   "that classes keep their shares"),
    GT_ROW(gt_data_split, column, GT_FIELD_STRING,
           .help = "column of a CSV that names the split of each row: train, validation or test, or the "
                   "values below; it is not an input"),
    GT_ROW(gt_data_split, test, GT_FIELD_STRINGS,
           .help = "values of `column` whose rows are test samples; rows with other values are training "
                   "samples"),
    GT_ROW(gt_data_split, validation, GT_FIELD_STRINGS,
           .help = "values of `column` whose rows are validation samples"),
    GT_ROW(gt_data_split, group, GT_FIELD_STRING,
           .help = "column of a CSV: rows with the same value are all in one split; it is not an input"),
    {.name = NULL},
};
const gt_schema gt_data_split_schema = {.name = "split",
                                        .help = "which samples the validation and test splits take",
                                        .fields = fields,
                                        .shorthand = "method"};

const char *const gt_data_part_names[GT_PARTS] = {"training", "validation", "test"};

int gt_data_part_named(const char *word, size_t length) {
  static const struct {
    const char *word;
    int part;
  } words[] = {
      {"train", GT_PART_TRAIN},      {"training", GT_PART_TRAIN},        {"val", GT_PART_VALIDATION},
      {"valid", GT_PART_VALIDATION}, {"validation", GT_PART_VALIDATION}, {"dev", GT_PART_VALIDATION},
      {"test", GT_PART_TEST},        {"testing", GT_PART_TEST},          {"holdout", GT_PART_TEST},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].word) == length && !strncasecmp(words[i].word, word, length)) return words[i].part;
  return -1;
}

/* --- options --- */

static gt_position position_of(const gt_data_reader *reader, const char *key) {
  const gt_spec *node = gt_data_node(reader, "split", key);
  return node ? node->at : gt_data_position(reader, "split");
}

bool gt_data_read_split(gt_data_reader *reader) {
  gt_data_split *split = &reader->split;
  const gt_spec *node = reader->common->split;
  const bool default_of_series =
      !gt_spec_is_null(reader->common->series) && gt_spec_is_null(gt_data_node(reader, "split", NULL));
  if (gt_spec_is_null(node) || default_of_series) {
    split->method = gt_spec_is_null(reader->common->series) ? "random" : "last";
    return true;
  }
  if (!gt_schema_read(&gt_data_split_schema, split, NULL, NULL, node, node->at, "in 'split'", reader->arena,
                      reader->diagnostics))
    return false;
  const bool values = split->test.count || split->validation.count;
  if (!!split->method + !!split->column + !!split->group != 1)
    return gt_refuse(reader->diagnostics, node->at,
                     "random, last, stratified, {column: NAME} or {group: NAME}",
                     "'split' needs exactly one of method, column and group");
  if (!values || split->column) return true;
  return gt_refuse(reader->diagnostics, position_of(reader, split->test.count ? "test" : "validation"),
                   "split: {column: NAME, test: VALUE}, or a fraction: data: {test_fraction: 0.2}",
                   "'%s' in 'split' lists values of a column, but there is no 'column'",
                   split->test.count ? "test" : "validation");
}

bool gt_data_split_reads_samples(const gt_data_reader *reader) {
  return reader->series || !reader->split.method || !strcmp(reader->split.method, "stratified");
}

static uint64_t seed_of(const gt_data_reader *reader) {
  const gt_philox key = gt_philox_block(reader->seed, GT_PURPOSE_SPLIT, 0, 0);
  return (uint64_t)key.v[1] << 32 | key.v[0];
}

/* --- random, last --- */

/* Assigns sample i by its position in a random permutation or, for `last`, counted from the end. The order of
 * samples within a split is that of the file. */
static void assign_by_position(const gt_data_reader *reader, uint8_t *part, const int64_t count[GT_PARTS],
                               int64_t n) {
  const uint64_t seed = seed_of(reader);
  const bool last = !strcmp(reader->split.method, "last");
  for (int64_t i = 0; i < n; i++) {
    const int64_t place = last ? n - 1 - i : (int64_t)gt_feistel_index((uint32_t)i, (uint32_t)n, seed, 0, 4);
    part[i] = place < count[GT_PART_TEST]                               ? GT_PART_TEST
              : place < count[GT_PART_TEST] + count[GT_PART_VALIDATION] ? GT_PART_VALIDATION
                                                                        : GT_PART_TRAIN;
  }
}

/* --- stratified --- */

typedef struct stratum {    /* the samples of a class */
  int64_t samples, first;   /* number of samples; index of the first one */
  int64_t seen;             /* number of samples assigned so far */
  int64_t test, validation; /* numbers of test and validation samples */
} stratum;

/* `fraction` of the class's samples, rounded up or down at random, so that many small classes add up to the
 * fraction. The random number depends on the first sample of the class, but on no other class, so splits stay
 * the same if the config selects classes. */
static int64_t draw_count(const gt_data_reader *reader, const stratum *s, double fraction, int part) {
  const float drawn = gt_random_uniform(reader->seed, GT_PURPOSE_SPLIT, (uint32_t)part, (uint32_t)s->first);
  return (int64_t)floor(fraction * (double)s->samples + (double)drawn);
}

/* Sets the numbers of test and validation samples; at least one sample of each class remains for training. */
static void size_stratum(const gt_data_reader *reader, stratum *s) {
  s->test = gt_min_i64(draw_count(reader, s, reader->test_fraction, GT_PART_TEST), s->samples - 1);
  s->validation = gt_min_i64(draw_count(reader, s, reader->common->validation, GT_PART_VALIDATION),
                             s->samples - 1 - s->test);
}

/* True for a single boolean target, which is stratified like two classes. */
static bool is_boolean(const gt_dataset *dataset) {
  return dataset->target[0].words && gt_train_target(dataset, 0)->dim[1] == 1;
}

static int classes_of(const gt_dataset *dataset) {
  return dataset->target[0].classification ? dataset->target[0].classes : 2;
}

/* The class of a sample. Samples of classes that the config does not select have the number of classes. */
static int class_of(const gt_dataset *dataset, int64_t sample) {
  const void *target = gt_train_target(dataset, 0)->data;
  if (!dataset->target[0].classification) return ((const float *)target)[sample] > 0.5f;
  const int32_t label = ((const int32_t *)target)[sample];
  return label < 0 ? dataset->target[0].classes : label;
}

static void report_rare(const gt_data_reader *reader, const stratum *all) {
  const gt_dataset *dataset = reader->dataset;
  const char *const *names =
      dataset->target[0].classification ? dataset->target[0].class_names : dataset->target[0].words;
  int rare = 0, first = 0;
  for (int c = classes_of(dataset) - 1; c >= 0; c--)
    if (all[c].samples == 1) first = c, rare++;
  if (!rare || reader->trust.untrusted) return;
  const char *name = names ? names[first] : gt_arena_printf(reader->arena, "%d", first);
  gt_diagnostic *d =
      rare == 1 ? gt_finding_at(reader->diagnostics, GT_FINDING_rare_class, position_of(reader, NULL),
                                "class '%s' has a single sample, which stays in the training split", name)
                : gt_finding_at(reader->diagnostics, GT_FINDING_rare_class, position_of(reader, NULL),
                                "%d classes, such as '%s', have a single sample each, which stays in the "
                                "training split",
                                rare, name);
  d->help = "more samples of it; no evaluation measures a class without held-out samples";
}

static bool fail_stratified(gt_data_reader *reader) {
  return gt_refuse(reader->diagnostics, position_of(reader, NULL), "random, or data: {task: classification}",
                   "split 'stratified' needs one class label per sample, but the targets are %s",
                   reader->dataset->target[0].classification ? "arrays of labels" : "numbers");
}

static bool assign_stratified(gt_data_reader *reader, uint8_t *part, int64_t n) {
  const gt_dataset *dataset = reader->dataset;
  const int classes = classes_of(dataset);
  const uint64_t seed = seed_of(reader);
  void *memory;
  if (!gt_data_has_one_target(reader, "split: stratified")) return false;
  if (dataset->target[0].classification ? gt_train_target(dataset, 0)->rank > 1 : !is_boolean(dataset))
    return fail_stratified(reader);
  /* The last stratum has the samples of classes that are not selected; they are dropped later. */
  if (!gt_try_alloc(&memory, (uint64_t)classes + 1, sizeof(stratum), "the classes", reader->error))
    return false;
  stratum *all = memory;
  for (int64_t i = n - 1; i >= 0; i--) {
    stratum *s = &all[class_of(dataset, i)];
    s->samples++;
    s->first = i;
  }
  for (int c = 0; c <= classes; c++)
    if (all[c].samples) size_stratum(reader, &all[c]);
  for (int64_t i = 0; i < n; i++) {
    stratum *s = &all[class_of(dataset, i)];
    const uint32_t place = gt_shuffle_index((uint32_t)s->seen++, (uint32_t)s->samples, seed, 0);
    part[i] = place < s->test                   ? GT_PART_TEST
              : place < s->test + s->validation ? GT_PART_VALIDATION
                                                : GT_PART_TRAIN;
  }
  report_rare(reader, all);
  free(memory);
  return true;
}

/* --- groups --- */

typedef struct grouping {
  int groups;
  int64_t *samples; /* [groups] number of samples */
  uint32_t *order;  /* [groups] the groups in random order */
  uint8_t *part;    /* [groups] the split */
  int in_training;  /* number of groups in the training split */
} grouping;

/* Moves a group out of the training split. *room: how many samples the other split still lacks. */
static void move_group(grouping *g, uint32_t group, int part, int64_t *room) {
  g->part[group] = (uint8_t)part;
  g->in_training--;
  *room -= g->samples[group];
}

/* The training group whose size is closest to `room`. -1: none is closer than adding no group. any: choose
 * one in any case. */
static int64_t nearest_group(const grouping *g, int64_t room, bool any) {
  int64_t best = -1, smallest = any ? INT64_MAX : room;
  for (int k = 0; k < g->groups; k++) {
    const uint32_t group = g->order[k];
    const int64_t distance = llabs(room - g->samples[group]);
    if (g->part[group] != GT_PART_TRAIN || distance >= smallest) continue;
    best = group;
    smallest = distance;
  }
  return best;
}

/* Moves to a split, in random order, each group that still fits; then one more if the size is closer to
 * `wanted` with it. At least one group remains for training. */
static void fill_part(grouping *g, int part, int64_t wanted) {
  int64_t room = wanted;
  for (int k = 0; k < g->groups && room > 0 && g->in_training > 1; k++) {
    const uint32_t group = g->order[k];
    if (g->part[group] == GT_PART_TRAIN && g->samples[group] <= room) move_group(g, group, part, &room);
  }
  if (room <= 0 || g->in_training < 2) return;
  const int64_t more = nearest_group(g, room, room == wanted);
  if (more >= 0) move_group(g, (uint32_t)more, part, &room);
}

static void open_grouping(const gt_data_reader *reader, grouping *g, int64_t n, gt_arena *arena) {
  const uint64_t seed = seed_of(reader);
  g->groups = g->in_training = reader->groups;
  g->samples = GT_NEW_N(arena, int64_t, g->groups);
  g->order = GT_NEW_N(arena, uint32_t, g->groups);
  g->part = GT_NEW_N(arena, uint8_t, g->groups);
  for (int64_t i = 0; i < n; i++) g->samples[reader->group[i]]++;
  for (uint32_t k = 0; k < (uint32_t)g->groups; k++)
    g->order[gt_shuffle_index(k, (uint32_t)g->groups, seed, 0)] = k;
}

static void report_large(gt_data_reader *reader, const grouping *g, const int64_t wanted[GT_PARTS],
                         const int64_t count[GT_PARTS]) {
  int largest = 0;
  for (int k = 1; k < g->groups; k++)
    if (g->samples[k] > g->samples[largest]) largest = k;
  for (int p = GT_PART_TEST; p >= GT_PART_VALIDATION; p--) {
    if (!wanted[p] || g->samples[largest] <= wanted[p] || reader->trust.untrusted) continue;
    gt_finding_at(reader->diagnostics, GT_FINDING_large_group, position_of(reader, "group"),
                  "the group '%s' has %" PRId64 " samples, and the %s split should have %" PRId64
                  "; the splits are %" PRId64 " training, %" PRId64 " validation and %" PRId64
                  " test samples",
                  reader->group_names[largest], g->samples[largest], gt_data_part_names[p], wanted[p],
                  count[GT_PART_TRAIN], count[GT_PART_VALIDATION], count[GT_PART_TEST])
        ->help = "smaller groups, or larger fractions";
    return;
  }
}

static void count_parts(const uint8_t *part, int64_t n, int64_t count[GT_PARTS]) {
  int64_t all[GT_PARTS + 1] = {0};
  for (int64_t i = 0; i < n; i++) all[part[i]]++;
  memcpy(count, all, GT_PARTS * sizeof *count);
}

static bool assign_groups(gt_data_reader *reader, uint8_t *part, int64_t count[GT_PARTS], int64_t n) {
  const int64_t wanted[GT_PARTS] = {0, count[GT_PART_VALIDATION], count[GT_PART_TEST]};
  gt_arena arena;
  grouping g;
  gt_arena_init(&arena);
  open_grouping(reader, &g, n, &arena);
  fill_part(&g, GT_PART_TEST, wanted[GT_PART_TEST]);
  fill_part(&g, GT_PART_VALIDATION, wanted[GT_PART_VALIDATION]);
  for (int64_t i = 0; i < n; i++) part[i] = g.part[reader->group[i]];
  count_parts(part, n, count);
  report_large(reader, &g, wanted, count);
  gt_arena_finish(&arena);
  return true;
}

/* --- by column --- */

/* Fails if there are fractions although a column decides. */
static bool check_fractions(gt_data_reader *reader) {
  const char *key = reader->test_fraction > 0        ? "test_fraction"
                    : reader->common->validation > 0 ? "validation"
                                                     : NULL;
  if (!key) return true;
  return gt_refuse(
      reader->diagnostics, gt_data_position(reader, key),
      gt_arena_printf(reader->arena, "either %s or split: {column: %s}", key, reader->split.column),
      "'%s' has no effect: column '%s' names the split of each row", key, reader->split.column);
}

/* A test file given by --set replaces the test rows in the training file: drops these. */
static void drop_replaced(gt_data_reader *reader, uint8_t *part, int64_t n) {
  const gt_spec *test = gt_data_node(reader, "test", NULL);
  if (!reader->dataset->split[GT_PART_TEST].samples || !test || !gt_position_is_override(test->at)) return;
  for (int64_t i = 0; i < n; i++)
    if (part[i] == GT_PART_TEST) part[i] = GT_PART_NONE;
}

/* --- all methods --- */

static bool has_column(gt_data_reader *reader, const void *values, const char *key) {
  if (values) return true;
  return gt_refuse(reader->diagnostics, position_of(reader, key), "random, last or stratified",
                   "format '%s' has no columns to split by", reader->dataset->format);
}

static bool check_held_out(gt_data_reader *reader, const int64_t wanted[GT_PARTS],
                           const int64_t count[GT_PARTS]) {
  for (int p = GT_PART_VALIDATION; p < GT_PARTS; p++) {
    if (!wanted[p] || count[p]) continue;
    return gt_refuse(reader->diagnostics, position_of(reader, NULL),
                     reader->split.group ? "more groups, or split: random"
                     : reader->series    ? "larger fractions, or longer series"
                                         : "larger fractions or classes, or split: random",
                     "no samples are left for the %s split", gt_data_part_names[p]);
  }
  return true;
}

bool gt_data_assign(gt_data_reader *reader, uint8_t *part, int64_t count[GT_PARTS]) {
  const gt_data_split *split = &reader->split;
  const int64_t n = reader->dataset->split[GT_PART_TRAIN].samples;
  const int64_t wanted[GT_PARTS] = {0, count[GT_PART_VALIDATION], count[GT_PART_TEST]};
  if (split->column) {
    if (!has_column(reader, reader->part, "column") || !check_fractions(reader)) return false;
    memcpy(part, reader->part, (size_t)n);
    drop_replaced(reader, part, n);
  } else if (split->group) {
    if (!has_column(reader, reader->group, "group") || !assign_groups(reader, part, count, n)) return false;
  } else if (reader->series) {
    gt_series_assign(reader, part, count);
  } else if (!strcmp(split->method, "stratified")) {
    if (!assign_stratified(reader, part, n)) return false;
  } else {
    assign_by_position(reader, part, count, n);
    return true;
  }
  count_parts(part, n, count);
  return check_held_out(reader, wanted, count);
}
