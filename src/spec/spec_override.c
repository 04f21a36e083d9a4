#include "base/text.h"
#include "spec/source.h"
#include <stdlib.h>
#include <string.h>

typedef struct path {
  gt_arena *arena;
  gt_diagnostics *diagnostics;
  const gt_source *source; /* NULL: every part is reported at `at` */
  gt_position at;
  const gt_spec_names *names; /* or NULL */
  const char *start, *end;    /* the current part of the path, such as b in a.b.0.c */
} path;

/* Position of the current part. */
static gt_position part_at(const path *p) {
  if (!p->source) return p->at;
  const size_t before = gt_character_count(p->source->text, (size_t)(p->start - p->source->text));
  return gt_source_at(p->source, before, gt_character_count(p->start, (size_t)(p->end - p->start)));
}

static bool fail(const path *p, const char *message, const char *expected) {
  gt_error_at(p->diagnostics, part_at(p), "%s", message)->expected = expected;
  return false;
}

/* The item of a sequence with the index `part`. NULL after reporting an error. */
static gt_spec **find_item(path *p, gt_spec *sequence, const char *part) {
  char *end;
  const unsigned long index = strtoul(part, &end, 10);
  if (*part < '0' || *part > '9' || *end) {
    fail(p, gt_arena_printf(p->arena, "'%s' names a key, but this is a list", part),
         gt_arena_printf(p->arena, "a number from 0 to %d", sequence->count - 1));
    return NULL;
  }
  if (index >= (unsigned long)sequence->count) {
    fail(p, gt_arena_printf(p->arena, "the list has no item %s", part),
         sequence->count ? gt_arena_printf(p->arena, "a number from 0 to %d", sequence->count - 1)
                         : "a list that is not empty");
    return NULL;
  }
  return &sequence->child[index];
}

/* The child of `node` with the key or index `part`. Adds a missing key; an empty node becomes a map. NULL
 * after reporting an error. */
static gt_spec **find_or_add(path *p, gt_spec *node, const char *part) {
  if (node->kind == GT_SPEC_SEQUENCE) return find_item(p, node, part);
  if (gt_spec_is_null(node)) {
    node->kind = GT_SPEC_MAP;
    node->scalar = NULL;
  }
  if (node->kind == GT_SPEC_SCALAR) {
    fail(p,
         gt_arena_printf(p->arena, "'%s' cannot be set inside '%.60s', which is a value and not a map", part,
                         node->scalar),
         "a map to set a key in; give the whole map instead, as in --set 'a={b: 1, c: 2}'");
    return NULL;
  }
  for (int i = 0; i < node->count; i++)
    if (!strcmp(node->child[i]->key, part)) return &node->child[i];
  gt_spec *child = gt_spec_add(p->arena, node, part, gt_spec_new(p->arena, GT_SPEC_SCALAR));
  child->at = child->key_at = part_at(p);
  return &node->child[node->count - 1];
}

enum { MAX_LISTED = 12 }; /* names in a message */

static void report_unknown_item(const path *p, const gt_spec *list, const char *part) {
  const gt_spec_names *names = p->names;
  gt_list list_of_names = gt_list_open(p->arena, MAX_LISTED);
  for (int i = 0; i < names->count; i++) gt_list_add(&list_of_names, "%s", names->name[i]);
  gt_diagnostic *d = gt_error_at(p->diagnostics, part_at(p), "there is no %s '%s'", names->what, part);
  d->expected = gt_arena_printf(p->arena, "%s%s%sa number from 0 to %d", names->count ? "one of " : "",
                                gt_list_more(&list_of_names), names->count ? ", or " : "", list->count - 1);
  d->suggestion = gt_nearest(part, names->name, (size_t)names->count);
}

/* The child at the path of the item with this name. NULL after reporting an error. */
static gt_spec **find_named_item(path *p, gt_spec *list, const char *part) {
  const gt_spec_names *names = p->names;
  int k = 0;
  while (k < names->count && strcmp(names->name[k], part)) k++;
  if (k == names->count) {
    report_unknown_item(p, list, part);
    return NULL;
  }
  gt_spec *node = list, **place = NULL;
  for (const char *c = names->path[k];; c++) {
    const size_t length = strcspn(c, ".");
    place = find_or_add(p, node, gt_arena_strndup(p->arena, c, length));
    c += length;
    if (!place || !*c) return place;
    node = *place;
  }
}

/* True if `part` selects an item of the list with names by its name. */
static bool is_named(const path *p, const gt_spec *root, const gt_spec *node, const char *part) {
  return p->names && node->kind == GT_SPEC_SEQUENCE && node == gt_spec_find(root, p->names->list) &&
         (*part < '0' || *part > '9');
}

/* Sets the child at the path, from p->start to `path_end`, to `value`. */
static bool set_value(path *p, gt_spec *root, const char *path_end, gt_spec *value) {
  for (gt_spec *node = root;; p->start = p->end + 1) {
    p->end = p->start;
    while (p->end < path_end && *p->end != '.') p->end++;
    if (p->end == p->start) return fail(p, "a key is missing here", "a path such as optimizer.lr=0.1");
    if (p->end - p->start > GT_SPEC_MAX_KEY) return fail(p, "this key is too long", "at most 128 bytes");
    const char *part = gt_arena_strndup(p->arena, p->start, (size_t)(p->end - p->start));
    gt_spec **place =
        is_named(p, root, node, part) ? find_named_item(p, node, part) : find_or_add(p, node, part);
    if (!place) return false;
    if (p->end < path_end) {
      node = *place;
      continue;
    }
    value->key = (*place)->key;
    value->key_at = part_at(p);
    *place = value;
    return true;
  }
}

static gt_spec *parse_value(const path *p, const char *equals) {
  gt_spec *value =
      gt_spec_parse_source(p->arena, p->source, (size_t)(equals + 1 - p->source->text), p->diagnostics);
  if (value && value->kind == GT_SPEC_MAP && !value->count &&
      !strchr(equals, '{')) { /* `a=` sets an empty value */
    value->kind = GT_SPEC_SCALAR;
    value->scalar = "";
  }
  return value;
}

/* True if the path would use more than half of the depth that the parser allows. */
static bool too_deep(const char *start, const char *path_end) {
  int parts = 1;
  for (const char *c = start; c < path_end; c++) parts += *c == '.';
  return parts > GT_SPEC_MAX_DEPTH / 2;
}

bool gt_spec_override(gt_arena *arena, gt_spec *root, const char *assignment, const gt_spec_names *names,
                      gt_diagnostics *diagnostics) {
  gt_source *source = gt_source_new(arena, "--set", assignment, strlen(assignment), diagnostics);
  if (!source) return false;
  path p = {
      .arena = arena, .diagnostics = diagnostics, .source = source, .names = names, .start = source->text};
  const char *equals = strchr(source->text, '=');
  p.end = equals ? equals : source->text + source->size;
  if (!equals) return fail(&p, "'=' is missing", "a path and a value, such as optimizer.lr=0.1");
  if (too_deep(source->text, equals)) return fail(&p, "this path has too many parts", "at most 32");
  gt_spec *value = parse_value(&p, equals);
  return value && set_value(&p, root, equals, value);
}

bool gt_spec_set(gt_arena *arena, gt_spec *root, const gt_spec *entry, const gt_spec_names *names,
                 gt_diagnostics *diagnostics) {
  path p = {
      .arena = arena, .diagnostics = diagnostics, .at = entry->key_at, .names = names, .start = entry->key};
  const char *end = p.end = entry->key + strlen(entry->key);
  if (too_deep(entry->key, end)) return fail(&p, "this path has too many parts", "at most 32");
  return set_value(&p, root, end, gt_spec_copy(arena, entry));
}
