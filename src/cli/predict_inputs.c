#include "cli/predict_inputs.h"
#include "base/file.h"
#include "base/memory.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct input_files {
  gt_input_file *items;
  size_t count, capacity;
} input_files;

static bool accepts_pictures(const gt_data_signature *signature) {
  for (int k = 0; k < signature->inputs; k++)
    if (signature->input[k].rank > 1 && !signature->input[k].window) return true;
  return false;
}

static bool is_run_directory(const char *folder, gt_arena *arena) {
  return gt_file_exists(gt_arena_printf(arena, "%s/config.yaml", folder)) &&
         gt_file_exists(gt_arena_printf(arena, "%s/metrics.jsonl", folder));
}

/* Adds a file, standard input ("-"), or the pictures in a folder. */
static bool add_path(input_files *files, const gt_data_signature *signature, const char *name,
                     const char *path, gt_arena *arena, gt_error *error) {
  if (!gt_is_folder(path)) {
    *GT_PUSH(files) = (gt_input_file){.name = name, .path = strcmp(path, "-") ? path : GT_STDIN};
    return true;
  }
  if (is_run_directory(path, arena))
    return gt_fail(
        error, GT_ERR_DATA,
        "%s is a run directory; expected a file of samples (csv, npy, idx) or a folder of pictures", path);
  if (!accepts_pictures(signature))
    return gt_fail(error, GT_ERR_DATA,
                   "%s is a folder: this model takes numbers from a .csv, .npy or idx file", path);
  size_t count;
  const char *const *picture = gt_data_list_pictures(path, arena, &count, error);
  for (size_t i = 0; picture && i < count; i++)
    *GT_PUSH(files) = (gt_input_file){.name = name, .path = picture[i]};
  return picture;
}

/* Adds a value of --input: "NAME=FILE" if the model has an input NAME; otherwise the text is the name of a
 * file. */
static bool add_input(input_files *files, const gt_data_signature *signature, const char *text,
                      gt_arena *arena, gt_error *error) {
  for (int k = 0; k < signature->inputs; k++) {
    const char *name = signature->input[k].name;
    const size_t length = strlen(name);
    if (!strncmp(text, name, length) && text[length] == '=')
      return add_path(files, signature, name, text + length + 1, arena, error);
  }
  return add_path(files, signature, NULL, text, arena, error);
}

static bool list_files(const gt_arguments *arguments, const gt_data_signature *signature, input_files *files,
                       gt_arena *arena, gt_error *error) {
  int given;
  const char *const *inputs = gt_option_values(arguments, "input", arena, &given);
  bool ok = true;
  for (int i = 1; i < arguments->words && ok; i++)
    ok = add_path(files, signature, NULL, arguments->word[i], arena, error);
  for (int i = 0; i < given && ok; i++) ok = add_input(files, signature, inputs[i], arena, error);
  return ok && (files->count <= INT_MAX || gt_fail(error, GT_ERR_DATA, "more than %d files", INT_MAX));
}

/* True if each file is one sample of the model's only input. */
static bool are_samples(const input_files *files) {
  for (size_t i = 0; i < files->count; i++)
    if (files->items[i].name || !gt_data_is_sample(files->items[i].path)) return false;
  return true;
}

/* The names of the files that were read. */
static const char *const *names_of(const input_files *files, size_t *skipped, gt_arena *arena) {
  const char **names = GT_NEW_N(arena, const char *, files->count);
  size_t count = 0;
  for (size_t i = 0; i < files->count; i++)
    if (!*files->items[i].bad) names[count++] = files->items[i].path;
  *skipped = files->count - count;
  return names;
}

bool gt_predict_read_inputs(const gt_arguments *arguments, gt_arena *arena,
                            const gt_data_signature *signature, gt_input_rows *rows, gt_split *inputs,
                            const char *const **names, size_t *skipped, gt_error *error) {
  input_files files = {0};
  bool ok = list_files(arguments, signature, &files, arena, error);
  const bool samples = ok && are_samples(&files);
  bool *bad = GT_NEW_N(arena, bool, files.count);
  for (size_t i = 0; i < files.count && samples; i++) files.items[i].bad = &bad[i];
  ok = ok && gt_data_read_inputs(files.items, (int)files.count, signature, rows, inputs, error);
  if (ok && samples) *names = names_of(&files, skipped, arena);
  free(files.items);
  return ok;
}
