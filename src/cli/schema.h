/* Everything that has a schema, by kind, from the registries and schema rows of all rooms. `gtrain schema`
 * (text and JSON Schema), docs/config.md and completions are generated from it. */
#ifndef GT_CLI_SCHEMA_H
#define GT_CLI_SCHEMA_H
#include "train/config/config.h"
#include <jansson.h>

/* A kind of entry: `gtrain schema PLURAL` lists all of them. */
typedef struct gt_schema_kind {
  const char *name, *plural, *help;
  const char *form; /* how an entry is written in a config; NULL: as a key */
  const char *also; /* another name of the list, or NULL */
} gt_schema_kind;
extern const gt_schema_kind gt_schema_kinds[]; /* ends with a NULL name */

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

/* Fills an array of GT_SCHEMA_MAX_ENTRIES; paths are in the arena. Returns their number. */
int gt_schema_entries(gt_schema_entry *list, gt_arena *arena);
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
bool gt_schema_print_places(const gt_schema_entry *list, int count, const char *name, gt_arena *arena);
/* The key that a name from another program, such as `learning_rate`, means; or NULL. */
const char *gt_schema_find_foreign_key(const gt_schema_entry *list, int count, const char *name,
                                       gt_arena *arena);

/* Prints an entry with its keys; for a section with `items`, also the list of its entries. */
void gt_schema_print(const gt_schema_entry *list, int count, const gt_schema_entry *entry);
/* Prints all entries of a kind or of a family of layers, by the name of the list; false if there is none. */
bool gt_schema_print_list(const gt_schema_entry *list, int count, const char *plural);
#endif
