/* Shared by the driver (driver.c) and the library in the process under test (shim.c): one page of memory, in
 * the file that FAULT_PAGE names. The driver writes the order; the shim counts calls and reports what it
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

enum {
  FAULT_SHORT = -1,
  FAULT_FRAMES = 24
}; /* FAULT_SHORT: one byte is read or written, where more could be */

typedef struct fault_page {
  /* The order: call number `at` (from 1) of the class fails, and if `for_good`, all later ones. */
  fault_class class;
  uint64_t at;
  bool for_good;
  int error; /* an errno, or FAULT_SHORT */
  bool own;  /* only calls from the program itself: what a device driver does without memory is not tested */
  /* The result. */
  _Atomic uint64_t count[FAULT_CLASSES];
  _Atomic uint64_t fired;
  uint64_t program, end;        /* load address of the program */
  uint64_t frame[FAULT_FRAMES]; /* the stack of the first failed call; 0 ends it */
} fault_page;
#endif
