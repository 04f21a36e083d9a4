/* Schemas: the keys that a map may have, each with type, range, default and one line of help. The checker,
 * the --help text, the resolved config and `gtrain schema` (JSON Schema) are all derived from them.
 * A schema fills a plain C struct: each row contains the offset of its field. C types: INT int64_t, FLOAT
 * double, BOOL bool, STRING, CHOICE, PATH const char * (for CHOICE always a pointer from choices[]), INTS
 * gt_ints, FLOATS gt_floats, STRINGS gt_strings, INT_OR_STRINGS gt_int_or_strings, NODE const gt_spec * (the
 * raw subtree), MAP the struct of row->sub embedded at the offset. With flag GT_FIELD_BY_NAME: gt_named. An
 * optional value without a default stays zero or NULL.
 * A rejected value is reported and never used: its field is filled as if the key were absent, so that later
 * checks, which find further errors, work on valid values. */
#ifndef GT_SPEC_SCHEMA_H
#define GT_SPEC_SCHEMA_H
#include "base/locate.h"
#include "spec/spec.h"
#include <stddef.h>
#include <stdint.h>

typedef enum gt_field_type {
  GT_FIELD_INT,
  GT_FIELD_FLOAT,
  GT_FIELD_BOOL,
  GT_FIELD_STRING,
  GT_FIELD_CHOICE,
  GT_FIELD_PATH, /* must exist where gt_locate looks for it, unless GT_FIELD_MAY_BE_ABSENT */
  GT_FIELD_INTS, /* a sequence, or one scalar as a sequence of one */
  GT_FIELD_FLOATS,
  GT_FIELD_STRINGS,
  GT_FIELD_INT_OR_STRINGS, /* a scalar is an integer, a sequence a list of words */
  GT_FIELD_NODE,
  GT_FIELD_MAP,
} gt_field_type;

enum {
  GT_FIELD_REQUIRED = 1,
  GT_FIELD_MAY_BE_ABSENT = 2,
  GT_FIELD_OPEN_MIN = 4,
  GT_FIELD_OPEN_MAX = 8,
  /* One value, or a map from names to values. For PATH, CHOICE, STRING, INTS, STRINGS. */
  GT_FIELD_BY_NAME = 16,
  /* A choice may be qualified: "TARGET.rmse", "rmse.COLUMN", "TARGET.rmse.COLUMN". The caller checks the
     names. */
  GT_FIELD_QUALIFIED = 32
};

typedef struct gt_field {
  const char *name;
  gt_field_type type;
  size_t offset;
  const char *fallback; /* default, as YAML text; NULL: none */
  /* Range of a number or of each element. min == max == 0: any number; with OPEN_MIN: positive. max < min: no
   * upper bound. OPEN_MIN, OPEN_MAX: the bound itself is not allowed. */
  double min, max;
  const char *const *choices;  /* NULL-terminated; for STRINGS: the allowed words */
  const struct gt_schema *sub; /* for MAP; for NODE: the subtree is a list of such maps */
  /* NODE without `sub`: name of the definition in the JSON Schema that describes the subtree
   * (cli/schema_json.c). The code that reads the subtree must check it. */
  const char *definition;
  const char *help;
  unsigned flags;
  const char *unless; /* REQUIRED: the map may have this key instead; NULL: no alternative */
} gt_field;

/* A row of `fields` for a key that has the name of its member in struct `config`; `...`: further members of
 * the row: GT_ROW(linear_config, bias, GT_FIELD_BOOL, .fallback = "true", .help = "add a learned bias"). */
#define GT_ROW(config, field, kind, ...) \
  { .name = #field, .type = kind, .offset = offsetof(config, field), __VA_ARGS__ }
/* GT_ROW for a key with another name than its member. */
#define GT_ROW_NAMED(key, config, field, kind, ...) \
  { .name = key, .type = kind, .offset = offsetof(config, field), __VA_ARGS__ }

typedef struct gt_schema {
  const char *name, *help;
  const gt_field *fields; /* ends with a row whose name is NULL */
  const char *shorthand;  /* key that a bare scalar or sequence sets (`linear: 10`), or NULL */
  /* Keys that other programs need and gtrain does not, NULL-terminated, and the reason; or NULL. */
  const char *const *needless, *why_needless;
} gt_schema;
/* A constant schema that only one definition uses; its members in order, such as GT_SCHEMA("linear", "fully
 * connected layer", fields, "units"). */
#define GT_SCHEMA(...) (&(const gt_schema){__VA_ARGS__})
/* For macros that define several rows of a kind (base/register.h): defines gt_KIND_ROW, whose schema has the
 * same name and help. key: the shorthand, or NULL; then further members. GT_REGISTER must register the row.
 */
#define GT_WITH_SCHEMA(kind, row, text, field_rows, key, ...) \
  extern const gt_##kind##_type gt_##kind##_##row;            \
  const gt_##kind##_type gt_##kind##_##row = {                \
      .name = #row, .help = text, .schema = GT_SCHEMA(#row, text, field_rows, key), __VA_ARGS__};

typedef struct gt_ints {
  const int64_t *items;
  int count;
} gt_ints;
typedef struct gt_floats {
  const double *items;
  int count;
} gt_floats;
typedef struct gt_strings {
  const char *const *items;
  const gt_position *at; /* of each item */
  int count;
} gt_strings;
typedef struct gt_int_or_strings {
  int64_t integer;
  gt_strings strings;
  bool listed; /* true: a sequence was given, maybe an empty one; false: `integer` */
} gt_int_or_strings;
typedef struct gt_named {  /* for GT_FIELD_BY_NAME */
  int count;               /* 0: not given */
  const char *const *name; /* NULL: a single unnamed value */
  const gt_position *at;   /* of each name, or of the unnamed value */
  const void *items;       /* count items of the field's C type */
} gt_named;

/* Reads `map` into *out: a map, or the shorthand; NULL and an empty scalar are an empty map. extra: NULL, or
 * a second schema whose keys are also allowed, such as the keys that every layer has; they fill *extra_out.
 * where: the end of messages ("in layer 'linear'"). map_at: the position to report missing required keys at.
 * Returns false after reporting all errors. */
bool gt_schema_read(const gt_schema *schema, void *out, const gt_schema *extra, void *extra_out,
                    const gt_spec *map, gt_position map_at, const char *where, gt_arena *arena,
                    gt_diagnostics *diagnostics);
/* A copy of the map with all defaults written out, keys in schema order (for the resolved config). */
gt_spec *gt_schema_resolve(const gt_schema *schema, const gt_schema *extra, const gt_spec *map,
                           gt_arena *arena);

/* Chooses one of several types by name: `optimizer: adam`, `optimizer: {type: adam, lr: 1.0e-3}`, and for
 * layers `linear: {…}`. Returns the index of the name in `names`, or -1 after reporting an unknown name.
 * name: NULL for the name in `node`: its text, its key `type`, or its only key. at: position of the name, or
 * of a node without one. what: the kind ("optimizer"). */
int gt_schema_choose(const gt_spec *node, const char *name, gt_position at, const char *what,
                     const char *const *names, int count, gt_diagnostics *diagnostics);
/* Position inside a scalar, for errors in formulas. offset: bytes from the start of its text; width:
 * characters. */
gt_position gt_position_within(const gt_spec *scalar, int offset, int width);
/* Convert a scalar; false, without a message, if its text is not of the type. */
bool gt_spec_int(const gt_spec *node, int64_t *out);
bool gt_spec_float(const gt_spec *node, double *out);
bool gt_spec_bool(const gt_spec *node, bool *out);

/* Describes what a field accepts: "an integer, at least 1". For messages and help. */
char *gt_field_describe(gt_arena *arena, const gt_field *field);
/* The JSON Schema object of a schema's fields
 * ({"type":"object","properties":…,"additionalProperties":false}), as a jansson value that the caller owns;
 * for a schema with a shorthand an anyOf with the shorthand's type. */
struct json_t;
struct json_t *gt_schema_json(const gt_schema *schema, const gt_schema *extra);
/* Adds the finding ambiguous_path if the path in the node leads to different files. found: from gt_locate. */
void gt_schema_review_path(const gt_spec *node, const gt_located *found, gt_diagnostics *diagnostics);
#endif
