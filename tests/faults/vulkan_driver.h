/* The driver of Vulkan faults: runs a gtrain command once without faults, counting its calls, then again for
 * each call with that one failing, and judges the outcome. vulkan_driver.c: commands, the list of trials,
 * workers and table; vulkan_trial.c: one trial. The calls are listed in vulkan.h; what is shared with other
 * faults (verdicts, commands, folders) is in driver.h. */
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

enum { MAX_STATES = 4096 };
typedef struct vulkan_states { /* of run directories that were completed: once is enough for each */
  _Atomic uint32_t count;
  _Atomic uint64_t hash[MAX_STATES];
} vulkan_states;

typedef struct vulkan_bench {  /* the state of one worker */
  const char *gtrain, *folder; /* folder: subjects, expected results, and the benches */
  char path[PATH_MAX];         /* its own: work/, out, err, counts */
  fault_counts *counts;
  vulkan_states *states;
} vulkan_bench;

void vulkan_bench_open(vulkan_bench *b, int number);
/* Runs the command without a fault, counting, and stores its results as FOLDER/expected-INDEX. Returns the
 * exit code. */
int vulkan_expect(vulkan_bench *b, const fault_command *c, int index);
/* One trial; `note` gets a description of the error. */
fault_verdict vulkan_trial(vulkan_bench *b, const fault_command *c, const vulkan_order *o, char *note,
                           size_t size);
/* "vkQueueSubmit:3:-4:once" */
void vulkan_order_text(const vulkan_order *o, char *text, size_t size);
#endif
