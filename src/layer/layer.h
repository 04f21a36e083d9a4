/* gt_layer_type: one constant row per layer: its schema and a function that emits ops. A file
 * src/layer/NAME.c (or src/layer/FAMILY/NAME.c) with GT_DEFINE(layer, NAME) = {…} adds a layer; nothing else
 * is edited. A layer's gradient follows from its ops. Axis 0 of every value is the batch. Layers never mix it
 * but for statistics, which leave out rows past the end of the data (gt_build.weight). In configs `axis`
 * counts as in PyTorch, with the batch as axis 0 (negative from the end); lists such as `shape:` or `axes:`
 * speak of a sample, without the batch. A layer is built several times (to learn its parameters, for
 * training, for evaluation): build must be a pure function of its arguments. */
#ifndef GT_LAYER_LAYER_H
#define GT_LAYER_LAYER_H
#include "base/register.h"
#include "graph/graph.h"
#include "layer/init.h"
#include "spec/schema.h"
#include "store/store.h"

/* The families that layers are listed by, in this order: the name of the list (`gtrain schema activations`)
 * and its heading. A layer that names none is among the others. */
#define GT_LAYER_FAMILIES(X)                     \
  X(DENSE, "dense", "Dense layers")              \
  X(CONVOLUTION, "convolutions", "Convolutions") \
  X(POOLING, "pooling", "Pooling")               \
  X(NORM, "norms", "Normalization")              \
  X(ACTIVATION, "activations", "Activations")    \
  X(DROPOUT, "dropouts", "Dropout")              \
  X(SHAPE, "shapes", "Shape and resolution")     \
  X(JOIN, "joins", "Joining several inputs")     \
  X(KAN, "kans", "Kolmogorov-Arnold networks")   \
  X(GATES, "gates", "Logic gates")

#define GT_LAYER_ENUM(family, name, title) GT_LAYER_##family,
typedef enum gt_layer_family {
  GT_LAYER_OTHER,
  GT_LAYER_FAMILIES(GT_LAYER_ENUM) GT_LAYER_FAMILY_COUNT
} gt_layer_family;
#undef GT_LAYER_ENUM
typedef struct gt_layer_family_text {
  const char *name, *title;
} gt_layer_family_text;
extern const gt_layer_family_text gt_layer_families[GT_LAYER_FAMILY_COUNT];

struct gt_layer_type;
struct gt_layer_circuit;
struct gt_review;
struct gt_sample_facts;

/* What a layer does to its own parameters and states between steps, on the host, by what it reads of the
 * training data then: before the first step of a phase and so many steps apart, as long as they are less than
 * `until`. */
typedef struct gt_adaptation {
  const char *layer, *key; /* its name; its setting that asks for this */
  gt_id sample;            /* what the layer wants to see, F32 [rows, …]: of an evaluation, not of a step */
  int64_t every, until;
  const void *settings; /* live as long as the arena */
  void (*adapt)(const struct gt_adaptation *adaptation, const float *sample, int64_t rows,
                const gt_slot_values *values);
} gt_adaptation;

typedef struct gt_build { /* one layer under construction; made by the model room */
  gt_graph *graph;
  gt_arena *arena;
  gt_diagnostics *diagnostics;
  const struct gt_layer_type *type;
  const char *name;              /* "linear1" */
  const char *const *input_name; /* names of the layers that give input[k]; "input" is the model's input */
  /* Integers of the data that input k holds lie in [0, input_limit[k]); 0: not known. NULL: of none. */
  const int64_t *input_limit;
  gt_position at;      /* where the layer stands in the config */
  const gt_spec *spec; /* its settings there; NULL for a bare `- relu` */
  bool training;       /* false: evaluation, dropout passes its input on */
  bool recompute;      /* training: what a gradient can have made again cheaply is not kept */
  bool hard;           /* evaluation of what the trained model stands for: gates, not mixtures of gates */
  uint64_t seed;       /* the run's, for constants (gt_build_stream) */
  gt_id clock;         /* of what is drawn; GT_NONE where nothing runs, in check and export */
  gt_id weight;        /* F32 [B]: 0 for rows past the end of the data, else 1; GT_NONE: every row counts */
  bool has_hard;       /* set by a layer that is another with `hard`: both are then evaluated */
  int errors;          /* reported while this layer was built */
  struct gt_review *review; /* layer/review.h; NULL: nothing is found */
  const struct gt_sample_facts *const
      *facts; /* of each input of the layer, with a review; see gt_review_facts */
  /* Reads a slot of the model's store, which is added if it is new; its name is completed. */
  gt_id (*slot)(struct gt_build *build, gt_slot slot);
  /* In training: the state of this name holds `value` after a step that counts. */
  void (*update)(struct gt_build *build, const char *name, gt_id value);
  void (*penalty)(struct gt_build *build, gt_id value);
  void (*adapt)(struct gt_build *build, const gt_adaptation *adaptation);
  void *owner;
} gt_build;

typedef struct gt_layer_type {
  const char *name, *help;
  const gt_schema *schema; /* its own keys; those of gt_layer_common_schema are added to each */
  size_t config_size;
  gt_layer_family family;
  int min_inputs, max_inputs; /* max -1: any number */
  bool integers;              /* takes inputs of integers (I32), too */
  bool moves; /* its output holds values of its first input, at other places, and zeros at most */
  /* "softmax" or "sigmoid": what it makes of logits, which a loss that does so itself would do twice. */
  const char *applies;
  /* What becomes of parameters and states when a phase of training gives the layer other sizes; NULL: it
   * keeps its sizes. gt_refit_overlap serves most. */
  void (*refit)(const gt_slot *before, const float *old, const gt_slot *now, float *out,
                const gt_slot_values *was);
  /* Emits the layer's ops and returns its output, or GT_NONE after gt_build_error. input[k] has rank >= 1.
   * Shape errors of the ops themselves are reported by the model room unless the layer finds them first. */
  gt_id (*build)(gt_build *build, const void *config, const gt_id *input, int inputs);
  /* What it is, once trained, in a circuit of gates (layer/circuit.h): false after refusing. NULL: nothing
   * that could stand behind gates. */
  bool (*circuit)(struct gt_layer_circuit *circuit, const void *config);
} gt_layer_type;

typedef struct gt_layer_common { /* keys of every layer */
  const char *name;
  gt_strings from;
} gt_layer_common;
extern const gt_schema gt_layer_common_schema;

/* Values stay at their indices as far as both shapes have them; the others are as they begin. */
void gt_refit_overlap(const gt_slot *before, const float *old, const gt_slot *now, float *out,
                      const gt_slot_values *was);

int gt_layer_count(void);
const gt_layer_type *gt_layer_at(int index); /* sorted by name */
const gt_layer_type *gt_layer_find(const char *name);
/* The layer that another program calls so; the name itself where none is known. */
const char *gt_layer_meant(const char *name, const gt_diagnostics *diagnostics);
/* Why no layer has a key that layers of other programs have (`activation`), or NULL. */
const char *gt_layer_lacks(const char *key);

/* A parameter of this layer, called LAYER.name; reading it in the graph is the result. init: NULL if it was
 * refused, which has been reported; the parameter is there all the same. */
gt_id gt_build_parameter(gt_build *build, const char *name, gt_shape shape, const gt_init *init);
/* The same with something for refit to know, gt_slot.form, which must live as long as the arena. */
gt_id gt_build_formed(gt_build *build, const char *name, gt_shape shape, const gt_init *init,
                      const void *form);
/* A state of this layer, called LAYER.name, F32: what training moves without a gradient, such as running
 * statistics. It begins with all values `start`, is kept in model.bin and checkpoints, and is what the step
 * before left. */
gt_id gt_build_state(gt_build *build, const char *name, gt_shape shape, double start);
/* The same of values that are never negative. */
gt_id gt_build_variance(gt_build *build, const char *name, gt_shape shape, double start);
/* A state of one number from 0, which is never averaged. */
gt_id gt_build_counter(gt_build *build, const char *name);
/* The same with other values to begin with, and something for refit to know; never averaged. */
gt_id gt_build_filled_state(gt_build *build, const char *name, gt_shape shape, gt_fill fill,
                            gt_slot_range range, const void *form);
/* A scalar that training adds to the mean loss; nothing in an evaluation. */
void gt_build_penalty(gt_build *build, gt_id value);
/* Has training adapt the layer between steps. */
void gt_build_adapt(gt_build *build, gt_adaptation adaptation);
/* What that state holds after this step of training; nothing in an evaluation. Like parameters it stays as it
 * was in a step whose loss or gradient is not finite. Where a step has several batches (train.accumulate) it
 * moves with each that holds a sample. */
void gt_build_update(gt_build *build, const char *name, gt_id value);
/* A constant of this layer, called LAYER.name, I32, such as the wiring of gates: uploaded once by the run,
 * kept in model.bin, from which an evaluation reads it; value i must lie in [0, limit[i]). Where the model
 * begins with another one's tensors, `data` is overwritten by that one's: what is derived from it comes
 * after. data and limit must live as long as the arena. */
gt_id gt_build_constant(gt_build *build, const char *name, gt_shape shape, int32_t *data,
                        const int32_t *limit);
/* The same for what follows from other constants and is needed in training only: not kept in files. */
gt_id gt_build_derived(gt_build *build, const char *name, gt_shape shape, int32_t *data);
/* Where the random numbers of the constant LAYER.name come from: the run's seed and that name. */
gt_init_stream gt_build_stream(const gt_build *build, const char *name);
/* Reports an error at the value of `key` (or at the layer, if key is NULL or not written) as "layer 'NAME'
 * …"; returns GT_NONE. */
gt_id gt_build_error(gt_build *build, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Position of the value of a key, or of the layer. */
gt_position gt_build_position(const gt_build *build, const char *key);

/* "'fc1' [128, 64]" for input k, in the build's arena. */
const char *gt_build_input_text(gt_build *build, const gt_id *input, int k);
/* An axis from a config: negative counts from the end; false (reported) if it is outside or the batch. */
bool gt_build_axis(gt_build *build, const char *key, int64_t axis, int rank, int *out);
#endif
