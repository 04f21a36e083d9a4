#include "cli/command.h"
#include "backend/backend.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/command.h"
#include "train/config/places.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GT_KIND command
#include "base/registered.h"

enum { MAX_OPTIONS = 32 };

const gt_option gt_common_options[] = {
    {"color", "WHEN", "color messages: auto (on a terminal; the default), always or never", false, 0, NULL},
    {NULL, NULL, NULL, false, 0, NULL},
};

const gt_option *gt_command_option(const gt_command *command, int index) {
  const gt_option *option = command->options;
  for (; option->name && index; option++) index--;
  if (!option->name)
    for (option = gt_common_options; option->name && index; option++) index--;
  return option->name ? option : NULL;
}

/* --- errors --- */

int gt_report(const gt_error *error) {
  gt_log_error("%s%s", *error->message ? error->message : "failed without an error message",
               error->status == GT_ERR_NODEVICE ? "; --device cpu works without Vulkan" : "");
  return error->status ? (int)error->status : GT_ERR_INTERNAL;
}

int gt_usage_error(const gt_arguments *arguments, const char *format, ...) {
  char message[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  gt_log_error("%s", message);
  fprintf(stderr, "usage: gtrain %s %s\n", arguments->command->name, arguments->command->usage);
  return GT_ERR_USAGE;
}

/* --- unknown words --- */

static int report_unknown_command(const char *word) {
  char folded[GT_HINT_WORD];
  gt_hint_fold(word, folded);
  const gt_hint_row *known = gt_hint_match(gt_hint_rows, "command", folded);
  const char *nearest = known ? NULL : gt_nearest(word, type_names, TYPES);
  if (known)
    gt_log_error("unknown command '%s'; use %s", word, known->ours);
  else if (nearest)
    gt_log_error("unknown command '%s'; did you mean '%s'?", word, nearest);
  else
    gt_log_error("unknown command '%s'; `gtrain --help` lists them", word);
  return GT_ERR_USAGE;
}

/* True if the command has the option that `text` begins with or mentions. */
static bool has_option_of(const gt_command *command, const char *text) {
  const char *name = strstr(text, "--");
  const gt_option *option;
  for (int i = 0; name && (option = gt_command_option(command, i)); i++)
    if (!strncmp(name + 2, option->name, strlen(option->name)) &&
        !isalnum((unsigned char)name[2 + strlen(option->name)]) && name[2 + strlen(option->name)] != '-')
      return true;
  return false;
}

/* The value as a hint may repeat it; NULL if it is an option or needs quotes. */
static const char *shown_value(const char *value) {
  if (!value || *value == '-' || strlen(value) > 60 || strpbrk(value, " \t\n'\"\\$&;|<>(){}[]*?#!`"))
    return NULL;
  return value;
}

/* Writes the hint; false if it does not apply to the command. ours: "--set KEY=", which the typed value
 * follows; a word in capitals, an argument of the command; other text mentions an option, which the command
 * must have. */
static bool explain(const gt_command *command, const char *ours, const char *value, char *hint, size_t size) {
  const char *usable_value = shown_value(value);
  if (isupper((unsigned char)*ours)) {
    const char *place = strstr(command->usage, ours);
    if (!place) return false;
    snprintf(hint, size, "%s is an argument: gtrain %s %.*s%s", ours, command->name,
             (int)(place - command->usage), command->usage, usable_value ? usable_value : ours);
    return true;
  }
  /* What the config says of training cannot be changed in a model; the command with --split evaluates it. */
  const bool is_of_eval = (!strncmp(ours, "--set eval.", 11) || !strcmp(ours, "--set metrics=")) &&
                          has_option_of(command, "--split");
  const bool is_of_training =
      !strncmp(ours, "--set ", 6) && strncmp(ours, "--set data.", 11) != 0 && !is_of_eval;
  if (!has_option_of(command, ours) || (is_of_training && !strstr(command->usage, "CONFIG"))) return false;
  /* Where the value goes: after "KEY=", or in place of a last word in capitals. */
  const char *space = strrchr(ours, ' '),
             *place = space && isupper((unsigned char)space[1]) ? space + 1 : NULL;
  const bool set = ours[strlen(ours) - 1] == '=';
  const int length = (int)(place && usable_value ? place - ours : (ptrdiff_t)strlen(ours));
  snprintf(hint, size, "%s%.*s%s", *ours == '-' ? "use " : "", length, ours,
           (set || place) && usable_value ? usable_value
           : set                          ? "VALUE"
                                          : "");
  return true;
}

/* Writes "--set train.eval_every=" for the name of a key of train, optimizer or schedule, in gtrain or
 * elsewhere. */
static bool find_path(const char *word, char *path, size_t size) {
  for (const gt_hint_row *row = gt_hint_rows; row->words; row++) {
    char ours[GT_HINT_WORD];
    const bool is_train = !strcmp(row->where, "in train"), is_schedule = !strcmp(row->where, "in schedule");
    if (!row->ours || (!is_train && !is_schedule && strncmp(row->where, "in optimizer", 12))) continue;
    gt_hint_fold(row->ours, ours);
    if (!strcmp(ours, "type") || (strcmp(ours, word) && gt_hint_match(row, row->where, word) != row))
      continue;
    snprintf(path, size, "--set %.*s.%s=", (int)strcspn(row->where + 3, " "), row->where + 3, row->ours);
    return true;
  }
  return false;
}

/* Writes to `hint` what to use instead of an option as it was typed ("--epochs", "-e"). value: the word after
 * it, or NULL. False if the word is unknown or the command has no such option. */
static bool explain_option(const gt_command *command, const char *word, const char *value, char *hint,
                           size_t size) {
  const char *name = word + strspn(word, "-"), *usable_value = shown_value(value);
  char folded[GT_HINT_WORD];
  gt_hint_fold(name, folded);
  const bool dotted = strchr(name, '.');
  const gt_hint_row *row = dotted ? NULL : gt_hint_match(gt_hint_rows, "option", folded);
  for (; row; row = gt_hint_match(row + 1, "option", folded))
    if (explain(command, row->ours ? row->ours : row->say, value, hint, size)) return true;
  char path[128];
  if (!dotted && find_path(folded, path, sizeof path)) return explain(command, path, value, hint, size);
  if (!dotted || !has_option_of(command, "--set")) return false;
  snprintf(hint, size, "use --set %s=%s", name, usable_value ? usable_value : "VALUE");
  return true;
}

/* value: the word after the option, which may be its value, or NULL. */
static int report_unknown_option(const gt_arguments *arguments, const char *word, const char *value) {
  char hint[256];
  const char *names[MAX_OPTIONS + 1] = {"help"};
  size_t count = 1;
  const gt_option *option;
  for (int i = 0; (option = gt_command_option(arguments->command, i)) && count < MAX_OPTIONS; i++)
    names[count++] = option->name;
  if (explain_option(arguments->command, word, value, hint, sizeof hint))
    return gt_usage_error(arguments, "unknown option '%s'; %s", word, hint);
  const char *nearest = word[1] == '-' ? gt_nearest(word + 2, names, count) : NULL;
  if (nearest) return gt_usage_error(arguments, "unknown option '%s'; did you mean '--%s'?", word, nearest);
  return gt_usage_error(arguments, "unknown option '%s'; `gtrain %s --help` lists them", word,
                        arguments->command->name);
}

/* --- parsing --- */

static const gt_option *find_option(const gt_command *command, const char *name, size_t length) {
  const gt_option *option;
  for (int i = 0; (option = gt_command_option(command, i)); i++)
    if (strlen(option->name) == length && !memcmp(option->name, name, length)) break;
  return option;
}

/* Applies a common option at once, so that it also affects errors in the rest of the command line. */
static int apply_common(const gt_arguments *arguments, const gt_option *option, const char *value) {
  gt_color color;
  if (option != gt_common_options) return GT_OK;
  if (!gt_color_find(value, &color))
    return gt_usage_error(arguments, "option '--color': expected auto, always or never, not '%s'", value);
  gt_color_set(color);
  return GT_OK;
}

static const gt_option *find_letter(const gt_command *command, char letter) {
  for (const gt_option *option = command->options; option->name; option++)
    if (option->letter == letter) return option;
  return NULL;
}

static bool is_given(const gt_arguments *arguments, const gt_option *option) {
  for (int i = 0; i < arguments->givens; i++)
    if (arguments->given[i].option == option) return true;
  return false;
}

/* True if the word is not meant as a value: --anything, or a short option of the command. */
static bool is_option_word(const gt_command *command, const char *word) {
  if (!strncmp(word, "--", 2)) return true;
  return word[0] == '-' && word[1] && !word[2] && (word[1] == 'h' || find_letter(command, word[1]));
}

/* Records the option, with its value from `value` or, if that is NULL, from the word after argv[*at]. `shown`
 * is the option as it was typed. Returns an exit code. */
static int record_option(gt_arguments *arguments, const gt_option *option, const char *shown,
                         const char *value, int argc, char **argv, int *at) {
  if (option->argument && !value) {
    if (*at + 1 >= argc) return gt_usage_error(arguments, "option '%s' needs %s", shown, option->argument);
    value = argv[++*at];
    if (is_option_word(arguments->command, value))
      return gt_usage_error(arguments,
                            "option '%s' needs %s, not '%.60s'; to pass that value, use --%s=%.60s", shown,
                            option->argument, value, option->name, value);
  }
  if (option->argument && strchr(option->argument, '=') && !strchr(value, '=')) {
    const size_t key = strcspn(value, ":"); /* as in `train.epochs: 5` */
    const char *typed = value[key] ? value + key + 1 + strspn(value + key + 1, " ") : "";
    const char *next = *at + 1 < argc && *argv[*at + 1] != '-' ? argv[*at + 1] : "VALUE";
    return gt_usage_error(arguments, "option '%s' needs %s, not '%.60s'; write --%s %.*s=%.60s", shown,
                          option->argument, value, option->name, (int)(key < 60 ? key : 60), value,
                          *typed ? typed : next);
  }
  if (!option->several && is_given(arguments, option)) {
    if (!option->argument) return GT_OK;
    return gt_usage_error(arguments, "option '--%s' is given twice", option->name);
  }
  arguments->given[arguments->givens++] = (struct gt_given){option, value};
  return apply_common(arguments, option, value);
}

/* --name, --name value or --name=value */
static int parse_long(gt_arguments *arguments, int argc, char **argv, int *at) {
  const char *word = argv[*at], *equals = strchr(word, '='), *value = equals ? equals + 1 : NULL;
  char shown[128];
  snprintf(shown, sizeof shown, "%.*s", (int)(equals ? equals - word : 120), word);
  const size_t length = (equals ? (size_t)(equals - word) : strlen(word)) - 2;
  const gt_option *option = find_option(arguments->command, word + 2, length);
  if (!option)
    return report_unknown_option(arguments, shown, value ? value : *at + 1 < argc ? argv[*at + 1] : NULL);
  if (value && !option->argument) return gt_usage_error(arguments, "option '%s' takes no value", shown);
  return record_option(arguments, option, shown, value, argc, argv, at);
}

/* -q, -qs KEY=VALUE, -d cpu or -dcpu */
static int parse_short(gt_arguments *arguments, int argc, char **argv, int *at) {
  const char *word = argv[*at];
  for (const char *c = word + 1; *c; c++) {
    const gt_option *option = find_letter(arguments->command, *c);
    const char shown[] = {'-', *c, 0};
    if (!option)
      return report_unknown_option(arguments, c == word + 1 ? word : shown,
                                   *at + 1 < argc ? argv[*at + 1] : NULL);
    const char *attached_value = option->argument && c[1] ? c + 1 : NULL;
    const int code = record_option(arguments, option, shown, attached_value, argc, argv, at);
    if (code || option->argument) return code;
  }
  return GT_OK;
}

/* Reports a word such as `epochs=5`, of which the first `length` characters are the key: an option of the
 * command, or the key of a config, also by its last part alone. */
static int report_assignment(const gt_arguments *arguments, const char *word, size_t length) {
  const gt_command *command = arguments->command;
  const char *value = word + length + 1;
  char key[64], hint[256];
  const gt_option *option = find_option(command, word, length);
  if (option && option->argument)
    return gt_usage_error(arguments, "unexpected argument '%s'; use --%.*s %s", word, (int)length, word,
                          value);
  snprintf(key, sizeof key, "%.*s", (int)length, word);
  if (!strchr(key, '.') && length < sizeof key && explain_option(command, key, value, hint, sizeof hint))
    return gt_usage_error(arguments, "unexpected argument '%s'; %s", word, hint);
  return gt_usage_error(arguments, "unexpected argument '%s'; to replace a config value, use --set %s", word,
                        word);
}

static int check_words(const gt_arguments *arguments) {
  const gt_command *command = arguments->command;
  /* Names the first word of the usage, because no command needs two. */
  if (arguments->words < command->min_words)
    return gt_usage_error(arguments, "gtrain %s needs a %.*s", command->name,
                          (int)strcspn(command->usage, " ."), command->usage);
  if (arguments->words <= command->max_words) return GT_OK;
  const char *word = arguments->word[command->max_words], *equals = strchr(word, '=');
  if (equals && equals > word && find_option(command, "set", 3))
    return report_assignment(arguments, word, (size_t)(equals - word));
  if (gt_flag(arguments, "resume"))
    return gt_usage_error(arguments, "unexpected argument '%s'; use --run-dir %s --resume", word, word);
  /* The option that names what a further word can be, if the command has one. */
  static const char *const option[] = {"data", "target"};
  for (size_t i = 0; i < sizeof option / sizeof *option; i++)
    if (find_option(command, option[i], strlen(option[i])) && !gt_option_value(arguments, option[i]))
      return gt_usage_error(arguments, "unexpected argument '%s'; use --%s %s", word, option[i], word);
  return gt_usage_error(arguments, "unexpected argument '%s'", word);
}

static int parse(gt_arguments *arguments, int argc, char **argv) {
  bool accepts_options = true; /* false after "--" */
  for (int i = 0; i < argc; i++) {
    if (accepts_options && !strcmp(argv[i], "--")) {
      accepts_options = false;
    } else if (accepts_options && argv[i][0] == '-' && argv[i][1]) {
      const int code =
          argv[i][1] == '-' ? parse_long(arguments, argc, argv, &i) : parse_short(arguments, argc, argv, &i);
      if (code) return code;
    } else {
      arguments->word[arguments->words++] = argv[i];
    }
  }
  return check_words(arguments);
}

const char *gt_cli_device(const gt_arguments *arguments) {
  const char *device = gt_option_value(arguments, "device");
  return gt_flag(arguments, "require-gpu") && gt_device_is_auto(device) ? "vulkan" : device;
}

static int check_gpu(const gt_arguments *arguments) {
  gt_error error = {0};
  if (!gt_flag(arguments, "require-gpu") || gt_backend_has_gpu(gt_option_value(arguments, "device"), &error))
    return GT_OK;
  gt_log_error("--require-gpu: %s", error.message);
  return (int)error.status;
}

static int run_command(const gt_command *command, int argc, char **argv) {
  for (int i = 0; i < argc && strcmp(argv[i], "--"); i++) {
    if (strcmp(argv[i], "--help") && strcmp(argv[i], "-h")) continue;
    gt_print_command_help(command);
    return GT_OK;
  }
  gt_arena arena;
  gt_arena_init(&arena);
  gt_arguments arguments = {.command = command,
                            .word = GT_NEW_N(&arena, const char *, argc + 1),
                            .given = GT_NEW_N(&arena, struct gt_given, argc + MAX_OPTIONS),
                            .arena = &arena};
  int code = parse(&arguments, argc, argv);
  if (gt_flag(&arguments, "quiet")) gt_log_set_level(GT_LOG_WARN);
  if (!code) code = check_gpu(&arguments);
  if (!code) code = command->run(&arguments);
  if (!code && gt_vulkan_validation_messages() > 0) code = GT_ERR_INTERNAL;
  gt_arena_finish(&arena);
  return code;
}

/* Returns a failure if a result could not be written (a full disk, for example), unless the command failed
 * already. */
static int check_results(int code) {
  errno = 0;
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  /* Some file systems report errors only when a descriptor is closed; this closes a duplicate. */
  const int copy = dup(STDOUT_FILENO);
  if (copy >= 0) written = close(copy) == 0 && written;
  if (written || code) return code;
  gt_log_error("cannot write to standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
  return GT_ERR_IO;
}

int gt_cli_main(int argc, char **argv) {
  static char help[] = "--help";
  if (argc < 2) {
    gt_log_error("no command; `gtrain --help` lists them");
    return GT_ERR_USAGE;
  }
  gt_debug_check();
  if (argc > 2 && !strcmp(argv[1], "help")) argv[1] = argv[2], argv[2] = help;
  const char *word = argv[1];
  int code = -1;
  if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
    gt_print_program_help();
    code = GT_OK;
  } else if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
    gt_print_version(argc > 2 && !strcmp(argv[2], "--json"));
    code = GT_OK;
  }
  for (int i = 0; i < TYPES && code < 0; i++)
    if (!strcmp(type_names[i], word)) code = run_command(types[i], argc - 2, argv + 2);
  if (code < 0) code = report_unknown_command(word);
  code = check_results(code);
  /* A thread may still run in the driver, whose exit handlers would crash it. */
  if (gt_vulkan_device_abandoned()) _exit(code);
  return code;
}

/* --- arguments --- */

const char **gt_option_values(const gt_arguments *arguments, const char *option, gt_arena *arena,
                              int *count) {
  const char **values = GT_NEW_N(arena, const char *, arguments->givens + 2);
  *count = 0;
  for (int i = 0; i < arguments->givens; i++)
    if (!strcmp(arguments->given[i].option->name, option)) values[(*count)++] = arguments->given[i].value;
  return values;
}

static const struct gt_given *find(const gt_arguments *arguments, const char *option) {
  for (int i = 0; i < arguments->givens; i++)
    if (!strcmp(arguments->given[i].option->name, option)) return &arguments->given[i];
  return NULL;
}

const char *gt_option_value(const gt_arguments *arguments, const char *option) {
  const struct gt_given *given = find(arguments, option);
  return given ? given->value : NULL;
}

bool gt_flag(const gt_arguments *arguments, const char *option) { return find(arguments, option) != NULL; }

bool gt_option_int(const gt_arguments *arguments, const char *option, int64_t min, int64_t max,
                   int64_t *value) {
  const char *text = gt_option_value(arguments, option);
  char *end;
  if (!text) return true;
  errno = 0;
  const long long number = strtoll(text, &end, 10);
  if (errno || end == text || *end || number < min || number > max) {
    gt_usage_error(arguments, "option '--%s': expected an integer from %lld to %lld, not '%s'", option,
                   (long long)min, (long long)max, text);
    return false;
  }
  *value = number;
  return true;
}
