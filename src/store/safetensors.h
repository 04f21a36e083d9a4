/* Safetensors files: the format of checkpoints and of model.bin. An 8-byte little-endian header length, a
 * JSON header ({"name": {"dtype", "shape", "data_offsets"}, …, "__metadata__": {string: string}}, padded with
 * spaces so that the data starts at a multiple of 8), then the bytes of the tensors. Python's safetensors
 * opens them. The metadata entry "gtrain.xxh3" is the 64-bit XXH3 hash of the whole file with the 16 digits
 * of that entry as zeros, so any changed byte is detected. Files of other programs have no hash, and may
 * have other types and an order of their own; only gt_safetensors_read_any accepts them. The reader does not
 * trust the file: every size is checked against the actual bytes before memory is allocated or read. Owner:
 * gt_container owns everything it points to. */
#ifndef GT_STORE_SAFETENSORS_H
#define GT_STORE_SAFETENSORS_H
#include "base/file.h"
#include "graph/graph.h"

typedef struct gt_stored { /* a tensor of a file, read or to be written */
  const char *name;
  gt_dtype dtype;
  gt_shape shape;
  const void *data; /* little-endian, row-major, in gt_container.bytes after reading */
  /* In a file of another program: a type that is not a gt_dtype, such as "F64"; `dtype` then does not count.
   * NULL: none. */
  const char *foreign_type;
} gt_stored;

typedef struct gt_metadata { /* "gtrain.xxh3" is added by the writer and visible to readers */
  const char *key, *value;
} gt_metadata;

typedef struct gt_container {
  gt_arena arena;
  gt_bytes bytes;    /* the whole file */
  gt_stored *tensor; /* [tensors] in file order */
  int tensors;
  gt_metadata *metadata; /* [entries] */
  int entries;
  uint64_t hash; /* XXH3, as the file stores it; if foreign: of the file */
  bool foreign;  /* written by another program */
  bool damaged;  /* after a failed read: the bytes of the file have changed since it was written */
} gt_container;

bool gt_safetensors_write(const char *path, const gt_stored *tensors, int count, const gt_metadata *metadata,
                          int entries, gt_error *error);
/* GT_ERR_IO if the file cannot be read; GT_ERR_DATA with the reason if it is not a complete, unchanged file
 * written by gtrain. On failure *out is empty except for `damaged`, which is true if the hash is wrong or the
 * header does not have this format, and false if the file could not be read or its hash is right.
 * gt_container_finish accepts *out after a failure, too. */
bool gt_safetensors_read(const char *path, gt_container *out, gt_error *error);
/* The same, and also reads files of other programs: those whose header does not mention gtrain. */
bool gt_safetensors_read_any(const char *path, gt_container *out, gt_error *error);
/* Of a foreign file: converts F16, BF16 and F64 tensors to F32, rounded to nearest. Integers of a single
 * value, such as PyTorch's num_batches_tracked, become F32, too, and a tensor without axes gets one of
 * length 1. */
void gt_container_convert(gt_container *file);
void gt_container_finish(gt_container *file);

const gt_stored *gt_container_tensor(const gt_container *file, const char *name); /* NULL if absent */
const char *gt_container_metadata(const gt_container *file, const char *key);     /* NULL if absent */
uint64_t gt_stored_bytes(const gt_stored *tensor);
/* "f32", "bf16", "f64". In the arena, or constant. */
const char *gt_stored_type_name(const gt_stored *tensor, gt_arena *arena);
/* Index of the first value of an F32 tensor that is not finite; -1: none. */
int64_t gt_stored_find_not_finite(const gt_stored *tensor);
#endif
