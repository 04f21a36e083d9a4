/* Names that other programs use (Keras, PyTorch, torchvision, timm, Lightning, Hugging Face, Ultralytics,
 * fastai, scikit-learn, Ludwig, pykan), and gtrain's names for the same things. hint.c looks them up. Words
 * are folded to lower-case letters and digits, so that one row covers out_features, outFeatures and
 * OutFeatures. */
#ifndef GT_SPEC_FOREIGN_H
#define GT_SPEC_FOREIGN_H

typedef struct gt_foreign {
  /* For names: the kind of thing ("layer", "loss", …), or the key whose value it is ("metric").
   * For keys: the map that has the key: a section or a path in one ("train.early_stopping"), "config" for
   * the top level, or kind and name ("layer conv2d"). NULL: the key is wrong everywhere. */
  const char *where;
  const char *ours;  /* NULL: gtrain has no equivalent, or does it differently; then there is a note */
  const char *words; /* names in other programs, folded, separated by spaces */
  const char *note;  /* one sentence, or NULL */
} gt_foreign;

/* Both end with a row without words. A word may have several rows: the first that fits the map is used. */
extern const gt_foreign gt_foreign_names[], gt_foreign_keys[];
#endif
