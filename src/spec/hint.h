/* Hints about what an unknown word in a config or on the command line probably means: a name of another
 * program, a key of another section, a typo, a character that only looks right. All that gtrain knows of
 * other programs (Keras, PyTorch, torchvision, timm, Lightning, Hugging Face, Ultralytics, fastai,
 * scikit-learn, pandas, Ludwig, pykan) is one table, gt_hint_rows. Doubtful hints are dropped, because a
 * wrong hint is worse than none. */
#ifndef GT_SPEC_HINT_H
#define GT_SPEC_HINT_H
#include "spec/schema.h"

/* A row of the table: a pattern, `where` and `words`, and what to say. `where`:
 *   "layer", "loss", …    a kind of thing: `words` are names of it elsewhere
 *   "metric", "split", …  a key, or a map of which the value is the short form: `words` are values; "[]"
 *                         and "{}": any list or map, "#": any number, "*": any other value,
 *                         ">": a number beyond the limits of the key
 *   "in train", "in layer lstm gru", "in any"   the map that has the key: `words` are keys. A section, a path
 *                         in one, "config" for the top level, or a kind and the names in it; "any": no map of
 *                         gtrain has the key. A row with `ours` also serves other maps that have this key.
 *   "command", "option"   of the command line. ours: see cli/command.c
 *   "boolean", "no number", "unit"   texts where true or false, or a number, is needed; ours of a unit is a
 *                         factor */
typedef struct gt_hint_row {
  const char *where;
  const char *words; /* folded to lower-case letters and digits ("outfeatures"), separated by spaces */
  const char *ours;  /* NULL: gtrain has no equivalent, or does it differently; then `say` says how */
  const char *say;   /* one sentence, or NULL */
} gt_hint_row;

/* Ends with a row without words. A word may have several rows: the first that fits is used. */
extern const gt_hint_row gt_hint_rows[];

/* The first row at or after `row` with this `where` that lists the word, which is folded already; NULL: there
 * is none. */
const gt_hint_row *gt_hint_match(const gt_hint_row *row, const char *where, const char *word);
enum { GT_HINT_WORD = 64 }; /* bytes of a folded word, with NUL */
/* `nn.Conv2d(3, 8)` → "conv2d": the letters and digits of the last part of a dotted name, in lower case and
 * without arguments. */
void gt_hint_fold(const char *text, char out[GT_HINT_WORD]);

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
/* Hint for a value of the wrong type. what: its key, or the name of its map's schema. any: also the hint for
 * any value ("*"), if there is none for this one. */
gt_hint gt_hint_value(const char *what, const gt_spec *value, bool any);
/* Hint for a number beyond the limits of a key, which `what` names as for gt_hint_value. */
gt_hint gt_hint_limit(const char *what);
/* Hint for text that is not a number where one is needed. whole: an integer is needed. A suggestion follows
 * from the text; no digit is guessed. */
gt_hint gt_hint_number(gt_arena *arena, const char *text, bool whole);

/* --- look-alikes: characters that look like ASCII or are invisible, but are not ASCII. They get into configs
 * with text copied from web pages and word processors. --- */

typedef struct gt_look_alike {
  uint32_t code;
  char plain[2];     /* the ASCII character that it looks like, or "" */
  const char *name;  /* "no-break space" */
  size_t byte, size; /* offset and length in the text */
  char text[5];      /* the character itself */
} gt_look_alike;

/* Finds the first look-alike at or after byte `start`; false: none. The text is UTF-8. */
bool gt_look_alike_find(const char *text, size_t start, gt_look_alike *found);
/* The text with all look-alikes replaced by ASCII. In the arena. */
char *gt_look_alike_plain(gt_arena *arena, const char *text);
/* "'−' is a minus sign (U+2212): write '-'". */
const char *gt_look_alike_describe(gt_arena *arena, const gt_look_alike *found);
/* True if unquoted text of a config contains a look-alike that can only be meant as YAML syntax: a space at
 * either end or after a ':', a quote at the start, a dash and a space at the start. */
bool gt_look_alike_as_syntax(const char *text, gt_look_alike *found);
/* Like gt_look_alike_as_syntax, for a source line that the YAML parser rejected: also finds brackets, commas
 * and colons anywhere in it. Skips comments and quoted text. */
bool gt_look_alike_in_line(const char *line, gt_look_alike *found);
#endif
