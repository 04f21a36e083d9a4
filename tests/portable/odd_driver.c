/* A minimal Vulkan driver that fails, to test gtrain's messages. TEST_DRIVER=refuses: it fails to start;
 * TEST_DRIVER=empty: it starts but has no device; TEST_DRIVER=crashes: it aborts the process when it is to
 * start. */
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

typedef struct instance {
  VK_LOADER_DATA loader; /* the loader writes here */
} instance;

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *callbacks,
                                                      VkInstance *out) {
  static instance the_instance;
  const char *kind = getenv("TEST_DRIVER");
  (void)info, (void)callbacks;
  if (kind && !strcmp(kind, "crashes")) abort();
  if (kind && !strcmp(kind, "refuses")) return VK_ERROR_INITIALIZATION_FAILED;
  the_instance.loader.loaderMagic = ICD_LOADER_MAGIC;
  *out = (VkInstance)&the_instance;
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance handle,
                                                   const VkAllocationCallbacks *callbacks) {
  (void)handle, (void)callbacks;
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_devices(VkInstance handle, uint32_t *count,
                                                        VkPhysicalDevice *out) {
  (void)handle, (void)out;
  *count = 0;
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_extensions(const char *layer, uint32_t *count,
                                                           VkExtensionProperties *out) {
  (void)layer, (void)out;
  *count = 0;
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL version(uint32_t *out) {
  *out = VK_API_VERSION_1_2;
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL nothing(void) {}

/* The loader requires an address for every core function, even if nobody calls it. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance handle, const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance handle, const char *name) {
  (void)handle;
  if (!strcmp(name, "vkCreateInstance")) return (PFN_vkVoidFunction)create_instance;
  if (!strcmp(name, "vkDestroyInstance")) return (PFN_vkVoidFunction)destroy_instance;
  if (!strcmp(name, "vkEnumeratePhysicalDevices")) return (PFN_vkVoidFunction)enumerate_devices;
  if (!strcmp(name, "vkEnumerateInstanceExtensionProperties"))
    return (PFN_vkVoidFunction)enumerate_extensions;
  if (!strcmp(name, "vkEnumerateInstanceVersion")) return (PFN_vkVoidFunction)version;
  return nothing;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *interface);
VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *interface) {
  if (*interface > 5) *interface = 5;
  return VK_SUCCESS;
}
