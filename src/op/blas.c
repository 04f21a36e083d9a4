#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "op/blas.h"
#include "base/memory.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

/* Not declared in the headers, but exported by GotoBLAS and every OpenBLAS: allocates the buffer that a GEMM
 * needs per thread. `hint` is the caller's position in a loop over threads; current versions ignore it. */
void *blas_memory_alloc(int hint);
void blas_memory_free(void *buffer);

/* NULL unless the program was linked with OpenBLAS (`make dist`). */
#pragma weak cblas_sgemm
#pragma weak blas_memory_alloc
#pragma weak blas_memory_free
#pragma weak openblas_get_config
#pragma weak openblas_get_corename

__typeof__(&cblas_sgemm) gt_blas_sgemm;
static __typeof__(&blas_memory_alloc) allocate_buffer;
static __typeof__(&blas_memory_free) free_buffer;
bool gt_blas_chose_core;
static uint32_t reserved; /* number of threads that OpenBLAS has buffers for */

static bool has_avx2(void) {
#if defined __x86_64__
  __builtin_cpu_init(); /* constructors may run before libgcc's */
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

/* If OpenBLAS is linked, this runs before OpenBLAS's constructor; if not, before OpenBLAS is opened.
 * OpenBLAS's own threads would compete with ours and change the order of its sums.
 * OpenBLAS chooses kernels by the model of the CPU. A CPU newer than the library gets kernels for SSE3, which
 * are slower and round differently, so every CPU with AVX2 and FMA gets the same kernels, unless the user
 * chose others. */
__attribute__((constructor(101))) static void set_environment(void) {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  const char *core = getenv("OPENBLAS_CORETYPE");
  gt_blas_chose_core = has_avx2() && (!core || !*core);
  if (gt_blas_chose_core) setenv("OPENBLAS_CORETYPE", "Haswell", 1);
}

/* Fails unless 64 MiB of address space are free: loading takes 40 MiB, and libgfortran ends the process if it
 * gets no memory after that. */
static bool check_room(gt_error *error) {
  enum { ROOM = 64 << 20 };
  // cppcheck-suppress invalidFunctionArg ; an anonymous mapping has no file: -1
  void *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    return gt_fail(error, GT_ERR_MEMORY, "out of memory: loading OpenBLAS needs %d MiB", ROOM >> 20);
  munmap(room, ROOM);
  return true;
}

static bool open_library(gt_error *error) {
  if (gt_blas_sgemm) return true;
  allocate_buffer = blas_memory_alloc;
  free_buffer = blas_memory_free;
  gt_blas_sgemm = cblas_sgemm;
  if (gt_blas_sgemm) return true;
  if (!check_room(error)) return false;
  void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  const char *why = library ? NULL : dlerror();
  if (!library)
    return gt_fail(error, strstr(why, "memory") || strstr(why, "map segment") ? GT_ERR_MEMORY : GT_ERR_IO,
                   "cannot load OpenBLAS: %s", why);
  allocate_buffer = (__typeof__(allocate_buffer))dlsym(library, "blas_memory_alloc");
  free_buffer = (__typeof__(free_buffer))dlsym(library, "blas_memory_free");
  gt_blas_sgemm = (__typeof__(gt_blas_sgemm))dlsym(library, "cblas_sgemm");
  // cppcheck-suppress resourceLeak ; stays open until the process ends
  return gt_blas_sgemm || gt_fail(error, GT_ERR_IO, "cannot load OpenBLAS: %s", dlerror());
}

/* True for the CPU types whose kernels in OpenBLAS do without AVX2. */
static bool lacks_avx2(const char *core) {
  static const char *const old[] = {"generic",      "Prescott",    "Core2",    "Penryn",      "Dunnington",
                                    "Atom",         "Nano",        "Nehalem",  "Athlon",      "Opteron",
                                    "Opteron_SSE3", "Barcelona",   "Bobcat",   "Sandybridge", "Bulldozer",
                                    "Piledriver",   "Steamroller", "Excavator"};
  for (size_t i = 0; i < sizeof old / sizeof *old; i++)
    if (!strcasecmp(core, old[i])) return true; /* builds for one CPU type write it in capitals */
  return false;
}

bool gt_blas_describe(gt_blas_facts *facts, gt_error *error) {
  *facts = (gt_blas_facts){0};
  if (!open_library(error)) return false;
  __typeof__(&openblas_get_config) config = openblas_get_config, core = openblas_get_corename;
  Dl_info info = {0};
  void *function;
  memcpy(&function, &gt_blas_sgemm, sizeof function);
  if (!dladdr(function, &info)) info.dli_fname = NULL;
  void *library = info.dli_fname ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
  if (library) {
    config = (__typeof__(config))dlsym(library, "openblas_get_config");
    core = (__typeof__(core))dlsym(library, "openblas_get_corename");
  }
  snprintf(facts->text, sizeof facts->text, "%.100s (%.100s)", config ? config() : "OpenBLAS",
           library ? info.dli_fname : "linked");
  facts->slow = has_avx2() && core && lacks_avx2(core());
  if (library) dlclose(library);
  return true;
}

/* Handles SIGPROF: ends the process. */
static void handle_sigprof(int number) {
  static const char text[] =
      "error: out of memory: OpenBLAS needs a buffer for each thread; set GTRAIN_THREADS to fewer threads\n";
  (void)number;
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(GT_ERR_MEMORY);
}

/* Starts or stops a timer that ends the process after one second of processor time: without memory OpenBLAS
 * retries forever. */
static void watch(bool begin) {
  static struct sigaction before;
  const struct sigaction action = {.sa_handler = handle_sigprof};
  const struct itimerval timer = {.it_value.tv_sec = begin};
  if (begin) sigaction(SIGPROF, &action, &before);
  setitimer(ITIMER_PROF, &timer, NULL);
  if (!begin) sigaction(SIGPROF, &before, NULL);
}

bool gt_blas_reserve(uint32_t threads, gt_error *error) {
  if (!open_library(error)) return false;
  if (threads <= reserved || !allocate_buffer || !free_buffer) return true;
  /* OpenBLAS reuses a freed buffer for the next GEMM. So all are allocated before the first is freed. */
  void **buffer = gt_alloc(threads * sizeof *buffer);
  uint32_t allocated = 0;
  watch(true);
  while (allocated < threads && (buffer[allocated] = allocate_buffer(0))) allocated++;
  watch(false);
  for (uint32_t i = allocated; i-- > 0;) free_buffer(buffer[i]);
  free(buffer);
  reserved = allocated;
  return allocated == threads ||
         gt_fail(error, GT_ERR_MEMORY,
                 "OpenBLAS has buffers for %u threads, not for %u; set GTRAIN_THREADS "
                 "to fewer threads",
                 allocated, threads);
}
