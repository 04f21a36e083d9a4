/* What was probably meant by a word that a config may not have at its place: a slip of the keys, a name that
 * another program uses (foreign.h), or a key of another section. A doubtful hint is left out: a wrong one
 * costs the reader more than none. */
#ifndef GT_SPEC_HINT_H
#define GT_SPEC_HINT_H
#include "spec/schema.h"

/* A map that a config may have. Fields of sub-maps belong to it too. */
typedef struct gt_schema_place {
  const char *
      kind; /* "section", "data", "augmentation", "layer", "block", "init", "loss", "optimizer", "schedule" */
  const char *name;                 /* of a section its path ("train"); of the top level "config" */
  const gt_schema *schema, *common; /* common: rows that all of its kind have too, or NULL */
} gt_schema_place;

typedef struct gt_hint {
  const char *suggestion; /* "did you mean '…'?", or NULL */
  const char *help;       /* a sentence, or NULL */
  bool from_table;        /* of what is known for certain, not by likeness */
} gt_hint;

/* For a key that none of `names` is. `map`: the name of its map's schema ("linear", "train"), or NULL;
 * `value`: what is given with the key, or NULL. */
gt_hint gt_hint_key(const gt_diagnostics *diagnostics, const char *map, const char *key, const gt_spec *value,
                    const char *const *names, size_t count);
/* For a key that no map has, why that is so (`activation`); no help: nothing is known of it. */
gt_hint gt_hint_foreign_key(const char *key);
/* For a name of a thing ("layer", "loss") or a value of a key ("metric") that none of `names` is. */
gt_hint gt_hint_name(const gt_diagnostics *diagnostics, const char *what, const char *name,
                     const char *const *names, size_t count);
#endif
