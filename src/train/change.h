/* gt_change_type: what a phase of training may begin with that makes another network of the one there is,
 * such as `prune:`. One constant row each, in a file of its own: src/change/NAME.c with GT_DEFINE(change,
 * NAME). Nothing else is edited: reading of phases, the hand-over between them, checkpoints and the schema go
 * by the rows, and the train room knows no change by name.
 *
 * Contract: a change rewrites the configs of its phase and of all later ones, so that they describe the
 * network that it made; the weights that it leaves fit the first of these. A run that is resumed behind it
 * has the configs as the user wrote them: `resume` does the same rewriting again, from the checkpoint alone.
 */
#ifndef GT_TRAIN_CHANGE_H
#define GT_TRAIN_CHANGE_H
#include "base/register.h"
#include "spec/schema.h"
#include "store/state_dict.h"

struct gt_config;
struct gt_model;
struct gt_sinks;

typedef struct gt_change { /* of a phase; type NULL: it begins with none */
  const struct gt_change_type *type;
  const void *settings;
} gt_change;

typedef struct gt_change_run {    /* a run between two phases */
  struct gt_config *base;         /* the run's, with all its phases */
  const struct gt_config *config; /* of the phase that is over */
  const struct gt_model *model;   /* its network */
  int64_t next;                   /* the phase that begins with the change */
  uint64_t draw;                  /* seed of what a network begins with */
  const struct gt_sinks *sinks;   /* told what was done */
  gt_arena *arena, *generation;   /* the run's; one that lasts as long as the weights do */
} gt_change_run;

typedef struct gt_change_type {
  const char *name; /* key in a phase, and of the note in checkpoints */
  const char *kept; /* file of the run directory that gets the weights before it, such as "unpruned.bin" */
  /* Where the first phase begins with it: what is wrong, and what is expected (or NULL). */
  const char *too_early, *expected;
  const gt_schema *schema;
  /* The settings at `node`, in the arena; NULL after reporting them, or a model that cannot be changed so. */
  const void *(*read)(const struct gt_config *phase, const gt_spec *node, const struct gt_model *model,
                      gt_arena *arena, gt_diagnostics *diagnostics);
  /* Replaces `held`, what the phase before has learned, and rewrites the configs of phases from run->next. */
  bool (*apply)(const gt_change_run *run, const void *settings, gt_state_dict *held, gt_error *error);
  /* What a checkpoint notes of the model, in the arena, once any phase so far has begun with a change; NULL:
   * nothing. Optional. */
  const char *(*note)(const struct gt_model *model, gt_arena *arena);
  /* Rewrites the configs for a checkpoint of that phase as `apply` did; called for every type. `path` is the
   * checkpoint's, for messages. */
  bool (*resume)(struct gt_config *base, int64_t phase, const gt_container *checkpoint, const char *path,
                 gt_arena *arena, gt_error *error);
} gt_change_type;

int gt_change_count(void);
const gt_change_type *gt_change_at(int index);
/* The last phase up to that one that begins with this change, or with any (NULL); -1: none. */
int64_t gt_change_last(const struct gt_config *base, int64_t phase, const gt_change_type *type);

/* --- within train/ --- */

/* The change in a phase's map, item number `index` of the list, into phase->change. */
void gt_change_read(struct gt_config *phase, int index, const gt_spec *item, const struct gt_model *model,
                    gt_arena *arena, gt_diagnostics *diagnostics);
/* The notes for a checkpoint of a phase, one for each type at most; returns how many. */
int gt_change_notes(const struct gt_config *base, int64_t phase, const struct gt_model *model,
                    gt_arena *arena, gt_metadata *out);
bool gt_change_resume(struct gt_config *base, int64_t phase, const gt_container *checkpoint, const char *path,
                      gt_arena *arena, gt_error *error);
#endif
