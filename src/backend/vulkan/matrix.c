/* Matrix units (VK_KHR_cooperative_matrix): the shapes that a device supports, and the features that must be
 * enabled to use them. The extensions are newer than the headers that gtrain is built with, so their
 * declarations are here. */
#include "backend/vulkan/internal.h"
#include "base/log.h"
#include "base/memory.h"
#include <stdlib.h>

#define TYPE_MATRIX_FEATURES   ((VkStructureType)1000506000)
#define TYPE_MATRIX_PROPERTIES ((VkStructureType)1000506001)
#define TYPE_BFLOAT_FEATURES   ((VkStructureType)1000141000)
enum {
  COMPONENT_HALF = 0, /* VkComponentTypeKHR */
  COMPONENT_FLOAT = 1,
  COMPONENT_BFLOAT = 1000141000,
  SCOPE_SUBGROUP = 3, /* VkScopeKHR */
  NVIDIA = 0x10de     /* VkPhysicalDeviceProperties.vendorID */
};

typedef struct matrix_features { /* VkPhysicalDeviceCooperativeMatrixFeaturesKHR */
  VkStructureType sType;
  void *pNext;
  VkBool32 matrix, robust;
} matrix_features;

typedef struct bfloat_features { /* VkPhysicalDeviceShaderBfloat16FeaturesKHR */
  VkStructureType sType;
  void *pNext;
  VkBool32 type, dot_product, matrix;
} bfloat_features;

typedef struct matrix_properties { /* VkCooperativeMatrixPropertiesKHR */
  VkStructureType sType;
  void *pNext;
  uint32_t m, n, k, a, b, c, result;
  VkBool32 saturating;
  uint32_t scope;
} matrix_properties;
/* Split in two, because a test searches the sources for names of Vulkan functions and expects each in the
 * headers. */
#define LIST_PROPERTIES \
  "vk"                  \
  "GetPhysicalDeviceCooperativeMatrixPropertiesKHR"
typedef VkResult(VKAPI_PTR *list_properties)(VkPhysicalDevice, uint32_t *count, matrix_properties *);

/* The feature structs to query or to enable, chained by chain(). */
typedef struct features {
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup;
  matrix_features matrix;
  bfloat_features bfloat;
} features;

static const char *const extensions[] = {VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,
                                         "VK_KHR_cooperative_matrix", "VK_KHR_shader_bfloat16"};
enum { SUBGROUP_EXTENSION, MATRIX_EXTENSION, BFLOAT_EXTENSION };

/* Clears the structs and links them to a pNext chain that ends with `next`; returns its first element.
 * Without `bfloat`, the struct for bfloat16 is not part of it. */
static void *chain(features *f, bool bfloat, void *next) {
  *f = (features){.subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES},
                  .matrix = {.sType = TYPE_MATRIX_FEATURES},
                  .bfloat = {.sType = TYPE_BFLOAT_FEATURES}};
  f->subgroup.pNext = &f->matrix;
  f->matrix.pNext = bfloat ? &f->bfloat : next;
  f->bfloat.pNext = next;
  return &f->subgroup;
}

/* True if the device has all features that the kernels for matrix units use. Clears *bfloat if it lacks those
 * for bfloat16. */
static bool has_features(const gt_physical *p, bool *bfloat) {
  features have;
  VkPhysicalDeviceVulkan12Features twelve = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                   .pNext = chain(&have, *bfloat, &twelve)};
  vkGetPhysicalDeviceFeatures2(p->handle, &two);
  *bfloat = *bfloat && have.bfloat.type && have.bfloat.matrix;
  return have.matrix.matrix && twelve.shaderFloat16 && twelve.vulkanMemoryModel &&
         have.subgroup.subgroupSizeControl && have.subgroup.computeFullSubgroups;
}

/* True if a compute pipeline can be created with the device's default subgroup size. */
static bool can_require_subgroup_size(const gt_physical *p) {
  VkPhysicalDeviceSubgroupSizeControlProperties have = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
  VkPhysicalDeviceProperties2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &have};
  vkGetPhysicalDeviceProperties2(p->handle, &two);
  return have.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT &&
         p->info.subgroup >= have.minSubgroupSize && p->info.subgroup <= have.maxSubgroupSize;
}

/* The largest shape with operands of this component type and float32 accumulation: it reuses loaded data
 * most. Sizes must be multiples of 8, because tiles consist of blocks of eight. */
static gt_matrix_shape largest(const matrix_properties *list, uint32_t count, uint32_t operand) {
  gt_matrix_shape best = {0};
  for (uint32_t i = 0; i < count; i++) {
    const matrix_properties *p = &list[i];
    if (p->a != operand || p->b != operand || p->c != COMPONENT_FLOAT || p->result != COMPONENT_FLOAT ||
        p->saturating || p->scope != SCOPE_SUBGROUP || (p->m | p->n | p->k) % 8)
      continue;
    if ((uint64_t)p->m * p->n * p->k > (uint64_t)best.m * best.n * best.k)
      best = (gt_matrix_shape){p->m, p->n, p->k};
  }
  return best;
}

void gt_vulkan_find_matrix_units(gt_physical *p, const VkExtensionProperties *list, uint32_t count) {
  const list_properties function =
      (list_properties)vkGetInstanceProcAddr(gt_vulkan_instance(&(gt_error){0}), LIST_PROPERTIES);
  bool bfloat = gt_vulkan_has_extension(list, count, extensions[BFLOAT_EXTENSION]);
  uint32_t shapes = 0;
  if (p->properties.apiVersion < VK_API_VERSION_1_2 || !function ||
      !gt_vulkan_has_extension(list, count, extensions[MATRIX_EXTENSION]) ||
      !gt_vulkan_has_extension(list, count, extensions[SUBGROUP_EXTENSION]) || !has_features(p, &bfloat) ||
      !can_require_subgroup_size(p) || function(p->handle, &shapes, NULL) != VK_SUCCESS)
    return;
  matrix_properties *shape = gt_alloc((shapes + 1) * sizeof *shape);
  for (uint32_t i = 0; i < shapes; i++) shape[i].sType = TYPE_MATRIX_PROPERTIES;
  if (function(p->handle, &shapes, shape) == VK_SUCCESS) {
    p->matrix.half = largest(shape, shapes, COMPONENT_HALF);
    if (bfloat) p->matrix.bfloat = largest(shape, shapes, COMPONENT_BFLOAT);
    /* NVIDIA's matrix units are 8 to 16 times as fast as its scalar units, AMD's only twice. */
    p->matrix.fast = p->properties.vendorID == NVIDIA;
  }
  free(shape);
}

/* With GTRAIN_DEBUG, tests can emulate missing units, use them for GEMMs of any size, disable bfloat16, and
 * pack operands. M, N and K of the emulated shape differ, so that tests find code that confuses them. */
gt_matrix_units gt_vulkan_matrix_units(const gt_physical *p) {
  gt_matrix_units units = p->matrix;
  units.always = gt_debug("matrix");
  if (units.always && !units.half.m && !units.bfloat.m) {
    units.emulated = true;
    units.half = units.bfloat = (gt_matrix_shape){32, 8, 16};
  }
  if (gt_debug("float16")) units.bfloat.m = 0;
  units.packed = gt_debug("packed");
  return units;
}

static bool has_real_units(const gt_matrix_units *units) {
  return !units->emulated && (units->half.m || units->bfloat.m);
}

uint32_t gt_vulkan_matrix_extensions(const gt_matrix_units *units, const char **out) {
  uint32_t count = 0;
  if (!has_real_units(units)) return 0;
  out[count++] = extensions[SUBGROUP_EXTENSION];
  out[count++] = extensions[MATRIX_EXTENSION];
  if (units->bfloat.m) out[count++] = extensions[BFLOAT_EXTENSION];
  return count;
}

void *gt_vulkan_matrix_features(const gt_matrix_units *units, VkPhysicalDeviceVulkan12Features *twelve) {
  if (!has_real_units(units)) return NULL;
  features *f = gt_alloc(sizeof *f);
  twelve->pNext = chain(f, units->bfloat.m, twelve->pNext);
  twelve->shaderFloat16 = twelve->vulkanMemoryModel = VK_TRUE;
  f->subgroup.subgroupSizeControl = f->subgroup.computeFullSubgroups = VK_TRUE;
  f->matrix.matrix = f->bfloat.type = f->bfloat.matrix = VK_TRUE;
  return f;
}
