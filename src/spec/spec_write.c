/* Writes gt_spec as YAML in block style, with short lists of words and numbers on one line. */
#include "base/memory.h"
#include "base/text.h"
#include "spec/hint.h"
#include "spec/spec.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FLOW_WIDTH = 80 }; /* largest size of a list on one line, in bytes */

typedef struct writer {
  char *items;
  size_t count, capacity;
} writer;

static void put_bytes(writer *w, const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) *GT_PUSH(w) = text[i];
}

static void put_text(writer *w, const char *text) { put_bytes(w, text, strlen(text)); }

static void indent(writer *w, int depth) {
  for (int i = 0; i < depth; i++) put_text(w, "  ");
}

/* True if the text can be read back unchanged without quotes, also inside brackets. */
static bool is_plain(const char *text) {
  if (!*text || strchr("-?:,[]{}#&*!|>'\"%@` ", *text)) {
    /* a minus sign before a number is fine */
    if (*text != '-' || !text[1] || !strchr("0123456789.", text[1])) return false;
  }
  gt_look_alike odd;
  if (!strncmp(text, "---", 3) || !strncmp(text, "...", 3) || gt_look_alike_as_syntax(text, &odd))
    return false;
  const char *c = text;
  for (; *c; c++) {
    const unsigned char u = (unsigned char)*c;
    if (u < 0x20 || u == 0x7f || strchr(",[]{}\"'", u)) return false;
    if (u == 0xC2 || u == 0xE2 || u == 0xEF) return false; /* lead bytes of what put_quoted escapes */
    if (u == ':' || (u == '#' && c[-1] == ' ')) return false;
  }
  return c[-1] != ' ';
}

/* Writes the text in double quotes; escapes everything that YAML might fold, strip or reject. */
static void put_quoted(writer *w, const char *text) {
  char escape[16];
  size_t length;
  uint32_t code;
  put_text(w, "\"");
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"' || *c == '\\') {
      snprintf(escape, sizeof escape, "\\%c", *c);
    } else if (*c == '\n' || *c == '\t' || *c == '\r') {
      snprintf(escape, sizeof escape, "\\%c", *c == '\n' ? 'n' : *c == '\t' ? 't' : 'r');
    } else if (*c < 0x20 || *c == 0x7f) {
      snprintf(escape, sizeof escape, "\\x%02X", *c);
    } else if (*c == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F) { /* U+0080 … U+009F */
      snprintf(escape, sizeof escape, "\\x%02X", *++c);
    } else if (*c == 0xE2 && c[1] == 0x80 && (c[2] == 0xA8 || c[2] == 0xA9)) { /* line separators */
      snprintf(escape, sizeof escape, "\\u20%02X", c[2] - 0x80);
      c += 2;
    } else if (*c == 0xEF && c[1] == 0xBB && c[2] == 0xBF) { /* byte order mark */
      snprintf(escape, sizeof escape, "\\uFEFF");
      c += 2;
    } else if (*c == 0xEF && c[1] == 0xBF && c[2] >= 0xBE) { /* U+FFFE, U+FFFF */
      snprintf(escape, sizeof escape, "\\uFFF%c", c[2] == 0xBE ? 'E' : 'F');
      c += 2;
    } else if (!gt_displayable_length((const char *)c, &length, &code) &&
               length > 1) { /* reorders the line */
      snprintf(escape, sizeof escape, code > 0xFFFF ? "\\U%08X" : "\\u%04X", code);
      c += length - 1;
    } else {
      snprintf(escape, sizeof escape, "%c", *c);
    }
    put_text(w, escape);
  }
  put_text(w, "\"");
}

static void put_scalar(writer *w, const char *text, bool quoted) {
  if (!quoted && is_plain(text))
    put_text(w, text);
  else
    put_quoted(w, text);
}

static void put_key(writer *w, const char *key) {
  put_scalar(w, key, false);
  put_text(w, ":");
}

static bool is_empty_plain(const gt_spec *node) {
  return node->kind == GT_SPEC_SCALAR && !node->quoted && !*node->scalar;
}

/* True for a list of scalars that fits on one line. */
static bool is_short(const gt_spec *node) {
  size_t width = 0;
  for (int i = 0; i < node->count; i++) {
    const gt_spec *child = node->child[i];
    if (child->kind != GT_SPEC_SCALAR || is_empty_plain(child)) return false;
    width += strlen(child->scalar) + 2;
    if (width > FLOW_WIDTH) return false;
  }
  return true;
}

static void put_node(writer *w, const gt_spec *node, int depth, bool in_sequence);

/* Writes the entries of a map or sequence, one per line; with `inline_first` the first one on the current
 * line. */
static void put_entries(writer *w, const gt_spec *node, int depth, bool inline_first) {
  for (int i = 0; i < node->count; i++) {
    if (i || !inline_first) indent(w, depth);
    if (node->kind == GT_SPEC_MAP)
      put_key(w, node->child[i]->key);
    else
      put_text(w, "-");
    put_node(w, node->child[i], depth + 1, node->kind == GT_SPEC_SEQUENCE);
  }
}

/* Writes what follows `key:` or `-`, including the end of the line. */
static void put_node(writer *w, const gt_spec *node, int depth, bool in_sequence) {
  if (is_empty_plain(node)) {
    put_text(w, "\n");
  } else if (node->kind == GT_SPEC_SCALAR) {
    put_text(w, " ");
    put_scalar(w, node->scalar, node->quoted);
    put_text(w, "\n");
  } else if (!node->count) {
    put_text(w, node->kind == GT_SPEC_MAP ? " {}\n" : " []\n");
  } else if (node->kind == GT_SPEC_SEQUENCE && is_short(node)) {
    put_text(w, " [");
    for (int i = 0; i < node->count; i++) {
      if (i) put_text(w, ", ");
      put_scalar(w, node->child[i]->scalar, node->child[i]->quoted);
    }
    put_text(w, "]\n");
  } else {
    put_text(w, in_sequence ? " " : "\n");
    put_entries(w, node, depth, in_sequence);
  }
}

char *gt_spec_write(gt_arena *arena, const gt_spec *root) {
  writer w = {0};
  if (root->kind == GT_SPEC_MAP && root->count)
    put_entries(&w, root, 0, true);
  else
    put_node(&w, root, 0, true);
  /* put_node writes a space before a value, also at the start of the text */
  const size_t skipped = w.count && w.items[0] == ' ';
  char *text = gt_arena_strndup(arena, w.items + skipped, w.count - skipped);
  free(w.items);
  return text;
}

/* True if every YAML parser reads the text as a string without quotes. */
static bool is_word(const char *text) {
  static const char *const not_strings[] = {"true", "false", "yes",  "no",  "on", "off",
                                            "y",    "n",     "null", "nan", "inf"};
  if (!isalpha((unsigned char)*text) && *text != '/' && strncmp(text, "./", 2)) return false;
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c >= 0x80 || (!isalnum((unsigned char)*c) && !strchr("_./-", *c))) return false;
  for (size_t i = 0; i < sizeof not_strings / sizeof *not_strings; i++)
    if (!strcasecmp(text, not_strings[i])) return false;
  return true;
}

const char *gt_spec_word(gt_arena *arena, const char *text) {
  gt_spec *node = gt_spec_text(arena, text);
  node->quoted = !is_word(text);
  char *line = gt_spec_write(arena, node);
  line[strcspn(line, "\n")] = 0;
  return line;
}

const char *gt_spec_key(gt_arena *arena, const char *name) {
  bool plain = *name && !isdigit((unsigned char)*name);
  char *quoted = gt_arena_alloc(arena, 2 * strlen(name) + 3), *to = quoted;
  *to++ = '\'';
  for (const char *c = name; *c; *to++ = *c++) {
    plain &= isalnum((unsigned char)*c) || *c == '_';
    if (*c == '\'') *to++ = *c;
  }
  *to = '\'';
  return plain ? name : quoted;
}
