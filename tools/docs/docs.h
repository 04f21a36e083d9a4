/* A program of the build that writes what is generated from the command table and the schema rows:
 * docs/config.md, docs/cli.md, the man page, completions. It is no part of gtrain, whose options are a
 * contract and whose binary needs no Markdown. */
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

/* How a language writes running text and lines that stay as they are. */
typedef struct docs_markup {
  const char *begin, *end;       /* around lines that stay as they are */
  void (*put)(const char *text); /* a line of running text, escaped */
  void (*put_verbatim)(const char *text);
} docs_markup;
/* The details of a command; lines that begin with two spaces stay as they are. */
void docs_put_details(const gt_command *command, const docs_markup *markup);

/* Text with Markdown's own characters escaped; backticks keep their meaning. In a table: "|" too. */
void docs_put_markdown(const char *text);

/* What completes a value: one of `words`, keys of the config that begin with `keys`, files, folders. */
typedef struct docs_values {
  const char *const *words;
  const char *keys;  /* "" : all; NULL: none */
  const char *files; /* patterns joined by "|", "*" for all; NULL: none */
  bool folders;
} docs_values;
docs_values docs_option_values(const gt_option *option);
/* The same for the words of a command that are no options, by its usage; the first may have known values. */
docs_values docs_word_values(const gt_command *command, int word);
/* Keys that --set takes: "train.epochs", …; ends with NULL. In the arena. */
const char *const *docs_keys(gt_arena *arena);
/* The index-th option of a command, those that all commands have after its own; NULL: there are no more. */
const gt_option *docs_option(const gt_command *command, int index);
#endif
