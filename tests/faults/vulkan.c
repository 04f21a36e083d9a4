/* Sits between volk and the Vulkan loader: every entry point that gtrain uses is counted, and fails as the
 * order says (vulkan.h). Linked into an ordinary gtrain with --wrap=volkInitialize and --wrap=clock_gettime.
 * The outputs of a failed call are overwritten with garbage, as Vulkan leaves them undefined. */
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

static fault_counts own, *seen = &own;
static struct {
  int entry; /* -1: none */
  uint32_t nth;
  int result;
  fault_mode mode;
} order = {.entry = -1};
static bool struck;          /* the ordered call has been made */
static int64_t skipped_time; /* nanoseconds by which the clock is ahead */

/* --- the order --- */

static void refuse(const char *text) {
  fprintf(stderr, "VULKAN_FAULT: expected ENTRY:NTH:RESULT:MODE, not '%s'\n", text);
  exit(2);
}

static void read_order(const char *text) {
  char name[64], result[16], mode[16];
  if (sscanf(text, "%63[^:]:%u:%15[^:]:%15s", name, &order.nth, result, mode) != 4) refuse(text);
  for (int i = 0; i < ENTRIES; i++)
    if (!strcmp(entry_rows[i].name, name)) order.entry = i;
  order.mode = MODES;
  for (int i = 0; i < MODES; i++)
    if (!strcmp(mode_names[i], mode)) order.mode = (fault_mode)i;
  order.result = strcmp(result, "none") ? (int)strtol(result, NULL, 10) : RESULT_NONE;
  if (order.entry < 0 || order.mode == MODES) refuse(text);
}

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("VULKAN_FAULT"), *path = getenv("VULKAN_COUNTS");
  if (text) read_order(text);
  const int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
  if (fd < 0 || ftruncate(fd, sizeof own) != 0) return;
  void *shared = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared != MAP_FAILED) seen = shared;
  close(fd);
}

static bool has_struck(void) { return __atomic_load_n(&struck, __ATOMIC_SEQ_CST); }

/* Counts a call; true if it is to fail with *result. */
static bool fails(int entry, int *result) {
  const uint32_t number = __atomic_add_fetch(&seen->calls[entry], 1, __ATOMIC_RELAXED);
  const bool now = entry == order.entry && number == order.nth;
  if (now) __atomic_store_n(&struck, true, __ATOMIC_SEQ_CST);
  if (!has_struck() || !entry_rows[entry].fallible || order.mode == MODE_HANG) return false;
  const bool later = (order.mode == MODE_ALWAYS && entry == order.entry) ||
                     (order.mode == MODE_LOST && is_work(entry)) || order.mode == MODE_ALL;
  if (!now && !later) return false;
  __atomic_add_fetch(&seen->faults[entry], 1, __ATOMIC_RELAXED);
  *result = order.result;
  return true;
}

/* --- calls that fail --- */

/* A wait that returns "lost" must mean, like success, that nothing is in use any more (the specification,
 * Lost Device): so this waits for the real device, which is not lost. */
static bool runs_anyway(int entry, int result) {
  const bool waits = entry == ENTRY_vkWaitSemaphores || entry == ENTRY_vkDeviceWaitIdle;
  return result == VK_INCOMPLETE || (result == VK_ERROR_DEVICE_LOST && waits);
}

/* These set handles to null when they fail; the outputs of all others are undefined. */
static int fill(int entry, int result) {
  const bool null = entry == ENTRY_vkAllocateCommandBuffers || entry == ENTRY_vkCreateComputePipelines;
  return null || result == RESULT_NONE ? 0 : 0xb5;
}

#define SPOIL(out) \
  if (out) memset(out, fill(entry, result), sizeof *(out));
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
#define SURE(type, name, parameters, arguments)                 \
  static PFN_##name real_##name;                                \
  static VKAPI_ATTR type VKAPI_CALL counted_##name parameters { \
    int unused;                                                 \
    (void)fails(ENTRY_##name, &unused);                         \
    return real_##name arguments;                               \
  }
#include "vulkan_entries.inc"
#undef FALLIBLE
#undef SURE

/* --- a device that hangs: waits with a timeout return at once, others never --- */

static PFN_vkGetSemaphoreCounterValue true_counter;
static PFN_vkWaitSemaphores true_wait;

static VKAPI_ATTR VkResult VKAPI_CALL hanging_counter(VkDevice device, VkSemaphore semaphore,
                                                      uint64_t *value) {
  static uint64_t last;
  const VkResult result = has_struck() ? VK_SUCCESS : true_counter(device, semaphore, &last);
  *value = last;
  return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL hanging_wait(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                   uint64_t timeout) {
  if (!has_struck()) return true_wait(device, info, timeout);
  __atomic_add_fetch(&seen->faults[ENTRY_vkWaitSemaphores], 1, __ATOMIC_RELAXED);
  while (timeout == UINT64_MAX) pause();
  skipped_time += (int64_t)timeout;
  return VK_TIMEOUT;
}

/* Replaces the driver's function if its device is to hang. */
#define MAY_HANG(entry, keep, stand_in) \
  if (!strcmp(name, #entry)) return keep = (PFN_##entry)found, (PFN_vkVoidFunction)stand_in;
static PFN_vkVoidFunction driver(const char *name, PFN_vkVoidFunction found) {
  if (order.entry < 0 || order.mode != MODE_HANG) return found;
  MAY_HANG(vkGetSemaphoreCounterValue, true_counter, hanging_counter)
  MAY_HANG(vkWaitSemaphores, true_wait, hanging_wait)
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
  found = driver(name, found);
#define ENTRY(entry) \
  if (!strcmp(name, #entry)) return real_##entry = (PFN_##entry)found, (PFN_vkVoidFunction)counted_##entry;
#define FALLIBLE(name, parameters, arguments, spoils) ENTRY(name)
#define SURE(type, name, parameters, arguments)       ENTRY(name)
#include "vulkan_entries.inc"
#undef FALLIBLE
#undef SURE
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
