/* gt_spec: a YAML file as a tree whose nodes know file, line and column. It does not know what keys mean:
 * schema.h reads typed values from it. It is built from libyaml's events with these limits: 1 MiB, depth 64,
 * 100,000 nodes, no duplicate keys, no anchors or aliases, one document. Owner: its arena. Immutable after
 * all overrides are applied. */
#ifndef GT_SPEC_SPEC_H
#define GT_SPEC_SPEC_H
#include "base/arena.h"
#include "base/error.h"
#include "spec/diagnostics.h"
#include <stddef.h>
#include <stdbool.h>

typedef enum gt_spec_kind { GT_SPEC_SCALAR, GT_SPEC_SEQUENCE, GT_SPEC_MAP } gt_spec_kind;

typedef struct gt_spec {
  gt_spec_kind kind;
  gt_position at;
  const char *scalar; /* GT_SPEC_SCALAR: its text */
  bool quoted;        /* in quotes or as a block (| or >): always text */
  const char *key;    /* in a map: this entry's key and its position */
  gt_position key_at;
  struct gt_spec **child; /* [count] sequence items or map entries, in order */
  int count, capacity;
} gt_spec;

/* Parse a file, or a text whose file name in messages is `name`. NULL on failure, with the reasons in
 * diagnostics (or, if the file cannot be read, only in `error`). Duplicate keys are reported, but a tree is
 * still returned (the first of each pair counts), so that later checks report their errors in the same pass:
 * callers check diagnostics->errors at the end. An empty file is an empty map. The path "-" is standard
 * input, shown as <stdin>. */
gt_spec *gt_spec_read(gt_arena *arena, const char *path, gt_diagnostics *diagnostics, gt_error *error);
gt_spec *gt_spec_parse(gt_arena *arena, const char *name, const char *text, size_t size,
                       gt_diagnostics *diagnostics);
/* Names for the items of a list, to be used in the paths below: "layers.NAME.units" means
 * "layers.2.linear.units". name[i] stands for path[i], which starts with the number of the item
 * ("2.linear"). */
typedef struct gt_spec_names {
  const char *list; /* a key of the root */
  const char *what; /* what an item is, for messages */
  const char *const *name, *const *path;
  int count;
} gt_spec_names;

/* Applies one `a.b.0.c=value` (value is parsed as YAML; missing maps are created; sequences are indexed by
 * number). False, with reasons in diagnostics, if it cannot be applied. Positions: file "--set", line 1 (or
 * a later line of the assignment). names: may be NULL. */
bool gt_spec_override(gt_arena *arena, gt_spec *root, const char *assignment, const gt_spec_names *names,
                      gt_diagnostics *diagnostics);
/* Like gt_spec_override, with the key of `entry` as the path and a copy of its value. Errors are reported at
 * the key. */
bool gt_spec_set(gt_arena *arena, gt_spec *root, const gt_spec *entry, const gt_spec_names *names,
                 gt_diagnostics *diagnostics);
gt_spec *gt_spec_copy(gt_arena *arena, const gt_spec *node); /* with all children */
void gt_spec_remove(gt_spec *map, const char *key);          /* no effect if the key is absent */
/* True if the value is empty (`key:`), null or ~. Accepts NULL. */
bool gt_spec_is_null(const gt_spec *node);
gt_spec *gt_spec_find(const gt_spec *map, const char *key); /* NULL if absent or not a map */
/* Builders for trees that gtrain creates (the resolved config). */
gt_spec *gt_spec_new(gt_arena *arena, gt_spec_kind kind);
/* Appends a child and returns it. key: NULL in a sequence. */
gt_spec *gt_spec_add(gt_arena *arena, gt_spec *parent, const char *key, gt_spec *child);
gt_spec *gt_spec_text(gt_arena *arena, const char *text); /* "~" and the like quoted, else they were null */
/* The tree as YAML text that parses back to an equal tree. */
char *gt_spec_write(gt_arena *arena, const gt_spec *root);
/* A text as YAML on one line: in double quotes unless every parser reads it as a string without. */
const char *gt_spec_word(gt_arena *arena, const char *text);
/* A name as a key in a message that shows YAML: in single quotes unless it is of letters, digits and '_'. */
const char *gt_spec_key(gt_arena *arena, const char *name);
#endif
