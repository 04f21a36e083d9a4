/* Preloaded (LD_PRELOAD) before the C library: counts allocations, threads and file calls by class, and makes
 * those calls fail that the page names. Counting starts after the libraries have been initialized, because
 * gtrain cannot handle faults before main. Streams, including standard output and standard error, are built
 * on the functions below (fopencookie), because the C library's streams would bypass them. */
#define _GNU_SOURCE
#include "page.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static fault_page *page;             /* NULL: calls are not counted yet */
static _Thread_local bool uncounted; /* calls of this thread are not counted for now */

/* --- whether a call fails --- */

static void record_stack(void) {
  void *frame[FAULT_FRAMES];
  uncounted = true;
  const int count = backtrace(frame, FAULT_FRAMES);
  uncounted = false;
  for (int i = 0; i < count; i++) page->frame[i] = (uint64_t)(uintptr_t)frame[i];
}

/* 0, or the errno (or FAULT_SHORT) that this call is to fail with. */
static int fault_from(fault_class class, const void *caller) {
  if (!page || uncounted) return 0;
  const uint64_t at = (uint64_t)(uintptr_t)caller;
  if (page->program_only && (at < page->program || at >= page->end)) return 0;
  const uint64_t number = atomic_fetch_add(&page->count[class], 1) + 1;
  if (class != page->class || number < page->at || (number > page->at && !page->permanent)) return 0;
  if (atomic_fetch_add(&page->fired, 1) == 0) record_stack();
  return page->error;
}

static bool fails_from(fault_class class, const void *caller) {
  const int error = fault_from(class, caller);
  if (error) errno = error;
  return error != 0;
}

/* The caller is the code that called the function in which the macro is used. */
#define fault(class) fault_from(class, __builtin_return_address(0))
#define fails(class) fails_from(class, __builtin_return_address(0))

static int find_program(struct dl_phdr_info *info, size_t size, void *context) {
  fault_page *found = context;
  (void)size;
  found->program = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const uint64_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type == PT_LOAD && end > found->end) found->end = end;
  }
  return 1; /* the first object is the program */
}

/* --- memory --- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) { return fails(FAULT_MALLOC) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(FAULT_MALLOC) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails(FAULT_MALLOC) ? NULL : __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) {
  return fails(FAULT_MALLOC) ? NULL : __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return fails(FAULT_MALLOC) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **out, size_t alignment, size_t size) {
  void *memory = fault(FAULT_MALLOC) ? NULL : __libc_memalign(alignment, size);
  if (memory) *out = memory;
  return memory ? 0 : ENOMEM;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  if ((flags & MAP_ANONYMOUS) && fails(FAULT_MMAP)) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}
void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  return mmap(at, size, protection, flags, fd, offset);
}

/* The next function of this name, usually the C library's. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *context) {
  const int error = fault(FAULT_THREAD);
  return error ? error : NEXT(pthread_create)(thread, attributes, start, context);
}

/* Calls made while libraries are loaded are not counted. */
void *dlopen(const char *path, int flags) {
  const bool before = uncounted;
  uncounted = true;
  void *library = NEXT(dlopen)(path, flags);
  uncounted = before;
  return library;
}

/* --- descriptors --- */

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return fails(FAULT_OPEN) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int openat(int directory, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return fails(FAULT_OPEN) ? -1 : (int)syscall(SYS_openat, directory, path, flags, mode);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int directory, const char *path, int flags, ...) __attribute__((alias("openat")));

/* As on Linux, the descriptor is closed even if an error is reported. */
int close(int fd) {
  const bool failed = fails(FAULT_CLOSE);
  const int error = errno;
  const int status = (int)syscall(SYS_close, fd);
  if (!failed) return status;
  errno = error;
  return -1;
}

/* Reduces *size if the fault is a short transfer. False if the call must fail. */
static bool transfer_from(fault_class class, size_t *size, const void *caller) {
  const int error = fault_from(class, caller);
  if (error == FAULT_SHORT && *size > 1) *size = 1;
  if (error > 0) errno = error;
  return error <= 0;
}
#define transfer(class, size) transfer_from(class, size, __builtin_return_address(0))

ssize_t read(int fd, void *buffer, size_t size) {
  return transfer(FAULT_READ, &size) ? syscall(SYS_read, fd, buffer, size) : -1;
}
ssize_t pread(int fd, void *buffer, size_t size, off_t at) {
  return transfer(FAULT_READ, &size) ? syscall(SYS_pread64, fd, buffer, size, at) : -1;
}
ssize_t pread64(int fd, void *buffer, size_t size, off_t at) { return pread(fd, buffer, size, at); }

static fault_class written_to(int fd) { return fd == STDERR_FILENO ? FAULT_STDERR : FAULT_WRITE; }
ssize_t write(int fd, const void *buffer, size_t size) {
  return transfer(written_to(fd), &size) ? syscall(SYS_write, fd, buffer, size) : -1;
}
ssize_t pwrite(int fd, const void *buffer, size_t size, off_t at) {
  return transfer(written_to(fd), &size) ? syscall(SYS_pwrite64, fd, buffer, size, at) : -1;
}
ssize_t pwrite64(int fd, const void *buffer, size_t size, off_t at) { return pwrite(fd, buffer, size, at); }

/* Does not sync: the machine will not lose its power, and waiting for the disk would dominate a trial. */
int fsync(int fd) {
  (void)fd;
  return fails(FAULT_SYNC) ? -1 : 0;
}
int fdatasync(int fd) {
  (void)fd;
  return fails(FAULT_SYNC) ? -1 : 0;
}
int ftruncate(int fd, off_t size) {
  return fails(FAULT_TRUNCATE) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }
int flock(int fd, int operation) { return fails(FAULT_LOCK) ? -1 : (int)syscall(SYS_flock, fd, operation); }
off_t lseek(int fd, off_t at, int whence) {
  return fails(FAULT_SEEK) ? -1 : syscall(SYS_lseek, fd, at, whence);
}
off_t lseek64(int fd, off_t at, int whence) { return lseek(fd, at, whence); }

/* --- names --- */

int rename(const char *from, const char *to) { return fails(FAULT_RENAME) ? -1 : NEXT(rename)(from, to); }
int mkdir(const char *path, mode_t mode) { return fails(FAULT_MKDIR) ? -1 : NEXT(mkdir)(path, mode); }
int unlink(const char *path) { return fails(FAULT_UNLINK) ? -1 : NEXT(unlink)(path); }
int access(const char *path, int mode) { return fails(FAULT_STAT) ? -1 : NEXT(access)(path, mode); }
int stat(const char *path, struct stat *out) { return fails(FAULT_STAT) ? -1 : NEXT(stat)(path, out); }
int lstat(const char *path, struct stat *out) { return fails(FAULT_STAT) ? -1 : NEXT(lstat)(path, out); }
int fstat(int fd, struct stat *out) { return fails(FAULT_STAT) ? -1 : NEXT(fstat)(fd, out); }
int fstatat(int directory, const char *path, struct stat *out, int flags) {
  return fails(FAULT_STAT) ? -1 : NEXT(fstatat)(directory, path, out, flags);
}
ssize_t readlink(const char *path, char *out, size_t size) {
  return fails(FAULT_STAT) ? -1 : NEXT(readlink)(path, out, size);
}
char *realpath(const char *path, char *out) { return fails(FAULT_STAT) ? NULL : NEXT(realpath)(path, out); }
int fchmod(int fd, mode_t mode) { return fails(FAULT_MODE) ? -1 : NEXT(fchmod)(fd, mode); }
int fchown(int fd, uid_t user, gid_t group) { return fails(FAULT_MODE) ? -1 : NEXT(fchown)(fd, user, group); }
DIR *opendir(const char *path) { return fails(FAULT_LIST) ? NULL : NEXT(opendir)(path); }
struct dirent *readdir(DIR *directory) {
  return fails(FAULT_LIST) ? NULL : NEXT(readdir)(directory);
}

/* --- streams --- */

typedef struct stream {
  int fd;
} stream;

static ssize_t stream_read(void *context, char *buffer, size_t size) {
  ssize_t n;
  do n = read(((stream *)context)->fd, buffer, size);
  while (n < 0 && errno == EINTR);
  return n;
}

static ssize_t stream_write(void *context, const char *buffer, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = write(((stream *)context)->fd, buffer + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += (size_t)n;
  }
  return (ssize_t)done;
}

static int stream_seek(void *context, off64_t *at, int whence) {
  const off_t found = lseek(((stream *)context)->fd, *at, whence);
  if (found >= 0) *at = found;
  return found < 0 ? -1 : 0;
}

static int stream_close(void *context) {
  const int status = close(((stream *)context)->fd);
  free(context);
  return status;
}

static FILE *stream_of(int fd, const char *mode) {
  const cookie_io_functions_t functions = {stream_read, stream_write, stream_seek, stream_close};
  stream *s = malloc(sizeof *s);
  if (s) s->fd = fd;
  FILE *file = s ? fopencookie(s, mode, functions) : NULL;
  if (!file) free(s);
  return file;
}

FILE *fopen(const char *path, const char *mode) {
  int flags = *mode == 'r' ? 0 : *mode == 'w' ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND;
  flags |= strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
  const int fd = open(path, flags | O_CLOEXEC, 0666);
  FILE *file = fd >= 0 ? stream_of(fd, mode) : NULL;
  if (!file && fd >= 0) syscall(SYS_close, fd);
  return file;
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

int fileno(FILE *file) {
  return file == stdout ? STDOUT_FILENO : file == stderr ? STDERR_FILENO : NEXT(fileno)(file);
}

__attribute__((constructor)) static void set_up(void) {
  const char *path = getenv("FAULT_PAGE");
  const int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  void *memory = fd >= 0 ? mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  if (fd >= 0) close(fd);
  if (memory == MAP_FAILED) return;
  stdout = stream_of(STDOUT_FILENO, "w");
  stderr = stream_of(STDERR_FILENO, "w");
  setvbuf(stderr, NULL, _IONBF, 0);
  void *frame[2];
  backtrace(frame, 2); /* the first call loads libgcc */
  fault_page *found = memory;
  dl_iterate_phdr(find_program, found);
  page = found;
}
