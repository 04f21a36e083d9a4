/* Selects samples: only classes that the config lists, and at most `per_class` training samples of each. A
 * sample that is not selected gets the label DROPPED, and then GT_PART_NONE. Validation and test samples are
 * split off before, so the split of a sample does not depend on the selected classes. */
#include "base/memory.h"
#include "base/text.h"
#include "data/format.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DROPPED = -1, MAX_LISTED = 12 };

/* Names for the labels in the files. */
typedef struct label_names {
  const char *const *names; /* [count] names of the labels 0, 1, … */
  int count;                /* 0: labels are numbers without names */
  bool text;                /* true: the config must use names; false: also numbers */
} label_names;

/* What becomes of each label in the files. */
typedef struct table {
  int64_t count;
  /* [count] by label: 0: not in the training file; SEEN: in it, but not selected; n + 1: class n. */
  int32_t *state;
} table;
enum { SEEN = -1 };

bool gt_data_selects_samples(const gt_data_reader *reader) {
  return reader->common->classes.listed || reader->common->per_class;
}

/* --- matching the config's classes --- */

static label_names find_label_names(const gt_data_reader *reader) {
  const gt_dataset *dataset = reader->dataset;
  const gt_data_target *model = gt_data_model_target(reader, 0);
  const gt_strings names = reader->common->class_names;
  if (dataset->target[0].text_labels)
    return (label_names){dataset->target[0].class_names, dataset->target[0].classes, !names.count};
  if (names.count) return (label_names){names.items, names.count, false};
  if (dataset->target[0].class_names)
    return (label_names){dataset->target[0].class_names, dataset->target[0].classes, false};
  /* For a model with text labels, numbers in the config are names of its classes. */
  if (model->text_labels && model->class_names)
    return (label_names){model->class_names, model->classes, false};
  return (label_names){0};
}

static int index_of(const char *const *names, int count, const char *text) {
  for (int i = 0; i < count; i++)
    if (!strcmp(names[i], text)) return i;
  return -1;
}

/* The label if the text is a whole number; else -1. */
static int label_of(const char *text) {
  int value = 0;
  for (const char *c = text; *c; c++) {
    if (*c < '0' || *c > '9') return -1;
    value = 10 * value + (*c - '0');
    if (value >= GT_DATA_MAX_CLASSES) return -1;
  }
  return *text ? value : -1;
}

/* The label that an entry of `classes` means; -1: none. A name takes precedence over a number. */
static int label_for(const label_names *classes, const char *text) {
  const int named = index_of(classes->names, classes->count, text);
  if (named >= 0 || classes->text) return named;
  const int label = label_of(text);
  return classes->count && label >= classes->count ? -1 : label;
}

static const char *list_of_names(gt_arena *arena, const char *const *names, int count) {
  gt_list list = gt_list_open(arena, MAX_LISTED);
  for (int i = 0; i < count; i++) gt_list_add(&list, "%s", names[i]);
  return gt_arena_printf(arena, "one of: %s",
                         gt_list_text(&list, gt_arena_printf(arena, ", … %d classes", count)));
}

static const char *list_of_labels(gt_arena *arena, const table *labels) {
  gt_list list = gt_list_open(arena, MAX_LISTED);
  for (int64_t i = 0; i < labels->count; i++)
    if (labels->state[i]) gt_list_add(&list, "%" PRId64, i);
  return gt_arena_printf(arena, "one of the training labels: %s", gt_list_text(&list, ", …"));
}

static bool fail_unknown_class(gt_data_reader *reader, int entry, const char *const *names, int count,
                               const char *expected) {
  const gt_strings chosen = reader->common->classes.strings;
  const char *text = chosen.items[entry];
  gt_diagnostic *d = gt_error_at(reader->diagnostics, chosen.at[entry], "unknown class '%.80s'", text);
  d->expected = expected;
  if (reader->common->class_names.count)
    d->help = "`classes` chooses among the names in `class_names`, or numbers from 0";
  if (!count) return false;
  d->expected = list_of_names(reader->arena, names, count);
  const char *nearest = gt_nearest(text, names, (size_t)count);
  d->suggestion = nearest ? gt_arena_strdup(reader->arena, nearest) : NULL;
  return false;
}

/* --- table of labels --- */

static int64_t largest_label(const gt_split *split) {
  const int32_t *labels = gt_split_target(split, 0)->data;
  int64_t largest = -1;
  for (int64_t i = 0; i < split->samples; i++)
    if (labels[i] > largest) largest = labels[i];
  return largest;
}

static bool open_table(gt_data_reader *reader, const int *label, table *out) {
  const gt_dataset *dataset = reader->dataset;
  const int64_t train = largest_label(&dataset->split[GT_PART_TRAIN]),
                test = largest_label(&dataset->split[GT_PART_TEST]);
  int64_t largest = train > test ? train : test;
  for (int i = 0; i < reader->common->classes.strings.count; i++)
    if (label[i] > largest) largest = label[i];
  void *memory;
  out->count = largest + 1;
  if (!gt_try_alloc(&memory, (uint64_t)out->count, sizeof *out->state, "the classes", reader->error))
    return false;
  out->state = memory;
  const int32_t *labels = gt_train_target(dataset, 0)->data;
  for (int64_t i = 0; i < dataset->split[GT_PART_TRAIN].samples; i++)
    if (labels[i] >= 0) out->state[labels[i]] = SEEN;
  return true;
}

/* The class number of an entry: its index in the list or, for a trained model, the number of the model's
 * class. -1: the model has no such class. */
static int class_number(const gt_data_reader *reader, int entry, int label, const char *name) {
  const gt_data_target *model = gt_data_model_target(reader, 0);
  if (!model->classes) return entry;
  if (model->class_names) return index_of(model->class_names, model->classes, name);
  return label < model->classes ? label : -1;
}

/* Sets the class of each selected label, and names[]. False after reporting the first wrong entry. */
static bool fill_table(gt_data_reader *reader, const label_names *classes, const int *label,
                       const char **names, table *labels) {
  const gt_strings chosen = reader->common->classes.strings;
  const gt_data_target *model = gt_data_model_target(reader, 0);
  for (int i = 0; i < chosen.count; i++) {
    const bool must_occur = !classes->count && !model->classes; /* nothing else tells which labels exist */
    if (label[i] < 0 || (must_occur && !labels->state[label[i]]))
      return fail_unknown_class(reader, i, classes->names, classes->count,
                                list_of_labels(reader->arena, labels));
    names[i] = classes->count ? classes->names[label[i]] : gt_arena_printf(reader->arena, "%d", label[i]);
    const int number = class_number(reader, i, label[i], names[i]);
    if (number < 0)
      return fail_unknown_class(reader, i, model->class_names, model->class_names ? model->classes : 0,
                                "a class of the model");
    if (labels->state[label[i]] > 0)
      return gt_refuse(reader->diagnostics, chosen.at[i], "each class once", "the class '%s' is listed twice",
                       names[i]);
    labels->state[label[i]] = number + 1;
  }
  return true;
}

static void renumber(gt_split *split, const table *labels) {
  int32_t *label = gt_split_target(split, 0)->data;
  for (int64_t i = 0; i < split->samples; i++)
    label[i] = label[i] >= 0 && labels->state[label[i]] > 0 ? labels->state[label[i]] - 1 : DROPPED;
}

bool gt_data_choose_classes(gt_data_reader *reader) {
  const gt_strings chosen = reader->common->classes.strings;
  const gt_data_target *model = gt_data_model_target(reader, 0);
  gt_dataset *dataset = reader->dataset;
  if (chosen.count < 2)
    return gt_data_refuse(reader, "classes", "the list has fewer than two classes",
                          "a list of at least two classes, or the number of classes");
  const label_names classes = find_label_names(reader);
  const char **names = GT_NEW_N(reader->arena, const char *, chosen.count);
  int *label = GT_NEW_N(reader->arena, int, chosen.count);
  table labels;
  for (int i = 0; i < chosen.count; i++) label[i] = label_for(&classes, chosen.items[i]);
  if (!open_table(reader, label, &labels)) return false;
  const bool ok = fill_table(reader, &classes, label, names, &labels);
  if (ok) {
    renumber(&dataset->split[GT_PART_TRAIN], &labels);
    renumber(&dataset->split[GT_PART_TEST], &labels);
    dataset->target[0].classes = model->classes ? model->classes : chosen.count;
    dataset->target[0].class_names = model->classes ? model->class_names : names;
  }
  free(labels.state);
  return ok;
}

/* --- dropping samples --- */

static bool limit_classes(gt_data_reader *reader, const uint8_t *part) {
  const gt_split *train = &reader->dataset->split[GT_PART_TRAIN];
  int32_t *label = gt_split_target(train, 0)->data;
  void *memory;
  if (!gt_try_alloc(&memory, (uint64_t)reader->dataset->target[0].classes, sizeof(int64_t), "the classes",
                    reader->error))
    return false;
  int64_t *count = memory;
  for (int64_t i = 0; i < train->samples; i++)
    if (part[i] == GT_PART_TRAIN && label[i] >= 0 && ++count[label[i]] > reader->common->per_class)
      label[i] = DROPPED;
  free(memory);
  return true;
}

static bool fail_empty(gt_data_reader *reader, const char *split, int64_t samples) {
  return gt_refuse(reader->diagnostics, gt_data_position(reader, "classes"),
                   "classes with samples in every split",
                   "none of the %" PRId64 " %s samples belongs to these classes", samples, split);
}

/* Counts the samples of each split, after marking those that are dropped. */
static void mark_dropped(const gt_split *split, uint8_t *part, int64_t remaining[GT_PARTS + 1]) {
  const int32_t *label = gt_split_target(split, 0)->data;
  for (int64_t i = 0; i < split->samples; i++) {
    if (label[i] == DROPPED) part[i] = GT_PART_NONE;
    remaining[part[i]]++;
  }
}

/* Drops samples of the test file. */
static bool keep_test(gt_data_reader *reader) {
  gt_split *test = &reader->dataset->split[GT_PART_TEST], all[GT_PARTS] = {*test};
  int64_t remaining[GT_PARTS + 1] = {0};
  void *part; /* GT_PART_TRAIN: kept */
  if (!gt_try_alloc(&part, (uint64_t)test->samples, 1, "the splits", reader->error)) return false;
  mark_dropped(test, part, remaining);
  const bool ok = gt_split_divide(all, part, remaining, reader->error);
  free(part);
  *test = all[0];
  return ok;
}

bool gt_data_keep_selected(gt_data_reader *reader, uint8_t *part, int64_t count[GT_PARTS]) {
  const gt_split *test = &reader->dataset->split[GT_PART_TEST];
  const int64_t test_samples = test->samples;
  int64_t remaining[GT_PARTS + 1] = {0}; /* with GT_PART_NONE */
  if (reader->common->per_class && !limit_classes(reader, part)) return false;
  mark_dropped(&reader->dataset->split[GT_PART_TRAIN], part, remaining);
  if (test_samples && !keep_test(reader)) return false;
  for (int i = 0; i < GT_PARTS; i++) {
    if (count[i] && !remaining[i]) return fail_empty(reader, gt_data_part_names[i], count[i]);
    count[i] = remaining[i];
  }
  return !test_samples || test->samples || fail_empty(reader, gt_data_part_names[GT_PART_TEST], test_samples);
}
