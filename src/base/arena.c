#include "base/arena.h"
#include "base/memory.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, FIRST_BLOCK = 16 << 10, LARGEST_BLOCK = 1 << 20 };

typedef struct gt_arena_block {
  struct gt_arena_block *next;
  size_t used, size; /* in bytes after the header */
} block;

/* Padded so that the data after the header keeps malloc's alignment. */
enum { HEADER = (sizeof(block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

void gt_arena_init(gt_arena *arena) { arena->block = NULL; }

void gt_arena_finish(gt_arena *arena) {
  for (block *b = arena->block, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  arena->block = NULL;
}

/* A large request gets a block to itself, linked after the current one, which stays in use. */
static block *add_block(gt_arena *arena, size_t size) {
  size_t capacity = FIRST_BLOCK;
  if (arena->block) {
    capacity = 2 * arena->block->size;
    if (capacity > LARGEST_BLOCK) capacity = LARGEST_BLOCK;
    if (capacity < FIRST_BLOCK) capacity = FIRST_BLOCK;
  }
  const bool separate = size > capacity / 2;
  if (separate) capacity = size;
  block *b = gt_alloc(HEADER + capacity);
  b->size = capacity;
  if (separate && arena->block) {
    b->next = arena->block->next;
    arena->block->next = b;
  } else {
    b->next = arena->block;
    arena->block = b;
  }
  return b;
}

void *gt_arena_alloc(gt_arena *arena, size_t size) {
  if (size > SIZE_MAX / 2) gt_out_of_memory(size);
  size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  block *b = arena->block;
  if (!b || b->size - b->used < size) b = add_block(arena, size);
  void *result = (char *)b + HEADER + b->used;
  b->used += size;
  return result;
}

void *gt_arena_alloc_n(gt_arena *arena, size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) total = SIZE_MAX;
  return gt_arena_alloc(arena, total);
}

void *gt_arena_copy(gt_arena *arena, const void *data, size_t size) {
  void *result = gt_arena_alloc(arena, size);
  if (size) memcpy(result, data, size);
  return result;
}

char *gt_arena_strndup(gt_arena *arena, const char *text, size_t length) {
  char *result = gt_arena_alloc(arena, length + 1);
  if (length) memcpy(result, text, length);
  return result;
}

char *gt_arena_strdup(gt_arena *arena, const char *text) {
  return gt_arena_strndup(arena, text, strlen(text));
}

char *gt_arena_vprintf(gt_arena *arena, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *result = gt_arena_alloc(arena, length < 0 ? 1 : (size_t)length + 1);
  if (length > 0) vsnprintf(result, (size_t)length + 1, format, again);
  va_end(again);
  return result;
}

char *gt_arena_printf(gt_arena *arena, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *result = gt_arena_vprintf(arena, format, arguments);
  va_end(arguments);
  return result;
}
