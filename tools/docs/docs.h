/* A build program that generates documents from the command table and the schema rows: docs/config.md,
 * docs/cli.md, the man page, completions. It is not part of gtrain, whose options are a contract and whose
 * binary needs no Markdown. */
#ifndef TOOLS_DOCS_H
#define TOOLS_DOCS_H
#include "cli/command.h"
#include "cli/schema.h"

/* Each writes its document to stdout. */
void docs_config(void);
void docs_cli(void);
void docs_manual(void);
void docs_bash(void);
void docs_zsh(void);

/* How a language writes running text and preformatted lines. */
typedef struct docs_markup {
  const char *begin, *end;       /* around preformatted lines */
  void (*put)(const char *text); /* a line of running text, escaped */
  void (*put_verbatim)(const char *text);
} docs_markup;
/* The details of a command; lines that begin with two spaces are preformatted. */
void docs_put_details(const gt_command *command, const docs_markup *markup);

/* Text with Markdown's special characters escaped; backticks keep their meaning. In a table: "|" too. */
void docs_put_markdown(const char *text);

/* The completions of a value: one of `words`, keys of the config that begin with `keys`, files, folders. */
typedef struct docs_values {
  const char *const *words;
  const char *keys;  /* "" : all; NULL: none */
  const char *files; /* patterns joined by "|", "*" for all; NULL: none */
  bool folders;
} docs_values;
docs_values docs_option_values(const gt_option *option);
/* The same for the positional arguments of a command, by its usage; the first may have known values. */
docs_values docs_word_values(const gt_command *command, int word);
/* Keys for --set: "train.epochs", …; terminated by NULL. In the arena. */
const char *const *docs_keys(gt_arena *arena);
/* The index-th option of a command, followed by the options of all commands; NULL: there are no more. */
const gt_option *docs_option(const gt_command *command, int index);
#endif
