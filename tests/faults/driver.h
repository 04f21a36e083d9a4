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
  const char *words;   /* after `gtrain`, separated by spaces; writes below its working directory */
  bool trains;         /* can be stopped and resumed: its folder is run/ */
  const char *begin;   /* run/ is copied from here, or NULL */
} fault_command;

typedef struct fault_order {
  int command;
  fault_class class;
  int error;
  bool for_good;
  uint64_t at;
} fault_order;

typedef enum fault_verdict {
  RIGHT,    /* success, with the same bytes as without a fault */
  REFUSED,  /* the documented code, a message, nothing lost */
  MISSED,   /* the call was not made this time */
  CRASHED,  /* killed by a signal */
  HUNG,     /* stopped after TRIAL_SECONDS */
  MISCODED, /* an unexpected exit code */
  SILENT,   /* no message */
  WRONG,    /* success, but not the same bytes; or an incomplete file */
  LOST,     /* the run could not be completed afterwards */
  ASIDE,    /* an intact checkpoint was set aside */
  VERDICTS
} fault_verdict;

typedef struct fault_bench {                 /* the state of one worker */
  const char *device;                        /* NULL: the CPU; else only calls from the program itself fail */
  const char *gtrain, *shim, *root, *folder; /* folder: subjects, expected results, and the benches */
  char path[PATH_MAX];                       /* its own: work/, out, err, page */
  fault_page *page;
} fault_bench;

extern const char *const class_name[FAULT_CLASSES];
const char *error_name(int error);

bool bench_open(fault_bench *b, int number);
/* Runs the command without a fault, stores its results as FOLDER/expected-INDEX, and counts its calls. */
bool trial_expect(fault_bench *b, const fault_command *c, int index);
/* One trial; `note` gets a description of the error. */
fault_verdict trial_run(fault_bench *b, const fault_command *c, const fault_order *o, char *note,
                        size_t size);

/* --- files: these end the driver with a message if the machine, not gtrain, fails --- */

void path_of(char *out, const char *format, ...) __attribute__((format(printf, 2, 3))); /* PATH_MAX bytes */
void tree_copy(const char *from, const char *to);
void tree_remove(const char *path);
bool file_equal(const char *a, const char *b);
typedef struct comparison {
  const char *should, *is, *before; /* before: the earlier content, or NULL */
  bool whole;
  char *note; /* what differs */
  size_t size;
} comparison;
/* Compares a folder with the expected one, ignoring what always differs. If it should be `whole`, all files
 * must exist with the same bytes; else those that exist must have these bytes, or the bytes that they had
 * before. */
bool tree_check(const comparison *c);
/* True if a file matches this pattern that should not exist. */
bool tree_has_more(const char *should, const char *is, const char *pattern);
void give_up(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
#endif
