/* Applies overrides such as --set optimizer.lr=0.1 to a config with `optimizer: adam`: first expands each
 * shorthand along the path to its map, `optimizer: {type: adam}`, so that the key can be added. In this file,
 * part[0 … parts - 1] are the components of a path. */
#include "augment/augment.h"
#include "layer/layer.h"
#include "model/model.h"
#include "train/config/config.h"
#include "train/config/phases.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 32 }; /* the limit of gt_spec_override */

static bool is_number(const char *part) { return isdigit((unsigned char)*part); }

static bool is_one_of(const char *const *names, const char *name) {
  while (*names && strcmp(*names, name) != 0) names++;
  return *names;
}

static bool is_layers(const char *list) { return !strcmp(list, "model") || !strcmp(list, "layers"); }

/* The schema of `name` as an item of the list "model", "layers" or "augment"; NULL: not such an item. */
static const gt_schema *schema_of_item(const char *list, const char *name) {
  const gt_layer_type *layer = is_layers(list) ? gt_layer_find(name) : NULL;
  if (layer) return layer->schema;
  for (int i = 0; !strcmp(list, "augment") && i < gt_augment_count(); i++)
    if (!strcmp(gt_augment_at(i)->name, name)) return gt_augment_at(i)->schema;
  return NULL;
}

static const gt_field *field_of(const gt_schema *schema, const char *name) {
  for (const gt_field *f = schema ? schema->fields : NULL; f && f->name; f++)
    if (!strcmp(f->name, name)) return f;
  return NULL;
}

/* The schema of the map at a path; NULL: it has none. */
static const gt_schema *schema_at(const char *const *part, int parts) {
  const char *last = part[parts - 1];
  if (parts == 1)
    return !strcmp(last, "train") ? &gt_train_schema : !strcmp(last, "data") ? gt_data_common_schema() : NULL;
  if (parts > 2 && is_number(part[parts - 2])) return schema_of_item(part[parts - 3], last);
  const gt_field *field = field_of(schema_at(part, parts - 1), last);
  return field && field->type == GT_FIELD_MAP ? field->sub : NULL;
}

/* True for loss.NAME, where NAME is one of several targets and not a setting of a loss. */
static bool is_loss_of_target(const char *const *part, int parts) {
  if (parts != 2 || strcmp(part[0], "loss") || !strcmp(part[1], "type")) return false;
  for (int i = 0; i < gt_loss_count(); i++)
    if (field_of(gt_loss_at(i)->schema, part[1])) return false;
  return true;
}

/* True if the node selects a type (spec/typed.h): a section of the config or of a phase, or the initial
 * values of a layer. */
static bool is_typed(const char *const *part, int parts) {
  static const char *const sections[] = {"loss", "optimizer", "schedule", NULL};
  static const char *const initial[] = {"init", "bias_init", NULL};
  const char *last = part[parts - 1];
  if (is_loss_of_target(part, parts)) return true;
  if (is_one_of(sections, last)) return parts == 1 || (parts == 4 && !strcmp(part[1], "phases"));
  const gt_field *field =
      is_one_of(initial, last) && parts > 1 ? field_of(schema_at(part, parts - 1), last) : NULL;
  return field && field->type == GT_FIELD_NODE;
}

/* The key that the shorthand value at this path sets, or NULL if it is not a shorthand; next: the path
 * component that follows. */
static const char *short_key(const gt_spec *node, const char *const *part, int parts, const char *next) {
  if (gt_spec_is_null(node) || node->kind == GT_SPEC_MAP) return NULL;
  if (node->kind == GT_SPEC_SEQUENCE && is_number(next)) return NULL;
  if (parts > 1 && is_number(part[parts - 1])) { /* `- relu` */
    const bool item = node->kind == GT_SPEC_SCALAR && !strcmp(node->scalar, next);
    return item && schema_of_item(part[parts - 2], next) ? node->scalar : NULL;
  }
  if (is_typed(part, parts)) return "type";
  const gt_schema *schema = schema_at(part, parts);
  return schema ? schema->shorthand : NULL;
}

static void expand(gt_arena *arena, gt_spec *node, const char *key) {
  gt_spec *value = gt_arena_copy(arena, node, sizeof *node);
  /* For `- relu`, short_key returns the text of the node. */
  const bool item = node->kind == GT_SPEC_SCALAR && key == node->scalar;
  *node = (gt_spec){.kind = GT_SPEC_MAP, .at = node->at, .key = node->key, .key_at = node->key_at};
  if (item) value->scalar = "", value->quoted = false;
  gt_spec_add(arena, node, key, value)->key_at = value->at;
}

static gt_spec *child_of(const gt_spec *node, const char *part) {
  if (node->kind != GT_SPEC_SEQUENCE) return gt_spec_find(node, part);
  const unsigned long index = strtoul(part, NULL, 10);
  return is_number(part) && index < (unsigned long)node->count ? node->child[index] : NULL;
}

/* Splits the path before a '='; returns the number of components. */
static int split_path(gt_arena *arena, const char *path, const char *part[MAX_PARTS]) {
  int parts = 0;
  for (size_t length; parts < MAX_PARTS; path += length + 1) {
    length = strcspn(path, ".=");
    part[parts++] = gt_arena_strndup(arena, path, length);
    if (path[length] != '.') break;
  }
  return parts;
}

static void expand_path(gt_arena *arena, gt_spec *root, const char *path) {
  const char *part[MAX_PARTS];
  const int parts = split_path(arena, path, part);
  gt_spec *node = root;
  for (int i = 0; i + 1 < parts && (node = child_of(node, part[i])); i++) {
    const char *key = short_key(node, part, i + 1, part[i + 1]);
    if (key) expand(arena, node, key);
  }
}

/* The names of all layers if the path refers to a layer by name; otherwise NULL. */
static const gt_spec_names *find_layer_names(gt_arena *arena, const gt_spec *root, const char *path) {
  static const char model[] = "model.";
  if (strncmp(path, model, sizeof model - 1) || is_number(path + sizeof model - 1)) return NULL;
  return gt_model_layer_names(arena, root);
}

/* The path with the name of a layer replaced by its number. */
static const char *with_layer_number(gt_arena *arena, const gt_spec_names *names, const char *path) {
  const char *part = names ? path + strlen(names->list) + 1 : path;
  const size_t length = strcspn(part, ".=");
  for (int i = 0; names && i < names->count; i++)
    if (strlen(names->name[i]) == length && !memcmp(names->name[i], part, length))
      return gt_arena_printf(arena, "%s.%s%s", names->list, names->path[i], part + length);
  return path;
}

/* Returns the map of phase N and sets *key to the text after "train.phases.N.". NULL if the path is not of
 * this form, or if the phase contains the section as a map; the ordinary override then sets the key in that
 * map. */
static gt_spec *phase_of(gt_arena *arena, const gt_spec *root, const char *path, const char **key) {
  static const char phases[] = "train.phases.";
  const gt_spec *list = gt_spec_find(gt_spec_find(root, "train"), "phases");
  char *end;
  if (strncmp(path, phases, sizeof phases - 1)) return NULL;
  const unsigned long index = strtoul(path + sizeof phases - 1, &end, 10);
  if (!list || list->kind != GT_SPEC_SEQUENCE || *end != '.' || index >= (unsigned long)list->count)
    return NULL;
  *key = end + 1;
  const size_t all = strcspn(*key, "="), section = strcspn(*key, ".=");
  gt_spec *phase = list->child[index];
  if (phase->kind != GT_SPEC_MAP || section == all ||
      gt_spec_find(phase, gt_arena_strndup(arena, *key, section)) ||
      !gt_phase_may_change(gt_arena_strndup(arena, *key, all)))
    return NULL;
  return phase;
}

/* In the map of a phase a setting of a section is one key with a dot: train.phases.1.optimizer.lr sets the
 * key "optimizer.lr" of the second phase. */
static bool override_in_phase(gt_arena *arena, gt_spec *root, const char *assignment,
                              gt_diagnostics *diagnostics) {
  const char *key;
  gt_spec *phase = phase_of(arena, root, assignment, &key);
  if (!phase) return false;
  if (!gt_spec_override(arena, root, assignment, NULL, diagnostics)) return true;
  const char *name = gt_arena_strndup(arena, key, strcspn(key, "=")), *part = name;
  gt_spec *section = phase->child[phase->count - 1], *value = section;
  while ((part = strchr(part, '.'))) value = value->child[0], part++;
  gt_spec_remove(phase, section->key);
  gt_spec_remove(phase, name);
  gt_spec_add(arena, phase, name, value)->key_at = value->key_at;
  return true;
}

/* Detects a path that names the wrong layer type: model.0.kan.grid if layer 0 is a `linear`. Returns the
 * actual type and sets *named to the type in the path; NULL if the path has no wrong type. */
static const char *other_type(gt_arena *arena, const gt_spec *root, const char *path, const char **named) {
  const gt_spec *node = root;
  const char *list = "";
  for (size_t length; node; path += length + 1) {
    length = strcspn(path, ".=");
    const char *part = gt_arena_strndup(arena, path, length);
    if (node->kind == GT_SPEC_SEQUENCE && is_layers(list) && is_number(part)) {
      const gt_spec *item = child_of(node, part);
      const bool is_bare = item && item->kind == GT_SPEC_SCALAR;
      const char *type = is_bare ? item->scalar : item && item->count == 1 ? item->child[0]->key : NULL;
      if (path[length] != '.' || !type) return NULL;
      *named = path + length + 1;
      const char *name = gt_arena_strndup(arena, *named, strcspn(*named, ".="));
      if (strcmp(type, name)) return gt_layer_find(type) && gt_layer_find(name) ? type : NULL;
      if (is_bare) return NULL;
    }
    if (path[length] != '.') return NULL;
    node = child_of(node, part);
    list = part;
  }
  return NULL;
}

static bool report_other_type(gt_arena *arena, const gt_spec *root, const char *path, gt_position at,
                              gt_diagnostics *diagnostics) {
  const char *named = NULL, *type = other_type(arena, root, path, &named);
  if (!type) return false;
  const int name = (int)strcspn(named, ".=");
  if (!at.width) {
    at.column = (int)(named - path) + 1;
    at.width = name;
  }
  gt_error_at(diagnostics, at, "layer '%.*s' is of type '%s', not '%.*s'", (int)(named - 1 - path), path,
              type, name, named)
      ->expected = gt_arena_printf(arena, "%.*s.%s...", (int)(named - 1 - path), path, type);
  return true;
}

/* `a.b=~` removes the key, so that its default applies, except in init_from.map, where ~ is a value. */
static void unset(gt_arena *arena, gt_spec *root, const char *path) {
  static const char map[] = "init_from.map.";
  const char *part[MAX_PARTS];
  const int last = split_path(arena, path, part) - 1;
  gt_spec *node = root;
  if (!strncmp(path, map, sizeof map - 1)) return;
  for (int i = 0; i < last && node; i++) node = child_of(node, part[i]);
  const gt_spec *child = node ? child_of(node, part[last]) : NULL;
  if (child && node->kind == GT_SPEC_MAP && gt_spec_is_null(child)) gt_spec_remove(node, part[last]);
}

/* PATH="TEXT" */
static const char *assignment_of(gt_arena *arena, const char *path, const char *text) {
  char *quoted = gt_arena_alloc(arena, 2 * strlen(text) + 1), *end = quoted;
  for (const char *c = text; *c; c++) { /* as in YAML's double quotes */
    if (*c == '"' || *c == '\\') *end++ = '\\';
    *end++ = *c;
  }
  return gt_arena_printf(arena, "%s=\"%s\"", path, quoted);
}

/* Options for which the program writes the assignment: "--init=FILE" stands for init_from.model=FILE. */
static const struct {
  const char *option, *section, *key;
} options[] = {{"--init", "init_from", "model"}, {"--data", "data", "test"}};

/* Applies such an option. Errors of its value are reported at the option, which is what the user typed. */
static bool apply_option(gt_arena *arena, gt_spec *root, const char *text, gt_diagnostics *diagnostics) {
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    const size_t length = strlen(options[i].option);
    if (strncmp(text, options[i].option, length) || text[length] != '=') continue;
    const char *path = gt_arena_printf(arena, "%s.%s", options[i].section, options[i].key);
    gt_config_override(arena, root, assignment_of(arena, path, text + length + 1), diagnostics);
    gt_spec *value = gt_spec_find(gt_spec_find(root, options[i].section), options[i].key);
    if (value) value->at = value->key_at = (gt_position){.file = options[i].option};
    return true;
  }
  return false;
}

void gt_config_override(gt_arena *arena, gt_spec *root, const char *assignment, gt_diagnostics *diagnostics) {
  if (apply_option(arena, root, assignment, diagnostics)) return;
  const gt_spec_names *names = find_layer_names(arena, root, assignment);
  const gt_position at = {.file = "--set",
                          .line_text = gt_arena_strndup(arena, assignment, strcspn(assignment, "\n")),
                          .line = 1};
  if (report_other_type(arena, root, assignment, at, diagnostics)) return;
  expand_path(arena, root, with_layer_number(arena, names, assignment));
  if (!override_in_phase(arena, root, assignment, diagnostics))
    gt_spec_override(arena, root, assignment, names, diagnostics);
  unset(arena, root, with_layer_number(arena, names, assignment));
}

void gt_config_set(gt_arena *arena, gt_spec *root, const gt_spec *entry, gt_diagnostics *diagnostics) {
  const gt_spec_names *names = find_layer_names(arena, root, entry->key);
  if (report_other_type(arena, root, entry->key, entry->key_at, diagnostics)) return;
  expand_path(arena, root, with_layer_number(arena, names, entry->key));
  gt_spec_set(arena, root, entry, names, diagnostics);
}
