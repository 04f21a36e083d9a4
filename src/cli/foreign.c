#include "cli/foreign.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct translation {
  const char *foreign, *ours;
} translation;

static const translation commands[] = {
    {"fit", "`gtrain train CONFIG`"},
    {"run", "`gtrain train CONFIG`"},
    {"learn", "`gtrain train CONFIG`"},
    {"finetune", "`gtrain train CONFIG --init MODEL`"},
    {"resume", "`gtrain train CONFIG --run-dir DIR --resume`"},
    {"test", "`gtrain eval MODEL`"},
    {"evaluate", "`gtrain eval MODEL`"},
    {"score", "`gtrain eval MODEL`"},
    {"val", "`gtrain eval MODEL`"},
    {"validate", "`gtrain eval MODEL` for a model, `gtrain check CONFIG` for a config"},
    {"lint", "`gtrain check CONFIG`"},
    {"summary", "`gtrain check CONFIG`"},
    {"infer", "`gtrain predict MODEL FILE`"},
    {"inference", "`gtrain predict MODEL FILE`"},
    {"classify", "`gtrain predict MODEL FILE`"},
    {"benchmark", "`gtrain bench`"},
    {"profile", "`gtrain bench train CONFIG --profile`"},
    {"show", "`gtrain inspect MODEL`"},
    {"info", "`gtrain inspect MODEL`, or `gtrain --version --json` for the program"},
    {"convert", "`gtrain export MODEL`"},
    {"version", "`gtrain --version`"},
};

/* "--set KEY=" is followed by the typed value. A word in capitals is an argument of the command. Other texts
 * name an option, and are used only if the command has it. '_' in the typed word matches '-'. */
static const translation options[] = {
    {"epochs", "--set train.epochs="},
    {"epoch", "--set train.epochs="},
    {"max-epochs", "--set train.epochs="},
    {"num-epochs", "--set train.epochs="},
    {"n-epochs", "--set train.epochs="},
    {"e", "--set train.epochs="},
    {"steps", "--set train.steps="},
    {"max-steps", "--set train.steps="},
    {"iterations", "--set train.steps="},
    {"max-iter", "--set train.steps="},
    {"lr", "--set optimizer.lr="},
    {"learning-rate", "--set optimizer.lr="},
    {"weight-decay", "--set optimizer.weight_decay="},
    {"wd", "--set optimizer.weight_decay="},
    {"momentum", "--set optimizer.momentum="},
    {"optimizer", "--set optimizer.type="},
    {"optim", "--set optimizer.type="},
    {"scheduler", "--set schedule.type="},
    {"loss", "--set loss.type="},
    {"batch-size", "--set train.batch_size="},
    {"batch", "--set train.batch_size="},
    {"bs", "--set train.batch_size="},
    {"b", "--set train.batch_size="},
    {"patience", "--set train.early_stopping.patience="},
    {"seed", "--set seed="},
    {"random-seed", "--set seed="},
    {"threads", "--set train.threads="},
    {"num-workers", "--set train.threads="},
    {"workers", "--set train.threads="},
    {"data", "FILE"},
    {"source", "FILE"},
    {"file", "FILE"},
    {"image", "FILE"},
    {"images", "FILE"},
    {"data", "--set data.train="},
    {"dataset", "--set data.train="},
    {"train-data", "--set data.train="},
    {"test-data", "--set data.test="},
    {"config", "CONFIG"},
    {"config-file", "CONFIG"},
    {"cfg", "CONFIG"},
    {"c", "CONFIG"},
    {"model", "MODEL"},
    {"weights", "MODEL"},
    {"checkpoint", "MODEL"},
    {"ckpt", "MODEL"},
    {"m", "MODEL"},
    {"gpu", "--device vulkan"},
    {"gpus", "--device vulkan"},
    {"use-gpu", "--device vulkan"},
    {"cuda", "--device vulkan"},
    {"use-cuda", "--device vulkan"},
    {"vulkan", "--device vulkan"},
    {"cpu", "--device cpu"},
    {"no-cuda", "--device cpu"},
    {"no-gpu", "--device cpu"},
    {"output-dir", "--run-dir DIR"},
    {"out-dir", "--run-dir DIR"},
    {"outdir", "--run-dir DIR"},
    {"save-dir", "--run-dir DIR"},
    {"log-dir", "--run-dir DIR"},
    {"logdir", "--run-dir DIR"},
    {"work-dir", "--run-dir DIR"},
    {"default-root-dir", "--run-dir DIR"},
    {"output", "--run-dir DIR"},
    {"o", "--run-dir DIR"},
    {"resume-from", "--resume --run-dir DIR"},
    {"resume-from-checkpoint", "--resume --run-dir DIR"},
    {"checkpoint", "--resume --run-dir DIR"},
    {"ckpt", "--resume --run-dir DIR"},
    {"ckpt-path", "--resume --run-dir DIR"},
    {"continue", "--resume --run-dir DIR"},
    {"pretrained", "--init MODEL"},
    {"finetune", "--init MODEL"},
    {"weights", "--init MODEL"},
    {"silent", "--quiet"},
    {"verbose", "progress is shown unless --quiet is given"},
    {"v", "progress is shown unless --quiet is given"},
};

/* True if a equals b, except for case and '_' in place of '-'. */
static bool same_word(const char *a, const char *b) {
  while (*a && (tolower((unsigned char)*a) == *b || (*a == '_' && *b == '-'))) a++, b++;
  return *a == *b;
}

const char *gt_foreign_command(const char *word) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (same_word(word, commands[i].foreign)) return commands[i].ours;
  return NULL;
}

/* True if the command has the option that `text` begins with or mentions. */
static bool has_option_of(const gt_command *command, const char *text) {
  const char *name = strstr(text, "--");
  for (const gt_option *option = command->options; option->name; option++)
    if (!strncmp(name + 2, option->name, strlen(option->name)) && strchr(" ", name[2 + strlen(option->name)]))
      return true;
  return false;
}

/* The value as a hint may repeat it; NULL if it is an option or needs quotes. */
static const char *shown_value(const char *value) {
  if (!value || *value == '-' || strlen(value) > 60 || strpbrk(value, " \t\n'\"\\$&;|<>(){}[]*?#!`"))
    return NULL;
  return value;
}

/* Writes the hint; false if it does not apply to the command. */
static bool explain(const gt_command *command, const char *ours, const char *value, char *hint, size_t size) {
  const char *usable_value = shown_value(value);
  if (isupper((unsigned char)*ours)) {
    const char *place = strstr(command->usage, ours);
    if (!place) return false;
    snprintf(hint, size, "%s is an argument: gtrain %s %.*s%s", ours, command->name,
             (int)(place - command->usage), command->usage, usable_value ? usable_value : ours);
    return true;
  }
  if (!has_option_of(command, ours)) return false;
  /* Where the value goes: after "KEY=", or in place of a last word in capitals. */
  const char *space = strrchr(ours, ' '),
             *place = space && isupper((unsigned char)space[1]) ? space + 1 : NULL;
  const bool set = ours[strlen(ours) - 1] == '=';
  const int length = (int)(place && usable_value ? place - ours : (ptrdiff_t)strlen(ours));
  snprintf(hint, size, "%s%.*s%s", *ours == '-' ? "use " : "", length, ours,
           (set || place) && usable_value ? usable_value
           : set                          ? "VALUE"
                                          : "");
  return true;
}

bool gt_foreign_option(const gt_command *command, const char *word, const char *value, char *hint,
                       size_t size) {
  const char *name = word + strspn(word, "-");
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (same_word(name, options[i].foreign) && explain(command, options[i].ours, value, hint, size))
      return true;
  if (!strchr(name, '.') || !has_option_of(command, "--set")) return false;
  const char *usable_value = shown_value(value);
  snprintf(hint, size, "use --set %s=%s", name, usable_value ? usable_value : "VALUE");
  return true;
}
