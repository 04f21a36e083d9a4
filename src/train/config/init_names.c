#include "train/config/init_names.h"
#include "base/log.h"
#include "base/names.h"
#include "base/text.h"
#include "data/column.h"
#include "tokens/tokens.h"
#include <string.h>

enum { MAX_EXAMPLES = 4 }; /* names in messages */

/* --- lists of names --- */

typedef struct name_list {
  const char *what, *one;
  const char *const *name; /* NULL: unknown */
  int64_t count;
} name_list;

static name_list tokens_of(const gt_vocabulary *vocabulary, gt_arena *arena) {
  const char **name = GT_NEW_N(arena, const char *, vocabulary->size);
  for (int32_t i = 0; i < vocabulary->size; i++)
    name[i] = gt_arena_strndup(arena, (const char *)vocabulary->token[i].text, vocabulary->token[i].length);
  return (name_list){"tokens", "token", name, vocabulary->size};
}

/* The names of what the last axis of an input counts; of integers, those of its values. */
static name_list names_of_input(const gt_input *input, gt_arena *arena) {
  const gt_table *table = input->table;
  if (input->vocabulary) return tokens_of(input->vocabulary, arena);
  if (input->element == GT_ELEMENT_I32) {
    if (!table || table->count != 1 || !table->column[0].categories) return (name_list){0};
    const int count = table->column[0].categories;
    const char **name = GT_NEW_N(arena, const char *, count);
    for (int i = 0; i < count; i++) name[i] = gt_column_category(&table->column[0], i);
    return (name_list){"categories", "category", name, count};
  }
  if (table) return (name_list){"columns", "column", table->feature, table->features};
  return (name_list){"columns", "column", input->columns, gt_input_row_features(input)};
}

/* input: the first input of the data, whose tokens are the classes of a text that continues. */
static name_list names_of_target(const gt_data_target *target, const gt_input *input, gt_arena *arena) {
  const bool is_text =
      input->vocabulary && !target->class_names && target->classes == input->vocabulary->size;
  if (is_text) return tokens_of(input->vocabulary, arena);
  if (target->classes) return (name_list){"classes", "class", target->class_names, target->classes};
  return (name_list){"columns", "column", target->columns, target->column_count};
}

static bool same_names(const name_list *a, const name_list *b) {
  bool same = a->count == b->count;
  for (int64_t i = 0; same && i < a->count; i++) same = !strcmp(a->name[i], b->name[i]);
  return same;
}

/* Finds each name of `here` in `there`. */
static gt_transfer_axis *match(const name_list *here, const name_list *there, gt_arena *arena, int *matched) {
  gt_names index = {.arena = arena};
  int32_t *source = GT_NEW_N(arena, int32_t, here->count);
  gt_transfer_axis *axis = GT_NEW(arena, gt_transfer_axis);
  for (int64_t i = 0; i < there->count; i++) gt_names_add(&index, there->name[i], (int)i);
  *matched = 0;
  for (int64_t i = 0; i < here->count; i++) {
    source[i] = gt_names_find(&index, here->name[i]);
    *matched += source[i] >= 0;
  }
  *axis = (gt_transfer_axis){here->count, there->count, source};
  return axis;
}

/* --- matching --- */

typedef struct matching {
  const gt_init_from *from;
  const gt_dataset *dataset;
  const gt_model *model;
  gt_named_axes axes;
  gt_init_names *out;
  gt_arena *arena;
} matching;

static const char *add_name(gt_arena *arena, const char *list, const char *name) {
  return list ? gt_arena_printf(arena, "%s, '%s'", list, name) : gt_arena_printf(arena, "'%s'", name);
}

/* The file's input that corresponds to input k: the one of its name, or the only one. */
static const gt_input *find_input(const matching *m, int k) {
  const gt_data_signature *file = &m->from->file.signature;
  for (int i = 0; i < file->inputs; i++)
    if (!strcmp(file->input[i].name, m->dataset->input[k].name)) return &file->input[i];
  return file->inputs == 1 && m->dataset->inputs == 1 ? &file->input[0] : NULL;
}

/* The file's target that corresponds to target t: the one whose head the map names as the source of this
 * head, the one of its name, or the only one. */
static const gt_data_target *find_target(const matching *m, int t) {
  const gt_data_signature *file = &m->from->file.signature;
  const char *name = m->dataset->target[t].name;
  for (int i = 0; name && i < m->from->transfer.rules; i++) {
    const gt_transfer_rule *rule = &m->from->transfer.rule[i];
    if (rule->from && !strcmp(rule->match, name)) name = rule->from;
  }
  for (int i = 0; name && i < file->targets; i++)
    if (file->target[i].name && !strcmp(file->target[i].name, name)) return &file->target[i];
  return file->targets == 1 ? &file->target[0] : NULL;
}

/* Lets the axes that count the names of `list` take their rows by `axis`, if they have its length here and in
 * the file. */
static void use_axis(const matching *m, int list, const gt_transfer_axis *axis) {
  const gt_store *store = m->model->store;
  for (int i = 0; i < store->slots; i++)
    for (int d = 0; d < store->slot[i]->shape.rank; d++) {
      const gt_named_axis *named = &m->axes.slot[i][d];
      const int64_t length = store->slot[i]->shape.dim[d], times = length / axis->here;
      if (named->list != list || times * axis->here != length || (times != 1 && !named->tiled)) continue;
      const gt_stored *stored = gt_transfer_find(&m->from->transfer, store->slot[i]->name, NULL);
      if (stored && stored->shape.rank == store->slot[i]->shape.rank &&
          stored->shape.dim[d] == times * axis->there)
        m->out->transfer.axis[i][d] = axis;
    }
}

/* Adds the layers that take parameters of the list by name or, as their axis has another length, by place. */
static void find_taken(const matching *m, int list, gt_init_list *out) {
  const gt_store *store = m->model->store;
  const char *last = NULL;
  for (int i = 0; i < store->slots; i++)
    for (int d = 0; d < store->slot[i]->shape.rank; d++) {
      const gt_slot *slot = store->slot[i];
      if (m->axes.slot[i][d].list != list || (slot->shape.dim[d] == 1 && out->here > 1)) continue;
      const gt_stored *stored = gt_transfer_find(&m->from->transfer, slot->name, NULL);
      const char *layer = gt_slot_layer(m->arena, slot->name);
      if (!gt_transfer_fits(&m->out->transfer, slot, stored) || (last && !strcmp(last, layer))) continue;
      const char **layers = m->out->transfer.axis[i][d] ? &out->taken : &out->by_place;
      *layers = add_name(m->arena, *layers, layer);
      if (!out->layer) out->layer = layer;
      last = layer;
    }
}

/* The layers that would take parameters that depend on the order of the list. */
static void find_by_place(const matching *m, int list, gt_init_list *out) {
  const gt_store *store = m->model->store;
  for (int l = 0; l < m->model->layers; l++) {
    const char *layer = m->model->layer[l].name;
    bool takes = false;
    if (!(m->axes.by_place[l] >> list & 1)) continue;
    for (int i = 0; i < store->slots && !takes; i++)
      takes = gt_slot_has_role(store->slot[i], GT_MODEL_ROLES) &&
              !strcmp(gt_slot_layer(m->arena, store->slot[i]->name), layer) &&
              gt_slot_fits(store->slot[i], gt_transfer_find(&m->from->transfer, store->slot[i]->name, NULL));
    if (!takes) continue;
    if (!out->layer) out->layer = layer;
    out->by_place = add_name(m->arena, out->by_place, layer);
  }
}

/* "cat, dog, …": the first names of a list. */
static const char *some_names(const name_list *list, gt_arena *arena) {
  const char *text = list->name[0];
  for (int64_t i = 1; i < list->count && i < MAX_EXAMPLES; i++)
    text = gt_arena_printf(arena, "%s, %s", text, list->name[i]);
  return list->count > MAX_EXAMPLES ? gt_arena_printf(arena, "%s, …", text) : text;
}

static void match_list(const matching *m, int list, name_list here, name_list there, const char *of) {
  if (!here.name || !there.name || !here.count || !there.count || strcmp(here.what, there.what) ||
      same_names(&here, &there))
    return;
  gt_init_list *out = &m->out->list[m->out->lists++];
  *out = (gt_init_list){.number = list,
                        .what = here.what,
                        .one = here.one,
                        .of = of,
                        .examples = some_names(&there, m->arena),
                        .here = here.count};
  const gt_transfer_axis *axis = match(&here, &there, m->arena, &out->matched);
  if (here.count == 1 && there.count == 1) {
    out->name[0] = here.name[0];
    out->name[1] = there.name[0];
  } else {
    use_axis(m, list, axis);
    m->out->other_inputs |= list < GT_DATA_MAX_INPUTS;
  }
}

gt_init_names *gt_init_names_of(const gt_init_from *from, const gt_dataset *dataset, const gt_model *model,
                                gt_arena *arena) {
  const char *input[GT_DATA_MAX_INPUTS], *head[GT_DATA_MAX_TARGETS];
  gt_init_names *names = GT_NEW(arena, gt_init_names);
  names->transfer = from->transfer;
  if (from->file.container.foreign) return names;
  for (int k = 0; k < dataset->inputs; k++) input[k] = dataset->input[k].name;
  for (int t = 0; t < dataset->targets; t++) head[t] = dataset->target[t].name;
  const matching m = {
      from,  dataset,
      model, gt_model_named_axes(model, input, dataset->inputs, head, dataset->targets, arena),
      names, arena};
  names->transfer.axis =
      gt_arena_alloc_n(arena, (size_t)model->store->slots + 1, sizeof *names->transfer.axis);
  for (int k = 0; k < dataset->inputs; k++) {
    const gt_input *there = find_input(&m, k);
    const char *of = dataset->inputs > 1 ? gt_arena_printf(arena, " of input '%s'", input[k]) : "";
    if (there) match_list(&m, k, names_of_input(&dataset->input[k], arena), names_of_input(there, arena), of);
  }
  for (int t = 0; t < dataset->targets; t++) {
    const gt_data_target *there = find_target(&m, t);
    const char *of = head[t]                      ? gt_arena_printf(arena, " of target '%s'", head[t])
                     : dataset->target[t].classes ? ""
                                                  : " of the target";
    if (!there) continue;
    const name_list a = names_of_target(&dataset->target[t], &dataset->input[0], arena),
                    b = names_of_target(there, &from->file.signature.input[0], arena);
    match_list(&m, GT_DATA_MAX_INPUTS + t, a, b, of);
    if (a.count == b.count && dataset->target[t].classes && !a.name != !b.name)
      names->unnamed[t] = a.name ? from->file.path : "this data";
  }
  for (int i = 0; i < names->lists; i++) {
    find_taken(&m, names->list[i].number, &names->list[i]);
    find_by_place(&m, names->list[i].number, &names->list[i]);
  }
  return names;
}

/* --- messages --- */

void gt_init_names_review(const gt_init_names *names, const gt_init_from *from, gt_diagnostics *diagnostics) {
  gt_arena *arena = diagnostics->arena;
  for (int i = 0; i < names->lists; i++) {
    const gt_init_list *list = &names->list[i];
    const bool none = list->taken && !list->matched;
    if (none)
      gt_finding_at(diagnostics, GT_FINDING_lost_weights, from->at,
                    "none of the %s%s is in %s (%s): their weights in %s start from scratch", list->what,
                    list->of, from->file.path, list->examples, list->taken)
          ->help =
          gt_arena_printf(arena,
                          "the names of the model, if they mean the same; or init_from: {model: ..., "
                          "map: {%s: ~}}, if the layer is meant to start from scratch",
                          list->layer);
    if (list->by_place && !list->name[0])
      gt_finding_at(diagnostics, GT_FINDING_lost_weights, from->at,
                    "the %s%s are not those of %s (%s) in the same order, and are taken by place in %s",
                    list->what, list->of, from->file.path, list->examples, list->by_place)
          ->help =
          gt_arena_printf(arena,
                          "the names of the model in its order; or init_from: {model: ..., map: {%s: "
                          "~}}, if the layer is meant to start from scratch",
                          list->layer);
  }
}

void gt_init_names_log(const gt_init_names *names) {
  for (int i = 0; i < names->lists; i++) {
    const gt_init_list *list = &names->list[i];
    if (list->name[0] && list->by_place)
      gt_info("  %s '%s' takes the place of '%s'", list->one, list->name[0], list->name[1]);
    else if (list->taken && list->matched)
      gt_info("  by name: %d of %lld %s%s, in %s%s", list->matched, (long long)list->here, list->what,
              list->of, list->taken, list->matched < list->here ? "; the others start from scratch" : "");
  }
  for (int t = 0; t < GT_DATA_MAX_TARGETS; t++)
    if (names->unnamed[t])
      gt_info("  classes are matched by number: %s has no names for them", names->unnamed[t]);
}
