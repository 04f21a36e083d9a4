#include "cli/common.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/command.h"
#include "train/file/model_file.h"
#include <unistd.h>

static const char *command_for(const gt_model_file *file) {
  for (int i = 0; i < gt_command_count(); i++) {
    const gt_command *command = gt_command_at(i);
    if (command->suits && command->suits(file)) return command->name;
  }
  return "eval";
}

void gt_cli_suggest_next(const char *model) {
  gt_model_file file;
  gt_error error = {0};
  gt_arena arena;
  if (!gt_terminal_width(STDERR_FILENO) || !gt_model_file_read(&file, model, &error)) return;
  gt_arena_init(&arena);
  gt_info("next: gtrain %s %s", command_for(&file), gt_shell_word(&arena, model));
  gt_arena_finish(&arena);
  gt_model_file_finish(&file);
}
