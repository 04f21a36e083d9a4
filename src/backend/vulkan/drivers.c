/* Finds the drivers that the Vulkan loader finds and the number of devices of each. First the loader reports
 * the manifest files that it finds; then each file is loaded alone, so that an error can be attributed to it,
 * and in a child process, because some drivers crash or hang. The loader reports file names only in messages:
 * these are captured while an instance is created. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr, asprintf */
#endif
#include "backend/vulkan/internal.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void note_file(gt_vulkan_listener *l, const char *name, size_t length) {
  gt_vulkan_driver *d = l->driver;
  if (l->count == l->limit || length >= sizeof d->file) return;
  for (int i = 0; i < l->count; i++)
    if (strlen(d[i].file) == length && !memcmp(d[i].file, name, length)) return;
  memcpy(d[l->count++].file, name, length);
}

/* The loader announces a list, then reports each file in its own message. */
static void note_files(gt_vulkan_listener *l, const char *text) {
  static const char ending[] = ".json";
  const size_t ending_length = sizeof ending - 1;
  if (strstr(text, "driver manifest")) l->drivers = true;
  if (strstr(text, "layer manifest")) l->drivers = false;
  text += strspn(text, " ");
  const size_t length = strlen(text);
  if (l->drivers && length > ending_length && !strcmp(text + length - ending_length, ending) &&
      !strstr(text, ": "))
    note_file(l, text, length);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT type,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user) {
  gt_vulkan_listener *l = user;
  const char *text = data->pMessage;
  (void)type;
  note_files(l, text);
  if (severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT || !l->drivers || *l->complaint)
    return VK_FALSE;
  /* Length of the name of the loader's function, with which some messages begin. */
  const size_t function = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  if (function && !strncmp(text + function, ": ", 2)) text += function + 2;
  snprintf(l->complaint, sizeof l->complaint, "%s", text);
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT gt_vulkan_listen(gt_vulkan_listener *listener) {
  return (VkDebugUtilsMessengerCreateInfoEXT){
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
      .pfnUserCallback = on_message,
      .pUserData = listener};
}

/* Creates and destroys an instance with the drivers that the environment allows; sets the number of
 * devices. */
static VkResult count_devices(gt_vulkan_listener *l, uint32_t *devices) {
  const VkDebugUtilsMessengerCreateInfoEXT listen = gt_vulkan_listen(l);
  const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                         .apiVersion = VK_API_VERSION_1_2};
  const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pNext = &listen,
                                     .pApplicationInfo = &application,
                                     .enabledExtensionCount = 1,
                                     .ppEnabledExtensionNames = &extension};
  VkInstance instance;
  VkResult result = vkCreateInstance(&info, NULL, &instance);
  *devices = 0;
  if (result != VK_SUCCESS) return result;
  result = ((PFN_vkEnumeratePhysicalDevices)vkGetInstanceProcAddr(instance, "vkEnumeratePhysicalDevices"))(
      instance, devices, NULL);
  ((PFN_vkDestroyInstance)vkGetInstanceProcAddr(instance, "vkDestroyInstance"))(instance, NULL);
  /* The loader returns this if no driver has a device. */
  return result == VK_ERROR_INITIALIZATION_FAILED ? VK_SUCCESS : result;
}

/* --- one driver at a time ------------------------------------------------------------------------------- */

enum { MAX_SECONDS = 60 }; /* eight idle GPUs need 10 s to start */

/* In memory shared between the processes, so that results of a child that crashes are kept. */
typedef struct probe {
  gt_vulkan_listener listener; /* messages of the loader when all drivers were loaded */
  int limit, current;          /* number of entries in `driver`; index of the driver being tested */
  gt_vulkan_driver driver[];
} probe;

/* Runs the function in a child process; returns its status (waitpid), 0 on success. If fork fails, runs it
 * in this process. */
static int in_child(void (*work)(probe *), probe *p) {
  int status = 0;
  const pid_t child = fork();
  if (child < 0) return work(p), 0;
  if (child == 0) {
    alarm(MAX_SECONDS);
    work(p);
    _exit(0);
  }
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 0;
  return status;
}

static void find_files(probe *p) {
  uint32_t devices;
  p->listener = (gt_vulkan_listener){.driver = p->driver, .limit = p->limit};
  count_devices(&p->listener, &devices);
}

/* Lists missing libraries: NVIDIA's driver loads these itself and does not report which one is missing. */
static void find_missing(gt_vulkan_driver *driver) {
  /* Each row: the library, the Debian package that has it. */
  static const char *const need[][2] = {{"libEGL.so.1", "libegl1"},     {"libGLdispatch.so.0", "libglvnd0"},
                                        {"libGL.so.1", "libgl1"},       {"libGLX.so.0", "libglx0"},
                                        {"libGLESv2.so.2", "libgles2"}, {"libOpenGL.so.0", "libopengl0"}};
  size_t used = 0;
  if (!strstr(driver->file, "nvidia")) return;
  for (size_t i = 0; i < sizeof need / sizeof *need; i++) {
    void *library = dlopen(need[i][0], RTLD_LAZY | RTLD_LOCAL);
    if (library)
      dlclose(library);
    else
      used += (size_t)snprintf(driver->missing + used, sizeof driver->missing - used, "%s%s", used ? " " : "",
                               need[i][1]);
  }
}

/* Loaders before 1.3.207 know only the second name. */
static void set_drivers(const char *files) {
  setenv("VK_DRIVER_FILES", files, 1);
  setenv("VK_ICD_FILENAMES", files, 1);
}

static void try_driver(probe *p) {
  gt_vulkan_driver *driver = &p->driver[p->current];
  gt_vulkan_listener l = {0};
  uint32_t devices;
  set_drivers(driver->file);
  const VkResult result = count_devices(&l, &devices);
  driver->devices = (int)devices;
  if (*l.complaint && !devices)
    snprintf(driver->reason, sizeof driver->reason, "%.250s", l.complaint);
  else if (result < 0)
    snprintf(driver->reason, sizeof driver->reason, "%s (%d)", gt_vulkan_result_name(result), (int)result);
  if (!devices) find_missing(driver);
}

static void note_crash(gt_vulkan_driver *driver, int status) {
  driver->crashes = true;
  driver->devices = 0;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    snprintf(driver->reason, sizeof driver->reason, "it hangs while loading: no response within %d s",
             MAX_SECONDS);
  else if (WIFSIGNALED(status))
    snprintf(driver->reason, sizeof driver->reason, "it crashes while loading: %s",
             strsignal(WTERMSIG(status)));
  else
    snprintf(driver->reason, sizeof driver->reason, "it ends the process that loads it (exit code %d)",
             WEXITSTATUS(status));
}

int gt_vulkan_drivers(gt_vulkan_driver *drivers, int limit) {
  if (!vkCreateInstance && volkInitialize() != VK_SUCCESS) return -1;
  const size_t list = (size_t)limit * sizeof *drivers, size = sizeof(probe) + list;
  // cppcheck-suppress invalidFunctionArg ; an anonymous mapping has no file: -1
  probe *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return -1;
  p->limit = limit;
  in_child(find_files, p); /* the loader reports all names before it loads a driver that may crash */
  const int count = p->listener.count;
  for (p->current = 0; p->current < count; p->current++) {
    const int status = in_child(try_driver, p);
    if (status) note_crash(&p->driver[p->current], status);
  }
  memcpy(drivers, p->driver, list);
  munmap(p, size);
  return count;
}

bool gt_vulkan_exclude_drivers(const gt_vulkan_driver *drivers, int count) {
  char *working = NULL;
  int crashing = 0;
  for (int i = 0; i < count; i++) {
    char *longer = NULL;
    crashing += drivers[i].crashes;
    if (drivers[i].crashes) continue;
    if (asprintf(&longer, "%s%s%s", working ? working : "", working ? ":" : "", drivers[i].file) < 0) break;
    free(working);
    working = longer;
  }
  const bool usable = working || !crashing;
  if (crashing && working) set_drivers(working);
  free(working);
  return usable;
}

bool gt_vulkan_loader(char *file, size_t size, uint32_t version[3]) {
  Dl_info info;
  char *full_path = NULL;
  if (!vkCreateInstance && volkInitialize() != VK_SUCCESS) return false;
  const uint32_t v = volkGetInstanceVersion();
  void *function;
  memcpy(&function, &vkGetInstanceProcAddr, sizeof function);
  if (dladdr(function, &info) && info.dli_fname) full_path = realpath(info.dli_fname, NULL);
  snprintf(file, size, "%s", full_path ? full_path : "libvulkan.so.1");
  free(full_path);
  version[0] = VK_API_VERSION_MAJOR(v);
  version[1] = VK_API_VERSION_MINOR(v);
  version[2] = VK_API_VERSION_PATCH(v);
  return true;
}
