/* Safetensors files: the container of checkpoints and of model.bin. An 8-byte little-endian header length, a
 * JSON header ({"name": {"dtype", "shape", "data_offsets"}, …, "__metadata__": {string: string}}, padded with
 * spaces so that the data begins at a multiple of 8), then the tensors' bytes one after another. Python's
 * safetensors opens them. One metadata entry, "gtrain.xxh3", holds the 64-bit XXH3 hash of the whole file
 * with that entry's 16 digits read as zeros: no byte of a file can change unnoticed. Files of earlier
 * versions have FNV-1a in "gtrain.hash"; theirs is checked, too. The reader trusts nothing: every size is
 * checked against the bytes that are really there before anything is allocated or touched. Owner:
 * gt_container owns all it points to. */
#ifndef GT_STORE_SAFETENSORS_H
#define GT_STORE_SAFETENSORS_H
#include "base/file.h"
#include "graph/graph.h"

typedef struct gt_stored {
  const char *name;
  gt_dtype dtype;
  gt_shape shape;
  const void *data; /* little-endian, row-major */
} gt_stored;

typedef struct gt_metadata { /* "gtrain.xxh3" is added by the writer and hidden from nobody */
  const char *key, *value;
} gt_metadata;

typedef struct gt_container {
  gt_arena arena;
  gt_bytes bytes;
  gt_stored *tensor; /* in file order */
  int tensors;
  gt_metadata *metadata;
  int entries;
  uint64_t hash; /* that of the file, of whichever kind it has */
  bool damaged;  /* after a read that failed: its bytes are not those that were written */
} gt_container;

bool gt_safetensors_write(const char *path, const gt_stored *tensors, int count, const gt_metadata *metadata,
                          int entries, gt_error *error);
/* GT_ERR_IO if the file cannot be read, GT_ERR_DATA with the reason if it is not a whole, unchanged file of
 * ours. On failure *out is empty but for `damaged`, which tells a file that fails its hash, or is no
 * container at all, from one that could not be read and from one that a later gtrain wrote;
 * gt_container_finish accepts it. */
bool gt_safetensors_read(const char *path, gt_container *out, gt_error *error);
void gt_container_finish(gt_container *file);

const gt_stored *gt_container_tensor(const gt_container *file, const char *name);
const char *gt_container_metadata(const gt_container *file, const char *key); /* NULL if absent */
uint64_t gt_stored_bytes(const gt_stored *tensor);
int64_t gt_stored_not_finite(const gt_stored *tensor); /* the first such value of an F32 tensor; -1: none */
#endif
