/* The Vulkan device of a test program: opened and closed by the fixtures of each group, so that it uses the
 * current GTRAIN_DEBUG. */
#ifndef GT_TEST_SUPPORT_DEVICE_H
#define GT_TEST_SUPPORT_DEVICE_H
#include "backend/backend.h"
#include "graph/graph.h"
#include "plan/plan.h"

extern gt_backend *device; /* NULL if it could not be opened: the reason is on stderr */

int open_device(void **state);
int close_device(void **state);
/* True if there is a usable device; else prints why not, and the program is skipped. */
bool has_device(void);
/* True if the device found by has_device is a software device, which takes seconds to compile a kernel. */
bool is_software(void);
/* True if case `number` must be skipped: a software device runs only every `of`th case. */
bool left_out(uint32_t number, uint32_t of);
/* True, after printing a message, if tests of matrix units must be skipped because they would be emulated: a
 * software device takes seconds to compile each of their kernels. CHECK_ALL=1 (make check-vulkan) runs
 * them. */
bool emulated_left_out(void);
/* Matrix units as GTRAIN_DEBUG sets them, and the precision of products on them. */
typedef struct device_form {
  const char *name, *debug;
  gt_precision precision;
  bool always; /* run even where emulated_left_out is true */
} device_form;
/* Calls group(name) once for each form, with GTRAIN_DEBUG and *precision set to those of the form. Skips
 * forms as emulated_left_out says. Returns the number of failures; 77 without a device, or if all forms were
 * skipped. */
int device_in_forms(const device_form *form, size_t forms, gt_precision *precision,
                    int (*group)(const char *name));
/* A plan of g for the device, with these options; of their target only `units`, the number of
 * multiprocessors, is used: if it is not 0, products are tiled for a device with this many. The test fails if
 * there is no plan. */
const gt_plan *device_plan(gt_arena *arena, const gt_graph *g, gt_plan_options options);
/* Runs the plan of g `times` times on variables that start with value[v] each, and writes their final values
 * there. The test fails if it cannot. */
void device_run(const gt_plan *plan, const gt_graph *g, uint32_t times, float *const *value);
#endif
