#include "train/config/result.h"
#include "base/text.h"
#include <limits.h>
#include <string.h>

/* --- metrics --- */

#define X(name) extern const gt_metric_type gt_metric_##name;
#include "registry/metric.inc"
#undef X
const char *const gt_metric_names[] = {"loss",      "accuracy",      "soft_loss", "soft_accuracy",
                                       "hard_loss", "hard_accuracy",
#define X(name) #name,
#include "registry/metric.inc"
#undef X
                                       NULL};

static const gt_metric_kind kinds[] = {
    {"loss", "mean loss; for logic gates, that of the circuit"},
    {"accuracy", "fraction of correct predictions; for logic gates, that of the circuit", .larger = true,
     .correct = true},
    {"soft_loss", "loss of the relaxed gates that are trained", .form = GT_SOFT},
    {"soft_accuracy", "accuracy of the relaxed gates that are trained", .larger = true, .correct = true,
     .form = GT_SOFT},
    {"hard_loss", "loss of the circuit: another name for 'loss'", .form = GT_HARD},
    {"hard_accuracy", "accuracy of the circuit: another name for 'accuracy'", .larger = true, .correct = true,
     .form = GT_HARD},
#define X(name) {#name, .type = &gt_metric_##name},
#include "registry/metric.inc"
#undef X
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const gt_metric_kind *gt_metric_at(int index) { return index < KINDS ? &kinds[index] : NULL; }

static const gt_metric_kind *find_metric(const char *name, size_t length) {
  for (int i = 0; i < KINDS; i++)
    if (strlen(kinds[i].name) == length && !memcmp(kinds[i].name, name, length)) return &kinds[i];
  return NULL;
}

const gt_metric_kind *gt_metric_find(const char *name) { return find_metric(name, strlen(name)); }

const char *gt_metric_help(const gt_metric_kind *kind) { return kind->type ? kind->type->help : kind->help; }

bool gt_metric_is_larger_better(const gt_metric_kind *kind) {
  return kind->type ? kind->type->larger : kind->larger;
}

/* --- columns of a target --- */

/* Values of a prediction for which metrics are computed: labels have one. */
static int64_t outputs_of(const gt_dataset *data, int target) {
  const gt_tensor *values = gt_train_target(data, target);
  return data->target[target].classification || !values->rank ? 1 : gt_tensor_features(values);
}

static int64_t columns_of(const gt_dataset *data, int target) {
  const int64_t horizon = data->target[target].horizon;
  return outputs_of(data, target) / (horizon ? horizon : 1);
}

gt_result_id gt_result_of_output(const gt_dataset *data, const gt_metric_kind *kind, int target,
                                 int64_t output) {
  const int64_t columns = columns_of(data, target);
  return (gt_result_id){.kind = kind,
                        .column = (int)(output % columns),
                        .target = target,
                        .step = data->target[target].horizon ? (int)(output / columns + 1) : 0};
}

const char *gt_result_column(const gt_dataset *data, gt_result_id id, gt_arena *arena) {
  const gt_data_target *target = &data->target[id.target];
  const bool all_steps = target->horizon && !id.step;
  const char *const *names = all_steps ? target->row_columns : target->columns;
  if (names) return names[id.step ? (id.step - 1) * columns_of(data, id.target) + id.column : id.column];
  if (!target->horizon) return gt_arena_printf(arena, "%d", id.column);
  return all_steps ? gt_arena_printf(arena, "target%d", id.column)
                   : gt_arena_printf(arena, "target%d+%d", id.column, id.step);
}

/* Sets the i-th column that evaluations print metrics of: those of a forecast over all its steps, then all
 * outputs. False: there are no more. */
static bool set_column(const gt_dataset *data, int i, gt_result_id *id) {
  const int64_t outputs = outputs_of(data, id->target), columns = columns_of(data, id->target);
  const bool summed = data->target[id->target].horizon > 1 && columns > 1 && columns <= GT_METRIC_MAX_OUTPUTS;
  const int64_t output = summed ? i - columns : i;
  id->column = i;
  id->step = 0;
  if (output < 0) return true;
  if (outputs < 2 || outputs > GT_METRIC_MAX_OUTPUTS || output >= outputs) return false;
  *id = gt_result_of_output(data, id->kind, id->target, output);
  return true;
}

/* --- names --- */

static bool parse_column(const gt_dataset *data, const char *name, gt_result_id *id, gt_arena *arena,
                         const char **why) {
  gt_list list = gt_list_open(arena, INT_MAX);
  for (int i = 0; set_column(data, i, id); i++) {
    const char *column = gt_result_column(data, *id, arena);
    if (!strcmp(column, name)) return true;
    gt_list_add(&list, "%s", column);
  }
  *why = list.count ? gt_arena_printf(arena, "names no column of the targets; there are %s", list.text)
         : data->target[id->target].classification ? "names a class, and no metric is of a single class"
         : outputs_of(data, id->target) == 1       ? "names a column, but there is only one; leave it out"
                                             : "names a column, but evaluations print this metric for all "
                                               "columns together";
  return false;
}

/* Reads METRIC or METRIC.COLUMN of the target id->target. */
static bool parse_metric(const gt_dataset *data, const char *name, gt_result_id *id, gt_arena *arena,
                         const char **why) {
  const size_t length = strcspn(name, ".");
  id->kind = find_metric(name, length);
  if (id->kind && name[length] && id->kind->type)
    return parse_column(data, name + length + 1, id, arena, why);
  *why = id->kind ? "is not computed for single columns" : "names no metric";
  return id->kind && !name[length];
}

/* With a single target, "macro.f1" is probably meant to be "f1_macro", or "test.f1" to be "f1". */
static const char *explain_prefix(const char *name, gt_arena *arena) {
  const size_t length = strcspn(name, ".");
  const gt_metric_kind *kind = name[length] ? gt_metric_find(name + length + 1) : NULL;
  if (!kind) return NULL;
  const char *swapped = gt_arena_printf(arena, "%s_%.*s", kind->name, (int)length, name);
  return gt_arena_printf(arena, "is not a metric of this data; write '%s'",
                         gt_metric_find(swapped) ? swapped : kind->name);
}

bool gt_result_parse(const gt_dataset *data, const char *name, gt_result_id *out, gt_arena *arena,
                     const char **why) {
  gt_list list = gt_list_open(arena, INT_MAX);
  *out = (gt_result_id){.kind = gt_metric_find(name), .column = -1, .target = data->targets > 1 ? -1 : 0};
  if (out->kind) return true;
  if (data->targets == 1) {
    if (parse_metric(data, name, out, arena, why)) return true;
    const char *advice = explain_prefix(name, arena);
    if (advice) *why = advice;
    return false;
  }
  for (int k = 0; k < data->targets; k++) {
    const char *target = data->target[k].name;
    const size_t length = strlen(target);
    gt_list_add(&list, "%s", target);
    if (strncmp(name, target, length) || name[length] != '.') continue;
    out->target = k;
    return parse_metric(data, name + length + 1, out, arena, why);
  }
  *why = gt_arena_printf(arena, "names no target; there are %s", list.text);
  return false;
}

const char *gt_result_print(const gt_dataset *data, gt_result_id id, gt_arena *arena) {
  const bool named = data->targets > 1 && id.target >= 0, single = id.column >= 0;
  return gt_arena_printf(arena, "%s%s%s%s%s", named ? data->target[id.target].name : "", named ? "." : "",
                         id.kind->name, single ? "." : "", single ? gt_result_column(data, id, arena) : "");
}

bool gt_result_is_same(gt_result_id a, gt_result_id b) {
  const gt_metric_kind *kind[] = {a.kind, b.kind};
  for (int i = 0; i < 2; i++) /* hard_loss is loss, as hard_accuracy is accuracy */
    if (kind[i] && kind[i]->form == GT_HARD) kind[i] -= 2 * GT_HARD;
  return kind[0] == kind[1] && a.target == b.target && a.column == b.column && a.step == b.step;
}

const gt_metric_kind *gt_result_metric_in(const char *text) {
  const size_t length = strcspn(text, ".");
  const gt_metric_kind *kind = find_metric(text, length);
  return kind || !text[length] ? kind : gt_result_metric_in(text + length + 1);
}
