/* Occupancy: how the workgroups of a dispatch share the multiprocessors ("units") of a GPU, and what one
 * multiprocessor can do. Ops that can run a problem with several launch configurations (matrix products, the
 * recurrence) estimate the time of each with these functions.
 *
 * Times are cycles of one multiprocessor, memory is in bytes, threads are invocations; numbers of workgroups
 * are doubles, because a mean need not be an integer. The constants are those of NVIDIA's compute
 * capability 9.0 (CUDA C++ Programming Guide, "Compute Capabilities"); estimates for other GPUs use them,
 * too, because only the order of the estimates matters. Rounding up to whole waves is "wave quantization" in
 * NVIDIA's "Matrix Multiplication Background User's Guide"; the lower bound by bytes is that of the roofline
 * model (Williams, Waterman, Patterson 2009). */
#ifndef GT_STEP_OCCUPANCY_H
#define GT_STEP_OCCUPANCY_H
#include "step/step.h"

enum {
  GT_WARP = 32,           /* threads that run in lockstep */
  GT_SCHEDULERS = 4,      /* of a multiprocessor: warps that issue an instruction in the same cycle */
  GT_FMA_PER_CYCLE = 128, /* multiply-adds of a multiprocessor: GT_WARP * GT_SCHEDULERS */
  GT_SHARED_CYCLES = 4,   /* for a warp to read a vec4 of shared memory per thread */
  GT_MANY_WORKGROUPS = 8  /* per multiprocessor, beyond which waves are not rounded up */
};

/* How many of `workgroups` the busiest of `units` multiprocessors runs; the mean if they are many
 * (GT_MANY_WORKGROUPS). */
double gt_workgroups_per_unit(double workgroups, double units);
/* Number of waves in which a multiprocessor runs `per_unit` workgroups, `resident` of them at a time. */
double gt_waves(double per_unit, double resident);
/* How many workgroups with this much shared memory each are resident on a multiprocessor, from 1 to `most`.
 * All of them together have an eighth more than the limit of one workgroup; each costs a small reserve. */
double gt_resident_workgroups(uint32_t shared_bytes, uint32_t most, const gt_target *target);
/* Cycles in which a multiprocessor loads `bytes` that the caches hold, while each of `workgroups` workgroups
 * of the dispatch loads as much. */
double gt_load_cycles(double bytes, double workgroups, const gt_target *target);
/* True if a workgroup of this many threads fits into the registers of a multiprocessor, if each thread needs
 * `registers` of 32 bits, and these are few enough that no compiler spills them. */
bool gt_fits_registers(int64_t registers, uint32_t threads, const gt_target *target);
#endif
