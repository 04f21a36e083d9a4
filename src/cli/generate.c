#include "train/eval/generate.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/stream.h"
#include "base/text.h"
#include "base/unicode.h"
#include "cli/common.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const gt_option options[] = {
    {"prompt", "TEXT", "text that the model continues (default: none, the model begins a line)", false, 'p'},
    {"prompt-file", "FILE", "file with the prompt; - for standard input", false},
    {"tokens", "N", "number of tokens to write (default: 500)", false, 'n'},
    {"temperature", "T", "how freely tokens are drawn: 0 takes the most probable one (default: 1)", false,
     't'},
    {"top-k", "K", "draw from the K most probable tokens (default: from all)", false},
    {"top-p", "P", "draw from the fewest tokens whose probabilities add up to P (default: 1)", false},
    {"seed", "N", "seed of the draws; the same seed gives the same text (default: 1)", false},
    {"samples", "N", "number of texts to write (default: 1)", false},
    {"stop", "TEXT", "end a text before this one; \\n is a new line", false},
    GT_OPTION_DEVICE,
    GT_OPTION_REQUIRE_GPU,
    GT_OPTION_MEMORY_LIMIT,
    GT_OPTION_QUIET,
    GT_OPTION_JSON,
    {NULL, NULL, NULL, false},
};

/* Reads a number in [min, max]; *value is unchanged if the option is not given. False after a usage error,
 * which is reported. */
static bool option_number(const gt_arguments *arguments, const char *name, double min, double max,
                          const char *expected, double *value) {
  const char *text = gt_option_value(arguments, name);
  char *end;
  if (!text) return true;
  *value = strtod(text, &end);
  if (end != text && !*end && *value >= min && *value <= max) return true;
  gt_usage_error(arguments, "--%s: expected %s, not '%s'", name, expected, text);
  return false;
}

typedef struct settings {
  gt_generate_options generate;
  gt_text_view prompt;
  int64_t samples;
  uint64_t memory_limit;
  gt_bytes file; /* content of --prompt-file */
} settings;

static bool read_numbers(const gt_arguments *arguments, settings *w) {
  gt_draw_options *draw = &w->generate.draw;
  int64_t seed = 1;
  *draw = (gt_draw_options){.temperature = 1, .top_p = 1};
  w->generate.tokens = 500;
  w->samples = 1;
  if (!gt_option_int(arguments, "tokens", 1, UINT32_MAX, &w->generate.tokens) ||
      !option_number(arguments, "temperature", 0, 1e6, "a number from 0 to 1000000", &draw->temperature) ||
      !gt_option_int(arguments, "top-k", 1, INT32_MAX, &draw->top_k) ||
      !option_number(arguments, "top-p", 0x1p-1022, 1, "a number above 0 and at most 1", &draw->top_p) ||
      !gt_option_int(arguments, "seed", 0, INT64_MAX, &seed) ||
      !gt_option_int(arguments, "samples", 1, UINT32_MAX, &w->samples) ||
      !gt_cli_memory_limit(arguments, &w->memory_limit))
    return false;
  draw->seed = (uint64_t)seed;
  return true;
}

/* A copy in which backslash and n are replaced by a new line. */
static const char *unescape(gt_arena *arena, const char *text) {
  char *out = text ? gt_arena_strdup(arena, text) : NULL, *to = out;
  for (const char *at = text; at && *at; at++)
    if (*at == '\\' && at[1] == 'n')
      *to++ = '\n', at++;
    else
      *to++ = *at;
  if (to) *to = 0;
  return out;
}

/* Reads the prompt, and cleans it as the tokenizer does with training text. */
static bool read_prompt(const gt_arguments *arguments, const gt_tokenizer_type *type, settings *w,
                        gt_error *error) {
  enum { MAX_PROMPT = 64 << 20 };
  const char *file = gt_option_value(arguments, "prompt-file"), *given = gt_option_value(arguments, "prompt");
  gt_text_view *prompt = &w->prompt;
  if (file) {
    const char *path = strcmp(file, "-") ? file : GT_STDIN;
    if (!gt_read_file(path, MAX_PROMPT, &w->file, error)) return false;
    *prompt = (gt_text_view){w->file.data, w->file.size, path, NULL};
  } else {
    const char *text = given ? given : "";
    *prompt = (gt_text_view){(const uint8_t *)gt_arena_strdup(arguments->arena, text), strlen(text),
                             "--prompt", NULL};
  }
  return gt_text_clean(type, prompt, error);
}

/* --- output --- */

/* Escapes characters that would control the terminal, as messages do; text may contain zero bytes. */
static void print_escaped(const uint8_t *text, size_t length) {
  char *copy = gt_alloc(length + 1);
  memcpy(copy, text, length);
  for (size_t at = 0; at < length; at++) {
    gt_put_text(stdout, copy + at);
    at += strlen(copy + at);
    if (at < length) fputs("\\x00", stdout);
  }
  free(copy);
}

/* context: a bool, whether standard output is a terminal. If it is not, the text is written unchanged. */
static bool print_text(void *context, const uint8_t *text, size_t length, gt_error *error) {
  const bool *terminal = context;
  if (*terminal)
    print_escaped(text, length);
  else
    fwrite(text, 1, length, stdout);
  return (!ferror(stdout) && !fflush(stdout)) || gt_fail_errno(error, GT_ERR_IO, "cannot write the text");
}

/* Writes to a stream, the context. */
static bool append(void *context, const uint8_t *text, size_t length, gt_error *error) {
  (void)error;
  fwrite(text, 1, length, context);
  return true;
}

/* Bytes that are not UTF-8 are replaced by U+FFFD. */
static json_t *text_json(const gt_text_view *view) {
  static const char replacement[] = "\xEF\xBF\xBD";
  gt_text text = {0};
  FILE *stream = gt_text_open(&text);
  uint32_t code;
  for (size_t i = 0, used; i < view->size; i += used ? used : 1) {
    used = gt_utf8_read(view->data + i, view->size - i, &code);
    if (used)
      fwrite(view->data + i, 1, used, stream);
    else
      fputs(replacement, stream);
  }
  fclose(stream);
  json_t *json = json_stringn(text.items ? text.items : "", text.count);
  free(text.items);
  return json;
}

static bool write_json(gt_generator *g, const settings *w, uint32_t sample, gt_error *error) {
  gt_text text = {0};
  gt_generated generated;
  FILE *stream = gt_text_open(&text);
  const bool ok = gt_generate(g, &w->generate, sample, append, stream, &generated, error);
  fclose(stream);
  if (ok) {
    json_t *root = json_pack("{s:I}", "sample", (json_int_t)sample);
    json_object_set_new(root, "prompt", text_json(&w->prompt));
    json_object_set_new(root, "text", json_stringn(text.items ? text.items : "", text.count));
    json_object_set_new(root, "tokens", json_integer(generated.tokens));
    json_object_set_new(root, "ended_by", json_string(generated.stopped ? "stop" : "tokens"));
    gt_cli_print_json(root);
  }
  free(text.items);
  return ok;
}

/* Prints the prompt, the text and a new line. */
static bool write_text(gt_generator *g, const settings *w, uint32_t sample, gt_error *error) {
  const gt_text_view *prompt = &w->prompt;
  bool terminal = isatty(STDOUT_FILENO);
  gt_generated generated;
  return (!sample || print_text(&terminal, (const uint8_t *)"\n", 1, error)) &&
         print_text(&terminal, prompt->data, prompt->size, error) &&
         gt_generate(g, &w->generate, sample, print_text, &terminal, &generated, error) &&
         print_text(&terminal, (const uint8_t *)"\n", 1, error);
}

static bool write_all(const gt_arguments *arguments, gt_generator *g, const settings *w, gt_error *error) {
  bool ok = true;
  for (int64_t s = 0; s < w->samples && ok; s++)
    ok = (gt_flag(arguments, "json") ? write_json : write_text)(g, w, (uint32_t)s, error);
  return ok;
}

/* A prompt for a model without a vocabulary is read as bytes: opening the model reports the error. */
static const gt_tokenizer_type *tokenizer_of(const gt_model_file *file) {
  const gt_vocabulary *vocabulary = file->signature.input[0].vocabulary;
  return vocabulary ? vocabulary->type : gt_tokenizer_find("byte");
}

static int run(const gt_arguments *arguments) {
  gt_model_file file = {0};
  gt_generator generator = {0};
  gt_error error = {0};
  settings w = {0};
  if (!read_numbers(arguments, &w)) return GT_ERR_USAGE;
  if (gt_option_value(arguments, "prompt") && gt_option_value(arguments, "prompt-file"))
    return gt_usage_error(arguments, "expected --prompt or --prompt-file, not both");
  w.generate.stop = unescape(arguments->arena, gt_option_value(arguments, "stop"));
  const bool ok =
      gt_model_file_read(&file, gt_model_path(arguments->arena, arguments->word[0], &error), &error) &&
      gt_model_file_check(&file, &error) && read_prompt(arguments, tokenizer_of(&file), &w, &error) &&
      gt_generator_open(&generator, &file, gt_cli_device(arguments), w.memory_limit, &error) &&
      gt_generator_prompt(&generator, &w.prompt, &error) && write_all(arguments, &generator, &w, &error);
  gt_generator_close(&generator);
  gt_bytes_finish(&w.file);
  gt_model_file_finish(&file);
  return ok ? GT_OK : gt_report(&error);
}

static bool is_language_model(const gt_model_file *file) {
  const gt_data_signature *s = &file->signature;
  return s->inputs == 1 && s->targets == 1 && s->input[0].vocabulary &&
         s->target[0].classes == s->input[0].vocabulary->size;
}

GT_DEFINE(command, generate) = {
    .name = "generate",
    .summary = "write text with a trained language model",
    .usage = "MODEL [options]",
    .details =
        "MODEL is a model.bin or a run directory of a model that was trained on a text (data: {text: ...}).\n"
        "Prints the prompt and the tokens that follow, as they are drawn; on a terminal, control characters\n"
        "are escaped. With --json, prints an object for each text. Tokens are drawn after --temperature, then --top-k, then --top-p.\n"
        "The model reads its last window of tokens, so a prompt may be longer than that. If tokens are characters,\n"
        "one in the prompt that the training text does not contain is an error; if they are words, it is <unk>.\n",
    .examples = {"gtrain generate runs/char_mlp --prompt 'There was once' --tokens 200",
                 "gtrain generate runs/char_mlp --temperature 0.5 --seed 2 --stop '.' --json"},
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .run = run,
    .suits = is_language_model,
};
