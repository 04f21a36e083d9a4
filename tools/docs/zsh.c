/* The zsh completion: a call of _arguments for each command. */
#include "base/arena.h"
#include "docs.h"

/* Escapes text for '…[text]…' of _arguments and 'name:text' of _describe. */
static void put_escaped(const char *text) {
  for (const char *c = text; *c; c++) switch (*c) {
    case '\'': printf("'\\''"); break;
    case '[':
    case ']':
    case ':': printf("\\%c", *c); break;
    default: putchar(*c);
    }
}

static void put_values(docs_values values) {
  if (values.keys) {
    printf("_gtrain_keys");
  } else if (values.words && values.files) {
    printf("_gtrain_words_or_files");
    for (; *values.words; values.words++) printf(" %s", *values.words);
  } else if (values.words) {
    printf("(");
    for (; *values.words; values.words++) printf("%s ", *values.words);
    printf(")");
  } else if (values.folders) {
    printf("_files -/");
  } else if (values.files) {
    printf("_files -g \"(%s)\"", values.files);
  }
}

static void put_option(const gt_option *option) {
  printf("        '%s--%s[", option->several ? "*" : "", option->name);
  put_escaped(option->help);
  printf("]");
  if (option->argument) {
    printf(":");
    put_escaped(option->argument);
    printf(":");
    put_values(docs_option_values(option));
  }
  printf("' \\\n");
}

/* word 0: the first positional argument; 1: all others. */
static void put_word(const gt_command *command, int word) {
  printf("        '%s:argument:", word ? "*" : "1");
  if (command->known_word && !word) {
    printf("(");
    for (int i = 0; command->known_word(i); i++) printf("%s ", command->known_word(i));
    printf(")");
  } else {
    put_values(docs_word_values(command, word));
  }
  printf("'%s\n", word ? " ;;" : " \\");
}

static void put_command(const gt_command *command) {
  printf("    %s)\n      _arguments \\\n", command->name);
  const gt_option *option;
  for (int i = 0; (option = gt_command_option(command, i)); i++) put_option(option);
  printf("        '--help[print the help of the command]' \\\n");
  for (int word = 0; word < 2; word++) put_word(command, word);
}

void docs_zsh(void) {
  gt_arena arena;
  gt_arena_init(&arena);
  printf("#compdef gtrain\n# Completion of gtrain for zsh, generated from its command table.\n\n"
         "_gtrain_keys() {\n  compadd -S= --");
  for (const char *const *key = docs_keys(&arena); *key; key++) printf(" %s", *key);
  printf("\n}\n\n_gtrain_words_or_files() {\n  compadd -- \"$@\"\n  _files\n}\n\n"
         "_gtrain() {\n  local -a commands=(\n");
  for (int i = 0; i < gt_command_count(); i++) {
    printf("    '%s:", gt_command_at(i)->name);
    put_escaped(gt_command_at(i)->summary);
    printf("'\n");
  }
  printf("    'help:print the help of a command'\n  )\n"
         "  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n"
         "    help) _describe command commands ;;\n");
  for (int i = 0; i < gt_command_count(); i++) put_command(gt_command_at(i));
  printf("  esac\n}\n\n_gtrain \"$@\"\n");
  gt_arena_finish(&arena);
}
