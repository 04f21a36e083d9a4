/* Arena: memory with one lifetime (a spec, a graph, a plan, a run). gt_arena_finish frees everything
 * allocated from it; single allocations are never freed. Allocations are zeroed and 16-byte aligned. Owner:
 * the caller of init. Not thread-safe. If memory runs out, the handler set in base/memory.h is called and
 * does not return, so callers never test for NULL; sizes that come from files use gt_try_alloc instead. */
#ifndef GT_BASE_ARENA_H
#define GT_BASE_ARENA_H
#include <stdarg.h>
#include <stddef.h>

typedef struct gt_arena {
  struct gt_arena_block *block;
} gt_arena;

void gt_arena_init(gt_arena *arena);
void gt_arena_finish(gt_arena *arena); /* accepts a zeroed arena */
void *gt_arena_alloc(gt_arena *arena, size_t size);
/* Allocates count * size bytes; overflow of the product counts as out of memory. */
void *gt_arena_alloc_n(gt_arena *arena, size_t count, size_t size);
void *gt_arena_copy(gt_arena *arena, const void *data, size_t size);
char *gt_arena_strdup(gt_arena *arena, const char *text);
char *gt_arena_strndup(gt_arena *arena, const char *text, size_t length);
char *gt_arena_vprintf(gt_arena *arena, const char *format, va_list arguments);
char *gt_arena_printf(gt_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define GT_NEW(arena, type)      ((type *)gt_arena_alloc((arena), sizeof(type)))
#define GT_NEW_N(arena, type, n) ((type *)gt_arena_alloc_n((arena), (size_t)(n), sizeof(type)))
#endif
