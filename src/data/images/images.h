/* Image samples; outside of src/data only gt_png_decode is used. images_list.c: which files there are, and
 * their classes; images_load.c: one file to one sample, decoded by images_png.c or images_jpeg.c, row by row
 * through images_resize.c; images_read.c: all files, on all cores; images_cache.c: the cache file; images.c:
 * the format itself. An image is never in memory as a whole unless its file is interlaced or progressive:
 * rows are resized into the sample as they are decoded. */
#ifndef GT_DATA_IMAGES_H
#define GT_DATA_IMAGES_H
#include "base/file.h"
#include "data/format.h"
#include "draw/png.h"

enum { GT_IMAGE_MAX_SIDE = 8192 }; /* largest height and width of a sample */

typedef struct gt_image_form {     /* what every image is converted to: bytes [height, width, channels] */
  int64_t height, width, channels; /* channels: 1 gray, 3 RGB */
  bool resized;                    /* false: an image of another size is an error */
  bool stretched; /* true: resized to exactly this size; false: scaled to cover it, then cropped */
  int64_t max_pixels;
} gt_image_form;

static inline int64_t gt_image_bytes(const gt_image_form *form) {
  return form->height * form->width * form->channels;
}

/* --- resizing (images_resize.c) --- */

/* Resizing along one axis: each position of the sample is a weighted mean of source positions. */
typedef struct gt_image_axis {
  int64_t *start, *count; /* [positions] first source position, and number of them */
  float *weight;          /* [positions][max_count] */
  int64_t max_count;
} gt_image_axis;

/* Bilinear resizing with antialiasing: each value is a mean with triangle weights whose width follows the
 * scale; first horizontally, then vertically, in floats, rounded once. */
typedef struct gt_resizer {
  int64_t height, width, channels; /* of the sample */
  int64_t row, next;               /* number of rows received; first row of the sample that is not complete */
  bool plain;                      /* true: values are copied, not resized */
  int64_t left, top;               /* pixels of the resized image that are cropped at the left and the top */
  gt_image_axis x, y;
  float *resized_row; /* [width, channels] a row after horizontal resizing */
  float *sum;         /* [height, width, channels] sums of vertical resizing */
  uint8_t *out;       /* the sample */
} gt_resizer;

/* Prepares for an image of this size. Call gt_resizer_finish even after a failure. */
bool gt_resizer_init(gt_resizer *r, const gt_image_form *form, int64_t height, int64_t width, uint8_t *out,
                     const char *path, gt_error *error);
void gt_resizer_row(gt_resizer *r, const uint8_t *row); /* adds the next row: [image width, channels] */
void gt_resizer_finish(gt_resizer *r);

/* --- one image (images_load.c) --- */

typedef struct gt_image_job { /* one image while it is read */
  const char *path;
  const gt_image_form *form;
  gt_error *error;
  gt_bytes bytes;
  int orientation;    /* by EXIF (data/images/exif.h) */
  int stored;         /* that of the file, before `turn` replaced it */
  int turn;           /* the orientation to apply if the file has none; 0: none */
  bool size_only;     /* read only the size; `bytes` may be only the beginning of the file */
  bool accept_16_bit; /* true: 16-bit values are scaled to 8 bits; false: they are an error */
  int64_t height, width;
  int64_t channels; /* of a PNG file, without alpha: 1 gray, 3 RGB */
  gt_resizer resizer;
  uint8_t *out;       /* the sample */
  uint8_t *unrotated; /* the sample before EXIF rotation; NULL: none is needed */
  uint8_t *row;       /* one row of the image */
  uint8_t *image;     /* all rows, if the decoder does not deliver them in order; else NULL */
} gt_image_job;

/* Called by the decoder when it knows the size of the stored image: checks it and prepares the resizer.
 * False: stop decoding, which is a success if job->size_only is true. */
bool gt_image_begin(gt_image_job *job, uint32_t height, uint32_t width);
/* True if the number of pixels and each side are within the limits. */
bool gt_image_check_pixels(const gt_image_job *job, uint32_t height, uint32_t width);
/* Decode job->bytes. All memory is owned by the job, because the libraries' error exit (longjmp) skips
 * cleanup. */
bool gt_image_decode_png(gt_image_job *job);
bool gt_image_decode_jpeg(gt_image_job *job);

/* Decodes a file: values as stored, transparency composited over black, 16 bits scaled to 8, EXIF
 * orientation applied; one channel if the file has no color. GT_ERR_DATA, naming the file, if it is damaged
 * or a side is larger than GT_PNG_MAX_SIDE. */
bool gt_png_decode(const char *path, const gt_bytes *bytes, gt_picture *out, gt_error *error);

typedef struct gt_image_view { /* how a file's image is displayed */
  int64_t height, width;       /* 0: unknown, the file cannot be read */
  int orientation;             /* by the file's EXIF data; 1 if it has none */
} gt_image_view;

/* Reads one file into a sample. GT_ERR_DATA, naming the file, if it is damaged or too large. turn: the
 * orientation of a file without EXIF data, else 0. view: NULL, or is set, also after a failure. */
bool gt_image_load(const char *path, const gt_image_form *form, int turn, uint8_t *out, gt_image_view *view,
                   gt_error *error);
/* Sets only the view. A form with height 0 accepts every size. */
bool gt_image_measure(const char *path, const gt_image_form *form, int turn, gt_image_view *view,
                      gt_error *error);
bool gt_image_is_named(const char *path);   /* true if the file name is that of an image */
bool gt_image_is_one(const gt_bytes *head); /* true if the first bytes are those of an image */
/* Versions of the decoders, because decoded values may depend on them. */
int64_t gt_image_png_version(void);
int64_t gt_image_jpeg_version(void);

/* --- many images (images_read.c) --- */

enum { GT_IMAGE_INPUT, GT_IMAGE_TARGET, GT_IMAGE_ROLES };

typedef struct gt_image_file {
  const char *path[GT_IMAGE_ROLES]; /* an image and, if targets are images, its target */
  int32_t label;
} gt_image_file;

typedef struct gt_image_files {
  gt_image_file *items;
  size_t count, capacity;
} gt_image_files;

/* What is known of a file of a set: bits. Only pictures with an EXIF orientation and a target without one, or
 * the reverse, have others than the first. */
enum {
  GT_IMAGE_READABLE = 1,
  GT_IMAGE_AS_SHOWN = 2,          /* by its size, the target belongs to the picture as displayed */
  GT_IMAGE_AS_STORED = 4,         /* by its size, to the picture as stored: it was turned like the picture */
  GT_IMAGE_IN_DOUBT = 8,          /* its size does not tell */
  GT_IMAGE_ORIENTATION = 16,      /* times 0 to 7: in doubt, the orientation - 1 */
  GT_IMAGE_TARGET_IS_TURNED = 128 /* in doubt, the target has the orientation and the picture has none */
};

typedef struct gt_image_set { /* the images of a split */
  gt_image_files files;
  int roles;                          /* GT_IMAGE_ROLES if targets are images, else 1 */
  gt_image_form form[GT_IMAGE_ROLES]; /* set before reading */
  uint8_t *readable;                  /* [files] GT_IMAGE_…; 0: the file is skipped */
  int64_t skipped;                    /* number of files that could not be read or have another size */
  int64_t other_sizes;                /* number of these that have another size than the other images */
  bool outline;                       /* only headers are read; there are no pixels */
  uint64_t key;                       /* hash of the files' attributes and the form (gt_image_set_key) */
  gt_tensor pixels[GT_IMAGE_ROLES];   /* U8 [readable files, height, width, channels] */
} gt_image_set;

void gt_image_set_finish(gt_image_set *set); /* accepts a zeroed struct */
/* What to do if an image cannot be read. */
typedef enum gt_image_policy {
  GT_IMAGE_REFUSE,      /* fail with the error of the first such file in order */
  GT_IMAGE_STOP,        /* the same, with a hint at `on_error: skip` */
  GT_IMAGE_SKIP,        /* skip the file with a warning */
  GT_IMAGE_SKIP_QUIETLY /* skip the file and only count it */
} gt_image_policy;
/* Allocates memory for this many samples, unless set->outline, and for `readable`. */
bool gt_image_set_alloc(gt_image_set *set, int64_t samples, gt_error *error);
/* Reads set->files on all cores. */
bool gt_image_set_read(gt_image_set *set, gt_image_policy policy, gt_error *error);

/* --- cache (images_cache.c) --- */

/* Sets set->key, a hash of name, size, inode, mtime and ctime of all files, and of the form. Equal keys mean
 * equal samples; a copied folder has another key. */
void gt_image_set_key(gt_image_set *set, bool skip);
/* True if the file is absent or an image cache, so that it may be written. */
bool gt_image_cache_may_replace(const char *path);
/* Fills the sets whose keys are in the file. True if all are. */
bool gt_image_cache_load(const char *path, gt_image_set *set, int sets);
/* Writes the cache; logs a warning if that fails. */
void gt_image_cache_save(const char *path, const gt_image_set *set, int sets);

/* --- which files (images_list.c) --- */

typedef struct gt_image_options {
  const char *train, *test, *targets, *test_targets, *fit, *on_error, *cache, *path;
  gt_strings target;
  gt_ints size;
  int64_t channels, target_channels, max_pixels;
  double test_fraction;
} gt_image_options;

/* Lists the images of a folder; the class of each is the name of its subfolder. Sorted by folder, then name.
 * is_training: the split defines the classes (gt_data_target.class_names). */
bool gt_image_list_folder(gt_data_reader *reader, gt_data_file folder, bool is_training, gt_arena *arena,
                          gt_image_files *out);
/* Adds a finding if the folders that are read as classes look like splits: all have names of splits, or all
 * contain the same folders (images_splits.c). class: the names of the folders with images. */
void gt_image_review_splits(gt_data_reader *reader, const char *folder, const char *const *class,
                            int classes);
/* Lists all images of a folder, and for each of them the file in the targets' folder with the same name
 * except for the extension. */
bool gt_image_list_pairs(gt_data_reader *reader, gt_data_file folder, gt_data_file targets, gt_arena *arena,
                         gt_image_files *out);
/* Lists the images of a CSV, with paths relative to its folder, and reads its target columns into
 * split->target. is_training: the split defines the labels. */
bool gt_image_list_table(gt_data_reader *reader, const gt_image_options *options, gt_data_file file,
                         bool is_training, gt_arena *arena, gt_image_files *out, gt_split *split);
#endif
