/* A data format: one constant row, exported as gt_data_NAME by src/data/NAME.c and registered with
 * GT_REGISTER(data, NAME). A format reads files into raw splits; data.c and prepare.c do what all formats
 * share: choosing the format, splitting, class counts, scaling. Only src/data and its tests include this
 * header. */
#ifndef GT_DATA_FORMAT_H
#define GT_DATA_FORMAT_H
#include "base/file.h"
#include "base/register.h"
#include "data/data.h"

/* Limit in bytes for a pipe or an inflated file. Other files are limited by their size on disk. */
#define GT_DATA_INFLATE_LIMIT (4ull << 30)

/* Up to this many bytes, an outline (gt_data_requirements) is read completely: it takes a tenth of a second
 * and also finds bad values. */
#define GT_DATA_OUTLINE (16ull << 20)

typedef enum gt_data_task { GT_TASK_AUTO, GT_TASK_CLASSIFICATION, GT_TASK_REGRESSION } gt_data_task;

typedef struct gt_data_normalize {
  const char *method; /* "auto", "none", "standard", "channel" */
  gt_floats mean, std;
  double scale;          /* 0: the default */
  const gt_spec *inputs; /* settings of single inputs, by name */
} gt_data_normalize;

typedef struct gt_data_split { /* exactly one of method, column and group is set */
  const char *method;          /* "random", "last", "stratified" */
  const char *column, *group;
  /* Values of `column` that mean these splits. Both empty: the values are names of splits. */
  gt_strings test, validation;
} gt_data_split;

typedef struct gt_data_common { /* keys that every format has */
  const char *format;
  gt_named task;             /* of const char *, by target */
  const gt_spec *series;     /* read into gt_data_reader.series */
  const gt_spec *split;      /* read into gt_data_reader.split */
  gt_int_or_strings classes; /* number of classes, or a list of them */
  int64_t per_class;         /* 0: all */
  int64_t ignore_index;      /* valid if the map has the key */
  gt_strings class_names;
  gt_named positive; /* of const char *, by target */
  gt_data_normalize normalize;
  const char *normalize_targets; /* not used here, but in train/config/target_scaling.h */
  gt_named shape;                /* of gt_ints, by input */
  gt_ints crop;
  gt_strings integers;
  double validation;
} gt_data_common;

/* Whether error messages may be shown (trust.c). */
typedef struct gt_data_trust {
  bool untrusted;         /* an untrusted file was read */
  bool hidden;            /* errors are hidden, because they may quote an untrusted file */
  bool is_safe[GT_PARTS]; /* errors about the files of this split cannot quote one */
} gt_data_trust;

/* Which columns of a file an input reads. */
typedef struct gt_typed_use {
  const struct gt_typed_table *table;
  const int32_t *place; /* [columns] index of each in table->item */
  int64_t columns;      /* of the input */
} gt_typed_use;

/* State of opening a dataset. The format fills dataset->train and, if there is one, dataset->test (for
 * classification: targets I32 [n], labels not yet checked against the number of classes), and the
 * classification flags and names of dataset->target. */
typedef struct gt_data_reader {
  const gt_spec *spec; /* the `data:` map */
  const gt_data_common *common;
  const gt_data_requirements *wanted; /* never NULL */
  /* By target. AUTO: the format decides. Never AUTO for a trained model. */
  gt_data_task task[GT_DATA_MAX_TARGETS];
  uint64_t seed;
  double test_fraction;               /* set by formats that have the key */
  const char *train_name, *test_name; /* set by the format: the files of the targets, for messages */
  const char *origin; /* working directory of the run that the map belongs to; NULL: the current one */
  gt_data_split split;
  struct gt_series *series; /* NULL: each row is a sample (data/series/series.h) */
  bool has_splits;          /* set by a format that divides its samples into splits itself */
  bool needs_training; /* set by a format that cannot read test files alone; it then fails without a report */
  struct gt_sentences *sentences; /* the samples are texts (data/open/sentences.h); or NULL */
  uint8_t *part;  /* split of each sample of the training file, if `split.column` names them; heap */
  int32_t *group; /* group of each of these samples, from 0, for `split.group`; heap */
  const char *const *group_names; /* [groups] */
  int groups;
  struct gt_typed_table *typed;             /* CSV: the columns of the inputs (data/table/table.h); or NULL */
  gt_typed_use use[GT_DATA_MAX_INPUTS];     /* the columns of each input */
  const uint8_t *scale[GT_DATA_MAX_INPUTS]; /* gt_scale_method of each stored value; NULL: as `normalize` */
  gt_data_trust trust;
  gt_diagnostics after_lookup; /* copy of *diagnostics after the last lookup of a file */
  gt_arena *arena;
  gt_dataset *dataset;
  gt_diagnostics *diagnostics;
  gt_error *error;
} gt_data_reader;

/* What is known about a source when its format is detected. */
typedef struct gt_data_probe {
  const gt_spec *spec; /* the `data:` map; NULL when inputs are read for predictions */
  const char *path;    /* the file's name; NULL if there is none */
  gt_bytes head;       /* its first bytes, inflated */
  bool tokens;         /* for predictions: the model reads tokens of a text */
} gt_data_probe;

/* State of reading inputs for predictions. */
typedef struct gt_input_reader {
  /* Describes the inputs that the file must contain; of a series: single rows. */
  const gt_data_signature *signature;
  const gt_input_file *const *file; /* [files]; one, except for formats with one sample per file */
  int files;
  struct gt_series_rows *series; /* of a series, filled while its rows are read; else NULL */
  gt_input_rows *rows;           /* never NULL */
  gt_split *out;                 /* receives the inputs; the caller frees it, also after a failure */
  gt_error *error;
} gt_input_reader;

struct gt_data_format {
  const char *name;
  const gt_schema *schema;
  size_t options_size;                       /* size of the struct that the schema fills */
  bool (*probe)(const gt_data_probe *probe); /* NULL: the config must name the format */
  bool (*open)(gt_data_reader *reader, const void *options);
  bool (*read_inputs)(gt_input_reader *reader); /* NULL: not supported */
  bool reads_samples; /* each file is a sample of a single input; read_inputs reads all of them at once */
};

/* --- inputs by name (inputs.c) --- */

/* Adds the single unnamed input that every dataset has at first. Its element is I32 if the config lists it in
 * `integers`, else F32. */
void gt_data_add_unnamed_input(gt_data_reader *reader);
/* Replaces the unnamed input by those that the node names, if it is a map. False after reporting, also if a
 * trained model has other inputs. */
bool gt_data_name_inputs(gt_data_reader *reader, const gt_spec *inputs);
/* True if the inputs match those of the trained model, in its order. False after reporting. */
bool gt_data_match_inputs(gt_data_reader *reader);
/* The node of a split for input `index`: the map's entry, or the node itself. NULL after reporting. */
const gt_spec *gt_data_input_node(gt_data_reader *reader, const gt_spec *inputs, const char *split,
                                  int index);
/* The index of the input with this name; -1 after reporting at `at`. */
int gt_data_find_input(gt_data_reader *reader, const char *name, gt_position at);
/* The smallest gt_tensor.limit that fits the tensor's integers. */
int64_t gt_data_limit(const gt_tensor *tensor);
/* The value for gt_tensor.bits. input: may be NULL. */
bool gt_data_is_bits(const gt_input *input, const gt_tensor *tensor);
/* Converts bytes or floats to integers from 0 to GT_DATA_MAX_INTEGER; an error if a value is not one. */
bool gt_data_to_integers(const char *path, gt_tensor *tensor, gt_error *error);

/* --- targets by name (targets.c) --- */

/* Replaces the single unnamed target that every dataset has at first by those that the node names, if any.
 * False after reporting, also if a trained model has other targets. */
bool gt_data_name_targets(gt_data_reader *reader, const gt_spec *targets);
/* Target `index` of the trained model; all zero if there is no model. */
const gt_data_target *gt_data_model_target(const gt_data_reader *reader, int index);
/* The node of a split for target `index`: the map's entry, or the node itself. NULL after reporting. */
const gt_spec *gt_data_target_node(gt_data_reader *reader, const gt_spec *targets, const char *split,
                                   int index);
/* True if there is one target; else reports that `key` (or "key: value") works only with a single target. */
bool gt_data_has_one_target(gt_data_reader *reader, const char *key);
/* The target that an entry of a map by target names is for; -1 after reporting that there is none. unnamed:
 * what is expected instead of a map if the only target has no name. */
int gt_data_named_target(gt_data_reader *reader, const gt_named *given, int entry, const char *unnamed);
/* True if `task: auto` reads whole numbers as quantities. It does for a series, where they are usually
 * counts, unless the config names classes. */
bool gt_data_has_quantities(const gt_data_reader *reader);
/* Sets the tasks that the config, the trained model or a loss determines. False after reporting. */
bool gt_data_read_tasks(gt_data_reader *reader);

/* --- helpers shared by the formats (files.c) --- */

/* A file to read. An untrusted one (gt_data_requirements.untrusted) must be a regular file, and a message
 * names it before it is read. */
typedef struct gt_data_file {
  const char *path;      /* NULL: there is none */
  const char *untrusted; /* gt_data_requirements.untrusted if the path is from that file; NULL: trusted */
  gt_data_trust *trust;  /* updated when an untrusted file is read */
} gt_data_file;

/* The file whose path is in the node, found as gt_dataset_open describes. */
gt_data_file gt_data_locate(gt_data_reader *reader, const gt_spec *node);
/* Like gt_data_locate; reports a missing file at the node. */
gt_data_file gt_data_find_file(gt_data_reader *reader, const gt_spec *node);
void gt_data_find_origin(gt_data_reader *reader); /* sets reader->origin */
/* Call before reading the files of a split. trusted: the user named all of them. Then errors in them are
 * shown even if the training files are untrusted, provided that every name that may be quoted is also in the
 * model. */
void gt_data_set_trust(gt_data_reader *reader, int part, bool trusted);
/* Call before reporting errors about a split after its files were read: shows or hides errors accordingly. */
void gt_data_use_trust(gt_data_reader *reader, int part);
bool gt_data_are_trusted(const gt_data_file *file, int files); /* true if all are */
void gt_data_note_untrusted(gt_data_file file);                /* call when the file is read */
/* Records a setting that was found in the training file (gt_data_found), but not for a trained model, whose
 * config has it. */
void gt_data_record_found(gt_data_reader *reader, const char *map, const char *column, const char *key,
                          const char *value);
/* True if the node comes from an untrusted config. */
bool gt_data_is_untrusted(const gt_data_reader *reader, const gt_spec *node);
/* Reads the whole file, inflated if it is compressed; fails if it exceeds the memory limits. */
bool gt_data_read_file(gt_data_file file, gt_bytes *out, gt_error *error);
/* Reads the first bytes of a file; none if it is not a regular file. */
bool gt_data_read_head(const char *path, gt_bytes *head, gt_error *error);
/* True if the name ends in the suffix, optionally followed by ".gz"; ignores case. */
bool gt_data_has_suffix(const char *path, const char *suffix);
/* True if target `index` may have this value; else writes the reason to `text`, of at least 128 bytes. */
bool gt_data_target_fits(const gt_data_reader *reader, int index, double value, char *text);
/* Writes the message about a name that is not a class: "is not one of the 2 classes; did you mean 'cat'?", or
 * with as many names of classes as fit into `out`. lists: if the classes are those of class_names, what these
 * list ("the labels of the file"); else NULL. */
void gt_data_class_help(const char *name, gt_strings classes, const char *lists, char *out, size_t size);
/* The end of a message that rejects a label: for a fraction, how to predict numbers; else "". */
const char *gt_data_regression_help(double label);
/* The node at `key`, or `key.sub` if sub is not NULL, in the data map; NULL if absent. */
const gt_spec *gt_data_node(const gt_data_reader *reader, const char *key, const char *sub);
/* Position of the key; of the data map if the key is absent or NULL. */
gt_position gt_data_position(const gt_data_reader *reader, const char *key);
/* Adds an error at gt_data_position(reader, key); returns false. expected: may be NULL. */
bool gt_data_refuse(gt_data_reader *reader, const char *key, const char *what, const char *expected);
/* True if only an outline is wanted and the data has more than GT_DATA_OUTLINE bytes. */
bool gt_data_is_outlined(const gt_data_reader *reader, uint64_t bytes);
/* Number of bytes that a file contains; 0 if it is unknown before reading (pipes, compressed files). */
uint64_t gt_data_file_size(const char *path);
/* Limit of the memory for the contents of a compressed file, including the inflated bytes (gt_inflate_limit).
 * UINT64_MAX for other files. */
uint64_t gt_data_memory_limit(const char *path);
/* Reshapes and converts *tensor to the input's shape and element. False if samples have another number of
 * values. */
bool gt_data_fit_shape(const char *path, const gt_input *input, gt_tensor *tensor, gt_error *error);
/* Converts bytes to F32. */
bool gt_data_to_floats(gt_tensor *tensor, const char *path, gt_error *error);

/* --- after the format (prepare.c): shapes, classes, splits, scale and shift --- */

bool gt_data_prepare(gt_data_reader *reader);
/* Fits typed columns to the training split and stores the values of all splits (typed_inputs.c). No effect
 * without typed columns. */
bool gt_data_fit_columns(gt_data_reader *reader);
/* Converts samples that are texts to tokens, by a vocabulary of the training split (sentences.c). No effect
 * without such samples. */
bool gt_data_fit_sentences(gt_data_reader *reader);
void gt_sentences_finish(struct gt_sentences *sentences); /* accepts NULL */
/* False after reporting that `classes` and `class_names` have different numbers of classes. */
bool gt_data_check_class_keys(gt_data_reader *reader);
/* Sets the positive class of all targets (positive.c). False after reporting a wrong key `positive`. */
bool gt_data_choose_positive(gt_data_reader *reader);
/* Sets the scaling of an input of bytes or floats from the config or the trained model (scale.c). */
bool gt_data_scale(gt_data_reader *reader, int index);
/* Sets the crop of image inputs. Call after gt_data_scale. */
bool gt_data_crop(gt_data_reader *reader);

/* --- splits (split.c) --- */

/* Reads `data.split`. False after reporting. */
bool gt_data_read_split(gt_data_reader *reader);
/* The split that a word such as "train", "val" or "holdout" names; -1: none. Ignores case. */
int gt_data_part_named(const char *word, size_t length);
extern const char *const gt_data_part_names[GT_PARTS]; /* "training", … */
/* The name of a split while it is read: what stands for the training files may be test files. */
static inline const char *gt_data_part_name(const gt_data_reader *reader, int part) {
  return gt_data_part_names[reader->dataset->only_test ? GT_PART_TEST : part];
}
/* True if the splits depend on the samples' contents, not only on their number. */
bool gt_data_split_reads_samples(const gt_data_reader *reader);
/* Assigns every sample of the training file to a split: part[i] is a GT_PART_…, GT_PART_NONE if the sample is
 * dropped. count: the sizes of the splits by the fractions; on return the actual sizes. Depends only on the
 * seed, the options and the samples. False after reporting. */
bool gt_data_assign(gt_data_reader *reader, uint8_t *part, int64_t count[GT_PARTS]);
/* Adds a finding if test samples are also training samples (repeated.c). */
void gt_data_review_repeated(gt_data_reader *reader);

/* --- selecting samples: `classes: [a, b]` and `per_class` (select.c) --- */

/* True if the config selects a subset of the samples. */
bool gt_data_selects_samples(const gt_data_reader *reader);
/* Numbers the classes that the config lists and converts labels to these numbers, so that
 * gt_data_keep_selected can drop all other samples. Sets the classes and names of the dataset. */
bool gt_data_choose_classes(gt_data_reader *reader);
/* Keeps only the selected samples of the test file, in order, and sets part[i], the split of sample i of the
 * training file, to GT_PART_NONE if it is not selected; count is updated for each split. */
bool gt_data_keep_selected(gt_data_reader *reader, uint8_t *part, int64_t count[GT_PARTS]);

/* --- arrays of one element type: IDX, NPY and NPZ (array.c) --- */

typedef enum gt_raw_type {
  GT_RAW_U8,
  GT_RAW_I8,
  GT_RAW_BOOL,
  GT_RAW_I16,
  GT_RAW_I32,
  GT_RAW_I64,
  GT_RAW_F32,
  GT_RAW_F64,
} gt_raw_type;

typedef struct gt_raw_array {
  const char *path;
  gt_bytes file;       /* the whole file; in an outline its beginning */
  uint64_t size;       /* of the whole file, inflated */
  const uint8_t *data; /* the elements, in `file`; NULL in an outline */
  gt_raw_type type;
  bool big_endian;
  bool fortran; /* the elements are in column-major order; array.c reorders them */
  int rank;
  int64_t dim[GT_DATA_MAX_RANK];
} gt_raw_array;

size_t gt_raw_size(gt_raw_type type);
/* Number of elements of array->dim; false when the product overflows, a dimension is 0 or the file holds no
 * samples. */
bool gt_raw_count(const gt_raw_array *array, uint64_t *count, gt_error *error);

/* Parses the header in array->file: sets data, type, byte order, element order and shape. */
typedef bool (*gt_raw_parse)(gt_raw_array *array, gt_error *error);

/* The source of an array: a whole file, or one array of an archive. */
typedef struct gt_array_source {
  gt_data_file file;
  struct gt_npz *archive; /* NULL: the array is the whole file */
  const char *member;     /* name of the array in the archive */
  const char *name;       /* for messages: the file, or "x.npz: array 'x'" */
} gt_array_source;
typedef struct gt_array_files { /* the arrays of one split; the inputs in the order of the dataset */
  gt_array_source input[GT_DATA_MAX_INPUTS], target[GT_DATA_MAX_TARGETS];
} gt_array_files;

typedef struct gt_array_pair {
  gt_named inputs, targets; /* paths */
} gt_array_pair;
typedef struct gt_array_options {
  gt_array_pair train, test;
  double test_fraction;
} gt_array_options;
extern const gt_field gt_array_fields[]; /* schema rows of these formats */
bool gt_array_open(gt_data_reader *reader, const gt_array_options *options, gt_raw_parse parse);
/* Reads the splits of a dataset whose inputs are named; test: NULL if there is none. */
bool gt_array_read_splits(gt_data_reader *reader, const gt_array_files *train, const gt_array_files *test,
                          gt_raw_parse parse);
/* Reads one input for a prediction, in the shape that the model expects. */
bool gt_array_read_input(gt_array_source from, gt_raw_parse parse, const gt_input *input, gt_tensor *out,
                         gt_error *error);
bool gt_array_read_inputs(const gt_input_reader *reader, gt_raw_parse parse);
bool gt_npy_parse(gt_raw_array *array, gt_error *error); /* a gt_raw_parse */

/* NPZ (npz.c): the bytes of one array of an open archive, as an NPY file. */
bool gt_npz_read(struct gt_npz *archive, const char *member, gt_bytes *out, gt_error *error);
#endif
