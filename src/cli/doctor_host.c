/* The doctor's checks of the host: CPU, threads, BLAS, memory, disk. */
#include "base/file.h"
#include "base/host.h"
#include "base/pool.h"
#include "base/text.h"
#include "cli/doctor.h"
#include "op/blas.h"
#include "op/matmul/matmul_tile.h"
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const double low_bytes = 1 << 30; /* of memory or disk space; warn if less is free */

static void examine_threads(gt_doctor *doctor, const gt_host *host) {
  const int threads = gt_pool_default_threads();
  const double usable_processors =
      host->quota > 0 && host->quota < host->allowed ? host->quota : host->allowed;
  char quota[64] = "";
  if (host->quota > 0) snprintf(quota, sizeof quota, ", %.3g by the control group's quota", host->quota);
  const int best = gt_host_threads(host);
  const bool crowded = threads > best && threads > usable_processors + 0.5;
  gt_doctor_line *line = gt_doctor_add(doctor, "threads", crowded ? GT_HEALTH_WARNING : GT_HEALTH_OK,
                                       "%d used; %d processors, %d by affinity%s", threads, host->processors,
                                       host->allowed, quota);
  if (crowded)
    gt_doctor_set_help(line, "more threads than processors are slower: set GTRAIN_THREADS=%d", best);
  if (threads + 1 < usable_processors)
    gt_doctor_set_help(line, "GTRAIN_THREADS limits the threads; up to %d are possible", best);
}

/* native: gtrain has matrix products for this processor; products with few rows use OpenBLAS all the same. */
static void examine_blas(gt_doctor *doctor) {
  gt_blas_facts facts;
  gt_error error = {0};
  const bool native = strcmp(gt_matmul_instructions(), "portable") != 0;
  if (!gt_blas_describe(&facts, &error)) {
    const bool gpu = gt_device_best(doctor->device, doctor->devices) >= 0;
    gt_doctor_set_help(gt_doctor_add(doctor, "blas", native || gpu ? GT_HEALTH_WARNING : GT_HEALTH_ERROR,
                                     "%s: the CPU cannot compute %s", error.message,
                                     native ? "matrix products with few rows" : "matrix products"),
                       "install libopenblas0 (Debian, Ubuntu) or openblas (Fedora, Arch)");
    return;
  }
  gt_doctor_line *line =
      gt_doctor_add(doctor, "blas", facts.slow ? GT_HEALTH_WARNING : GT_HEALTH_OK, "%s%s; for %s", facts.text,
                    facts.slow ? ", with kernels that do not use this CPU's AVX2" : "",
                    native ? "matrix products with few rows" : "all matrix products");
  if (facts.slow && gt_blas_chose_core)
    gt_doctor_set_help(line, "this OpenBLAS has no kernels for AVX2: install one built with DYNAMIC_ARCH");
  else if (facts.slow)
    gt_doctor_set_help(line, "unset OPENBLAS_CORETYPE for speed");
}

static void examine_memory(gt_doctor *doctor, const gt_host *host) {
  char free_text[32], all[32], limit[32] = "", space[32] = "";
  uint64_t available = host->memory_available;
  if (host->memory_limit && host->memory_limit < available) available = host->memory_limit;
  if (host->memory_limit) gt_human_bytes((double)host->memory_limit, limit);
  if (host->address_space) gt_human_bytes((double)host->address_space, space);
  const bool scarce = (double)available < low_bytes;
  gt_doctor_line *line = gt_doctor_add(
      doctor, "memory", scarce ? GT_HEALTH_WARNING : GT_HEALTH_OK, "%s available of %s%s%s%s%s",
      gt_human_bytes((double)host->memory_available, free_text),
      gt_human_bytes((double)doctor->device[0].memory_bytes, all), *limit ? ", at most " : "", limit,
      *limit ? " by the control group" : "", *space ? ", limited address space (ulimit -v): " : "");
  strncat(line->fact, space, sizeof line->fact - strlen(line->fact) - 1);
  if (scarce) gt_doctor_set_help(line, "close other programs, or train with smaller batches or less data");
}

/* True if a file can be created in the folder. access() is not enough: it allows everything to root. */
static bool can_create_in(const char *folder) {
  char path[4200];
  snprintf(path, sizeof path, "%s/.gtrain-XXXXXX", folder);
  return mkdtemp(path) && rmdir(path) == 0;
}

/* Examines the disk of the folder or, if that does not exist, of the nearest parent that does. other, more:
 * the help, "set X to" (a folder with space) ", or …". */
static void examine_disk(gt_doctor *doctor, const char *what, const char *path, const char *other,
                         const char *more) {
  struct statvfs status;
  char text[32], folder[4096];
  snprintf(folder, sizeof folder, "%s", path);
  for (char *slash; access(folder, F_OK) && (slash = strrchr(folder, '/')) && slash != folder;) *slash = 0;
  if (statvfs(folder, &status)) {
    gt_doctor_add(doctor, "disk", GT_HEALTH_WARNING, "%s: cannot be examined", what);
    return;
  }
  if (!can_create_in(folder)) {
    gt_doctor_set_help(
        gt_doctor_add(doctor, "disk", GT_HEALTH_WARNING, "%s: no files can be created in %s", what, folder),
        "%s a folder in which you may create files", other);
    return;
  }
  const double bytes = (double)status.f_bavail * (double)status.f_frsize;
  const bool scarce = bytes < low_bytes;
  gt_doctor_line *line = gt_doctor_add(doctor, "disk", scarce ? GT_HEALTH_WARNING : GT_HEALTH_OK,
                                       "%s: %s free", what, gt_human_bytes(bytes, text));
  if (scarce) gt_doctor_set_help(line, "%s a folder with space%s", other, more);
}

void gt_doctor_examine_host(gt_doctor *doctor) {
  const gt_device_info *cpu = &doctor->device[0];
  gt_host host;
  gt_host_read(&host, "");
  gt_doctor_add(doctor, "cpu", GT_HEALTH_OK, "%s; instructions: %s; matrix products use: %s", cpu->name,
                *cpu->features ? cpu->features : "none that gtrain uses", gt_matmul_instructions());
  examine_threads(doctor, &host);
  examine_blas(doctor);
  examine_memory(doctor, &host);
  examine_disk(doctor, "runs (this folder)", access("runs", F_OK) ? "." : "runs", "train with --run-dir in",
               ", or remove old checkpoints");
  char *cache = gt_cache_path("");
  if (cache) examine_disk(doctor, "cache", cache, "set GTRAIN_CACHE_DIR to", "");
  free(cache);
}
