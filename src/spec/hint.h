/* Hints: what was probably meant by an unknown word in a config: a typo, another program's name (foreign.h),
 * or a key of another section. Doubtful hints are dropped: a wrong hint costs the reader more than none. */
#ifndef GT_SPEC_HINT_H
#define GT_SPEC_HINT_H
#include "spec/schema.h"

/* A map of a config. Fields of its submaps belong to it too. */
typedef struct gt_schema_place {
  const char *
      kind; /* "section", "data", "augmentation", "layer", "block", "init", "loss", "optimizer", "schedule" */
  const char *name;                 /* of a section: its path ("train"); of the top level: "config" */
  const gt_schema *schema, *common; /* common: fields that all maps of this kind have too, or NULL */
} gt_schema_place;

typedef struct gt_hint {
  const char *suggestion; /* "did you mean '…'?", or NULL */
  const char *help;       /* a sentence, or NULL */
  bool from_table;        /* found in a table, not by similarity */
} gt_hint;

/* Hint for a key that is not one of `names`. map: name of its map's schema ("linear", "train"), or NULL;
 * value: the key's value, or NULL. */
gt_hint gt_hint_key(const gt_diagnostics *diagnostics, const char *map, const char *key, const gt_spec *value,
                    const char *const *names, size_t count);
/* For a key of other programs that no map of gtrain has, such as `activation`: help says what to do instead.
 * help is NULL if the key is in no table. */
gt_hint gt_hint_foreign_key(const char *key);
/* Hint for a name that is not one of `names`. what: the kind of thing that it names ("layer", "loss"), or the
 * key whose value it is ("metric"). */
gt_hint gt_hint_name(const gt_diagnostics *diagnostics, const char *what, const char *name,
                     const char *const *names, size_t count);
#endif
