/* Data: reads one file format into host memory. A dataset has up to three splits, each of dense row-major
 * tensors whose first dimension is the sample: one or several inputs, and the targets. src/data does not
 * depend on models, graphs or devices.
 * Owner: the caller of gt_dataset_open. Tensors are heap memory, freed by gt_dataset_close; names and scaling
 * are in the arena. An open dataset never changes.
 *
 * Examples of configs (`gtrain schema` lists all keys; files named .gz are inflated):
 *   data: {format: idx, train: {inputs: a.gz, targets: b.gz}, test: {inputs: …, targets: …}, validation: 0.1}
 *   data: {format: npy, train: {inputs: x.npy, targets: y.npy}, test_fraction: 0.2}
 *   data: {train: arrays.npz, inputs: x, targets: y, test_fraction: 0.2}
 *   data: {format: csv, train: f.csv, test: g.csv, target: label, ignore: [id], normalize: standard}
 *   data: {format: images, train: photos, size: [64, 64], test_fraction: 0.2, normalize: channel}
 *   data: {train: photos, targets: masks, target_channels: 1, size: [64, 64], validation: 0.1}
 *   data: {format: cifar, train: [data_batch_1.bin, data_batch_2.bin], test: test_batch.bin}
 *   data: {format: function, formula: "exp(sin(pi*x0) + x1^2)", range: [-1, 1], samples: 1000}
 *   data: {format: table, inputs: [[0, 0], [0, 1], [1, 0], [1, 1]], targets: [[0], [1], [1], [0]]}
 * Several named inputs, which layers select with `from:`; columns, files or tables:
 *   data: {train: f.csv, target: income, inputs: {wide: [age, hours], job: [job]}, integers: [job]}
 *   data: {train: {inputs: {wide: a.npy, deep: b.npy}, targets: y.npy}}
 * Several named targets, each with a loss of its own and predicted by the layer of its name:
 *   data: {train: f.csv, targets: {load: load, place: [x, y], kind: kind}}, or targets: [load, kind]
 *   data: {train: {inputs: x.npy, targets: {depth: d.npy, kind: k.npy}}}
 * Windows of consecutive rows, and the rows after them (data/series/series.h; docs/sequences.md):
 *   data: {train: f.csv, series: {window: 28, horizon: 7, time: date}, target: load, future: [holiday]}
 * Windows of the tokens of a text, and texts with labels (data/open/text.c):
 *   data: {train: f.txt, text: {vocabulary: char, window: 128}}
 *   data: {train: f.csv, text: {column: review, vocabulary: word, length: 200}, target: label}
 *   data: {train: f.txt, text: {labels: true, length: 200}}: lines of a label, a tab and a text
 * Every format also takes:
 *   format          default: detected from the file name or contents, or from `formula`, `inputs`
 *   task            classification (targets are class numbers from 0), regression, or auto, which is
 *                   classification for
 *                   - idx, npy, table: whole-number targets, one per sample ([n], not [n, 1]),
 *                   - csv: one target column that holds text, or whole numbers without a decimal point in
 *                     which each of 0 … largest occurs (largest below 1000); the training file decides;
 *                     not columns of booleans (yes and no, true and false, 0 and 1) with the loss bce,
 *                     whose targets are 0 and 1,
 *                   - images: a folder per class; not folders of target images; a CSV as above,
 *                   - cifar: always,
 *                   - but not the whole numbers of a series, which are counts, unless the config has
 *                     `classes` or `class_names`,
 *                   - any format, if the config's loss accepts only class labels,
 *                   - function: never.
 *   classes         number of classes; default: the number of class_names, or the largest training label
 *                   plus one. A list selects classes: [boot, bag] or [9, 8], by class_names, a CSV's text
 *                   labels or the labels in the file (names are tried before numbers). Samples of
 *                   other classes are dropped from all splits; the selected classes are numbered from 0 in
 *                   this order.
 *   per_class       keep this many training samples of each class, the first in the file
 *   ignore_index    label that does not count in loss and metrics; default: none. Labels are one number per
 *                   sample, or with `task: classification` an array per sample: [samples, height, width]
 *                   has a label per pixel
 *   class_names     names of the classes in order; default for text labels of a CSV: sorted. Names that
 *                   differ only in their Unicode form are the same
 *   positive        of two classes, the one whose precision, recall and f1 are computed and that a threshold
 *                   is for (data/open/positive.c); for several targets {NAME: CLASS}. The classes keep their
 *                   numbers
 *   normalize       auto (standard for the numbers of a CSV, else none) | none | standard (mean and
 *                   deviation of each feature of the training split; a feature that does not vary keeps
 *                   deviation 1) | channel (of each channel, the last dimension, over all samples and
 *                   positions) | {mean: m, std: s, scale: c}: (value*c - m)/s with
 *                   one number, or one for each channel (last dimension), or one for each feature. c is
 *                   1/255 for bytes, else 1.
 *                   For one of several inputs: {method: none, inputs: {wide: standard}}.
 *   normalize_targets
 *                   auto | standard | none: whether the loss compares outputs with targets that are scaled to
 *                   mean 0 and deviation 1; read by the config, which knows the loss
 *                   (train/config/target_scaling.h)
 *   crop            [height, width] of the part of an image that the network reads: its center; in training
 *                   the random crop of `augment:`
 *   integers        inputs that contain indices from 0, for embeddings; they are not normalized
 *   shape           reshapes each sample: [8, 8], or {image: [8, 8]}
 *   validation      fraction of the training samples to split off; test_fraction likewise, if there is no
 *                   test file
 *   split           random (from the seed, the same on every machine) | last (the last samples) | stratified
 *                   (random within each class: the classes keep their shares) | {column: fold} (a column of
 *                   a CSV names the split of each row) | {group: customer} (the rows of a group stay
 *                   together). Samples are split off before any are dropped, so the splits do not depend on
 *                   classes or per_class
 * Relative file names: see gt_dataset_open.
 *
 * For a trained model (gt_data_requirements), data is read like the model's training data: the classes are
 * the model's, and the columns of a CSV are matched by the model's names. A list of classes then selects some
 * of the model's classes, which keep their numbers.
 *
 * Two kinds of errors: errors of the config go to the diagnostics, with a position; errors in a file go to
 * the gt_error (GT_ERR_DATA), with the file and row, for CSV "file:line:column: …". */
#ifndef GT_DATA_DATA_H
#define GT_DATA_DATA_H
#include "base/arena.h"
#include "base/error.h"
#include "data/range.h"
#include "data/split.h"
#include "spec/diagnostics.h"
#include "spec/schema.h"
#include "spec/spec.h"
#include <stdbool.h>
#include <stdint.h>

enum {
  GT_DATA_MAX_CLASSES = 1000000,
  GT_DATA_MAX_INTEGER = (1 << 24) - 1 /* a float, which files may contain, is exact up to here */
};

/* The network reads (value - center) * scale + shift. values[3][count] has the rows center, scale and shift;
 * value f of a sample uses column f % count. center is the mean rounded to float; shift corrects the
 * rounding. count 0: unscaled. values is NULL if they must be measured, but the samples are an outline. */
typedef struct gt_scaling {
  int64_t count;
  const float *values;
} gt_scaling;

/* For targets that are numbers: the loss compares the model's output with (target - mean) / deviation, and
 * predictions are output * deviation + mean. count: number of outputs; 0: unscaled. values: [2][count], the
 * means, then the deviations, which are positive. */
typedef struct gt_target_scaling {
  int64_t count;
  const float *values;
} gt_target_scaling;

#define GT_INPUT_NAME "input" /* name of the single input if the config gives no names */

typedef struct gt_input { /* one of the tensors that a model reads: the properties that all splits share */
  const char *name;
  gt_element element;
  int rank;
  int64_t dim[GT_DATA_MAX_RANK]; /* of one sample */
  int64_t crop[2];               /* height and width of the part that the network reads; 0: all */
  const struct gt_table *table;  /* CSV: how columns become values (data/column.h); NULL: all are numbers */
  const char *const *columns;    /* CSV: names, one per value of a sample; else NULL */
  const struct gt_vocabulary *vocabulary; /* for a text (tokens/tokens.h); NULL: the values are not tokens */
  /* CSV without a table: the value that replaces a missing one at prediction, one per column; NaN: none.
   * NULL: unknown. */
  const float *fills;
  gt_scaling scaling;   /* inputs of U8 always have one */
  gt_value_range range; /* of a trained model: the range of its training data; else unknown */
  bool window;          /* samples are windows of a series: dim[0] rows, `columns` and `table` of one row */
  double white; /* the raw value that the key `normalize.scale` maps to 1: 255 for bytes; 0 if unknown */
} gt_input;

/* One of the tensors that losses read: the properties that all splits share. */
typedef enum gt_positive_by { /* what decides which of two classes is the positive one */
                              GT_POSITIVE_BY_WORDS, /* yes beside no, 1 beside 0; also if there are not two
                                                       classes */
                              GT_POSITIVE_GIVEN,    /* the key `positive`, or the trained model */
                              GT_POSITIVE_LISTED,   /* it is the second of class_names */
                              GT_POSITIVE_UNNAMED   /* nothing: it is the second */
} gt_positive_by;
typedef struct gt_data_target {
  const char *name; /* NULL: the only target, which has no name in the config */
  bool classification;
  bool ignores;                   /* classification: `ignore_index` is set */
  int classes;                    /* classification: at least 1; regression: 0 */
  const char *const *class_names; /* one per class, or NULL */
  /* Of two classes, the one that metrics of one class and a threshold are about: 0 or 1. Of numbers: 1. */
  int positive;
  gt_positive_by positive_by;
  bool text_labels;           /* the files contain class names, not class numbers */
  const char *const *columns; /* CSV: names, one per value of a sample; else NULL */
  int column_count;
  int64_t horizon; /* of a series: number of predicted rows, each with all target columns; else 0 */
  /* Of a series from a CSV: names of the target columns. The names in `columns` also have the step. */
  const char *const *row_columns;
  /* CSV: [2 * columns], the words of the training file that are read as 0 and as 1 in each boolean column;
   * elements of other columns are NULL. NULL if no column is boolean. */
  const char *const *words;
  gt_target_scaling scaling; /* of a trained model, or set by the config */
  /* What baselines guess from: the sum of the training samples' weights for each class, or the mean of each
   * output. [training_count]: classes or outputs; NULL: unknown. Of a trained model, or set by the config. */
  const double *training;
  int training_count;
} gt_data_target;

typedef struct gt_column_summary { /* an input column of the training file, as it was read */
  const char *name, *kind;         /* "number", "boolean", "category", "date" */
  uint64_t missing;                /* cells without a value */
  const char *first[3];            /* its first values; NULL: missing, or there are fewer rows */
  int input;                       /* the first input that reads the column */
  int64_t stored;                  /* index of the column's first value in a sample of that input */
  int values;                      /* number of its values there: of a date, its parts */
} gt_column_summary;

/* A path in the `data:` map that is relative to the file of the map, not to the working directory. */
typedef struct gt_data_resolved_path {
  const gt_spec *node;
  const char *path; /* absolute */
  const struct gt_data_resolved_path *next;
} gt_data_resolved_path;

/* A setting that the format found in the training file. A saved config must have it, so that later files, and
 * later rows of this one, are read alike. */
typedef struct gt_data_found {
  const char *map;    /* the map of `data:` with the key: "series", "columns"; NULL: `data:` itself */
  const char *column; /* of the map `columns`: the column's name */
  const char *key, *value;
  const struct gt_data_found *next;
} gt_data_found;

typedef struct gt_dataset {
  const char *format;
  gt_split split[GT_PARTS]; /* the training split is never absent */
  int inputs;               /* at least 1 */
  gt_input input[GT_DATA_MAX_INPUTS];
  int targets; /* at least 1 */
  gt_data_target target[GT_DATA_MAX_TARGETS];
  const gt_column_summary *column; /* CSV: [columns], for display; else NULL */
  int columns;
  bool from_files, overridden; /* files were read; --set named some of them */
  /* No training file was read (gt_data_requirements.only_test): the training split is the test split, whose
   * tensors it shares. */
  bool only_test;
  /* Paths that a saved config must have in absolute form; or NULL. */
  const gt_data_resolved_path *resolved_paths;
  const gt_data_found *found; /* settings that are not in the `data:` map; NULL: none */
  const void *boards;         /* how format ca makes its boards (data/ca.h); NULL for other formats */
} gt_dataset;

/* The column that names the rows of a CSV (their ids), for predictions. */
typedef struct gt_row_ids {
  const char *asked;       /* a column that the file must have; NULL: the config's `id`, if the file has it */
  const char *column;      /* the column that was read; NULL: none */
  const char *const *text; /* [rows] the cells */
} gt_row_ids;

/* Groups and times of the forecasts of a series: one forecast per group, for the rows after its last
 * window. */
typedef struct gt_forecast_rows {
  int64_t series, horizon;                /* number of forecasts; rows of each */
  int64_t missing;                        /* number of groups without a forecast; each was warned of */
  const char *group_column, *time_column; /* of the file; NULL: none */
  const char *const *group;               /* [series]; NULL: there are no groups */
  const char *const *time; /* [series][horizon] of the predicted rows, "" if unknown; NULL: no times */
} gt_forecast_rows;

/* What gt_data_read_inputs finds besides the inputs. */
typedef struct gt_input_rows {
  gt_row_ids ids;              /* of a CSV, if the model's data is not a series */
  gt_forecast_rows forecast;   /* of a series */
  gt_diagnostics *diagnostics; /* receives the findings; NULL: they are logged */
  gt_arena *arena;             /* receives the names */
} gt_input_rows;

/* The data that a trained model expects. */
typedef struct gt_data_signature {
  int inputs;
  gt_input input[GT_DATA_MAX_INPUTS];         /* element: the type that it was trained with */
  int targets;                                /* at least 1 */
  gt_data_target target[GT_DATA_MAX_TARGETS]; /* elements of `words` are "" instead of NULL */
  /* The `data:` map; new CSV files are read with its header, delimiter, decimal, skip and id. Or NULL. */
  const gt_spec *data;
} gt_data_signature;

/* `data.series`: samples are windows of consecutive rows (data/series/series.h). */
typedef struct gt_data_series {
  int64_t window, horizon, stride, season;
  const char *time, *group; /* columns of a CSV; or NULL */
  const char *gaps;         /* whether windows may cross a gap in the times: "split" (no), "ignore" (yes) */
  const char *order;        /* how the dates of `time` are written (gt_date_orders); NULL: found from them */
} gt_data_series;
/* The name of a target of a series without its step: "temp_max" of "temp_max+1". In the arena. */
const char *gt_data_series_target(const char *name, gt_arena *arena);
/* True if the input has the rows after the window, whose values are known in advance. */
bool gt_series_is_ahead(const gt_input *input);
#define GT_SERIES_PAST  "past"   /* the input with the window, if there is also GT_SERIES_AHEAD */
#define GT_SERIES_AHEAD "future" /* the input with the rows after the window */
/* The settings of `data.series` in a valid `data:` map; window 0: the data is not a series. */
gt_data_series gt_data_series_options(const gt_spec *data);

typedef struct gt_data_range { /* allowed range of numeric targets */
  double low, high;
  const char *whose; /* what requires the range, for messages: "loss 'bce'" */
} gt_data_range;

typedef struct gt_data_loss_needs { /* what a loss needs of its target */
  const gt_data_range *range;       /* allowed range of numbers; NULL: any */
  bool labels;                      /* it needs class labels: decides `task: auto` */
  bool bits; /* it needs 0 or 1: boolean columns of a CSV become numbers, not classes */
} gt_data_loss_needs;

/* What the caller of gt_dataset_open needs from the dataset, and whether its paths are trusted. All zero: no
 * requirements. */
typedef struct gt_data_requirements {
  /* The trained model that the data is for: the dataset takes its inputs and their scaling, and the classes
   * and columns of its targets. */
  const gt_data_signature *signature;
  gt_data_loss_needs demand[GT_DATA_MAX_TARGETS]; /* in the order of gt_data_target_names */
  /* True if the model or the loss needs unscaled numbers: `normalize: auto` then does not scale a table. */
  bool unscaled;
  /* Name (as in gt_position.file) of a file whose author the user may not trust, such as a downloaded model.
   * Paths in it are opened only if they are regular files, a message names them before they are read, and no
   * error message quotes their contents. NULL: all are trusted. */
  const char *untrusted;
  /* For a trained model: if the map names test files, only these are read. */
  bool only_test;
  /* Only shapes, counts and classes are needed: tensors above GT_DATA_OUTLINE bytes have no data, and
   * nothing is read, decoded or computed for it. Class labels and integer inputs always have their data. */
  bool outline;
} gt_data_requirements;

/* Opens the dataset that the `data:` map describes. A relative path is looked up in the working directory,
 * then in the folder of the map's file, then in the folder above that (configs/ next to datasets/). If the
 * map is in a run directory and the path was not given by --set, the directory in which the run was started
 * (gt_lock_origin) comes first.
 * False: errors in diagnostics (bad config) or in *error (bad file, memory); *out is then empty. The seed
 * determines splits and samples. wanted: NULL is the same as all zero. */
bool gt_dataset_open(const gt_spec *data, uint64_t seed, const gt_data_requirements *wanted, gt_arena *arena,
                     gt_dataset *out, gt_diagnostics *diagnostics, gt_error *error);
void gt_dataset_close(gt_dataset *dataset); /* accepts a zeroed dataset */
/* Adds what the format found in the training file (gt_dataset.found) to the `data:` map. */
void gt_dataset_write_found(const gt_dataset *dataset, gt_spec *data, gt_arena *arena);
int64_t gt_input_features(const gt_input *input);
/* Number of values that `columns` and `table` describe: those of a sample, or of one row of a window. */
int64_t gt_input_row_features(const gt_input *input);
/* Sets dim[0 … rank - 1] to the shape of a sample as the network reads it: after the crop, with one value per
 * category. */
void gt_input_network_shape(const gt_input *input, int64_t *dim);
/* True if the scaling changes value `value` of a sample. The scaling must have values. */
bool gt_input_is_scaled(const gt_input *input, int64_t value);
/* Names of the values that the network reads, for a table; else NULL. */
const char *const *gt_input_feature_names(const gt_input *input);

/* Where one column of a table is stored: feature `feature` of each sample of an input. */
typedef struct gt_column_place {
  int input;
  int64_t feature;
} gt_column_place;
typedef struct gt_column_group { /* a column of the file and all its places */
  const char *name;
  gt_column_place *place;
  int places;
} gt_column_group;
/* The input columns of a table, in the order in which the inputs read them; returns their number, 0 if the
 * data is not a table. *groups is in the arena. */
int gt_column_groups(const gt_dataset *dataset, gt_arena *arena, gt_column_group **groups);
const gt_split *gt_dataset_split(const gt_dataset *dataset, int part); /* NULL: there is none */
/* Tensors of the training split, which is never absent. */
static inline const gt_tensor *gt_train_input(const gt_dataset *dataset, int input) {
  return gt_split_input(&dataset->split[GT_PART_TRAIN], input);
}
static inline const gt_tensor *gt_train_target(const gt_dataset *dataset, int target) {
  return gt_split_target(&dataset->split[GT_PART_TRAIN], target);
}
/* The split on which a model is evaluated by default: test, else validation, else train. */
int gt_dataset_default_part(const gt_dataset *dataset);

/* The names of the inputs in the `data:` map, even if the rest of the map is wrong; returns their number. */
int gt_data_input_names(const gt_spec *data, const char *names[GT_DATA_MAX_INPUTS]);
/* The same for the targets; 0: the only target has no name. */
int gt_data_target_names(const gt_spec *data, const char *names[GT_DATA_MAX_TARGETS]);

/* Hashes of a dataset: equal if training sees the same data (shapes, element types, contents, classes with
 * their names, scaling). An absent split has a hash too; 0 never occurs. */
typedef struct gt_data_fingerprint {
  uint64_t split[GT_PARTS], meaning; /* meaning: classes and scaling */
} gt_data_fingerprint;
gt_data_fingerprint gt_dataset_fingerprint(const gt_dataset *dataset);
/* For messages about data that differs: if a column has dates with times, that earlier versions of gtrain
 * rounded those, so that the same files have another hash now; else "". */
const char *gt_dataset_note_on_times(const gt_dataset *dataset);
/* The hash `meaning` of the inputs and targets of a dataset, or of a model's signature. */
uint64_t gt_meaning_fingerprint(const gt_input *input, int inputs, const gt_data_target *target, int targets);
/* The hash of the split's current contents. */
uint64_t gt_split_fingerprint(const gt_split *split, int inputs, int targets);
/* Mean and deviation of each value of a target, F32 [samples, t], over the training samples, without their
 * weights; a value that does not vary gets deviation 1. horizon: of a series, t = horizon * columns, whose
 * columns have the same scaling in all steps; else 0. In the arena. */
gt_target_scaling gt_data_measure_target(const gt_tensor *target, int64_t horizon, gt_arena *arena);
/* A target as the loss reads it. */
static inline double gt_target_scaled(const gt_target_scaling *scaling, int64_t output, double target) {
  if (!scaling->count) return target;
  return (target - (double)scaling->values[output]) / (double)scaling->values[scaling->count + output];
}

typedef struct gt_input_file {
  const char *name; /* the input that the file contains; NULL: all inputs */
  const char *path;
  /* Set to true if the file is one of several samples and cannot be read; then it is skipped with a warning.
   * NULL: a file that cannot be read is an error. */
  bool *bad;
} gt_input_file;

/* Reads inputs without targets, for predictions, from files of any format that supports it (idx, npy, npz,
 * csv, images). Together the files must contain each of the model's inputs once; each image is one sample, in
 * the order of the files. An input is [n, signature dims]; U8 only if both the file and the training data are
 * U8. Its values are in the units of the training data, before scale and shift. GT_ERR_DATA if a file does
 * not fit. The caller frees the split (gt_split_finish). rows: NULL if only the inputs are wanted. */
bool gt_data_read_inputs(const gt_input_file *file, int files, const gt_data_signature *signature,
                         gt_input_rows *rows, gt_split *out, gt_error *error);

/* Lists the images (.png, .jpg, .jpeg) in a folder and its subfolders, sorted by path; logs how many other
 * files it skips. NULL: error, GT_ERR_DATA if there are none. In the arena. */
const char *const *gt_data_list_pictures(const char *folder, gt_arena *arena, size_t *count, gt_error *error);

/* True if the format of the file has one sample per file, such as an image. */
bool gt_data_is_sample(const char *path);

/* Writes a tensor of any element type, atomically. */
bool gt_data_write_npy(const char *path, const gt_tensor *tensor, gt_error *error);

/* All formats, for help and `gtrain schema`. The map of a format takes the keys of its own schema and of the
 * common one. */
typedef struct gt_data_format gt_data_format;
const gt_data_format *const *gt_data_formats(int *count);
const char *gt_data_format_name(const gt_data_format *format);
const gt_schema *gt_data_format_schema(const gt_data_format *format);
const gt_schema *gt_data_common_schema(void);
extern const gt_schema gt_data_normalize_schema, gt_data_split_schema, gt_data_series_schema;
#endif
