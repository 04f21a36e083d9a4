/* Plans written by hand, to test a backend and its kernels without graph and planner: a few buffers, all of
 * them variables, and steps on them, with a barrier after each. */
#ifndef GT_TEST_SUPPORT_STEPS_H
#define GT_TEST_SUPPORT_STEPS_H
#include "backend/backend.h"

enum { STEPS_MAX = 16, STEPS_BUFFERS = 48, STEPS_ACCESSES = 16 };

typedef struct steps {
  gt_backend *backend;
  gt_graph graph;
  gt_plan plan;
  gt_step step[STEPS_MAX];
  gt_kernel kernel[STEPS_MAX];
  gt_access access[STEPS_MAX][STEPS_ACCESSES];
  gt_buffer *buffer[STEPS_BUFFERS];
  uint64_t size[STEPS_BUFFERS]; /* bytes */
  int buffers;
} steps;

/* Opens the first Vulkan device: with GTRAIN_DEBUG=validation unless GTRAIN_DEBUG is set, or without it if
 * the validation layer is not installed. NULL if there is no usable device; the test fails if one cannot be
 * opened. */
gt_backend *steps_open_vulkan(void);

void steps_init(steps *s, gt_backend *backend);
void steps_finish(steps *s);
/* Creates a buffer of `count` 4-byte words with the content `data` (NULL: zeros); returns its number. */
int steps_buffer(steps *s, const void *data, uint64_t count);
/* Adds a step that runs `grid` workgroups of `local` invocations. args: the kernel's arguments, `size` bytes;
 * steps_bind sets their addresses. */
gt_step *steps_add(steps *s, const char *kernel, const void *args, size_t size, uint32_t local,
                   uint32_t grid);
/* Sets the address at byte `argument` of the last step's arguments to that of word `first` of the buffer. */
void steps_bind(steps *s, size_t argument, int buffer, uint64_t first);
void steps_run(steps *s, uint32_t times); /* compiles, runs and waits; asserts success */
void steps_read(steps *s, int buffer, void *out, uint64_t count); /* copies the first `count` words */
#endif
