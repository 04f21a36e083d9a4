/* Fine-tuning: `init_from:` of a config names the model file that provides initial values.
 *    init_from: runs/five/model.bin
 *    init_from: {model: runs/five/model.bin, map: {head: ~, body: encoder}}
 * The file may also be a safetensors file of another program, whose tensors are taken if names and shapes are
 * the same. The key `map` (store/transfer.h) maps names of layers or tensors of this model to their names in
 * the file, or to ~ if they start from scratch. A resumed run continues from its checkpoint; it is an error
 * if the file has changed, because constants are read from it. */
#ifndef GT_TRAIN_INIT_FROM_H
#define GT_TRAIN_INIT_FROM_H
#include "spec/schema.h"
#include "model/model.h"
#include "store/transfer.h"
#include "train/file/model_file.h"

typedef struct gt_init_from {
  gt_model_file file;
  gt_transfer transfer;
  uint64_t hash;  /* of the file */
  gt_position at; /* of `init_from:` in the config, or of --init */
} gt_init_from;

extern const gt_schema gt_init_from_schema;

/* Turns `init_from: FILE` into `init_from: {model: FILE}`, so that --set can override its keys. */
void gt_init_from_expand(gt_arena *arena, const gt_spec *root);
/* Reads `init_from:` of the config `root` and the file that it names into the arena. NULL if there is no
 * `init_from:`, and after reporting errors. The caller calls gt_init_from_finish, which accepts NULL. */
gt_init_from *gt_init_from_read(gt_arena *arena, const gt_spec *root, gt_diagnostics *diagnostics);
void gt_init_from_finish(gt_init_from *from);
/* Adds the finding lost_weights if parameters have another shape in the file than in the model, so that their
 * layers start from scratch, if a layer lacks a tensor there or has no place for one, and if classes, columns
 * or tokens are others (train/config/init_names.h). */
void gt_init_from_review(const gt_init_from *from, const gt_dataset *dataset, const gt_model *model,
                         gt_diagnostics *diagnostics);
/* Copies matching tensors of the file into the model's store; logs their number, which tensors start from
 * scratch and, of a file of another program, which of its tensors are left over. Warns if the data is
 * normalized or encoded differently than the data of the file. False after reporting unknown names in `map`,
 * a file without any matching tensor, or a tensor that cannot be read. */
bool gt_init_from_apply(const gt_init_from *from, const gt_spec *root, const gt_dataset *dataset,
                        const gt_model *model, gt_diagnostics *diagnostics);
#endif
