/* What a data format is: one constant row, exported as gt_data_NAME by src/data/NAME.c, which registers
 * itself with GT_REGISTER(data, NAME). It turns files into raw splits; data.c does what all formats share:
 * choosing the format, splitting, class counts, scale and shift. Only this room includes this header. */
#ifndef GT_DATA_FORMAT_H
#define GT_DATA_FORMAT_H
#include "base/file.h"
#include "base/register.h"
#include "data/data.h"

/* Most bytes of a pipe, or that a file may inflate to. Files that are not compressed take no more memory than
 * they have bytes on the disk. */
#define GT_DATA_INFLATE_LIMIT (4ull << 30)

/* Bytes of samples, or of their files, up to which an outline (gt_data_wanted) is the whole: as much is read
 * in a tenth of a second, and what is wrong with its values is then found, too. */
#define GT_DATA_OUTLINE (16ull << 20)

typedef enum gt_data_task { GT_TASK_AUTO, GT_TASK_CLASSIFICATION, GT_TASK_REGRESSION } gt_data_task;

typedef struct gt_data_normalize {
  const char *method; /* "none", "standard", "channel" */
  gt_floats mean, std;
  double scale;          /* 0: the default */
  const gt_spec *inputs; /* of single inputs, by name */
} gt_data_normalize;

typedef struct gt_data_common { /* the keys of every format */
  const char *format, *task, *split;
  gt_int_or_strings classes; /* how many, or which */
  int64_t per_class;         /* 0: all */
  gt_strings class_names;
  gt_data_normalize normalize;
  gt_named shape; /* gt_ints */
  gt_ints crop;
  gt_strings integers;
  double validation;
} gt_data_common;

enum { GT_PART_TRAIN, GT_PART_VALIDATION, GT_PART_TEST, GT_PARTS };

typedef struct gt_data_trust { /* whose files were read (gt_data_wanted.stranger) */
  bool strange;                /* one that a stranger named */
  bool hidden;                 /* what is found wrong now may quote one */
  bool own[GT_PARTS];          /* what is found wrong with the part's files quotes none */
} gt_data_trust;

/* One opening: handed to the format, which fills dataset->train and, where there is one, dataset->test
 * (classification: targets I32 [n], labels not yet checked against the number of classes),
 * dataset->classification and the names. */
typedef struct gt_data_reader {
  const gt_spec *spec; /* the `data:` map */
  const gt_data_common *common;
  const gt_data_wanted *wanted; /* never NULL */
  gt_data_task task;            /* auto: the format decides; of a trained model the task is known */
  uint64_t seed;
  double test_fraction;               /* set by formats that have the key */
  const char *train_name, *test_name; /* set by the format: where the targets came from, for messages */
  const char *origin; /* the folder where the run was begun that the map is of; NULL: the working directory */
  gt_data_trust trust;
  gt_diagnostics found; /* the diagnostics when the last file was looked for */
  gt_arena *arena;
  gt_dataset *dataset;
  gt_diagnostics *diagnostics;
  gt_error *error;
} gt_data_reader;

/* What is known about a source whose format is not named. */
typedef struct gt_data_probe {
  const gt_spec *spec; /* the `data:` map; NULL when inputs are read for predictions */
  const char *path;    /* the file's name; NULL without one */
  gt_bytes head;       /* its first bytes, inflated */
} gt_data_probe;

struct gt_data_format {
  const char *name;
  const gt_schema *schema;
  size_t options_size;                       /* of the struct that the schema fills */
  bool (*probe)(const gt_data_probe *probe); /* NULL: only where the config names it */
  bool (*open)(gt_data_reader *reader, const void *options);
  /* The inputs of the signature, each into its place of out[]; on failure what is there is finished by the
   * caller. */
  bool (*read_inputs)(const char *path, const gt_data_signature *signature, gt_tensor *out, gt_error *error);
  /* Of a format whose files are a sample each: the signature's one input from all of them. NULL: it is not
   * such a format. */
  bool (*read_samples)(const char *const *path, int count, const gt_data_signature *signature, gt_tensor *out,
                       gt_error *error);
};

/* --- inputs by name (inputs.c) --- */

/* Gives the dataset the one input that has no name, as every dataset begins. The element is I32 if the config
 * says that it holds integers, else F32. */
void gt_data_one_input(gt_data_reader *reader);
/* Those that the node names, if it is a map, in its place. False after reporting: also if a trained model has
 * others. */
bool gt_data_name_inputs(gt_data_reader *reader, const gt_spec *inputs);
/* Are the inputs those of the trained model that the data is for, in its order? False after reporting. */
bool gt_data_match_inputs(gt_data_reader *reader);
/* What a split has for input `index`: the map's entry, or the node itself. NULL after reporting. */
const gt_spec *gt_data_input_node(gt_data_reader *reader, const gt_spec *inputs, const char *split,
                                  int index);
/* An input's index by its name; -1 after reporting at `at`. */
int gt_data_find_input(gt_data_reader *reader, const char *name, gt_position at);
/* The least gt_tensor.limit of integers that are there. */
int64_t gt_data_limit(const gt_tensor *tensor);
bool gt_data_is_bits(const gt_tensor *tensor); /* gt_tensor.bits */
/* Makes bytes or floats whole numbers from 0 to GT_DATA_MOST_INTEGER. */
bool gt_data_to_integers(const char *path, gt_tensor *tensor, gt_error *error);

/* --- helpers shared by the formats (files.c) --- */

/* A file to be read. One that a stranger named (gt_data_wanted) is read only if it is a plain file, and told
 * to the user before. */
typedef struct gt_data_file {
  const char *path; /* NULL: there is none */
  const char *stranger;
  gt_data_trust *trust; /* told when a stranger's file is read */
} gt_data_file;

/* The file that a node (a path) names, where gt_dataset_open looks for it. */
gt_data_file gt_data_locate(gt_data_reader *reader, const gt_spec *node);
/* The same; without one a diagnostic at the node. */
gt_data_file gt_data_find_file(gt_data_reader *reader, const gt_spec *node);
void gt_data_find_origin(gt_data_reader *reader); /* sets reader->origin */
/* Called before the files of a part are read. own: all of them are the user's own; then what is found wrong
 * with them is shown, even beside training files that a stranger named, if the names it may quote are the
 * model's. */
void gt_data_turn_to(gt_data_reader *reader, int part, bool own);
void gt_data_return_to(gt_data_reader *reader, int part); /* the same once everything was read */
bool gt_data_are_own(const gt_data_file *file, int files);
void gt_data_note_strange(gt_data_file file); /* it is read */
/* Does the node stand in what a stranger wrote? */
bool gt_data_is_strange(const gt_data_reader *reader, const gt_spec *node);
bool gt_data_read_file(gt_data_file file, gt_bytes *out,
                       gt_error *error); /* whole, inflated, within the limits */
/* A few of its first bytes; none of what is no plain file. */
bool gt_data_read_head(const char *path, gt_bytes *head, gt_error *error);
/* Does the name end so, whether or not followed by ".gz"? Case does not matter. */
bool gt_data_has_suffix(const char *path, const char *suffix);
/* May a target that is a quantity have this value? If not, `text` (of at least 128 bytes) says why. */
bool gt_data_target_fits(const gt_data_reader *reader, double value, char *text);
/* Of a name that is no class: "is none of the 2 classes; did you mean 'cat'?", or their names as far as there
 * is room. */
void gt_data_class_help(const char *name, gt_strings classes, char *out, size_t size);
/* A node two keys below the data map; NULL where absent. */
const gt_spec *gt_data_node(const gt_data_reader *reader, const char *key, const char *sub);
/* Where the key stands; where the data map does, if it is absent or NULL. */
gt_position gt_data_position(const gt_data_reader *reader, const char *key);
/* True if so many bytes are left out of what is opened. */
bool gt_data_is_outlined(const gt_data_reader *reader, uint64_t bytes);
/* What a file has to give; 0 where only reading it says so: of pipes, and of files that are compressed. */
uint64_t gt_data_file_size(const char *path);
/* How much memory may be taken by what is made of a compressed plain file, itself inflated counted in: its
 * gt_inflate_limit. UINT64_MAX of others. */
uint64_t gt_data_memory_limit(const char *path);
uint64_t gt_tensor_bytes(const gt_tensor *tensor); /* by its shape; UINT64_MAX where that is more than fits */
/* Heap memory for a tensor whose shape and element are set. */
bool gt_tensor_alloc(gt_tensor *tensor, const char *what, gt_error *error);
/* Gives *tensor, whose samples have as many values, the input's shape and a fitting element. */
bool gt_data_fit(const char *path, const gt_input *input, gt_tensor *tensor, gt_error *error);
/* Bytes become F32. */
bool gt_data_widen(gt_tensor *tensor, const char *path, gt_error *error);
void gt_split_finish(gt_split *split);

/* --- what follows the format (prepare.c): shapes, classes, splits, scale and shift --- */

bool gt_data_prepare(gt_data_reader *reader);
/* The scaling of an input of bytes or floats, as the config or a trained model says (scale.c). */
bool gt_data_scale(gt_data_reader *reader, int index);
/* What the network sees of pictures; scaling must be known. */
bool gt_data_crop(gt_data_reader *reader);

/* --- which samples are kept: `classes: [a, b]` and `per_class` (select.c) --- */

/* Does the config ask for some of the samples only? */
bool gt_data_selects(const gt_data_reader *reader);
/* Numbers the classes that the config lists: their labels become these numbers, all others are dropped by
 * gt_data_keep. Sets the classes and names of the dataset. */
bool gt_data_choose_classes(gt_data_reader *reader);
/* Keeps of the training file and of the test file's samples those that are wanted, in their order. part[i],
 * the split that sample i of the training file goes to, moves along; count, of each split, is counted anew.
 */
bool gt_data_keep(gt_data_reader *reader, uint8_t *part, int64_t count[GT_PARTS]);

/* --- arrays of one type, as IDX and NPY hold them (array.c) --- */

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
  gt_bytes file;       /* whole, or of an outline its beginning */
  uint64_t size;       /* of the whole file, inflated */
  const uint8_t *data; /* inside file; exactly the bytes that type and shape ask for; NULL in an outline */
  gt_raw_type type;
  bool big_endian;
  int rank;
  int64_t dim[GT_DATA_MAX_RANK];
} gt_raw_array;

size_t gt_raw_size(gt_raw_type type);
/* Number of elements of array->dim; false when the product overflows, a dimension is 0 or the file holds no
 * samples. */
bool gt_raw_count(const gt_raw_array *array, uint64_t *count, gt_error *error);

/* Reads array->path's header out of array->file: sets data, type, order and shape. */
typedef bool (*gt_raw_parse)(gt_raw_array *array, gt_error *error);

typedef struct gt_array_pair {
  gt_named inputs; /* paths */
  const char *targets;
} gt_array_pair;
typedef struct gt_array_options {
  gt_array_pair train, test;
  double test_fraction;
} gt_array_options;
extern const gt_field gt_array_fields[]; /* the schema rows of such formats */
bool gt_array_open(gt_data_reader *reader, const gt_array_options *options, gt_raw_parse parse);
bool gt_array_read_inputs(const char *path, gt_raw_parse parse, const gt_data_signature *signature,
                          gt_tensor *out, gt_error *error);
#endif
