/* Suggests the next command when a run ends on a terminal. */
#ifndef GT_CLI_NEXT_H
#define GT_CLI_NEXT_H

/* "next: gtrain COMMAND MODEL" on stderr, if that is a terminal: the command that suits the model
 * (gt_command.suits), else eval. */
void gt_cli_say_next(const char *model);
#endif
