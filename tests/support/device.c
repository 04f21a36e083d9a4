#include "support/device.h"
#include <stdio.h>

gt_backend *device;

int open_device(void **state) {
  (void)state;
  gt_error error = {0};
  device = gt_vulkan_open(0, &error);
  if (!device) fprintf(stderr, "no Vulkan device: %s\n", error.message);
  return 0;
}

int close_device(void **state) {
  (void)state;
  gt_backend_close(device);
  return 0;
}

bool has_device(void) {
  gt_device_info info[8];
  const bool usable = gt_vulkan_list(info, 8, &(gt_error){0}) >= 1 && info[0].usable;
  if (!usable) puts("no Vulkan device");
  return usable;
}
