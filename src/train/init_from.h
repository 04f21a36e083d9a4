/* Fine-tuning: `init_from:` of a config, the model file that a run's first values come from.
 *   init_from: runs/five/model.bin
 *   init_from: {model: runs/five/model.bin, map: {head: ~, body: encoder}}
 * The map (store/transfer.h) says for layers or tensors of this model which of the file they are taken from;
 * ~: none. A run that is resumed begins with its checkpoint, but is refused if the file has changed:
 * constants come from it. */
#ifndef GT_TRAIN_INIT_FROM_H
#define GT_TRAIN_INIT_FROM_H
#include "spec/schema.h"
#include "store/transfer.h"
#include "train/model_file.h"

typedef struct gt_init_from {
  gt_model_file file;
  gt_transfer transfer;
  uint64_t hash; /* of the file */
  gt_position at;
} gt_init_from;

extern const gt_schema gt_init_from_schema;

/* Makes `init_from: FILE` a map, so that its parts can be overridden. */
void gt_init_from_spell_out(gt_arena *arena, const gt_spec *root);
/* Reads the root's `init_from:` and the file it names; NULL without one, or after reporting. In the arena;
 * finished by gt_init_from_finish, which accepts NULL. */
gt_init_from *gt_init_from_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics);
void gt_init_from_finish(gt_init_from *from);
/* Gives the store its first values and says what was taken and what not; reports names of the map that there
 * are not, and a file of which nothing fits. */
bool gt_init_from_apply(const gt_init_from *from, const gt_spec *root, const gt_dataset *dataset,
                        gt_store *store, gt_diagnostics *diagnostics);
#endif
