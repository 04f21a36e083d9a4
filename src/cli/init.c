/* gtrain init: writes a config for a table. */
#include "cli/init.h"
#include "base/log.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/common.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const gt_option options[] = {
    {"target", "COLUMN", "the column to predict, also several times (default: the last)", true, 't', NULL},
    {"output", "FILE",
     "write the config to FILE, - for standard output (default: the name of the table, .yaml)", false, 'o',
     NULL},
    {"force", NULL, "replace the config if it exists", false, 'f', NULL},
    GT_OPTION_QUIET,
    {NULL, NULL, NULL, false},
};

static const gt_scaffold_kind *const kinds[] = {&gt_scaffold_csv, &gt_scaffold_formula};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *kind_name(int index) { return index < KINDS ? kinds[index]->name : NULL; }

/* Help for a text file, which is not a table; "" if the file has another extension. */
static const char *text_help(const char *file) {
  static const char *const endings[] = {".txt", ".md"};
  const size_t length = strlen(file);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (length > strlen(endings[i]) && !strcmp(file + length - strlen(endings[i]), endings[i]))
      return "; a text is not a table: gtrain train @char_mlp --set data.train=FILE trains a language model on it";
  return "";
}

static const gt_scaffold_kind *find_kind(const gt_arguments *arguments) {
  const char *names[KINDS], *word = arguments->word[0];
  for (int i = 0; i < KINDS; i++) {
    names[i] = kinds[i]->name;
    if (!strcmp(word, names[i])) return kinds[i];
  }
  if (arguments->words == 1 && strpbrk(word, "./")) {
    gt_usage_error(arguments, "gtrain init: expected a kind before '%s': gtrain init csv, or formula%s", word,
                   text_help(word));
    return NULL;
  }
  const char *nearest = gt_nearest(word, names, KINDS);
  gt_usage_error(arguments, "gtrain init: there is no kind '%s'; expected csv or formula%s%s%s", word,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  return NULL;
}

/* The default name of the config: "my table.yaml" for data/my table.csv.gz. */
static const char *default_name(gt_arena *arena, const char *file) {
  static const char *const endings[] = {".gz", ".csv", ".tsv", ".txt", ".dat", ".data"};
  const char *slash = strrchr(file, '/');
  char *name = gt_arena_strdup(arena, slash ? slash + 1 : file);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const size_t length = strlen(name), ending = strlen(endings[i]);
    if (length > ending && !strcmp(name + length - ending, endings[i])) name[length - ending] = 0;
  }
  return gt_arena_printf(arena, "%s.yaml", name);
}

static bool is_to_stdout(const gt_arguments *arguments) {
  const char *output = gt_option_value(arguments, "output");
  return output && !strcmp(output, "-");
}

static bool write_config(const gt_arguments *arguments, const gt_scaffold *init, const char *text,
                         gt_error *error) {
  const gt_span piece = {text, strlen(text)};
  return gt_write_output(is_to_stdout(arguments) ? "-" : init->config, &piece, 1, error);
}

/* Checks the config as `train` would, so that no config is written that `train` rejects. */
static int check_text(const gt_scaffold *init, const char *text) {
  gt_config config;
  gt_error error = {0};
  const bool ok = gt_config_parse(&config, init->arena, init->config, text, NULL, NULL, 0, &error);
  const int code = ok ? GT_OK : gt_config_report(&config, &error);
  if (ok) gt_diagnostics_print(&config.diagnostics, stderr);
  gt_config_finish(&config);
  return code;
}

/* suffix: " of 'size'" if there are several targets, otherwise "". */
static void print_task(const gt_scaffold *init, int index, const char *name, const char *suffix) {
  const gt_data_target *target = &init->dataset.target[index];
  const char *rare, *positive = gt_scaffold_measured(init, &rare);
  if (target->classification)
    gt_info("task%s: classification, %d classes%s", suffix, target->classes,
            positive ? gt_arena_printf(init->arena, "; f1, precision and recall are those of %s",
                                       gt_scaffold_quoted(init, positive))
                     : "");
  else
    gt_info("task%s: %s", suffix, gt_scaffold_has_labels(init) ? "multi-label classification" : "regression");
  if (target->classification && target->classes > 20 && target->classes > (int64_t)init->table.rows / 4)
    gt_warn("'%s' has %d classes in %llu rows: is this really the target?", name, target->classes,
            (unsigned long long)init->table.rows);
}

static void print_summary(const gt_scaffold *init) {
  if (init->target_given)
    gt_info("target%s: %s", init->targets > 1 ? "s" : "", gt_scaffold_target_names(init));
  else
    gt_info("no --target given, using the last column %s", gt_scaffold_target_names(init));
  for (int i = 0; i < init->dataset.targets; i++) {
    const char *name = gt_escape_name(init->arena, init->table.column[init->target[i]].name);
    print_task(init, i, name,
               init->dataset.targets > 1 ? gt_arena_printf(init->arena, " of '%s'", name) : "");
  }
  for (int i = 0; i < init->table.columns; i++) {
    const gt_survey_column *c = &init->table.column[i];
    if (c->date_order && !init->reason[i] && !gt_scaffold_is_target(init, i))
      gt_info("%s: %s, because the rows are then in order of time", gt_scaffold_quoted(init, c->name),
              c->date_order);
  }
  if (gt_scaffold_time(init)) gt_info("%s", gt_scaffold_time_text(init));
  for (int i = 0; i < init->targets; i++) {
    const uint64_t dropped = gt_scaffold_dropped_rows(init, i);
    if (dropped)
      gt_info("skipped %llu row%s in which '%s' is missing", (unsigned long long)dropped,
              dropped == 1 ? "" : "s", gt_escape_name(init->arena, init->table.column[init->target[i]].name));
  }
  for (int i = 0; i < init->table.columns; i++)
    if (init->reason[i])
      gt_info("skipped '%s': %s", gt_escape_name(init->arena, init->table.column[i].name), init->reason[i]);
}

static int write_checked(const gt_arguments *arguments, gt_scaffold *init) {
  gt_error error = {0};
  const char *text = gt_scaffold_text(init);
  const gt_log_level level = gt_log_set_level(GT_LOG_WARN);
  const int code = check_text(init, text);
  gt_log_set_level(level);
  if (code) return code;
  if (!write_config(arguments, init, text, &error)) return gt_report(&error);
  print_summary(init);
  if (is_to_stdout(arguments)) return GT_OK;
  const char *config =
      *init->config == '-' ? gt_arena_printf(init->arena, "./%s", init->config) : init->config;
  printf("%s\n", init->config);
  gt_info("next: gtrain train %s", gt_shell_word(init->arena, config));
  return GT_OK;
}

/* Returns GT_OK if the config may be written. It never replaces the table. The table must not be a pipe,
 * which can be read only once, while the config names it for every run. */
static int check_files(const gt_arguments *arguments, const gt_scaffold *init) {
  struct stat table, config;
  const bool found = stat(init->file, &table) == 0;
  if (found && !S_ISREG(table.st_mode) && !S_ISDIR(table.st_mode)) {
    gt_log_error("%s is not a regular file; save the table in a file, which the config can name", init->file);
    return GT_ERR_DATA;
  }
  if (is_to_stdout(arguments) || access(init->config, F_OK)) return GT_OK;
  if (found && stat(init->config, &config) == 0 && table.st_dev == config.st_dev &&
      table.st_ino == config.st_ino) {
    gt_log_error("%s is the table itself; --output FILE writes the config to another file", init->config);
    return GT_ERR_BUSY;
  }
  if (gt_flag(arguments, "force")) return GT_OK;
  gt_log_error("%s exists; --force replaces it, --output FILE writes to another file", init->config);
  return GT_ERR_BUSY;
}

static int init_table(const gt_arguments *arguments, gt_scaffold *init) {
  gt_error error = {0};
  const char *output = gt_option_value(arguments, "output");
  gt_strings targets = {0};
  targets.items = gt_option_values(arguments, "target", init->arena, &targets.count);
  init->config =
      output && *output && !is_to_stdout(arguments) ? output : default_name(init->arena, init->file);
  int code = check_files(arguments, init);
  if (code) return code;
  if (!gt_survey_read(init->file, targets, init->arena, &init->table, &error)) {
    gt_error_append(&error, "%s", text_help(init->file));
    return gt_report(&error);
  }
  if (!gt_scaffold_choose_targets(init, targets, &error)) return gt_report(&error);
  /* Messages about reading the table were printed above. */
  const gt_log_level level = gt_log_set_level(GT_LOG_WARN);
  const bool ok = gt_scaffold_open(init, &code);
  gt_log_set_level(level);
  if (!ok) return code;
  code = write_checked(arguments, init);
  gt_dataset_close(&init->dataset);
  return code;
}

static int run(const gt_arguments *arguments) {
  const gt_scaffold_kind *kind = find_kind(arguments);
  if (!kind) return GT_ERR_USAGE;
  if (arguments->words < 2)
    return gt_usage_error(arguments, "gtrain init %s needs the FILE of a table", kind->name);
  gt_scaffold init = {.arena = arguments->arena, .kind = kind, .file = arguments->word[1]};
  return init_table(arguments, &init);
}

GT_DEFINE(command, init) = {
    .name = "init",
    .summary = "write a config for a table",
    .usage = "KIND FILE [options]",
    .details =
        "KIND is csv, for a dense network that predicts a column of a CSV file, or formula, for a\n"
        "Kolmogorov-Arnold network that becomes a formula. FILE is read as `gtrain train` reads it. The config\n"
        "fits the table: task, classes, width, batch size and epochs. Its comments say what the columns\n"
        "contain and what each line is for. Columns that cannot be inputs are skipped. The config is checked\n"
        "before it is written, and an existing file is kept unless --force is given.\n",
    .examples = {"gtrain init csv datasets/penguins/penguins.csv --target body_mass_g",
                 "gtrain init formula datasets/penguins/penguins.csv --output formula.yaml"},
    .known_word = kind_name,
    .options = options,
    .min_words = 1,
    .max_words = 2,
    .run = run,
};
