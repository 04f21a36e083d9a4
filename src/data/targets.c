/* The targets of a dataset by name, as the config lists them: `targets: {load: load, kind: kind}`, or for a
 * CSV `targets: [load, kind]`. */
#include "base/names.h"
#include "base/text.h"
#include "data/format.h"
#include <string.h>

/* The node that names targets, or NULL. A list names targets only in a CSV, which has `train:`; in the format
 * table it has the values of the targets. */
static const gt_spec *find_targets(const gt_spec *data) {
  const gt_spec *targets = gt_spec_find(data, "targets"), *train = gt_spec_find(data, "train");
  if (!targets) targets = gt_spec_find(train, "targets");
  if (!targets || (targets->kind == GT_SPEC_SEQUENCE && !train)) return NULL;
  return targets->kind == GT_SPEC_SCALAR ? NULL : targets;
}

static const char *name_at(const gt_spec *targets, int index) {
  const gt_spec *child = targets->child[index];
  return targets->kind == GT_SPEC_MAP ? child->key : child->kind == GT_SPEC_SCALAR ? child->scalar : "";
}

int gt_data_target_names(const gt_spec *data, const char *names[GT_DATA_MAX_TARGETS]) {
  const gt_spec *targets = find_targets(data);
  int count = 0;
  while (targets && count < targets->count && count < GT_DATA_MAX_TARGETS) {
    names[count] = name_at(targets, count);
    count++;
  }
  return count;
}

static const char *list_of_names(gt_arena *arena, const gt_data_target *target, int count) {
  const char *list = target[0].name ? target[0].name : "a single target without a name";
  for (int k = 1; k < count; k++) list = gt_arena_printf(arena, "%s, %s", list, target[k].name);
  return list;
}

static bool check_name(gt_data_reader *reader, const gt_spec *targets, int index) {
  const char *name = name_at(targets, index);
  const gt_spec *child = targets->child[index];
  const gt_position at = targets->kind == GT_SPEC_MAP ? child->key_at : child->at;
  if (!gt_is_name(name)) {
    const bool listed = targets->kind == GT_SPEC_SEQUENCE;
    gt_diagnostic *d = gt_error_at(reader->diagnostics, at, "'%.80s' cannot be the name of a target", name);
    d->expected = GT_NAME_RULE;
    if (listed) d->help = "a map gives columns other names: targets: {NAME: COLUMN}";
    return false;
  }
  if (!strcmp(name, "type"))
    return gt_refuse(reader->diagnostics, at, "another name",
                     "'type' cannot be the name of a target: it is a key of 'loss'");
  if (!strcmp(name, "id") || !strcmp(name, "file")) /* keys of predictions in JSON (cli/predict.c) */
    return gt_refuse(reader->diagnostics, at, "another name",
                     "'%s' cannot be the name of a target: it is what predictions call the name of a row",
                     name);
  if (child->kind == GT_SPEC_SEQUENCE && !child->count)
    return gt_refuse(reader->diagnostics, child->at, "at least one entry", "the list of target '%s' is empty",
                     name);
  for (int i = 0; i < index; i++)
    if (!strcmp(name, name_at(targets, i)))
      return gt_refuse(reader->diagnostics, at, "each target once", "there are two targets named '%s'", name);
  return true;
}

static bool match_model(gt_data_reader *reader) {
  const gt_data_signature *model = reader->wanted->signature;
  const gt_dataset *dataset = reader->dataset;
  if (!model) return true;
  bool same = model->targets == dataset->targets;
  for (int k = 0; same && k < dataset->targets && dataset->targets > 1; k++)
    same = !strcmp(model->target[k].name, dataset->target[k].name);
  return same || gt_refuse(reader->diagnostics, reader->spec->at,
                           list_of_names(reader->arena, model->target, model->targets),
                           "the targets of this data are not those of the model");
}

/* Fails for names of inputs that would be ambiguous in model files, which have the scaling of a target as
 * data.target_center.TARGET and the scaling of an input as data.INPUT.scale. */
static bool check_inputs(gt_data_reader *reader) {
  const gt_dataset *dataset = reader->dataset;
  for (int k = 0; k < dataset->inputs; k++) {
    const char *name = dataset->input[k].name;
    if (!strcmp(name, "target_center") || !strcmp(name, "target_scale"))
      return gt_refuse(reader->diagnostics, gt_data_position(reader, "inputs"), "another name",
                       "'%s' cannot be the name of an input if there are several targets: in model "
                       "files, it is the scaling of targets",
                       name);
  }
  return true;
}

/* Fails if keys describe classes and there are several targets: their classes are those of the training data
 * or of the model. */
static bool check_class_keys(gt_data_reader *reader) {
  static const char *const keys[] = {"classes", "class_names", "per_class"};
  for (int i = 0; i < 3; i++)
    if (gt_data_node(reader, keys[i], NULL) && !gt_data_has_one_target(reader, keys[i])) return false;
  return true;
}

bool gt_data_name_targets(gt_data_reader *reader, const gt_spec *targets) {
  static const char several[] = "two targets or more; the key 'target' names the columns of a single one";
  gt_dataset *dataset = reader->dataset;
  if (!targets || targets->kind == GT_SPEC_SCALAR) return match_model(reader);
  if (!targets->count)
    return gt_refuse(reader->diagnostics, targets->at, several, "'targets' names no target");
  if (targets->count == 1)
    return gt_refuse(reader->diagnostics,
                     targets->kind == GT_SPEC_MAP ? targets->child[0]->key_at : targets->at,
                     targets->kind == GT_SPEC_MAP && gt_data_node(reader, "train", "targets")
                         ? "targets: FILE, or several names"
                         : several,
                     "'targets' names a single target");
  if (targets->count > GT_DATA_MAX_TARGETS)
    return gt_refuse(reader->diagnostics, targets->at,
                     gt_arena_printf(reader->arena, "at most %d", GT_DATA_MAX_TARGETS), "too many targets");
  for (int k = 0; k < targets->count; k++) {
    if (!check_name(reader, targets, k)) return false;
    dataset->target[k] = (gt_data_target){.name = name_at(targets, k)};
  }
  dataset->targets = targets->count;
  return check_inputs(reader) && check_class_keys(reader) && match_model(reader);
}

const gt_data_target *gt_data_model_target(const gt_data_reader *reader, int index) {
  static const gt_data_target nothing;
  const gt_data_signature *model = reader->wanted->signature;
  return model ? &model->target[index] : &nothing;
}

static int find(const gt_dataset *dataset, const char *name) {
  for (int k = 0; k < dataset->targets && dataset->targets > 1; k++)
    if (!strcmp(dataset->target[k].name, name)) return k;
  return -1;
}

const gt_spec *gt_data_target_node(gt_data_reader *reader, const gt_spec *targets, const char *split,
                                   int index) {
  const gt_dataset *dataset = reader->dataset;
  const bool named = targets->kind == GT_SPEC_MAP;
  for (int i = 0; named && i < targets->count; i++) {
    if (find(dataset, targets->child[i]->key) >= 0) continue;
    gt_refuse(reader->diagnostics, targets->child[i]->key_at,
              list_of_names(reader->arena, dataset->target, dataset->targets), "there is no target '%.80s'",
              targets->child[i]->key);
    return NULL;
  }
  const gt_spec *node = named ? gt_spec_find(targets, dataset->target[index].name) : targets;
  if (node && (named || dataset->targets == 1)) return node;
  gt_refuse(reader->diagnostics, targets->at, list_of_names(reader->arena, dataset->target, dataset->targets),
            "the %s split has no target '%s'", split, dataset->target[index].name);
  return NULL;
}

bool gt_data_has_one_target(gt_data_reader *reader, const char *key) {
  const gt_dataset *dataset = reader->dataset;
  if (dataset->targets == 1) return true;
  const char *colon = strchr(key, ':');
  const char *name = colon ? gt_arena_strndup(reader->arena, key, (size_t)(colon - key)) : key;
  return gt_refuse(reader->diagnostics, gt_data_position(reader, name),
                   "a single target; otherwise remove the key",
                   "'%s' needs a single target; this data has %d: %s", key, dataset->targets,
                   list_of_names(reader->arena, dataset->target, dataset->targets));
}

static gt_data_task task_of(const char *name) {
  static const char *const tasks[] = {"auto", "classification", "regression"}; /* by gt_data_task */
  for (int i = 0; i < 3; i++)
    if (name && !strcmp(tasks[i], name)) return (gt_data_task)i;
  return GT_TASK_AUTO;
}

int gt_data_named_target(gt_data_reader *reader, const gt_named *given, int entry, const char *unnamed) {
  const char *names[GT_DATA_MAX_TARGETS], *name = given->name[entry];
  const int count = gt_data_target_names(reader->spec, names);
  for (int k = 0; k < count; k++)
    if (!strcmp(names[k], name)) return k;
  gt_diagnostic *d = gt_error_at(reader->diagnostics, given->at[entry], "there is no target '%.80s'", name);
  d->suggestion = gt_nearest(name, names, (size_t)count);
  d->expected = count ? "a name in 'targets'" : unnamed;
  return -1;
}

bool gt_data_has_quantities(const gt_data_reader *reader) {
  return reader->series && !reader->common->class_names.count && !reader->common->classes.integer;
}

bool gt_data_read_tasks(gt_data_reader *reader) {
  const gt_named *given = &reader->common->task;
  const gt_data_signature *model = reader->wanted->signature;
  bool ok = true;
  for (int k = 0; k < GT_DATA_MAX_TARGETS && given->count && !given->name; k++)
    reader->task[k] = task_of(*(const char *const *)given->items);
  for (int i = 0; given->name && i < given->count; i++) {
    const int k = gt_data_named_target(reader, given, i, "classification or regression");
    ok &= k >= 0;
    if (k >= 0) reader->task[k] = task_of(((const char *const *)given->items)[i]);
  }
  for (int k = 0; k < GT_DATA_MAX_TARGETS; k++) {
    if (reader->task[k] != GT_TASK_AUTO) continue;
    if (model && k < model->targets)
      reader->task[k] = model->target[k].classes ? GT_TASK_CLASSIFICATION : GT_TASK_REGRESSION;
    else if (reader->wanted->demand[k].labels)
      reader->task[k] = GT_TASK_CLASSIFICATION;
  }
  return ok;
}
