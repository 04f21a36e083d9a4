/* Words that other programs use for commands and options, and what gtrain calls them. */
#ifndef GT_CLI_FOREIGN_H
#define GT_CLI_FOREIGN_H
#include "cli/command.h"
#include <stddef.h>

/* What to use for a command of this name, as text; NULL if the word is not known. */
const char *gt_foreign_command(const char *word);
/* Writes to `hint` what to use for an option as it was typed ("--epochs", "-e"); `value` is the word after
 * it, or NULL. False if the word is not known or the command has nothing of the kind. */
bool gt_foreign_option(const gt_command *command, const char *word, const char *value, char *hint,
                       size_t size);
#endif
