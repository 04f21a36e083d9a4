/* Everything that has a schema, by kind, from the registries and schema rows of all rooms. `gtrain schema`
 * (text and JSON Schema), docs/config.md and completions are generated from it. */
#ifndef GT_CLI_SCHEMA_H
#define GT_CLI_SCHEMA_H
#include "train/config/config.h"
#include <jansson.h>

/* A kind of entry: `gtrain schema PLURAL` lists all of them. */
typedef struct gt_schema_kind {
  const char *name, *plural, *help;
  const char *form;    /* how an entry is written in a config; NULL: as a key */
  const char *section; /* where entries are written; NULL: the section `name` */
  const char *also;    /* another name of the list, or NULL */
} gt_schema_kind;
extern const gt_schema_kind gt_schema_kinds[];               /* ends with a NULL name */
const gt_schema_kind *gt_schema_find_kind(const char *name); /* one that exists */

/* An entry with a schema: a section, a layer, a loss, … */
typedef struct gt_schema_entry {
  const char *kind; /* the name of a gt_schema_kind */
  const char *name, *help;
  const gt_schema *schema, *common; /* common: additional rows of all entries of its kind, or NULL */
  const char *path;                 /* section: "train.early_stopping"; otherwise NULL */
  /* Section whose value is one or several entries of a kind: that kind; `schema` then has the keys that these
   * entries share, or is NULL. Otherwise NULL. */
  const char *items;
  int family; /* layer: its gt_layer_family */
} gt_schema_entry;
enum { GT_SCHEMA_MAX_ENTRIES = 256 };

typedef struct gt_schemas { /* all entries, with their texts in the arena */
  gt_arena *arena;
  int count;
  gt_schema_entry entry[GT_SCHEMA_MAX_ENTRIES];
} gt_schemas;
const gt_schemas *gt_schemas_of(gt_arena *arena);
/* The entry of a kind after `last`, or the first; NULL: there is none. family: of layers, or -1. */
const gt_schema_entry *gt_schemas_next(const gt_schemas *all, const char *kind, int family,
                                       const gt_schema_entry *last);
static inline bool gt_schema_has_keys(const gt_schema *schema) {
  return schema && schema->fields && schema->fields->name;
}

/* What a subtree contains, by gt_field.definition. */
typedef struct gt_schema_content {
  const char *definition, *text; /* text: "a list of layers" */
  const char *kind;              /* of its entries, or NULL */
  const gt_schema *schema;       /* the keys of the subtree, or those that all its entries share; or NULL */
} gt_schema_content;
gt_schema_content gt_schema_find_content(gt_arena *arena, const char *definition);

json_t *gt_schema_of_configs(void); /* the JSON Schema; the caller owns it */

/* The type and range of a value: "an integer, at least 1", "a list of layers". In the arena. */
const char *gt_schema_value_text(gt_arena *arena, const gt_field *field);
/* "linear: UNITS" for a schema with a short form, else NULL. In the arena. */
const char *gt_schema_short_form(gt_arena *arena, const gt_schema_entry *entry);

/* "lr: a number, more than 0; default: 0.001". In the arena. */
const char *gt_schema_key_text(gt_arena *arena, const gt_field *field);
/* Prints a key with its help and its inner keys. */
void gt_schema_print_key(gt_arena *arena, const gt_field *field, int indent);
/* Prints the places of a key, by its name or path; false if there is none (schema_key.c). */
bool gt_schema_print_places(const gt_schemas *all, const char *name);
/* The key that a name from another program, such as `learning_rate`, means; or NULL. */
const char *gt_schema_find_foreign_key(const gt_schemas *all, const char *name);

/* Prints an entry with its keys; for a section with `items`, also the list of its entries. */
void gt_schema_print(const gt_schemas *all, const gt_schema_entry *entry);
/* Prints all entries of a kind or of a family of layers, by the name of the list; false if there is none. */
bool gt_schema_print_list(const gt_schemas *all, const char *plural);
#endif
