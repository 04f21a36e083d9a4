/* Image samples, inside the data room. images_list.c: which files there are, and their classes;
 * images_load.c: one file to one sample, decoded by images_png.c or images_jpeg.c, row by row through
 * images_resize.c; images_read.c: all files, on all cores; images_cache.c: the cache file; images.c: the
 * format itself.
 * An image is never in memory as a whole unless its file is interlaced or progressive: rows are resized into
 * the sample as they are decoded. */
#ifndef GT_DATA_IMAGES_H
#define GT_DATA_IMAGES_H
#include "base/file.h"
#include "data/csv.h"

enum { GT_IMAGE_MAX_SIDE = 8192 };

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

typedef struct gt_image_axis { /* for each position of the sample: the source positions that it averages */
  int64_t *start, *count;
  float *weight; /* [places][most] */
  int64_t most;
} gt_image_axis;

/* Bilinear resizing with antialiasing: each value is a mean with triangle weights whose width follows the
 * scale; first along rows, then across them, in floats, rounded once. */
typedef struct gt_resizer {
  int64_t height, width, channels; /* of the sample */
  int64_t row, next;               /* rows received; the first row of the sample that is not complete */
  bool plain;                      /* true: nothing is scaled, values are copied */
  int64_t left, top;               /* plain: pixels cropped at the left and the top */
  gt_image_axis x, y;
  float *line, *sum; /* [width, channels], [height, width, channels] */
  uint8_t *out;      /* the sample */
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
  int turn;      /* EXIF orientation (data/exif.h) */
  bool measured; /* only the size is wanted; the file may hold just its beginning */
  bool deep;     /* true: 16-bit values are scaled to 8 bits; false: they are an error */
  int64_t height, width;
  int64_t channels; /* of a PNG file, without alpha: 1 gray, 3 RGB */
  gt_resizer resizer;
  uint8_t *out, *turned; /* the sample; before rotation, if EXIF asks for one */
  uint8_t *row, *whole;  /* of the image; whole: if its rows do not arrive in order */
} gt_image_job;

/* Called once the header gives the size of the stored image: checks it and prepares the resizer. False: stop
 * reading; job->measured then tells success. */
bool gt_image_begin(gt_image_job *job, uint32_t height, uint32_t width);
/* The first of these checks only: true if the total number of pixels and each side are within the limits. */
bool gt_image_check_pixels(const gt_image_job *job, uint32_t height, uint32_t width);
/* Decode job->bytes. The job holds all state, as a library's error exit (longjmp) skips cleanup. */
bool gt_image_decode_png(gt_image_job *job);
bool gt_image_decode_jpeg(gt_image_job *job);

/* Reads one file into a sample. GT_ERR_DATA, naming the file, if it is damaged or too large. size: NULL, or
 * gets the displayed height and width of the file's image. */
bool gt_image_load(const char *path, const gt_image_form *form, uint8_t *out, int64_t size[2],
                   gt_error *error);
/* Reads only the header: the displayed size. A form with height 0 accepts every size. */
bool gt_image_measure(const char *path, const gt_image_form *form, int64_t size[2], gt_error *error);
/* By the file name, or by the first bytes. */
bool gt_image_is_named(const char *path);
bool gt_image_is_one(const gt_bytes *head);
/* Versions of the libraries, as their decoded values may differ. */
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

typedef struct gt_image_set { /* the images of a split */
  gt_image_files files;
  int roles;                          /* GT_IMAGE_ROLES if targets are images, else 1 */
  gt_image_form form[GT_IMAGE_ROLES]; /* set before reading */
  uint8_t *good;                      /* per file: 1 if it is a sample, 0 if it could not be read */
  int64_t skipped;                    /* number of files that are not samples */
  int64_t other_sizes;                /* those of them that have another size than the rest */
  bool outline;                       /* only headers are read: there are no pixels */
  uint64_t key;                     /* hash of the files and form, known before reading (gt_image_set_key) */
  gt_tensor pixels[GT_IMAGE_ROLES]; /* U8 [good files, height, width, channels]; data only if decoded */
} gt_image_set;

void gt_image_set_finish(gt_image_set *set); /* accepts a zeroed one */
/* What happens if an image cannot be read: reading ends with the error of the first such file in order; the
 * same, with a hint at on_error: skip; the file is skipped, named and counted; skipped and counted only. */
typedef enum gt_image_policy {
  GT_IMAGE_REFUSE,
  GT_IMAGE_STOP,
  GT_IMAGE_SKIP,
  GT_IMAGE_SKIP_QUIETLY
} gt_image_policy;
/* Allocates memory for this many samples, unless set->outline; clears `good`. */
bool gt_image_set_alloc(gt_image_set *set, int64_t samples, gt_error *error);
/* Reads set->files on all cores. */
bool gt_image_set_read(gt_image_set *set, gt_image_policy policy, gt_error *error);

/* --- cache (images_cache.c) --- */

/* Equal keys mean equal samples: a hash of name, size, inode, mtime and ctime of all files, and of the form.
 * A copied folder has another key. */
void gt_image_set_key(gt_image_set *set, bool skip);
/* True if the file is absent or an image cache. No other file may be overwritten. */
bool gt_image_cache_may_replace(const char *path);
/* Fills the sets whose keys the file contains. True if that is all of them. */
bool gt_image_cache_load(const char *path, gt_image_set *set, int sets);
/* A failure is only a warning. */
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
 * The first call (training split) fixes the classes (dataset->class_names). */
bool gt_image_list_folder(gt_data_reader *reader, gt_data_file folder, bool first, gt_arena *arena,
                          gt_image_files *out);
/* Adds a finding if classes look like splits: all of them are named so, or hold the same folders
 * (images_splits.c). class: the names of the folders with images. */
void gt_image_review_splits(gt_data_reader *reader, const char *folder, const char *const *class,
                            int classes);
/* Lists all images of a folder and, for each, the file of the same name without extension in the targets'
 * folder. */
bool gt_image_list_pairs(gt_data_reader *reader, gt_data_file folder, gt_data_file targets, gt_arena *arena,
                         gt_image_files *out);
/* Lists the images of a CSV, with paths relative to its folder; its target columns go to split->targets. The
 * first call fixes the labels. */
bool gt_image_list_table(gt_data_reader *reader, const gt_image_options *options, gt_data_file file,
                         gt_csv_labels *labels, bool first, gt_arena *arena, gt_image_files *out,
                         gt_split *split);
#endif
