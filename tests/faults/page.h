/* Memory shared by the driver (driver.c) and the library in the process under test (shim.c), through the file
 * that FAULT_PAGE names. The driver writes which fault to inject; the shim counts calls and reports what it
 * did. */
#ifndef TESTS_FAULTS_PAGE_H
#define TESTS_FAULTS_PAGE_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum fault_class {
  FAULT_MALLOC, /* malloc, calloc, realloc, aligned_alloc, … */
  FAULT_MMAP,   /* mmap of anonymous memory, as allocators ask for it */
  FAULT_THREAD, /* pthread_create */
  FAULT_OPEN,   /* open, openat, fopen */
  FAULT_READ,
  FAULT_WRITE,  /* except to standard error */
  FAULT_STDERR, /* writes to standard error */
  FAULT_SYNC,   /* fsync, fdatasync */
  FAULT_CLOSE,
  FAULT_RENAME,
  FAULT_MKDIR,
  FAULT_UNLINK,
  FAULT_TRUNCATE,
  FAULT_LOCK,
  FAULT_SEEK,
  FAULT_LIST, /* opendir, readdir */
  FAULT_STAT, /* stat, fstat, lstat, access, readlink, realpath */
  FAULT_MODE, /* fchmod, fchown */
  FAULT_CLASSES,
  FAULT_NONE = FAULT_CLASSES /* only count */
} fault_class;

/* FAULT_SHORT, in place of an errno: only one byte is read or written. FAULT_FRAMES: stack frames that are
 * recorded. */
enum { FAULT_SHORT = -1, FAULT_FRAMES = 24 };

typedef struct fault_page {
  /* The fault: call number `at` (from 1) of the class fails, and if `permanent`, all later ones too. */
  fault_class class;
  uint64_t at;
  bool permanent;
  int error;         /* an errno, or FAULT_SHORT */
  bool program_only; /* only calls from the program itself count and fail, not those of a device driver */
  /* The result: numbers of calls and of failed calls. */
  _Atomic uint64_t count[FAULT_CLASSES];
  _Atomic uint64_t fired;
  uint64_t program, end;        /* the addresses at which the program begins and ends in memory */
  uint64_t frame[FAULT_FRAMES]; /* the stack of the first failed call; 0 ends it */
} fault_page;
#endif
