#include "spec/spec.h"
#include "base/file.h"
#include "base/memory.h"
#include "spec/hint.h"
#include "spec/source.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

typedef struct frame {
  gt_spec *node;
  const char *key; /* in a map: the key whose value comes next, or NULL */
  gt_position key_at;
} frame;

typedef struct builder {
  gt_arena *arena;
  gt_diagnostics *diagnostics;
  const gt_source *source;
  size_t start; /* characters of the source before the parsed part */
  gt_spec *root;
  frame stack[GT_SPEC_MAX_DEPTH];
  int depth, nodes, documents;
  bool refused; /* an error was reported after which the tree is not usable */
} builder;

static gt_position position(const builder *b, yaml_mark_t start, yaml_mark_t end) {
  return gt_source_at(b->source, b->start + start.index,
                      end.index > start.index ? end.index - start.index : 1);
}

static void append_child(gt_arena *arena, gt_spec *parent, gt_spec *child) {
  if (parent->count == parent->capacity) {
    const int capacity = parent->capacity ? 2 * parent->capacity : 4;
    gt_spec **items = GT_NEW_N(arena, gt_spec *, capacity);
    if (parent->count) memcpy(items, parent->child, sizeof *items * (size_t)parent->count);
    parent->child = items;
    parent->capacity = capacity;
  }
  parent->child[parent->count++] = child;
}

/* Adds a scalar, or a map or sequence that begins, to its parent. A scalar may be the next key of a map.
 * False: stop. */
static bool attach(builder *b, gt_spec *node) {
  if (!b->depth) {
    b->root = node;
    return true;
  }
  frame *top = &b->stack[b->depth - 1];
  if (top->node->kind == GT_SPEC_MAP && !top->key) {
    if (node->kind != GT_SPEC_SCALAR) {
      gt_error_at(b->diagnostics, node->at, "a %s cannot be a key",
                  node->kind == GT_SPEC_MAP ? "map" : "sequence")
          ->expected = "a word as key; a value that starts with '{' or '[' may need quotes";
      return false;
    }
    if (gt_character_count(node->scalar, strlen(node->scalar)) > GT_SPEC_MAX_KEY) {
      gt_error_at(b->diagnostics, node->at, "this key is too long")->expected =
          "a key of at most 128 characters";
      return false;
    }
    top->key = node->scalar;
    top->key_at = node->at;
    return true;
  }
  node->key = top->key;
  node->key_at = top->key_at;
  top->key = NULL;
  append_child(b->arena, top->node, node);
  return true;
}

static void refuse(builder *b, gt_position at, const char *what, const char *expected) {
  gt_error_at(b->diagnostics, at, "%s", what)->expected = expected;
  b->refused = true;
}

static gt_spec *begin_node(builder *b, gt_spec_kind kind, const yaml_event_t *event,
                           const yaml_char_t *anchor, const yaml_char_t *tag) {
  gt_spec *node = gt_spec_new(b->arena, kind);
  node->at = position(b, event->start_mark, event->end_mark);
  if (anchor)
    refuse(b, node->at, "anchors ('&name') are not supported", "the value written out where it is needed");
  if (tag)
    refuse(b, node->at, "tags ('!name') are not supported", "a plain value; gtrain knows each key's type");
  if (++b->nodes > GT_SPEC_MAX_NODES) {
    refuse(b, node->at, "the file has too many values", "at most 100,000");
    return NULL;
  }
  return node;
}

/* Reports characters that only look like YAML syntax and replaces them by ASCII. False if they would have
 * changed the structure of the tree: then further errors could be wrong. */
static bool replace_look_alikes(builder *b, gt_spec *node) {
  gt_look_alike odd;
  if (node->quoted || !gt_look_alike_as_syntax(node->scalar, &odd)) return true;
  const size_t before = gt_character_count(node->scalar, odd.byte);
  gt_position at = node->at;
  at.column += (int)before;
  at.width = *odd.plain == '"' || *odd.plain == '\'' ? node->at.width : 1;
  gt_error_at(b->diagnostics, at, "%s", gt_look_alike_describe(b->arena, &odd));
  char *plain = gt_look_alike_plain(b->arena, node->scalar);
  if (strchr(plain, ':') || *plain == '-' || (odd.byte == 0 && strchr(" ", *odd.plain))) return false;
  plain += strspn(plain, " \"'");
  size_t length = strlen(plain);
  while (length && strchr(" \"'", plain[length - 1])) length--;
  plain[length] = 0;
  node->scalar = plain;
  return true;
}

static bool on_scalar(builder *b, const yaml_event_t *event) {
  gt_spec *node = begin_node(b, GT_SPEC_SCALAR, event, event->data.scalar.anchor, event->data.scalar.tag);
  if (!node) return false;
  const char *value = (const char *)event->data.scalar.value;
  const size_t length = event->data.scalar.length;
  if (strlen(value) != length) { /* "\0" in double quotes */
    refuse(b, node->at, "a NUL character in a value", "text");
    return false;
  }
  node->scalar = gt_arena_strndup(b->arena, value, length);
  node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  const yaml_scalar_style_t style = event->data.scalar.style;
  if (!length && (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE)) {
    const char indicator = style == YAML_LITERAL_SCALAR_STYLE ? '|' : '>';
    refuse(b, node->at,
           gt_arena_printf(b->arena, "'%c' starts a block of text, but no text follows", indicator),
           gt_arena_printf(b->arena, "\"%c\" in quotes, or lines of text indented below", indicator));
  }
  if (!replace_look_alikes(b, node)) return false;
  return attach(b, node);
}

static bool on_begin(builder *b, gt_spec_kind kind, const yaml_event_t *event) {
  const bool map = kind == GT_SPEC_MAP;
  gt_spec *node =
      begin_node(b, kind, event, map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor,
                 map ? event->data.mapping_start.tag : event->data.sequence_start.tag);
  if (!node) return false;
  if (b->depth == GT_SPEC_MAX_DEPTH) {
    refuse(b, node->at, "nested too deeply", "at most 64 levels");
    return false;
  }
  if (!attach(b, node)) return false;
  b->stack[b->depth++] = (frame){.node = node};
  return true;
}

static int by_key(const void *left, const void *right) {
  const gt_spec *a = *(gt_spec *const *)left, *b = *(gt_spec *const *)right;
  const int order = strcmp(a->key, b->key);
  if (order) return order;
  if (a->key_at.line != b->key_at.line) return a->key_at.line - b->key_at.line;
  return a->key_at.column - b->key_at.column;
}

/* Reports duplicate keys with both positions, and drops the later ones. */
static void drop_duplicates(builder *b, gt_spec *map) {
  if (map->count < 2) return;
  gt_spec **sorted = gt_arena_copy(b->arena, map->child, sizeof *sorted * (size_t)map->count);
  qsort(sorted, (size_t)map->count, sizeof *sorted, by_key);
  const gt_spec *first = sorted[0];
  bool found = false;
  for (int i = 1; i < map->count; i++) {
    if (strcmp(sorted[i]->key, first->key)) {
      first = sorted[i];
      continue;
    }
    gt_error_at(b->diagnostics, sorted[i]->key_at, "key '%s' is given twice", first->key)->expected =
        gt_arena_printf(b->arena, "each key once; the first '%s' is at %d:%d", first->key, first->key_at.line,
                        first->key_at.column);
    sorted[i]->key = NULL;
    found = true;
  }
  if (!found) return;
  int kept = 0;
  for (int i = 0; i < map->count; i++)
    if (map->child[i]->key) map->child[kept++] = map->child[i];
  map->count = kept;
}

static bool on_document(builder *b, const yaml_event_t *event) {
  const gt_position at = position(b, event->start_mark, event->start_mark);
  if (b->documents++) {
    refuse(b, at, "a second document starts here", "a single document; remove the '---'");
    return false;
  }
  if (event->data.document_start.tag_directives.start != event->data.document_start.tag_directives.end)
    refuse(b, at, "%TAG directives are not supported", "plain values");
  return true;
}

/* True if the entry is the rest of a number that was split at a comma: digits immediately after the comma,
 * without a value. */
static bool continues_number(const gt_spec *number, const gt_spec *entry) {
  const char *digits = number->scalar ? number->scalar + (*number->scalar == '-') : "";
  return number->kind == GT_SPEC_SCALAR && !number->quoted && *digits &&
         !digits[strspn(digits, "0123456789,")] && gt_spec_is_null(entry) && *entry->key &&
         !entry->key[strspn(entry->key, "0123456789eE-")] && number->at.line == entry->key_at.line &&
         number->at.column + number->at.width + 1 == entry->key_at.column;
}

/* Joins a Python tuple, as in `{betas: (0.9, 0.999)}`, to one text again, so that the field's reader can
 * report it. next: index of the entry after `tuple`; returns the index after the tuple. */
static int join_tuple(builder *b, gt_spec *map, gt_spec *tuple, int next) {
  const int distance = next < map->count ? map->child[next]->key_at.column - tuple->at.column : 0;
  if (tuple->kind != GT_SPEC_SCALAR || tuple->quoted || *tuple->scalar != '(' || distance <= 0) return next;
  while (next < map->count && gt_spec_is_null(map->child[next]) && !strchr(tuple->scalar, ')')) {
    const gt_spec *part = map->child[next++];
    tuple->scalar = gt_arena_printf(b->arena, "%s, %s", tuple->scalar, part->key);
    tuple->at.width = part->key_at.column + part->key_at.width - tuple->at.column;
  }
  return next;
}

/* Reports `{lr: 0,001}`, which YAML reads as lr: 0 and a key 001, and joins the parts to one number. */
static void join_decimal_commas(builder *b, gt_spec *map) {
  int kept = 0;
  for (int i = 0; i < map->count;) {
    gt_spec *number = map->child[kept++] = map->child[i++];
    const int first = i = join_tuple(b, map, number, i);
    for (; i < map->count && continues_number(number, map->child[i]); i++) {
      number->scalar = gt_arena_printf(b->arena, "%s,%s", number->scalar, map->child[i]->key);
      number->at.width += 1 + map->child[i]->key_at.width;
    }
    if (i == first) continue;
    const gt_hint hint = gt_hint_number(b->arena, number->scalar, false);
    gt_diagnostic *item = gt_error_at(b->diagnostics, number->at, "'%s' is not a number", number->scalar);
    item->suggestion = hint.suggestion;
    item->help = hint.help;
    /* Any number will do: the config is invalid anyway. */
    number->scalar = hint.suggestion ? hint.suggestion : "1";
  }
  map->count = kept;
}

/* Handles an event of libyaml. False: stop. */
static bool on_event(builder *b, const yaml_event_t *event) {
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT: return on_document(b, event);
  case YAML_ALIAS_EVENT:
    refuse(b, position(b, event->start_mark, event->end_mark), "aliases ('*name') are not supported",
           "the value written out; or in quotes, if it should start with '*'");
    return false;
  case YAML_SCALAR_EVENT: return on_scalar(b, event);
  case YAML_SEQUENCE_START_EVENT: return on_begin(b, GT_SPEC_SEQUENCE, event);
  case YAML_MAPPING_START_EVENT: return on_begin(b, GT_SPEC_MAP, event);
  case YAML_MAPPING_END_EVENT:
    join_decimal_commas(b, b->stack[b->depth - 1].node);
    drop_duplicates(b, b->stack[b->depth - 1].node);
    b->depth--;
    return true;
  case YAML_SEQUENCE_END_EVENT: b->depth--; return true;
  default: return true;
  }
}

static void report_parser_error(builder *b, const yaml_parser_t *parser) {
  if (parser->error == YAML_MEMORY_ERROR) gt_out_of_memory(0);
  const gt_problem problem = {.problem = parser->problem,
                              .context = parser->context,
                              .problem_mark = b->start + parser->problem_mark.index,
                              .context_mark = b->start + parser->context_mark.index};
  gt_problem_report(b->source, &problem, b->diagnostics);
  b->refused = true;
}

gt_spec *gt_spec_parse_source(gt_arena *arena, const gt_source *source, size_t start,
                              gt_diagnostics *diagnostics) {
  builder b = {.arena = arena, .diagnostics = diagnostics, .source = source};
  b.start = gt_character_count(source->text, start);
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) gt_out_of_memory(0);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)source->text + start, source->size - start);
  for (bool going = true; going;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      report_parser_error(&b, &parser);
      break;
    }
    going = event.type != YAML_STREAM_END_EVENT && event.type != YAML_NO_EVENT;
    if (going && !on_event(&b, &event)) {
      b.refused = true;
      going = false;
    }
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  if (b.refused) return NULL;
  if (!b.root) {
    b.root = gt_spec_new(arena, GT_SPEC_MAP);
    b.root->at = gt_source_at(source, b.start, 1);
  }
  return b.root;
}

gt_spec *gt_spec_parse(gt_arena *arena, const char *name, const char *text, size_t size,
                       gt_diagnostics *diagnostics) {
  gt_source *source = gt_source_new(arena, name, text, size, diagnostics);
  return source ? gt_spec_parse_source(arena, source, 0, diagnostics) : NULL;
}

/* name: `path` itself, or another pointer for standard input. */
static bool read_text(const char *path, const char *name, gt_bytes *bytes, gt_error *error) {
  if (path == name) return gt_read_file(path, GT_SPEC_MAX_BYTES, bytes, error);
  const int fd = dup(STDIN_FILENO); /* closed after reading */
  if (fd < 0) return gt_fail_errno(error, GT_ERR_IO, "cannot read standard input");
  return gt_read_input(fd, name, GT_SPEC_MAX_BYTES, bytes, error);
}

gt_spec *gt_spec_read(gt_arena *arena, const char *path, gt_diagnostics *diagnostics, gt_error *error) {
  gt_bytes bytes;
  gt_error problem = {0};
  const char *name = strcmp(path, "-") ? path : GT_STDIN;
  if (!read_text(path, name, &bytes, &problem)) {
    gt_fail(error, problem.status == GT_ERR_DATA ? GT_ERR_CONFIG : problem.status, "%s", problem.message);
    return NULL;
  }
  gt_spec *root = gt_spec_parse(arena, name, (const char *)bytes.data, bytes.size, diagnostics);
  gt_bytes_finish(&bytes);
  if (!root) gt_fail(error, GT_ERR_CONFIG, "%s is not a valid config", name);
  return root;
}

bool gt_spec_is_null(const gt_spec *node) {
  if (!node) return true;
  if (node->kind != GT_SPEC_SCALAR || node->quoted) return false;
  return !*node->scalar || !strcmp(node->scalar, "~") || !strcmp(node->scalar, "null");
}

gt_spec *gt_spec_find(const gt_spec *map, const char *key) {
  if (!map || map->kind != GT_SPEC_MAP) return NULL;
  for (int i = 0; i < map->count; i++)
    if (!strcmp(map->child[i]->key, key)) return map->child[i];
  return NULL;
}

gt_spec *gt_spec_new(gt_arena *arena, gt_spec_kind kind) {
  gt_spec *node = GT_NEW(arena, gt_spec);
  node->kind = kind;
  node->scalar = kind == GT_SPEC_SCALAR ? "" : NULL;
  return node;
}

gt_spec *gt_spec_add(gt_arena *arena, gt_spec *parent, const char *key, gt_spec *child) {
  child->key = key ? gt_arena_strdup(arena, key) : NULL;
  append_child(arena, parent, child);
  return child;
}

void gt_spec_remove(gt_spec *map, const char *key) {
  const gt_spec *gone = gt_spec_find(map, key);
  int kept = 0;
  for (int i = 0; gone && i < map->count; i++)
    if (map->child[i] != gone) map->child[kept++] = map->child[i];
  if (gone) map->count = kept;
}

gt_spec *gt_spec_copy(gt_arena *arena, const gt_spec *node) {
  gt_spec *copy = gt_arena_copy(arena, node, sizeof *node);
  copy->child = node->count ? GT_NEW_N(arena, gt_spec *, node->count) : NULL;
  copy->capacity = node->count;
  for (int i = 0; i < node->count; i++) copy->child[i] = gt_spec_copy(arena, node->child[i]);
  return copy;
}

gt_spec *gt_spec_text(gt_arena *arena, const char *text) {
  gt_spec *node = gt_spec_new(arena, GT_SPEC_SCALAR);
  node->scalar = gt_arena_strdup(arena, text);
  node->quoted = gt_spec_is_null(node);
  return node;
}
