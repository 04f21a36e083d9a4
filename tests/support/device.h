/* The Vulkan device that a program's tests run on: opened and closed by a group's fixtures, anew for each
 * group, so that it knows what GTRAIN_DEBUG says then. */
#ifndef GT_TEST_SUPPORT_DEVICE_H
#define GT_TEST_SUPPORT_DEVICE_H
#include "backend/backend.h"
#include "graph/graph.h"
#include "plan/plan.h"

extern gt_backend *device; /* NULL if it could not be opened: stderr says why */

int open_device(void **state);
int close_device(void **state);
/* True if there is a usable one; else says so, and the program is skipped. */
bool has_device(void);
/* True if the one that has_device saw is a software device, which takes seconds to compile a kernel. */
bool is_software(void);
/* True if a case is left out, as a software device runs only every `of`th of its kind. */
bool left_out(uint32_t number, uint32_t of);
/* True, and prints so, if emulated matrix units are left to CHECK_ALL=1 (make check-vulkan): a software
 * device takes seconds to compile each of their kernels. */
bool emulated_left_out(void);
/* Matrix units as GTRAIN_DEBUG says, and the precision of products on them. */
typedef struct device_form {
  const char *name, *debug;
  gt_precision precision;
  bool always; /* emulated, too */
} device_form;
/* Runs a group of tests, which `group` is, on devices of each form in turn, *precision being that form's.
 * Emulated units are left to CHECK_ALL=1 (make check-vulkan), but for forms that are marked. Returns how many
 * failed; 77 without a device, or if no form is left. */
int device_in_forms(const device_form *form, size_t forms, gt_precision *precision,
                    int (*group)(const char *name));
/* A plan of g for the device, with these options; of their target only `units` counts, which decides how
 * tiles are cut: not 0, as if the device had so many. A test that gets none fails. */
const gt_plan *device_plan(gt_arena *arena, const gt_graph *g, gt_plan_options options);
/* Runs the plan of g `times` times on variables that begin with value[v] each, and end there. A test that
 * cannot fails. */
void device_run(const gt_plan *plan, const gt_graph *g, uint32_t times, float *const *value);
#endif
