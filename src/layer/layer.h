/* gt_layer_type: one constant row per layer: its schema and a function that emits ops. A file
 * src/layer/NAME.c (or src/layer/FAMILY/NAME.c) with GT_DEFINE(layer, NAME) = {…} adds a layer; nothing else
 * is edited. The gradient of a layer follows from its ops. Axis 0 of every value is the batch. Layers do not
 * mix samples except for statistics, which ignore rows past the end of the data (gt_build.weight). In
 * configs, `axis` counts as in PyTorch, with the batch as axis 0 (negative from the end); lists such as
 * `shape:` or `axes:` refer to a sample, without the batch. A layer is built several times (to learn its
 * parameters, for training, for evaluation): build must be a pure function of its arguments. */
#ifndef GT_LAYER_LAYER_H
#define GT_LAYER_LAYER_H
#include "base/register.h"
#include "graph/graph.h"
#include "layer/init.h"
#include "spec/schema.h"
#include "store/store.h"

/* The families of layers, in the order of lists: the name of the list (`gtrain schema activations`) and its
 * heading. A layer without a family is listed under others. */
#define GT_LAYER_FAMILIES(X)                     \
  X(DENSE, "dense", "Dense layers")              \
  X(CONVOLUTION, "convolutions", "Convolutions") \
  X(POOLING, "pooling", "Pooling")               \
  X(NORM, "norms", "Normalization")              \
  X(ACTIVATION, "activations", "Activations")    \
  X(DROPOUT, "dropouts", "Dropout")              \
  X(SEQUENCE, "sequences", "Sequences")          \
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

/* What the last axis of a layer's output counts, compared with that of its input. */
typedef enum gt_feature_flow {
  GT_FEATURES_OTHER,
  GT_FEATURES_KEPT,  /* the same features in the same order, such as after an activation */
  GT_FEATURES_TILED, /* the same features several times, such as those of each step */
} gt_feature_flow;

/* The axes of a parameter or state along which the output features and the input features of the layer are
 * counted (of integers: their values), so that fine-tuning can match them by name: 1 + axis, -1: the last
 * axis, 0: none. */
typedef struct gt_slot_axes {
  const char *slot;
  int output, input;
} gt_slot_axes;

/* A host function by which a layer adapts its own parameters and states to training data between steps:
 * before the first step of a phase and then every `every` steps, while the step is less than `until`. */
typedef struct gt_adaptation {
  const char *layer, *key; /* name of the layer; the setting that requests the adaptation */
  gt_id sample;            /* the value that `adapt` receives, F32 [rows, …], computed as in evaluation */
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
  int inputs;                    /* number of the layer's inputs, input[0] to input[inputs - 1] in `build` */
  const char *const *input_name; /* names of the layers that output input[k]; "input" is the model's input */
  /* Integers in input k lie in [0, input_limit[k]); 0: unknown. NULL: all unknown. */
  const int64_t *input_limit;
  /* lengths[k]: I32 [B], the number of steps along axis 1 of input k that each sample has; the others are
   * padding. GT_NONE: all steps count. NULL: GT_NONE for all inputs. */
  const gt_id *lengths;
  int64_t steps; /* axis 1 of input 0 */
  /* The layer that ended the lengths of an input, so that it holds padding that cannot be told from steps;
   * NULL: none did. */
  const char *lengths_end;
  gt_id output_lengths; /* set by a layer that changes the number of steps (gt_build_set_lengths) */
  /* Size of the vocabulary if the integers in input 0 are tokens; 0: they are not, or the input is floats. */
  int64_t vocabulary;
  gt_position at;      /* position of the layer in the config */
  const gt_spec *spec; /* its settings in the config; NULL for a bare `- relu` */
  bool training;       /* false: evaluation, dropout is off */
  bool frozen;         /* training does not change the layer: its states keep their values, too */
  bool recompute;      /* training: values that are cheap to recompute in the backward pass are not stored */
  bool hard;           /* evaluation of the discrete model: gates, not mixtures of gates */
  uint64_t seed;       /* seed of the run, for constants (gt_build_stream) */
  gt_id clock;         /* clock for random draws; GT_NONE if the graph is not run (check, export) */
  gt_id weight;        /* F32 [B]: 0 for rows past the end of the data, else 1; GT_NONE: every row counts */
  bool has_hard;       /* set by a layer that differs if `hard` is true: both forms are then evaluated */
  int errors;          /* number reported while this layer was built */
  struct gt_review *review; /* layer/review.h; NULL: no findings */
  /* Facts about each input of the layer, if there is a review; see gt_review_facts. */
  const struct gt_sample_facts *const *facts;
  /* Returns the value of a slot of the model's store, which is added if it is new; the layer's name is
   * prefixed to the slot's. */
  gt_id (*slot)(struct gt_build *build, gt_slot slot);
  /* The value of another layer's slot, by its full name; GT_NONE if no earlier layer has it. */
  gt_id (*shared)(struct gt_build *build, const char *name);
  /* In training: the state of this name becomes `value` after a step that is not skipped. */
  void (*update)(struct gt_build *build, const char *name, gt_id value);
  /* See gt_build_penalty and gt_build_adapt. */
  void (*penalty)(struct gt_build *build, gt_id value);
  void (*adapt)(struct gt_build *build, const gt_adaptation *adaptation);
  void *owner; /* context of these functions */
} gt_build;

typedef struct gt_layer_type {
  const char *name, *help;
  const gt_schema *schema; /* the layer's own keys; those of gt_layer_common_schema are added */
  size_t config_size;
  gt_layer_family family;
  int min_inputs; /* the layer reads this many inputs or more; 0: exactly one */
  bool integers;  /* also accepts integer inputs (I32) */
  /* True if axis 1 of the output is not the sequence axis of the inputs, or if the layer reads beyond the end
   * of a sample: the output then has no lengths (gt_build.lengths). Otherwise an output of rank 3 or more
   * whose axis 1 has the same size keeps the lengths of the inputs that have some; they must agree. Neither
   * applies if the layer sets lengths (gt_build_set_lengths). */
  bool ends_lengths;
  gt_feature_flow features;
  /* Ends with a slot NULL. NULL: unknown, or no parameters. If the layer keeps its features, an input axis is
   * an output axis, too. */
  const gt_slot_axes *axes;
  bool moves; /* the output only rearranges the values of the first input, possibly with padding */
  /* "softmax" or "sigmoid": the function that the layer applies, which a loss on logits would apply again. */
  const char *applies;
  /* gt_slot.refit of the layer's parameters and states: converts their values when a training phase changes
   * the layer's sizes; NULL: sizes cannot change. gt_refit_overlap suits most layers. */
  void (*refit)(const gt_slot *before, const float *old, const gt_slot *now, float *out,
                const gt_slot_values *values_before);
  /* gt_slot.describe_refit of the layer's parameters; NULL: the shapes say it. */
  const char *(*describe_refit)(const gt_slot *before, const gt_slot *now, gt_arena *arena);
  /* Emits the layer's ops and returns its output, or GT_NONE after gt_build_error. input[k] has rank >= 1.
   * Shape errors of the ops themselves are reported by the model room unless the layer finds them first. */
  gt_id (*build)(gt_build *build, const void *config, const gt_id *input);
  /* Converts the trained layer to gates (layer/circuit.h); false after reporting. NULL: the layer cannot
   * come after gates. */
  bool (*circuit)(struct gt_layer_circuit *circuit, const void *config);
} gt_layer_type;

typedef struct gt_layer_common { /* keys of every layer */
  const char *name;
  gt_strings from;
} gt_layer_common;
extern const gt_schema gt_layer_common_schema;

/* Keeps values at indices that both shapes have; the others get their initial values. */
void gt_refit_overlap(const gt_slot *before, const float *old, const gt_slot *now, float *out,
                      const gt_slot_values *values_before);

int gt_layer_count(void);
const gt_layer_type *gt_layer_at(int index); /* sorted by name */
const gt_layer_type *gt_layer_find(const char *name);
/* The layer to which another program gives this name; the name itself if there is none. */
const char *gt_layer_by_foreign_name(const char *name, const gt_diagnostics *diagnostics);
/* Explains why layers have no such key, for keys of layers in other programs (`activation`); else NULL. */
const char *gt_layer_explain_missing_key(const char *key);

/* A parameter of this layer, called LAYER.name; returns its value in the graph. init: NULL after an error
 * that was reported; the parameter is added anyway. */
gt_id gt_build_parameter(gt_build *build, const char *name, gt_shape shape, const gt_init *init);
/* The parameter `name` of a layer earlier in the config, shared with this one: its gradient is the sum of
 * both. GT_NONE after reporting at `key` that there is none. */
gt_id gt_build_shared(gt_build *build, const char *key, const char *layer, const char *name);
/* As gt_build_parameter, with gt_slot.form: information for refit, which must live as long as the arena. */
gt_id gt_build_parameter_with_form(gt_build *build, const char *name, gt_shape shape, const gt_init *init,
                                   const void *form);
/* A state of this layer, called LAYER.name, F32: a value that training updates without a gradient, such as
 * running statistics. All its values start as `start`; it is stored in model.bin and checkpoints. Returns its
 * value after the previous step. */
gt_id gt_build_state(gt_build *build, const char *name, gt_shape shape, double start);
/* The same for values that are never negative. */
gt_id gt_build_variance(gt_build *build, const char *name, gt_shape shape, double start);
/* A state of one number that starts at 0. It has no moving average (gt_slot.not_averaged), and a layer that
 * is taken from a file may lack it there (gt_slot.dispensable). */
gt_id gt_build_counter(gt_build *build, const char *name);
/* A state with initial values from `fill` and with information for refit (gt_slot.form); like a counter, it
 * has no moving average. */
gt_id gt_build_filled_state(gt_build *build, const char *name, gt_shape shape, gt_fill fill,
                            gt_slot_range range, const void *form);
/* Adds a scalar to the mean loss in training; ignored in evaluation. */
void gt_build_penalty(gt_build *build, gt_id value);
/* Registers a function that adapts the layer between training steps; ignored if the layer is frozen. */
void gt_build_adapt(gt_build *build, gt_adaptation adaptation);
/* Sets the value of a state after this training step; ignored in evaluation. Like parameters, it is unchanged
 * after a step whose loss or gradient is not finite. If a step has several batches (train.accumulate), it is
 * updated with each batch that holds a sample. */
void gt_build_update(gt_build *build, const char *name, gt_id value);
/* A constant of this layer, called LAYER.name, I32, such as the wiring of gates: uploaded once by the run and
 * stored in model.bin, from which evaluations read it; value i must lie in [0, limit[i]). If the model starts
 * from another model's tensors, `data` is overwritten with that model's values, so derive other constants
 * after this call. data and limit must live as long as the arena. */
gt_id gt_build_constant(gt_build *build, const char *name, gt_shape shape, int32_t *data,
                        const int32_t *limit);
/* The same for constants derived from others and needed only in training; not stored in files. */
gt_id gt_build_derived(gt_build *build, const char *name, gt_shape shape, int32_t *data);
/* The random stream of the constant LAYER.name: from the run's seed and that name. */
gt_init_stream gt_build_stream(const gt_build *build, const char *name);
/* Reports an error at the value of `key` (or at the layer, if key is NULL or not written) as "layer 'NAME'
 * …"; returns GT_NONE. */
gt_id gt_build_error(gt_build *build, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same; returns false. */
bool gt_build_fail(gt_build *build, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Position of the value of a key, or of the layer. */
gt_position gt_build_position(const gt_build *build, const char *key);

/* "'fc1' [128, 64]" for input k, in the build's arena. */
const char *gt_build_input_text(gt_build *build, const gt_id *input, int k);
/* An axis from a config: negative counts from the end; false (reported) if it is outside or the batch. */
bool gt_build_axis(gt_build *build, const char *key, int64_t axis, int rank, int *out);
#endif
