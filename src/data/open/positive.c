/* The positive class of a target with two classes (gt_data_target.positive): the first of these that there
 * is: the key `positive`, the class of the trained model, the second of `class_names`, a word such as yes
 * beside its opposite. Otherwise the second class, which is then only a guess. */
#include "base/text.h"
#include "base/unicode.h"
#include "data/format.h"
#include <string.h>
#include <strings.h>

/* The class whose name is the positive word of a pair; -1: the names are no such pair. */
static int class_by_words(const char *const names[2]) {
  static const char *const words[][2] = {{"no", "yes"},
                                         {"false", "true"},
                                         {"n", "y"},
                                         {"f", "t"},
                                         {"off", "on"},
                                         {"0", "1"},
                                         {"-1", "1"},
                                         {"negative", "positive"},
                                         {"neg", "pos"},
                                         {"absent", "present"},
                                         {"normal", "abnormal"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (int c = 0; c < 2; c++)
      if (!strcasecmp(names[!c], words[i][0]) && !strcasecmp(names[c], words[i][1])) return c;
  return -1;
}

/* The names of two classes, or of a column of words that the loss reads as 0 and 1; NULL: there are no two
 * classes. */
static const char *const *names_of_two(const gt_data_reader *reader, int index) {
  static const char *const digits[] = {"0", "1"};
  const gt_data_target *t = &reader->dataset->target[index];
  if (t->classification) return t->classes != 2 ? NULL : t->class_names ? t->class_names : digits;
  const bool words = t->words && t->column_count == 1 && *t->words && strcmp(t->words[1], "1") != 0;
  return words && reader->wanted->demand[index].bits ? t->words : NULL;
}

static bool use_given(gt_data_reader *reader, gt_data_target *t, const char *const *names,
                      const char *given) {
  const gt_spec *node = gt_data_node(reader, "positive", t->name);
  const gt_position at = (node ? node : gt_data_node(reader, "positive", NULL))->at;
  gt_diagnostic *d;
  int class = 0;
  given = gt_nfc_in(reader->arena, given);
  while (names && class < 2 && strcmp(names[class], given) != 0) class ++;
  if (!names) {
    d = gt_error_at(reader->diagnostics, at, "'positive' is one of two classes, and %s",
                    !t->classification ? "these targets are numbers"
                                       : gt_arena_printf(reader->arena, "there %s %d",
                                                         t->classes == 1 ? "is" : "are", t->classes));
    d->help = "remove 'positive'";
  } else if (class == 2) {
    d = gt_error_at(reader->diagnostics, at, "unknown class '%.80s'", given);
    d->expected = gt_arena_printf(reader->arena, "%s or %s", names[0], names[1]);
    d->suggestion = gt_nearest(given, names, 2);
  } else if (!t->classification && !class) {
    d = gt_error_at(reader->diagnostics, at, "the loss reads '%s' as 0, and 1 is the positive class",
                    names[0]);
    d->expected = gt_arena_printf(reader->arena, "%s, or loss: cross_entropy with two outputs", names[1]);
  } else {
    t->positive = class;
    t->positive_by = GT_POSITIVE_GIVEN;
    return true;
  }
  return false;
}

static bool choose(gt_data_reader *reader, int index, const char *given) {
  gt_data_target *t = &reader->dataset->target[index];
  const char *const *names = names_of_two(reader, index);
  t->positive = 1;
  if (given) return use_given(reader, t, names, given);
  if (!names || !t->classification) return true;
  const int by_words = class_by_words(names);
  if (reader->wanted->signature) {
    t->positive = gt_data_model_target(reader, index)->positive;
    t->positive_by = gt_data_model_target(reader, index)->positive_by;
  } else if (reader->common->class_names.count)
    t->positive_by = GT_POSITIVE_LISTED;
  else if (by_words < 0)
    t->positive_by = GT_POSITIVE_UNNAMED;
  else
    t->positive = by_words;
  return true;
}

bool gt_data_choose_positive(gt_data_reader *reader) {
  const gt_named *given = &reader->common->positive;
  const char *name[GT_DATA_MAX_TARGETS] = {NULL};
  bool ok = true;
  if (given->count && !given->name && reader->dataset->targets > 1)
    return gt_refuse(reader->diagnostics, *given->at,
                     gt_arena_printf(reader->arena, "a map from targets to classes, such as {%s: %s}",
                                     reader->dataset->target[0].name, *(const char *const *)given->items),
                     "this data has several targets");
  for (int i = 0; i < given->count; i++) {
    const int k = given->name ? gt_data_named_target(reader, given, i, "the name of a class") : 0;
    ok &= k >= 0;
    if (k >= 0) name[k] = ((const char *const *)given->items)[i];
  }
  for (int k = 0; k < reader->dataset->targets && ok; k++) ok = choose(reader, k, name[k]);
  return ok;
}
