/* The embedded shaders, which lie in the binary compressed (shader_table.h), a third of their size: each is
 * inflated when its words are wanted. Any thread may call. */
#ifndef GT_BACKEND_VULKAN_SHADER_H
#define GT_BACKEND_VULKAN_SHADER_H
#include "base/error.h"
#include "shader_table.h"

/* Its SPIR-V, blob->size bytes, to be freed. NULL: GT_ERR_INTERNAL, the blob is damaged; GT_ERR_MEMORY. */
uint32_t *gt_shader_inflate(const gt_shader_blob *blob, gt_error *error);

/* The shaders of a backend, which wants most of them many times: with other constants, and for plans that
 * come later. One is inflated for whoever comes first, and kept. Owned by whoever made it, who destroys it
 * when nobody uses its words any more. */
typedef struct gt_shaders gt_shaders;

gt_shaders *gt_shaders_create(void);
void gt_shaders_destroy(gt_shaders *shaders); /* accepts NULL */
/* The words of the shader of this name, which stay ours, and how many. NULL as above, and GT_ERR_INTERNAL if
 * there is none. */
const uint32_t *gt_shaders_words(gt_shaders *, const char *name, size_t *count, gt_error *error);
#endif
