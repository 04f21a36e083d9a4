/* Opens datasets: chooses the format, reads its options and its files, prepares the splits. Reads inputs for
 * predictions. */
#include "base/text.h"
#include "data/data.h"
#include "base/memory.h"
#include "base/unicode.h"
#include "data/series/series.h"
#include "spec/hint.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name) extern const gt_data_format gt_data_##name;
#include "registry/data.inc"
#undef X

static const gt_data_format *const formats[] = {
#define X(name) &gt_data_##name,
#include "registry/data.inc"
#undef X
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const char *const format_names[] = {
#define X(name) #name,
#include "registry/data.inc"
#undef X
    NULL};

static const char *const tasks[] = {"auto", "classification", "regression", NULL};
static const char *const methods[] = {"auto", "none", "standard", "channel", NULL};
static const char *const target_methods[] = {"auto", "standard", "none", NULL};

static const gt_field normalize_fields[] = {
    GT_ROW(gt_data_normalize, method, GT_FIELD_CHOICE, .fallback = "auto", .choices = methods,
           .help =
               "standard: mean and standard deviation of each feature over the training split; "
               "channel: of each channel (the last dimension); auto: standard for the numbers of a CSV that "
               "are not all 0 or 1, unless the model has gates or a KAN, or samples are reshaped, else none"),
    GT_ROW(gt_data_normalize, mean, GT_FIELD_FLOATS,
           .help = "mean to subtract: one number, or one per channel or feature"),
    GT_ROW(gt_data_normalize, std, GT_FIELD_FLOATS, .max = 1e30, .flags = GT_FIELD_OPEN_MIN,
           .help = "standard deviation to divide by: one number, or one per channel or feature"),
    GT_ROW(gt_data_normalize, scale, GT_FIELD_FLOAT, .max = 1e30, .flags = GT_FIELD_OPEN_MIN,
           .help = "factor on the raw values, applied first (default: 1/255 for bytes, else 1)"),
    GT_ROW(gt_data_normalize, inputs, GT_FIELD_NODE, .definition = "normalize_inputs",
           .help = "normalization of single inputs, by name: {wide: standard}"),
    {.name = NULL},
};
const gt_schema gt_data_normalize_schema = {.name = "normalize",
                                            .help =
                                                "normalization of the inputs: (value * scale - mean) / std",
                                            .fields = normalize_fields,
                                            .shorthand = "method"};

static const gt_field common_fields[] = {
    GT_ROW(gt_data_common, format, GT_FIELD_CHOICE, .choices = format_names,
           .help = "format of the files (default: detected from the file name or content)"),
    GT_ROW(gt_data_common, task, GT_FIELD_CHOICE, .fallback = "auto", .choices = tasks,
           .flags = GT_FIELD_BY_NAME,
           .help =
               "whether targets are classes or numbers to predict; auto: classes if they are text, or whole "
               "numbers of which each from 0 to the largest occurs, but not those of a series; for several "
               "targets, also a map from names to tasks"),
    GT_ROW(gt_data_common, classes, GT_FIELD_INT_OR_STRINGS, .min = 1, .max = GT_DATA_MAX_CLASSES,
           .help = "number of classes (default: largest training label + 1); or a list of class names "
                   "or labels: only their samples are used, in all splits, and they are numbered in "
                   "this order"),
    GT_ROW(gt_data_common, per_class, GT_FIELD_INT, .min = 1, .max = INT32_MAX,
           .help = "train on at most this many samples per class, the first in the file after "
                   "validation and test samples are split off (default: all)"),
    GT_ROW(gt_data_common, ignore_index, GT_FIELD_INT, .min = -1e9, .max = 1e9,
           .help = "label that does not count in loss and metrics, such as 255 for unlabeled pixels "
                   "(default: none)"),
    GT_ROW(gt_data_common, class_names, GT_FIELD_STRINGS,
           .help = "names of the classes, in the order of their numbers; if the labels are text, or the "
                   "classes are folders, these names as the data has them: this sets their order"),
    GT_ROW(
        gt_data_common, positive, GT_FIELD_STRING, .flags = GT_FIELD_BY_NAME,
        .help =
            "of two classes, the one that f1, precision, recall, average_precision and eval.threshold "
            "are about; the classes keep their order (default: the second of class_names, or a word such as "
            "yes, true, 1 or positive beside its opposite, or else the second class); for several targets, "
            "a map from names to classes"),
    GT_ROW(gt_data_common, normalize, GT_FIELD_MAP, .sub = &gt_data_normalize_schema,
           .help = "normalization of the inputs: auto, none, standard, channel, or {mean: …, std: …}"),
    GT_ROW(gt_data_common, normalize_targets, GT_FIELD_CHOICE, .choices = target_methods,
           .help = "scaling of targets that are numbers, for the loss only; predictions and metrics keep the "
                   "data's units. standard: mean 0 and standard deviation 1 over the training split; auto: "
                   "standard for a csv in which a target's mean is more than 3 from 0 or its deviation is "
                   "not between 1/3 and 3, unless the model ends in an activation or expression (default: "
                   "auto)"),
    GT_ROW(gt_data_common, shape, GT_FIELD_INTS, .min = 1, .max = 1e9, .flags = GT_FIELD_BY_NAME,
           .help = "reshape each sample to this shape; for several inputs, a map from names to shapes "
                   "(default: as in the file)"),
    GT_ROW(gt_data_common, crop, GT_FIELD_INTS, .min = 1, .max = 65536,
           .help = "[height, width] of the center crop that the model reads; in training random_crop "
                   "or random_resized_crop chooses the position (default: the whole image)"),
    GT_ROW(gt_data_common, integers, GT_FIELD_STRINGS,
           .help = "inputs that contain indices from 0, for embeddings; the only input is called `input`"),
    GT_ROW(gt_data_common, validation, GT_FIELD_FLOAT, .fallback = "0", .max = 1, .flags = GT_FIELD_OPEN_MAX,
           .help = "fraction of the training samples to use as the validation split"),
    GT_ROW(gt_data_common, split, GT_FIELD_NODE, .fallback = "random", .definition = "split",
           .help =
               "which samples validation and test splits take: random (from the seed), last, stratified "
               "(random within each class), {column: NAME} (a column of a CSV says train, validation or "
               "test; {column: NAME, test: VALUES, validation: VALUES} for other values) or {group: NAME} "
               "(rows with the same value in this column are in one split)"),
    GT_ROW(
        gt_data_common, series, GT_FIELD_NODE, .definition = "series",
        .help =
            "samples are windows of consecutive rows, oldest first, and the targets are the rows after "
            "them: {window: 28, horizon: 7, time: date}; of each series the newest rows test and validate"),
    {.name = NULL},
};
static const gt_schema common_schema = {.name = "data", .help = "the dataset", .fields = common_fields};

const gt_data_format *const *gt_data_formats(int *count) {
  *count = FORMATS;
  return formats;
}

const char *gt_data_format_name(const gt_data_format *format) { return format->name; }
const gt_schema *gt_data_format_schema(const gt_data_format *format) { return format->schema; }
const gt_schema *gt_data_common_schema(void) { return &common_schema; }

static const gt_data_format *probe(const gt_data_probe *p) {
  for (int i = 0; i < FORMATS; i++)
    if (formats[i]->probe && formats[i]->probe(p)) return formats[i];
  return NULL;
}

/* The first file in `train: FILE`, `train: {inputs: FILE}` or `train: {inputs: {NAME: FILE}}`; NULL: none. */
static const gt_spec *first_file(const gt_data_reader *reader) {
  const gt_spec *train = gt_data_node(reader, "train", NULL);
  if (train && train->kind == GT_SPEC_MAP) train = gt_spec_find(train, "inputs");
  if (train && train->kind == GT_SPEC_MAP && train->count) train = train->child[0];
  return train && train->kind == GT_SPEC_SCALAR ? train : NULL;
}

/* Reports keys that no format has, such as `train_path`; false if there are none. */
static bool report_unknown_keys(gt_data_reader *reader) {
  enum { MAX_KEYS = 256 };
  const char *names[MAX_KEYS];
  size_t count = 0;
  bool any = false;
  for (int i = -1; i < FORMATS; i++)
    for (const gt_field *f = i < 0 ? common_fields : formats[i]->schema->fields; f->name; f++)
      if (count < MAX_KEYS) names[count++] = f->name;
  for (int i = 0; i < reader->spec->count; i++) {
    const gt_spec *child = reader->spec->child[i];
    size_t k = 0;
    while (k < count && strcmp(names[k], child->key)) k++;
    if (k < count) continue;
    const gt_hint hint = gt_hint_key(reader->diagnostics, "csv", child->key, child, names, count);
    gt_diagnostic *d =
        gt_error_at(reader->diagnostics, child->key_at, "unknown key '%s' in 'data'", child->key);
    d->suggestion = hint.suggestion;
    d->help = hint.help;
    any = true;
  }
  return any;
}

/* True if the beginning of a file is UTF-8 without control characters. */
static bool is_text(const gt_bytes *head) {
  uint32_t code;
  for (size_t i = 0, length; i + 4 <= head->size; i += length) {
    length = gt_utf8_read(head->data + i, head->size - i, &code);
    if (!length || (code < 32 && !strchr("\t\n\f\r", (int)code)) || !code || code == 127) return false;
  }
  return head->size >= 4;
}

/* Reports why no format was detected. found: the first file exists; text: it is text. */
static void report_unknown_format(gt_data_reader *reader, const gt_spec *first, bool found, bool text) {
  gt_diagnostics *diagnostics = reader->diagnostics;
  const char *formats_text = gt_list_of(reader->arena, format_names, FORMATS);
  if (report_unknown_keys(reader)) return;
  if (first && !found) {
    gt_data_find_file(reader, first);
    return;
  }
  if (!first) {
    gt_error_at(diagnostics, reader->spec->at, "cannot tell the format of the data")->expected =
        gt_arena_printf(reader->arena, "train: FILE, or format: one of %s", formats_text);
    return;
  }
  const char *dot = strrchr(first->scalar, '.');
  gt_diagnostic *d = gt_error_at(diagnostics, first->at, "cannot tell the format of '%s'", first->scalar);
  d->expected = gt_arena_printf(reader->arena, "format: one of %s", formats_text);
  if (text) d->help = "for a text, not a table: text: {vocabulary: char}";
  if (!dot) return;
  const gt_hint hint = gt_hint_name(diagnostics, "data format", dot + 1, format_names, FORMATS);
  if (hint.from_table && !hint.suggestion) d->help = hint.help, d->expected = NULL;
}

static const gt_data_format *choose_format(gt_data_reader *reader) {
  const gt_spec *named = gt_data_node(reader, "format", NULL);
  if (named) {
    const char *text = named->kind == GT_SPEC_SCALAR ? named->scalar : "";
    const int i =
        gt_schema_choose(named, text, named->at, "data format", format_names, FORMATS, reader->diagnostics);
    return i >= 0 ? formats[i] : NULL;
  }
  const gt_spec *first = first_file(reader);
  const gt_data_file found = first ? gt_data_locate(reader, first) : (gt_data_file){0};
  gt_data_probe p = {.spec = reader->spec, .path = found.path ? found.path : first ? first->scalar : NULL};
  /* A file from an untrusted source is not opened to detect its format. */
  if (found.path && !found.untrusted && !gt_data_read_head(found.path, &p.head, reader->error)) return NULL;
  const gt_data_format *format = probe(&p);
  if (!format) report_unknown_format(reader, first, found.path, is_text(&p.head));
  gt_bytes_finish(&p.head);
  return format;
}

/* Reports missing files. Called if other keys are wrong, so that one pass reports all errors. */
static void check_files(gt_data_reader *reader) {
  static const char *const splits_with_files[] = {"train", "test"}, *const keys[] = {"inputs", "targets"};
  for (int i = 0; i < 2; i++) {
    const gt_spec *split = gt_data_node(reader, splits_with_files[i], NULL);
    if (split && split->kind == GT_SPEC_SCALAR) gt_data_find_file(reader, split);
    for (int k = 0; k < 2; k++) {
      const gt_spec *node = split ? gt_spec_find(split, keys[k]) : NULL;
      if (node && node->kind == GT_SPEC_SCALAR) gt_data_find_file(reader, node);
      for (int n = 0; node && node->kind == GT_SPEC_MAP && n < node->count; n++)
        if (node->child[n]->kind == GT_SPEC_SCALAR) gt_data_find_file(reader, node->child[n]);
    }
  }
}

/* Class names are compared and stored in one Unicode form (NFC). */
static void compose_names(gt_arena *arena, gt_strings *names) {
  const char **composed = GT_NEW_N(arena, const char *, names->count + 1);
  for (int i = 0; i < names->count; i++) composed[i] = gt_nfc_in(arena, names->items[i]);
  names->items = composed;
}

static bool open_with(gt_data_reader *reader, const gt_data_format *format) {
  const int errors = reader->diagnostics->errors;
  gt_data_common *common = GT_NEW(reader->arena, gt_data_common);
  void *options = gt_arena_alloc(reader->arena, format->options_size);
  const char *where = gt_arena_printf(reader->arena, "in data of format '%s'", format->name);
  if (!gt_schema_read(format->schema, options, &common_schema, common, reader->spec, reader->spec->at, where,
                      reader->arena, reader->diagnostics)) {
    if (format->read_inputs) check_files(reader);
    return false;
  }
  compose_names(reader->arena, &common->class_names);
  compose_names(reader->arena, &common->classes.strings);
  reader->common = common;
  if (!gt_data_read_tasks(reader)) return false;
  reader->dataset->format = format->name;
  gt_data_add_unnamed_input(reader);
  return gt_data_check_class_keys(reader) && gt_data_read_split(reader) && gt_series_read(reader) &&
         format->open(reader, options) && gt_data_prepare(reader) && reader->diagnostics->errors == errors;
}

/* Replaces error messages that may quote the contents of an untrusted file. Errors of opening a file and of
 * memory quote nothing. */
static void hide_errors(gt_data_reader *reader) {
  const bool quoted = reader->diagnostics->errors > reader->after_lookup.errors;
  if (quoted || reader->error->status == GT_ERR_DATA) *reader->error = (gt_error){0};
  *reader->diagnostics = reader->after_lookup;
  if (!reader->after_lookup.errors)
    gt_fail(reader->error, GT_ERR_DATA,
            "%s: the data files recorded in this model do not match it; pass them yourself, as in --set "
            "data.train=FILE, to see the details",
            reader->wanted->untrusted);
}

/* The map of a dataset whose training files are the test files of `data`, and which is not divided. */
static const gt_spec *test_alone(const gt_spec *data, gt_arena *arena) {
  static const char *const renamed[][2] = {{"test", "train"}, {"test_targets", "targets"}},
                           *const removed[] = {"validation", "test_fraction", "split", "per_class"};
  gt_spec *map = gt_spec_copy(arena, data);
  for (size_t i = 0; i < sizeof removed / sizeof *removed; i++) gt_spec_remove(map, removed[i]);
  for (int i = 0; i < 2; i++) {
    gt_spec *test = gt_spec_find(map, renamed[i][0]);
    if (!test) continue;
    gt_spec_remove(map, renamed[i][1]);
    test->key = renamed[i][1];
  }
  return map;
}

bool gt_dataset_open(const gt_spec *data, uint64_t seed, const gt_data_requirements *wanted, gt_arena *arena,
                     gt_dataset *out, gt_diagnostics *diagnostics, gt_error *error) {
  static const gt_data_requirements nothing;
  assert(data && arena && out && diagnostics && error);
  *out = (gt_dataset){0};
  gt_data_reader reader = {.spec = data,
                           .wanted = wanted ? wanted : &nothing,
                           .seed = seed,
                           .arena = arena,
                           .dataset = out,
                           .diagnostics = diagnostics,
                           .error = error};
  if (data->kind != GT_SPEC_MAP) {
    gt_diagnostic *d = gt_error_at(diagnostics, data->at, "'data' must be a map");
    d->expected = "keys such as format and train";
    d->help = data->kind == GT_SPEC_SCALAR ? gt_hint_value("data", data, true).help : NULL;
    return false;
  }
  const gt_spec *train = gt_spec_find(data, "train"), *test = gt_spec_find(data, "test");
  out->only_test = reader.wanted->only_test && train && !gt_spec_is_null(test) &&
                   (train->kind == GT_SPEC_MAP) == (test->kind == GT_SPEC_MAP);
  if (out->only_test) reader.spec = test_alone(data, arena);
  gt_data_find_origin(&reader);
  const gt_data_format *format = choose_format(&reader);
  const bool ok = format && open_with(&reader, format);
  gt_sentences_finish(reader.sentences);
  free(reader.part);
  free(reader.group);
  gt_series_close(&reader);
  if (out->only_test) out->split[GT_PART_TEST] = out->split[GT_PART_TRAIN];
  if (ok) return true;
  if (reader.needs_training) {
    gt_data_requirements all = *wanted;
    all.only_test = false;
    gt_dataset_close(out);
    return gt_dataset_open(data, seed, &all, arena, out, diagnostics, error);
  }
  if (reader.trust.hidden) hide_errors(&reader);
  gt_dataset_close(out);
  return false;
}

void gt_dataset_close(gt_dataset *dataset) {
  for (int part = dataset->only_test ? GT_PART_TEST : 0; part < GT_PARTS; part++)
    gt_split_finish(&dataset->split[part]);
  *dataset = (gt_dataset){0};
}

/* Makes a signature of the inputs that a file must contain; *first: the index of the first of them in
 * `all`. */
static bool select_inputs(const gt_input_file *file, const gt_data_signature *all, gt_data_signature *out,
                          int *first, gt_error *error) {
  *out = *all;
  *first = 0;
  if (!file->name) return true;
  out->inputs = 1;
  for (; *first < all->inputs; ++*first) {
    out->input[0] = all->input[*first];
    if (!strcmp(out->input[0].name, file->name)) return true;
  }
  return gt_fail(error, GT_ERR_DATA, "the model has no input '%s'", file->name);
}

static bool have_same_input(const gt_input_file *a, const gt_input_file *b) {
  return a->name && b->name ? !strcmp(a->name, b->name) : a->name == b->name;
}

/* Reads file `first`; if it is a sample, with all later files of the same input. Marks them in done[]. */
static bool read_with(const gt_data_format *format, gt_input_reader reader, const gt_input_file *file,
                      int first, int files, bool *done) {
  const gt_input_file **list = gt_alloc((size_t)files * sizeof *list);
  for (int i = first; i < files; i++) {
    if (i > first && (!format->reads_samples || !have_same_input(&file[i], &file[first]))) continue;
    list[reader.files++] = &file[i];
    done[i] = true;
  }
  reader.file = list;
  const bool ok = format->read_inputs(&reader);
  free(list);
  return ok;
}

static bool read_input_file(gt_input_reader reader, const gt_input_file *file, int index, int files,
                            bool *done) {
  const gt_data_signature *all = reader.signature;
  gt_split *out = reader.out, read = {0};
  gt_error *error = reader.error;
  const char *path = file[index].path;
  gt_data_probe p = {.path = path};
  gt_data_signature wanted;
  int first;
  if (!select_inputs(&file[index], all, &wanted, &first, error)) return false;
  for (int k = first; k < first + wanted.inputs; k++)
    if (gt_split_input(out, k)->data)
      return gt_fail(error, GT_ERR_DATA, "input '%s' has more than one file: %s", all->input[k].name, path);
  if (!gt_data_read_head(path, &p.head, error)) return false;
  p.tokens = wanted.input[0].vocabulary != NULL;
  const gt_data_format *format = probe(&p);
  gt_bytes_finish(&p.head);
  if (!format && !strcmp(path, GT_STDIN)) /* standard input has no file name to detect the format by */
    format = probe(&(gt_data_probe){.path = GT_STDIN ".csv"});
  if (!format || !format->read_inputs)
    return gt_fail(
        error, GT_ERR_DATA,
        "%s: cannot tell its format; expected a file named .csv, .npy, .npz, .png, .jpg or -ubyte (IDX)",
        path);
  reader.signature = &wanted;
  reader.out = &read;
  const bool ok = read_with(format, reader, file, index, files, done);
  for (int i = 0; i < read.items; i++)
    gt_split_add(out, read.item[i].role, first + read.item[i].of, read.item[i].tensor);
  return ok;
}

bool gt_data_is_sample(const char *path) {
  gt_data_probe p = {.path = path};
  gt_error error = {0};
  if (!gt_data_read_head(path, &p.head, &error)) return false;
  const gt_data_format *format = probe(&p);
  gt_bytes_finish(&p.head);
  return format && format->reads_samples;
}

static bool check_all_read(const gt_input_reader *reader) {
  const gt_data_signature *signature = reader->signature;
  const gt_split *out = reader->out;
  for (int k = 0; k < signature->inputs; k++) {
    const char *name = signature->input[k].name;
    const gt_tensor *input = gt_split_input(out, k), *first = gt_split_input(out, 0);
    if (!input->data) return gt_fail(reader->error, GT_ERR_DATA, "no file for the model's input '%s'", name);
    if (input->dim[0] != first->dim[0])
      return gt_fail(
          reader->error, GT_ERR_DATA, "%" PRId64 " samples of the input '%s', but %" PRId64 " of '%s'%s",
          input->dim[0], name, first->dim[0], signature->input[0].name,
          reader->series ? "; the files need the same number of rows, and end with the rows ahead, where "
                           "only 'future' is read"
                         : "");
  }
  return true;
}

static bool read_rows(const gt_input_reader *reader, const gt_input_file *file, int files) {
  bool ok = true, *done = gt_alloc((size_t)files + 1);
  for (int i = 0; i < files && ok; i++) ok = done[i] || read_input_file(*reader, file, i, files, done);
  free(done);
  return ok && check_all_read(reader);
}

/* Reads the last window of each series in the files. */
static bool read_windows(const gt_input_reader *reader, const gt_input_file *file, int files) {
  gt_series_rows series = {.path = file[0].path, .groups = 1};
  gt_data_signature row = *reader->signature; /* of single rows, as the files have them */
  gt_input_reader rows = *reader;
  for (int k = 0; k < row.inputs; k++) row.input[k] = gt_series_row_input(&row.input[k]);
  rows.signature = &row;
  rows.series = &series;
  const bool ok = read_rows(&rows, file, files) && gt_series_make_last_windows(reader, &series);
  gt_series_rows_finish(&series);
  return ok;
}

bool gt_data_read_inputs(const gt_input_file *file, int files, const gt_data_signature *signature,
                         gt_input_rows *rows, gt_split *out, gt_error *error) {
  gt_arena arena;
  gt_input_rows unused = {.arena = &arena};
  const gt_input_reader reader = {
      .signature = signature, .rows = rows ? rows : &unused, .out = out, .error = error};
  *out = (gt_split){0};
  gt_arena_init(&arena);
  const bool ok = (signature->input[0].window ? read_windows : read_rows)(&reader, file, files);
  for (int k = 0; k < signature->inputs && ok; k++) {
    gt_tensor *input = gt_split_edit(out, GT_SAMPLE_INPUT, k);
    if (input->element == GT_ELEMENT_I32) input->limit = gt_data_limit(input);
    input->bits = gt_data_is_bits(&signature->input[k], input);
  }
  if (!ok) gt_split_finish(out);
  out->samples = gt_split_input(out, 0)->dim[0];
  gt_arena_finish(&arena);
  return ok;
}
