/* gt_change_type: an operation at the start of a training phase that replaces the network by another one,
 * such as `prune:`. One constant row per type, in a file of its own: src/change/NAME.c with GT_DEFINE(change,
 * NAME). No other file changes: phases, checkpoints and the schema loop over the rows, and src/train does not
 * refer to changes by name.
 *
 * Contract: a change rewrites the configs of its phase and of all later ones, so that they describe the new
 * network; the values that it returns match the first of these configs. A run that is resumed after the
 * change starts with the configs as the user wrote them: `resume` rewrites them again, using only the
 * checkpoint. */
#ifndef GT_TRAIN_CHANGE_H
#define GT_TRAIN_CHANGE_H
#include "base/register.h"
#include "spec/schema.h"
#include "store/state_dict.h"

struct gt_config;
struct gt_model;
struct gt_sinks;

typedef struct gt_change { /* the change at the start of a phase; type NULL: none */
  const struct gt_change_type *type;
  const void *settings;
} gt_change;

typedef struct gt_change_run {    /* a run between two phases */
  struct gt_config *base;         /* the config of the run, with all phases */
  const struct gt_config *config; /* of the phase that has ended */
  const struct gt_model *model;   /* the network of that phase */
  int64_t next;                   /* index of the phase that starts with the change */
  uint64_t draw;                  /* seed of initial values */
  const struct gt_sinks *sinks;   /* to report the change */
  gt_arena *arena,
      *generation; /* arena of the config; of the generation, which lives as long as the values */
} gt_change_run;

typedef struct gt_change_type {
  const char *name; /* key in a phase, and key of the note in a checkpoint */
  /* File in the run directory for the model before the change, such as "unpruned.bin". */
  const char *backup_file;
  /* Error message, and its `expected` or NULL, if the first phase has the change. */
  const char *too_early, *expected;
  const gt_schema *schema;
  /* Reads the settings at `node` into the arena. NULL after reporting errors; it is an error if the model
   * does not support the change. */
  const void *(*read)(const struct gt_config *phase, const gt_spec *node, const struct gt_model *model,
                      gt_arena *arena, gt_diagnostics *diagnostics);
  /* Replaces the values of the slots at the end of the previous phase, and rewrites the configs of phases
   * from run->next on. */
  bool (*apply)(const gt_change_run *run, const void *settings, gt_state_dict *values, gt_error *error);
  /* A note about the model for checkpoints, in the arena; called if any phase so far started with a change.
   * NULL: no note. Optional. */
  const char *(*note)(const struct gt_model *model, gt_arena *arena);
  /* Rewrites the configs as `apply` did, for a checkpoint of that phase. Called for every type, even if no
   * phase has it. path: the checkpoint, for messages. */
  bool (*resume)(struct gt_config *base, int64_t phase, const gt_container *checkpoint, const char *path,
                 gt_arena *arena, gt_error *error);
} gt_change_type;

int gt_change_count(void);
const gt_change_type *gt_change_at(int index);
/* The last phase up to `phase` that starts with this change, or with any change if type is NULL; -1: none. */
int64_t gt_change_last(const struct gt_config *base, int64_t phase, const gt_change_type *type);

/* --- within train/ --- */

/* Reads the change in a phase's map, item number `index` of the list, into phase->change. */
void gt_change_read(struct gt_config *phase, int index, const gt_spec *item, const struct gt_model *model,
                    gt_arena *arena, gt_diagnostics *diagnostics);
/* The notes for a checkpoint of a phase, at most one per type; returns how many. */
int gt_change_notes(const struct gt_config *base, int64_t phase, const struct gt_model *model,
                    gt_arena *arena, gt_metadata *out);
bool gt_change_resume(struct gt_config *base, int64_t phase, const gt_container *checkpoint, const char *path,
                      gt_arena *arena, gt_error *error);
#endif
