/* gt_command: one command of the program, a constant row in its own file src/cli/NAME.c:
 * GT_DEFINE(command, NAME) = {…}. Its options are rows, too; parsing, --help and suggestions use them. Every
 * command has --help and gt_common_options in addition to its own. A command prints its results to stdout,
 * everything else to stderr, reports its own errors, and returns the process's exit code. */
#ifndef GT_CLI_COMMAND_H
#define GT_CLI_COMMAND_H
#include "base/arena.h"
#include "base/error.h"
#include "base/register.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct gt_option {
  const char *name;     /* without the dashes; the table ends with a NULL name */
  const char *argument; /* "DIR", or NULL for a switch */
  const char *help;
  bool several;              /* may be given more than once */
  char letter;               /* short form, the q of -q; 0: none */
  const char *const *values; /* accepted values, for completions, ends with NULL; NULL: any */
} gt_option;

struct gt_arguments;
enum { GT_EXAMPLES = 2 };
struct gt_model_file;

typedef struct gt_command {
  const char *name, *summary;
  const char *usage;   /* what follows the name: "CONFIG [options]" */
  const char *details; /* further lines of --help, or NULL */
  const gt_option *options;
  int min_words, max_words; /* number of words that are not options */
  int (*run)(const struct gt_arguments *arguments);
  /* Prints more of --help, for example lists of registries; NULL: nothing. */
  void (*print_details)(FILE *stream);
  const char *examples[GT_EXAMPLES]; /* whole command lines, the last thing in --help */
  /* Known values of the first word by index, NULL after the last; NULL: no list. */
  const char *(*known_word)(int index);
  /* True if this command is worth suggesting for the model (gt_cli_suggest_next); NULL: never. */
  bool (*suits)(const struct gt_model_file *file);
} gt_command;
typedef gt_command gt_command_type; /* the name of the type in base/register.h */

typedef struct gt_arguments { /* a parsed command line; points into argv */
  const gt_command *command;
  const char **word; /* the arguments that are not options */
  int words;
  struct gt_given { /* the options, in their order on the command line */
    const gt_option *option;
    const char *value;
  } * given;
  int givens;
  gt_arena *arena; /* memory of the command, freed after it */
} gt_arguments;

extern const char *const gt_cli_devices[]; /* values of --device */

/* Options that several commands share. */
#define GT_OPTION_SET                                                                                   \
  {                                                                                                     \
    "set", "KEY=VALUE", "replace a value of the config, e.g. train.epochs=5 or model.linear1.units=32", \
        true, 's', NULL                                                                                 \
  }
#define GT_OPTION_DEVICE                                                                                  \
  {                                                                                                       \
    "device", "DEVICE", "auto, cpu, vulkan or vulkan:N (default: $GTRAIN_DEVICE, else auto)", false, 'd', \
        gt_cli_devices                                                                                    \
  }
#define GT_OPTION_REQUIRE_GPU \
  { "require-gpu", 0, "exit with 69 rather than run on the CPU or a software device", false }
#define GT_OPTION_FAIL_IF \
  { "fail-if", "'METRIC<NUMBER'", "exit with 1 if true, e.g. 'accuracy<0.97'; also <= > >= == !=", true }
#define GT_OPTION_MEMORY_LIMIT                                                                             \
  {                                                                                                        \
    "memory-limit", "SIZE", "limit on device memory, e.g. 512M or 2G; data that does not fit is streamed", \
        false                                                                                              \
  }
#define GT_OPTION_JSON \
  { "json", 0, "print the result as JSON", false }
#define GT_OPTION_STRICT \
  { "strict", 0, "treat warnings about the config and its data as errors", false }
#define GT_OPTION_QUIET \
  { "quiet", 0, "print only errors and warnings on stderr", false, 'q' }

/* Options of every command, in addition to --help; ends with a NULL name. */
extern const gt_option gt_common_options[];

/* Texts about the program for --help, docs/cli.md and the man page; each ends with a NULL name. Program
 * options are those that gtrain accepts without a command. */
typedef struct gt_help_row {
  const char *name, *help;
} gt_help_row;
extern const gt_help_row gt_cli_environment[], gt_cli_exit_codes[], gt_cli_program_options[];
extern const char *const gt_cli_examples[GT_EXAMPLES];
extern const char gt_cli_summary[];

void gt_print_program_help(void);
void gt_print_command_help(const gt_command *command);

/* The whole program: finds the command, parses, runs. */
int gt_cli_main(int argc, char **argv);
int gt_command_count(void);
/* Option `index` of a command, counted from 0: first its own options, then those of all commands; NULL: there
 * are no more. */
const gt_option *gt_command_option(const gt_command *command, int index);
const gt_command *gt_command_at(int index);

/* True if the option is on the command line. */
bool gt_flag(const gt_arguments *arguments, const char *option);
/* The option's first value on the command line; NULL: not given. */
const char *gt_option_value(const gt_arguments *arguments, const char *option);
/* The value of --device, for gt_backend_open. With --require-gpu, auto means the GPU, however small the model
 * is. */
const char *gt_cli_device(const gt_arguments *arguments);
/* The values of an option that may be given several times. The array has space for two more,
 * which the caller may append. */
const char **gt_option_values(const gt_arguments *arguments, const char *option, gt_arena *arena, int *count);
/* Reads an integer in [min, max]; *value is unchanged if the option is not given. False after a usage error,
 * which is reported. */
bool gt_option_int(const gt_arguments *arguments, const char *option, int64_t min, int64_t max,
                   int64_t *value);
/* Reports an error and returns its exit code. */
int gt_report(const gt_error *error);
/* Reports a usage error, prints the command's usage and returns GT_ERR_USAGE. */
int gt_usage_error(const gt_arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints "gtrain 0.1.0", or as JSON with details of the build for bug reports: commit, compiler, flags and
 * the versions of the libraries it was compiled with. */
void gt_print_version(bool json);
#endif
