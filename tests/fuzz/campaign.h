/* The campaign: random configs and command lines, made from the JSON Schema that `gtrain schema` prints, each
 * run as a process of its own under a limit of time and memory, and judged. A case is one config and the
 * commands on it; what it does follows from the seed and its number alone. */
#ifndef GT_TESTS_FUZZ_CAMPAIGN_H
#define GT_TESTS_FUZZ_CAMPAIGN_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* --- chance (campaign_value.c) --- */

typedef struct dice {
  uint64_t state;
} dice;

dice dice_of(uint64_t seed, uint64_t number);
bool chance(dice *d, int percent);
int64_t between(dice *d, int64_t least, int64_t most); /* both may come */
const char *one_of(dice *d, const char *const *words); /* ended by NULL */

/* --- values (campaign_value.c) --- */

typedef struct maker {
  dice d;
  const json_t *schema; /* of a config */
  int wild;             /* percent of the values that are not what the schema asks for */
  bool huge;            /* something in it may take more time or memory than there is */
} maker;

/* A value that the schema describes, or a wild one; `key` is what it is for. */
json_t *value_of(maker *m, const json_t *schema, const char *key);
/* What a schema stands for that refers to one of the definitions. */
const json_t *resolved(const maker *m, const json_t *schema);
/* The schema of a map's key; the branch of an anyOf that has such a key; some of what else a map may hold. */
const json_t *property_of(const json_t *schema, const char *key);
const json_t *branch_with(const json_t *schema, const char *key);
void add_some(maker *m, json_t *map, const json_t *schema, int percent);
/* Nothing that was asked for: the ends of all ranges, other types, words. */
json_t *wild_value(maker *m);
/* As YAML in flow style. A string that begins with '@' stands without quotes and without the '@'. */
void write_yaml(FILE *file, const json_t *value);

/* --- layers (campaign_model.c) --- */

enum { MOST_AXES = 4 };

typedef struct facts { /* of the data */
  int axes;
  int64_t axis[MOST_AXES];  /* of a sample */
  int64_t classes, targets; /* classes 0: quantities; of boards, targets are the channels of a cell */
  bool unit;                /* targets are 0 or 1 */
  bool automaton;
} facts;

/* Layers that fit, mostly. */
json_t *make_model(maker *m, const facts *f);

/* --- configs (campaign_config.c) --- */

typedef struct made {
  json_t *config;
  const char *inputs; /* a file that `predict` may read */
  bool automaton;
} made;

made make_config(maker *m);
/* A KEY=VALUE for --set; freed by the caller. */
char *make_override(maker *m, const json_t *config);

/* --- commands (campaign_run.c) --- */

enum { MOST_WORDS = 24 };

typedef struct command {
  char *word[MOST_WORDS + 1];
  int words;
} command;

void add_word(command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct judge {
  const char *gtrain; /* the program */
  bool verbose;       /* print each command */
  bool huge;          /* as in maker */
  int64_t commands, findings, slow;
  int64_t codes[256];
  const char *reproduce; /* how: printed with each finding */
} judge;

/* Runs it, judges what every command is judged by, and frees it. Returns the exit code, -1 if a signal or the
 * limit ended it. */
int run(judge *j, command *c);
void finding(judge *j, const command *c, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The end of what the last command said on stderr. */
const char *last_words(void);
#endif
