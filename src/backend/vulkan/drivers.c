/* Which drivers the Vulkan loader knows, and what comes of each: it is asked twice, once for what files it
 * finds, then with one file at a time, so that what goes wrong is known to be that driver's. The loader tells
 * in messages alone: they are listened to while an instance is made, and read for the files' names. */
#include "backend/vulkan/internal.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note_file(gt_vulkan_listener *l, const char *name, size_t length) {
  gt_vulkan_driver *d = l->driver;
  if (l->count == l->limit || length >= sizeof d->file) return;
  for (int i = 0; i < l->count; i++)
    if (strlen(d[i].file) == length && !memcmp(d[i].file, name, length)) return;
  memcpy(d[l->count++].file, name, length);
}

/* Each file has a message of its own, in a list that is announced. */
static void note_files(gt_vulkan_listener *l, const char *text) {
  static const char ending[] = ".json";
  const size_t tail = sizeof ending - 1;
  if (strstr(text, "driver manifest")) l->drivers = true;
  if (strstr(text, "layer manifest")) l->drivers = false;
  text += strspn(text, " ");
  const size_t length = strlen(text);
  if (l->drivers && length > tail && !strcmp(text + length - tail, ending) && !strstr(text, ": "))
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

/* Makes an instance with whatever drivers the environment leaves; the number of devices they have. */
static VkResult ask(gt_vulkan_listener *l, uint32_t *devices) {
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
  /* What the loader says where no driver has a device. */
  return result == VK_ERROR_INITIALIZATION_FAILED ? VK_SUCCESS : result;
}

static void restore(const char *variable, char *value) {
  if (value)
    setenv(variable, value, 1);
  else
    unsetenv(variable);
  free(value);
}

/* NVIDIA's driver opens libEGL itself, and does not say that it is what it wants. */
static const char *hint(const gt_vulkan_driver *driver) {
  if (!strstr(driver->file, "nvidia")) return "";
  void *library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library) dlclose(library);
  return library ? "" : "; it needs libEGL.so.1, which is missing (Debian: libegl1)";
}

/* Loaders before 1.3.207 know only the second name. */
static void ask_one(gt_vulkan_driver *driver) {
  static const char *const variable[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};
  char *value[2];
  gt_vulkan_listener l = {0};
  uint32_t devices;
  for (int i = 0; i < 2; i++) {
    const char *now = getenv(variable[i]);
    value[i] = now ? strdup(now) : NULL;
    setenv(variable[i], driver->file, 1);
  }
  const VkResult result = ask(&l, &devices);
  for (int i = 0; i < 2; i++) restore(variable[i], value[i]);
  driver->devices = (int)devices;
  if (*l.complaint && !devices)
    snprintf(driver->reason, sizeof driver->reason, "%.180s%s", l.complaint, hint(driver));
  else if (result < 0)
    snprintf(driver->reason, sizeof driver->reason, "%s (%d)", gt_vulkan_result_name(result), (int)result);
}

int gt_vulkan_drivers(gt_vulkan_driver *drivers, int limit) {
  gt_vulkan_listener l = {.driver = drivers, .limit = limit};
  uint32_t devices;
  if (!vkCreateInstance && volkInitialize() != VK_SUCCESS) return -1;
  memset(drivers, 0, (size_t)limit * sizeof *drivers);
  ask(&l, &devices);
  for (int i = 0; i < l.count; i++) ask_one(&drivers[i]);
  return l.count;
}
