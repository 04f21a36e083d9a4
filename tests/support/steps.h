/* Plans made by hand, to try a backend and its kernels without graph and planner: a few buffers, all of
 * them variables, and steps over them, each behind a barrier. */
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
  uint64_t size[STEPS_BUFFERS];
  int buffers;
} steps;

/* GTRAIN_DEBUG=validation is set unless the layer is missing. NULL where there is no Vulkan device. */
gt_backend *steps_open_vulkan(void);

void steps_init(steps *s, gt_backend *backend);
void steps_finish(steps *s);
/* A buffer holding `data` (NULL: zeros) of `count` 4-byte words; returns its number. */
int steps_buffer(steps *s, const void *data, uint64_t count);
gt_step *steps_add(steps *s, const char *kernel, const void *args, size_t size, uint32_t local,
                   uint32_t grid);
/* The address at byte `argument` of the last step is word `first` of the buffer. */
void steps_bind(steps *s, size_t argument, int buffer, uint64_t first);
void steps_run(steps *s, uint32_t times); /* and waits; asserts that all goes well */
void steps_read(steps *s, int buffer, void *out, uint64_t count);
#endif
