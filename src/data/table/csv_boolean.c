#include "data/table/csv_boolean.h"
#include "base/log.h"
#include "base/text.h"
#include "data/table/csv_facts.h"
#include <strings.h>

int gt_csv_boolean(const gt_cell *cell) {
  static const char *const words[][2] = {{"no", "yes"}, {"false", "true"}, {"n", "y"},
                                         {"f", "t"},    {"off", "on"},     {"0", "1"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (int value = 0; value < 2; value++)
      if (strlen(words[i][value]) == cell->length && !strncasecmp(words[i][value], cell->text, cell->length))
        return value;
  return -1;
}

bool gt_csv_is_boolean_target(const gt_csv *csv, int target) {
  size_t found = 0;
  for (size_t row = 0; row < csv->rows; row++) {
    const gt_cell *cell = gt_csv_target_cell(csv, target, row);
    if (gt_csv_is_missing(csv, cell)) continue;
    if (gt_csv_boolean(cell) < 0) return false;
    found++;
  }
  return found > 0;
}

/* word[0], word[1]: the first word for each value; "0" or "1" if the value does not occur. */
static void find_words(const gt_csv *csv, int target, const char **word, gt_arena *arena) {
  word[0] = word[1] = NULL;
  for (size_t row = 0; row < csv->rows && !(word[0] && word[1]); row++) {
    const gt_cell *cell = gt_csv_target_cell(csv, target, row);
    const int value = gt_csv_is_missing(csv, cell) ? -1 : gt_csv_boolean(cell);
    if (value >= 0 && !word[value]) word[value] = gt_arena_strndup(arena, cell->text, cell->length);
  }
  if (!word[0]) word[0] = "0";
  if (!word[1]) word[1] = "1";
}

static void find_boolean_columns(gt_data_reader *reader, const gt_csv *csv, int index, int first) {
  gt_data_target *target = &reader->dataset->target[index];
  const int columns = target->column_count;
  const char **words = GT_NEW_N(reader->arena, const char *, 2 * columns);
  gt_list texts = gt_list_open(reader->arena, columns);
  bool any = false;
  for (int t = 0; t < columns; t++) {
    const bool numbers = !csv->facts[csv->inputs + first + t].texts;
    if ((numbers && !reader->wanted->demand[index].bits) || !gt_csv_is_boolean_target(csv, first + t))
      continue;
    any = true;
    find_words(csv, first + t, &words[2 * t], reader->arena);
    if (!numbers)
      gt_list_add(&texts, "'%s' is 1 and '%s' is 0 in '%s'", words[2 * t + 1], words[2 * t],
                  target->columns[t]);
  }
  if (texts.count && !reader->trust.untrusted) gt_info("targets: %s", texts.text);
  target->words = any ? words : NULL;
}

/* The columns that are boolean in a trained model, whatever words the file has. */
static void use_words_of_model(gt_data_reader *reader, int index) {
  gt_data_target *target = &reader->dataset->target[index];
  const gt_data_target *model = gt_data_model_target(reader, index);
  const char **words = GT_NEW_N(reader->arena, const char *, 2 * target->column_count);
  target->words = model->words && model->column_count == target->column_count ? words : NULL;
  for (int i = 0; target->words && i < 2 * target->column_count; i++)
    words[i] = *model->words[i] ? model->words[i] : NULL;
}

void gt_csv_convert_boolean_targets(gt_data_reader *reader, gt_csv *csv, int index, int first,
                                    bool training) {
  static const char *const digits[] = {"0", "1"};
  if (reader->dataset->only_test)
    use_words_of_model(reader, index);
  else if (training)
    find_boolean_columns(reader, csv, index, first);
  const gt_data_target *target = &reader->dataset->target[index];
  for (int t = 0; target->words && t < target->column_count; t++) {
    if (!target->words[2 * t] || !csv->facts[csv->inputs + first + t].texts) continue;
    const gt_strings *missing = csv->missing;
    for (size_t row = 0; row < csv->rows; row++) {
      gt_cell *cell = gt_csv_target_cell(csv, first + t, row);
      const bool is_missing = gt_csv_lacks_target(csv, cell);
      const int value = gt_csv_boolean(cell);
      if (is_missing) cell->length = 0;
      if (is_missing || value < 0) continue;
      cell->text = digits[value];
      cell->length = 1;
    }
    csv->missing = NULL; /* the list may contain 0 or 1, which now stand for words */
    gt_csv_facts_of_target(csv, first + t);
    csv->missing = missing;
  }
}
