#include "backend/backend.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void processor_name(char *name, size_t size) {
  snprintf(name, size, "CPU");
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[512];
  while (file && fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) || !colon) continue;
    snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  if (file) fclose(file);
}

void gt_cpu_describe(gt_device_info *device) {
  *device =
      (gt_device_info){.id = "cpu",
                       .driver = "gtrain",
                       .type = "cpu",
                       .usable = true,
                       .subgroup = 1,
                       .target = {.subgroup = 1, .max_workgroup = 1, .units = 1, .max_grid = UINT32_MAX}};
  processor_name(device->name, sizeof device->name);
  device->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  device->max_allocation = device->memory_bytes;
#ifdef __x86_64__
  size_t used = 0;
  const struct {
    const char *name;
    int is_supported;
  } extensions[] = {{"avx2", __builtin_cpu_supports("avx2")},
                    {"fma", __builtin_cpu_supports("fma")},
                    {"avx512f", __builtin_cpu_supports("avx512f")}};
  for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
    if (extensions[i].is_supported)
      used += (size_t)snprintf(device->features + used, sizeof device->features - used, "%s%s",
                               used ? "," : "", extensions[i].name);
#endif
}
