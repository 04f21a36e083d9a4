/* What to type next, told when a run ends on a terminal. */
#ifndef GT_CLI_NEXT_H
#define GT_CLI_NEXT_H

/* "next: gtrain COMMAND MODEL" on stderr, if that is a terminal: the command whose row says that it suits the
 * model (gt_command.suits), else eval. */
void gt_cli_say_next(const char *model);
#endif
