/* The bash completion: a function with a `case` on the command and the previous word. */
#include "base/arena.h"
#include "docs.h"

static void put_words(const char *const *words) {
  for (; *words; words++) printf("%s ", *words);
}

/* The body of a case: sets the variables for the completions. */
static void put_values(docs_values values) {
  if (values.words) {
    printf(" words='");
    put_words(values.words);
    printf("'");
  }
  if (values.keys) printf(" keys=1 prefix='%s'", values.keys);
  if (values.files) printf(" files='%s'", values.files);
  if (values.folders) printf(" folders=1");
  printf(" ;;\n");
}

/* A case for each option of the command that has a value. */
static void put_option_values(const gt_command *command) {
  const gt_option *option;
  for (int i = 0; (option = gt_command_option(command, i)); i++) {
    if (!option->argument) continue;
    printf("    '%s --%s')", command->name, option->name);
    put_values(docs_option_values(option));
  }
}

static void put_options(const gt_command *command) {
  const gt_option *option;
  printf("      %s) words='", command->name);
  for (int i = 0; (option = gt_command_option(command, i)); i++) printf("--%s ", option->name);
  printf("--help' ;;\n");
}

/* A case for the first positional argument of the command, and one for all others. */
static void put_command_words(const gt_command *command) {
  for (int word = 0; word < 2; word++) {
    printf("      %s%s)", command->name, word ? "" : "1");
    if (command->known_word && !word) {
      printf(" words='");
      for (int i = 0; command->known_word(i); i++) printf("%s ", command->known_word(i));
      printf("'");
    }
    put_values(docs_word_values(command, word));
  }
}

static void put_commands(void) {
  for (int i = 0; i < gt_command_count(); i++) printf("%s ", gt_command_at(i)->name);
}

static void for_each_command(void (*print)(const gt_command *command)) {
  for (int i = 0; i < gt_command_count(); i++) print(gt_command_at(i));
}

/* Readline splits words at "=" and ":", and completes only the last part. */
static const char start[] =
    "  local command=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "  local words='' keys='' prefix='' files='' folders='' place='' pattern patterns name\n"
    "  COMPREPLY=()\n"
    "  if [[ $current == = ]]; then\n"
    "    current=''\n"
    "  elif [[ $before == = ]]; then\n"
    "    before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "  fi\n"
    "  ((COMP_CWORD == 1)) && command='' before=''\n"
    "  ((COMP_CWORD == 2)) && place=1\n"
    "  case \"$command $before\" in\n";

static const char finish[] =
    "  if [[ -n $keys ]]; then\n"
    "    for name in $_gtrain_keys; do\n"
    "      [[ $name != \"$prefix\"* ]] || words+=\" $name=\"\n"
    "    done\n"
    "    compopt -o nospace 2> /dev/null\n"
    "  fi\n"
    "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
    "  if [[ -n $files || -n $folders ]]; then\n"
    "    compopt -o filenames 2> /dev/null\n"
    "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- \"$current\")\n"
    "    IFS='|' read -ra patterns <<< \"$files\"\n"
    "    for pattern in \"${patterns[@]}\"; do\n"
    "      mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -X \"!$pattern\" -- \"$current\" |\n"
    "        while IFS= read -r name; do [[ -d $name ]] || echo \"$name\"; done)\n"
    "    done\n"
    "  fi\n"
    "}\n"
    "complete -F _gtrain gtrain\n";

void docs_bash(void) {
  gt_arena arena;
  gt_arena_init(&arena);
  printf("# shellcheck shell=bash\n# Completion of gtrain for bash, generated from its command table.\n"
         "_gtrain_keys='");
  put_words(docs_keys(&arena));
  printf("'\n_gtrain() {\n%s    ' ') words='", start);
  put_commands();
  printf("help --help --version' ;;\n    'help help') words='");
  put_commands();
  printf("' ;;\n");
  for_each_command(put_option_values);
  printf("    *) if [[ $current == -* ]]; then\n      case $command in\n");
  for_each_command(put_options);
  printf("      esac\n    else\n      case $command$place in\n");
  for_each_command(put_command_words);
  printf("      esac\n    fi ;;\n  esac\n%s", finish);
  gt_arena_finish(&arena);
}
