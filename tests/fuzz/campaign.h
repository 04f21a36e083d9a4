/* The campaign: random configs and command lines, generated from the JSON Schema that `gtrain schema` prints.
 * Each command runs in a process with limits of time and memory, and its exit code and output are judged. A
 * case is one config and the commands on it; it depends only on the seed and the number of the case. */
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
int64_t between(dice *d, int64_t min, int64_t max);    /* includes min and max */
const char *one_of(dice *d, const char *const *words); /* one word of a list that NULL ends */

/* --- values (campaign_value.c) --- */

typedef struct generator {
  dice d;
  const json_t *schema; /* the JSON Schema of a config */
  int wild;             /* percentage of values that violate the schema */
  bool huge;            /* the config may need more time or memory than the limits allow */
} generator;

/* A value for this key that matches the schema, or a wild one. */
json_t *value_of(generator *m, const json_t *schema, const char *key);
/* The definition that a schema refers to, or the schema itself. */
const json_t *resolved(const generator *m, const json_t *schema);
/* property_of: the schema of a map's key. branch_with: the branch of an anyOf that has this key. add_some:
 * adds each other key of the map with a probability of `percent`. */
const json_t *property_of(const json_t *schema, const char *key);
const json_t *branch_with(const json_t *schema, const char *key);
void add_some(generator *m, json_t *map, const json_t *schema, int percent);
/* A value that need not match any schema: extreme numbers, other types, words. */
json_t *wild_value(generator *m);
/* YAML in flow style. A string that starts with '@' is written without quotes and without the '@'. */
void write_yaml(FILE *file, const json_t *value);

/* --- layers (campaign_model.c) --- */

enum { MAX_AXES = 4 };

typedef struct data_facts {
  int axes;
  int64_t axis[MAX_AXES];   /* of one sample */
  int64_t classes, targets; /* classes 0: the targets are quantities; for boards, targets per cell */
  bool unit;                /* targets are 0 or 1 */
  bool automaton;
} data_facts;

/* Layers that usually fit the data. */
json_t *make_model(generator *m, const data_facts *f);

/* --- configs (campaign_config.c) --- */

typedef struct generated_config {
  json_t *config;
  const char *inputs; /* a file that `predict` may read */
  bool automaton;
} generated_config;

generated_config make_config(generator *m);
/* A KEY=VALUE for --set; the caller frees it. */
char *make_override(generator *m, const json_t *config);

/* --- commands (campaign_run.c) --- */

enum { MAX_WORDS = 24 };

typedef struct command {
  char *word[MAX_WORDS + 1];
  int words;
} command;

void add_word(command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct judge {
  const char *gtrain;               /* the program */
  bool verbose;                     /* print each command */
  bool huge;                        /* as in generator */
  int64_t commands, findings, slow; /* counts; slow: commands that used too much time */
  int64_t codes[256];
  const char *reproduce; /* the command line that repeats the case, printed with each finding */
} judge;

/* Runs the command, makes the checks that every command must pass, and frees it. Returns the exit code, or -1
 * if a signal or a limit ended it. */
int run(judge *j, command *c);
void report_finding(judge *j, const command *c, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The end of what the last command wrote to standard error. */
const char *last_words(void);
#endif
