/* What a config error suggests for an unknown word. The cases are made from the schema and from the table of
 * hints (spec/hint.h): every suggestion of the table exists, the hint for a key in a wrong
 * map names the map where it belongs, and a misspelling never leads to a very different name. */
#include "spec/hint.h"
#include "base/text.h"
#include "cli/schema.h"
#include "train/config/places.h"
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static gt_arena arena;
static gt_diagnostics diagnostics; /* knows all maps of the schema */

enum { MAX_KEYS = 128 };

typedef struct keys {
  const char *name[MAX_KEYS];
  size_t count;
} keys;

static void add_fields(keys *list, const gt_schema *schema) {
  for (const gt_field *f = schema ? schema->fields : NULL; f && f->name; f++)
    list->name[list->count++] = f->name;
}

static bool has(const keys *list, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (!strcmp(list->name[i], name)) return true;
  return false;
}

static keys keys_of(const gt_schema_place *place) {
  keys list = {.count = 0};
  add_fields(&list, place->schema);
  add_fields(&list, place->common);
  return list;
}

/* --- the places: maps of a config --- */

static bool contains(const gt_schema *whole, const gt_schema *part) {
  if (!whole || whole == part) return whole != NULL;
  for (const gt_field *f = whole->fields; f->name; f++)
    if (f->sub && contains(f->sub, part)) return true;
  return false;
}

/* Every entry of the schema is in a map that gt_hint_key knows. */
static void every_entry_has_a_place(void **state) {
  const gt_schemas *all = gt_schemas_of(&arena);
  const gt_schema_entry *entry = all->entry;
  (void)state;
  for (int i = 0; i < all->count; i++) {
    /* A section whose value is another kind of entry has that entry's keys; a phase has the keys of sections;
     * metrics and warnings have no keys. */
    bool found = entry[i].items || !strcmp(entry[i].name, "phases") || !entry[i].schema->fields->name;
    for (int k = 0; k < diagnostics.places; k++)
      found |= contains(diagnostics.place[k].schema, entry[i].schema) ||
               contains(diagnostics.place[k].common, entry[i].schema);
    if (!found) fail_msg("no place for %s '%s'", entry[i].kind, entry[i].name);
  }
}

/* --- the table of other programs' names --- */

/* The keys of the map that a row names, such as "train.early_stopping" or "layer conv2d"; with only a kind
 * ("optimizer"), of the first map of that kind that has the key `ours`. */
static keys map_of(const char *where, const char *ours) {
  keys list = {.count = 0};
  char kind[64], name[64] = "", path[64] = "";
  if (sscanf(where, "%63[a-z_] %63[a-z0-9_].%63s", kind, name, path) < 2)
    sscanf(where, "%63[a-z_].%63s", kind, path);
  for (int i = 0; i < diagnostics.places; i++) {
    const gt_schema_place *place = &diagnostics.place[i];
    const bool is_section = !strcmp(place->kind, "section") && !strcmp(place->name, kind);
    if (!is_section && (strcmp(place->kind, kind) != 0 || (*name && strcmp(place->name, name) != 0)))
      continue;
    list = keys_of(place);
    for (const gt_field *f = place->schema->fields; *path && f->name; f++)
      if (!strcmp(f->name, path)) list = (keys){.count = 0}, add_fields(&list, f->sub);
    if (*name || is_section || has(&list, ours)) return list;
  }
  return list;
}

/* The names of a kind, such as all layers; none if there is no such kind. */
static keys names_of(const char *what) {
  keys list = {.count = 0};
  const char *kind = !strcmp(what, "data format") ? "data" : what;
  for (int i = 0; i < diagnostics.places; i++)
    if (!strcmp(diagnostics.place[i].kind, kind)) list.name[list.count++] = diagnostics.place[i].name;
  if (!strcmp(kind, "layer")) list.name[list.count++] = "repeat";
  return list;
}

static void add_choices(keys *list, const gt_schema *schema, const char *what) {
  const bool is_map = schema && schema->shorthand && !strcmp(schema->name, what);
  for (const gt_field *f = schema ? schema->fields : NULL; f && f->name; f++) {
    if (f->type == GT_FIELD_MAP) add_choices(list, f->sub, what);
    const bool is_meant = !strcmp(f->name, what) || (is_map && !strcmp(f->name, schema->shorthand));
    for (int i = 0; is_meant && f->choices && f->choices[i]; i++)
      if (!has(list, f->choices[i])) list->name[list->count++] = f->choices[i];
  }
}

/* The names of a kind or, if there is no such kind, the choices of all keys with this name and of the short
 * form of maps with this name. */
static keys choices_of(const char *what) {
  keys list = names_of(what);
  for (int i = 0; i < diagnostics.places && !names_of(what).count; i++) {
    add_choices(&list, diagnostics.place[i].schema, what);
    add_choices(&list, diagnostics.place[i].common, what);
  }
  return list;
}

/* What a row is about. */
typedef enum row_kind { NAME, KEY, COMMAND_LINE, TEXT } row_kind;

static row_kind kind_of(const gt_hint_row *row) {
  static const char *const texts[] = {"boolean", "no number", "unit"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!strcmp(row->where, texts[i])) return TEXT;
  if (!strcmp(row->where, "command") || !strcmp(row->where, "option")) return COMMAND_LINE;
  return strncmp(row->where, "in ", 3) ? NAME : KEY;
}

static int words_tried;

/* Calls `call` for each word of a row. */
static void each_word(const gt_hint_row *row, void (*call)(const gt_hint_row *row, const char *word)) {
  char *rest = gt_arena_strdup(&arena, row->words), *word;
  while ((word = strsep(&rest, " "))) call(row, word), words_tried++;
}

/* The words of a row are folded, and none of them has an earlier row that hides this one. */
static void check_word(const gt_hint_row *row, const char *word) {
  char folded[GT_HINT_WORD];
  gt_hint_fold(word, folded);
  if (strcmp(folded, word) && !strpbrk(word, "[]{}*#>")) fail_msg("%s: '%s' is not folded", row->where, word);
  if (kind_of(row) != COMMAND_LINE && gt_hint_match(gt_hint_rows, row->where, word) != row)
    fail_msg("%s: '%s' has an earlier row", row->where, word);
}

static void rows_are_sound(void **state) {
  (void)state;
  for (const gt_hint_row *row = gt_hint_rows; row->words; row++) {
    if (!row->ours && !row->say) fail_msg("%s: '%s' says nothing", row->where, row->words);
    if (kind_of(row) != TEXT) each_word(row, check_word);
  }
}

/* True for a row about values that are not choices of the schema, such as numbers and maps. */
static bool is_value(const gt_hint_row *row) {
  return !choices_of(row->where).count || !strcmp(row->where, "precision");
}

static void check_name(const gt_hint_row *row, const char *word) {
  const keys list = choices_of(row->where);
  const gt_spec scalar = {.kind = GT_SPEC_SCALAR, .scalar = strcmp(word, "#") ? word : "64"},
                sequence = {.kind = GT_SPEC_SEQUENCE}, map = {.kind = GT_SPEC_MAP};
  const gt_spec *value = !strcmp(word, "[]") ? &sequence : !strcmp(word, "{}") ? &map : &scalar;
  const gt_hint hint = !strcmp(word, ">") ? gt_hint_limit(row->where)
                       : is_value(row) || value != &scalar
                           ? gt_hint_value(row->where, value, true)
                           : gt_hint_name(&diagnostics, row->where, scalar.scalar, list.name, list.count);
  const char *found = hint.suggestion ? hint.suggestion : "nothing",
             *wanted = row->ours ? row->ours : "nothing";
  if (strcmp(found, wanted) || (row->say && hint.help != row->say))
    fail_msg("%s '%s' leads to '%s' and not to '%s'", row->where, word, found, wanted);
}

/* The name of the map in a row: "conv2d" for "in layer conv2d", "early_stopping" for "in
 * train.early_stopping"; of several names the first. */
static const char *map_name(const gt_hint_row *row) {
  char *map = gt_arena_strdup(&arena, row->where + 3), *space = strchr(map, ' ');
  if (space) map = space + 1, map[strcspn(map, " ")] = 0;
  return strrchr(map, '.') ? strrchr(map, '.') + 1 : map;
}

static void check_key(const gt_hint_row *row, const char *word) {
  const keys list = map_of(row->where + 3, row->ours ? row->ours : "");
  if (!list.count && row->ours) fail_msg("there is no map '%s'", row->where);
  const gt_hint hint = gt_hint_key(&diagnostics, map_name(row), word, NULL, list.name, list.count);
  const char *found = hint.suggestion ? hint.suggestion : "nothing",
             *wanted = row->ours ? row->ours : "nothing";
  if (strcmp(found, wanted) || (row->say && hint.help != row->say))
    fail_msg("'%s' %s leads to '%s' and not to '%s'", word, row->where, found, wanted);
}

static void names_exist(void **state) {
  (void)state;
  for (const gt_hint_row *row = gt_hint_rows; row->words; row++) {
    if (kind_of(row) != NAME) continue;
    const keys list = choices_of(row->where);
    if (row->ours && !is_value(row) && !has(&list, row->ours))
      fail_msg("there is no %s '%s'", row->where, row->ours);
    each_word(row, check_name);
  }
}

static void keys_exist(void **state) {
  (void)state;
  for (const gt_hint_row *row = gt_hint_rows; row->words; row++) {
    if (kind_of(row) != KEY || !strcmp(row->where, "in any")) continue;
    const keys list = map_of(row->where + 3, row->ours ? row->ours : "");
    if (row->ours && !has(&list, row->ours)) fail_msg("there is no key '%s' %s", row->ours, row->where);
    each_word(row, check_key);
  }
  assert_true(words_tried > 1000);
}

/* --- keys in the wrong map --- */

/* What the help of gt_hint_key calls this map, or the beginning of it. */
static const char *fragment_of(const gt_schema_place *place) {
  static const char *const texts[][2] = {{"config", "top level"},
                                         {"augmentation", "'augment'"},
                                         {"layer", "'model'"},
                                         {"block", "'repeat'"},
                                         {"init", "'init'"}};
  const char *kind = strcmp(place->kind, "section") ? place->kind : place->name;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!strcmp(texts[i][0], kind)) return texts[i][1];
  return gt_arena_printf(&arena, "'%s", kind);
}

/* True if the help text says that the key belongs to a map that really contains it. */
static bool names_owner(const char *help, const char *key) {
  if (!help || !strstr(help, gt_arena_printf(&arena, "'%s' belongs to ", key))) return false;
  for (int i = 0; i < diagnostics.places; i++) {
    const keys list = keys_of(&diagnostics.place[i]);
    if (has(&list, key) && strstr(help, fragment_of(&diagnostics.place[i]))) return true;
  }
  return false;
}

static void wrong_map_names_the_right_one(void **state) {
  int tried = 0, explained = 0;
  const char *last_kind = "";
  (void)state;
  for (int i = 0; i < diagnostics.places; i++) {
    const gt_schema_place *to = &diagnostics.place[i];
    if (!strcmp(to->kind, last_kind) && strcmp(to->kind, "section") != 0)
      continue; /* one map of each kind is enough */
    last_kind = to->kind;
    const keys here = keys_of(to);
    for (int k = 0; k < diagnostics.places; k++) {
      const keys there = keys_of(&diagnostics.place[k]);
      for (size_t n = 0; n < there.count; n++) {
        const char *key = there.name[n];
        if (has(&here, key)) continue;
        const gt_hint hint = gt_hint_key(&diagnostics, to->schema->name, key, NULL, here.name, here.count);
        const bool is_misspelling = hint.suggestion && gt_word_distance(key, hint.suggestion) <= 1;
        tried++;
        explained += names_owner(hint.help, key);
        if (!names_owner(hint.help, key) && !is_misspelling && !hint.from_table)
          fail_msg("'%s' in %s: %s", key, to->name, hint.suggestion ? hint.suggestion : "no hint");
      }
    }
  }
  printf("%d keys in wrong maps, %d hints name the right one\n", tried, explained);
  assert_true(tried > 2000 && explained * 10 > tried * 9);
}

/* --- misspellings --- */

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t n) {
  random_state = random_state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)random_state * n >> 32);
}

/* One edit: a letter dropped, doubled or changed, or two letters swapped. */
static void edit(char *word) {
  const size_t length = strlen(word), at = random_below((uint32_t)length);
  switch (random_below(4)) {
  case 0: memmove(word + at, word + at + 1, length - at); break;
  case 1: memmove(word + at + 1, word + at, length - at + 1); break;
  case 2: word[at] = (char)('a' + random_below(26)); break;
  default:
    if (at + 1 < length) {
      const char c = word[at];
      word[at] = word[at + 1];
      word[at + 1] = c;
    }
  }
}

/* The length of the longest common subsequence of two words. */
static size_t common_letters(const char *a, const char *b) {
  if (!*a || !*b) return 0;
  size_t row[64] = {0};
  for (; *a; a++)
    for (size_t j = 0, before = 0; b[j]; j++) {
      const size_t above = row[j + 1];
      row[j + 1] = *a == b[j] ? before + 1 : above > row[j] ? above : row[j];
      before = above;
    }
  return row[strlen(b)];
}

enum { MISSPELLINGS = 2000 };

/* Misspells names of the schema by one or two edits. Most must lead to the original name, few to another one,
 * which must be similar to the misspelling. */
static void misspellings_have_close_suggestions(void **state) {
  int right = 0, none = 0, other = 0, tried = 0;
  (void)state;
  while (tried < MISSPELLINGS) {
    const gt_schema_place *place = &diagnostics.place[random_below((uint32_t)diagnostics.places)];
    const bool is_name = random_below(2) && names_of(place->kind).count;
    const keys list = is_name ? names_of(place->kind) : keys_of(place);
    if (!list.count) continue;
    const char *name = list.name[random_below((uint32_t)list.count)];
    char word[64];
    snprintf(word, sizeof word - 2, "%s", name);
    edit(word);
    if (random_below(2) && strlen(word) > 1) edit(word);
    if (!*word || has(&list, word)) continue; /* another valid name, which is no error */
    tried++;
    const gt_hint hint =
        is_name ? gt_hint_name(&diagnostics, place->kind, word, list.name, list.count)
                : gt_hint_key(&diagnostics, place->schema->name, word, NULL, list.name, list.count);
    if (!hint.suggestion) {
      none++;
    } else if (!strcmp(hint.suggestion, name)) {
      right++;
    } else {
      const size_t longest = strlen(word) > strlen(hint.suggestion) ? strlen(word) : strlen(hint.suggestion);
      other++;
      printf("%s → %s (%s)\n", word, hint.suggestion, name);
      if (2 * common_letters(word, hint.suggestion) <= longest && !hint.from_table)
        fail_msg("'%s' (was '%s') leads to '%s'", word, name, hint.suggestion);
    }
  }
  printf("%d misspellings: %d right, %d without a suggestion, %d another name\n", tried, right, none, other);
  assert_true(right * 10 > tried * 6 && other * 50 < tried);
}

int main(void) {
  gt_arena_init(&arena);
  gt_diagnostics_init(&diagnostics, &arena);
  gt_config_set_places(&diagnostics);
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_entry_has_a_place),
                                     cmocka_unit_test(rows_are_sound),
                                     cmocka_unit_test(names_exist),
                                     cmocka_unit_test(keys_exist),
                                     cmocka_unit_test(wrong_map_names_the_right_one),
                                     cmocka_unit_test(misspellings_have_close_suggestions)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gt_arena_finish(&arena);
  return failed;
}
