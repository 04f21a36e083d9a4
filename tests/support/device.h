/* The Vulkan device of a test program: opened and closed by the fixtures of each group, so that it uses the
 * current GTRAIN_DEBUG. */
#ifndef GT_TEST_SUPPORT_DEVICE_H
#define GT_TEST_SUPPORT_DEVICE_H
#include "backend/backend.h"
#include "graph/graph.h"
#include "plan/plan.h"

extern gt_backend *device; /* NULL if it could not be opened; the reason is then on stderr */

int open_device(void **state);
int close_device(void **state);
/* True if there is a usable Vulkan device; otherwise prints a message, and the program should exit with 77
 * (skipped). */
bool has_device(void);
/* True if the device found by has_device is a software device, which takes seconds to compile a kernel. */
bool is_software(void);
/* True if case `number` is to be skipped: to save time, a software device runs only every case whose number
 * is a multiple of `interval`. */
bool is_left_out(uint32_t number, uint32_t interval);
/* True, after printing a message, if tests of matrix units are to be skipped: a software device emulates the
 * units and needs seconds to compile each of their kernels. CHECK_ALL=1 (make check-vulkan) runs them. */
bool are_emulated_units_left_out(void);
/* A mode in which tests are run. */
typedef struct device_mode {
  const char *name;       /* of the test group */
  const char *debug;      /* GTRAIN_DEBUG: the matrix units that the device seems to have */
  gt_precision precision; /* of products */
  bool always;            /* runs even if are_emulated_units_left_out() is true */
} device_mode;
/* Calls group(name) for each mode, with GTRAIN_DEBUG and *precision set. Skips modes with matrix units if
 * are_emulated_units_left_out() is true. Returns the sum of the results of `group`, which are numbers of
 * failures; 77 without a device, or if all modes were skipped. */
int device_in_modes(const device_mode *mode, size_t modes, gt_precision *precision,
                    int (*group)(const char *name));
/* A plan of g for the device, with these options. options.target is replaced by the device's, except that
 * options.target.units, if it is not 0, stays: the number of multiprocessors for which products are tiled.
 * The test fails if there is no plan. */
const gt_plan *device_plan(gt_arena *arena, const gt_graph *g, gt_plan_options options);
/* Runs the plan of g `times` times. value[v] is the initial content of variable v, and receives its final
 * content. The test fails on an error. */
void device_run(const gt_plan *plan, const gt_graph *g, uint32_t times, float *const *value);
#endif
