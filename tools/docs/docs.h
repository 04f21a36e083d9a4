/* A build program that generates documents from the command table and the schema: docs/config.md,
 * docs/cli.md, the man page and the shell completions. It is a program of its own, so that gtrain needs
 * neither options nor code for this. */
#ifndef TOOLS_DOCS_H
#define TOOLS_DOCS_H
#include "cli/command.h"
#include "cli/schema.h"

/* Each function writes its document to stdout. */
void docs_config(void);
void docs_cli(void);
void docs_manual(void);
void docs_bash(void);
void docs_zsh(void);

/* How a document's format represents running text and preformatted lines. */
typedef struct docs_markup {
  const char *begin, *end;                /* printed before and after a block of preformatted lines */
  void (*put)(const char *text);          /* prints a line of running text, escaped */
  void (*put_verbatim)(const char *text); /* prints a preformatted line */
} docs_markup;
/* Prints the details of a command; lines that begin with two spaces are preformatted. */
void docs_put_details(const gt_command *command, const docs_markup *markup);

/* Prints text with Markdown's special characters escaped, including the "|" of tables; backticks keep their
 * meaning. */
void docs_put_markdown(const char *text);

/* The completions that a shell offers for a value. */
typedef struct docs_values {
  const char *const *words; /* NULL: none */
  const char *keys;         /* the keys of the config that begin with this; "": all; NULL: none */
  const char *files;        /* files that match one of these patterns, joined by "|"; NULL: none */
  bool folders;
} docs_values;
docs_values docs_option_values(const gt_option *option);
/* The completions of a positional argument of a command, derived from its usage text. word: 0 for the first
 * argument, 1 for all others. The known words of a command, which complete its first argument, are not
 * included. */
docs_values docs_word_values(const gt_command *command, int word);
/* The keys that --set accepts, such as "train.epochs"; allocated in the arena, terminated by NULL. */
const char *const *docs_keys(gt_arena *arena);
#endif
