/* gtrain.1: the man page, as roff (man(7)). */
#include "docs.h"

static void put_escaped(const char *text) {
  if (*text == '.' || *text == '\'') printf("\\&");
  for (const char *c = text; *c; c++) switch (*c) {
    case '\\': printf("\\e"); break;
    case '-': printf("\\-"); break;
    case '^': printf("\\(ha"); break;
    case '~': printf("\\(ti"); break;
    case '`': printf("\\(ga"); break;
    default: putchar(*c);
    }
}

/* An empty line of the text begins a paragraph. */
static void put_line(const char *text) {
  if (*text)
    put_escaped(text);
  else
    printf(".PP");
}

static const docs_markup roff = {".PP\n.nf\n", ".fi\n", put_line, put_escaped};

static void put_item(const char *name, const char *argument, const char *help) {
  printf(".TP\n\\fB");
  put_escaped(name);
  printf("\\fR");
  if (argument) {
    printf(" \\fI");
    put_escaped(argument);
    printf("\\fR");
  }
  printf("\n");
  put_escaped(help);
  printf("\n");
}

static void put_rows(const gt_help_row *row) {
  for (; row->name; row++) put_item(row->name, NULL, row->help);
}

static void put_examples(const char *const *examples) {
  printf(".PP\n.nf\n");
  for (int i = 0; i < GT_EXAMPLES; i++) {
    printf("    ");
    put_escaped(examples[i]);
    printf("\n");
  }
  printf(".fi\n");
}

static void put_command(const gt_command *command) {
  printf(".SS \"gtrain %s\"\n", command->name);
  printf("\\fBgtrain %s\\fR ", command->name);
  put_escaped(command->usage);
  printf("\n.PP\n");
  put_escaped(command->summary);
  printf("\n.PP\n");
  docs_put_details(command, &roff);
  const gt_option *option;
  for (int i = 0; (option = gt_command_option(command, i)); i++) {
    char name[64], letter[] = {'-', option->letter, ',', ' ', 0};
    snprintf(name, sizeof name, "%s--%s", option->letter ? letter : "", option->name);
    put_item(name, option->argument, option->help);
  }
  printf(".PP\nExamples:\n");
  put_examples(command->examples);
}

void docs_manual(void) {
  printf(".\\\" Generated from the command table.\n.TH GTRAIN 1 \"\" \"gtrain %s\" \"User Commands\"\n"
         ".SH NAME\ngtrain \\- train neural networks with Vulkan or on the CPU\n.SH SYNOPSIS\n"
         "\\fBgtrain\\fR \\fICOMMAND\\fR [\\fIargument\\fR ...]\n.SH DESCRIPTION\n",
         GT_VERSION);
  put_escaped(gt_cli_summary);
  printf("\nResults go to standard output, messages and progress to standard error.\n.SH OPTIONS\n");
  put_rows(gt_cli_program_options);
  printf(".SH COMMANDS\n");
  for (int i = 0; i < gt_command_count(); i++) put_command(gt_command_at(i));
  printf(".SH EXAMPLES\n");
  put_examples(gt_cli_examples);
  printf(".SH \"EXIT STATUS\"\n");
  put_rows(gt_cli_exit_codes);
  printf(".SH ENVIRONMENT\n");
  put_rows(gt_cli_environment);
}
