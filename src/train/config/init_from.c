#include "base/text.h"
#include "train/config/init_map.h"
#include "train/config/init_names.h"
#include "data/column.h"
#include "base/file.h"
#include "base/log.h"
#include "base/names.h"
#include <limits.h>
#include <string.h>

enum { MAX_LISTED = 12, MAX_LAYERS = 3 }; /* tensors, and layers of a finding, in messages */

typedef struct settings {
  const char *model;
  const gt_spec *map;
} settings;

static const gt_field fields[] = {
    GT_ROW(settings, model, GT_FIELD_PATH, .flags = GT_FIELD_REQUIRED,
           .help =
               "model.bin, run directory or safetensors file of another program to start from; tensors are "
               "taken if name and shape match, and rows of classes, columns and tokens by their names"),
    GT_ROW(settings, map, GT_FIELD_NODE, .definition = "named",
           .help = "names of this model mapped to names in the file, for layers or tensors whose "
                   "names differ; ~ keeps the fresh initial values"),
    {.name = NULL},
};
const gt_schema gt_init_from_schema = {.name = "init_from",
                                       .help = "trained model to start from (fine-tuning)",
                                       .fields = fields,
                                       .shorthand = "model"};

static bool read_map(gt_init_from *from, const gt_spec *map, gt_arena *arena, gt_diagnostics *diagnostics) {
  if (gt_spec_is_null(map)) return true;
  if (map->kind != GT_SPEC_MAP)
    return gt_refuse(diagnostics, map->at, "map: {head: ~, body: encoder}", "'map' is not a map of names");
  gt_transfer_rule *rule = GT_NEW_N(arena, gt_transfer_rule, map->count + 1);
  for (int i = 0; i < map->count; i++) {
    const gt_spec *entry = map->child[i];
    if (entry->kind != GT_SPEC_SCALAR)
      return gt_refuse(diagnostics, entry->at, "a layer or tensor of the file, or ~",
                       "the source of '%s' is not a name", entry->key);
    rule[i] = (gt_transfer_rule){entry->key, gt_spec_is_null(entry) ? NULL : entry->scalar};
  }
  from->transfer.rule = rule;
  from->transfer.rules = map->count;
  return true;
}

void gt_init_from_expand(gt_arena *arena, const gt_spec *root) {
  gt_spec *node = gt_spec_find(root, "init_from");
  if (gt_spec_is_null(node) || node->kind != GT_SPEC_SCALAR) return;
  gt_spec *model = gt_arena_copy(arena, node, sizeof *node);
  node->kind = GT_SPEC_MAP;
  node->scalar = NULL;
  gt_spec_add(arena, node, gt_init_from_schema.shorthand, model)->key_at = model->at;
}

/* path/model.bin if this file exists, otherwise the path. */
static const char *model_in(gt_arena *arena, const char *path) {
  const char *model = path ? gt_arena_printf(arena, "%s/model.bin", path) : NULL;
  return model && gt_file_exists(model) ? model : path;
}

/* The model file that the node names, relative to the working directory or to the config's folder. In the
 * second case the node gets the absolute path, so that the config that a run writes is valid elsewhere. */
static const char *find_model(gt_spec *node, gt_arena *arena, gt_diagnostics *diagnostics, gt_error *error) {
  char absolute[PATH_MAX];
  gt_located found = gt_locate(arena, node->scalar, node->at.file, NULL);
  const char *path = found.path ? found.path : node->scalar, *model = gt_model_path(arena, path, error);
  if (strcmp(path, node->scalar) && gt_absolute_path(path, absolute, sizeof absolute))
    node->scalar = gt_arena_strdup(arena, absolute);
  found.path = model;
  for (int i = 0; i < 2; i++) found.other[i] = model_in(arena, found.other[i]);
  if (model && !gt_position_is_override(node->at)) gt_schema_review_path(node, &found, diagnostics);
  return model;
}

/* Reports an error of the file at `init_from:`, with its own status, because the config is correct. */
static void report_file_error(const gt_init_from *from, const gt_error *error, gt_diagnostics *diagnostics) {
  gt_error_at(diagnostics, from->at, "%s", error->message)->status = error->status;
}

gt_init_from *gt_init_from_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics) {
  const gt_spec *node = gt_spec_find(root, "init_from");
  settings s = {0};
  gt_error error = {0};
  if (gt_spec_is_null(node) || !gt_schema_read(&gt_init_from_schema, &s, NULL, NULL, node, node->at,
                                               "in 'init_from'", arena, diagnostics))
    return NULL;
  gt_init_from *from = GT_NEW(arena, gt_init_from);
  const gt_spec *model = gt_spec_find(node, "model");
  from->at = gt_position_is_override(model->at) ? model->at : node->at;
  if (!read_map(from, s.map, arena, diagnostics)) return NULL;
  const char *path = find_model(gt_spec_find(node, "model"), arena, diagnostics, &error);
  if (!gt_model_file_read_any(&from->file, path, &error)) {
    report_file_error(from, &error, diagnostics);
    return NULL;
  }
  from->transfer.file = &from->file.container;
  from->hash = from->file.container.hash;
  return from;
}

void gt_init_from_finish(gt_init_from *from) {
  if (from) gt_model_file_finish(&from->file);
}

/* --- results --- */

/* Reports a name in the map that does not exist: a key, in this model, or a value, in the file. */
static void report_unknown_name(gt_diagnostics *diagnostics, gt_position at, const char *name,
                                const char *where, const char *const *known, size_t count) {
  gt_error_at(diagnostics, at, "%s has no layer or tensor '%s'", where, name)->suggestion =
      gt_nearest(name, known, count);
}

static bool check_map(const gt_init_from *from, const gt_spec *root, const gt_store *store,
                      gt_diagnostics *diagnostics) {
  const gt_spec *map = gt_spec_find(gt_spec_find(root, "init_from"), "map");
  const gt_container *file = &from->file.container;
  gt_arena *arena = diagnostics->arena;
  const int errors = diagnostics->errors;
  const char **ours = GT_NEW_N(arena, const char *, 2 * store->slots + 1);
  const char **theirs = GT_NEW_N(arena, const char *, 2 * file->tensors + 1);
  size_t n = 0, m = 0; /* lengths; each tensor is followed by its layer */
  for (int i = 0; i < store->slots; i++) {
    if (!gt_slot_has_role(store->slot[i], GT_MODEL_ROLES)) continue;
    ours[n++] = store->slot[i]->name;
    ours[n++] = gt_slot_layer(arena, store->slot[i]->name);
  }
  for (int i = 0; i < file->tensors; i++) {
    theirs[m++] = file->tensor[i].name;
    theirs[m++] = gt_slot_layer(arena, file->tensor[i].name);
  }
  for (int i = 0; i < from->transfer.rules; i++) {
    const gt_transfer_rule *rule = &from->transfer.rule[i];
    const gt_spec *entry = map->child[i];
    size_t k = 0;
    while (k < n && !gt_transfer_matches(rule->match, ours[k])) k += 2;
    if (k >= n) report_unknown_name(diagnostics, entry->key_at, rule->match, "this model", ours, n);
    for (k = 0; k < m && rule->from && strcmp(rule->from, theirs[k]); k++) continue;
    if (k == m && rule->from)
      report_unknown_name(diagnostics, entry->at, rule->from, from->file.path, theirs, m);
  }
  return diagnostics->errors == errors;
}

static const char *reason(gt_arena *arena, const gt_init_from *from, const gt_slot *slot,
                          gt_transferred result) {
  char here[128], there[128];
  const gt_stored *stored = gt_transfer_find(&from->transfer, slot->name, NULL);
  switch (result) {
  case GT_OMITTED: return "left out by the map";
  case GT_MISSING: return "not in the file";
  case GT_OTHER_SHAPE:
    return gt_arena_printf(arena, "%s %s in this model, %s %s in the file", gt_dtype_name(slot->dtype),
                           gt_shape_text(slot->shape, here), gt_stored_type_name(stored, arena),
                           gt_shape_text(stored->shape, there));
  case GT_OTHER_NAMES: return "none of its names is in the file";
  default: return "other tensors of its layer do not match";
  }
}

/* The tensors of the file that the model takes, [tensors]. */
static bool *find_taken(const gt_init_from *from, const gt_store *store, const gt_transferred *result,
                        gt_arena *arena) {
  const gt_container *file = &from->file.container;
  bool *is_taken = GT_NEW_N(arena, bool, file->tensors + 1);
  for (int i = 0; i < store->slots; i++)
    if (result[i] == GT_COPIED)
      is_taken[gt_transfer_find(&from->transfer, store->slot[i]->name, NULL) - file->tensor] = true;
  return is_taken;
}

/* Lists tensors of another program's file that the model did not take. A file of gtrain has others, such as
 * the scaling of its inputs. */
static void log_left_over(const gt_init_from *from, const gt_store *store, const gt_transferred *result,
                          gt_arena *arena) {
  const gt_container *file = &from->file.container;
  const bool *is_taken = find_taken(from, store, result, arena);
  char shape[128];
  int listed = 0;
  for (int i = 0; i < file->tensors && file->foreign; i++) {
    const gt_stored *tensor = &file->tensor[i];
    if (!is_taken[i] && ++listed <= MAX_LISTED)
      gt_info("  left over in the file: %s %s", tensor->name, gt_shape_text(tensor->shape, shape));
  }
  if (listed > MAX_LISTED) gt_info("  and %d more", listed - MAX_LISTED);
}

static void log_result(const gt_init_from *from, const gt_store *store, const gt_transferred *result,
                       int taken) {
  gt_arena arena;
  gt_arena_init(&arena);
  int all = 0, listed = 0;
  for (int i = 0; i < store->slots; i++) all += gt_slot_has_role(store->slot[i], GT_MODEL_ROLES);
  gt_info("init_from: %d of %d tensors from %s", taken, all, from->file.path);
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (!gt_slot_has_role(slot, GT_MODEL_ROLES) || result[i] == GT_COPIED || ++listed > MAX_LISTED) continue;
    gt_info("  starts from scratch: %s (%s)", slot->name, reason(&arena, from, slot, result[i]));
  }
  if (listed > MAX_LISTED) gt_info("  and %d more", listed - MAX_LISTED);
  log_left_over(from, store, result, &arena);
  gt_arena_finish(&arena);
}

/* The tensor without which a layer cannot be taken, although the file has others of it; NULL: there is none,
 * or another finding says why. slots: those of the layer, and result: their outcomes, [count]. Constants are
 * not compared, because the reviewed model is not built with those of the file. */
static const gt_slot *find_lacking(gt_slot *const *slot, const gt_transferred *result, int count) {
  const gt_slot *lacking = NULL;
  bool has_others = false;
  for (int i = 0; i < count; i++) {
    if (!gt_slot_has_role(slot[i], GT_WEIGHT_ROLES) || slot[i]->dispensable) continue;
    if (result[i] == GT_OTHER_SHAPE || result[i] == GT_OTHER_NAMES) return NULL;
    has_others |= result[i] == GT_OTHER_LAYER;
    if (!lacking && (result[i] == GT_MISSING || result[i] == GT_OMITTED)) lacking = slot[i];
  }
  return has_others ? lacking : NULL;
}

/* "a; b; c; and 2 more" */
static const char *text_of(const gt_list *list) {
  return gt_list_text(
      list, gt_arena_printf(list->arena, "%sand %d more", list->separator, list->count - list->most));
}

/* Adds a finding for layers of which the file has only a part, so that they are not taken. */
static void review_incomplete(const gt_init_from *from, const gt_store *store, const gt_transferred *result,
                              gt_diagnostics *diagnostics) {
  gt_arena *arena = diagnostics->arena;
  gt_list layers = {arena, MAX_LAYERS, "", "; ", 0};
  const char *last = NULL;
  int end;
  for (int i = 0; i < store->slots; i = end) {
    const char *layer = gt_slot_layer(arena, store->slot[i]->name);
    for (end = i + 1; end < store->slots && !strcmp(gt_slot_layer(arena, store->slot[end]->name), layer);)
      end++;
    const gt_slot *lacking = find_lacking(store->slot + i, result + i, end - i);
    if (!lacking) continue;
    last = layer;
    gt_list_add(&layers, "layer '%s' has no %s there", layer, lacking->name + strlen(layer) + 1);
  }
  if (layers.count)
    gt_finding_at(diagnostics, GT_FINDING_lost_weights, from->at,
                  "layers in %s are incomplete and are not taken: %s", from->file.path, text_of(&layers))
        ->help = gt_arena_printf(arena,
                                 "all tensors of the layer; or init_from: {model: ..., map: {%s: ~}}, if the "
                                 "layer is meant to start from scratch",
                                 last);
}

/* Adds a finding for tensors of the file for which a layer that takes others has no place, such as a bias. */
static void review_dropped(const gt_init_from *from, const gt_store *store, const gt_transferred *result,
                           gt_diagnostics *diagnostics) {
  gt_arena *arena = diagnostics->arena;
  const gt_container *file = &from->file.container;
  const bool *is_taken = find_taken(from, store, result, arena);
  gt_names taken = {.arena = arena}, wanted = {.arena = arena};
  gt_list dropped = gt_list_open(arena, MAX_LAYERS);
  bool left_out;
  for (int i = 0; i < store->slots; i++) {
    const gt_stored *stored = gt_transfer_find(&from->transfer, store->slot[i]->name, &left_out);
    if (stored || left_out) gt_names_add(&wanted, stored ? stored->name : store->slot[i]->name, i);
  }
  for (int i = 0; i < file->tensors; i++)
    if (is_taken[i]) gt_names_add(&taken, gt_slot_layer(arena, file->tensor[i].name), i);
  for (int i = 0; i < file->tensors; i++) {
    const char *name = file->tensor[i].name;
    if (is_taken[i] || gt_names_find(&taken, gt_slot_layer(arena, name)) < 0 ||
        gt_names_find(&wanted, name) >= 0)
      continue;
    gt_list_add(&dropped, "%s", name);
  }
  if (dropped.count)
    gt_finding_at(diagnostics, GT_FINDING_lost_weights, from->at,
                  "layers take only a part of what they have in %s; dropped: %s", from->file.path,
                  text_of(&dropped))
        ->help =
        "layers with the same settings as there (bias, affine); or quiet: lost_weights, if it is meant";
}

void gt_init_from_review(const gt_init_from *from, const gt_dataset *dataset, const gt_model *model,
                         gt_diagnostics *diagnostics) {
  gt_arena *arena = diagnostics->arena;
  const gt_store *store = model->store;
  const gt_init_names *names = gt_init_names_of(from, dataset, model, arena);
  gt_init_names_review(names, from, diagnostics);
  gt_transferred *result = gt_arena_alloc_n(arena, (size_t)store->slots + 1, sizeof *result);
  gt_transfer_outcomes(&names->transfer, store, result);
  review_incomplete(from, store, result, diagnostics);
  review_dropped(from, store, result, diagnostics);
  gt_list layers = {arena, MAX_LAYERS, "", "; ", 0};
  const char *last = NULL;
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    const gt_stored *stored = gt_transfer_find(&from->transfer, slot->name, NULL);
    if (!gt_slot_has_role(slot, GT_WEIGHT_ROLES) || !stored || gt_shape_equal(stored->shape, slot->shape) ||
        gt_transfer_fits(&names->transfer, slot, stored) ||
        (last && !strcmp(last, gt_slot_layer(arena, slot->name))))
      continue;
    char here[128], there[128];
    last = gt_slot_layer(arena, slot->name);
    gt_list_add(&layers, "layer '%s' has %s %s here and %s there", last, slot->name + strlen(last) + 1,
                gt_shape_text(slot->shape, here), gt_shape_text(stored->shape, there));
  }
  if (layers.count)
    gt_finding_at(diagnostics, GT_FINDING_lost_weights, from->at,
                  "weights in %s have another size and are not taken: %s", from->file.path, text_of(&layers))
        ->help =
        gt_arena_printf(arena,
                        "the same sizes; or init_from: {model: ..., map: {%s: ~}}, if the layer is meant "
                        "to start from scratch",
                        last);
}

/* Scaling factors of columns: values[rows][count]. */
typedef struct factors {
  const float *values;
  int64_t count;
  const char *const *name; /* [count], NULL: unknown */
  int rows;
} factors;

/* True if columns with the same name have the same factors; without names, columns in the same place. */
static bool same_factors(const factors *a, const factors *b, gt_arena *arena) {
  gt_names index = {.arena = arena};
  const bool by_name = a->name && b->name && a->count && b->count;
  if (!by_name && a->count != b->count) return false;
  for (int64_t i = 0; by_name && i < a->count; i++) gt_names_add(&index, a->name[i], (int)i);
  for (int64_t i = 0; i < b->count; i++) {
    const int64_t from = by_name ? gt_names_find(&index, b->name[i]) : i;
    for (int r = 0; r < a->rows && from >= 0; r++)
      if (memcmp(a->values + r * a->count + from, b->values + r * b->count + i, sizeof *a->values))
        return false;
  }
  return true;
}

static factors factors_of_input(const gt_input *input) {
  const gt_scaling *s = &input->scaling;
  const bool named = input->columns && s->count > 1 && s->count == gt_input_row_features(input);
  return (factors){s->values, s->count, named ? input->columns : NULL, 3};
}

/* True if the inputs have the same scaling; with another scaling the weights are of little use. trained: the
 * signature of the model file. */
static bool same_scaling(const gt_data_signature *trained, const gt_dataset *data, gt_arena *arena) {
  bool same = trained->inputs == data->inputs;
  for (int k = 0; k < data->inputs && same; k++) {
    const factors a = factors_of_input(&trained->input[k]), b = factors_of_input(&data->input[k]);
    same = same_factors(&a, &b, arena);
  }
  return same;
}

/* True if the columns of tables are encoded in the same way: with the same kinds and categories. */
static bool same_tables(const gt_data_signature *trained, const gt_dataset *data) {
  bool same = trained->inputs == data->inputs;
  for (int k = 0; k < data->inputs && same; k++)
    same = gt_table_fingerprint(trained->input[k].table, 1) == gt_table_fingerprint(data->input[k].table, 1);
  return same;
}

static factors factors_of_target(const gt_data_target *target) {
  const gt_target_scaling *s = &target->scaling;
  const bool named = target->columns && s->count > 1 && s->count == target->column_count;
  return (factors){s->values, s->count, named ? target->columns : NULL, 2};
}

/* Compares number targets with the same name. */
static bool same_target_scalings(const gt_data_signature *trained, const gt_dataset *data, gt_arena *arena) {
  bool same = true;
  for (int k = 0; k < data->targets; k++)
    for (int t = 0; t < trained->targets; t++) {
      const char *name[] = {trained->target[t].name, data->target[k].name};
      if (trained->target[t].classes || (name[0] && name[1] ? strcmp(name[0], name[1]) : name[0] != name[1]))
        continue;
      const factors a = factors_of_target(&trained->target[t]), b = factors_of_target(&data->target[k]);
      same &= same_factors(&a, &b, arena);
    }
  return same;
}

/* Reports that the model took no tensor, with a map of the layers that fit: files of other programs often
 * have other names. */
static void report_no_match(const gt_init_from *from, const gt_store *store, gt_diagnostics *diagnostics) {
  gt_diagnostic *d =
      gt_error_at(diagnostics, from->at, "no tensor in %s matches this model", from->file.path);
  const char *prefix, *map = gt_init_map_guess(&from->file.container, store, diagnostics->arena, &prefix);
  d->expected = "layers with the same names and shapes, or a map from names to names";
  if (map) d->expected = gt_arena_printf(diagnostics->arena, "%s: map: {%s}", d->expected, map);
  if (prefix)
    d->help = gt_arena_printf(
        diagnostics->arena, "names in the file begin with '%s'; saved without it, they need no map", prefix);
}

bool gt_init_from_apply(const gt_init_from *from, const gt_spec *root, const gt_dataset *dataset,
                        const gt_model *model, gt_diagnostics *diagnostics) {
  gt_error error = {0};
  gt_store *store = model->store;
  if (!check_map(from, root, store, diagnostics)) return false;
  gt_transferred *result = gt_arena_alloc_n(diagnostics->arena, (size_t)store->slots, sizeof *result);
  const gt_init_names *names = gt_init_names_of(from, dataset, model, store->arena);
  const int taken = gt_transfer_apply(&names->transfer, store, result);
  if (!taken) {
    report_no_match(from, store, diagnostics);
    return false;
  }
  if (!gt_transfer_check(&names->transfer, store, result, from->file.path, &error)) {
    report_file_error(from, &error, diagnostics);
    return false;
  }
  log_result(from, store, result, taken);
  gt_init_names_log(names);
  if (from->file.container.foreign) return true; /* nothing is known about its data */
  if (!same_scaling(&from->file.signature, dataset, diagnostics->arena))
    gt_warn("inputs use other normalization statistics than %s; results may shift at first", from->file.path);
  if (!names->other_inputs && !same_tables(&from->file.signature, dataset))
    gt_warn("columns of the table have other types or categories than in %s, so they become other inputs",
            from->file.path);
  if (!same_target_scalings(&from->file.signature, dataset, diagnostics->arena))
    gt_warn("targets use other normalization statistics than %s; results may shift at first",
            from->file.path);
  return true;
}
