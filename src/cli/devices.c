#include "backend/backend.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/common.h"
#include <stdlib.h>

enum { MAX_DEVICES = 32, MAX_DRIVERS = 64 };
static const gt_option options[] = {GT_OPTION_JSON, {NULL, NULL, NULL, false}};

static json_t *device_json(const gt_device_info *d) {
  return json_pack("{s:s, s:s, s:s, s:s, s:n, s:I, s:i, s:i, s:i, s:I, s:b, s:s}", "id", d->id, "name",
                   d->name, "driver", d->driver, "type", d->type, "api_version", "memory_bytes",
                   (json_int_t)d->memory_bytes, "subgroup", (int)d->subgroup, "shared_bytes",
                   (int)d->shared_bytes, "max_workgroup", (int)d->max_workgroup, "max_allocation",
                   (json_int_t)d->max_allocation, "usable", d->usable, "features", d->features);
}

static void print_device(const gt_device_info *d) {
  char memory[32], allocation[32];
  printf("%s: %s (%s)%s\n", d->id, d->name, d->type, d->usable ? "" : "  [not usable]");
  if (*d->driver) printf("  driver     %s", d->driver);
  if (*d->driver && d->api_version[0])
    printf(", Vulkan %u.%u.%u", d->api_version[0], d->api_version[1], d->api_version[2]);
  if (*d->driver) printf("\n");
  printf("  memory     %s", gt_human_bytes((double)d->memory_bytes, memory));
  if (d->max_allocation)
    printf(", at most %s per allocation", gt_human_bytes((double)d->max_allocation, allocation));
  printf("\n");
  if (d->max_workgroup)
    printf("  limits     workgroup %u, subgroup %u, shared memory %u bytes\n", d->max_workgroup, d->subgroup,
           d->shared_bytes);
  if (*d->features) printf("  %s %s\n", d->usable ? "features  " : "missing   ", d->features);
}

/* Explains why drivers have no device: those with an error and, if there is no GPU, those that found none. */
static void explain_drivers(const gt_vulkan_driver *driver, int drivers, const gt_device_info *devices,
                            int count) {
  const bool gpu = gt_device_best(devices, count) >= 0;
  for (int i = 0; i < drivers; i++)
    if (*driver[i].reason && *driver[i].missing)
      gt_warn("Vulkan driver %s: %s; some of its libraries are missing (Debian packages: %s)", driver[i].file,
              driver[i].reason, driver[i].missing);
    else if (*driver[i].reason)
      gt_warn("Vulkan driver %s: %s", driver[i].file, driver[i].reason);
    else if (!driver[i].devices && !gpu)
      gt_info("Vulkan driver %s: found no device", driver[i].file);
  if (!drivers)
    gt_info("the Vulkan loader found no driver; install that of your GPU, or mesa-vulkan-drivers");
}

static int run(const gt_arguments *arguments) {
  gt_device_info devices[MAX_DEVICES];
  gt_error error = {0};
  gt_vulkan_driver *driver = gt_alloc(MAX_DRIVERS * sizeof *driver);
  const int drivers = gt_vulkan_drivers(driver, MAX_DRIVERS);
  const bool vulkan_usable = gt_vulkan_exclude_drivers(driver, drivers);
  const int count =
      vulkan_usable ? gt_device_list(devices, MAX_DEVICES, &error) : (gt_cpu_describe(&devices[0]), 1);
  json_t *list = json_array();
  for (int i = 0; i < count; i++) {
    json_t *device = device_json(&devices[i]);
    const uint32_t *v = devices[i].api_version;
    json_object_set_new(device, "api_version",
                        v[0] ? json_sprintf("%u.%u.%u", v[0], v[1], v[2]) : json_null());
    json_array_append_new(list, device);
    if (!gt_flag(arguments, "json")) print_device(&devices[i]);
  }
  if (gt_flag(arguments, "json"))
    gt_cli_print_json(list);
  else
    json_decref(list);
  if (error.status) gt_info("only the CPU can be used: %s", error.message);
  explain_drivers(driver, drivers, devices, count);
  free(driver);
  return GT_OK;
}

GT_DEFINE(command, devices) = {
    .name = "devices",
    .summary = "list the devices that gtrain can use",
    .usage = "[options]",
    .examples = {"gtrain devices", "gtrain devices --json"},
    .options = options,
    .run = run,
};
