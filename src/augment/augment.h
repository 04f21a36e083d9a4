/* gt_augment_type: one constant row per augmentation of training images (GT_DEFINE(augment, NAME) = {…} in
 * src/augment/NAME.c; no other file is edited). In a config:
 *   augment:
 *     - random_crop: 4
 *     - random_horizontal_flip
 *     - color_jitter: {brightness: 0.2, contrast: 0.2}
 *     - mixup: 0.2
 * Names, settings and defaults are torchvision's where it has the same augmentation. An augmentation turns
 * its settings into stages that draw random numbers for each sample (op/augment/augment.h defines the order
 * of stages). Evaluation and prediction use samples unchanged. Samples keep their size; if the network reads
 * only a crop (`crop:` of the data), the first augmentation with `crops` chooses the crop's position;
 * without one it is the center. Owner: the arena. Immutable once read. */
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
  bool may_repeat; /* may be in the list more than once */
  bool crops;      /* can crop to the size that the network reads (gt_augment_add_crop) */
  /* Adds the stages to build->plan, and sets the attributes there that all stages share. False after
   * gt_augment_error. */
  bool (*add)(struct gt_augment_build *build, const void *config);
} gt_augment_type;

int gt_augment_count(void);
const gt_augment_type *gt_augment_at(int index); /* sorted by name */

typedef struct gt_augment_item { /* one item of the list */
  const gt_augment_type *type;
  const void *config;
  const gt_spec *spec; /* its settings; NULL if the item is only a name */
  gt_position at;
} gt_augment_item;

typedef struct gt_augment_list {
  const gt_augment_item *item;
  int items; /* at least 1 */
  gt_position at;
} gt_augment_list;

/* Reads the root's `augment:` into the arena. NULL if it is absent or empty, and after reporting errors. */
const gt_augment_list *gt_augment_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics);
/* The list with all defaults written out. */
gt_spec *gt_augment_resolve(const gt_augment_list *list, gt_arena *arena);

typedef struct gt_augment_sample { /* the samples to augment */
  int rank;                        /* 2: [height, width]; 3: [height, width, channels] */
  const int64_t *dim;
  const int64_t *seen; /* [height, width] of the crop that the network reads; at most `dim` */
  double white;        /* the value of a channel that means white, in the units of the samples */
} gt_augment_sample;

/* Attributes of the ops that augment the samples. */
typedef struct gt_augment_plan {
  /* rule.batch is not set. rule.height and rule.width are those of `dim` if an augmentation in the list can
   * crop, otherwise those of `seen`: then the caller crops the samples to their center first
   * (gt_center_crop). */
  gt_augment_rule rule;
  gt_augment_look look;
} gt_augment_plan;
/* Makes the plan of a list for these samples. False after reporting settings that do not fit them. */
bool gt_augment_make_plan(const gt_augment_list *list, const gt_augment_sample *sample, gt_augment_plan *out,
                          gt_diagnostics *diagnostics);

/* --- for src/augment/NAME.c --- */

typedef struct gt_augment_build {
  gt_augment_plan *plan;
  const gt_augment_sample *sample;
  int64_t channels;
  uint32_t height, width;      /* of a sample after the stages added so far */
  const gt_augment_item *item; /* the item whose stages are being added */
  /* The items that have set these shared attributes; NULL: none yet. */
  const gt_augment_item *fill_setter, *border_setter, *interpolation_setter;
  gt_diagnostics *diagnostics;
} gt_augment_build;

/* Adds a stage. For a kind that erases also adds a box, whose value is look.value[look.boxes - 1]. NULL after
 * reporting that there are too many stages or boxes. */
gt_augment_stage *gt_augment_add(gt_augment_build *build, gt_augment_kind kind);
/* Adds a stage of a kind that crops, with the size that the network reads as its output, unless the samples
 * already have that size. */
gt_augment_stage *gt_augment_add_crop(gt_augment_build *build, gt_augment_kind kind);
/* The last stage of this kind; NULL: none. */
gt_augment_stage *gt_augment_last(gt_augment_build *build, gt_augment_kind kind);
/* Adds a stage that applies a tone curve with this probability. False after reporting that there are too many
 * stages or curves. */
bool gt_augment_add_tone(gt_augment_build *build, double probability, gt_tone tone);
/* Set an attribute that all geometric augmentations share, because they are applied as one map. An empty list
 * or NULL sets nothing. False after reporting that another item of the list has set a different value, or
 * that there are both a fill and a border mode that does not use it. */
bool gt_augment_set_fill(gt_augment_build *build, gt_floats fill);
bool gt_augment_set_border(gt_augment_build *build, const char *mode);
bool gt_augment_set_interpolation(gt_augment_build *build, const char *interpolation);
/* The next four functions convert `given`, the value of `key`, to floats. False after reporting a wrong
 * number of values. This one writes GT_AUGMENT_MAX_VALUES floats, from one number for all channels or one for
 * each; an empty list is 0. */
bool gt_augment_values(gt_augment_build *build, const char *key, gt_floats given, float *out);
/* Writes [min, max]; also false if min > max. */
bool gt_augment_range(gt_augment_build *build, const char *key, gt_floats given, float *out);
/* Writes [min, max], or [-x, x] for a single number x. */
bool gt_augment_symmetric_range(gt_augment_build *build, const char *key, gt_floats given, float *out);
/* Writes [x, y], or [x, x] for a single number x. */
bool gt_augment_pair(gt_augment_build *build, const char *key, gt_ints given, float *out);
/* Reports an error of build->item at the value of a key, or at the item if `key` is NULL or not given. The
 * message is "augmentation 'NAME' " and the formatted text. Returns false. */
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
