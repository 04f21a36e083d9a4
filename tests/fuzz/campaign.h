/* The campaign: random configs and command lines, generated from the JSON Schema that `gtrain schema` prints,
 * each run as a process of its own under limits of time and memory, and judged. A case is one config and the
 * commands on it; it is determined by the seed and its number alone. */
#ifndef GT_TESTS_FUZZ_CAMPAIGN_H
#define GT_TESTS_FUZZ_CAMPAIGN_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* --- random numbers (campaign_value.c) --- */

typedef struct dice {
  uint64_t state;
} dice;

dice dice_of(uint64_t seed, uint64_t number);
bool chance(dice *d, int percent);
int64_t between(dice *d, int64_t least, int64_t most); /* both ends are possible */
const char *one_of(dice *d, const char *const *words); /* ended by NULL */

/* --- values (campaign_value.c) --- */

typedef struct maker {
  dice d;
  const json_t *schema; /* the JSON Schema of a config */
  int wild;             /* percentage of values that violate the schema */
  bool huge;            /* may need more time or memory than there is */
} maker;

/* A value that matches the schema, or a wild one; `key` is the key that it is for. */
json_t *value_of(maker *m, const json_t *schema, const char *key);
/* The definition that a schema refers to, or the schema itself. */
const json_t *resolved(const maker *m, const json_t *schema);
/* property_of: the schema of a map's key; branch_with: the branch of an anyOf that has this key; add_some:
 * adds some of the other keys of the map. */
const json_t *property_of(const json_t *schema, const char *key);
const json_t *branch_with(const json_t *schema, const char *key);
void add_some(maker *m, json_t *map, const json_t *schema, int percent);
/* A value that the schema does not describe: range limits, other types, words. */
json_t *wild_value(maker *m);
/* YAML in flow style. A string that starts with '@' is written without quotes and without the '@'. */
void write_yaml(FILE *file, const json_t *value);

/* --- layers (campaign_model.c) --- */

enum { MAX_AXES = 4 };

typedef struct facts { /* of the data */
  int axes;
  int64_t axis[MAX_AXES];   /* of one sample */
  int64_t classes, targets; /* classes 0: quantities; boards: targets per cell */
  bool unit;                /* targets are 0 or 1 */
  bool automaton;
} facts;

/* Layers that usually fit. */
json_t *make_model(maker *m, const facts *f);

/* --- configs (campaign_config.c) --- */

typedef struct made {
  json_t *config;
  const char *inputs; /* a file that `predict` may read */
  bool automaton;
} made;

made make_config(maker *m);
/* A KEY=VALUE for --set; the caller frees it. */
char *make_override(maker *m, const json_t *config);

/* --- commands (campaign_run.c) --- */

enum { MAX_WORDS = 24 };

typedef struct command {
  char *word[MAX_WORDS + 1];
  int words;
} command;

void add_word(command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct judge {
  const char *gtrain; /* the program */
  bool verbose;       /* print each command */
  bool huge;          /* as in maker */
  int64_t commands, findings, slow;
  int64_t codes[256];
  const char *reproduce; /* how: the command line, printed with each finding */
} judge;

/* Runs the job, applies the checks that hold for every command, and frees it. Returns the exit code, or -1 if
 * a signal or a limit ended it. */
int run(judge *j, command *c);
void finding(judge *j, const command *c, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The end of the last command's stderr. */
const char *last_words(void);
#endif
