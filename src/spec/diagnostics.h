/* Diagnostics: the errors and findings of one config, each with a position, collected so that one pass shows
 * all of them. Printed sorted by position:
 *   config.yaml:7:5: error: unknown key 'unitz' in layer 'linear'
 *        7 |   - linear: {unitz: 10}
 *          |              ^~~~~
 *     expected one of: units, bias, … ; did you mean 'units'?
 * A finding is a warning with a name: the config is allowed but probably not what was meant. It is reported
 * once, at the line that causes it, with what to change. `quiet: [name]` in a config silences it; --strict
 * makes it an error.
 *   config.yaml:3:21: warning: warmup takes 1000 steps, the run has 140 [no_effect]
 *        3 | schedule: {warmup: 1000}
 *          |                    ^~~~
 *     help: set a warmup below 140
 * A position with line 0 is the whole file. Owner: the code that reads the config. */
#ifndef GT_SPEC_DIAGNOSTICS_H
#define GT_SPEC_DIAGNOSTICS_H
#include "base/arena.h"
#include "base/error.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* All findings: the name that `quiet:` takes, and a description. */
#define GT_FINDINGS(X)                                                                  \
  X(unused, "an input or a layer whose values nothing reads")                           \
  X(applied_twice, "a last layer (such as softmax) that the loss already includes")     \
  X(never_evaluated, "early stopping, a schedule or best.bin without any evaluation")   \
  X(watches_test, "early stopping, model selection or a schedule on the test split")    \
  X(clipped_light, "pixel values above white, which color_jitter clips")                \
  X(scaled_loss, "a limit for a loss that compares scaled targets")                     \
  X(no_effect, "a setting that changes nothing, such as an unreached interval")         \
  X(single_value_norm, "normalization over a single value, whose output is constant")   \
  X(padding_is_token, "a padding index that is a token of the vocabulary")              \
  X(lost_weights, "trained weights that do not fit the size or names of their layer")   \
  X(one_class, "labels that are all the same class")                                    \
  X(constant_target, "a target that is the same in all training samples")               \
  X(empty_class, "a class number without training samples")                             \
  X(missing_class, "a class that is missing in one split")                              \
  X(unnamed_positive, "a metric of one class, of which nothing says that it is meant")  \
  X(rare_class, "a class with one sample, which a stratified split keeps for training") \
  X(short_series, "groups of a time series, or texts, that are shorter than a window")  \
  X(unnamed_time, "a time series with a date column that is not set as its time")       \
  X(looks_ahead, "a language model that reads the tokens it predicts")                  \
  X(large_group, "a group of samples that is larger than its split should be")          \
  X(repeated_samples, "test samples that are training samples, too")                    \
  X(doubtful_header, "a first line of a CSV that may or may not be a header")           \
  X(far_from_unit_scale, "inputs or targets that are not scaled and far from 0")        \
  X(sentinel_values, "a number that may stand for missing values")                      \
  X(many_classes, "a text target with almost as many values as rows")                   \
  X(unseen_category, "categories of a table that the training rows do not have")        \
  X(filled_gaps, "missing values in a column that had none in training")                \
  X(numbers_as_text, "numbers with a unit or a sign that are read as text")             \
  X(large_integers, "whole numbers of an input that 32-bit floats cannot tell apart")   \
  X(missing_labels, "words for a missing value that are read as a class")               \
  X(similar_names, "class names that differ only in their Unicode normalization")       \
  X(splits_as_classes, "folders such as train and test that are read as classes")       \
  X(empty_folder, "a folder without pictures among those of the classes")               \
  X(turned_pictures, "pictures that are turned while their target images are not")      \
  X(outside_grid, "samples outside the grid of a KAN")                                  \
  X(ambiguous_path, "a relative path that leads to different files in two folders")     \
  X(other_samples, "data files that changed since the model was trained")               \
  X(outside_training, "samples outside the range of the training data")                 \
  X(channels_first, "arrays that look like images in channels-first order")             \
  X(not_bits, "logic gates that read values other than 0 and 1")                        \
  X(undetermined, "an equation without conditions, or whose derivatives are always 0")  \
  X(doubtful_formula, "a formula that the samples do not clearly support")

#define GT_FINDING_ENUM(name, about) GT_FINDING_##name,
typedef enum gt_finding { GT_NO_FINDING, GT_FINDINGS(GT_FINDING_ENUM) GT_FINDING_COUNT } gt_finding;
#undef GT_FINDING_ENUM
/* Index: gt_finding - 1, because GT_NO_FINDING has no name. NULL-terminated. */
extern const char *const gt_finding_names[], *const gt_finding_texts[];
/* Index: gt_finding. When it appears and what to change (finding_details.c). */
extern const char *const gt_finding_details[];

typedef struct gt_position {
  const char *file;        /* as the user gave it; "--set" for an override, or another option */
  const char *line_text;   /* the source line, without its newline; NULL if there is none */
  int line, column, width; /* from 1; column and width (of the marked text) in characters */
} gt_position;

bool gt_position_is_override(gt_position at); /* true if an option gave the value */

typedef struct gt_diagnostic {
  gt_position at;
  const char *message, *expected, *suggestion; /* `expected`, `suggestion` and `help` may be NULL */
  const char *help;                            /* what to change, or how it is written elsewhere */
  const char *reason; /* why the model may learn nothing, for the warning after such a run; or NULL */
  gt_finding finding; /* GT_NO_FINDING: an error */
  gt_status status;   /* exit code: GT_ERR_CONFIG, or that of a file that the config names */
  bool shown;         /* was printed */
} gt_diagnostic;

typedef struct gt_diagnostics {
  gt_arena *arena;
  gt_diagnostic *items;
  int count;
  int errors, findings; /* number found, including those that were not kept */
  int announced[2]; /* errors and findings that were not kept and that a printed "… and N more" has counted */
  uint64_t quiet;   /* bit k: gt_finding k is silenced */
  bool print_all;   /* gt_diagnostics_print prints all findings that are kept, not only the worst 8 */
  /* [places] The maps of a config, to suggest where a key belongs (spec/hint.h); may be empty. */
  const struct gt_schema_place *place;
  int places;
} gt_diagnostics;

void gt_diagnostics_init(gt_diagnostics *diagnostics, gt_arena *arena);
/* Adds an error and returns it; the caller may set expected, suggestion and help. Keeps at most 100 errors
 * and 100 findings. */
gt_diagnostic *gt_error_at(gt_diagnostics *diagnostics, gt_position at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same in functions that return false after an error; expected may be NULL. */
bool gt_reject(gt_diagnostics *diagnostics, gt_position at, const char *expected, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a finding, unless it is silenced or was already added; returns it, or a dummy that is never
 * printed. */
gt_diagnostic *gt_finding_at(gt_diagnostics *diagnostics, gt_finding finding, gt_position at,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));
/* From now on drops findings of this name (one of gt_finding_names). */
void gt_diagnostics_silence(gt_diagnostics *diagnostics, const char *name);
bool gt_diagnostics_has(const gt_diagnostics *diagnostics, gt_finding finding); /* true if it was added */
/* True if an added error suggests this name: the key is not missing but misspelled. */
bool gt_diagnostics_has_suggestion(const gt_diagnostics *diagnostics, const char *name);
/* True if there are more errors than are kept: further details would not be printed. */
bool gt_diagnostics_full(const gt_diagnostics *diagnostics);
/* The exit code of the errors: GT_ERR_CONFIG if the config itself has one, otherwise that of the first
 * error. */
gt_status gt_diagnostics_status(const gt_diagnostics *diagnostics);
/* Prints the diagnostics that were not printed yet. Of more than 8 findings, only the worst: those that make
 * results wrong come before those that cost time or are only odd. */
void gt_diagnostics_print(gt_diagnostics *diagnostics, FILE *stream);
#endif
