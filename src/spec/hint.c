#include "spec/hint.h"
#include "base/text.h"
#include <ctype.h>
#include <string.h>

enum { MAX_GROUPS = 3, MAX_NAMED = 3 }; /* groups in a hint, and names in a group */

/* --- folding --- */

void gt_hint_fold(const char *text, char out[GT_HINT_WORD]) {
  const size_t end = strcspn(text, "(");
  size_t n = 0, start = 0;
  for (size_t i = 0; i < end; i++)
    if (text[i] == '.') start = i + 1;
  for (size_t i = start; i < end && n + 1 < GT_HINT_WORD; i++)
    if (isalnum((unsigned char)text[i]) || (unsigned char)text[i] >= 0x80)
      out[n++] = (char)tolower((unsigned char)text[i]);
  out[n] = 0;
}

/* The only name that equals the folded word after folding; NULL: none, or more than one. */
static const char *find_folded(const char *word, const char *const *names, size_t count) {
  char name[GT_HINT_WORD];
  const char *found = NULL;
  for (size_t i = 0; i < count && *word; i++) {
    gt_hint_fold(names[i], name);
    if (strcmp(name, word) != 0) continue;
    if (found) return NULL;
    found = names[i];
  }
  return found;
}

/* Like find_folded; the word may also end with `what`, its kind: `CrossEntropyLoss`, `LogicLayer`. */
static const char *find_with_kind(const char *word, const char *what, const char *const *names,
                                  size_t count) {
  const char *found = find_folded(word, names, count);
  const size_t length = strlen(word), tail = strlen(what);
  if (found || length <= tail || strcmp(word + length - tail, what) != 0) return found;
  char start[GT_HINT_WORD];
  memcpy(start, word, length - tail);
  start[length - tail] = 0;
  return find_folded(start, names, count);
}

/* --- foreign names --- */

static bool has_word(const char *words, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = words; length && (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
  return false;
}

const gt_hint_row *gt_hint_match(const gt_hint_row *row, const char *where, const char *word) {
  while (row->words && (strcmp(row->where, where) != 0 || !has_word(row->words, word))) row++;
  return row->words ? row : NULL;
}

/* The row for a name of this kind; `metrics` has the names of "metric". */
static const gt_hint_row *find_name(const char *what, const char *word) {
  const gt_hint_row *row = gt_hint_match(gt_hint_rows, what, word);
  char singular[GT_HINT_WORD];
  const size_t length = strlen(what);
  if (!row && *word && !word[strspn(word, "0123456789")]) row = gt_hint_match(gt_hint_rows, what, "#");
  if (row || length < 2 || length >= sizeof singular || what[length - 1] != 's') return row;
  memcpy(singular, what, length - 1);
  singular[length - 1] = 0;
  return gt_hint_match(gt_hint_rows, singular, word);
}

static bool is_listed(const char *name, const char *const *names, size_t count) {
  for (size_t i = 0; name && i < count; i++)
    if (!strcmp(names[i], name)) return true;
  return false;
}

/* The maps that have the key of a row, such as "layer lstm gru rnn"; NULL if the row is about something else
 * than keys. */
static const char *maps_of(const gt_hint_row *row) {
  return strncmp(row->where, "in ", 3) ? NULL : row->where + 3;
}

/* True for "layer conv2d" and "train.early_stopping", which name the map or end with its name. */
static bool is_for_map(const gt_hint_row *row, const char *map) {
  const char *dot = strrchr(row->where, '.');
  return map && has_word(dot ? dot + 1 : maps_of(row), map);
}

/* The row whose key is in `names`, preferably a row for this map; otherwise a row that says why this map or
 * gtrain has no such key. */
static const gt_hint_row *find_key(const char *word, const char *map, const char *const *names,
                                   size_t count) {
  const gt_hint_row *found = NULL, *unsupported = NULL;
  bool is_for_here = false;
  for (const gt_hint_row *row = gt_hint_rows; row->words; row++) {
    if (!maps_of(row) || !has_word(row->words, word)) continue;
    const bool here = is_for_map(row, map);
    if (is_listed(row->ours, names, count)) {
      if (here) return row;
      if (!found) found = row;
    }
    if (row->ours || (!here && strcmp(maps_of(row), "any") != 0) || (unsupported && !here)) continue;
    unsupported = row;
    is_for_here = here;
  }
  return is_for_here || !found ? unsupported : found;
}

/* True if the row is about a map inside this one: "layer kan.grid_update" for kan. */
static bool is_inside(const char *maps, const char *map) {
  const char *dot = strrchr(maps, '.');
  const size_t length = map ? strlen(map) : 0;
  return dot && length && (size_t)(dot - maps) > length && !strncmp(dot - length, map, length);
}

/* The row for a key of another map. inner: `map` is a layer or another item of a list, which has nothing to
 * do with keys of data and of other layers. */
static const gt_hint_row *find_key_elsewhere(const char *word, const char *map, bool inner) {
  for (const gt_hint_row *row = gt_hint_rows; row->words; row++) {
    const char *maps = maps_of(row);
    if (!maps || !row->ours || !has_word(row->words, word)) continue;
    if (!inner || is_inside(maps, map) || !strncmp(maps, "train", 5) || !strncmp(maps, "optimizer", 9) ||
        !strncmp(maps, "schedule", 8))
      return row;
  }
  return NULL;
}

/* --- places --- */

/* A place where a key is allowed: maps of one kind, at one path inside them. */
typedef struct group {
  const char *kind; /* of the maps ("layer"), or the name of a section ("train") */
  const char *path; /* "" or ".early_stopping" */
  const char *name[MAX_NAMED];
  int names;
  bool all; /* every map of this kind has the key */
} group;

typedef struct groups {
  group item[16];
  int count;
} groups;

static void add_group(groups *list, const gt_schema_place *place, const char *path, bool all) {
  const bool section = !strcmp(place->kind, "section");
  const char *kind = section ? place->name : place->kind;
  int k = 0;
  while (k < list->count && (strcmp(list->item[k].kind, kind) != 0 || strcmp(list->item[k].path, path) != 0))
    k++;
  if (k == (int)(sizeof list->item / sizeof *list->item)) return;
  if (k == list->count) list->item[list->count++] = (group){.kind = kind, .path = path, .all = section};
  group *g = &list->item[k];
  g->all |= all;
  if (g->names < MAX_NAMED) g->name[g->names] = place->name;
  g->names++;
}

/* Adds the places in the schema (at `path` in its map) that have a key which folds to `word`; *name: the
 * key. */
static void add_places(gt_arena *arena, groups *list, const gt_schema_place *place, const gt_schema *schema,
                       const char *path, const char *word, const char **name) {
  char folded[GT_HINT_WORD];
  for (const gt_field *f = schema ? schema->fields : NULL; f && f->name; f++) {
    gt_hint_fold(f->name, folded);
    if (!strcmp(folded, word)) {
      add_group(list, place, path, schema == place->common);
      *name = f->name;
    }
    if (f->type == GT_FIELD_MAP || f->sub)
      add_places(arena, list, place, f->sub, gt_arena_printf(arena, "%s.%s", path, f->name), word, name);
  }
}

static int count_maps(const gt_diagnostics *diagnostics, const char *kind) {
  int count = 0;
  for (int i = 0; i < diagnostics->places; i++) count += !strcmp(diagnostics->place[i].kind, kind);
  return count;
}

static const char *find_label(const char *kind) {
  static const char *const labels[][2] = {{"config", "the top level of the config"},
                                          {"augmentation", "an item of 'augment'"},
                                          {"column", "an entry of 'data.columns'"},
                                          {"series", "'data.series'"},
                                          {"split", "'data.split'"},
                                          {"layer", "a layer of 'model'"},
                                          {"block", "a 'repeat' of 'model'"},
                                          {"init", "an 'init' of a layer"},
                                          {"prune", "'prune' of a phase"},
                                          {"symbolic", "'symbolic' of a phase"}};
  for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
    if (!strcmp(labels[i][0], kind)) return labels[i][1];
  return NULL;
}

/* Formats a group: "train.early_stopping", "optimizer (rmsprop, sgd)". */
static const char *format_group(gt_arena *arena, const group *g) {
  const char *label = find_label(g->kind), *list = "";
  const int named = g->names < MAX_NAMED ? g->names : MAX_NAMED;
  if (named && !g->all)
    list =
        gt_arena_printf(arena, " (%s%s)", gt_list_of(arena, g->name, named), g->names > named ? ", …" : "");
  if (label && !*g->path) return gt_arena_printf(arena, "%s%s", label, list);
  if (label && !strcmp(g->kind, "config")) return gt_arena_printf(arena, "'%s'", g->path + 1);
  return label ? gt_arena_printf(arena, "'%s' in %s%s", g->path + 1, label, list)
               : gt_arena_printf(arena, "'%s%s'%s", g->kind, g->path, list);
}

/* What the table says about this value of the key `ours`, such as `true` for early_stopping. */
static gt_hint hint_of_value(const char *ours, const gt_spec *value) {
  double number;
  if (!ours || gt_spec_is_null(value)) return (gt_hint){0};
  return gt_hint_value(ours, value, value->kind == GT_SPEC_SCALAR && !gt_spec_float(value, &number));
}

/* ": optimizer: {lr: 0.1}", if every map of the kind has the key; for a value of which the table says
 * something, that. */
static const char *format_example(gt_arena *arena, const group *g, const char *name, const gt_spec *value) {
  const bool scalar =
      value && value->kind == GT_SPEC_SCALAR && !gt_spec_is_null(value) && strlen(value->scalar) < 32;
  const bool is_top = !strcmp(g->kind, "config");
  const char *map = is_top ? "" : g->kind, *inner = g->path + !!*g->path;
  if (!g->all || !scalar || (find_label(g->kind) && !is_top) || strchr(inner, '.')) return "";
  const gt_hint better = hint_of_value(name, value);
  if (better.help) return gt_arena_printf(arena, "; %s", better.help);
  const char *text = better.suggestion ? better.suggestion : value->scalar;
  if (!*map) map = inner, inner = "";
  if (gt_position_is_override(value->at))
    return gt_arena_printf(arena, ": --set %s%s%s%s%s=%s", map, *map ? "." : "", inner, *inner ? "." : "",
                           name, text);
  text = gt_arena_printf(arena, "%s: %s", name, text);
  if (*inner) text = gt_arena_printf(arena, "%s: {%s}", inner, text);
  return *map ? gt_arena_printf(arena, ": %s: {%s}", map, text) : gt_arena_printf(arena, ": %s", text);
}

/* True if the same maps also have the key at a shorter path: optimizer.parameters repeats keys of
 * 'optimizer'. */
static bool is_inner(const groups *list, const group *g) {
  for (int i = 0; i < list->count; i++)
    if (!strcmp(list->item[i].kind, g->kind) && strlen(list->item[i].path) < strlen(g->path)) return true;
  return false;
}

/* "'lr' belongs to 'optimizer'", or NULL: no map has the key. */
static const char *describe_places(const gt_diagnostics *diagnostics, const char *word,
                                   const gt_spec *value) {
  gt_arena *arena = diagnostics->arena;
  groups list = {.count = 0};
  const char *name = NULL;
  for (int i = 0; i < diagnostics->places; i++) {
    const gt_schema_place *place = &diagnostics->place[i];
    add_places(arena, &list, place, place->schema, "", word, &name);
    add_places(arena, &list, place, place->common, "", word, &name);
  }
  if (!list.count) return NULL;
  const char *text = gt_arena_printf(arena, "'%s' belongs to ", name);
  int kept = 0;
  for (int i = 0; i < list.count && kept < MAX_GROUPS; i++) {
    group *g = &list.item[i];
    if (is_inner(&list, g)) continue;
    g->all |= g->names == count_maps(diagnostics, g->kind);
    text = gt_arena_printf(arena, "%s%s%s", text, kept++ ? " or " : "", format_group(arena, g));
  }
  return gt_arena_printf(arena, "%s%s", text,
                         kept == 1 ? format_example(arena, &list.item[0], name, value) : "");
}

/* How a name of this kind is written in a config. */
static const char *how_to_write(gt_arena *arena, const char *kind, const char *name) {
  if (!strcmp(kind, "layer") || !strcmp(kind, "block")) return "an item of 'model'";
  if (!strcmp(kind, "augmentation")) return "an item of 'augment'";
  return gt_arena_printf(arena, "%s: %s", kind, name);
}

static const char *article(const char *noun) { return strchr("aeiou", *noun) ? "an" : "a"; }

/* "'cosine' is a schedule (schedule: cosine)" if the word is a name of another kind than `what`; else
 * NULL. */
static const char *describe_other_kind(const gt_diagnostics *diagnostics, const char *what,
                                       const char *word) {
  gt_arena *arena = diagnostics->arena;
  const char *text = NULL, *last = "";
  for (int i = 0; i < diagnostics->places; i++) {
    const gt_schema_place *place = &diagnostics->place[i];
    char name[GT_HINT_WORD];
    if (!strcmp(place->kind, "section") || !strcmp(place->kind, "data") || !strcmp(place->kind, what))
      continue;
    gt_hint_fold(place->name, name);
    if (strcmp(name, word) != 0 || !strcmp(last, place->kind)) continue;
    last = place->kind;
    const char *noun = !strcmp(last, "init") ? "initial value" : last;
    text = gt_arena_printf(arena, "%s%s%s %s (%s)",
                           text ? text : gt_arena_printf(arena, "'%s' is ", place->name), text ? " or " : "",
                           article(noun), noun, how_to_write(arena, last, place->name));
  }
  return text;
}

/* --- hints --- */

/* True if the name is at most one edit away from the word: a typo is then the likeliest explanation. */
static bool is_close(const char *word, const char *name) { return name && gt_word_distance(word, name) <= 1; }

/* Returns how to write `train.epochs: 5` in a file: `train: {epochs: 5}`. NULL if the key has another
 * form. */
static const char *format_nested(gt_arena *arena, const char *key, const gt_spec *value,
                                 const char *const *names, size_t count) {
  const char *dot = strchr(key, '.');
  if (!dot || !dot[1] || strchr(dot + 1, '.') || !value || value->kind != GT_SPEC_SCALAR) return NULL;
  const char *section = gt_arena_strndup(arena, key, (size_t)(dot - key));
  if (!is_listed(section, names, count)) return NULL;
  return gt_arena_printf(arena, "%s: {%s: %s}", section, dot + 1, value->scalar);
}

/* The maps of a row as text: "'train'", "layer kan", "the layers lstm, gru, rnn". */
static const char *format_maps(gt_arena *arena, const char *maps) {
  const char *label = find_label(maps), *space = strchr(maps, ' ');
  if (label || !space) return label ? label : gt_arena_printf(arena, "'%s'", maps);
  if (!strchr(space + 1, ' ')) return maps;
  const char *text = gt_arena_printf(arena, "the %.*ss", (int)(space - maps), maps);
  for (const char *end; space; space = *end ? end : NULL) {
    end = space + 1 + strcspn(space + 1, " ");
    text = gt_arena_printf(arena, "%s%s%.*s", text, *maps ? " " : ", ", (int)(end - space - 1), space + 1);
    maps = "";
  }
  return text;
}

/* Hint for a key of another program. here: the map in which it was found has the key `ours`. */
static gt_hint make_foreign_hint(const gt_diagnostics *diagnostics, const gt_hint_row *row, const char *key,
                                 const gt_spec *value, bool here) {
  const gt_hint of_value = hint_of_value(row->ours, value);
  const char *say = of_value.help ? of_value.help : row->say;
  if (of_value.suggestion && !say)
    say = gt_arena_printf(diagnostics->arena, "write %s: %s", row->ours, of_value.suggestion);
  if (here || !row->ours) return (gt_hint){row->ours, say, true};
  return (gt_hint){NULL,
                   gt_arena_printf(diagnostics->arena, "'%s' is '%s' in gtrain, and belongs to %s%s%s", key,
                                   row->ours, format_maps(diagnostics->arena, maps_of(row)), say ? "; " : "",
                                   say ? say : ""),
                   true};
}

/* True for the map of a layer, an augmentation, a loss, …; false for a section. */
static bool is_inner_map(const gt_diagnostics *diagnostics, const char *map) {
  for (int i = 0; map && i < diagnostics->places; i++) {
    const gt_schema_place *place = &diagnostics->place[i];
    if (!strcmp(place->schema->name, map))
      return strcmp(place->kind, "section") && strcmp(place->kind, "data");
  }
  return false;
}

/* Hint for a name in which a character only looks like the right one; empty if there is none. */
static gt_hint make_look_alike_hint(gt_arena *arena, const char *text, const char *const *names,
                                    size_t count) {
  gt_look_alike found;
  char word[GT_HINT_WORD];
  if (!gt_look_alike_find(text, 0, &found)) return (gt_hint){0};
  gt_hint_fold(gt_look_alike_plain(arena, text), word);
  const char *exact = find_folded(word, names, count);
  return exact ? (gt_hint){exact, gt_look_alike_describe(arena, &found), true} : (gt_hint){0};
}

gt_hint gt_hint_foreign_key(const char *key) {
  char word[GT_HINT_WORD];
  gt_hint_fold(key, word);
  const gt_hint_row *row = find_key(word, NULL, NULL, 0);
  return row ? (gt_hint){NULL, row->say, true} : (gt_hint){0};
}

gt_hint gt_hint_value(const char *what, const gt_spec *value, bool any) {
  char word[GT_HINT_WORD] = "[]";
  if (value->kind == GT_SPEC_MAP) strcpy(word, "{}");
  if (value->kind == GT_SPEC_SCALAR) gt_hint_fold(value->scalar, word);
  const gt_hint_row *row = find_name(what, word);
  if (!row && any) row = gt_hint_match(gt_hint_rows, what, "*");
  return row ? (gt_hint){row->ours, row->say, true} : (gt_hint){0};
}

gt_hint gt_hint_limit(const char *what) {
  const gt_hint_row *row = gt_hint_match(gt_hint_rows, what, ">");
  return row ? (gt_hint){row->ours, row->say, true} : (gt_hint){0};
}

gt_hint gt_hint_key(const gt_diagnostics *diagnostics, const char *map, const char *key, const gt_spec *value,
                    const char *const *names, size_t count) {
  char word[GT_HINT_WORD];
  gt_hint_fold(key, word);
  const char *exact = format_nested(diagnostics->arena, key, value, names, count);
  if (!exact) exact = find_folded(word, names, count);
  if (exact) return (gt_hint){exact, NULL, true};
  const gt_hint fixed = make_look_alike_hint(diagnostics->arena, key, names, count);
  if (fixed.suggestion) return fixed;
  const gt_hint_row *row = find_key(word, map, names, count);
  if (row) return make_foreign_hint(diagnostics, row, key, value, true);
  const char *near = gt_nearest(key, names, count);
  if (is_close(key, near)) return (gt_hint){near, NULL, false};
  const char *place = describe_places(diagnostics, word, value);
  const char *other = describe_other_kind(diagnostics, "", word);
  if (place && other) /* 'dropout' is a layer, and a key of lstm */
    place = gt_arena_printf(diagnostics->arena, "%s; as a key, %s", other, place);
  if (place) return (gt_hint){NULL, place, true};
  row = find_key_elsewhere(word, map, is_inner_map(diagnostics, map));
  if (row) return make_foreign_hint(diagnostics, row, key, value, false);
  if (near) return (gt_hint){near, NULL, false};
  return (gt_hint){NULL, other, other != NULL};
}

gt_hint gt_hint_name(const gt_diagnostics *diagnostics, const char *what, const char *name,
                     const char *const *names, size_t count) {
  char word[GT_HINT_WORD];
  gt_hint_fold(name, word);
  const char *exact = find_with_kind(word, what, names, count), *colon = strchr(name, ':');
  if (exact) return (gt_hint){exact, NULL, true};
  if (colon && colon[1])
    return (gt_hint){NULL, colon[1] == ' ' ? "remove the quotes" : "YAML needs a space after ':'", true};
  const gt_hint fixed = make_look_alike_hint(diagnostics->arena, name, names, count);
  if (fixed.suggestion) return fixed;
  const gt_hint_row *row = find_name(what, word);
  const size_t length = strlen(word), tail = strlen(what);
  if (!row && length > tail && !strcmp(word + length - tail, what))
    word[length - tail] = 0, row = find_name(what, word);
  if (row) return (gt_hint){row->ours, row->say, true};
  gt_hint_fold(name, word);
  const char *near = gt_nearest(name, names, count);
  if (is_close(name, near)) return (gt_hint){near, NULL, false};
  const bool is_kind = count_maps(diagnostics, what) > 0;
  const char *other = is_kind ? describe_other_kind(diagnostics, what, word) : NULL;
  if (!other && is_kind && !near) other = describe_places(diagnostics, word, NULL);
  if (other) return (gt_hint){NULL, other, true};
  row = near ? NULL : gt_hint_match(gt_hint_rows, what, "*");
  return row ? (gt_hint){row->ours, row->say, true} : (gt_hint){near, NULL, false};
}
