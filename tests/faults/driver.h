/* The driver of faults: runs a command of gtrain once whole, counting its calls, then again for each call
 * with that one failing, and judges what came of it. driver.c: the commands, the list of trials, workers and
 * table; driver_trial.c: one trial; driver_files.c: folders and bytes. */
#ifndef TESTS_FAULTS_DRIVER_H
#define TESTS_FAULTS_DRIVER_H
#include "page.h"
#include <limits.h>
#include <stddef.h>

typedef struct fault_command {
  const char *subject; /* the folder with its inputs, which it sees as in/ */
  const char *words;   /* after `gtrain`, separated by spaces; it writes below its working directory */
  bool trains;         /* may be stopped and resumed: its folder is run/ */
  const char *begin;   /* what run/ is copied from, or NULL */
} fault_command;

typedef struct fault_order {
  int command;
  fault_class class;
  int error;
  bool for_good;
  uint64_t at;
} fault_order;

typedef enum fault_verdict {
  RIGHT,    /* success, with the same bytes as ever */
  REFUSED,  /* the documented code, a message, nothing lost */
  MISSED,   /* the call did not come this time */
  CRASHED,  /* killed by a signal */
  HUNG,     /* stopped after TRIAL_SECONDS */
  MISCODED, /* an exit code that does not fit */
  SILENT,   /* no message */
  WRONG,    /* success, but not the same bytes; or a file that is not whole */
  LOST,     /* the run could not be brought to its end afterwards */
  ASIDE,    /* a sound checkpoint was set aside */
  VERDICTS
} fault_verdict;

typedef struct fault_bench {                 /* one worker's place */
  const char *device;                        /* NULL: the CPU; else only the program's own calls fail */
  const char *gtrain, *shim, *root, *folder; /* folder: subjects, what they should bring, and the benches */
  char path[PATH_MAX];                       /* its own: work/, out, err, page */
  fault_page *page;
} fault_bench;

extern const char *const class_name[FAULT_CLASSES];
const char *error_name(int error);

bool bench_open(fault_bench *b, int number);
/* Runs the command without a fault and keeps what it brings as FOLDER/expected-INDEX; counts its calls. */
bool trial_expect(fault_bench *b, const fault_command *c, int index);
/* One trial; `note` says what was wrong. */
fault_verdict trial_run(fault_bench *b, const fault_command *c, const fault_order *o, char *note,
                        size_t size);

/* --- files: all of them end the driver with a message when the machine, not gtrain, fails --- */

void path_of(char *out, const char *format, ...) __attribute__((format(printf, 2, 3))); /* PATH_MAX bytes */
void tree_copy(const char *from, const char *to);
void tree_remove(const char *path);
bool file_equal(const char *a, const char *b);
typedef struct comparison {
  const char *should, *is, *before; /* before: what was there, or NULL */
  bool whole;
  char *note; /* what is not as it should be */
  size_t size;
} comparison;
/* Compares a folder with what it should be, but for what differs by nature. If it should be `whole`, all
 * files must be there, with the same bytes; else those that are there must have them, or those that they had
 * before. */
bool tree_check(const comparison *c);
/* True if there is a file of this pattern that should not be there. */
bool tree_has_more(const char *should, const char *is, const char *pattern);
void give_up(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
#endif
