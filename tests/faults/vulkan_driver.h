/* The driver of Vulkan's faults: runs a command of gtrain once whole, counting its calls, then again for each
 * call with that one failing, and judges what came of it. vulkan_driver.c: commands, the list of trials,
 * workers and table; vulkan_trial.c: one trial. What the calls are is in vulkan.h, what faults of other calls
 * share with it (verdicts, commands, folders) in driver.h. */
#ifndef TESTS_FAULTS_VULKAN_DRIVER_H
#define TESTS_FAULTS_VULKAN_DRIVER_H
#include "driver.h"
#include "vulkan.h"

typedef struct vulkan_order {
  int command, entry;
  uint32_t nth;
  int result;
  fault_mode mode;
} vulkan_order;

enum { MOST_STATES = 4096 };
typedef struct vulkan_states { /* of run directories that were brought to their end: once is enough for each
                                */
  _Atomic uint32_t count;
  _Atomic uint64_t hash[MOST_STATES];
} vulkan_states;

typedef struct vulkan_bench {  /* one worker's place */
  const char *gtrain, *folder; /* folder: subjects, what they should bring, and the benches */
  char path[PATH_MAX];         /* its own: work/, out, err, counts */
  fault_counts *counts;
  vulkan_states *states;
} vulkan_bench;

void vulkan_bench_open(vulkan_bench *b, int number);
/* Runs the command without a fault, counting, and keeps what it brings as FOLDER/expected-INDEX. The exit
 * code. */
int vulkan_expect(vulkan_bench *b, const fault_command *c, int index);
/* One trial; `note` says what was wrong. */
fault_verdict vulkan_trial(vulkan_bench *b, const fault_command *c, const vulkan_order *o, char *note,
                           size_t size);
/* "vkQueueSubmit:3:-4:once" */
void vulkan_order_text(const vulkan_order *o, char *text, size_t size);
#endif
