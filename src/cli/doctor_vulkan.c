/* The doctor's checks of Vulkan: the loader, its drivers, their devices, and GPUs without a driver. */
#include "base/host.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/doctor.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_DRIVERS = 64 };
static const char nvidia_packages[] = "libegl1 libglvnd0 libgl1 libglx0 libgles2 libopengl0";

static bool examine_loader(gt_doctor *doctor) {
  char file[512];
  uint32_t v[3];
  if (!gt_vulkan_loader(file, sizeof file, v)) {
    gt_doctor_set_help(gt_doctor_add(doctor, "loader", GT_HEALTH_WARNING,
                                     "no Vulkan loader (libvulkan.so.1): GPUs cannot be used"),
                       "install libvulkan1 (Debian, Ubuntu) or vulkan-loader (Fedora, Arch)");
    return false;
  }
  const bool old = v[0] == 1 && v[1] < 2;
  gt_doctor_line *line = gt_doctor_add(doctor, "loader", old ? GT_HEALTH_WARNING : GT_HEALTH_OK,
                                       "%s, Vulkan %u.%u.%u", file, v[0], v[1], v[2]);
  if (old) gt_doctor_set_help(line, "install a newer one: gtrain needs Vulkan 1.2");
  return !old;
}

/* --- drivers --- */

static void examine_driver(gt_doctor *doctor, const gt_vulkan_driver *driver, const gt_host *host) {
  const bool nvidia = strstr(driver->file, "nvidia") && host->nvidia;
  if (driver->devices) {
    gt_doctor_add(doctor, "driver", GT_HEALTH_OK, "%s: %d device%s", driver->file, driver->devices,
                  driver->devices == 1 ? "" : "s");
    return;
  }
  const gt_health health = driver->crashes             ? GT_HEALTH_ERROR
                           : *driver->reason || nvidia ? GT_HEALTH_WARNING
                                                       : GT_HEALTH_OK;
  gt_doctor_line *line = gt_doctor_add(doctor, "driver", health, "%s: %s", driver->file,
                                       *driver->reason ? driver->reason : "no device");
  if (driver->crashes)
    gt_doctor_set_help(
        line,
        "reinstall or remove this driver, or list the others in VK_DRIVER_FILES=FILE:FILE; until then, only "
        "--device cpu can train");
  else if (*driver->missing)
    gt_doctor_set_help(line, "libraries are probably missing: apt install %s", driver->missing);
  else if (*driver->reason)
    gt_doctor_set_help(line,
                       "reinstall this driver, or remove the file if this machine does not have its GPU");
  else if (nvidia)
    gt_doctor_set_help(line, "in a container: start it with --gpus all and NVIDIA_DRIVER_CAPABILITIES=all");
}

/* Explains why GPUs that the kernel knows are not reported by a Vulkan driver. */
static void explain_no_gpu(gt_doctor *doctor, const gt_vulkan_driver *driver, int drivers,
                           const gt_host *host) {
  bool has_nvidia = false;
  for (int i = 0; i < drivers; i++) has_nvidia = has_nvidia || strstr(driver[i].file, "nvidia");
  if (host->nvidia && !has_nvidia)
    gt_doctor_set_help(
        gt_doctor_add(doctor, "gpu", GT_HEALTH_WARNING,
                      "NVIDIA's kernel driver is loaded, but its Vulkan driver is not installed"),
        "install libnvidia-gl of the same version and %s; in a container: --gpus all and "
        "NVIDIA_DRIVER_CAPABILITIES=all",
        nvidia_packages);
  else if (host->denied)
    gt_doctor_set_help(
        gt_doctor_add(doctor, "gpu", GT_HEALTH_WARNING, "this user may not open %d of %d GPUs in /dev/dri",
                      host->denied, host->render_nodes),
        "add the user to the group 'render': sudo usermod -aG render $USER, then log in again");
  else if (host->render_nodes && !host->nvidia)
    gt_doctor_set_help(gt_doctor_add(doctor, "gpu", GT_HEALTH_WARNING,
                                     "/dev/dri has %d GPU%s that no Vulkan driver reports",
                                     host->render_nodes, host->render_nodes == 1 ? "" : "s"),
                       "install mesa-vulkan-drivers (AMD, Intel) or the vendor's Vulkan driver");
  else if (!host->nvidia)
    gt_doctor_add(doctor, "gpu", GT_HEALTH_OK, "no GPU found: training runs on the CPU");
}

/* --- devices --- */

static void describe_matrix(const gt_matrix_units *units, char text[128]) {
  const gt_matrix_shape *shape = units->half.m ? &units->half : &units->bfloat;
  if (shape->m && !units->emulated)
    snprintf(text, 128, "matrix units %ux%ux%u %s", shape->m, shape->n, shape->k,
             units->half.m && units->bfloat.m ? "(float16, bfloat16)"
             : units->half.m                  ? "(float16)"
                                              : "(bfloat16)");
  else
    snprintf(text, 128, "no matrix units");
}

static void examine_device(gt_doctor *doctor, const gt_device_info *d) {
  char memory[32], piece[32], shared[32], matrix[128];
  const bool software = !strcmp(d->type, "software");
  describe_matrix(&d->target.matrix, matrix);
  gt_doctor_line *line = gt_doctor_add(doctor, d->id, d->usable ? GT_HEALTH_OK : GT_HEALTH_WARNING,
                                       "%s (%s), Vulkan %u.%u.%u, driver %s", d->name, d->type,
                                       d->api_version[0], d->api_version[1], d->api_version[2], d->driver);
  if (!d->usable) {
    gt_doctor_set_help(line, "it lacks %s; a newer driver may support it", d->features);
    return;
  }
  gt_doctor_add(
      doctor, d->id, GT_HEALTH_OK,
      "%s, %u multiprocessors, subgroups of %u, workgroups of %u, %s of shared memory, %s of memory, at "
      "most %s per allocation",
      matrix, d->target.units, d->subgroup, d->max_workgroup, gt_human_bytes(d->shared_bytes, shared),
      gt_human_bytes((double)d->memory_bytes, memory), gt_human_bytes((double)d->max_allocation, piece));
  if (software)
    gt_doctor_set_help(line, "a software device: slower than --device cpu, and never chosen by auto");
  if (!software && strstr(d->name, "NVIDIA") && !d->target.matrix.half.m)
    gt_doctor_set_help(line, "from Turing on, NVIDIA's driver 535 and newer offer matrix units");
}

/* Corrects the line of GTRAIN_DEVICE: if it selects no device, commands without --device fail. */
static void examine_choice(gt_doctor *doctor) {
  static const char name[] = "GTRAIN_DEVICE=";
  gt_error error = {0};
  if (doctor->crashes || gt_device_check_choice(NULL, doctor->device + 1, doctor->devices - 1, &error))
    return;
  for (size_t i = 0; i < doctor->count; i++) {
    gt_doctor_line *line = &doctor->items[i];
    if (strncmp(line->fact, name, sizeof name - 1)) continue;
    line->health = GT_HEALTH_ERROR;
    gt_doctor_set_help(line, "%s; or unset it", error.message);
  }
}

void gt_doctor_examine_vulkan(gt_doctor *doctor) {
  gt_error error = {0};
  gt_host host;
  gt_host_read(&host, "");
  gt_cpu_describe(&doctor->device[0]);
  doctor->devices = 1;
  gt_vulkan_driver *driver = gt_alloc(MAX_DRIVERS * sizeof *driver);
  const int drivers = examine_loader(doctor) ? gt_vulkan_drivers(driver, MAX_DRIVERS) : -1; /* no loader */
  for (int i = 0; i < drivers; i++) examine_driver(doctor, &driver[i], &host);
  if (!drivers)
    gt_doctor_set_help(
        gt_doctor_add(doctor, "driver", GT_HEALTH_WARNING, "the Vulkan loader found no driver"),
        "install the driver of your GPU, or mesa-vulkan-drivers (AMD, Intel)");
  doctor->crashes = drivers > 0 && !gt_vulkan_exclude_drivers(driver, drivers);
  if (drivers > 0 && !doctor->crashes)
    doctor->devices = gt_device_list(doctor->device, GT_DOCTOR_DEVICES, &error);
  for (int i = 1; i < doctor->devices; i++) examine_device(doctor, &doctor->device[i]);
  if (gt_device_best(doctor->device, doctor->devices) < 0) explain_no_gpu(doctor, driver, drivers, &host);
  examine_choice(doctor);
  free(driver);
}
