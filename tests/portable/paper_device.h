/* A device on paper: a driver that compiles but has no hardware (Mesa's RADV under RADV_FORCE_FAMILY) is made
 * to look complete, by replacing the Vulkan functions below gtrain's backend. Sessions open on it, plan for
 * it and compile for it as for any device; submitted work does nothing, and downloads are zero. Only the
 * physical device's properties and the pipelines are real: each different pipeline is compiled once, and what
 * the driver reports about it is kept in a list. Must be linked with -Wl,--wrap=gt_vulkan_pipelines. For one
 * thread, except for the pipelines. */
#ifndef GT_TEST_PAPER_DEVICE_H
#define GT_TEST_PAPER_DEVICE_H
#include "step/step.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct paper_kernel {
  const char *name, *config; /* the config that used it first */
  uint64_t hash;             /* of its SPIR-V after constant folding */
  uint32_t spec[GT_SPEC_COUNT];
  int refused;       /* the driver's VkResult, or 0 */
  bool left_out;     /* not compiled: paper_device_only */
  bool told;         /* true if the driver reports spills */
  uint32_t subgroup; /* chosen by the driver */
  uint64_t vgprs, sgprs, spilled, scratch, shared,
      code; /* spilled: registers of both kinds; the others in bytes */
} paper_kernel;

/* Optional, but must be called first: gtrain sees a device with subgroups of this size. */
void paper_device_subgroup(uint32_t lanes);
/* Compiles only modules with this SPIR-V capability, at any address (GT_SPEC_ALIGNED). */
void paper_device_only(uint32_t capability);
/* true if a module declares it */
bool paper_device_asks(const uint32_t *words, size_t bytes, uint32_t capability);

/* Loads the driver and replaces the functions; false without a Vulkan loader or driver. *name: the name of
 * the first device. */
bool paper_device_begin(const char **name, gt_error *error);
void paper_device_config(const char *name); /* the config that compiles from now on */
/* The kernels so far, sorted by name; the caller frees the list. */
paper_kernel *paper_device_kernels(size_t *count);
void paper_device_dump(const char *directory); /* writes each module there from now on: HASH.spv */
#endif
