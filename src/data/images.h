/* Pictures as samples, inside the data room: which files there are and of which class (images_list.c), one
 * file to the bytes of a sample (images_load.c, by images_png.c or images_jpeg.c, row by row through
 * images_resize.c), all of them on all cores (images_read.c), and what came of it kept in a file
 * (images_cache.c). images.c is the format itself.
 * A picture is never in memory as a whole, unless its file is interlaced or progressive: rows go into the
 * sample as they are decoded. */
#ifndef GT_DATA_IMAGES_H
#define GT_DATA_IMAGES_H
#include "base/file.h"
#include "data/csv.h"

enum { GT_IMAGE_MOST_SIDE = 8192 };

typedef struct gt_image_form {     /* what every picture becomes: bytes [height, width, channels] */
  int64_t height, width, channels; /* channels: 1 grey, 3 red, green, blue */
  bool resized;                    /* false: a picture of another size is refused */
  bool stretched; /* resized to just this size; else to cover it, and what is over is cut off on both sides */
  int64_t max_pixels;
} gt_image_form;

static inline int64_t gt_image_bytes(const gt_image_form *form) {
  return form->height * form->width * form->channels;
}

/* --- resizing (images_resize.c) --- */

typedef struct gt_image_axis { /* of each place of the sample: the source's places that it is a mean of */
  int64_t *start, *count;
  float *weight; /* [places][most] */
  int64_t most;
} gt_image_axis;

/* Bilinear with antialiasing: each value is a mean weighted by a triangle that is as wide as the scale asks
 * for, first along the rows, then across them, in floats, rounded once. */
typedef struct gt_resizer {
  int64_t height, width, channels; /* of the sample */
  int64_t row, next;               /* rows that came; the first of the sample's that is not done */
  bool plain;                      /* nothing is scaled: values stay what they are */
  int64_t left, top;               /* plain: what is cut off */
  gt_image_axis x, y;
  float *line, *sum; /* [width, channels], [height, width, channels] */
  uint8_t *out;      /* the sample */
} gt_resizer;

/* For a picture of this size; finished also when it failed. */
bool gt_resizer_init(gt_resizer *r, const gt_image_form *form, int64_t height, int64_t width, uint8_t *out,
                     const char *path, gt_error *error);
void gt_resizer_row(gt_resizer *r, const uint8_t *row); /* the next: [picture's width, channels] */
void gt_resizer_finish(gt_resizer *r);

/* --- one picture (images_load.c) --- */

typedef struct gt_image_job { /* a picture while it is read */
  const char *path;
  const gt_image_form *form;
  gt_error *error;
  gt_bytes bytes;
  int turn;      /* EXIF's orientation (data/exif.h) */
  bool measured; /* its size is all that is asked for; of the file only the beginning may be there */
  bool deep;     /* 16 bits a value are scaled to 8; else they are refused */
  int64_t height, width;
  int64_t channels; /* of a PNG file, without alpha: 1 grey, 3 colours */
  gt_resizer resizer;
  uint8_t *out, *turned; /* the sample; before it is turned, if it has to be */
  uint8_t *row, *whole;  /* of the picture; whole: where its rows do not come in their order */
} gt_image_job;

/* Once the header says how large the picture, which was not turned yet, is: checks that, and readies the
 * resizer. False: no more is to be read; job->measured then says whether all is well. */
bool gt_image_begin(gt_image_job *job, uint32_t height, uint32_t width);
/* The first of these checks alone: true if there are no more pixels, in all and on a side, than are allowed.
 */
bool gt_image_check_pixels(const gt_image_job *job, uint32_t height, uint32_t width);
/* Decode job->bytes. What a library's error exit leaves behind is in the job. */
bool gt_image_decode_png(gt_image_job *job);
bool gt_image_decode_jpeg(gt_image_job *job);

/* One file as a sample; GT_ERR_DATA, naming it, when it is no sound picture or too large. size: if not NULL,
 * gets its own height and width, as it is seen. */
bool gt_image_load(const char *path, const gt_image_form *form, uint8_t *out, int64_t size[2],
                   gt_error *error);
/* The same as far as the header says it: size, as it is seen, is all that is found. A form of no height takes
 * every size. */
bool gt_image_measure(const char *path, const gt_image_form *form, int64_t size[2], gt_error *error);
/* By the name's ending, or by the first bytes. */
bool gt_image_is_named(const char *path);
bool gt_image_is_one(const gt_bytes *head);
/* Of the libraries: what they decode may change with them. */
int64_t gt_image_png_version(void);
int64_t gt_image_jpeg_version(void);

/* --- many (images_read.c) --- */

enum { GT_IMAGE_INPUT, GT_IMAGE_TARGET, GT_IMAGE_ROLES };

typedef struct gt_image_file {
  const char *path[GT_IMAGE_ROLES]; /* a picture and, where pictures are the targets, its target */
  int32_t label;
} gt_image_file;

typedef struct gt_image_files {
  gt_image_file *items;
  size_t count, capacity;
} gt_image_files;

typedef struct gt_image_set { /* the pictures of a split */
  gt_image_files files;
  int roles;                          /* GT_IMAGE_ROLES where pictures are the targets, else 1 */
  gt_image_form form[GT_IMAGE_ROLES]; /* set before they are read */
  uint8_t *good;                      /* of each file: is it a sample? The others were refused */
  int64_t skipped;                    /* how many were */
  bool outline;                       /* headers are all that is read: there are no pixels */
  uint64_t key;                       /* of what would be read, before it is (gt_image_set_key) */
  gt_tensor pixels[GT_IMAGE_ROLES]; /* U8 [those that are good, height, width, channels]; data: if decoded */
} gt_image_set;

void gt_image_set_finish(gt_image_set *set); /* accepts a zeroed one */
/* What becomes of a picture that cannot be read: it ends the reading, the first of the files going before the
 * others; the same, with a word on that it could be left out; it is left out, named and counted; only
 * counted.
 */
typedef enum gt_image_policy {
  GT_IMAGE_REFUSE,
  GT_IMAGE_STOP,
  GT_IMAGE_SKIP,
  GT_IMAGE_SKIP_QUIETLY
} gt_image_policy;
/* Memory for as many samples as there are to be, unless set->outline; `good` is set to 0. */
bool gt_image_set_alloc(gt_image_set *set, int64_t samples, gt_error *error);
/* Reads set->files on all cores. */
bool gt_image_set_read(gt_image_set *set, gt_image_policy policy, gt_error *error);

/* --- kept (images_cache.c) --- */

/* Sets of one key are read to the same samples: files by name, size, inode and times of modification (mtime)
 * and of the inode's change (ctime), and the form. A copied folder has another key. */
void gt_image_set_key(gt_image_set *set, bool skip);
/* Is the file absent, or one that this made? No other is to be written over. */
bool gt_image_cache_is_ours(const char *path);
/* Fills those of the sets that the file holds, by their keys. Are these all? */
bool gt_image_cache_load(const char *path, gt_image_set *set, int sets);
/* Failing costs a warning. */
void gt_image_cache_save(const char *path, const gt_image_set *set, int sets);

/* --- which files (images_list.c) --- */

typedef struct gt_image_options {
  const char *train, *test, *targets, *test_targets, *fit, *on_error, *cache, *path;
  gt_strings target;
  gt_ints size;
  int64_t channels, target_channels, max_pixels;
  double test_fraction;
} gt_image_options;

/* The pictures of a folder, each of the class that its sub-folder is named for: sorted, also by folder. The
 * first folder, that of the training split, settles which classes there are (dataset->class_names). */
bool gt_image_list_folder(gt_data_reader *reader, gt_data_file folder, bool first, gt_arena *arena,
                          gt_image_files *out);
/* Finds classes that look like splits: all of them are named so, or hold the same folders (images_splits.c).
 * class: the names of the folders with pictures. */
void gt_image_review_splits(gt_data_reader *reader, const char *folder, const char *const *class,
                            int classes);
/* All pictures of a folder, and for each the one of the same name, but for its ending, in the targets'
 * folder. */
bool gt_image_list_pairs(gt_data_reader *reader, gt_data_file folder, gt_data_file targets, gt_arena *arena,
                         gt_image_files *out);
/* A CSV that names the pictures, seen from its own folder, and their targets, which go to split->targets;
 * what the labels are is settled by the first. */
bool gt_image_list_table(gt_data_reader *reader, const gt_image_options *options, gt_data_file file,
                         gt_csv_labels *labels, bool first, gt_arena *arena, gt_image_files *out,
                         gt_split *split);
#endif
