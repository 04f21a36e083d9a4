/* The driver of Vulkan faults: runs a gtrain command once without faults, counting its calls, then again for
 * each call with that one failing, and judges the outcome. vulkan_driver.c: commands, the list of trials,
 * workers and table; vulkan_trial.c: one trial. vulkan.h lists the calls; driver.h has what the drivers share
 * (verdicts, commands, folders). */
#ifndef TESTS_FAULTS_VULKAN_DRIVER_H
#define TESTS_FAULTS_VULKAN_DRIVER_H
#include "driver.h"
#include "vulkan.h"

/* One trial: a command and the fault to inject; see vulkan.h. */
typedef struct vulkan_spec {
  int command; /* index in the list of commands */
  int entry;
  uint32_t nth;
  int result;
  fault_mode mode;
} vulkan_spec;

enum { MAX_STATES = 4096 };
/* Hashes of failed run directories that could be completed: equal ones are not completed again. */
typedef struct vulkan_states {
  _Atomic uint32_t count;
  _Atomic uint64_t hash[MAX_STATES];
} vulkan_states;

typedef struct vulkan_worker { /* the state of one worker */
  const char *gtrain, *folder; /* folder: subjects, expected results, and a folder per worker */
  char path[PATH_MAX];         /* this worker's folder: work/, out, err, counts */
  fault_counts *counts;
  vulkan_states *states;
} vulkan_worker;

void vulkan_worker_open(vulkan_worker *worker, int number);
/* Runs the command without a fault, counting, and stores its results as FOLDER/expected-INDEX. Returns the
 * exit code. */
int vulkan_expect(vulkan_worker *worker, const fault_command *c, int index);
/* One trial; `note` gets a description of the error. */
fault_verdict vulkan_trial(vulkan_worker *worker, const fault_command *c, const vulkan_spec *fault,
                           char *note, size_t size);
/* Writes the fault as in VULKAN_FAULT: "vkQueueSubmit:3:-4:once". */
void vulkan_spec_text(const vulkan_spec *fault, char *text, size_t size);
#endif
