/* Data in which each sample is a text: from a column of a CSV, with targets from other columns, or from a
 * file whose lines are a label, a tab and a text. Until the splits are known, a sample is the index of its
 * text in a list. Then the vocabulary is learned from the training samples, and each sample becomes `length`
 * tokens: longer texts are cut, shorter ones are padded at the end. */
#ifndef GT_DATA_SENTENCES_H
#define GT_DATA_SENTENCES_H
#include "data/format.h"
#include "tokens/tokens.h"

typedef struct gt_sentence_options {
  const char *column; /* of a CSV; NULL: lines with labels */
  gt_strings target;  /* columns of a CSV; empty: the last column */
  int64_t length;     /* tokens of a sample */
  const gt_tokenizer_type *type;
  gt_vocabulary_options vocabulary;
} gt_sentence_options;

/* Reads the files. test.path: NULL if there is no test file. */
bool gt_sentences_open(gt_data_reader *reader, const gt_sentence_options *options, gt_data_file train,
                       gt_data_file test);
/* For predictions: reads texts from a column of a CSV, or if `column` is NULL, from lines, as tokens in the
 * shape of the input. */
bool gt_sentences_read(const char *path, const char *column, const gt_input *input, gt_split *out,
                       gt_error *error);
#endif
