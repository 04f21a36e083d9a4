/* Shared by vulkan.c, which is linked into gtrain, and the driver of the test (vulkan_driver.c): the entry
 * points, and a file of call counts that VULKAN_COUNTS names. The fault is given as text, so that it can be
 * repeated by hand:
 *
 *   VULKAN_FAULT=ENTRY:NTH:RESULT:MODE     RESULT: a VkResult's number, or none: success with nothing found
 */
#ifndef TESTS_FAULTS_VULKAN_H
#define TESTS_FAULTS_VULKAN_H
#include <stdbool.h>
#include <stdint.h>

/* volkInitialize, which opens the loader, counts as an entry point too. */
enum entry {
#define FALLIBLE(name, parameters, arguments, spoils) ENTRY_##name,
#define INFALLIBLE(type, name, parameters, arguments) ENTRY_##name,
#include "vulkan_entries.inc"
#undef FALLIBLE
#undef INFALLIBLE
  ENTRY_volkInitialize,
  ENTRIES
};

typedef struct entry_row {
  const char *name;
  bool fallible;
} entry_row;

static const entry_row entry_rows[ENTRIES] = {
#define FALLIBLE(name, parameters, arguments, spoils) {#name, true},
#define INFALLIBLE(type, name, parameters, arguments) {#name, false},
#include "vulkan_entries.inc"
#undef FALLIBLE
#undef INFALLIBLE
    {"volkInitialize", true}};

/* Calls that depend on the work of the device and so report a lost device. */
static inline bool is_work(int entry) {
  return entry == ENTRY_vkQueueSubmit || entry == ENTRY_vkWaitSemaphores || entry == ENTRY_vkDeviceWaitIdle ||
         entry == ENTRY_vkGetSemaphoreCounterValue || entry == ENTRY_vkGetQueryPoolResults;
}

typedef enum fault_mode {
  MODE_ONCE,
  MODE_ALWAYS, /* this call and all later calls of the entry point fail */
  MODE_LOST,   /* the device is lost: this call and all later calls that depend on the device's work fail */
  MODE_ALL,    /* this call and all later calls that can fail do so */
  MODE_HANG,   /* from this call on the device completes no work, and the clock runs fast */
  MODES
} fault_mode;
static const char *const mode_names[MODES] = {"once", "always", "lost", "all", "hang"};

enum { RESULT_NONE = 1 << 20 }; /* success, but the call finds or returns nothing */

typedef struct fault_counts {
  uint32_t calls[ENTRIES], faults[ENTRIES];
} fault_counts;
#endif
