/* Translates names of commands and options of other programs to those of gtrain, for error messages. */
#ifndef GT_CLI_FOREIGN_H
#define GT_CLI_FOREIGN_H
#include "cli/command.h"
#include <stddef.h>

/* What to use instead of a command of this name, as text; NULL if the word is unknown. */
const char *gt_foreign_command(const char *word);
/* Writes to `hint` what to use instead of an option as it was typed ("--epochs", "-e"). value: the word after
 * it, or NULL. False if the word is unknown or the command has no such option. */
bool gt_foreign_option(const gt_command *command, const char *word, const char *value, char *hint,
                       size_t size);
#endif
