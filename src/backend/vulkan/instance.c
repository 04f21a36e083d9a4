/* The Vulkan instance of the process, created at the first use; validation messages; the texts of results. */
#include "backend/vulkan/internal.h"
#include "base/log.h"
#include <stdio.h>
#include <string.h>

static VkInstance instance;
static VkDebugUtilsMessengerEXT messenger;
static gt_vulkan_listener listener;
static int messages;

int gt_vulkan_validation_messages(void) { return messages; }

const char *gt_vulkan_result_name(VkResult result) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY: return "out of host memory";
  case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "out of device memory";
  case VK_ERROR_INITIALIZATION_FAILED: return "initialization failed";
  case VK_ERROR_DEVICE_LOST: return "device lost: the driver has reset the GPU or crashed";
  case VK_ERROR_MEMORY_MAP_FAILED: return "memory could not be mapped";
  case VK_ERROR_LAYER_NOT_PRESENT: return "layer not present";
  case VK_ERROR_EXTENSION_NOT_PRESENT: return "extension not present";
  case VK_ERROR_FEATURE_NOT_PRESENT: return "feature not present";
  case VK_ERROR_INCOMPATIBLE_DRIVER: return "incompatible driver";
  case VK_ERROR_TOO_MANY_OBJECTS: return "too many objects";
  case VK_ERROR_INVALID_SHADER_NV: return "invalid shader";
  case VK_NOT_READY: return "not ready";
  case VK_TIMEOUT: return "timeout";
  case VK_INCOMPLETE: return "incomplete";
  default: return "unexpected result";
  }
}

/* Classifies an error as out of memory, a bug of gtrain (GT_ERR_INTERNAL) or a device that cannot be used. */
static gt_status status_of(VkResult result) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
  case VK_ERROR_MEMORY_MAP_FAILED:
  case VK_ERROR_TOO_MANY_OBJECTS: return GT_ERR_MEMORY;
  case VK_ERROR_LAYER_NOT_PRESENT:
  case VK_ERROR_EXTENSION_NOT_PRESENT:
  case VK_ERROR_FEATURE_NOT_PRESENT:
  case VK_ERROR_FORMAT_NOT_SUPPORTED:
  case VK_ERROR_VALIDATION_FAILED_EXT:
  case VK_ERROR_INVALID_SHADER_NV: return GT_ERR_INTERNAL;
  default: return GT_ERR_NODEVICE;
  }
}

bool gt_vulkan_check(VkResult result, const char *call, gt_error *error) {
  if (result == VK_SUCCESS) return true;
  return gt_fail(error, status_of(result), "Vulkan: %s (%d) from %.*s", gt_vulkan_result_name(result),
                 (int)result, (int)strcspn(call, "("), call);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT type,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user) {
  (void)severity, (void)type, (void)user;
  __atomic_add_fetch(&messages, 1, __ATOMIC_RELAXED);
  fprintf(stderr, "validation: %s\n", data->pMessage);
  return VK_FALSE;
}

const char *gt_vulkan_loader_message(void) { return listener.complaint; }

static bool has_validation_layer(void) {
  VkLayerProperties layer[64];
  uint32_t count = 64;
  if (vkEnumerateInstanceLayerProperties(&count, layer) < 0) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!strcmp(layer[i].layerName, "VK_LAYER_KHRONOS_validation")) return true;
  return false;
}

static const VkDebugUtilsMessengerCreateInfoEXT messenger_info = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    .messageType =
        VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
    .pfnUserCallback = on_message,
};

static VkResult create(bool validate) {
  const char *layers[] = {"VK_LAYER_KHRONOS_validation"};
  const char *extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  const VkValidationFeatureEnableEXT enable[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  const VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                            .pNext = &messenger_info,
                                            .enabledValidationFeatureCount = 1,
                                            .pEnabledValidationFeatures = enable};
  VkDebugUtilsMessengerCreateInfoEXT listen = gt_vulkan_listen(&listener);
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                         .pApplicationName = "gtrain",
                                         .apiVersion = VK_API_VERSION_1_2};
  const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pNext = &listen,
                                     .pApplicationInfo = &application,
                                     .enabledLayerCount = validate,
                                     .ppEnabledLayerNames = layers,
                                     .enabledExtensionCount = 1,
                                     .ppEnabledExtensionNames = extensions};
  listener = (gt_vulkan_listener){0};
  listen.pNext = validate ? &features : NULL;
  return vkCreateInstance(&info, NULL, &instance);
}

VkInstance gt_vulkan_instance(gt_error *error) {
  if (instance) return instance;
  if (volkInitialize() != VK_SUCCESS) {
    gt_fail(error, GT_ERR_NODEVICE, "no Vulkan loader (libvulkan.so.1) on this machine");
    return NULL;
  }
  if (volkGetInstanceVersion() < VK_API_VERSION_1_2) {
    gt_fail(error, GT_ERR_NODEVICE, "the Vulkan loader is older than Vulkan 1.2");
    return NULL;
  }
  bool validate = gt_debug("validation");
  if (validate && !has_validation_layer()) {
    gt_fail(error, GT_ERR_NODEVICE,
            "GTRAIN_DEBUG=validation, but VK_LAYER_KHRONOS_validation is not installed");
    return NULL;
  }
  const VkResult result = create(validate);
  if (result != VK_SUCCESS) {
    instance = NULL;
    gt_fail(error, status_of(result) == GT_ERR_MEMORY ? GT_ERR_MEMORY : GT_ERR_NODEVICE,
            "no Vulkan driver could be started: %s (%d)%s%s", gt_vulkan_result_name(result), (int)result,
            *listener.complaint ? ": " : "", listener.complaint);
    return NULL;
  }
  /* Not volkLoadDevice: its function pointers belong to one device. Those of the loader cost only a
   * nanosecond more per call. */
  volkLoadInstance(instance);
  if (validate && vkCreateDebugUtilsMessengerEXT(instance, &messenger_info, NULL, &messenger) != VK_SUCCESS) {
    messenger = NULL;
    gt_vulkan_instance_close();
    gt_fail(error, GT_ERR_NODEVICE, "GTRAIN_DEBUG=validation, but its messages cannot be captured");
  }
  return instance;
}

void gt_vulkan_instance_close(void) {
  if (messenger) vkDestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
  if (instance) vkDestroyInstance(instance, NULL);
  messenger = NULL;
  instance = NULL;
  if (gt_debug("validation") && messages > 0) fprintf(stderr, "validation: %d messages\n", messages);
}
