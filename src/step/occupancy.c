/* Occupancy of a GPU's multiprocessors: workgroups, waves, loads and registers. */
#include "step/occupancy.h"
#include "base/count.h"
#include <math.h>

double gt_workgroups_per_unit(double workgroups, double units) {
  units = units > 1 ? units : 1;
  return workgroups <= units                        ? 1
         : workgroups <= GT_MANY_WORKGROUPS * units ? (double)(uint64_t)((workgroups + units - 1) / units)
                                                    : workgroups / units;
}

double gt_waves(double per_unit, double resident) {
  return per_unit > GT_MANY_WORKGROUPS ? per_unit / resident : ceil(per_unit / resident);
}

double gt_resident_workgroups(uint32_t shared_bytes, uint32_t most, const gt_target *target) {
  enum { RESERVED = 1024 }; /* bytes, as on NVIDIA GPUs */
  const uint32_t room = target->shared_bytes + target->shared_bytes / 8;
  return gt_max_u32(gt_min_u32(room / (shared_bytes + RESERVED), most), 1);
}

double gt_load_cycles(double bytes, double workgroups, const gt_target *target) {
  /* Bytes per cycle from the L1 cache, and from the L2 cache if all multiprocessors read. */
  enum { NEAR = 64, FAR = 24 };
  const double units = gt_max_u32(target->units, 1);
  return bytes / fmin(NEAR, FAR * units / fmin(workgroups, units));
}

bool gt_fits_registers(int64_t registers, uint32_t threads, const gt_target *target) {
  /* The most per thread, with subgroups of 32 and with others; of a multiprocessor. */
  enum { MOST = 232, OTHER_MOST = 128, ALL = 65536 };
  return registers <= gt_min_u32(target->subgroup == GT_WARP ? MOST : OTHER_MOST, ALL / threads);
}
