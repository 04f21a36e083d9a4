/* The Vulkan device that a program's tests run on: opened and closed by a group's fixtures, anew for each
 * group, so that it knows what GTRAIN_DEBUG says then. */
#ifndef GT_TEST_SUPPORT_DEVICE_H
#define GT_TEST_SUPPORT_DEVICE_H
#include "backend/backend.h"
#include "graph/graph.h"

extern gt_backend *device; /* NULL if it could not be opened: stderr says why */

int open_device(void **state);
int close_device(void **state);
/* Is there one to be used? If not, says so: the program is skipped. */
bool has_device(void);
/* Runs the plan of g `times` times on variables that begin with value[v] each, and end there. A test that
 * cannot fails. */
void device_run(const gt_plan *plan, const gt_graph *g, uint32_t times, float *const *value);
#endif
