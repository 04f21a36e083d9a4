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

/* The use of a column while columns are chosen (gt_csv.role). ROLE: a gt_csv_role, such as the weight; INPUT
 * + k: input k. */
enum { TARGET, IGNORED, ROLE, INPUT };

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

/* Sets the role of each column in a list to `use`, and at[column] to its position in the config. Several
 * inputs may share a column. Reports the first column that is missing or used twice, with both positions.
 * Ignores a list without positions, which is from a model: gt_csv_assign_columns reports its errors. */
static bool set_roles(gt_data_reader *reader, gt_csv *csv, gt_strings list, int use, gt_position *at) {
  for (int i = 0; i < list.count && list.at; i++) {
    const int column = gt_csv_find(csv, list.items[i]), earlier = column < 0 ? -1 : csv->role[column];
    const bool may_share = earlier >= INPUT ? use > INPUT && earlier < use
                                            : csv->targets_may_be_inputs && earlier == TARGET && use >= INPUT;
    if (column >= 0 && (earlier < 0 || may_share)) {
      csv->role[column] = use;
      at[column] = list.at[i];
      continue;
    }
    if (column < 0)
      gt_csv_report_no_column(reader, csv, list.items[i], list.at[i])->expected =
          gt_arena_printf(reader->arena, "one of: %s", list_of_columns(reader->arena, csv));
    else if (earlier == TARGET && use >= INPUT)
      gt_error_at(reader->diagnostics, list.at[i], "'%s' is the target; remove it from inputs",
                  list.items[i]);
    else {
      report_used_twice(reader, csv, list.items[i], at[column]);
      report_used_twice(reader, csv, list.items[i], list.at[i]);
    }
    return false;
  }
  return true;
}

/* The names in the list, or if it is empty, of the columns with role `use`. */
static const char **names_of(gt_arena *arena, const gt_csv *csv, gt_strings list, int use, int *count) {
  const char **names = GT_NEW_N(arena, const char *, list.count ? list.count : csv->columns);
  *count = list.count;
  for (int i = 0; i < list.count; i++) names[i] = list.items[i];
  if (list.count) return names;
  for (int i = 0; i < csv->columns; i++)
    if (csv->role[i] == use) names[(*count)++] = gt_arena_strdup(arena, csv->names[i]);
  return names;
}

static gt_position position_of(const gt_data_reader *reader, const char *key, const char *sub) {
  const gt_spec *node = gt_data_node(reader, key, sub);
  return node ? node->at : gt_data_position(reader, key);
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
  if (named->count && o->target.count) {
    gt_error_at(reader->diagnostics, gt_data_position(reader, "target"),
                "both 'target' and 'targets' are given")
        ->expected = "one of them: 'target' names the columns of a single target";
    return false;
  }
  if (!gt_data_name_targets(reader, named->count ? gt_data_node(reader, "targets", NULL) : NULL))
    return false;
  if (!named->count) return true;
  if (reader->dataset->targets < 2) {
    gt_error_at(reader->diagnostics, gt_data_position(reader, "targets"), "'targets' names a single target")
        ->expected = gt_arena_printf(reader->arena, "target: %s", list[0].items[0]);
    return false;
  }
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
  a.role[GT_CSV_WEIGHT] = o->weight;
  a.role_at[GT_CSV_WEIGHT] = position_of(reader, "weight", NULL);
  a.role[GT_CSV_ID] = o->id;
  a.role_at[GT_CSV_ID] = position_of(reader, "id", NULL);
  a.role[GT_CSV_SPLIT] = reader->split.column;
  a.role_at[GT_CSV_SPLIT] = position_of(reader, "split", "column");
  a.role[GT_CSV_GROUP] = reader->split.group;
  a.role_at[GT_CSV_GROUP] = position_of(reader, "split", "group");
  if (reader->series) {
    a.role[GT_CSV_TIME] = reader->series->options.time;
    a.role_at[GT_CSV_TIME] = position_of(reader, "series", "time");
    a.role[GT_CSV_GROUP] = reader->series->options.group;
    a.role_at[GT_CSV_GROUP] = position_of(reader, "series", "group");
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
  a->role[GT_CSV_ID] = NULL;
  if (!a->target.count) a->target = targets_of_model(model, reader->arena);
}

/* A test file that is read without the training file needs no columns but inputs and targets, and those that
 * order the rows of a series. False if inputs or targets are absent. */
static bool drop_absent_columns(const gt_data_reader *reader, gt_csv *csv, gt_csv_request *a) {
  const gt_data_signature *model = reader->wanted->signature;
  const gt_csv_inputs known = gt_csv_inputs_of(model->input, model->inputs, reader->arena);
  const gt_strings targets = targets_of_model(model, reader->arena);
  if (known.names && csv->header && !gt_csv_are_column_numbers(known.names, known.count, csv->columns) &&
      !gt_csv_assign_columns(csv, known.names, known.count, targets.items, targets.count))
    return false;
  if (a->role[GT_CSV_WEIGHT] && gt_csv_find(csv, a->role[GT_CSV_WEIGHT]) < 0) {
    gt_warn("%s:1:1: there is no column '%s' with weights, so all samples count the same", csv->path,
            a->role[GT_CSV_WEIGHT]);
    a->role[GT_CSV_WEIGHT] = NULL;
  }
  a->role[GT_CSV_ID] = NULL;
  if (a->inputs) a->ignore = (gt_strings){.count = 0};
  return true;
}

/* True for the time or the group of a series if it is also an input. */
static bool is_ordering_input(const gt_data_reader *reader, const gt_csv *csv, const gt_csv_request *a,
                              int role) {
  const int column = a->role[role] ? gt_csv_find(csv, a->role[role]) : -1;
  return reader->series && (role == GT_CSV_TIME || role == GT_CSV_GROUP) && column >= 0 &&
         csv->role[column] >= INPUT;
}

static bool set_special_roles(gt_data_reader *reader, gt_csv *csv, const gt_csv_request *a, gt_position *at) {
  for (int r = 0; r < GT_CSV_ROLES; r++) {
    const gt_strings name = {.items = &a->role[r], .at = &a->role_at[r], .count = a->role[r] != NULL};
    if (!is_ordering_input(reader, csv, a, r) && !set_roles(reader, csv, name, ROLE, at)) return false;
    /* Ids are read only for predictions. */
    if (name.count && r != GT_CSV_ID) csv->role_column[r] = gt_csv_find(csv, a->role[r]);
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
static bool check_target_is_unique(const gt_csv *csv) {
  for (int i = 0; csv->same_name && i < csv->columns; i++) {
    const int first = csv->same_name[i];
    if (first < 0 || (csv->role[i] == TARGET) == (csv->role[first] == TARGET)) continue;
    const int other = csv->role[i] == TARGET ? first : i;
    if (csv->role[other] == IGNORED) continue;
    return gt_fail(
        csv->error, GT_ERR_DATA,
        "%s:1:1: columns %d and %d are both named '%s', and one of them is the target; rename one, or "
        "leave one out: data: {ignore: ['%s']}",
        csv->path, first + 1, i + 1, csv->names[first], csv->names[other]);
  }
  return true;
}

static const char *use_of(const gt_data_reader *reader, const gt_csv *csv, int column) {
  const int role = csv->role[column], *of = csv->role_column;
  return role == TARGET                                 ? "a target"
         : role == IGNORED                              ? "ignored"
         : column == of[GT_CSV_TIME]                    ? "the time of the series"
         : column == of[GT_CSV_GROUP] && reader->series ? "the group of the series"
         : role == ROLE                                 ? "used for weights or splits"
                                                        : "not one of the inputs";
}

/* Fails if a rule is for a column that is not in the file or not an input; a rule for a target may only drop
 * rows. at: position of each column in the config. */
static bool check_rules(gt_data_reader *reader, const gt_csv *csv, const gt_column_rules *rules,
                        const gt_position *at) {
  for (int i = 0; i < rules->count && !reader->wanted->signature; i++) {
    const gt_column_rule *r = &rules->item[i];
    const int column = gt_csv_find(csv, r->name);
    if (column < 0) {
      gt_csv_report_no_column(reader, csv, r->name, r->at)->expected =
          gt_arena_printf(reader->arena, "one of: %s", list_of_columns(reader->arena, csv));
      return false;
    }
    if (r->ignore || csv->role[column] >= INPUT) continue;
    const bool target = csv->role[column] == TARGET;
    if (target && r->any && r->fill == GT_FILL_DROP) continue;
    const char *use = use_of(reader, csv, column);
    gt_error_at(reader->diagnostics, r->at, "column '%s' is %s, and 'columns' describes inputs", r->name, use)
        ->expected = target ? "no rule, or {missing: drop}" : "each column in one place";
    if (at[column].line)
      gt_error_at(reader->diagnostics, at[column], "column '%s' is %s here, and 'columns' has a rule for it",
                  r->name, use);
    return false;
  }
  return true;
}

/* [count] true for target columns whose rule drops rows without a value; NULL: none. */
static const bool *targets_that_drop(const gt_column_rules *rules, const char *const *names, int count,
                                     gt_arena *arena) {
  bool *drops = GT_NEW_N(arena, bool, count + 1);
  bool any = false;
  for (int i = 0; i < count; i++) any |= drops[i] = gt_column_rule_for(rules, names[i]).fill == GT_FILL_DROP;
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

/* True if the request names the column for a gt_csv_role or ignores it. */
static bool has_other_use(const gt_csv_request *a, const char *name) {
  bool found = false;
  for (int r = 0; r < GT_CSV_ROLES; r++) found |= a->role[r] && !strcmp(a->role[r], name);
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

static bool choose_roles(gt_data_reader *reader, gt_csv *csv, const gt_csv_request *a) {
  gt_position *at = GT_NEW_N(reader->arena, gt_position, csv->columns);
  for (int i = 0; i < csv->columns; i++) csv->role[i] = -1;
  if (!set_roles(reader, csv, a->target, TARGET, at)) return false;
  for (int k = 0; k < a->inputs; k++)
    if (!set_roles(reader, csv, a->input[k], INPUT + k, at)) return false;
  if (!set_roles(reader, csv, a->ignore, IGNORED, at) || !set_special_roles(reader, csv, a, at)) return false;
  if (!a->target.count) {
    int last = csv->columns - 1;
    while (last > 0 && csv->role[last] >= 0) last--;
    csv->role[last] = TARGET;
  }
  if (csv->targets_may_be_inputs ? !check_future(reader, a)
                                 : !reader->dataset->only_test && !check_target_is_unique(csv))
    return false;
  for (int i = 0; i < csv->columns && !a->inputs; i++)
    if (csv->role[i] < 0) csv->role[i] = INPUT;
  return check_rules(reader, csv, &a->rules, at);
}

/* Divides the target columns among the targets. */
static void divide_targets(gt_dataset *dataset, const gt_csv_request *a, const char *const *columns,
                           int count) {
  for (int k = 0; k < dataset->targets; k++) {
    dataset->target[k].columns = columns;
    dataset->target[k].column_count = dataset->targets > 1 ? a->target_columns[k] : count;
    columns += dataset->target[k].column_count;
  }
}

bool gt_csv_choose(gt_data_reader *reader, gt_csv_request a, const gt_strings *missing, gt_csv *csv,
                   gt_csv_inputs *inputs) {
  gt_dataset *dataset = reader->dataset;
  add_model_columns(reader, csv, &a);
  csv->targets_may_be_inputs = reader->series;
  if (dataset->only_test && !drop_absent_columns(reader, csv, &a)) return false;
  if (reader->series) add_series_defaults(reader, csv, &a);
  if (!choose_roles(reader, csv, &a)) return false;
  int targets;
  for (int k = 0; k < dataset->inputs; k++) {
    int count;
    dataset->input[k].columns = names_of(reader->arena, csv, a.input[k], INPUT + k, &count);
    dataset->input[k].rank = 1;
    dataset->input[k].dim[0] = count;
    if (!count) return fail_no_inputs(reader, csv);
  }
  const char **target = names_of(reader->arena, csv, a.target, TARGET, &targets);
  divide_targets(dataset, &a, target, targets);
  *inputs = gt_csv_inputs_of(dataset->input, dataset->inputs, reader->arena);
  csv->whole = inputs->whole;
  reader->typed = gt_typed_table_of(reader, inputs->names, inputs->count, &a.rules);
  reader->typed->missing = *missing;
  reader->typed->drops = targets_that_drop(&a.rules, target, targets, reader->arena);
  reader->typed->has_missing_values = gt_data_node(reader, "missing_values", NULL);
  gt_csv_set_known_kinds(csv, reader->typed, reader->arena);
  return gt_csv_assign_columns(csv, inputs->names, inputs->count, target, targets);
}

/* Why a column that the config does not name is not an input: it has no values, the same text in every row or
 * row names, or it has no name and counts the rows. NULL: it is an input. */
static const char *reason_to_drop(const gt_csv *csv, const gt_typed_column *c, int column) {
  const gt_csv_facts *facts = &csv->facts[csv->role[column]];
  if (c->rule.given || c->final) return NULL;
  if (facts->empty + facts->missing == csv->rows) return "has no values";
  if (facts->odd && facts->texts == csv->rows && facts->odd->distinct == 1 && csv->rows > 1)
    return "has the same text in every row";
  if (csv->row_names && !column) return "holds row names, as the header has one cell fewer than the rows";
  if (!csv->nameless[column]) return NULL;
  return gt_csv_facts_count_rows(facts) ? "has no name and counts the rows" : NULL;
}

/* Removes the inputs marked in drops[] from the values, facts and roles. One pass for all, because a table
 * may have very many columns. */
static void drop_inputs(gt_csv *csv, gt_typed_table *typed, const bool *drops, gt_arena *arena) {
  const int before = csv->inputs;
  int32_t *role = GT_NEW_N(arena, int32_t, before + 1);
  float *to = csv->values;
  int after = 0;
  for (size_t row = 0; row < csv->rows; row++)
    for (int r = 0; r < before; r++)
      if (!drops[r]) *to++ = csv->values[row * (size_t)before + (size_t)r];
  for (int r = 0; r < before; r++) {
    role[r] = drops[r] ? -1 : after;
    if (drops[r]) {
      gt_csv_facts_finish(&csv->facts[r]);
      continue;
    }
    csv->facts[after] = csv->facts[r];
    typed->item[after++] = typed->item[r];
  }
  memmove(&csv->facts[after], &csv->facts[before], (size_t)csv->targets * sizeof *csv->facts);
  for (int i = 0; i < csv->columns; i++)
    if (csv->role[i] >= 0)
      csv->role[i] = csv->role[i] < before ? role[csv->role[i]] : csv->role[i] - (before - after);
  csv->fact_count -= before - after;
  csv->inputs = typed->count = after;
}

/* Logs a named column of row numbers. It is useless for new rows, but remains an input, because it could be a
 * time. */
static void report_row_numbers(const gt_data_reader *reader, const gt_csv *csv, int column) {
  const gt_csv_facts *facts = &csv->facts[csv->role[column]];
  const bool counts = csv->rows >= MIN_COUNTED && gt_csv_facts_count_rows(facts);
  const char *name = csv->names[column];
  if (counts && !reader->dataset->only_test && !reader->typed->item[csv->role[column]].rule.given &&
      !reader->trust.untrusted)
    gt_info(
        "%s: column '%s' counts the rows from %.15g but is an input; ignore it with data: {columns: {%s: ignore}}",
        csv->path, name, facts->least, gt_spec_key(reader->arena, name));
}

/* True for whole numbers of 2^24 and more, which floats round, unless the config says that they are numbers
 * or the rounding is less than a millionth of their range, as in a column of populations. */
static bool is_large(const gt_typed_column *c, const gt_csv_facts *f) {
  const double most = fmax(fabs(f->least), fabs(f->largest)), spacing = ldexp(1, ilogb(most) - 23);
  const bool is_requested = c->rule.given && (!c->rule.any || c->rule.scale != GT_SCALE_AUTO);
  return !is_requested && c->column.kind == GT_COLUMN_NUMBER && f->numbers && f->whole && most >= 1 << 24 &&
         spacing > 1e-6 * (f->largest - f->least);
}

void gt_csv_report_large(gt_data_reader *reader, const gt_csv *csv) {
  gt_list names = gt_list_open(reader->arena, MAX_LISTED), rules = names;
  for (int i = 0; i < csv->columns && !reader->wanted->signature && !reader->trust.untrusted; i++) {
    const int role = csv->role[i];
    if (role < 0 || role >= csv->inputs || !is_large(&reader->typed->item[role], &csv->facts[role])) continue;
    gt_list_add(&names, "'%s'", csv->names[i]);
    gt_list_add(&rules, "%s: ignore", gt_spec_key(reader->arena, csv->names[i]));
  }
  if (names.count)
    gt_finding_at(reader->diagnostics, GT_FINDING_large_integers, gt_data_position(reader, "train"),
                  "%s: column%s %s %s whole numbers beyond 16,777,216, which 32-bit floats round", csv->path,
                  names.count == 1 ? "" : "s", gt_list_text(&names, ", …"), names.count == 1 ? "has" : "have")
        ->help = gt_arena_printf(
        reader->arena,
        "if they identify rows: data: {columns: {%s}}; if they identify groups: category instead of ignore; if they are quantities: number",
        rules.text);
}

bool gt_csv_drop_columns(gt_data_reader *reader, gt_csv *csv, gt_csv_inputs *inputs) {
  gt_input *input = &reader->dataset->input[0];
  const char **names = GT_NEW_N(reader->arena, const char *, csv->inputs);
  bool *drops = GT_NEW_N(reader->arena, bool, csv->inputs + 1), any = false;
  for (int i = 0; i < csv->columns; i++) {
    const bool is_input = csv->role[i] >= 0 && csv->role[i] < csv->inputs;
    const char *why = is_input ? reason_to_drop(csv, &reader->typed->item[csv->role[i]], i) : NULL;
    if (is_input && !why) report_row_numbers(reader, csv, i);
    if (!why) continue;
    if (!reader->trust.untrusted)
      gt_info("%s: skipped column %d: it %s; data.inputs can name it ('%s')", csv->path, i + 1, why,
              csv->names[i]);
    drops[csv->role[i]] = any = true;
  }
  if (!any) return true;
  drop_inputs(csv, reader->typed, drops, reader->arena);
  gt_csv_set_known_kinds(csv, reader->typed, reader->arena);
  if (!csv->inputs) return fail_no_inputs(reader, csv);
  for (int i = 0; i < csv->columns; i++)
    if (csv->role[i] >= 0 && csv->role[i] < csv->inputs)
      names[csv->role[i]] = gt_arena_strdup(reader->arena, csv->names[i]);
  input->columns = names;
  input->dim[0] = csv->inputs;
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
  const char **names = GT_NEW_N(arena, const char *, GT_CSV_ROLES);
  gt_strings all = {.items = names};
  for (int r = 0; r < GT_CSV_ROLES; r++)
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
  gt_error_at(reader->diagnostics, gt_data_position(reader, "delimiter"), "this cannot be a delimiter")
      ->expected = GT_CSV_DELIMITERS;
  return false;
}
