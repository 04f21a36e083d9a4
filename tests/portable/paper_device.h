/* A device on paper: a driver that compiles but has no hardware (Mesa's RADV under RADV_FORCE_FAMILY) is made
 * to look whole, by replacing Vulkan's functions below gtrain's backend. Sessions open on it, plan for it and
 * compile for it as for any device; what they submit does nothing, and what they read back is zero. Real are
 * the physical device's properties and the pipelines: each different one is compiled once, and what the
 * driver says of it is kept in a list. To be linked with
 * -Wl,--wrap=gt_vulkan_pipelines. For one thread, but for the pipelines. */
#ifndef GT_TEST_PAPER_DEVICE_H
#define GT_TEST_PAPER_DEVICE_H
#include "step/step.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct paper_kernel {
  const char *name, *config; /* the config that it was met in first */
  uint64_t hash;             /* of its SPIR-V, constants folded in */
  uint32_t spec[GT_SPEC_COUNT];
  int refused;       /* the driver's VkResult, or 0 */
  bool left_out;     /* not compiled: paper_device_only */
  bool told;         /* the driver says what it spilled */
  uint32_t subgroup; /* that the driver chose */
  uint64_t vgprs, sgprs, spilled, scratch, shared,
      code; /* spilled: registers of both kinds; the rest in bytes */
} paper_kernel;

/* To be called first, if at all. The device's subgroups are of so many lanes, as far as gtrain is told. */
void paper_device_subgroup(uint32_t lanes);
/* Only modules that ask for this capability of SPIR-V are compiled, at any address (GT_SPEC_ALIGNED). */
void paper_device_only(uint32_t capability);
/* true if a module declares it */
bool paper_device_asks(const uint32_t *words, size_t bytes, uint32_t capability);

/* Loads the driver and replaces the functions; false without a Vulkan loader or driver. *name: the first
 * device's. */
bool paper_device_begin(const char **name, gt_error *error);
void paper_device_config(const char *name); /* that kernels compiled from now on are met in first */
/* Those that have been met, by name; to be freed. */
paper_kernel *paper_device_kernels(size_t *count);
void paper_device_dump(const char *directory); /* writes each module there from now on: HASH.spv */
#endif
