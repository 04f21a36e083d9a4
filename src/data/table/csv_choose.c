/* CSV: chooses the input and target columns of the training file. */
#include "data/table/csv_choose.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/series/series.h"
#include <math.h>
#include <string.h>

enum { MAX_LISTED = 12 };  /* columns in a message */
enum { MIN_COUNTED = 10 }; /* a column of fewer rows is not reported as row numbers */

typedef struct choice { /* state of choosing the columns of the training file */
  gt_data_reader *reader;
  const gt_csv *csv;
  const gt_csv_request *a;
  int *use;        /* [columns] TARGET, …; -1: none yet */
  gt_position *at; /* [columns] position in the config */
} choice;

/* OTHER + a gt_column_use: another use, such as the weight; INPUT + k: input k, the last one that reads the
 * column. */
enum { TARGET, IGNORED, OTHER, INPUT = OTHER + GT_USES };

/* --- columns of the training file --- */

static const char *list_of_columns(gt_arena *arena, const gt_csv *csv) {
  const int shown = csv->columns < MAX_LISTED ? csv->columns : MAX_LISTED;
  const char *list = gt_list_of(arena, csv->names, shown);
  return csv->columns > shown ? gt_arena_printf(arena, "%s, … %d columns", list, csv->columns) : list;
}

static void report_used_twice(gt_data_reader *reader, const gt_csv *csv, const char *name, gt_position at) {
  if (at.line)
    gt_error_at(reader->diagnostics, at, "column '%s' of %s is used twice", name, csv->path)->expected =
        "one use of each column";
}

static bool report_absent(const choice *c, const char *name, gt_position at) {
  gt_csv_report_no_column(c->reader, c->csv, name, at)->expected =
      gt_arena_printf(c->reader->arena, "one of: %s", list_of_columns(c->reader->arena, c->csv));
  return false;
}

/* Sets the use of each column in a list. Several inputs may share a column. Reports the first column that is
 * missing or used twice, with both positions. Ignores a list without positions, which is from a model:
 * gt_table_assign reports its errors. */
static bool set_uses(choice *c, gt_strings list, int use) {
  gt_data_reader *reader = c->reader;
  for (int i = 0; i < list.count && list.at; i++) {
    const int column = gt_csv_find(c->csv, list.items[i]);
    if (column < 0) return report_absent(c, list.items[i], list.at[i]);
    const int earlier = c->use[column];
    const bool may_share =
        earlier >= INPUT ? use > INPUT && earlier < use : reader->series && earlier == TARGET && use >= INPUT;
    if (earlier < 0 || may_share) {
      c->use[column] = use;
      c->at[column] = list.at[i];
      continue;
    }
    if (earlier == TARGET && use >= INPUT)
      return gt_refuse(reader->diagnostics, list.at[i], NULL, "'%s' is the target; remove it from inputs",
                       list.items[i]);
    report_used_twice(reader, c->csv, list.items[i], c->at[column]);
    report_used_twice(reader, c->csv, list.items[i], list.at[i]);
    return false;
  }
  return true;
}

/* The names in the list, or if it is empty, of the columns with this use. */
static gt_strings names_of(const choice *c, gt_strings list, int use) {
  if (list.count) return list;
  const char **names = GT_NEW_N(c->reader->arena, const char *, c->csv->columns);
  list.items = names;
  for (int i = 0; i < c->csv->columns; i++)
    if (c->use[i] == use) names[list.count++] = gt_arena_strdup(c->reader->arena, c->csv->names[i]);
  return list;
}

/* Sets the column for another use than input or target; key, sub: where the config names it. */
static void name_other(const gt_data_reader *reader, gt_csv_request *a, gt_column_use use, const char *name,
                       const char *key, const char *sub) {
  const gt_spec *node = gt_data_node(reader, key, sub);
  a->role[use] = name;
  a->role_at[use] = node ? node->at : gt_data_position(reader, key);
}

/* Adds the columns that `columns` ignores. */
static void add_ignored(gt_csv_request *a, gt_arena *arena) {
  const int most = a->ignore.count + a->rules.count;
  const char **items = GT_NEW_N(arena, const char *, most + 1);
  gt_position *at = GT_NEW_N(arena, gt_position, most + 1);
  int count = 0;
  for (int i = 0; i < a->ignore.count; i++) items[count] = a->ignore.items[i], at[count++] = a->ignore.at[i];
  for (int i = 0; i < a->rules.count; i++)
    if (a->rules.item[i].ignore) items[count] = a->rules.item[i].name, at[count++] = a->rules.item[i].at;
  a->ignore = (gt_strings){.items = items, .at = at, .count = count};
}

/* Reads the columns of all targets into one list. */
static bool read_targets(gt_data_reader *reader, const gt_csv_options *o, gt_csv_request *a) {
  const gt_named *named = &o->targets;
  const gt_strings *list = named->items;
  int count = 0;
  if (named->count && o->target.count)
    return gt_refuse(reader->diagnostics, gt_data_position(reader, "target"),
                     "one of them: 'target' names the columns of a single target",
                     "both 'target' and 'targets' are given");
  if (!gt_data_name_targets(reader, named->count ? gt_data_node(reader, "targets", NULL) : NULL))
    return false;
  if (!named->count) return true;
  if (reader->dataset->targets < 2)
    return gt_refuse(reader->diagnostics, gt_data_position(reader, "targets"),
                     gt_arena_printf(reader->arena, "target: %s", list[0].items[0]),
                     "'targets' names a single target");
  for (int i = 0; i < named->count; i++) count += list[i].count;
  const char **items = GT_NEW_N(reader->arena, const char *, count + 1);
  gt_position *at = GT_NEW_N(reader->arena, gt_position, count + 1);
  a->target = (gt_strings){items, at, 0};
  for (int i = 0; i < named->count; i++)
    for (int c = 0; c < list[i].count; c++) {
      items[a->target.count] = list[i].items[c];
      at[a->target.count++] = list[i].at[c];
    }
  for (int k = 0; k < reader->dataset->targets; k++) a->target_columns[k] = named->name ? list[k].count : 1;
  return true;
}

bool gt_csv_read_request(gt_data_reader *reader, const gt_csv_options *o, gt_csv_request *out) {
  gt_csv_request a = {.target = o->target, .ignore = o->ignore, .inputs = o->inputs.count};
  for (int k = 0; k < a.inputs; k++) a.input[k] = ((const gt_strings *)o->inputs.items)[k];
  bool ok = gt_column_rules_read(reader, o->columns, &a.rules);
  ok &= read_targets(reader, o, &a);
  add_ignored(&a, reader->arena);
  name_other(reader, &a, GT_USE_WEIGHT, o->weight, "weight", NULL);
  name_other(reader, &a, GT_USE_ID, o->id, "id", NULL);
  name_other(reader, &a, GT_USE_SPLIT, reader->split.column, "split", "column");
  name_other(reader, &a, GT_USE_GROUP, reader->split.group, "split", "group");
  if (reader->series) {
    name_other(reader, &a, GT_USE_TIME, reader->series->options.time, "series", "time");
    name_other(reader, &a, GT_USE_GROUP, reader->series->options.group, "series", "group");
  }
  a.input[a.inputs ? a.inputs : 1] = o->future;
  if (a.inputs && o->future.count) a.inputs++;
  *out = a;
  return ok;
}

/* The names of the file's columns that a model's input reads. */
static gt_strings names_of_input(const gt_input *input, int64_t count, gt_arena *arena) {
  if (!input->table) return (gt_strings){.items = input->columns, .count = (int)count};
  const char **names = GT_NEW_N(arena, const char *, count);
  for (int64_t i = 0; i < count; i++) names[i] = input->table->column[i].name;
  return (gt_strings){.items = names, .count = (int)count};
}

/* The names of a model's target columns; empty if they are unknown. */
static gt_strings targets_of_model(const gt_data_signature *model, gt_arena *arena) {
  int count = 0;
  for (int k = 0; k < model->targets; k++) count += model->target[k].column_count;
  const char **names = GT_NEW_N(arena, const char *, count + 1);
  gt_strings all = {.items = names};
  for (int k = 0; k < model->targets; k++)
    for (int c = 0; c < model->target[k].column_count; c++) names[all.count++] = model->target[k].columns[c];
  return all;
}

/* For a trained model with named columns: uses the model's names if the config names no inputs; other columns
 * are ignored. */
static void add_model_columns(gt_data_reader *reader, const gt_csv *csv, gt_csv_request *a) {
  const gt_data_signature *model = reader->wanted->signature;
  if (!model || a->inputs) return;
  const gt_csv_inputs known = gt_csv_inputs_of(model->input, model->inputs, reader->arena);
  if (!gt_csv_matches_by_name(csv, known.names, known.count, "the model")) return;
  a->inputs = model->inputs;
  for (int k = 0; k < model->inputs; k++)
    a->input[k] = names_of_input(&model->input[k], known.columns[k], reader->arena);
  a->ignore = (gt_strings){.count = 0};
  a->role[GT_USE_ID] = NULL;
  if (!a->target.count) a->target = targets_of_model(model, reader->arena);
}

/* A test file that is read without the training file needs no columns but inputs and targets, and those that
 * order the rows of a series. False if inputs or targets are absent. */
static bool drop_absent_columns(const gt_data_reader *reader, const gt_table_file *file, gt_csv_request *a) {
  const gt_csv *csv = &file->csv;
  const gt_data_signature *model = reader->wanted->signature;
  const gt_csv_inputs known = gt_csv_inputs_of(model->input, model->inputs, reader->arena);
  const gt_strings targets = targets_of_model(model, reader->arena);
  if (known.names && csv->header && !gt_csv_are_column_numbers(known.names, known.count, csv->columns) &&
      !gt_csv_have_columns(csv, known.names, known.count, targets.items, targets.count))
    return false;
  if (a->role[GT_USE_WEIGHT] && gt_csv_find(csv, a->role[GT_USE_WEIGHT]) < 0) {
    gt_warn("%s:1:1: there is no column '%s' with weights, so all samples count the same", csv->path,
            a->role[GT_USE_WEIGHT]);
    a->role[GT_USE_WEIGHT] = NULL;
  }
  a->role[GT_USE_ID] = NULL;
  if (a->inputs) a->ignore = (gt_strings){.count = 0};
  return true;
}

/* True for the time or the group of a series if it is also an input. */
static bool is_ordering_input(const choice *c, int role) {
  const int column = c->a->role[role] ? gt_csv_find(c->csv, c->a->role[role]) : -1;
  return c->reader->series && (role == GT_USE_TIME || role == GT_USE_GROUP) && column >= 0 &&
         c->use[column] >= INPUT;
}

static bool set_special_uses(choice *c) {
  for (int r = 0; r < GT_USES; r++) {
    const gt_strings name = {
        .items = &c->a->role[r], .at = &c->a->role_at[r], .count = c->a->role[r] != NULL};
    if (!is_ordering_input(c, r) && !set_uses(c, name, OTHER + r)) return false;
  }
  return true;
}

static bool fail_no_inputs(gt_data_reader *reader, const gt_csv *csv) {
  return gt_fail(reader->error, GT_ERR_DATA,
                 "%s:1:1: no column is left for the inputs (columns: %s); is the delimiter '%c' right?",
                 csv->path, list_of_columns(reader->arena, csv), csv->delimiter);
}

/* Fails if a column with the same name as the target is an input: it is probably a copy, which would leak the
 * target. */
static bool check_target_is_unique(const choice *c) {
  const gt_csv *csv = c->csv;
  for (int i = 0; csv->same_name && i < csv->columns; i++) {
    const int first = csv->same_name[i];
    if (first < 0 || (c->use[i] == TARGET) == (c->use[first] == TARGET)) continue;
    const int other = c->use[i] == TARGET ? first : i;
    if (c->use[other] == IGNORED) continue;
    return gt_fail(
        csv->error, GT_ERR_DATA,
        "%s:1:1: columns %d and %d are both named '%s', and one of them is the target; rename one, or "
        "leave one out: data: {ignore: ['%s']}",
        csv->path, first + 1, i + 1, csv->names[first], csv->names[other]);
  }
  return true;
}

static const char *use_of(const choice *c, int column) {
  const int use = c->use[column];
  return use == TARGET                                      ? "a target"
         : use == IGNORED                                   ? "ignored"
         : use == OTHER + GT_USE_TIME                       ? "the time of the series"
         : use == OTHER + GT_USE_GROUP && c->reader->series ? "the group of the series"
         : use >= OTHER                                     ? "used for weights or splits"
                                                            : "not one of the inputs";
}

/* Fails if a rule is for a column that is not in the file or not an input; a rule for a target may only drop
 * rows. */
static bool check_rules(const choice *c) {
  gt_data_reader *reader = c->reader;
  const gt_column_rules *rules = &c->a->rules;
  for (int i = 0; i < rules->count && !reader->wanted->signature; i++) {
    const gt_column_rule *r = &rules->item[i];
    const int column = gt_csv_find(c->csv, r->name);
    if (column < 0) return report_absent(c, r->name, r->at);
    if (r->ignore || c->use[column] >= INPUT) continue;
    const bool target = c->use[column] == TARGET;
    if (target && r->any && r->fill == GT_FILL_DROP) continue;
    const char *use = use_of(c, column);
    gt_error_at(reader->diagnostics, r->at, "column '%s' is %s, and 'columns' describes inputs", r->name, use)
        ->expected = target ? "no rule, or {missing: drop}" : "each column in one place";
    if (c->at[column].line)
      gt_error_at(reader->diagnostics, c->at[column],
                  "column '%s' is %s here, and 'columns' has a rule for it", r->name, use);
    return false;
  }
  return true;
}

/* [count] true for target columns whose rule drops rows without a value; NULL: none. */
static const bool *targets_that_drop(const gt_column_rules *rules, gt_strings targets, gt_arena *arena) {
  bool *drops = GT_NEW_N(arena, bool, targets.count + 1), any = false;
  for (int i = 0; i < targets.count; i++)
    any |= drops[i] = gt_column_rule_for(rules, targets.items[i]).fill == GT_FILL_DROP;
  return any ? drops : NULL;
}

/* Fails if a target is in `future`: its values after the window are not known. */
static bool check_future(gt_data_reader *reader, const gt_csv_request *a) {
  for (int k = 0; k < a->inputs; k++)
    for (int i = 0; i < a->input[k].count && a->input[k].at && gt_series_is_ahead(&reader->dataset->input[k]);
         i++)
      for (int t = 0; t < a->target.count; t++) {
        if (strcmp(a->input[k].items[i], a->target.items[t])) continue;
        gt_error_at(reader->diagnostics, a->input[k].at[i],
                    "column '%s' is a target, so its rows after a window are not known", a->target.items[t])
            ->expected = "columns that are known ahead, such as holidays";
        if (a->target.at && a->target.at[t].line)
          gt_error_at(reader->diagnostics, a->target.at[t],
                      "column '%s' is a target here, and listed in 'future'", a->target.items[t]);
        return false;
      }
  return true;
}

/* True if the request names the column for another use than input or target, or ignores it. */
static bool has_other_use(const gt_csv_request *a, const char *name) {
  bool found = false;
  for (int r = 0; r < GT_USES; r++) found |= a->role[r] && !strcmp(a->role[r], name);
  for (int i = 0; i < a->ignore.count; i++) found |= !strcmp(a->ignore.items[i], name);
  return found;
}

/* Fills the lists of columns that the config of a series does not have: the last column is the target, and
 * all columns are inputs, also the targets (their past values). */
static void add_series_defaults(gt_data_reader *reader, const gt_csv *csv, gt_csv_request *a) {
  const char **names = GT_NEW_N(reader->arena, const char *, csv->columns + 1);
  gt_position *at = GT_NEW_N(reader->arena, gt_position, csv->columns + 1);
  int count = 0;
  for (int i = 0; i < csv->columns; i++)
    if (!has_other_use(a, csv->names[i])) names[count++] = gt_arena_strdup(reader->arena, csv->names[i]);
  if (!a->target.count && count) a->target = (gt_strings){.items = &names[count - 1], .at = at, .count = 1};
  if (a->inputs) return;
  a->input[0] = (gt_strings){.items = names, .at = at, .count = count};
  a->inputs = reader->dataset->inputs;
}

static bool choose_uses(choice *c) {
  const gt_csv_request *a = c->a;
  for (int i = 0; i < c->csv->columns; i++) c->use[i] = -1;
  if (!set_uses(c, a->target, TARGET)) return false;
  for (int k = 0; k < a->inputs; k++)
    if (!set_uses(c, a->input[k], INPUT + k)) return false;
  if (!set_uses(c, a->ignore, IGNORED) || !set_special_uses(c)) return false;
  if (!a->target.count) {
    int last = c->csv->columns - 1;
    while (last > 0 && c->use[last] >= 0) last--;
    c->use[last] = TARGET;
  }
  if (c->reader->series ? !check_future(c->reader, a)
                        : !c->reader->dataset->only_test && !check_target_is_unique(c))
    return false;
  for (int i = 0; i < c->csv->columns && !a->inputs; i++)
    if (c->use[i] < 0) c->use[i] = INPUT;
  return check_rules(c);
}

/* Divides the target columns among the targets. */
static void divide_targets(gt_dataset *dataset, const gt_csv_request *a, gt_strings columns) {
  for (int k = 0; k < dataset->targets; k++) {
    dataset->target[k].columns = columns.items;
    dataset->target[k].column_count = dataset->targets > 1 ? a->target_columns[k] : columns.count;
    columns.items += dataset->target[k].column_count;
  }
}

/* Adds the columns with another use. Ids are read only for predictions. */
static void use_others(gt_table_file *file, const gt_csv_request *a) {
  for (int r = GT_USE_WEIGHT; r < GT_USES; r++)
    if (a->role[r] && r != GT_USE_ID)
      gt_table_use(file, (gt_column_use)r, gt_csv_find(&file->csv, a->role[r]));
}

bool gt_csv_choose(gt_data_reader *reader, gt_csv_request a, const gt_strings *missing, gt_table_file *file,
                   gt_csv_inputs *inputs) {
  gt_dataset *dataset = reader->dataset;
  const gt_csv *csv = &file->csv;
  choice c = {reader, csv, &a, GT_NEW_N(reader->arena, int, csv->columns),
              GT_NEW_N(reader->arena, gt_position, csv->columns)};
  add_model_columns(reader, csv, &a);
  file->targets_may_be_inputs = reader->series;
  if (dataset->only_test && !drop_absent_columns(reader, file, &a)) return false;
  if (reader->series) add_series_defaults(reader, csv, &a);
  if (!choose_uses(&c)) return false;
  for (int k = 0; k < dataset->inputs; k++) {
    const gt_strings names = names_of(&c, a.input[k], INPUT + k);
    dataset->input[k].columns = names.items;
    dataset->input[k].rank = 1;
    dataset->input[k].dim[0] = names.count;
    if (!names.count) return fail_no_inputs(reader, csv);
  }
  const gt_strings targets = names_of(&c, a.target, TARGET);
  divide_targets(dataset, &a, targets);
  *inputs = gt_csv_inputs_of(dataset->input, dataset->inputs, reader->arena);
  reader->typed = gt_typed_table_of(reader, inputs->names, inputs->count, &a.rules);
  reader->typed->missing = *missing;
  reader->typed->drops = targets_that_drop(&a.rules, targets, reader->arena);
  reader->typed->has_missing_values = gt_data_node(reader, "missing_values", NULL);
  if (!gt_table_assign(file, inputs->names, inputs->count, targets.items, targets.count)) return false;
  use_others(file, &a);
  gt_csv_set_known_kinds(file, reader->typed, inputs->whole);
  gt_csv_set_target_readings(reader, file);
  return true;
}

/* Why a column that the config does not name is not an input: it has no values, the same text in every row or
 * row names, or it has no name and counts the rows. NULL: it is an input. */
static const char *reason_to_drop(const gt_table_file *file, const gt_typed_column *c, int input) {
  const gt_column_facts *facts = &file->column[input].facts;
  const int column = file->column[input].index;
  if (c->rule.given || c->final) return NULL;
  if (facts->empty + facts->missing == file->rows) return "has no values";
  if (facts->texts == file->rows && facts->dictionary.distinct == 1 && file->rows > 1)
    return "has the same text in every row";
  if (file->csv.row_names && !column)
    return "holds row names, as the header has one cell fewer than the rows";
  if (!file->csv.nameless[column]) return NULL;
  return gt_facts_count_rows(facts) ? "has no name and counts the rows" : NULL;
}

/* Removes the inputs marked in drops[]. One pass for all, because a table may have very many columns. */
static void drop_inputs(gt_table_file *file, gt_typed_table *typed, const bool *drops) {
  const int before = file->inputs;
  float *to = file->values;
  int after = 0;
  for (size_t row = 0; row < file->rows; row++)
    for (int i = 0; i < before; i++)
      if (!drops[i]) *to++ = file->values[row * (size_t)before + (size_t)i];
  for (int i = 0; i < before; i++) {
    if (drops[i]) {
      gt_facts_finish(&file->column[i].facts);
      continue;
    }
    file->column[after] = file->column[i];
    file->column[after].place = after;
    typed->item[after++] = typed->item[i];
  }
  memmove(&file->column[after], &file->column[before],
          (size_t)(file->columns - before) * sizeof *file->column);
  file->columns -= before - after;
  file->inputs = file->width = typed->count = after;
}

/* Logs a named column of row numbers. It is useless for new rows, but remains an input, because it could be a
 * time. */
static void report_row_numbers(const gt_data_reader *reader, const gt_table_file *file, int input) {
  const gt_column_facts *facts = &file->column[input].facts;
  const bool counts = file->rows >= MIN_COUNTED && gt_facts_count_rows(facts);
  const char *name = gt_table_name(file, &file->column[input]);
  if (counts && !reader->dataset->only_test && !reader->typed->item[input].rule.given &&
      !reader->trust.untrusted)
    gt_info(
        "%s: column '%s' counts the rows from %.15g but is an input; ignore it with data: {columns: {%s: ignore}}",
        file->csv.path, name, facts->least, gt_spec_key(reader->arena, name));
}

bool gt_csv_drop_columns(gt_data_reader *reader, gt_table_file *file, gt_csv_inputs *inputs) {
  gt_input *input = &reader->dataset->input[0];
  const char **names = GT_NEW_N(reader->arena, const char *, file->inputs);
  bool *drops = GT_NEW_N(reader->arena, bool, file->inputs + 1), any = false;
  for (int i = 0; i < file->inputs; i++) {
    const char *why = reason_to_drop(file, &reader->typed->item[i], i);
    if (!why) report_row_numbers(reader, file, i);
    if (!why) continue;
    if (!reader->trust.untrusted)
      gt_info("%s: skipped column %d: it %s; data.inputs can name it ('%s')", file->csv.path,
              file->column[i].index + 1, why, gt_table_name(file, &file->column[i]));
    drops[i] = any = true;
  }
  if (!any) return true;
  drop_inputs(file, reader->typed, drops);
  if (!file->inputs) return fail_no_inputs(reader, &file->csv);
  for (int i = 0; i < file->inputs; i++)
    names[i] = gt_arena_strdup(reader->arena, gt_table_name(file, &file->column[i]));
  input->columns = names;
  input->dim[0] = file->inputs;
  *inputs = gt_csv_inputs_of(input, 1, reader->arena);
  return true;
}

/* --- how the file is written --- */

static gt_strings all_inputs(const gt_csv_request *a, gt_arena *arena) {
  int count = 0;
  for (int k = 0; k < a->inputs; k++) count += a->input[k].count;
  const char **names = GT_NEW_N(arena, const char *, count);
  gt_strings all = {.items = names};
  for (int k = 0; k < a->inputs; k++)
    for (int i = 0; i < a->input[k].count; i++) names[all.count++] = a->input[k].items[i];
  return all;
}

static gt_strings all_roles(const gt_csv_request *a, gt_arena *arena) {
  const char **names = GT_NEW_N(arena, const char *, GT_USES);
  gt_strings all = {.items = names};
  for (int r = 0; r < GT_USES; r++)
    if (a->role[r]) names[all.count++] = a->role[r];
  return all;
}

static gt_strings names_of_rules(const gt_column_rules *rules, gt_arena *arena) {
  const char **names = GT_NEW_N(arena, const char *, rules->count + 1);
  for (int i = 0; i < rules->count; i++) names[i] = rules->item[i].name;
  return (gt_strings){.items = names, .count = rules->count};
}

bool gt_csv_read_form(gt_data_reader *reader, const gt_csv_options *o, const gt_csv_request *a,
                      gt_csv_form *form) {
  const gt_data_signature *model = reader->wanted->signature;
  *form = (gt_csv_form){.header = gt_csv_header_of(o->header),
                        .decimal = gt_csv_decimal_of(o->decimal),
                        .skip = o->skip,
                        .known = {a->target, all_inputs(a, reader->arena), a->ignore}};
  form->known[6] = names_of_rules(&a->rules, reader->arena);
  if (model) {
    const gt_csv_inputs trained = gt_csv_inputs_of(model->input, model->inputs, reader->arena);
    form->known[3] = (gt_strings){.items = trained.names, .count = trained.names ? trained.count : 0};
    form->known[4] = targets_of_model(model, reader->arena);
  }
  form->known[5] = all_roles(a, reader->arena);
  if (gt_csv_delimiter_of(o->delimiter, &form->delimiter)) return true;
  return gt_refuse(reader->diagnostics, gt_data_position(reader, "delimiter"), GT_CSV_DELIMITERS,
                   "this cannot be a delimiter");
}
