/* Heap memory. gt_alloc and gt_realloc never return NULL: they call the out-of-memory handler (set once by
 * main; it ends the process with exit code 71). gt_try_alloc is for sizes from files or users: it reports an
 * error. */
#ifndef GT_BASE_MEMORY_H
#define GT_BASE_MEMORY_H
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void gt_set_out_of_memory(void (*handler)(size_t size)); /* the handler must not return */
/* Calls the handler, for a library that reports out of memory. size: bytes requested, or 0 if unknown. */
void gt_out_of_memory(size_t size) __attribute__((noreturn));
void *gt_alloc(size_t size);              /* zeroed */
void *gt_realloc(void *old, size_t size); /* not zeroed */
/* count * size bytes, zeroed, 64-byte aligned, freed with free(); false (GT_ERR_MEMORY) on overflow or
 * exhaustion. what: what the memory is for, as in "WHAT: out of memory". */
bool gt_try_alloc(void **out, uint64_t count, uint64_t size, const char *what, gt_error *error);

/* Appends room for one element to a heap array {T *items; size_t count, capacity} and returns its address. */
#define GT_PUSH(vec)                                                                          \
  ((vec)->count == (vec)->capacity                                                            \
       ? ((vec)->capacity = (vec)->capacity ? 2 * (vec)->capacity : 16,                       \
          (vec)->items = gt_realloc((vec)->items, (vec)->capacity * sizeof *(vec)->items), 0) \
       : 0,                                                                                   \
   &(vec)->items[(vec)->count++])
#endif
