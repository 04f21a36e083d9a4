/* The embedded shaders, compressed in the binary to a third of their size (shader_table.h); each is inflated
 * at its first use. Thread-safe. */
#ifndef GT_BACKEND_VULKAN_SHADER_H
#define GT_BACKEND_VULKAN_SHADER_H
#include "base/error.h"
#include "shader_table.h"

/* Inflates the SPIR-V, blob->size bytes, to be freed. NULL: GT_ERR_INTERNAL, the blob is damaged;
 * GT_ERR_MEMORY. */
uint32_t *gt_shader_inflate(const gt_shader_blob *blob, gt_error *error);

/* The inflated shaders of a backend, kept because most are used many times, with other constants and for
 * later plans. Owner: the creator, who destroys it when the words are no longer used. */
typedef struct gt_shaders gt_shaders;

gt_shaders *gt_shaders_create(void);
void gt_shaders_destroy(gt_shaders *shaders); /* accepts NULL */
/* The words of the shader with this name, owned by gt_shaders, and their number. NULL as above, and
 * GT_ERR_INTERNAL if there is no such shader. */
const uint32_t *gt_shaders_words(gt_shaders *, const char *name, size_t *count, gt_error *error);
#endif
