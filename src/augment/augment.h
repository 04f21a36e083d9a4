/* gt_augment_type: one constant row per augmentation of training images (GT_DEFINE(augment, NAME) = {…} in
 * src/augment/NAME.c; no other file is edited). In a config:
 *   augment:
 *     - random_crop: 4
 *     - random_horizontal_flip
 *     - color_jitter: {brightness: 0.2, contrast: 0.2}
 *     - mixup: 0.2
 * Names, settings and defaults are torchvision's where it has the same augmentation. A row turns its
 * settings into stages that draw random numbers for each sample (op/augment/augment.h defines their order).
 * Evaluation and prediction use samples unchanged. Samples keep their size; if the network reads only a crop
 * (`crop:` of the data), the first row that can chooses its position, and without one it is the center.
 * Owner: the arena. Immutable once read. */
#ifndef GT_AUGMENT_AUGMENT_H
#define GT_AUGMENT_AUGMENT_H
#include "base/register.h"
#include "op/augment/augment.h"
#include "spec/schema.h"

struct gt_augment_build;

typedef struct gt_augment_type {
  const char *name, *help;
  const gt_schema *schema;
  size_t config_size;
  bool several; /* may be in the list more than once */
  bool cuts;    /* crops larger samples: adds its stage by gt_augment_cut */
  /* Adds its stages and sets what all stages share; false after gt_augment_error. */
  bool (*add)(struct gt_augment_build *build, const void *config);
} gt_augment_type;

int gt_augment_count(void);
const gt_augment_type *gt_augment_at(int index); /* sorted by name */

typedef struct gt_augment_item { /* one item of the list */
  const gt_augment_type *type;
  const void *config;
  const gt_spec *spec; /* its settings; NULL for a name only */
  gt_position at;
} gt_augment_item;

typedef struct gt_augment_list {
  const gt_augment_item *item;
  int items; /* at least 1 */
  gt_position at;
} gt_augment_list;

/* Reads the root's `augment:`. NULL if it is absent or empty, and after reporting all errors. */
const gt_augment_list *gt_augment_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics);
/* The list with all defaults written out. */
gt_spec *gt_augment_resolve(const gt_augment_list *list, gt_arena *arena);

typedef struct gt_augment_sample { /* the samples to augment */
  int rank;                        /* 2: [height, width]; 3: [height, width, channels] */
  const int64_t *dim;
  const int64_t *seen; /* size of the part that the network reads */
  double white;        /* the value of white */
} gt_augment_sample;

/* What the ops need. False after reporting what does not fit these samples. */
typedef struct gt_augment_plan {
  gt_augment_rule rule; /* without its batch; for samples of this size, or the center of larger ones */
  gt_augment_look look;
} gt_augment_plan;
bool gt_augment_fit(const gt_augment_list *list, const gt_augment_sample *sample, gt_augment_plan *out,
                    gt_diagnostics *diagnostics);

/* --- for the rows --- */

typedef struct gt_augment_build {
  gt_augment_plan *plan;
  const gt_augment_sample *sample;
  int64_t channels;
  uint32_t height, width;      /* of samples, after the rows before */
  const gt_augment_item *item; /* the item that is being added */
  const gt_augment_item *filled, *bordered,
      *sampled; /* the items that set the border, the fill and the interpolation */
  gt_diagnostics *diagnostics;
} gt_augment_build;

/* Adds a stage; NULL after reporting that there are too many. */
gt_augment_stage *gt_augment_add(gt_augment_build *build, gt_augment_kind kind);
/* The same for a stage that crops to what the network reads. */
gt_augment_stage *gt_augment_cut(gt_augment_build *build, gt_augment_kind kind);
/* The last stage of this kind; NULL: none. */
gt_augment_stage *gt_augment_last(gt_augment_build *build, gt_augment_kind kind);
/* Adds a stage that applies a tone curve with this probability. */
bool gt_augment_add_tone(gt_augment_build *build, double probability, gt_tone tone);
/* All geometric augmentations are applied as one map, so they must agree on the border, its fill and the
 * interpolation. */
bool gt_augment_set_fill(gt_augment_build *build, gt_floats fill);
bool gt_augment_set_border(gt_augment_build *build, const char *mode);
bool gt_augment_set_interpolation(gt_augment_build *build, const char *interpolation);
/* Reads one number for all channels or one for each of at most four; none: 0. */
bool gt_augment_values(gt_augment_build *build, const char *key, gt_floats given, float *out);
/* Reads [low, high] of a key as floats. */
bool gt_augment_range(gt_augment_build *build, const char *key, gt_floats given, float *out);
/* The same; a single number x means [-x, x]. */
bool gt_augment_degrees(gt_augment_build *build, const char *key, gt_floats given, float *out);
/* Reads one whole number for both, or [x, y]. */
bool gt_augment_pair(gt_augment_build *build, const char *key, gt_ints given, float *out);
/* Reports an error at the value of a key; returns false. */
bool gt_augment_error(gt_augment_build *build, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

extern const char *const gt_augment_interpolations[], *const gt_augment_borders[];
#define GT_AUGMENT_FILL(config)                             \
  GT_ROW(config, fill, GT_FIELD_FLOATS, .min = 0, .max = 1, \
         .help = "value outside the image, one number or one per channel: 0 is black (default), 1 is white")
#define GT_AUGMENT_INTERPOLATION(config)                                               \
  GT_ROW(config, interpolation, GT_FIELD_CHOICE, .choices = gt_augment_interpolations, \
         .help = "bilinear (the default) or nearest")
#define GT_AUGMENT_P(config, standard, what)                                  \
  GT_ROW(config, p, GT_FIELD_FLOAT, .fallback = standard, .min = 0, .max = 1, \
         .help = "probability that " what)
#endif
