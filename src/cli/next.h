/* Suggests the next command when a run ends on a terminal. */
#ifndef GT_CLI_NEXT_H
#define GT_CLI_NEXT_H

/* Prints "next: gtrain COMMAND MODEL" to stderr if that is a terminal. COMMAND is the one that suits the
 * model (gt_command.suits), otherwise eval. */
void gt_cli_suggest_next(const char *model);
#endif
