/* Hints about what an unknown word in a config probably means: a typo, another program's name (foreign.h), or
 * a key of another section. Doubtful hints are dropped, because a wrong hint is worse than none. */
#ifndef GT_SPEC_HINT_H
#define GT_SPEC_HINT_H
#include "spec/schema.h"

/* A map of a config, with its submaps. */
typedef struct gt_schema_place {
  /* "section", "data", "augmentation", "layer", "block", "init", "loss", "optimizer", "schedule" */
  const char *kind;
  const char *name;                 /* of a section: its path ("train"); of the top level: "config" */
  const gt_schema *schema, *common; /* common: the fields that all maps of this kind have, or NULL */
} gt_schema_place;

typedef struct gt_hint {
  const char *suggestion; /* "did you mean '…'?", or NULL */
  const char *help;       /* a sentence, or NULL */
  bool from_table;        /* the word itself is known; false: only similar to a known one */
} gt_hint;

/* Hint for a key that is not one of `names`. map: name of its map's schema ("linear", "train"), or NULL;
 * value: the key's value, or NULL. */
gt_hint gt_hint_key(const gt_diagnostics *diagnostics, const char *map, const char *key, const gt_spec *value,
                    const char *const *names, size_t count);
/* Hint for a key of other programs that no map of gtrain has, such as `activation`: help says what to do
 * instead, or is NULL if the key is not known. */
gt_hint gt_hint_foreign_key(const char *key);
/* Hint for a name that is not one of `names`. what: the kind of thing that it names ("layer", "loss"), or the
 * key whose value it is ("metric"). */
gt_hint gt_hint_name(const gt_diagnostics *diagnostics, const char *what, const char *name,
                     const char *const *names, size_t count);
#endif
