#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*out_of_memory)(size_t size);

void gt_set_out_of_memory(void (*handler)(size_t size)) { out_of_memory = handler; }

void gt_out_of_memory(size_t size) {
  if (out_of_memory) out_of_memory(size);
  fprintf(stderr, "error: out of memory (%zu bytes)\n", size);
  abort();
}

void *gt_alloc(size_t size) {
  void *result = size <= SIZE_MAX / 2 ? calloc(1, size ? size : 1) : NULL;
  if (!result) gt_out_of_memory(size);
  return result;
}

void *gt_realloc(void *old, size_t size) {
  void *result = size <= SIZE_MAX / 2 ? realloc(old, size ? size : 1) : NULL;
  if (!result) gt_out_of_memory(size);
  return result;
}

/* With overcommit, malloc grants more than the machine has, and the kernel kills the process later. Requests
 * are therefore compared with the physical memory first. */
static uint64_t physical_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
}

bool gt_try_alloc(void **out, uint64_t count, uint64_t size, const char *what, gt_error *error) {
  enum { ALIGNMENT = 64 };
  *out = NULL;
  uint64_t total;
  if (__builtin_mul_overflow(count, size, &total) || total > SIZE_MAX / 2)
    return gt_fail(error, GT_ERR_MEMORY, "%s: %llu elements of %llu bytes are more than any memory can hold",
                   what, (unsigned long long)count, (unsigned long long)size);
  if (total > physical_memory())
    return gt_fail(error, GT_ERR_MEMORY, "%s needs %.1f GiB; this machine has %.1f GiB", what,
                   (double)total / 0x1p30, (double)physical_memory() / 0x1p30);
  size_t bytes = ((size_t)total + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (!bytes) bytes = ALIGNMENT;
  void *result = aligned_alloc(ALIGNMENT, bytes);
  if (!result)
    return gt_fail(error, GT_ERR_MEMORY, "%s: out of memory (%.1f MiB)", what, (double)total / 0x1p20);
  memset(result, 0, bytes);
  *out = result;
  return true;
}
