/* --help of the program and of each command, from the command table. */
#include "base/arena.h"
#include "base/text.h"
#include "cli/command.h"
#include <string.h>

enum { COLUMN = 29 }; /* where the text of an option starts */

const char gt_cli_summary[] = "Trains neural networks with Vulkan compute or on the CPU, from one YAML file.";
const char *const gt_cli_devices[] = {"auto", "cpu", "vulkan", NULL};
const char *const gt_cli_examples[GT_EXAMPLES] = {"gtrain train configs/digits.yaml", "gtrain schema layers"};

const gt_help_row gt_cli_program_options[] = {
    {"-h, --help", "print this text; after a command, its help"},
    {"-V, --version", "print the version; with --json, details of the build for bug reports"},
    {NULL, NULL},
};

const gt_help_row gt_cli_environment[] = {
    {"GTRAIN_DEVICE", "default for --device"},
    {"GTRAIN_THREADS", "number of CPU threads, unless the config sets train.threads"},
    {"GTRAIN_CPU", "instruction set of the CPU's kernels: portable, avx2 or avx512 (default: the best)"},
    {"GTRAIN_CACHE_DIR", "folder for compiled kernels and tuning results (default: ~/.cache/gtrain)"},
    {"GTRAIN_DEBUG",
     "comma-separated: validation (Vulkan's validation layers), plan, graph, matrix (emulates matrix units)"},
    {"NO_COLOR", "if set and not empty, messages are not colored"},
    {NULL, NULL},
};

const gt_help_row gt_cli_exit_codes[] = {
    {"0", "success"},
    {"1", "a --fail-if condition is true"},
    {"2", "wrong command line"},
    {"65", "bad data or model file, or results that are not finite"},
    {"69", "the device does not exist or failed"},
    {"70", "a bug in gtrain, or a failed selftest"},
    {"71", "out of memory"},
    {"73", "the run directory is in use or not empty"},
    {"74", "input/output error"},
    {"75", "interrupted; `gtrain train --resume` continues the run"},
    {"78", "bad config"},
    {"128+N", "killed by signal N"},
    {NULL, NULL},
};

static void print_row(const char *left, const char *help) {
  gt_arena arena;
  gt_arena_init(&arena);
  const char *text = gt_arena_printf(&arena, "  %-*s %s", COLUMN - 3, left, help);
  gt_print_wrapped(stdout, text, COLUMN);
  gt_arena_finish(&arena);
}

static void print_option(const gt_option *option) {
  char left[64], letter[] = {'-', option->letter, ',', ' ', 0};
  snprintf(left, sizeof left, "%s--%s%s%s", option->letter ? letter : "    ", option->name,
           option->argument ? " " : "", option->argument ? option->argument : "");
  print_row(left, option->help);
}

/* Prints prose: joins its lines and wraps them again, except lines that are empty or start with a space. */
static void print_prose(const char *text) {
  gt_arena arena;
  gt_arena_init(&arena);
  const char *joined = "";
  for (const char *line = text; *line;) {
    const int length = (int)strcspn(line, "\n");
    const bool kept = !length || *line == ' ';
    if (kept && *joined) gt_print_wrapped(stdout, joined, 0);
    if (kept) printf("%.*s\n", length, line);
    joined = kept ? "" : gt_arena_printf(&arena, "%s%s%.*s", joined, *joined ? " " : "", length, line);
    line += length + (line[length] == '\n');
  }
  if (*joined) gt_print_wrapped(stdout, joined, 0);
  gt_arena_finish(&arena);
}

static void print_examples(const char *const *examples) {
  printf("\nexamples:\n");
  for (int i = 0; i < GT_EXAMPLES; i++) printf("  %s\n", examples[i]);
}

void gt_print_command_help(const gt_command *command) {
  printf("usage: gtrain %s %s\n\n%s\n", command->name, command->usage, command->summary);
  if (command->details) {
    printf("\n");
    print_prose(command->details);
  }
  if (command->print_details) command->print_details(stdout);
  printf("\noptions:\n");
  const gt_option *option;
  for (int i = 0; (option = gt_command_option(command, i)); i++) print_option(option);
  print_row("-h, --help", "print this text");
  print_examples(command->examples);
}

void gt_print_program_help(void) {
  printf("usage: gtrain COMMAND ...\n\n%s\n\ncommands:\n", gt_cli_summary);
  for (int i = 0; i < gt_command_count(); i++) print_row(gt_command_at(i)->name, gt_command_at(i)->summary);
  printf("\noptions:\n");
  for (const gt_help_row *option = gt_cli_program_options; option->name; option++)
    print_row(option->name, option->help);
  printf("\nenvironment:\n");
  for (const gt_help_row *variable = gt_cli_environment; variable->name; variable++)
    print_row(variable->name, variable->help);
  print_examples(gt_cli_examples);
}
