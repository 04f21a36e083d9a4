/* Data: one file format → host memory. A dataset is up to three splits, each of dense row-major tensors whose
 * first dimension is the sample: the inputs, one or several, and the targets. Nothing here knows a model, a
 * graph or a device.
 * Owner: whoever calls gt_dataset_open. The tensors are heap memory, freed by gt_dataset_close; names and the
 * scaling are in the arena. A dataset does not change once it is open.
 *
 * What a config may say (`gtrain schema` has it in full; file names ending in .gz are inflated):
 *   data: {format: idx, train: {inputs: a.gz, targets: b.gz}, test: {inputs: …, targets: …}, validation: 0.1}
 *   data: {format: npy, train: {inputs: x.npy, targets: y.npy}, test_fraction: 0.2}
 *   data: {format: csv, train: f.csv, test: g.csv, target: label, ignore: [id], normalize: standard}
 *   data: {format: images, train: photos, size: [64, 64], test_fraction: 0.2, normalize: channel}
 *   data: {train: photos, targets: masks, target_channels: 1, size: [64, 64], validation: 0.1}
 *   data: {format: cifar, train: [data_batch_1.bin, data_batch_2.bin], test: test_batch.bin}
 *   data: {format: function, formula: "exp(sin(pi*x0) + x1^2)", range: [-1, 1], samples: 1000}
 *   data: {format: table, inputs: [[0, 0], [0, 1], [1, 0], [1, 1]], targets: [[0], [1], [1], [0]]}
 * Several inputs, of any names, which layers read by `from:`; files and tables as well as columns:
 *   data: {train: f.csv, target: income, inputs: {wide: [age, hours], job: [job]}, integers: [job]}
 *   data: {train: {inputs: {wide: a.npy, deep: b.npy}, targets: y.npy}}
 * Every format also takes:
 *   format          left out: the file's name or first bytes decide (and `formula`, or inline `inputs`)
 *   task            classification (targets are class numbers from 0), regression, or auto, which is
 *                   classification for
 *                   - idx, npy, table: whole-number targets of one number a sample ([n], not [n, 1]),
 *                   - csv: one target column that holds text, or whole numbers without a decimal point of
 *                     which each of 0 … largest occurs (largest below 1000); decided by the training file,
 *                   - images: folders are classes, folders of targets are not, a CSV as CSVs are,
 *                   - cifar: always,
 *                   - any, for a loss that the config names and that takes nothing but class labels,
 *                   - function: never.
 *   classes         number of classes; otherwise the number of class_names, or one more than the largest
 *                   training label. A list chooses: [boot, bag] or [9, 8], by class_names, a CSV's text
 *                   labels or the labels as they stand in the file (a name goes before a number). Samples of
 *                   all other classes are dropped from all splits; the chosen ones are numbered in this
 *                   order, from 0.
 *   per_class       so many samples of each class are kept in the training split, the first of the file
 *   class_names     names of the classes in order; text labels of a CSV are otherwise sorted. Names that
 *                   differ in their Unicode form only are one
 *   normalize       none | standard (mean and deviation of each feature of the training split; a feature
 *                   that does not vary keeps deviation 1) | channel (of each channel, the last dimension,
 *                   over all samples and places) | {mean: m, std: s, scale: c}: (value*c - m)/s with
 *                   one number, or one for each channel (last dimension), or one for each feature. c is
 *                   1/255 for bytes, else 1.
 *                   For single inputs otherwise: {method: none, inputs: {wide: standard}}.
 *   crop            [height, width] of what the network sees of pictures: their middle; in training whatever
 *                   random crop `augment:` says
 *   integers        inputs that hold whole numbers from 0, for embeddings; they are not normalised
 *   shape           of one sample, when the file's is not the wanted one: [8, 8], or {image: [8, 8]}
 *   validation      fraction of the training samples set apart, test_fraction likewise where there is no
 *                   test file
 *   split           random (keyed by the seed, the same for every machine) | last (the last samples). Samples
 *                   are set apart before any are dropped: which ones does not depend on classes or per_class
 * Where relative file names are looked for: gt_dataset_open.
 *
 * Opened for a model that is trained already (gt_data_wanted), data is read as the model was taught: its
 * classes are the model's, and a CSV's columns are found by the names that the model knows. A list of classes
 * then chooses among the model's, and their numbers are the model's.
 *
 * Two kinds of errors: what the config says wrongly goes to the diagnostics, with its position; what a file
 * holds wrongly goes to the gt_error (GT_ERR_DATA), with the file and row, for CSV "file:line:column: …". */
#ifndef GT_DATA_DATA_H
#define GT_DATA_DATA_H
#include "base/arena.h"
#include "base/error.h"
#include "data/range.h"
#include "spec/diagnostics.h"
#include "spec/schema.h"
#include "spec/spec.h"
#include <stdbool.h>
#include <stdint.h>

enum {
  GT_DATA_MAX_RANK = 8,
  GT_DATA_MAX_CLASSES = 1000000,
  GT_DATA_MOST_INPUTS = 16,
  GT_DATA_MOST_INTEGER = (1 << 24) - 1 /* floats, which files may hold instead, have all of these */
};

typedef enum gt_element { GT_ELEMENT_U8, GT_ELEMENT_F32, GT_ELEMENT_I32 } gt_element;

typedef struct gt_tensor { /* dim[0] = samples */
  gt_element element;
  int rank;
  int64_t dim[GT_DATA_MAX_RANK];
  void *data;    /* heap, row-major; NULL in an outline (gt_data_wanted) */
  int64_t limit; /* of an input of integers: they lie in [0, limit), the same in all splits */
  bool bits;     /* F32, nothing but 0 and 1 */
} gt_tensor;

/* What the network sees is (value - center)*scale + shift, the rows of values[3][count], each at f % count, f
 * the index within a sample. center is the mean as a float can have it, shift the little that is left of it.
 * count 0: the plain value. values is NULL where they were to be measured and the samples are an outline. */
typedef struct gt_scaling {
  int64_t count;
  const float *values;
} gt_scaling;

#define GT_INPUT_NAME "input" /* of the one input of a config that gives no names */

typedef struct gt_input { /* one of the tensors that a model reads: what is the same in all splits */
  const char *name;
  gt_element element;
  int rank;
  int64_t dim[GT_DATA_MAX_RANK]; /* of one sample */
  int64_t crop[2];               /* height and width that the network sees of it; 0: all */
  const char *const *columns;    /* CSV: names, one a feature; else NULL */
  gt_scaling scaling;            /* inputs of U8 always have one */
  gt_value_range range;          /* of a trained model: of what it was trained on; else not known */
  double white;                  /* what `scale` makes 1 of: 255 for bytes; 0 where it is not known */
} gt_input;

typedef struct gt_split {
  gt_tensor input[GT_DATA_MOST_INPUTS]; /* as many as the dataset has: [samples, …]; F32 are finite */
  gt_tensor targets; /* classification: I32 [samples], each in [0, classes); regression: F32 [samples, t] */
  int64_t samples;   /* 0: this split is absent */
} gt_split;

/* A path of the `data:` map that leads to its file from where the map stands, not from the working directory.
 */
typedef struct gt_data_moved {
  const gt_spec *node;
  const char *path; /* absolute */
  const struct gt_data_moved *next;
} gt_data_moved;

typedef struct gt_dataset {
  const char *format;
  gt_split train, validation, test; /* train is never absent */
  int inputs;                       /* at least 1 */
  gt_input input[GT_DATA_MOST_INPUTS];
  bool classification;
  int classes;                     /* classification: at least 1; regression: 0 */
  const char *const *class_names;  /* classes of them, or NULL */
  bool text_labels;                /* the files hold the classes' names, not their numbers */
  const char *const *target_names; /* CSV: one a target column, else NULL */
  bool from_files, overridden;     /* files were read; some of them were named by --set */
  const gt_data_moved *moved;      /* what must be written otherwise to be found again; or NULL */
  const void *made_of; /* what its format keeps for those who know that format (data/ca.h), or NULL */
} gt_dataset;

/* What a trained model was taught with. */
typedef struct gt_data_signature {
  int inputs;
  gt_input input[GT_DATA_MOST_INPUTS]; /* element: in which it was trained */
  const gt_spec *data; /* the `data:` map: new CSV files have its header and delimiter; or NULL */
} gt_data_signature;

typedef struct gt_data_range { /* of targets that are quantities */
  double low, high;
  const char *whose; /* who needs it, for messages: "loss 'bce'" */
} gt_data_range;

/* What those for whom a dataset is opened ask of it, and whom they do not trust. All zero: nothing, the data
 * decides. */
typedef struct gt_data_wanted {
  /* Of the trained model that the data is for: inputs and their scaling are its own. The others but range go
   * with it. */
  const gt_data_signature *signature;
  int classes;                     /* 0: its targets are quantities */
  const char *const *class_names;  /* or NULL */
  bool text_labels;                /* as in gt_dataset, if it is known */
  const char *const *target_names; /* CSV: columns, or NULL */
  int targets;                     /* of them */
  const gt_data_range *range;      /* where targets must lie; NULL: anywhere */
  bool labels;                     /* targets must be class labels, for a loss: this settles `task: auto` */
  /* A file, as positions name it, whose paths nobody vouches for: that of a model from who knows where. They
   * are opened only if they are plain files, said before they are read, and nothing of what they hold is
   * shown. */
  const char *stranger;
  /* Shapes, counts and classes are all that is asked for: tensors of many bytes (GT_DATA_OUTLINE) have no
   * data, and what would be in it is neither read, decoded nor computed. Class labels and inputs of integers
   * always have theirs. */
  bool outline;
} gt_data_wanted;

/* Opens what the `data:` map describes. A relative path is looked for in the working directory, then beside
 * the map's file, then in the folder above that (configs/ beside datasets/); one that stands in a run
 * directory, and was not given by --set, before that in the folder where the run was begun (gt_lock_origin).
 * False: errors in diagnostics (bad config) or in *error (bad file, memory); *out is then empty. The seed
 * keys splits and samples. wanted: NULL is the same as all zero. */
bool gt_dataset_open(const gt_spec *data, uint64_t seed, const gt_data_wanted *wanted, gt_arena *arena,
                     gt_dataset *out, gt_diagnostics *diagnostics, gt_error *error);
void gt_dataset_close(gt_dataset *dataset); /* accepts a zeroed dataset */
void gt_tensor_finish(gt_tensor *tensor);
int64_t gt_tensor_features(const gt_tensor *tensor); /* values of one sample: product of dim[1 …] */
int64_t gt_input_features(const gt_input *input);
/* dim[0 … rank - 1] of a sample as the network sees it. */
void gt_input_seen(const gt_input *input, int64_t *dim);
size_t gt_element_size(gt_element element);

/* The names of the inputs as the `data:` map has them, whatever else is wrong with it; how many. */
int gt_data_input_names(const gt_spec *data, const char *names[GT_DATA_MOST_INPUTS]);

/* What a dataset is, in a few words: equal for datasets of which training sees the same (shapes, element
 * types, contents, classes with their names, scaling). An absent split has one, too; 0 never occurs. */
typedef struct gt_data_fingerprint {
  uint64_t train, validation, test, meaning; /* meaning: classes and scaling */
} gt_data_fingerprint;
gt_data_fingerprint gt_dataset_fingerprint(const gt_dataset *dataset);
uint64_t gt_split_fingerprint(const gt_split *split, int inputs); /* as it is there */

typedef struct gt_input_file {
  const char *name; /* of the input that it holds; NULL: it holds all of them */
  const char *path;
} gt_input_file;

/* Reads inputs alone, for predictions, from files of any format that can (idx, npy, csv, pictures), which
 * together hold each of the model's inputs once; pictures are a sample each, in the order of the files.
 * out[k], of input k, is [n, signature dims], U8 only when both the file and the training data are U8; its
 * values are in the units of the training data, before scale and shift. GT_ERR_DATA when a file does not fit.
 */
bool gt_data_read_inputs(const gt_input_file *file, int files, const gt_data_signature *signature,
                         gt_tensor *out, gt_error *error);

/* The pictures in a folder and below, by their names (.png, .jpg, .jpeg), in order of their paths; says how
 * many other files it leaves out. NULL: error, GT_ERR_DATA if there is none. In the arena. */
const char *const *gt_data_list_pictures(const char *folder, gt_arena *arena, size_t *count, gt_error *error);

/* Is the file one sample, as a picture is? */
bool gt_data_is_sample(const char *path);

/* Writes a tensor of any element type, atomically. CSV: one row a sample, header of `names` (one a value;
 * NULL: none). */
bool gt_data_write_csv(const char *path, const gt_tensor *tensor, const char *const *names, gt_error *error);
bool gt_data_write_npy(const char *path, const gt_tensor *tensor, gt_error *error);

/* The formats there are, for help and `gtrain schema`. Each format's map takes the keys of its own schema and
 * of the common one. */
typedef struct gt_data_format gt_data_format;
const gt_data_format *const *gt_data_formats(int *count);
const char *gt_data_format_name(const gt_data_format *format);
const gt_schema *gt_data_format_schema(const gt_data_format *format);
const gt_schema *gt_data_common_schema(void);
extern const gt_schema gt_data_normalize_schema;
#endif
