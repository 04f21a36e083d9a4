#include "data/open/sentences.h"
#include "base/count.h"
#include "base/log.h"
#include "base/memory.h"
#include "data/table/table.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 2 }; /* training file, test file */

typedef struct gt_sentences {
  const gt_sentence_options *options;
  gt_text_view *items; /* the texts, which point into `file`; heap */
  size_t count, capacity;
  gt_bytes file[MAX_FILES];
  int files;
} gt_sentences;

/* --- files --- */

/* For a file of lines: sets the columns of the label and of the text. */
static void choose_label_and_text(gt_data_reader *reader, gt_table_file *file) {
  const char **name = GT_NEW(reader->arena, const char *);
  *name = "label";
  reader->dataset->target[0].columns = name;
  reader->dataset->target[0].column_count = 1;
  gt_table_use(file, GT_USE_TARGET, 0);
  gt_csv_set_target_readings(reader, file);
  gt_table_use(file, GT_USE_SOURCE, 1);
}

static bool choose_columns(gt_data_reader *reader, const gt_sentence_options *o, gt_table_file *file) {
  const gt_spec *text = gt_data_node(reader, "text", "column");
  if (!o->column) {
    choose_label_and_text(reader, file);
    return true;
  }
  return gt_csv_choose_source(reader, file, o->target, o->column, text ? text->at : reader->spec->at,
                              o->target.count
                                  ? "would be both the text and a target"
                                  : "is the text, and without 'target' the last column is the target: "
                                    "name it, data: {target: COLUMN}");
}

/* Adds the texts, which point into the file's bytes. */
static void add_texts(const gt_table_file *file, gt_sentences *s) {
  const gt_table_column *column = gt_table_find(file, GT_USE_SOURCE);
  for (size_t row = 0; row < file->rows; row++) {
    const gt_cell *text = gt_table_cell(file, column, row);
    *GT_PUSH(s) =
        (gt_text_view){(const uint8_t *)text->text, text->length, file->csv.path, file->csv.bytes.data};
  }
}

/* Creates the input: until the vocabulary is known, the first value of a sample is the index of its text. */
static bool number_samples(gt_split *split, int64_t length, size_t first, gt_error *error) {
  gt_tensor *input =
      gt_split_add(split, GT_SAMPLE_INPUT, 0,
                   (gt_tensor){.element = GT_ELEMENT_I32, .rank = 2, .dim = {split->samples, length}});
  if (!gt_tensor_alloc(input, "the texts", error)) return false;
  for (int64_t i = 0; i < split->samples; i++)
    ((int32_t *)input->data)[i * length] = (int32_t)(first + (size_t)i);
  return true;
}

static bool read_file(gt_data_reader *reader, gt_sentences *s, gt_data_file file, int part) {
  gt_split *split = &reader->dataset->split[part];
  const gt_sentence_options *o = s->options;
  const gt_csv_form form = {.lines = o->column ? GT_CSV_TABLE : GT_CSV_LABELLED,
                            .known = {o->target, {.items = (const char *[]){o->column}, .count = 1}}};
  const size_t first = s->count;
  gt_table_file table = {0};
  gt_data_set_trust(reader, part, gt_data_are_trusted(&file, 1));
  bool ok = gt_table_open(&table, file, &form, reader->error) && choose_columns(reader, o, &table) &&
            gt_table_read(&table);
  if (ok) add_texts(&table, s);
  ok = ok && gt_csv_read_targets(reader, &table, part == GT_PART_TRAIN, split) &&
       number_samples(split, o->length, first, reader->error);
  s->file[s->files++] = table.csv.bytes;
  table.csv.bytes = (gt_bytes){0};
  gt_table_close(&table);
  return ok;
}

bool gt_sentences_open(gt_data_reader *reader, const gt_sentence_options *options, gt_data_file train,
                       gt_data_file test) {
  gt_sentences *s = reader->sentences = gt_alloc(sizeof *s);
  s->options = gt_arena_copy(reader->arena, options, sizeof *options);
  return read_file(reader, s, train, GT_PART_TRAIN) &&
         (!test.path || read_file(reader, s, test, GT_PART_TEST));
}

void gt_sentences_finish(gt_sentences *s) {
  if (!s) return;
  for (int i = 0; i < s->files; i++) gt_bytes_finish(&s->file[i]);
  free(s->items);
  free(s);
}

/* --- vocabulary --- */

static gt_text_view *text_of(const gt_sentences *s, const gt_split *split, int64_t sample) {
  const int32_t *index =
      (const int32_t *)gt_split_input(split, 0)->data + sample * gt_split_input(split, 0)->dim[1];
  return &s->items[*index];
}

/* The texts from which the vocabulary is learned, one after another: those of the training split, or all if
 * the tokenizer learns from the whole file. */
static gt_text_view join_texts(const gt_sentences *s, const gt_split *train) {
  const bool all = !s->options->type->is_trained;
  const int64_t count = all ? (int64_t)s->count : train->samples;
  size_t size = 0;
  for (int64_t i = 0; i < count; i++) size += (all ? &s->items[i] : text_of(s, train, i))->size + 1;
  uint8_t *data = gt_alloc(size + 1);
  size = 0;
  for (int64_t i = 0; i < count; i++) {
    const gt_text_view *text = all ? &s->items[i] : text_of(s, train, i);
    memcpy(data + size, text->data, text->size);
    size += text->size;
    if (!s->options->type->is_exact) data[size++] = '\n'; /* between words */
  }
  return (gt_text_view){data, size, s->items[0].name, NULL};
}

static const gt_vocabulary *learn(gt_data_reader *reader) {
  const gt_sentences *s = reader->sentences;
  const gt_data_signature *model = reader->wanted->signature;
  if (model) return model->input[0].vocabulary;
  const gt_text_view joined = join_texts(s, &reader->dataset->split[GT_PART_TRAIN]);
  const gt_vocabulary *v =
      gt_vocabulary_learn(s->options->type, s->options->vocabulary, &joined, reader->arena, reader->error);
  free((uint8_t *)(uintptr_t)joined.data);
  return v;
}

/* --- samples --- */

typedef struct tally {
  int64_t samples, cut; /* number of samples; of samples longer than `length`, which are cut */
  int64_t tokens;       /* number of tokens in all samples, after cutting */
  int64_t longest;      /* number of tokens of the longest sample, before cutting */
  int64_t unknown;      /* number of samples without any token of the vocabulary */
} tally;

/* Writes the tokens of a text to a row of `length`, padded with 0, and their number to *counted. */
static bool encode_row(const gt_vocabulary *v, const gt_text_view *text, int32_t *row, int64_t length,
                       int32_t *counted, tally *sum, gt_error *error) {
  gt_ids ids = {gt_alloc((text->size + 1) * sizeof(int32_t)), 0};
  const bool ok = gt_vocabulary_encode(v, text, &ids, error);
  const int64_t count = gt_min_i64(ids.count, length);
  for (int64_t i = 0; i < length; i++)
    row[i] = i >= count                   ? 0
             : gt_vocabulary_is_narrow(v) ? ((const uint8_t *)ids.data)[i]
                                          : ((const int32_t *)ids.data)[i];
  *counted = (int32_t)count;
  sum->samples++;
  sum->cut += ids.count > length;
  sum->tokens += count;
  sum->longest = gt_max_i64(sum->longest, ids.count);
  int64_t known = 0;
  for (int64_t i = 0; i < count; i++) known += row[i] != v->unknown;
  sum->unknown += !known;
  free(ids.data);
  return ok;
}

/* Adds the lengths of the samples; NULL after an error. */
static int32_t *add_lengths(gt_split *split, gt_error *error) {
  gt_tensor *lengths = gt_split_add(
      split, GT_SAMPLE_LENGTH, 0, (gt_tensor){.element = GT_ELEMENT_I32, .rank = 1, .dim = {split->samples}});
  return gt_tensor_alloc(lengths, "the lengths", error) ? lengths->data : NULL;
}

static bool encode_split(const gt_sentences *s, const gt_vocabulary *v, gt_split *split, tally *sum,
                         gt_error *error) {
  if (!split->samples) return true;
  int32_t *length = add_lengths(split, error);
  const gt_tensor *input = gt_split_input(split, 0);
  for (int64_t i = 0; i < split->samples && length; i++) {
    int32_t *row = (int32_t *)input->data + i * input->dim[1];
    if (!encode_row(v, text_of(s, split, i), row, input->dim[1], &length[i], sum, error)) return false;
  }
  return length;
}

static void log_summary(const gt_data_reader *reader, const gt_vocabulary *v, const tally *c) {
  const int64_t length = reader->sentences->options->length;
  if (reader->wanted->signature || reader->trust.untrusted) return;
  gt_info("text: %d tokens in the vocabulary; %" PRId64 " of %" PRId64 " samples are longer than %" PRId64
          " tokens and cut (the longest has %" PRId64 "); %.0f %% of a batch is padding",
          v->size, c->cut, c->samples, length, c->longest,
          100 * (1 - (double)c->tokens / (double)(c->samples * length)));
}

bool gt_data_fit_sentences(gt_data_reader *reader) {
  gt_sentences *s = reader->sentences;
  gt_dataset *dataset = reader->dataset;
  tally c = {0};
  if (!s) return true;
  for (size_t i = 0; i < s->count; i++)
    if (!gt_text_clean(s->options->type, &s->items[i], reader->error)) return false;
  const gt_vocabulary *v = learn(reader);
  for (int i = 0; v && i < GT_PARTS; i++)
    if (!encode_split(s, v, &dataset->split[i], &c, reader->error)) return false;
  if (v) log_summary(reader, v, &c);
  dataset->input[0].vocabulary = v;
  return v;
}

/* --- predictions --- */

static bool choose_text(gt_table_file *file, const char *column) {
  const gt_csv *csv = &file->csv;
  const int found = column ? gt_csv_find(csv, column) : csv->columns - 1;
  if (found < 0)
    return gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: there is no column '%s'%s", csv->path, column,
                   gt_csv_header_note(csv, column));
  gt_table_use(file, GT_USE_SOURCE, found);
  return true;
}

bool gt_sentences_read(const char *path, const char *column, const gt_input *input, gt_split *out,
                       gt_error *error) {
  const gt_csv_form form = {.lines = column ? GT_CSV_TABLE : GT_CSV_TEXTS,
                            .known = {{.items = &column, .count = 1}}};
  gt_table_file file = {0};
  tally sum = {0};
  bool ok = gt_table_open(&file, (gt_data_file){.path = path}, &form, error) && choose_text(&file, column) &&
            gt_table_read(&file);
  out->samples = (int64_t)file.rows;
  gt_tensor *tokens =
      gt_split_add(out, GT_SAMPLE_INPUT, 0,
                   (gt_tensor){.element = GT_ELEMENT_I32, .rank = 2, .dim = {out->samples, input->dim[0]}});
  ok = ok && gt_tensor_alloc(tokens, path, error);
  int32_t *row = tokens->data, *length = ok ? add_lengths(out, error) : NULL;
  ok = length;
  for (int64_t i = 0; ok && i < out->samples; i++) {
    const gt_cell *cell = &file.cells[i];
    gt_text_view text = {(const uint8_t *)cell->text, cell->length, path, file.csv.bytes.data};
    ok =
        gt_text_clean(input->vocabulary->type, &text, error) &&
        encode_row(input->vocabulary, &text, row + i * input->dim[0], input->dim[0], &length[i], &sum, error);
  }
  if (ok && sum.unknown)
    gt_warn("%s: no word of %" PRId64 " of %" PRId64
            " texts is known to the model; predictions for them are meaningless",
            path, sum.unknown, sum.samples);
  gt_table_close(&file);
  return ok;
}
