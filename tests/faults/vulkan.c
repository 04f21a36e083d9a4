/* A layer between volk and the Vulkan loader: counts the calls of every entry point that gtrain uses, and
 * lets calls fail as VULKAN_FAULT says (vulkan.h). Linked into an ordinary gtrain with --wrap=volkInitialize
 * and --wrap=clock_gettime. The outputs of a failed call are overwritten with garbage, because Vulkan leaves
 * them undefined. */
#define _GNU_SOURCE
#include "vulkan.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <volk.h>

static fault_counts local_counts, *counts = &local_counts;
static struct {
  int entry; /* -1: none */
  uint32_t nth;
  int result;
  fault_mode mode;
} fault = {.entry = -1};
static bool triggered;       /* the call that fails has been made */
static int64_t skipped_time; /* nanoseconds by which the clock is ahead */

/* --- the fault --- */

static void reject_spec(const char *text) {
  fprintf(stderr, "VULKAN_FAULT: expected ENTRY:NTH:RESULT:MODE, not '%s'\n", text);
  exit(2);
}

static void read_spec(const char *text) {
  char name[64], result[16], mode[16];
  if (sscanf(text, "%63[^:]:%u:%15[^:]:%15s", name, &fault.nth, result, mode) != 4) reject_spec(text);
  for (int i = 0; i < ENTRIES; i++)
    if (!strcmp(entry_rows[i].name, name)) fault.entry = i;
  fault.mode = MODES;
  for (int i = 0; i < MODES; i++)
    if (!strcmp(mode_names[i], mode)) fault.mode = (fault_mode)i;
  fault.result = strcmp(result, "none") ? (int)strtol(result, NULL, 10) : RESULT_NONE;
  if (fault.entry < 0 || fault.mode == MODES) reject_spec(text);
}

__attribute__((constructor)) static void set_up(void) {
  const char *text = getenv("VULKAN_FAULT"), *path = getenv("VULKAN_COUNTS");
  if (text) read_spec(text);
  const int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
  if (fd < 0 || ftruncate(fd, sizeof local_counts) != 0) return;
  void *shared = mmap(NULL, sizeof local_counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared != MAP_FAILED) counts = shared;
  close(fd);
}

static bool is_triggered(void) { return __atomic_load_n(&triggered, __ATOMIC_SEQ_CST); }

/* Counts a call; true if it must fail with *result. */
static bool fails(int entry, int *result) {
  const uint32_t number = __atomic_add_fetch(&counts->calls[entry], 1, __ATOMIC_RELAXED);
  const bool now = entry == fault.entry && number == fault.nth;
  if (now) __atomic_store_n(&triggered, true, __ATOMIC_SEQ_CST);
  if (!is_triggered() || !entry_rows[entry].fallible || fault.mode == MODE_HANG) return false;
  const bool later = (fault.mode == MODE_ALWAYS && entry == fault.entry) ||
                     (fault.mode == MODE_LOST && is_work(entry)) || fault.mode == MODE_ALL;
  if (!now && !later) return false;
  __atomic_add_fetch(&counts->faults[entry], 1, __ATOMIC_RELAXED);
  *result = fault.result;
  return true;
}

/* --- calls that fail --- */

/* True if the real function is called although the result is a failure. A wait that reports a lost device
 * means, like success, that no resource is in use any more (Vulkan specification, Lost Device), so it waits
 * for the real device. */
static bool runs_anyway(int entry, int result) {
  const bool waits = entry == ENTRY_vkWaitSemaphores || entry == ENTRY_vkDeviceWaitIdle;
  return result == VK_INCOMPLETE || (result == VK_ERROR_DEVICE_LOST && waits);
}

/* The byte that fills the outputs of a failed call. Two functions set handles to null if they fail; the
 * outputs of all others are undefined. */
static int fill_byte(int entry, int result) {
  const bool null = entry == ENTRY_vkAllocateCommandBuffers || entry == ENTRY_vkCreateComputePipelines;
  return null || result == RESULT_NONE ? 0 : 0xb5;
}

#define SPOIL(out) \
  if (out) memset(out, fill_byte(entry, result), sizeof *(out));
#define FALLIBLE(name, parameters, arguments, spoils)               \
  static PFN_##name real_##name;                                    \
  static VKAPI_ATTR VkResult VKAPI_CALL counted_##name parameters { \
    enum { entry = ENTRY_##name };                                  \
    int result;                                                     \
    if (!fails(entry, &result)) return real_##name arguments;       \
    if (runs_anyway(entry, result)) {                               \
      (void)real_##name arguments;                                  \
    } else {                                                        \
      spoils                                                        \
    }                                                               \
    return result == RESULT_NONE ? VK_SUCCESS : (VkResult)result;   \
  }
#define INFALLIBLE(type, name, parameters, arguments)           \
  static PFN_##name real_##name;                                \
  static VKAPI_ATTR type VKAPI_CALL counted_##name parameters { \
    int unused;                                                 \
    (void)fails(ENTRY_##name, &unused);                         \
    return real_##name arguments;                               \
  }
#include "vulkan_entries.inc"
#undef FALLIBLE
#undef INFALLIBLE

/* --- a device that hangs: waits with a timeout return immediately, others never --- */

static PFN_vkGetSemaphoreCounterValue driver_counter;
static PFN_vkWaitSemaphores driver_wait;

static VKAPI_ATTR VkResult VKAPI_CALL hanging_counter(VkDevice device, VkSemaphore semaphore,
                                                      uint64_t *value) {
  static uint64_t last;
  const VkResult result = is_triggered() ? VK_SUCCESS : driver_counter(device, semaphore, &last);
  *value = last;
  return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL hanging_wait(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                   uint64_t timeout) {
  if (!is_triggered()) return driver_wait(device, info, timeout);
  __atomic_add_fetch(&counts->faults[ENTRY_vkWaitSemaphores], 1, __ATOMIC_RELAXED);
  while (timeout == UINT64_MAX) pause();
  skipped_time += (int64_t)timeout;
  return VK_TIMEOUT;
}

/* Replaces a function of the driver if the device must hang. */
#define MAY_HANG(entry, original, replacement) \
  if (!strcmp(name, #entry)) return original = (PFN_##entry)found, (PFN_vkVoidFunction)replacement;
static PFN_vkVoidFunction replace_for_hang(const char *name, PFN_vkVoidFunction found) {
  if (fault.entry < 0 || fault.mode != MODE_HANG) return found;
  MAY_HANG(vkGetSemaphoreCounterValue, driver_counter, hanging_counter)
  MAY_HANG(vkWaitSemaphores, driver_wait, hanging_wait)
  return found;
}

int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out) {
  const int status = __real_clock_gettime(clock, out);
  const int64_t nanoseconds = out->tv_nsec + skipped_time;
  out->tv_sec += nanoseconds / 1000000000;
  out->tv_nsec = nanoseconds % 1000000000;
  return status;
}

/* --- between volk and the loader --- */

static PFN_vkGetInstanceProcAddr real_get;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find(VkInstance instance, const char *name) {
  PFN_vkVoidFunction found = real_get(instance, name);
  if (!found) return NULL;
  found = replace_for_hang(name, found);
#define ENTRY(entry) \
  if (!strcmp(name, #entry)) return real_##entry = (PFN_##entry)found, (PFN_vkVoidFunction)counted_##entry;
#define FALLIBLE(name, parameters, arguments, spoils) ENTRY(name)
#define INFALLIBLE(type, name, parameters, arguments) ENTRY(name)
#include "vulkan_entries.inc"
#undef FALLIBLE
#undef INFALLIBLE
  return found;
}

VkResult __wrap_volkInitialize(void);
VkResult __wrap_volkInitialize(void) {
  int result;
  if (fails(ENTRY_volkInitialize, &result)) return (VkResult)result;
  void *loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!loader) return VK_ERROR_INITIALIZATION_FAILED;
  real_get = (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr");
  volkInitializeCustom(find);
  // cppcheck-suppress resourceLeak ; the loader stays, as with volk's own volkInitialize
  return VK_SUCCESS;
}
