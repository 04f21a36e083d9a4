/* SPIR-V of the embedded shaders, inflated at the first use. */
#include "backend/vulkan/shader.h"
#include "base/memory.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { GZIP_ONLY = 15 + 16 }; /* inflateInit2: the largest window, with gzip's header and checksum */

uint32_t *gt_shader_inflate(const gt_shader_blob *blob, gt_error *error) {
  z_stream z = {.next_in = (Bytef *)blob->gzip, .avail_in = (uInt)blob->gzip_size};
  if (inflateInit2(&z, GZIP_ONLY) != Z_OK) {
    gt_fail(error, GT_ERR_MEMORY, "shader %s: out of memory", blob->name);
    return NULL;
  }
  uint32_t *words = gt_alloc(blob->size);
  z.next_out = (Bytef *)words;
  z.avail_out = (uInt)blob->size;
  const int status = inflate(&z, Z_FINISH);
  /* The complete stream: only then the checksum at its end has been compared. */
  const bool whole = status == Z_STREAM_END && !z.avail_in && !z.avail_out;
  if (status == Z_MEM_ERROR)
    gt_fail(error, GT_ERR_MEMORY, "shader %s: out of memory", blob->name);
  else if (!whole)
    gt_fail(error, GT_ERR_INTERNAL, "shader %s is damaged (%s)", blob->name, z.msg ? z.msg : "wrong size");
  inflateEnd(&z);
  if (whole) return words;
  free(words);
  return NULL;
}

typedef struct shader_row {
  pthread_mutex_t mutex;
  uint32_t *words; /* NULL: not inflated yet */
} shader_row;

struct gt_shaders {
  shader_row *row; /* as in gt_shader_blobs */
};

gt_shaders *gt_shaders_create(void) {
  gt_shaders *shaders = gt_alloc(sizeof *shaders);
  shaders->row = gt_alloc(gt_shader_blob_count * sizeof *shaders->row);
  for (size_t i = 0; i < gt_shader_blob_count; i++) pthread_mutex_init(&shaders->row[i].mutex, NULL);
  return shaders;
}

void gt_shaders_destroy(gt_shaders *shaders) {
  if (!shaders) return;
  for (size_t i = 0; i < gt_shader_blob_count; i++) {
    pthread_mutex_destroy(&shaders->row[i].mutex);
    free(shaders->row[i].words);
  }
  free(shaders->row);
  free(shaders);
}

static size_t find_shader(const char *name) {
  size_t i = 0;
  while (i < gt_shader_blob_count && strcmp(gt_shader_blobs[i].name, name)) i++;
  return i;
}

const uint32_t *gt_shaders_words(gt_shaders *shaders, const char *name, size_t *count, gt_error *error) {
  const size_t i = find_shader(name);
  if (i == gt_shader_blob_count) {
    gt_fail(error, GT_ERR_INTERNAL, "no shader named %s", name);
    return NULL;
  }
  shader_row *row = &shaders->row[i];
  /* One mutex per shader: different shaders can be inflated at the same time. */
  pthread_mutex_lock(&row->mutex);
  if (!row->words) row->words = gt_shader_inflate(&gt_shader_blobs[i], error);
  const uint32_t *words = row->words;
  pthread_mutex_unlock(&row->mutex);
  *count = gt_shader_blobs[i].size / sizeof *words;
  return words;
}
