/* Format `text`: one long text as windows of tokens, for language models. Sample i is `window` tokens from
 * token i * stride, and its targets are the same tokens shifted by one. The splits are contiguous parts of
 * the text: training, then validation, then test. Windows are made within each split, so none crosses a
 * border. Also opens texts with labels (sentences.h). */
#include "base/count.h"
#include "base/memory.h"
#include "data/open/sentences.h"
#include "tokens/tokens.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WINDOW = 1 << 20 };

typedef struct text_options {
  const char *vocabulary, *column;
  int64_t window, stride, size, length;
  bool lower, labels;
} text_options;

typedef struct options {
  const char *train, *test;
  gt_strings target;
  double test_fraction;
  text_options text;
} options;

static const char *const vocabularies[] = {
#define X(name) #name,
#include "registry/tokenizer.inc"
#undef X
    NULL};

static const gt_field text_fields[] = {
    GT_ROW(text_options, vocabulary, GT_FIELD_CHOICE, .fallback = "char", .choices = vocabularies,
           .help =
               "what a token is: char (a character of the training file), byte, or word (the most frequent "
               "words of the training split; <unk> stands for others)"),
    GT_ROW(
        text_options, column, GT_FIELD_STRING,
        .help =
            "column of a CSV whose cells are texts, each a sample with targets of its own (default: the file is "
            "one long text, whose targets are the next tokens)"),
    GT_ROW(text_options, labels, GT_FIELD_BOOL, .fallback = "false",
           .help = "each line of the file is a label, a tab and a text, which is a sample; quotes have no "
                   "special meaning"),
    GT_ROW(
        text_options, length, GT_FIELD_INT, .fallback = "200", .min = 1, .max = MAX_WINDOW,
        .help =
            "with `column` or `labels`: number of tokens of a sample; longer texts are cut, shorter ones are padded"),
    GT_ROW(text_options, window, GT_FIELD_INT, .fallback = "256", .min = 1, .max = MAX_WINDOW,
           .help = "number of tokens that the model reads at once; the target of each is the next token"),
    GT_ROW(
        text_options, stride, GT_FIELD_INT, .fallback = "1", .min = 1, .max = MAX_WINDOW,
        .help =
            "number of tokens from the start of a training sample to the start of the next; evaluations use "
            "windows that do not overlap"),
    GT_ROW(text_options, size, GT_FIELD_INT, .fallback = "20000", .min = 3, .max = GT_DATA_MAX_CLASSES,
           .help = "word: largest size of the vocabulary, with <pad> and <unk>"),
    GT_ROW(text_options, lower, GT_FIELD_BOOL, .fallback = "false",
           .help = "word: convert letters to lower case"),
    {.name = NULL},
};
static const gt_schema text_schema = {
    .name = "text", .help = "how a text becomes samples", .fields = text_fields, .shorthand = "vocabulary"};

static const gt_field fields[] = {
    GT_ROW(options, train, GT_FIELD_STRING, .flags = GT_FIELD_REQUIRED,
           .help = "text file; its beginning is the training split, unless lines have labels"),
    GT_ROW(options, test, GT_FIELD_STRING, .help = "text file for the test split"),
    GT_ROW(options, target, GT_FIELD_STRINGS,
           .help = "with `text: {column: NAME}`: target column or columns (default: the last)"),
    GT_ROW(options, test_fraction, GT_FIELD_FLOAT, .fallback = "0", .max = 1, .flags = GT_FIELD_OPEN_MAX,
           .help = "fraction of the text, at its end, to use as the test split, if there is no test file"),
    GT_ROW(options, text, GT_FIELD_MAP, .fallback = "{}", .sub = &text_schema,
           .help = "how the text becomes samples"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "text", .help = "a text file, for language models", .fields = fields};

/* True only if the config has `text`: a .txt file may also be a CSV. */
static bool probe(const gt_data_probe *p) { return p->tokens || gt_spec_find(p->spec, "text"); }

/* --- samples --- */

typedef struct opening { /* state of open_text */
  gt_data_reader *reader;
  const options *options;
  const gt_tokenizer_type *type;
  const gt_vocabulary *vocabulary; /* NULL until it is learned */
} opening;

/* Sets the shapes of inputs and targets to windows of `stored` tokens. */
static void set_windows(gt_split *split, const gt_vocabulary *vocabulary, int64_t stored, int64_t window,
                        int64_t stride) {
  split->samples = (stored - 1 - window) / stride + 1;
  gt_tensor *input = gt_split_edit(split, GT_SAMPLE_INPUT, 0), target;
  *input = target = (gt_tensor){.element = GT_ELEMENT_I32,
                                .rank = 2,
                                .dim = {split->samples, window},
                                .data = input->data,
                                .limit = vocabulary->size,
                                .stored = stored,
                                .stride = stride,
                                .narrow = gt_vocabulary_is_narrow(vocabulary)};
  target.data = NULL;
  target.begin = 1;
  gt_split_add(split, GT_SAMPLE_TARGET, 0, target);
}

/* Encodes a text into memory that the tensor owns; returns the number of tokens, -1 on failure. */
static int64_t encode(const gt_vocabulary *vocabulary, const gt_text_view *text, gt_tensor *out,
                      gt_error *error) {
  gt_ids ids = {0};
  const size_t size = gt_vocabulary_is_narrow(vocabulary) ? 1 : sizeof(int32_t);
  out->data = NULL;
  if (!gt_try_alloc(&ids.data, text->size + 4, size, "the tokens", error)) return -1;
  out->data = ids.data;
  if (!gt_vocabulary_encode(vocabulary, text, &ids, error)) return -1;
  void *smaller = realloc(ids.data, ((size_t)ids.count + 4) * size);
  if (smaller) out->data = smaller;
  return ids.count;
}

static gt_position position(const gt_data_reader *reader, const char *key) {
  const gt_spec *node = gt_data_node(reader, "text", key);
  return node ? node->at : gt_data_position(reader, "text");
}

static const char *unit_of(const gt_tokenizer_type *type) {
  return type->any_bytes ? "bytes" : type->is_exact ? "characters" : "words";
}

static bool make_split(const opening *o, const gt_text_view *text, int part) {
  gt_data_reader *reader = o->reader;
  gt_split *split = &reader->dataset->split[part];
  const text_options *t = &o->options->text;
  const int64_t stored = encode(o->vocabulary, text, gt_split_new(split, GT_SAMPLE_INPUT, 0), reader->error);
  if (stored < 0) return false;
  if (stored > INT32_MAX)
    return gt_fail(reader->error, GT_ERR_DATA,
                   "%s: the %s split has %" PRId64 " %s; at most %d are supported", text->name,
                   gt_data_part_name(reader, part), stored, unit_of(o->type), INT32_MAX);
  if (stored <= t->window) {
    gt_error_at(reader->diagnostics, position(reader, "window"),
                "the %s split of %s has %" PRId64
                " %s, which is shorter than a window with its targets (%" PRId64 ")",
                gt_data_part_name(reader, part), text->name, stored, unit_of(o->type), t->window + 1)
        ->expected =
        stored > 1 && !reader->wanted->signature
            ? gt_arena_printf(reader->arena, "a window of at most %" PRId64 ", or a longer text", stored - 1)
            : "a longer text";
    return false;
  }
  set_windows(split, o->vocabulary, stored, t->window,
              part == GT_PART_TRAIN && !reader->dataset->only_test ? t->stride : t->window);
  return true;
}

/* --- splits --- */

/* The byte at which the first `fraction` of the text ends, at the border of a token. */
static size_t end_of_fraction(const gt_tokenizer_type *type, const gt_text_view *text, double fraction) {
  const uint8_t *data = text->data;
  if (fraction >= 1) return text->size;
  size_t at = (size_t)floor(fraction * (double)text->size);
  if (type->any_bytes) return at;
  if (!type->is_exact) { /* the next white space, or if there is none, the next character */
    while (at < text->size && (data[at] & 0xC0) == 0x80) at++;
    const size_t character = at;
    while (at < text->size && !strchr(" \n\t", data[at])) at++;
    return at < text->size ? at : character;
  }
  int64_t characters = 0;
  for (size_t i = 0; i < text->size; i++) characters += (data[i] & 0xC0) != 0x80;
  int64_t left = (int64_t)floor(fraction * (double)characters);
  for (at = 0; at < text->size; at++)
    if ((data[at] & 0xC0) != 0x80 && !left--) break;
  return at;
}

static gt_text_view slice(const gt_text_view *text, size_t from, size_t to) {
  return (gt_text_view){text->data + from, to - from, text->name, text->start};
}

static bool learn(opening *o, const gt_text_view *whole, const gt_text_view *train) {
  const text_options *t = &o->options->text;
  const gt_data_signature *model = o->reader->wanted->signature;
  if (model) {
    o->vocabulary = model->input[0].vocabulary;
    return o->vocabulary ||
           gt_fail(o->reader->error, GT_ERR_DATA, "the model has no vocabulary to read %s with", whole->name);
  }
  const gt_vocabulary_options learning = {.size = t->size, .lower = t->lower};
  o->vocabulary = gt_vocabulary_learn(o->type, learning, o->type->is_trained ? train : whole,
                                      o->reader->arena, o->reader->error);
  return o->vocabulary;
}

static bool divide(opening *o, gt_text_view *whole) {
  const double test = o->options->test_fraction, validation = o->reader->common->validation;
  const size_t train_end = end_of_fraction(o->type, whole, 1 - validation - test),
               validation_end = end_of_fraction(o->type, whole, 1 - test);
  const gt_text_view train = slice(whole, 0, train_end), middle = slice(whole, train_end, validation_end),
                     last = slice(whole, validation_end, whole->size);
  return learn(o, whole, &train) && make_split(o, &train, GT_PART_TRAIN) &&
         (!(validation > 0) || make_split(o, &middle, GT_PART_VALIDATION)) &&
         (!(test > 0) || make_split(o, &last, GT_PART_TEST));
}

/* Fails, before the file is read, if it must have too many tokens. */
static bool check_file(const opening *o, gt_data_file file) {
  const uint64_t size = gt_data_file_size(file.path);
  const uint64_t least = o->type->any_bytes ? size : size / 4;   /* tokens: a character has at most 4 bytes */
  if (!o->type->is_exact || least / 2 <= INT32_MAX) return true; /* the file may be divided into two splits */
  return gt_fail(o->reader->error, GT_ERR_DATA,
                 "%s: at least %" PRIu64 " %s; at most %d are supported in a split", file.path, least,
                 unit_of(o->type), INT32_MAX);
}

static bool read_text(opening *o, gt_data_file file, int part) {
  gt_data_reader *reader = o->reader;
  gt_bytes bytes;
  gt_data_set_trust(reader, part, gt_data_are_trusted(&file, 1));
  if (!check_file(o, file) || !gt_data_read_file(file, &bytes, reader->error)) return false;
  gt_text_view text = {bytes.data, bytes.size, file.path, NULL};
  bool ok = gt_text_clean(o->type, &text, reader->error);
  text.start = text.data;
  if (ok && !text.size) ok = gt_fail(reader->error, GT_ERR_DATA, "%s is empty; expected a text", file.path);
  if (ok) ok = part == GT_PART_TRAIN ? divide(o, &text) : make_split(o, &text, part);
  gt_bytes_finish(&bytes);
  return ok;
}

/* --- sentences --- */

static bool open_sentences(gt_data_reader *reader, const options *o, const gt_tokenizer_type *type,
                           gt_data_file train, gt_data_file test) {
  const text_options *t = &o->text;
  const gt_sentence_options sentences = {.column = t->column,
                                         .target = o->target,
                                         .length = t->length,
                                         .type = type,
                                         .vocabulary = {.size = t->size, .lower = t->lower}};
  reader->test_fraction = o->test_fraction;
  return gt_sentences_open(reader, &sentences, train, test);
}

/* Finds the text file of a split; its path is NULL after reporting an error. */
static gt_data_file find_text(gt_data_reader *reader, const char *split) {
  const gt_spec *node = gt_data_node(reader, split, NULL);
  gt_data_file file = gt_data_find_file(reader, node);
  if (!gt_is_folder(file.path)) return file;
  gt_error_at(reader->diagnostics, node->at, "'%s' is a folder, and a text is a single file", node->scalar)
      ->expected = "a file; cat FOLDER/*.txt > all.txt joins those of a folder";
  return (gt_data_file){0};
}

/* --- config --- */

/* Reports keys that other formats have, but that have no meaning for a long text. */
static bool check_keys(gt_data_reader *reader) {
  static const char *const keys[] = {"target",       "classes",   "class_names", "per_class",
                                     "ignore_index", "normalize", "shape",       "normalize_targets",
                                     "crop",         "integers",  "split"};
  bool ok = true;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const gt_spec *node = gt_data_node(reader, keys[i], NULL);
    if (gt_spec_is_null(node) || reader->wanted->signature) continue;
    gt_diagnostic *d = gt_error_at(reader->diagnostics, node->key_at, "a text has no '%s'", keys[i]);
    if (!strcmp(keys[i], "split"))
      d->expected = "validation and test_fraction: they use the end of the text";
    else if (!strcmp(keys[i], "target"))
      d->help =
          "remove it: the targets are the next tokens; text: {labels: true} reads lines of a label, a tab "
          "and a text";
    else
      d->help = "remove it: the targets are the next tokens";
    ok = false;
  }
  if (reader->task[0] != GT_TASK_REGRESSION) return ok;
  gt_error_at(reader->diagnostics, gt_data_position(reader, "task"),
              "the targets of a text are tokens, not numbers to predict")
      ->help = "remove the key";
  return false;
}

/* Reports keys that name columns if lines have labels, because these have no columns. */
static bool check_sentences(gt_data_reader *reader, const options *o) {
  const gt_spec *column = gt_data_node(reader, "text", "column"),
                *target = gt_data_node(reader, "target", NULL);
  if (!o->text.labels) return true;
  if (o->text.column)
    gt_error_at(reader->diagnostics, column->key_at, "a file whose lines have labels has no columns")
        ->expected = "either 'labels' or 'column'";
  else if (o->target.count)
    gt_error_at(reader->diagnostics, target->key_at, "a file whose lines have labels has no 'target'")->help =
        "remove it: the target is the label of each line";
  return !o->text.column && !o->target.count;
}

static bool check_fractions(gt_data_reader *reader, const options *o) {
  if (o->test_fraction > 0 && o->test) {
    gt_error_at(reader->diagnostics, gt_data_position(reader, "test_fraction"),
                "the data already has a test split")
        ->expected = "either test or test_fraction";
    return false;
  }
  if (reader->common->validation + o->test_fraction < 1) return true;
  gt_error_at(reader->diagnostics, gt_data_position(reader, "validation"), "no text is left for training")
      ->expected = "smaller fractions";
  return false;
}

/* Adds findings for keys of `text` that have no effect with this kind of samples or vocabulary. Keys with
 * their default are ignored, because a saved config has all keys. */
static void review_keys(gt_data_reader *reader, const options *o) {
  const text_options *t = &o->text;
  const bool sentences = t->column || t->labels, words = !strcmp(t->vocabulary, "word");
  text_options defaults; /* the defaults */
  gt_schema_read(&text_schema, &defaults, NULL, NULL, NULL, reader->spec->at, "in 'text'", reader->arena,
                 reader->diagnostics);
  const struct {
    const char *key;
    bool has_no_effect;
    const char *why, *help;
  } keys[] = {
      {"length", !sentences && t->length != defaults.length,
       "is for texts with labels (text: {labels: true} or {column: NAME})",
       "window: the tokens that a language model reads at once"},
      {"window", sentences && t->window != defaults.window, "is for language models",
       "length: the tokens of a sample that is a text with a label"},
      {"stride", sentences && t->stride != defaults.stride, "is for language models", "remove it"},
      {"size", !words && t->size != defaults.size, "is for vocabulary: word", "vocabulary: word, or no size"},
      {"lower", !words && t->lower, "is for vocabulary: word", "vocabulary: word, or no lower"},
  };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const gt_spec *node = gt_data_node(reader, "text", keys[i].key);
    if (node && keys[i].has_no_effect && !reader->wanted->signature)
      gt_finding_at(reader->diagnostics, GT_FINDING_no_effect, node->key_at, "'%s' has no effect: it %s",
                    keys[i].key, keys[i].why)
          ->help = keys[i].help;
  }
}

static bool open_text(gt_data_reader *reader, const void *given) {
  const options *o = given;
  opening opened = {.reader = reader, .options = o, .type = gt_tokenizer_find(o->text.vocabulary)};
  gt_dataset *dataset = reader->dataset;
  const bool sentences = o->text.column || o->text.labels;
  bool ok = sentences ? check_sentences(reader, o) : check_keys(reader);
  ok = check_fractions(reader, o) && ok;
  review_keys(reader, o);
  const gt_data_file train = find_text(reader, "train");
  gt_data_file test = {0};
  if (o->test) test = find_text(reader, "test");
  if (!ok || !train.path || (o->test && !test.path)) return false;
  reader->train_name = train.path;
  reader->test_name = test.path;
  if (sentences) return open_sentences(reader, o, opened.type, train, test);
  reader->has_splits = true;
  if (!read_text(&opened, train, GT_PART_TRAIN) || (test.path && !read_text(&opened, test, GT_PART_TEST)))
    return false;
  dataset->input[0].vocabulary = opened.vocabulary;
  dataset->target[0].classification = true;
  dataset->target[0].classes = opened.vocabulary->size;
  return true;
}

/* --- predictions --- */

/* Reads windows that do not overlap; tokens at the end that do not fill a window are dropped. */
static bool read_windows(const gt_text_view *text, const gt_input *input, gt_tensor *out, gt_error *error) {
  gt_tensor flat = {0};
  const int64_t stored = encode(input->vocabulary, text, &flat, error), window = input->dim[0];
  bool ok = stored >= 0;
  if (ok && stored < window)
    ok = gt_fail(error, GT_ERR_DATA, "%s has %" PRId64 " %s, and the model reads windows of %" PRId64,
                 text->name, stored, unit_of(input->vocabulary->type), window);
  *out = (gt_tensor){.element = GT_ELEMENT_I32, .rank = 2, .dim = {ok ? stored / window : 0, window}};
  if (ok) ok = gt_tensor_alloc(out, text->name, error);
  for (int64_t i = 0; ok && i < out->dim[0] * window; i++)
    ((int32_t *)out->data)[i] = gt_vocabulary_is_narrow(input->vocabulary) ? ((const uint8_t *)flat.data)[i]
                                                                           : ((const int32_t *)flat.data)[i];
  free(flat.data);
  return ok;
}

static bool read_inputs(gt_input_reader *reader) {
  const gt_data_signature *signature = reader->signature;
  const char *path = reader->file[0]->path;
  gt_split *out = reader->out;
  gt_error *error = reader->error;
  const gt_input *input = &signature->input[0];
  gt_bytes bytes;
  if (signature->inputs != 1 || !input->vocabulary)
    return gt_fail(error, GT_ERR_DATA,
                   "%s is a text, but the model has no vocabulary: it was not trained on text", path);
  const gt_spec *settings = gt_spec_find(signature->data, "text");
  const gt_spec *column = gt_spec_find(settings, "column"), *labels = gt_spec_find(settings, "labels");
  bool labelled = false;
  if (labels && gt_spec_bool(labels, &labelled) && labelled)
    return gt_sentences_read(path, NULL, input, out, error);
  if (column && column->kind == GT_SPEC_SCALAR)
    return gt_sentences_read(path, column->scalar, input, out, error);
  if (!gt_read_file(path, GT_DATA_INFLATE_LIMIT, &bytes, error)) return false;
  gt_text_view text = {bytes.data, bytes.size, path, NULL};
  const bool ok = gt_text_clean(input->vocabulary->type, &text, error) &&
                  read_windows(&text, input, gt_split_new(out, GT_SAMPLE_INPUT, 0), error);
  gt_bytes_finish(&bytes);
  return ok;
}

extern const gt_data_format gt_data_text;
const gt_data_format gt_data_text = {.name = "text",
                                     .schema = &schema,
                                     .options_size = sizeof(options),
                                     .probe = probe,
                                     .open = open_text,
                                     .read_inputs = read_inputs};
GT_REGISTER(data, text)
