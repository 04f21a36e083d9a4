/* The fault driver: runs a gtrain command once without faults, counting its calls, then again for each call
 * with that one failing, and judges the outcome. driver.c: the commands, the list of trials, workers and
 * table; driver_trial.c: one trial; driver_files.c: folders and bytes. */
#ifndef TESTS_FAULTS_DRIVER_H
#define TESTS_FAULTS_DRIVER_H
#include "page.h"
#include <limits.h>
#include <stddef.h>

typedef struct fault_command {
  const char *subject; /* the folder of its inputs, visible as in/ */
  const char *words;   /* the arguments, separated by spaces; all output is below the working directory */
  bool trains;         /* it can be stopped and resumed, with the run directory run/ */
  const char *initial; /* the folder that is copied to run/ before the command; NULL: none */
} fault_command;

/* One trial: a command and the fault to inject; see fault_page. */
typedef struct fault_spec {
  int command; /* index in the list of commands */
  fault_class class;
  int error;
  bool permanent;
  uint64_t at;
} fault_spec;

typedef enum fault_verdict {
  RIGHT,    /* success, with the same bytes as without a fault */
  REFUSED,  /* the documented exit code, a message, nothing lost */
  MISSED,   /* the call was not made this time */
  CRASHED,  /* killed by a signal */
  HUNG,     /* stopped after TRIAL_SECONDS of processor time or HANG_SECONDS */
  MISCODED, /* an unexpected exit code */
  SILENT,   /* no message */
  WRONG,    /* success, but not the same bytes; or an incomplete file */
  LOST,     /* the run could not be completed afterwards */
  ASIDE,    /* an intact checkpoint was set aside */
  VERDICTS
} fault_verdict;

typedef struct fault_worker { /* the state of one worker */
  const char *device;         /* NULL: the CPU. With a device, only calls from the program itself fail */
  const char *gtrain, *shim;
  const char *root;    /* the folder that has datasets/ */
  const char *folder;  /* has the subjects, the expected results and a folder per worker */
  char path[PATH_MAX]; /* this worker's folder: work/, out, err, page */
  fault_page *page;
} fault_worker;

extern const char *const class_name[FAULT_CLASSES];
const char *error_name(int error);

bool worker_open(fault_worker *worker, int number);
/* Runs the command without a fault, stores its results as FOLDER/expected-INDEX, and counts its calls. */
bool trial_expect(fault_worker *worker, const fault_command *c, int index);
/* One trial; `note` gets a description of the error. */
fault_verdict trial_run(fault_worker *worker, const fault_command *c, const fault_spec *fault, char *note,
                        size_t size);

/* --- files: these end the driver with a message if a file operation of the driver itself fails --- */

void path_of(char *out, const char *format, ...) __attribute__((format(printf, 2, 3))); /* PATH_MAX bytes */
void tree_copy(const char *from, const char *to);
void tree_remove(const char *path);
bool file_equal(const char *a, const char *b);
typedef struct comparison {
  const char *expected, *actual, *before; /* before: the earlier content, or NULL */
  bool complete;
  char *note; /* what differs */
  size_t size;
} comparison;
/* Compares a folder with the expected one, except for files that always differ; false if it differs. If it
 * must be `complete`, all files must exist with the expected bytes; otherwise those that exist must have the
 * expected bytes or their earlier ones. */
bool tree_check(const comparison *c);
/* True if a file that matches this pattern exists, but is not in the expected folder. */
bool tree_has_extra(const char *expected, const char *actual, const char *pattern);
void give_up(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
#endif
