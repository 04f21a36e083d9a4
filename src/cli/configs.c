/* gtrain configs: lists the configs that come with gtrain, one line each, or prints one of them. */
#include "base/file.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/shipped.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const gt_option options[] = {GT_OPTION_JSON, {NULL, NULL, NULL, false}};

enum { WIDTH = 92 /* of a summary in the list */, MIN_WIDTH = 24 /* after a cut at a colon */ };
static const uint64_t max_bytes = 1 << 20; /* of a config */

/* The comment at the start of the text, up to its first empty line, as one line. */
static char *first_comment(gt_arena *arena, const char *text) {
  char *line = gt_arena_alloc(arena, strlen(text) + 2), *end = line;
  while (*text == '#') {
    text += 1 + (text[1] == ' ');
    const size_t length = strcspn(text, "\n");
    if (!length) break;
    if (end > line) *end++ = ' ';
    memcpy(end, text, length);
    end += length;
    text += length + (text[length] == '\n');
  }
  *end = 0;
  return line;
}

/* The first sentence of the first comment. */
static const char *find_summary(gt_arena *arena, const char *text) {
  char *line = first_comment(arena, text);
  for (char *c = line; *c; c++)
    if (*c == '.' && c[1] == ' ' && !islower((unsigned char)c[2])) {
      *c = 0;
      break;
    }
  const size_t length = strlen(line);
  if (length && strchr(".:,", line[length - 1])) line[length - 1] = 0;
  return line;
}

/* Finds where to cut a summary that is longer than a line: before the last colon outside quotation marks, or
 * else between words. */
static size_t find_cut(const char *summary) {
  size_t cut = 0;
  bool quoted = false;
  for (size_t i = 0; i < WIDTH; i++) {
    quoted ^= summary[i] == '"';
    if (i >= MIN_WIDTH && !quoted && summary[i] == ':' && summary[i + 1] == ' ') cut = i;
  }
  for (size_t i = WIDTH; !cut && i; i--)
    if (summary[i] == ' ') cut = i;
  return cut ? cut : WIDTH;
}

static void print_row(const char *name, const char *summary, gt_arena *arena) {
  printf("%-22s ", name);
  if (gt_text_width(summary) > WIDTH) {
    const size_t cut = find_cut(summary);
    summary = gt_arena_printf(arena, "%.*s%s", (int)cut, summary, summary[cut] == ':' ? "" : " ...");
  }
  gt_put_text(stdout, summary);
  printf("\n");
}

static bool print_list(const gt_arguments *arguments, gt_error *error) {
  gt_arena *arena = arguments->arena;
  gt_shipped shipped;
  json_t *list = gt_flag(arguments, "json") ? json_array() : NULL;
  bool ok = gt_shipped_list(&shipped, arena, error);
  for (int i = 0; ok && i < shipped.count; i++) {
    const char *path = gt_arena_printf(arena, "%s/%s.yaml", shipped.folder, shipped.name[i]);
    gt_bytes text = {0};
    if (!(ok = gt_read_file(path, max_bytes, &text, error))) break;
    const char *summary = find_summary(arena, (const char *)text.data);
    gt_bytes_finish(&text);
    if (list)
      json_array_append_new(
          list, json_pack("{s:s, s:s, s:s}", "name", shipped.name[i], "summary", summary, "path", path));
    else
      print_row(shipped.name[i], summary, arena);
  }
  if (list && ok)
    gt_cli_print_json(list);
  else
    json_decref(list);
  return ok;
}

/* word: NAME, @NAME or NAME.yaml. */
static bool print_one(const char *word, gt_arena *arena, gt_error *error) {
  const char *name = word + (*word == '@');
  const size_t length = strlen(name);
  gt_bytes text;
  if (length > 5 && !strcmp(name + length - 5, ".yaml")) name = gt_arena_strndup(arena, name, length - 5);
  const char *path = gt_shipped_path(name, arena, error);
  if (!path || !gt_read_file(path, max_bytes, &text, error)) return false;
  fwrite(text.data, 1, text.size, stdout);
  gt_bytes_finish(&text);
  return true;
}

static int run(const gt_arguments *arguments) {
  gt_error error = {0};
  const bool ok = arguments->words ? print_one(arguments->word[0], arguments->arena, &error)
                                   : print_list(arguments, &error);
  return ok ? GT_OK : gt_report(&error);
}

GT_DEFINE(command, configs) = {
    .name = "configs",
    .summary = "list the configs that come with gtrain, or print one",
    .usage = "[NAME] [options]",
    .examples = {"gtrain configs", "gtrain configs digits > my.yaml"},
    .details =
        "`gtrain train @NAME` trains with one of them, from any folder: data files are searched in the\n"
        "working directory and where gtrain is installed. `gtrain configs NAME > mine.yaml` makes a copy\n"
        "to edit.\n",
    .options = options,
    .max_words = 1,
    .run = run,
};
