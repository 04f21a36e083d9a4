/* Lists devices, chooses one, and opens its backend. */
#include "backend/backend.h"
#include "base/log.h"
#include "base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEVICE_LIMIT = 32 };

int gt_device_list(gt_device_info *devices, int limit, gt_error *list_error) {
  if (limit < 1) return 0;
  gt_cpu_describe(&devices[0]);
  const int count = gt_vulkan_list(devices + 1, limit - 1, list_error);
  if (!count) gt_fail(list_error, GT_ERR_NODEVICE, "no Vulkan device found");
  return count < 0 ? 1 : 1 + count;
}

const char *gt_device_title(const gt_device_info *device, char title[256]) {
  snprintf(title, 256, "%.120s (Vulkan %u.%u, driver %.90s)", device->name, device->api_version[0],
           device->api_version[1], device->driver);
  return title;
}

static bool is_software(const gt_device_info *device) { return !strcmp(device->type, "software"); }

/* Higher is better; 0: not a usable hardware GPU. */
static int rank(const gt_device_info *device) {
  if (!device->usable || is_software(device) || !strcmp(device->type, "cpu")) return 0;
  if (!strcmp(device->type, "discrete")) return 3;
  return !strcmp(device->type, "integrated") ? 2 : 1;
}

int gt_device_best(const gt_device_info *devices, int count) {
  int best = -1;
  for (int i = 0; i < count; i++) {
    if (!rank(&devices[i])) continue;
    if (best < 0 || rank(&devices[i]) > rank(&devices[best]) ||
        (rank(&devices[i]) == rank(&devices[best]) && devices[i].memory_bytes > devices[best].memory_bytes))
      best = i;
  }
  return best;
}

/* Writes the reason for choosing the CPU: the first GPU's missing features, or why there is no GPU. */
static void explain_cpu(char *why, size_t size, const gt_device_info *devices, int count,
                        const gt_error *list_error) {
  const char *complaint = gt_vulkan_loader_message();
  for (int i = 0; i < count; i++)
    if (!is_software(&devices[i])) {
      snprintf(why, size, "no usable GPU: %.80s lacks %.120s", devices[i].name, devices[i].features);
      return;
    }
  if (count < 0)
    snprintf(why, size, "%.250s", list_error->message);
  else if (!count)
    snprintf(why, size, "no Vulkan device found");
  else
    snprintf(why, size, "no GPU; the only Vulkan device%s software renderer%s slower than the CPU",
             count == 1 ? " is a" : "s are", count == 1 ? ", which is" : "s, which are");
  if (count >= 0 && *complaint) {
    const size_t used = strlen(why);
    snprintf(why + used, size - used, "; a driver failed to load: %s", complaint);
  }
}

static gt_backend *open_auto(int threads, gt_error *error) {
  gt_device_info devices[DEVICE_LIMIT];
  gt_error list_error = {0};
  int count = gt_vulkan_list(devices, DEVICE_LIMIT, &list_error), best = gt_device_best(devices, count);
  gt_backend *backend = best < 0 ? gt_cpu_open(threads, error) : gt_vulkan_open(best, error);
  if (!backend) return NULL;
  if (best >= 0)
    snprintf(backend->why, sizeof backend->why, "the best of %d Vulkan device%s", count,
             count == 1 ? "" : "s");
  else
    explain_cpu(backend->why, sizeof backend->why, devices, count, &list_error);
  return backend;
}

static bool fail_no_device(const gt_device_info *devices, int count, gt_error *error) {
  const char *complaint = gt_vulkan_loader_message();
  if (count)
    return gt_fail(error, GT_ERR_NODEVICE, "no usable Vulkan device: %s lacks %s", devices[0].name,
                   devices[0].features);
  return gt_fail(error, GT_ERR_NODEVICE, "no Vulkan device found%s%s (see `gtrain devices`)",
                 *complaint ? ": " : "", complaint);
}

/* Parses the N of "vulkan:N", the index of a device; -1 after reporting an error. */
static int parse_device_number(const char *choice, int count, gt_error *error) {
  char *end;
  const long number = strtol(choice + 7, &end, 10);
  if (end == choice + 7 || *end || number < 0)
    gt_fail(error, GT_ERR_USAGE, "'%s': expected vulkan:N with N = 0, 1, …", choice);
  else if (number >= count)
    gt_fail(error, GT_ERR_NODEVICE, "no device '%s': %d Vulkan device%s found (see `gtrain devices`)", choice,
            count, count == 1 ? "" : "s");
  else
    return (int)number;
  return -1;
}

/* The index of the device that "vulkan" or "vulkan:N" means: the best, a software device if there is no
 * other. -1 after reporting an error. */
static int find_vulkan(const char *choice, const gt_device_info *devices, int count, gt_error *error) {
  if (choice[6] == ':') return parse_device_number(choice, count, error);
  int index = gt_device_best(devices, count);
  for (int i = 0; i < count && index < 0; i++)
    if (devices[i].usable) index = i;
  if (index < 0) fail_no_device(devices, count, error);
  return index;
}

static gt_backend *open_vulkan(const char *choice, gt_error *error) {
  gt_device_info devices[DEVICE_LIMIT];
  const int count = gt_vulkan_list(devices, DEVICE_LIMIT, error),
            index = count < 0 ? -1 : find_vulkan(choice, devices, count, error);
  if (index < 0) return NULL;
  gt_backend *backend = gt_vulkan_open(index, error);
  if (backend && is_software(&devices[index]))
    gt_info("using %s, a software device, which is slower than --device cpu", devices[index].name);
  return backend;
}

static const char *choice_or_default(const char *choice) {
  if (!choice) choice = getenv("GTRAIN_DEVICE");
  return choice && *choice ? choice : "auto";
}

bool gt_backend_has_gpu(const char *choice, gt_error *error) {
  gt_device_info devices[DEVICE_LIMIT];
  gt_error list_error = {0};
  char why[256];
  choice = choice_or_default(choice);
  if (!strcmp(choice, "cpu")) return gt_fail(error, GT_ERR_USAGE, "the selected device is the CPU");
  if (strcmp(choice, "auto") && strncmp(choice, "vulkan", 6)) return true; /* gt_backend_open reports it */
  const int count = gt_vulkan_list(devices, DEVICE_LIMIT, &list_error);
  int index = gt_device_best(devices, count);
  if (!strncmp(choice, "vulkan:", 7) && (index = parse_device_number(choice, count, error)) < 0) return false;
  if (index >= 0 && rank(&devices[index])) return true;
  if (index >= 0 && devices[index].usable)
    return gt_fail(error, GT_ERR_NODEVICE, "the selected device is %s (%.80s), not a GPU",
                   devices[index].type, devices[index].name);
  if (index >= 0)
    return gt_fail(error, GT_ERR_NODEVICE, "the selected device, %.80s, lacks %.120s", devices[index].name,
                   devices[index].features);
  explain_cpu(why, sizeof why, devices, count, &list_error);
  return gt_fail(error, GT_ERR_NODEVICE, "%s", why);
}

/* True for words that other programs use for a GPU. */
static bool means_gpu(const char *choice) {
  static const char *const words[] = {"gpu", "cuda", "nvidia", "amd", "rocm",
                                      "hip", "mps",  "metal",  "xpu", "intel"};
  const size_t length = strcspn(choice, ":");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == length && !strncasecmp(choice, words[i], length)) return true;
  return false;
}

static void report_unknown_device(const char *source, const char *choice, gt_error *error) {
  static const char *const names[] = {"auto", "cpu", "vulkan"};
  const char *near = gt_nearest(choice, names, sizeof names / sizeof *names);
  if (means_gpu(choice))
    gt_fail(error, GT_ERR_USAGE, "%s: unknown device '%s'; use 'vulkan%s' for a GPU", source, choice,
            choice + strcspn(choice, ":"));
  else
    gt_fail(error, GT_ERR_USAGE, "%s: unknown device '%s'; expected auto, cpu, vulkan or vulkan:N%s%s%s",
            source, choice, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

bool gt_device_is_auto(const char *choice) { return !strcmp(choice_or_default(choice), "auto"); }

static const char *source_of(const char *choice) { return choice ? "--device" : "GTRAIN_DEVICE"; }

static bool is_vulkan(const char *choice) {
  return !strcmp(choice, "vulkan") || !strncmp(choice, "vulkan:", 7);
}

bool gt_device_check_choice(const char *choice, const gt_device_info *devices, int count, gt_error *error) {
  const char *source = source_of(choice);
  choice = choice_or_default(choice);
  if (is_vulkan(choice)) return find_vulkan(choice, devices, count, error) >= 0;
  if (!strcmp(choice, "auto") || !strcmp(choice, "cpu") || !strcmp(choice, "null")) return true;
  report_unknown_device(source, choice, error);
  return false;
}

gt_backend *gt_backend_open(const char *choice, int threads, gt_error *error) {
  gt_backend *backend;
  const char *source = source_of(choice);
  choice = choice_or_default(choice);
  if (!strcmp(choice, "auto")) return open_auto(threads, error);
  if (!strcmp(choice, "cpu"))
    backend = gt_cpu_open(threads, error);
  else if (!strcmp(choice, "null"))
    backend = gt_null_open();
  else if (is_vulkan(choice))
    backend = open_vulkan(choice, error);
  else
    return report_unknown_device(source, choice, error), NULL;
  if (backend) snprintf(backend->why, sizeof backend->why, "selected by %s", source);
  return backend;
}

void gt_backend_close(gt_backend *backend) {
  if (backend) backend->api->close(backend);
}
