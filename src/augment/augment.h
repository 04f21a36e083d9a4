/* gt_augment_type: one constant row per transformation of training pictures (GT_DEFINE(augment, NAME) = {…}
 * in src/augment/NAME.c; nothing else is edited). In a config:
 *   augment:
 *     - random_crop: 4
 *     - random_horizontal_flip
 *     - color_jitter: {brightness: 0.2, contrast: 0.2}
 *     - mixup: 0.2
 * Names, settings and defaults are torchvision's where it has such a thing. A row turns its settings into
 * stages of what is drawn for each sample (op/augment/augment.h says in which order they work). Evaluations
 * and predictions see samples as they are. Samples keep their size; where the network sees only a piece of
 * them (`crop:` of the data), the first row that can takes it from anywhere, and without one it is the
 * middle. Owner: the arena. Nothing here changes once it is read. */
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
  bool several; /* may stand in the list more than once */
  bool cuts;    /* takes a piece out of larger samples: adds its stage by gt_augment_cut */
  /* Adds its stages, and what the look of all needs; false after gt_augment_error. */
  bool (*add)(struct gt_augment_build *build, const void *config);
} gt_augment_type;

int gt_augment_count(void);
const gt_augment_type *gt_augment_at(int index); /* sorted by name */

typedef struct gt_augment_item { /* a line of the list */
  const gt_augment_type *type;
  const void *config;
  const gt_spec *spec; /* its settings; NULL for a bare name */
  gt_position at;
} gt_augment_item;

typedef struct gt_augment_list {
  const gt_augment_item *item;
  int items; /* at least 1 */
  gt_position at;
} gt_augment_list;

/* The root's `augment:`. NULL without one, for an empty one, and after reporting every error. */
const gt_augment_list *gt_augment_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics);
/* The list with every default written out. */
gt_spec *gt_augment_resolve(const gt_augment_list *list, gt_arena *arena);

typedef struct gt_augment_sample { /* what there is to be changed */
  int rank;                        /* 2: [height, width]; 3: [height, width, channels] */
  const int64_t *dim;
  const int64_t *seen; /* by the network, of them */
  double white;        /* the value of full light */
} gt_augment_sample;

/* What the ops need. False after reporting what does not fit such samples. */
typedef struct gt_augment_plan {
  gt_augment_rule rule; /* but for its batch; of samples of its size, the middle of larger ones */
  gt_augment_look look;
} gt_augment_plan;
bool gt_augment_fit(const gt_augment_list *list, const gt_augment_sample *sample, gt_augment_plan *out,
                    gt_diagnostics *diagnostics);

/* --- for the rows --- */

typedef struct gt_augment_build {
  gt_augment_plan *plan;
  const gt_augment_sample *sample;
  int64_t channels;
  uint32_t height, width;      /* of samples, as the rows before left them */
  const gt_augment_item *item; /* that is being added */
  const gt_augment_item *filled, *bordered,
      *sampled; /* that said what lies beyond the border, how to sample */
  gt_diagnostics *diagnostics;
} gt_augment_build;

/* A further stage; NULL after reporting that there are too many. */
gt_augment_stage *gt_augment_add(gt_augment_build *build, gt_augment_kind kind);
/* The same, of one that leaves what the network sees. */
gt_augment_stage *gt_augment_cut(gt_augment_build *build, gt_augment_kind kind);
/* The stage of this kind that was added last; NULL: none. */
gt_augment_stage *gt_augment_last(gt_augment_build *build, gt_augment_kind kind);
/* All maps of the list are one: its parts must not disagree about what lies beyond the border, nor about how
 * pixels are mixed. */
bool gt_augment_set_fill(gt_augment_build *build, gt_floats fill);
bool gt_augment_set_border(gt_augment_build *build, const char *mode);
bool gt_augment_set_interpolation(gt_augment_build *build, const char *interpolation);
/* One number for all channels or one for each of at most four; none: 0. */
bool gt_augment_values(gt_augment_build *build, const char *key, gt_floats given, float *out);
/* [low, high] of a key, as floats. */
bool gt_augment_range(gt_augment_build *build, const char *key, gt_floats given, float *out);
/* The same, or one number that stands for [-number, number]. */
bool gt_augment_degrees(gt_augment_build *build, const char *key, gt_floats given, float *out);
/* One whole number for both, or [x, y]. */
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
