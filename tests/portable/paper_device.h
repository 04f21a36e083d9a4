/* A paper device: a device that compiles kernels but cannot run them. It needs a Vulkan driver that compiles
 * without hardware (Mesa's RADV under RADV_FORCE_FAMILY), and replaces the Vulkan functions that gtrain's
 * backend calls. Sessions plan and compile for it as for any device; submitted work does nothing, and
 * downloads are zero. Only the physical device's properties and the pipelines are real: each different
 * pipeline is compiled once, and a list holds the statistics that the driver reports about it. Must be linked
 * with -Wl,--wrap=gt_vulkan_pipelines. Only pipelines may be created by several threads. */
#ifndef GT_TEST_PAPER_DEVICE_H
#define GT_TEST_PAPER_DEVICE_H
#include "step/step.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct paper_kernel {
  const char *name, *config; /* config: argument of paper_device_config when it was compiled */
  uint64_t hash;             /* of its SPIR-V after constant folding */
  uint32_t spec[GT_SPEC_COUNT];
  int result;   /* the driver's VkResult; 0: compiled */
  bool skipped; /* not compiled, because of paper_device_only: not in the list of paper_device_kernels */
  bool reports_spills;            /* the driver reports the number of spilled registers */
  uint32_t subgroup;              /* the size that the driver chose */
  uint64_t vgprs, sgprs, spilled; /* registers; spilled: of both kinds */
  uint64_t scratch, shared, code; /* bytes */
} paper_kernel;

/* Optional, but must be called first: gtrain sees a device with subgroups of this size. */
void paper_device_subgroup(uint32_t lanes);
/* From now on, only modules that declare this SPIR-V capability are compiled, each for aligned and for
 * unaligned tensors (GT_SPEC_ALIGNED). */
void paper_device_only(uint32_t capability);
/* True if the module declares the capability. */
bool paper_device_declares(const uint32_t *words, size_t bytes, uint32_t capability);

/* Loads the driver and replaces the functions; false without a Vulkan loader or driver. *name: the first
 * device's name. */
bool paper_device_init(const char **name, gt_error *error);
void paper_device_config(const char *name); /* the config, or op, whose kernels are compiled from now on */
/* The kernels compiled so far, or that the driver refused, without skipped ones, sorted by name; the caller
 * frees the list. */
paper_kernel *paper_device_kernels(size_t *count);
/* From now on, writes each module that is compiled to HASH.spv in this directory. */
void paper_device_dump(const char *directory);
#endif
