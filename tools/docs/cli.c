/* docs/cli.md: every command with its options and examples, the exit codes, and the environment variables. */
#include "docs.h"

static void put_verbatim(const char *text) { printf("%s", text); }

static const docs_markup markdown = {"\n```text\n", "```\n\n", docs_put_markdown, put_verbatim};

static void put_table(const char *left, const char *right, const gt_help_row *row) {
  printf("| %s | %s |\n|---|---|\n", left, right);
  for (; row->name; row++) {
    printf("| `%s` | ", row->name);
    docs_put_markdown(row->help);
    printf(" |\n");
  }
}

static void put_option_name(const gt_option *option) {
  char name[64];
  if (option->letter) printf("`-%c`, ", option->letter);
  snprintf(name, sizeof name, "`--%s%s%s`", option->name, option->argument ? " " : "",
           option->argument ? option->argument : "");
  docs_put_markdown(name);
}

static void put_options(const gt_command *command) {
  const gt_option *option;
  printf("\n| option | |\n|---|---|\n");
  for (int i = 0; (option = gt_command_option(command, i)); i++) {
    printf("| ");
    put_option_name(option);
    printf(" | ");
    docs_put_markdown(option->help);
    printf("%s |\n", option->several ? "; repeatable" : "");
  }
  printf("| `-h`, `--help` | print the help of the command |\n");
}

static void put_examples(const char *const *examples) {
  printf("\n```sh\n");
  for (int i = 0; i < GT_EXAMPLES; i++) printf("%s\n", examples[i]);
  printf("```\n");
}

static void put_command(const gt_command *command) {
  printf("\n## gtrain %s\n\n", command->name);
  docs_put_markdown(command->summary);
  printf("\n\n```text\ngtrain %s %s\n```\n", command->name, command->usage);
  if (command->details) printf("\n");
  docs_put_details(command, &markdown);
  put_options(command);
  printf("\nExamples:\n");
  put_examples(command->examples);
}

void docs_cli(void) {
  printf("# Command line\n\n<!-- Generated from the command table by `make docs`; do not edit. -->\n\n"
         "%s Results go to standard output, messages and progress to standard error.\n",
         gt_cli_summary);
  put_examples(gt_cli_examples);
  printf("\n| command | |\n|---|---|\n");
  for (int i = 0; i < gt_command_count(); i++) {
    const gt_command *command = gt_command_at(i);
    printf("| [`gtrain %s`](#gtrain-%s) | ", command->name, command->name);
    docs_put_markdown(command->summary);
    printf(" |\n");
  }
  printf(
      "\nAlso: [exit codes](#exit-codes), [environment](#environment). Keys of the config that `--set` takes "
      "are in [config.md](config.md).\n\n");
  put_table("option", "", gt_cli_program_options);
  for (int i = 0; i < gt_command_count(); i++) put_command(gt_command_at(i));
  printf("\n## Exit codes\n\n");
  put_table("code", "meaning", gt_cli_exit_codes);
  printf("\n## Environment\n\n");
  put_table("variable", "meaning", gt_cli_environment);
}
