/* Fine-tuning: `init_from:` of a config names the model file that provides initial values.
 *    init_from: runs/five/model.bin
 *    init_from: {model: runs/five/model.bin, map: {head: ~, body: encoder}}
 * The map (store/transfer.h) gives for layers or tensors of this model their names in the file; ~:
 * initialized from scratch. A resumed run continues from its checkpoint, but is refused if the file has
 * changed, because constants are read from it. */
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

/* Turns `init_from: FILE` into a map, so that its keys can be overridden. */
void gt_init_from_spell_out(gt_arena *arena, const gt_spec *root);
/* Reads the root's `init_from:` and the file that it names, into the arena; NULL if there is none, or after
 * reporting. Finished by gt_init_from_finish, which accepts NULL. */
gt_init_from *gt_init_from_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics);
void gt_init_from_finish(gt_init_from *from);
/* Finds layers whose weights in the file have another size, so that they start from scratch. */
void gt_init_from_review(const gt_init_from *from, const gt_store *store, gt_diagnostics *diagnostics);
/* Sets the initial values of the store and logs what was taken. Reports unknown names in the map, and a file
 * with no matching tensor. */
bool gt_init_from_apply(const gt_init_from *from, const gt_spec *root, const gt_dataset *dataset,
                        gt_store *store, gt_diagnostics *diagnostics);
#endif
