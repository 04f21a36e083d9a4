/* What gtrain with faults (vulkan.c is linked into it) and its driver (vulkan_driver.c) share: the entry
 * points, and a file of counts that VULKAN_COUNTS names. The order is text, so that a fault can be repeated
 * by hand:
 *
 *   VULKAN_FAULT=ENTRY:NTH:RESULT:MODE     RESULT: a VkResult's number, or none: success with nothing found
 */
#ifndef TESTS_FAULTS_VULKAN_H
#define TESTS_FAULTS_VULKAN_H
#include <stdbool.h>
#include <stdint.h>

/* volk's access to the loader, which fails if there is none, counts as an entry point too. */
enum entry {
#define FALLIBLE(name, parameters, arguments, spoils) ENTRY_##name,
#define SURE(type, name, parameters, arguments)       ENTRY_##name,
#include "vulkan_entries.inc"
#undef FALLIBLE
#undef SURE
  ENTRY_volkInitialize,
  ENTRIES
};

typedef struct entry_row {
  const char *name;
  bool fallible;
} entry_row;

static const entry_row entry_rows[ENTRIES] = {
#define FALLIBLE(name, parameters, arguments, spoils) {#name, true},
#define SURE(type, name, parameters, arguments)       {#name, false},
#include "vulkan_entries.inc"
#undef FALLIBLE
#undef SURE
    {"volkInitialize", true}};

/* The calls that depend on the work of the device: these report a lost device. */
static inline bool is_work(int entry) {
  return entry == ENTRY_vkQueueSubmit || entry == ENTRY_vkWaitSemaphores || entry == ENTRY_vkDeviceWaitIdle ||
         entry == ENTRY_vkGetSemaphoreCounterValue || entry == ENTRY_vkGetQueryPoolResults;
}

typedef enum fault_mode {
  MODE_ONCE,
  MODE_ALWAYS, /* for good: this call and all later ones of the entry point */
  MODE_LOST,   /* the device is lost: this call fails, and from then on all that depend on its work */
  MODE_ALL,    /* this call, and from then on all that can fail */
  MODE_HANG,   /* from this call on the device completes nothing, and the clock runs fast */
  MODES
} fault_mode;
static const char *const mode_names[MODES] = {"once", "always", "lost", "all", "hang"};

enum { RESULT_NONE = 1 << 20 };

typedef struct fault_counts {
  uint32_t calls[ENTRIES], faults[ENTRIES];
} fault_counts;
#endif
